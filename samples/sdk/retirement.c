/* retirement.c - correlation ids and their end: when a tool may forget what it keeps for an id.
 *
 * Counts ids in use. All are retired when the program has ended its work. */
#include "sample.h"

static const char sample_name[] = "retirement tool";
static uint64_t calls, dispatches, retired, early;

/* Ids that have been retired, one bit each, from the first id on. */
enum { IDS = 1 << 20 };
static unsigned char ended[IDS / 8];
static uint64_t first;

static bool has_ended(uint64_t id)
{
    uint64_t n = id - first;
    return n < IDS && ended[n / 8] >> n % 8 & 1;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT) {
            const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *end =
                headers[i]->payload;
            uint64_t n = end->internal_correlation_id - first;
            if (n < IDS) ended[n / 8] |= (unsigned char)(1u << n % 8);
            retired++;
        } else if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) {
            const rocprofiler_buffer_tracing_kernel_dispatch_record_t *dispatch =
                headers[i]->payload;
            dispatches++;
            early += has_ended(dispatch->correlation_id.internal);
        } else {
            const rocprofiler_buffer_tracing_hip_api_record_t *call = headers[i]->payload;
            if (!first) first = call->correlation_id.internal;
            calls++;
        }
    }
}

static void sample_start(void)
{
    sample_buffer(on_records);
    sample_records(ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    sample_records(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
    sample_records(ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT);
}

static void sample_end(void)
{
    fprintf(stderr,
            "%s: %" PRIu64 " calls, %" PRIu64 " dispatches, %" PRIu64 " ids retired, %" PRIu64
            " too early\n",
            sample_name, calls, dispatches, retired, early);
}
