/* thread_trace.c - a thread trace of each kernel: what the waves of one compute unit executed, and
 * how many of the instructions were found in the kernel's code.
 *
 * The trace is decoded when the kernel is over. THREAD_TRACE=instructions prints every instruction:
 * when it began, how long it took, and where it stands. */
#include "sample.h"

#include <rocprofiler-sdk/experimental/thread_trace.h>

enum { KERNELS = 1024 };

static const char sample_name[] = "thread trace tool";
static rocprofiler_thread_trace_decoder_id_t decoder;
static char *names[KERNELS]; /* by kernel id */
static bool print_instructions;

/* ---- what comes out of the decoder ---- */

typedef struct {
    uint64_t waves, instructions, found, occupancy, infos;
} sums_t;

static void add_wave(sums_t *sums, const rocprofiler_thread_trace_decoder_wave_t *wave)
{
    static const char *const kinds[ROCPROFILER_THREAD_TRACE_DECODER_INST_LAST] = {
        "none", "smem", "salu",  "vmem",    "flat",    "lds", "valu",
        "jump", "next", "immed", "context", "message", "bvh"};
    sums->waves++;
    for (size_t i = 0; i < wave->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *inst = &wave->instructions_array[i];
        sums->instructions++;
        sums->found += inst->pc.marker_id != 0;
        if (print_instructions)
            fprintf(stderr, "simd %u slot %u: %" PRId64 " +%d %s at 0x%zx\n", wave->simd,
                    wave->wave_id, inst->time - wave->begin_time, inst->duration,
                    kinds[inst->category], inst->pc.addr);
    }
}

static void on_decoded(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                       uint64_t count, void *data)
{
    sums_t *sums = data;
    const rocprofiler_thread_trace_decoder_wave_t *waves = records;
    const rocprofiler_thread_trace_decoder_info_t *infos = records;
    if (type == ROCPROFILER_THREAD_TRACE_DECODER_RECORD_OCCUPANCY) sums->occupancy += count;
    for (uint64_t i = 0; i < count; i++) {
        if (type == ROCPROFILER_THREAD_TRACE_DECODER_RECORD_WAVE) add_wave(sums, &waves[i]);
        if (type != ROCPROFILER_THREAD_TRACE_DECODER_RECORD_INFO) continue;
        sums->infos++;
        fprintf(stderr, "%s: %s\n", sample_name,
                rocprofiler_thread_trace_decoder_info_string(decoder, infos[i]));
    }
}

/* ---- what the service gives ---- */

static rocprofiler_thread_trace_control_flags_t
on_dispatch(rocprofiler_agent_id_t agent, rocprofiler_queue_id_t queue,
            rocprofiler_async_correlation_id_t correlation, rocprofiler_kernel_id_t kernel,
            rocprofiler_dispatch_id_t dispatch, void *data, rocprofiler_user_data_t *user_data)
{
    (void)agent, (void)queue, (void)correlation, (void)dispatch, (void)data;
    user_data->value = kernel;
    return ROCPROFILER_THREAD_TRACE_CONTROL_START_AND_STOP;
}

static void on_trace(rocprofiler_agent_id_t agent, int64_t engine, void *data, size_t size,
                     rocprofiler_user_data_t user_data)
{
    sums_t sums = {0};
    const uint64_t kernel = user_data.value;
    (void)agent;
    if (!REQUIRE(rocprofiler_trace_decode(decoder, on_decoded, data, size, &sums))) return;
    fprintf(stderr,
            "%s: %s, engine %" PRId64 ": %" PRIu64 " waves, %" PRIu64 " of %" PRIu64
            " instructions found, %" PRIu64 " waves began or ended\n",
            sample_name, kernel < KERNELS && names[kernel] ? names[kernel] : "?", engine,
            sums.waves, sums.found, sums.instructions, sums.occupancy);
}

/* ---- code ---- */

static void give_code(const rocprofiler_callback_tracing_code_object_load_data_t *object)
{
    const uint64_t size = object->load_base + object->load_size - object->load_delta;
    if (object->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY)
        REQUIRE(rocprofiler_thread_trace_decoder_codeobj_load(
            decoder, object->code_object_id, object->load_delta, size,
            (const void *)(uintptr_t)object->memory_base, object->memory_size));
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user_data, void *data)
{
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel =
        record.payload;
    (void)user_data, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD) return;
    if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD)
        give_code(record.payload);
    else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER &&
             kernel->kernel_id < KERNELS)
        names[kernel->kernel_id] = strdup(kernel->kernel_name);
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    rocprofiler_thread_trace_parameter_t parameters[] = {
        {.type = ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU, .value = 0},
        {.type = ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE, .value = 16 << 20}};
    (void)version, (void)data;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_t *agent = agents[i];
        if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        REQUIRE(rocprofiler_configure_dispatch_thread_trace_service(
            context, agent->id, parameters, sizeof parameters / sizeof *parameters, on_dispatch,
            on_trace, NULL));
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static void sample_start(void)
{
    const char *mode = getenv("THREAD_TRACE");
    print_instructions = mode && !strcmp(mode, "instructions");
    if (!REQUIRE(rocprofiler_thread_trace_decoder_create(&decoder, ""))) return;
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, on_code_object);
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_t), NULL));
}

static void sample_end(void)
{
    rocprofiler_thread_trace_decoder_destroy(decoder);
}
