/* spm_tool.c - samples dispatches, or a whole GPU, and checks what comes: waves against the grid,
 * times in steps, one end for each dispatch.
 *
 * Environment: SPM_INTERVAL=clocks (default 64), SPM_BUFFER takes a buffer in place of callbacks,
 * SPM_DEVICE=waves samples the GPU, whose kernels have so many at least. Without
 * ROCPROFILER_SPM_BETA_ENABLED it checks that all is refused, with it what is. Prints one line or
 * two at the end. */

#include "tools.h"

#include <rocprofiler-sdk/experimental/spm.h>

#include <stdlib.h>
#include <string.h>

enum { DISPATCHES = 4096, DIES = 8 };

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_agent_id_t gpu;
static rocprofiler_counter_id_t waves, hits;
static uint64_t die_dimension; /* 0 of a GPU that is one */
static rocprofiler_counter_config_id_t config;
static uint64_t interval = 64;
static bool enabled, whole_gpu;
static atomic_long launched, asked, ended, lost, samples, all_waves;
static atomic_ullong hash;

static struct {
    double waves, seen;
    uint64_t time[DIES], first; /* of each die its last sample's */
    bool known, over;
} dispatches[DISPATCHES];

/* ---- samples ---- */

/* Samples of each die come in the order of their times, one die behind the other. */
static uint64_t *last_of(const rocprofiler_spm_counter_record_t *r)
{
    size_t die = 0;
    if (die_dimension)
        ANSWERS(rocprofiler_query_record_dimension_position(r->id, die_dimension, &die), SUCCESS);
    IS(die < DIES, true);
    return &dispatches[r->dispatch_id].time[die % DIES];
}

/* Times are compared from the dispatch's first sample on: where they begin is the history's. */
static void add(const rocprofiler_spm_counter_record_t *r)
{
    rocprofiler_counter_id_t id;
    const bool of_dispatch = r->dispatch_id > 0 && r->dispatch_id < DISPATCHES;
    IS(r->size, sizeof *r);
    IS(r->agent_id.handle, gpu.handle);
    IS(of_dispatch, !whole_gpu);
    ANSWERS(rocprofiler_query_record_counter_id(r->id, &id), SUCCESS);
    IS(id.handle == waves.handle || id.handle == hits.handle, true);
    if (id.handle == waves.handle) all_waves += (long)r->value;
    samples++;
    if (!of_dispatch) return;
    if (id.handle == waves.handle) dispatches[r->dispatch_id].seen += r->value;
    if (!dispatches[r->dispatch_id].first) dispatches[r->dispatch_id].first = r->timestamp;
    uint64_t *last = last_of(r);
    IS(r->timestamp >= *last, true);
    *last = r->timestamp;
    const uint64_t since = r->timestamp - dispatches[r->dispatch_id].first;
    hash +=
        (r->dispatch_id * 31 + since * 7 + (uint64_t)r->value * 131 + 1) * (r->id % 1000003 + 17);
}

static void end_dispatch(uint64_t id, bool with_loss)
{
    if (id >= DISPATCHES) return;
    IS(dispatches[id].over, false);
    dispatches[id].over = true;
    ended++;
    lost += with_loss;
    if (!with_loss) IS(dispatches[id].seen, dispatches[id].waves);
}

static void on_dispatch(const rocprofiler_spm_dispatch_counting_service_data_t *data,
                        rocprofiler_counter_config_id_t *chosen, rocprofiler_user_data_t *user,
                        void *mine)
{
    const uint64_t id = data->dispatch_info.dispatch_id;
    IS(mine, &config);
    IS(data->size, sizeof *data);
    IS(data->correlation_id.internal != 0, true);
    launched++;
    if (id >= DISPATCHES) return;
    dispatches[id].waves = expected_waves(&data->dispatch_info);
    dispatches[id].known = true;
    user->value = id * 3;
    *chosen = config;
    asked++;
}

