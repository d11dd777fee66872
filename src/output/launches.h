/* launches.h - kernels together with their counters.
 *
 * A traced and counted kernel has several records: its own and one or more with counters. They have
 * one start and one dispatch id, so in order of start they are found by holding back the kernels of
 * one start until a record with another comes. */
#ifndef CROCPROF_OUTPUT_LAUNCHES_H
#define CROCPROF_OUTPUT_LAUNCHES_H

#include <stdbool.h>

#include "output/domain.h"

typedef struct {
    trace_dispatch_t dispatch;
    trace_node_t node;     /* graph 0: of none */
    trace_value_t *values; /* all instances of all counters, in the order of the records */
    size_t count, room;
} out_launch_t;

typedef struct {
    out_launch_t *rows;
    size_t count, room;
} out_launches_t;

/* Uses the launches that are held, and forgets them, once they are complete: before a record with
 * another start, or, where there is no next record, at the end. */
void out_launches_use(out_launches_t *l, const trace_timed_t *next,
                      void (*use)(void *to, out_launch_t *launch), void *to);
/* Takes a record of a dispatch or of counters. False when out of memory. */
bool out_launches_add(out_launches_t *l, out_domain_t domain, const trace_timed_t *record);
void out_launches_free(out_launches_t *l);

/* Adds up the instances of each counter in place: one value for each counter is left. */
void out_launch_sum(out_launch_t *launch);

#endif
