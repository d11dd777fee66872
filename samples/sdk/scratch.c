/* scratch.c - scratch memory that the runtime gives to queues: how often and how much.
 *
 * Runtimes before ROCm 6 tell nothing of it, and the tool sees no record. */
#include "sample.h"

static const char sample_name[] = "scratch tool";
static uint64_t events[ROCPROFILER_SCRATCH_MEMORY_LAST], bytes;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_scratch_memory_record_t *event = headers[i]->payload;
        events[event->operation]++;
        bytes += event->allocation_size;
    }
}

static void sample_start(void)
{
    sample_buffer(on_records);
    sample_records(ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY);
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %" PRIu64 " allocations of %" PRIu64 " bytes, %" PRIu64 " releases\n",
            sample_name, events[ROCPROFILER_SCRATCH_MEMORY_ALLOC], bytes,
            events[ROCPROFILER_SCRATCH_MEMORY_FREE]);
}
