/* external.c - external correlation ids by push and pop: the tool's own numbers in records.
 *
 * The tool numbers its phases: what the program's first thread calls before its first
 * synchronisation is phase 1, then 2, and so on. Other threads carry the first thread's phase. */
#include "sample.h"

#include <unistd.h>

enum { PHASES = 64 };

static const char sample_name[] = "external tool";
static uint64_t phase, calls[PHASES];

static void enter_phase(uint64_t number)
{
    rocprofiler_user_data_t value = {.value = number};
    if (phase) REQUIRE(rocprofiler_pop_external_correlation_id(context, (uint64_t)getpid(), NULL));
    REQUIRE(rocprofiler_push_external_correlation_id(context, (uint64_t)getpid(), value));
    phase = number;
}

static void on_call(rocprofiler_callback_tracing_record_t record,
                    rocprofiler_user_data_t *user_data, void *data)
{
    (void)user_data, (void)data;
    uint64_t value = record.correlation_id.external.value;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER && value < PHASES) calls[value]++;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT &&
        record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipDeviceSynchronize)
        enter_phase(phase + 1);
}

static void sample_start(void)
{
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, on_call);
    enter_phase(1);
}

static void sample_end(void)
{
    for (int i = 0; i < PHASES; i++)
        if (calls[i])
            fprintf(stderr, "%s: phase %d: %" PRIu64 " calls\n", sample_name, i, calls[i]);
}
