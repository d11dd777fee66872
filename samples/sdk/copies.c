/* copies.c - asynchronous memory copies: how many and how many bytes in each direction. */
#include "sample.h"

static const char sample_name[] = "copies tool";
static uint64_t copies[ROCPROFILER_MEMORY_COPY_LAST], bytes[ROCPROFILER_MEMORY_COPY_LAST];

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_memory_copy_record_t *copy = headers[i]->payload;
        copies[copy->operation]++;
        bytes[copy->operation] += copy->bytes;
    }
}

static void sample_start(void)
{
    sample_buffer(on_records);
    sample_records(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY);
}

static void sample_end(void)
{
    for (int i = 0; i < ROCPROFILER_MEMORY_COPY_LAST; i++) {
        const char *name = NULL;
        rocprofiler_query_buffer_tracing_kind_operation_name(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
                                                             i, &name, NULL);
        if (copies[i])
            fprintf(stderr, "%s: %s %" PRIu64 " copies, %" PRIu64 " bytes\n", sample_name, name,
                    copies[i], bytes[i]);
    }
}
