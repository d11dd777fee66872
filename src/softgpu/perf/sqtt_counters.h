/* sqtt_counters.h - counters in thread traces: samples of the counts of each compute unit. */
#ifndef SOFTGPU_PERF_SQTT_COUNTERS_H
#define SOFTGPU_PERF_SQTT_COUNTERS_H

#include "softgpu/perf/internal.h"
#include "softgpu/perf/sqtt_internal.h"

typedef struct sg_sqtt_counters sg_sqtt_counters_t;

/* A dispatch begins. NULL: no counter is selected, `tokens` excludes counters, or out of memory. */
sg_sqtt_counters_t *sg_sqtt_counters_begin(sg_perf_t *p, uint32_t tokens);
/* Counts that were added since the last call belong to these clocks of the dispatch. */
void sg_sqtt_counters_add(sg_sqtt_counters_t *c, uint64_t from, uint64_t to);
/* Calls `put` for each sample of the compute units that are in their engine's mask; frees *c. */
void sg_sqtt_counters_end(sg_sqtt_counters_t *c, uint32_t units_per_array, const uint32_t *masks,
                          void (*put)(void *user, uint32_t engine, const sg_sqtt_event_t *event),
                          void *user);

#endif
