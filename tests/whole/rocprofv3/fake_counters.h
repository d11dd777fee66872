/* fake_counters.h - counters of the fake SDK: four of one GPU, whose values follow from the
 * dispatch.
 *
 * The value of counter c in instance i of dispatch d is 1000 * d + 100 * c + i. SQ can count two
 * counters at once. */
#ifndef CROCPROF_TESTS_FAKE_COUNTERS_H
#define CROCPROF_TESTS_FAKE_COUNTERS_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Asks the tool about the dispatch, and counts what it wants. */
void fake_count(const rocprofiler_buffer_tracing_kernel_dispatch_record_t *dispatch);

#endif
