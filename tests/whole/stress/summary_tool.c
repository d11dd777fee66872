/* summary_tool.c - a tool that says at its end what it saw of each service, in one line.
 *
 * With SUMMARY_FORCE in the environment its constructor starts the profiler itself, as tools do
 * that a program opens late. */
#include "../../tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIP, HSA, DISPATCH, COPY, KINDS };

static _Atomic unsigned long seen[KINDS], dropped, named;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;

static void on_records(rocprofiler_context_id_t ctx, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t lost)
{
    (void)ctx, (void)id, (void)data;
    dropped += lost;
    for (size_t i = 0; i < count; i++) {
        switch (headers[i]->kind) {
        case ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API: seen[HIP]++; break;
        case ROCPROFILER_BUFFER_TRACING_HSA_CORE_API: seen[HSA]++; break;
        case ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH: seen[DISPATCH]++; break;
        case ROCPROFILER_BUFFER_TRACING_MEMORY_COPY: seen[COPY]++; break;
        }
    }
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    (void)user, (void)data;
    if (record.operation != ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER ||
        record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD)
        return;
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *symbol =
        record.payload;
    const char *wanted = getenv("SUMMARY_KERNEL");
    named += strstr(symbol->kernel_name, wanted ? wanted : "add_one") != NULL;
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    static const rocprofiler_buffer_tracing_kind_t kinds[] = {
        ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, ROCPROFILER_BUFFER_TRACING_HSA_CORE_API,
        ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, ROCPROFILER_BUFFER_TRACING_MEMORY_COPY};
    rocprofiler_create_context(&context);
    rocprofiler_create_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                              on_records, NULL, &buffer);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        rocprofiler_configure_buffer_tracing_service(context, kinds[i], NULL, 0, buffer);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0, on_code_object, NULL);
    return (int)rocprofiler_start_context(context);
}

static void finalize(void *data)
{
    (void)data;
    fprintf(stderr, "summary: %lu HIP, %s HSA, %lu dispatches, %lu copies, %s kernels, %lu lost\n",
            seen[HIP], seen[HSA] ? "some" : "no", seen[DISPATCH], seen[COPY],
            named ? "named" : "unnamed", dropped);
}

TOOL("summary", initialize, finalize)

__attribute__((constructor)) static void begin(void)
{
    if (getenv("SUMMARY_FORCE")) rocprofiler_force_configure(rocprofiler_configure);
}