static void on_samples(const rocprofiler_spm_dispatch_counting_service_data_t *data,
                       const rocprofiler_spm_counter_record_t **records, size_t count,
                       rocprofiler_spm_record_flag_t flags, rocprofiler_user_data_t user,
                       void *mine)
{
    const uint64_t id = data->dispatch_info.dispatch_id;
    IS(mine, &waves);
    IS(user.value, id * 3);
    IS(!(flags & ROCPROFILER_SPM_RECORD_FLAG_DATA), !count);
    for (size_t i = 0; i < count; i++) {
        IS(records[i]->dispatch_id, id);
        add(records[i]);
    }
    if (flags & ROCPROFILER_SPM_RECORD_FLAG_DISPATCH_END)
        end_dispatch(id, flags & ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS);
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data;
    IS(drop_count, 0);
    for (size_t i = 0; i < count; i++)
        if (headers[i]->kind == ROCPROFILER_COUNTER_RECORD_VALUE) add(headers[i]->payload);
}

static void on_start(rocprofiler_context_id_t id, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set, void *data)
{
    (void)data;
    IS(agent.handle, gpu.handle);
    ANSWERS(set(id, config), SUCCESS);
}

/* ---- what is refused ---- */

static rocprofiler_status_t on_configurations(const rocprofiler_spm_available_configuration_t **all,
                                              size_t count, void *data)
{
    IS(data, &config);
    IS(count, 1);
    IS(all[0]->size, sizeof *all[0]);
    IS(all[0]->type, ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES);
    IS(all[0]->interval.min_interval, 32);
    IS(all[0]->interval.max_interval, 65504);
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT; /* comes back */
}

typedef struct {
    unsigned count;
    bool waves, busy, derived;
} listed_t;

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    listed_t *listed = data;
    IS(agent.handle, gpu.handle);
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v1_t info;
        ANSWERS(
            rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &info),
            SUCCESS);
        listed->waves |= !strcmp(info.name, "SQ_WAVES");
        listed->busy |= !strcmp(info.name, "GRBM_COUNT");
        listed->derived |= info.is_derived;
    }
    listed->count = (unsigned)count;
    return ROCPROFILER_STATUS_SUCCESS;
}

