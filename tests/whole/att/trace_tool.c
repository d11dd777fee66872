/* trace_tool.c - the SDK's thread traces from within: what is refused, what excludes what, and what
 * comes of a kernel at a time, of the time between two kernels, and of a whole program.
 *
 * TRACE_TOOL says which: dispatch, between (a context that is stopped and started), whole. */
#include "../../sdk/counters/tools.h"

#include <rocprofiler-sdk/experimental/thread_trace.h>

#include <pthread.h>
#include <stdlib.h>

#define PARAMETER(x) ROCPROFILER_THREAD_TRACE_PARAMETER_##x

static rocprofiler_context_id_t watching, tracing;
static rocprofiler_thread_trace_decoder_id_t decoder;
static char mode;
static struct {
    unsigned traces, waves, asked;
    unsigned long long instructions, found, lost;
} sum;

/* ---- what comes ---- */

static void on_decoded(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                       uint64_t count, void *data)
{
    const rocprofiler_thread_trace_decoder_wave_t *wave = records;
    (void)data;
    if (type == ROCPROFILER_THREAD_TRACE_DECODER_RECORD_INFO) sum.lost += count;
    if (type != ROCPROFILER_THREAD_TRACE_DECODER_RECORD_WAVE) return;
    for (uint64_t i = 0; i < count; i++, wave++) {
        /* not those of the runtime's own kernels, which are in no code object */
        if (!wave->instructions_size || !wave->instructions_array[0].pc.marker_id) continue;
        sum.waves++;
        sum.instructions += wave->instructions_size;
        for (size_t k = 0; k < wave->instructions_size; k++)
            sum.found += wave->instructions_array[k].pc.marker_id != 0;
    }
}

static void on_trace(rocprofiler_agent_id_t agent, int64_t engine, void *data, size_t size,
                     rocprofiler_user_data_t user)
{
    (void)agent;
    IS(user.value, 4711);
    IS(engine, 0);
    sum.traces++;
    ANSWERS(rocprofiler_trace_decode(decoder, on_decoded, data, size, NULL), SUCCESS);
}

static rocprofiler_thread_trace_control_flags_t
on_dispatch(rocprofiler_agent_id_t agent, rocprofiler_queue_id_t queue,
            rocprofiler_async_correlation_id_t correlation, rocprofiler_kernel_id_t kernel,
            rocprofiler_dispatch_id_t dispatch, void *data, rocprofiler_user_data_t *user)
{
    (void)agent, (void)queue;
    IS(data == &sum, true);
    IS(correlation.internal != 0 && kernel != 0, true);
    IS(dispatch, ++sum.asked);
    user->value = 4711;
    return ROCPROFILER_THREAD_TRACE_CONTROL_START_AND_STOP;
}

/* ---- when ---- */

static void on_kernel(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                      void *data)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned running;
    (void)user, (void)data;
    if (mode != 'b') return;
    pthread_mutex_lock(&lock);
    if (record.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE &&
        record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER && !running++)
        ANSWERS(rocprofiler_start_context(tracing), SUCCESS);
    if (record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE && !--running)
        ANSWERS(rocprofiler_stop_context(tracing), SUCCESS);
    pthread_mutex_unlock(&lock);
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    const rocprofiler_callback_tracing_code_object_load_data_t *o = record.payload;
    (void)user, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD ||
        record.operation != ROCPROFILER_CODE_OBJECT_LOAD)
        return;
    const void *elf = (const void *)(uintptr_t)o->memory_base;
    ANSWERS(rocprofiler_thread_trace_decoder_codeobj_load(decoder, o->code_object_id, o->load_delta,
                                                          o->load_size, elf, o->memory_size),
            SUCCESS);
    REFUSES(rocprofiler_thread_trace_decoder_codeobj_load(decoder, o->code_object_id, 0, 0, elf,
                                                          o->memory_size),
            INVALID_ARGUMENT);
}

/* ---- configuration ---- */

static rocprofiler_status_t device(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                                   rocprofiler_thread_trace_parameter_t *parameters, size_t count)
{
    return rocprofiler_configure_device_thread_trace_service(
        context, agent, parameters, count, on_trace, (rocprofiler_user_data_t){.value = 4711});
}

