/* runtimes.c - which runtimes start, and a callback thread of the tool's own for its buffer.
 *
 * The library tells of each thread that it makes, before and after. */
#include "sample.h"

static const char sample_name[] = "runtimes tool";
static unsigned before, after;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_runtime_initialization_record_t *start =
            headers[i]->payload;
        const char *name = NULL;
        rocprofiler_query_buffer_tracing_kind_operation_name(
            ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION, (int32_t)start->operation, &name,
            NULL);
        fprintf(stderr, "%s: %s instance %" PRIu64 "\n", sample_name, name, start->instance);
    }
}

static void before_thread(rocprofiler_runtime_library_t library, void *data)
{
    (void)data;
    before += library == ROCPROFILER_LIBRARY;
}

static void after_thread(rocprofiler_runtime_library_t library, void *data)
{
    (void)data;
    after += library == ROCPROFILER_LIBRARY;
}

static void sample_start(void)
{
    rocprofiler_callback_thread_t thread;
    REQUIRE(rocprofiler_at_internal_thread_create(before_thread, after_thread, ROCPROFILER_LIBRARY,
                                                  NULL));
    sample_buffer(on_records);
    if (REQUIRE(rocprofiler_create_callback_thread(&thread)))
        REQUIRE(rocprofiler_assign_callback_thread(buffer, thread));
    sample_records(ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION);
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %u threads announced, %u made\n", sample_name, before, after);
}
