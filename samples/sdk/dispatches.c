/* dispatches.c - kernel dispatches: how often each kernel ran, and that its times make sense.
 *
 * Kernel names come with code objects, by callback; dispatches come as records. */
#include "sample.h"

enum { KERNELS = 1024 };

static const char sample_name[] = "dispatches tool";
static char *names[KERNELS]; /* by kernel id */
static uint64_t runs[KERNELS];

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

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_kernel_dispatch_record_t *dispatch = headers[i]->payload;
        if (dispatch->end_timestamp >= dispatch->start_timestamp &&
            dispatch->dispatch_info.kernel_id < KERNELS)
            runs[dispatch->dispatch_info.kernel_id]++;
    }
}

static void sample_start(void)
{
    sample_buffer(on_records);
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, on_code_object);
    sample_records(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
}

static void sample_end(void)
{
    for (int i = 0; i < KERNELS; i++)
        if (runs[i])
            fprintf(stderr, "%s: %s ran %" PRIu64 " times\n", sample_name,
                    names[i] ? names[i] : "?", runs[i]);
}