static rocprofiler_status_t dispatch(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                                     rocprofiler_thread_trace_parameter_t *parameters, size_t count)
{
    return rocprofiler_configure_dispatch_thread_trace_service(context, agent, parameters, count,
                                                               on_dispatch, on_trace, &sum);
}

static void check_limits(rocprofiler_agent_id_t gpu)
{
    static const struct {
        int type;
        uint64_t value;
    } beyond[] = {{PARAMETER(TARGET_CU), 16},
                  {PARAMETER(SHADER_ENGINE_MASK), 0},
                  {PARAMETER(SHADER_ENGINE_MASK), UINT64_C(1) << 32},
                  {PARAMETER(BUFFER_SIZE), 0},
                  {PARAMETER(SIMD_SELECT), 16},
                  {PARAMETER(PERFCOUNTERS_CTRL), 33},
                  {PARAMETER(PERFCOUNTER), 999999},
                  {PARAMETER(PERFCOUNTER_EXCLUDE_MASK), UINT64_C(1) << 32},
                  {9, 0},
                  {-1, 0}};
    rocprofiler_context_id_t context = {0};
    ANSWERS(rocprofiler_create_context(&context), SUCCESS);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        rocprofiler_thread_trace_parameter_t p = {
            .type = (rocprofiler_thread_trace_parameter_type_t)beyond[i].type,
            .value = beyond[i].value};
        REFUSES(device(context, gpu, &p, 1), INVALID_ARGUMENT);
        REFUSES(dispatch(context, gpu, &p, 1), INVALID_ARGUMENT);
    }
    REFUSES(device(context, gpu, NULL, 1), INVALID_ARGUMENT);
    REFUSES(device(context, (rocprofiler_agent_id_t){1}, NULL, 0), AGENT_NOT_FOUND);
    REFUSES(device((rocprofiler_context_id_t){99}, gpu, NULL, 0), CONTEXT_NOT_FOUND);
    REFUSES(rocprofiler_configure_device_thread_trace_service(context, gpu, NULL, 0, NULL,
                                                              (rocprofiler_user_data_t){0}),
            INVALID_ARGUMENT);
    REFUSES(rocprofiler_configure_dispatch_thread_trace_service(context, gpu, NULL, 0, NULL,
                                                                on_trace, NULL),
            INVALID_ARGUMENT);
    /* of nine counters the ninth is too many */
    rocprofiler_counter_info_v1_t waves;
    rocprofiler_thread_trace_parameter_t counters[9];
    ANSWERS(find_counter(gpu, "SQ_WAVES", &waves), SUCCESS);
    for (size_t i = 0; i < 9; i++)
        counters[i] = (rocprofiler_thread_trace_parameter_t){
            .type = PARAMETER(PERFCOUNTER), .counter_id = waves.id, .simd_mask = 15};
    REFUSES(device(context, gpu, counters, 9), INVALID_ARGUMENT);
    ANSWERS(find_counter(gpu, "TCC_HIT", &waves), SUCCESS);
    counters[0].counter_id = waves.id; /* another block's */
    REFUSES(device(context, gpu, counters, 1), INVALID_ARGUMENT);
}

static void choose_nothing(rocprofiler_dispatch_counting_service_data_t data,
                           rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user,
                           void *more)
{
    (void)data, (void)config, (void)user, (void)more;
}

static void ignore_values(rocprofiler_dispatch_counting_service_data_t data,
                          rocprofiler_counter_record_t *records, size_t count,
                          rocprofiler_user_data_t user, void *more)
{
    (void)data, (void)records, (void)count, (void)user, (void)more;
}

static rocprofiler_status_t count_dispatches(rocprofiler_context_id_t context)
{
    return rocprofiler_configure_callback_dispatch_counting_service(context, choose_nothing, NULL,
                                                                    ignore_values, NULL);
}

