/* census.h - what single instructions come to: of a thread that works for a dispatch, and summed.
 *
 * Apart from perf.h because no register asks for it: include/softgpu/instruction_counts.h does.
 * Nothing here is thread-safe; who calls what is device/census.c's matter. */
#ifndef SOFTGPU_PERF_CENSUS_H
#define SOFTGPU_PERF_CENSUS_H

#include "softgpu/isa/census.h"

/* Of one thread and one dispatch at a time; begins with the isa_census_t to run with. NULL: out of
 * memory. */
typedef struct sg_census sg_census_t;
sg_census_t *sg_census_create(void);
void sg_census_free(sg_census_t *c);
isa_census_t *sg_census_isa(sg_census_t *c);

/* Sums by address and code; all zero at first. */
typedef struct {
    softgpu_instruction_t *slot; /* open addressing; n_words 0: free */
    uint64_t size, n;            /* a power of two, or 0; used */
} sg_census_sum_t;

/* Adds the census and empties it for another dispatch. False: instructions are missing, of the
 * census or of the sum. */
bool sg_census_add(sg_census_sum_t *sum, sg_census_t *c);
/* The instructions in the range, by address; false: out of memory, none was visited. */
bool sg_census_visit(sg_census_sum_t *sum, const softgpu_instruction_range_t *range,
                     const softgpu_instruction_visitor_t *visitor);
/* Whether one of them is in the range. */
bool sg_census_any(const sg_census_sum_t *sum, const softgpu_instruction_range_t *range);
void sg_census_forget(sg_census_sum_t *sum, const softgpu_instruction_range_t *range);

#endif