static void check_refusals(void)
{
    rocprofiler_counter_info_v1_t busy, derived, ta[3];
    static const char *const names[] = {"TA_TA_BUSY", "TA_BUFFER_WAVEFRONTS", "TA_FLAT_WAVEFRONTS"};
    rocprofiler_counter_id_t unknown = {0xffff}, three[3];
    rocprofiler_spm_parameters_t clocks = {
        .size = sizeof clocks,
        .type = ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES,
        .value = 31};
    rocprofiler_spm_parameters_t *parameters[] = {&clocks};
    rocprofiler_counter_config_id_t made = {0}, ordinary = {0}, none = {0xffffff};
    rocprofiler_context_id_t other = {0}, third = {0};
    listed_t listed = {0};
    const rocprofiler_agent_id_t nobody = {0xffffff};
    REFUSES(rocprofiler_spm_query_agent_configurations(nobody, on_configurations, &config),
            AGENT_NOT_FOUND);
    REFUSES(rocprofiler_spm_query_agent_configurations(gpu, NULL, &config), INVALID_ARGUMENT);
    REFUSES(rocprofiler_spm_query_agent_configurations(gpu, on_configurations, &config),
            INVALID_ARGUMENT);
    REFUSES(rocprofiler_spm_iterate_agent_supported_counters(nobody, on_counters, &listed),
            AGENT_NOT_FOUND);
    ANSWERS(rocprofiler_spm_iterate_agent_supported_counters(gpu, on_counters, &listed), SUCCESS);
    IS(listed.count > 100 && listed.waves && !listed.busy && !listed.derived, true);

    ANSWERS(find_counter(gpu, "GRBM_COUNT", &busy), SUCCESS);
    ANSWERS(find_counter(gpu, "TCC_HIT_sum", &derived), SUCCESS);
    for (unsigned i = 0; i < 3; i++) {
        ANSWERS(find_counter(gpu, names[i], &ta[i]), SUCCESS);
        three[i] = ta[i].id;
    }
#define MAKE(agent, list, count, n)                                                                \
    rocprofiler_spm_create_counter_config(agent, list, count, parameters, n, &made)
    REFUSES(MAKE(nobody, &waves, 1, 0), AGENT_NOT_FOUND);
    REFUSES(MAKE(gpu, &unknown, 1, 0), COUNTER_NOT_FOUND);
    REFUSES(MAKE(gpu, &busy.id, 1, 0), METRIC_NOT_VALID_FOR_AGENT);
    REFUSES(MAKE(gpu, &derived.id, 1, 0), METRIC_NOT_VALID_FOR_AGENT);
    REFUSES(MAKE(gpu, three, 3, 0), EXCEEDS_HW_LIMIT);
    REFUSES(MAKE(gpu, NULL, 0, 0), INVALID_ARGUMENT);
    REFUSES(MAKE(gpu, &waves, 1, 1), INVALID_ARGUMENT); /* 31 clocks */
    clocks.value = 65505;
    REFUSES(MAKE(gpu, &waves, 1, 1), INVALID_ARGUMENT);
    clocks.value = 64;
    clocks.type = ROCPROFILER_SPM_PARAMETER_TYPE_NONE;
    REFUSES(MAKE(gpu, &waves, 1, 1), INVALID_ARGUMENT);

    /* the two kinds of configurations are no other's */
    ANSWERS(MAKE(gpu, &waves, 1, 0), SUCCESS);
    ANSWERS(rocprofiler_create_counter_config(gpu, &waves, 1, &ordinary), SUCCESS);
    REFUSES(rocprofiler_spm_destroy_counter_config(ordinary), PROFILE_NOT_FOUND);
    REFUSES(rocprofiler_destroy_counter_config(made), PROFILE_NOT_FOUND);
    REFUSES(rocprofiler_spm_destroy_counter_config(none), PROFILE_NOT_FOUND);
    ANSWERS(rocprofiler_destroy_counter_config(ordinary), SUCCESS);
    ANSWERS(rocprofiler_spm_destroy_counter_config(made), SUCCESS);
    REFUSES(rocprofiler_spm_destroy_counter_config(made), PROFILE_NOT_FOUND);

    ANSWERS(rocprofiler_create_context(&other), SUCCESS);
    ANSWERS(rocprofiler_create_context(&third), SUCCESS);
#define BY_CALL(id)                                                                                \
    rocprofiler_spm_configure_callback_dispatch_service(id, on_dispatch, NULL, on_samples, NULL)
    REFUSES(BY_CALL((rocprofiler_context_id_t){0xffffff}), CONTEXT_INVALID);
    REFUSES(
        rocprofiler_spm_configure_callback_dispatch_service(other, on_dispatch, NULL, NULL, NULL),
        INVALID_ARGUMENT);
    REFUSES(rocprofiler_spm_configure_buffer_dispatch_service(
                other, (rocprofiler_buffer_id_t){0xffffff}, on_dispatch, NULL),
            BUFFER_NOT_FOUND);
    ANSWERS(BY_CALL(other), SUCCESS);
    REFUSES(BY_CALL(other), CONTEXT_CONFLICT);
    REFUSES(rocprofiler_configure_spm_device_counting_service(other, buffer, gpu, on_start, NULL),
            AGENT_DISPATCH_CONFLICT);
    REFUSES(rocprofiler_configure_spm_device_counting_service(
                third, (rocprofiler_buffer_id_t){0xffffff}, gpu, on_start, NULL),
            BUFFER_NOT_FOUND);
    ANSWERS(rocprofiler_configure_spm_device_counting_service(third, buffer, gpu, on_start, NULL),
            SUCCESS);
    REFUSES(rocprofiler_configure_spm_device_counting_service(third, buffer, gpu, on_start, NULL),
            INVALID_ARGUMENT);
    REFUSES(BY_CALL(third), CONTEXT_CONFLICT);
}

