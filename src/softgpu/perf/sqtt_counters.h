/* sqtt_counters.h - counters in thread traces: samples of what each compute unit counts. */
#ifndef SOFTGPU_PERF_SQTT_COUNTERS_H
#define SOFTGPU_PERF_SQTT_COUNTERS_H

#include "softgpu/perf/internal.h"
#include "softgpu/perf/sqtt_internal.h"

typedef struct sg_sqtt_counters sg_sqtt_counters_t;

/* A dispatch begins. NULL: no counter is selected, `tokens` has none of them, or no memory. */
sg_sqtt_counters_t *sg_sqtt_counters_begin(sg_perf_t *p, uint32_t tokens);
/* What has been counted since the last call took place in these clocks of the dispatch. */
void sg_sqtt_counters_add(sg_sqtt_counters_t *c, uint64_t from, uint64_t to);
/* Gives out the samples of the units that an engine's mask has, and frees it all. */
void sg_sqtt_counters_end(sg_sqtt_counters_t *c, uint32_t units_per_array, const uint32_t *masks,
                          void (*put)(void *user, uint32_t engine, const sg_sqtt_event_t *event),
                          void *user);

#endif
