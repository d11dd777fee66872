/* census.h - what single instructions come to: of a thread that works for a dispatch, and summed.
 *
 * Apart from perf.h because no register asks for it: include/softgpu/instruction_counts.h does.
 * Nothing here is thread-safe; who calls what is device/census.c's matter. */
#ifndef SOFTGPU_PERF_CENSUS_H
#define SOFTGPU_PERF_CENSUS_H

#include "softgpu/isa/census.h"
#include "softgpu/perf/perf.h"

/* Of one thread and one dispatch at a time; begins with the isa_census_t to run with. NULL: out of
 * memory. */
typedef struct sg_census sg_census_t;
sg_census_t *sg_census_create(void);
void sg_census_free(sg_census_t *c);
isa_census_t *sg_census_isa(sg_census_t *c);
/* Where the memory instruction goes that the wave is about to execute; NULL: that was not asked. */
struct sgc_reach *sg_census_reach(isa_census_t *c);

/* What waves have lost to each other falls on the instructions by what they have used of it. First
 * the weights of all censuses of the dispatch are added up, then each gets its share; `shared`,
 * which begins with zeros, is the weights that have got theirs. */
void sg_census_weigh(const sg_census_t *c, sg_perf_contention_t *weight);
void sg_census_share(sg_census_t *c, const sg_perf_contention_t *lost,
                     const sg_perf_contention_t *weight, sg_perf_contention_t *shared);

/* Sums by address and code; all zero at first. */
typedef struct {
    softgpu_instruction_t *slot; /* open addressing; n_words 0: free */
    uint64_t size, n;            /* a power of two, or 0; used */
} sg_census_sum_t;

/* Adds the census, so many times, and empties it for another dispatch. False: instructions are
 * missing, of the census or of the sum. */
bool sg_census_add(sg_census_sum_t *sum, sg_census_t *c, uint64_t times);
/* The instructions in the range, by address; false: out of memory, none was visited. */
bool sg_census_visit(sg_census_sum_t *sum, const softgpu_instruction_range_t *range,
                     const softgpu_instruction_visitor_t *visitor);
/* Whether one of them is in the range. */
bool sg_census_any(const sg_census_sum_t *sum, const softgpu_instruction_range_t *range);
void sg_census_forget(sg_census_sum_t *sum, const softgpu_instruction_range_t *range);

#endif
