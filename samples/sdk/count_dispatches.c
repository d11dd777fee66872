/* count_dispatches.c - counters of each kernel dispatch: waves, and the instructions they issued.
 *
 * Counters are chosen by name for each GPU when the tool starts; every dispatch on that GPU is
 * counted. Each value of a counter is that of one instance of its block: the sample adds them up.
 */
#include "sample.h"

enum { AGENTS = 16, KERNELS = 1024, COUNTERS = 3 };

static const char sample_name[] = "counting tool";
static const char *const wanted[COUNTERS] = {"SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU"};

static struct {
    rocprofiler_agent_id_t agent;
    rocprofiler_counter_id_t counters[COUNTERS];
    rocprofiler_counter_config_id_t config;
} gpus[AGENTS];
static int gpu_count;
static char *names[KERNELS]; /* by kernel id */
static double sums[KERNELS][COUNTERS];
static uint64_t runs[KERNELS];
static const rocprofiler_dispatch_counting_service_record_t *current; /* whose values come now */

/* ---- which counters ---- */

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    rocprofiler_counter_id_t *found = data;
    (void)agent;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v0_t info;
        REQUIRE(
            rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info));
        for (int c = 0; c < COUNTERS; c++)
            if (!strcmp(info.name, wanted[c])) found[c] = counters[i];
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count && gpu_count < AGENTS; i++) {
        const rocprofiler_agent_t *agent = agents[i];
        if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        gpus[gpu_count].agent = agent->id;
        if (REQUIRE(rocprofiler_iterate_agent_supported_counters(agent->id, on_counters,
                                                                 gpus[gpu_count].counters)) &&
            REQUIRE(rocprofiler_create_counter_config(agent->id, gpus[gpu_count].counters, COUNTERS,
                                                      &gpus[gpu_count].config)))
            gpu_count++;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* ---- dispatches ---- */

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t dispatch,
                        rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user_data,
                        void *data)
{
    (void)user_data, (void)data;
    for (int i = 0; i < gpu_count; i++)
        if (gpus[i].agent.handle == dispatch.dispatch_info.agent_id.handle)
            *config = gpus[i].config;
}

static void add_value(const rocprofiler_counter_record_t *value)
{
    rocprofiler_counter_id_t counter;
    rocprofiler_query_record_counter_id(value->id, &counter);
    if (!current || current->dispatch_info.dispatch_id != value->dispatch_id) return;
    uint64_t kernel = current->dispatch_info.kernel_id;
    for (int g = 0; g < gpu_count && kernel < KERNELS; g++)
        for (int c = 0; c < COUNTERS; c++)
            if (gpus[g].agent.handle == value->agent_id.handle &&
                gpus[g].counters[c].handle == counter.handle)
                sums[kernel][c] += value->counter_value;
}

/* A header, then its values. A delivery may end between them, so the header is copied. */
static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    static rocprofiler_dispatch_counting_service_record_t copy;
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->category != ROCPROFILER_BUFFER_CATEGORY_COUNTERS) continue;
        if (headers[i]->kind == ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER) {
            memcpy(&copy, headers[i]->payload, sizeof copy);
            current = &copy;
            if (copy.dispatch_info.kernel_id < KERNELS) runs[copy.dispatch_info.kernel_id]++;
        } else {
            add_value(headers[i]->payload);
        }
    }
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user_data, void *data)
{
    (void)user_data, (void)data;
    if (record.operation != ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER ||
        record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD)
        return;
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel =
        record.payload;
    if (kernel->kernel_id < KERNELS) names[kernel->kernel_id] = strdup(kernel->kernel_name);
}

static void sample_start(void)
{
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_t), NULL));
    sample_buffer(on_records);
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, on_code_object);
    REQUIRE(
        rocprofiler_configure_buffer_dispatch_counting_service(context, buffer, on_dispatch, NULL));
}

static void sample_end(void)
{
    for (int k = 0; k < KERNELS; k++) {
        if (!runs[k]) continue;
        fprintf(stderr, "%s: %s ran %" PRIu64 " times:", sample_name, names[k] ? names[k] : "?",
                runs[k]);
        for (int c = 0; c < COUNTERS; c++)
            fprintf(stderr, " %s %.0f", wanted[c], sums[k][c]);
        fputc('\n', stderr);
    }
}