/* A dispatch is counted and traced, in one context or in two, unless the trace samples counters. */
static void check_counting(rocprofiler_agent_id_t gpu)
{
    rocprofiler_context_id_t both = {0}, counts = {0}, traces = {0}, samples = {0};
    rocprofiler_counter_info_v1_t waves;
    ANSWERS(find_counter(gpu, "SQ_WAVES", &waves), SUCCESS);
    rocprofiler_thread_trace_parameter_t sampled = {
        .type = PARAMETER(PERFCOUNTER), .counter_id = waves.id, .simd_mask = 15};
    ANSWERS(rocprofiler_create_context(&both), SUCCESS);
    ANSWERS(rocprofiler_create_context(&counts), SUCCESS);
    ANSWERS(rocprofiler_create_context(&traces), SUCCESS);
    ANSWERS(rocprofiler_create_context(&samples), SUCCESS);
    ANSWERS(count_dispatches(both), SUCCESS);
    REFUSES(dispatch(both, gpu, &sampled, 1), CONTEXT_CONFLICT);
    ANSWERS(dispatch(both, gpu, NULL, 0), SUCCESS);
    ANSWERS(dispatch(samples, gpu, &sampled, 1), SUCCESS);
    REFUSES(count_dispatches(samples), CONTEXT_CONFLICT);
    ANSWERS(count_dispatches(counts), SUCCESS);
    ANSWERS(dispatch(traces, gpu, NULL, 0), SUCCESS);
    ANSWERS(rocprofiler_start_context(counts), SUCCESS);
    REFUSES(rocprofiler_start_context(samples), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_start_context(traces), SUCCESS);
    REFUSES(rocprofiler_start_context(both), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_stop_context(traces), SUCCESS);
    ANSWERS(rocprofiler_stop_context(counts), SUCCESS);
}

/* One trace of an agent at a time, whichever way. */
static void check_conflicts(rocprofiler_agent_id_t gpu)
{
    rocprofiler_context_id_t other = {0}, third = {0};
    ANSWERS(rocprofiler_create_context(&other), SUCCESS);
    ANSWERS(rocprofiler_create_context(&third), SUCCESS);
    ANSWERS(device(other, gpu, NULL, 0), SUCCESS);
    REFUSES(device(other, gpu, NULL, 0), SERVICE_ALREADY_CONFIGURED);
    REFUSES(dispatch(other, gpu, NULL, 0), AGENT_DISPATCH_CONFLICT);
    ANSWERS(dispatch(third, gpu, NULL, 0), SUCCESS);
    ANSWERS(rocprofiler_start_context(third), SUCCESS);
    REFUSES(rocprofiler_start_context(other), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_stop_context(third), SUCCESS);
    ANSWERS(rocprofiler_start_context(other), SUCCESS);
    REFUSES(rocprofiler_start_context(third), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_stop_context(other), SUCCESS);
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    rocprofiler_thread_trace_parameter_t parameters[] = {
        {.type = PARAMETER(TARGET_CU), .value = 0},
        {.type = PARAMETER(BUFFER_SIZE), .value = 16 << 20}};
    found_gpus_t found;
    (void)finalizer, (void)data;
    mode = *getenv("TRACE_TOOL");
    if (find_gpus(&found)) return 1;
    check_limits(found.gpus[0]);
    check_conflicts(found.gpus[0]);
    check_counting(found.gpus[0]);
    REFUSES(rocprofiler_thread_trace_decoder_create(NULL, ""), INVALID_ARGUMENT);
    REFUSES(rocprofiler_thread_trace_decoder_create(&decoder, "/nonexistent"), NOT_AVAILABLE);
    ANSWERS(rocprofiler_thread_trace_decoder_create(&decoder, ""), SUCCESS);
    REFUSES(rocprofiler_trace_decode(decoder, on_decoded, parameters, 16, NULL), INVALID_ARGUMENT);
    ANSWERS(rocprofiler_create_context(&watching), SUCCESS);
    ANSWERS(rocprofiler_create_context(&tracing), SUCCESS);
    ANSWERS((mode == 'd' ? dispatch : device)(tracing, found.gpus[0], parameters, 2), SUCCESS);
    ANSWERS(rocprofiler_configure_callback_tracing_service(
                watching, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0, on_kernel, NULL),
            SUCCESS);
    watch_code_objects(watching, on_code_object);
    if (mode != 'b') ANSWERS(rocprofiler_start_context(tracing), SUCCESS);
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    rocprofiler_thread_trace_decoder_destroy(decoder);
    printf("%d failed; %u traces, %u asked, %u waves, %s found, %llu infos\n", failures, sum.traces,
           sum.asked, sum.waves,
           sum.instructions && sum.instructions == sum.found ? "all" : "not all", sum.lost);
    fflush(stdout);
}

TOOL("trace tool", initialize, finalize)
