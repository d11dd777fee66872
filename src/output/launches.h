/* launches.h - kernels together with their counters.
 *
 * A kernel that is traced and counted has several records with the same start and dispatch id: its
 * own, and one or more with counters. So, reading in order of start, the launches of one start are
 * held back until a record with another start follows. */
#ifndef CROCPROF_OUTPUT_LAUNCHES_H
#define CROCPROF_OUTPUT_LAUNCHES_H

#include <stdbool.h>

#include "output/domain.h"

typedef struct {
    trace_dispatch_t dispatch;
    trace_node_t node;     /* graph 0: not launched by a graph */
    trace_value_t *values; /* all instances of all counters, in the order of the records */
    size_t count, room;
} out_launch_t;

typedef struct {
    out_launch_t *rows;
    size_t count, room;
} out_launches_t;

/* If the launches that are held back are complete (`next` has another start, or is NULL at the
 * end), calls `use` for each and forgets them. */
void out_launches_use(out_launches_t *l, const trace_timed_t *next,
                      void (*use)(void *to, out_launch_t *launch), void *to);
/* Adds a record of a dispatch or of counters. Returns false when out of memory. */
bool out_launches_add(out_launches_t *l, out_domain_t domain, const trace_timed_t *record);
void out_launches_free(out_launches_t *l);

/* Sums the instances of each counter in place, so that one value per counter is left. */
void out_launch_sum(out_launch_t *launch);

#endif