static void check_without_the_variable(void)
{
    REFUSES(rocprofiler_spm_create_counter_config(gpu, &waves, 1, NULL, 0, &config),
            NOT_IMPLEMENTED);
    REFUSES(BY_CALL(context), NOT_IMPLEMENTED);
    REFUSES(rocprofiler_spm_configure_buffer_dispatch_service(context, buffer, on_dispatch, NULL),
            NOT_IMPLEMENTED);
    REFUSES(rocprofiler_configure_spm_device_counting_service(context, buffer, gpu, on_start, NULL),
            NOT_IMPLEMENTED);
}

/* ---- the tool ---- */

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    found_gpus_t found;
    rocprofiler_counter_info_v1_t info;
    const char *clocks = getenv("SPM_INTERVAL");
    if (clocks) interval = strtoull(clocks, NULL, 10);
    enabled = getenv("ROCPROFILER_SPM_BETA_ENABLED");
    whole_gpu = getenv("SPM_DEVICE");
    ANSWERS(find_gpus(&found), SUCCESS);
    gpu = found.gpus[0];
    ANSWERS(find_counter(gpu, "SQ_WAVES", &info), SUCCESS);
    waves = info.id;
    for (uint64_t i = 0; i < info.dimensions_count; i++)
        if (!strcmp(info.dimensions[i]->name, "DIMENSION_XCC"))
            die_dimension = info.dimensions[i]->id;
    ANSWERS(find_counter(gpu, "TCC_HIT", &info), SUCCESS);
    hits = info.id;
    ANSWERS(rocprofiler_create_context(&context), SUCCESS);
    ANSWERS(rocprofiler_create_buffer(context, 1 << 20, 1 << 19, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer),
            SUCCESS);
    if (!enabled) {
        check_without_the_variable();
        return 0;
    }
    check_refusals();
    rocprofiler_spm_parameters_t parameter = {
        .size = sizeof parameter,
        .type = ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES,
        .value = interval};
    rocprofiler_spm_parameters_t *parameters[] = {&parameter};
    rocprofiler_counter_id_t both[] = {waves, hits};
    ANSWERS(rocprofiler_spm_create_counter_config(gpu, both, 2, parameters, 1, &config), SUCCESS);
    if (whole_gpu)
        ANSWERS(
            rocprofiler_configure_spm_device_counting_service(context, buffer, gpu, on_start, NULL),
            SUCCESS);
    else if (getenv("SPM_BUFFER"))
        ANSWERS(rocprofiler_spm_configure_buffer_dispatch_service(context, buffer, on_dispatch,
                                                                  &config),
                SUCCESS);
    else
        ANSWERS(rocprofiler_spm_configure_callback_dispatch_service(context, on_dispatch, &config,
                                                                    on_samples, &waves),
                SUCCESS);
    ANSWERS(rocprofiler_start_context(context), SUCCESS);
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    if (enabled) {
        rocprofiler_stop_context(context);
        rocprofiler_flush_buffer(buffer);
    }
    /* a buffer tells no ends */
    for (uint64_t id = 0; id < DISPATCHES && getenv("SPM_BUFFER"); id++)
        if (dispatches[id].known) end_dispatch(id, false);
    if (!enabled) {
        printf("refused: %d failed\n", failures);
    } else if (whole_gpu) {
        const long least = atol(getenv("SPM_DEVICE"));
        const bool right = all_waves >= least && all_waves <= 2 * least;
        printf("%s samples, %ld waves or more, %d wrong\n", samples > 10 ? "several" : "few",
               right ? least : (long)all_waves, failures);
    } else {
        printf("%ld launched, %ld asked for, %ld ended, %ld lost, %d wrong\n", (long)launched,
               (long)asked, (long)ended, (long)lost, failures);
        printf("%ld samples, %llx\n", (long)samples, (unsigned long long)hash);
    }
    fflush(stdout);
}

TOOL("spm tool", initialize, finalize)
