/* bandwidth.h - the times at which the memory below L2 transfers data for each workgroup.
 *
 * A file of its own because of gaps: workgroups are placed in the order of their ids, but memory
 * serves requests in the order of their times. A workgroup that is placed later may request sooner,
 * and then gets the time in which memory was idle before an earlier one. The unit of time is the
 * caller's choice. */
#ifndef SOFTGPU_PERF_BANDWIDTH_H
#define SOFTGPU_PERF_BANDWIDTH_H

#include <stdint.h>

/* How many gaps are remembered: enough for a late request of one workgroup on each compute unit. If
 * there are more, the earliest are dropped. */
enum { SG_BANDWIDTH_GAPS = 128 };

typedef struct {
    struct {
        uint64_t from, to;
    } gap[SG_BANDWIDTH_GAPS]; /* times in which memory is idle, sorted */
    uint32_t n;
    uint64_t end;  /* all time after this is free */
    uint64_t busy; /* sum of the times taken */
} sg_bandwidth_t;

/* Takes the first free times from `asked` on, `takes` in all, in pieces if need be. Returns the end
 * of the last piece. */
uint64_t sg_bandwidth_take(sg_bandwidth_t *b, uint64_t asked, uint64_t takes);

#endif
