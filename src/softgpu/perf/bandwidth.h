/* bandwidth.h - when memory below L2 is at work, and for whom it has time.
 *
 * Apart because workgroups are placed in the order of their ids, and memory serves them in the
 * order in which they ask: time before a late asker is there for whoever is placed later and asks
 * sooner. Times are in any unit, as long as they are all in the same. */
#ifndef SOFTGPU_PERF_BANDWIDTH_H
#define SOFTGPU_PERF_BANDWIDTH_H

#include <stdint.h>

/* Gaps that are remembered: as many as there may be workgroups that ask late, a round of them on
 * each compute unit. Of more the first are forgotten. */
enum { SG_BANDWIDTH_GAPS = 128 };

typedef struct {
    struct {
        uint64_t from, to;
    } gap[SG_BANDWIDTH_GAPS]; /* when memory has nothing to do, in order */
    uint32_t n;
    uint64_t end;  /* from here on there is time */
    uint64_t busy; /* for how long memory has been at work */
} sg_bandwidth_t;

/* Memory works for `takes` in the first time that is there from `asked` on, in pieces if need be.
 * When it is through. */
uint64_t sg_bandwidth_take(sg_bandwidth_t *b, uint64_t asked, uint64_t takes);

#endif
