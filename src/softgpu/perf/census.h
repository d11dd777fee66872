/* census.h - counts and costs of each instruction of the code: by thread and dispatch, and summed.
 *
 * Not in perf.h because they are not counters in registers: tools read them by the functions of
 * include/softgpu/instruction_counts.h. Nothing here is thread-safe; src/softgpu/device/census.c
 * calls it and has the locks. */
#ifndef SOFTGPU_PERF_CENSUS_H
#define SOFTGPU_PERF_CENSUS_H

#include "softgpu/exec/census.h"
#include "softgpu/perf/perf.h"

/* The counts of one thread for one dispatch at a time. Its first member is the isa_census_t with
 * which waves are run. NULL: out of memory. */
typedef struct sg_census sg_census_t;
sg_census_t *sg_census_create(void);
void sg_census_free(sg_census_t *c);
isa_census_t *sg_census_isa(sg_census_t *c);

/* These divide the clocks that waves waited because of each other among the instructions, in
 * proportion to each instruction's use of the pipe or memory for which they waited. First
 * sg_census_weigh() adds up the weights of all censuses of a dispatch, then sg_census_share() gives
 * each census its share. `shared` is all zeros before the first call of sg_census_share() and adds
 * up the weights of the censuses that have got their share. */
void sg_census_weigh(const sg_census_t *c, sg_perf_contention_t *weight);
void sg_census_share(sg_census_t *c, const sg_perf_contention_t *lost,
                     const sg_perf_contention_t *weight, sg_perf_contention_t *shared);

/* Sums over dispatches, by the instruction's address and its code; all 0 at first. */
typedef struct {
    softgpu_instruction_t *slot; /* hash table with open addressing; n_words 0: free */
    uint64_t size, n;            /* slots: a power of two, or 0; used slots */
} sg_census_sum_t;

/* Adds the census `times` times and empties it for another dispatch. False: memory ran out, so that
 * instructions are missing in the census or in the sum. */
bool sg_census_add(sg_census_sum_t *sum, sg_census_t *c, uint64_t times);
/* Visits the kernel, and its instructions in the range in the order of their addresses. False: out
 * of memory, and nothing was visited. */
bool sg_census_visit(sg_census_sum_t *sum, const softgpu_counted_kernel_t *kernel,
                     const softgpu_instruction_range_t *range,
                     const softgpu_instruction_visitor_t *visitor);
/* Whether an instruction of the sum is in the range. */
bool sg_census_any(const sg_census_sum_t *sum, const softgpu_instruction_range_t *range);
void sg_census_forget(sg_census_sum_t *sum, const softgpu_instruction_range_t *range);

#endif
