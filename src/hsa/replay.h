/* replay.h - one dispatch runs several times, each time on the same memory.
 *
 * Between the runs the memory of GPUs is restored to its contents before the first run: the
 * program's allocations in pools and regions of GPUs, and the variables of loaded code objects.
 *
 * Meanwhile copies, fills and releases of memory by the program wait. Memory of the host is not
 * restored, since the program's threads may write to it at any time. Before each run is a step, two
 * barrier packets like those of a gate (turns.h):
 *
 *     barrier: completes `ready`    all before is over: the dispatch has its turn, or has run
 *     barrier: waits until `go` is 0
 *
 * A thread saves the memory at the first step and restores it at the others. */
#ifndef CROCPROF_HSA_REPLAY_H
#define CROCPROF_HSA_REPLAY_H

#include "hsa/collect.h"
#include "hsa/tables/tables.h"

typedef struct hsax_replay hsax_replay_t;

/* Puts in hooks below those of all others: to be called when the tables have been saved, and before
 * any other hook is installed. */
void hsax_replay_hook(const hsax_api_table_t *table);

/* Returns whether dispatches can run several times; false, with one message, if memory cannot be
 * saved. */
bool hsax_replay_possible(void);

/* Begins the replay of a dispatch that runs `runs` times; NULL without memory or signals. Its
 * packets must be written soon. */
hsax_replay_t *hsax_replay_begin(hsax_lane_t *lane, unsigned runs);

typedef struct {
    hsa_signal_t ready, go; /* of value 1 */
} hsax_step_t;

hsax_step_t hsax_replay_step(const hsax_replay_t *replay, unsigned run);

/* Ends a replay. `done`: the dispatch is over, with all its packets. Else it never will be: then
 * its signals are not destroyed, since packets in the queue that has failed may refer to them. */
void hsax_replay_end(hsax_replay_t *replay, bool done);

/* To be called on a thread of the program when HSA shuts down and nothing is in flight: ends the
 * thread, if there is one. HSA may be started again, and hooks may be installed again. */
void hsax_replay_shut_down(void);

#endif
