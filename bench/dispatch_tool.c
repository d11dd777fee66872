/* dispatch_tool.c - a tool that takes dispatch records into a buffer and counts them.
 *
 * DISPATCH_TOOL=off creates the context without starting it: queues are intercepted, nothing is
 * recorded. */
#include "../tests/tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static atomic_ullong records, dropped_records;

static void count_records(rocprofiler_context_id_t ctx, rocprofiler_buffer_id_t id,
                          rocprofiler_record_header_t **headers, size_t count, void *data,
                          uint64_t dropped)
{
    (void)ctx;
    (void)id;
    (void)headers;
    (void)data;
    atomic_fetch_add(&records, count);
    atomic_fetch_add(&dropped_records, dropped);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize;
    (void)data;
    const char *mode = getenv("DISPATCH_TOOL");
    if (rocprofiler_create_context(&context) ||
        rocprofiler_create_buffer(context, 1 << 20, 1 << 19, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                  count_records, NULL, &buffer) ||
        rocprofiler_configure_buffer_tracing_service(
            context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, NULL, 0, buffer))
        return -1;
    return mode && strcmp(mode, "off") == 0 ? 0 : (int)rocprofiler_start_context(context);
}

static void finish(void *data)
{
    (void)data;
    rocprofiler_flush_buffer(buffer);
    fprintf(stderr, "records %llu dropped %llu\n", records, dropped_records);
}

TOOL("dispatch_tool", initialize, finish)
