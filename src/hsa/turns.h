/* turns.h - dispatches of one agent that must run alone, and those that may run together.
 *
 * While dispatches are counted, every dispatch takes a turn on its agent: exclusive if it is
 * counted (no other work may run meanwhile), shared if not. A turn that has to wait only for work
 * of its own queue begins at once. Any other dispatch is written behind a gate, two barrier
 * packets:
 *
 *     barrier: completes `ready`         the queue has come so far: all that is before is over
 *     barrier: waits until `go` is 0     the collector says so, in the order of tickets
 *
 * A turn whose wrap has reported_first begins when no other work of the agent runs, including that
 * of its own queue. It is over when the work has been reported, not when the GPU has completed it.
 *
 * Since a queue gets a turn only when it has reached the gate, barriers of the program between
 * queues cannot hold up a turn for ever, in whatever order they were submitted. Only a kernel that
 * waits for a kernel of another queue can. Gates are reused; none is made while one is free. */
#ifndef CROCPROF_HSA_TURNS_H
#define CROCPROF_HSA_TURNS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hsax_lane hsax_lane_t;
typedef struct hsax_item hsax_item_t;

typedef struct hsax_gate {
    struct hsax_gate *next;
    hsa_signal_t ready, go; /* of value 1 until they are completed */
} hsax_gate_t;

/* Part of each item; agent NULL: the item takes no turn. */
typedef struct {
    struct hsax_agent_turns *agent;
    hsax_gate_t *gate; /* kept until the turn ends */
    uint64_t ticket;
    bool exclusive, granted, reported_first;
} hsax_turn_t;

/* Part of each lane; guarded by the lock of turns.c. */
typedef struct {
    unsigned running, exclusive, waiting;
} hsax_lane_turns_t;

/* Returns whether the agent has a turn that is not over: then new dispatches must take one, too.
 * Any thread may call this. */
bool hsax_turns_busy(hsa_agent_t agent);

/* Takes a turn for an item; called by the producer. `barred`: before this dispatch the queue has a
 * packet of the program that may wait for other queues. Returns false if there is no gate, so that
 * no turn was taken. Otherwise, if item->turn.gate is set, the packets must be written behind that
 * gate. */
bool hsax_turn_take(hsax_item_t *item, bool exclusive, bool barred);

/* To be called when the GPU has completed the item: its turn ends, unless reporting ends it. */
void hsax_turn_completed(hsax_item_t *item);

/* Ends the item's turn. `done`: the item is over. Else it never will be, and its gate is not used
 * again. Does nothing for an item without a turn. */
void hsax_turn_end(hsax_item_t *item, bool done);

/* Opens gates whose turn has come, and returns their number. Called by the collector, under its
 * lock. */
unsigned hsax_turns_serve(hsax_lane_t *lanes);

/* To be called when HSA shuts down and nothing is in flight: destroys the gates' signals. */
void hsax_turns_shut_down(void);

/* To be called in the child of a fork. */
void hsax_turns_forked(void);

#endif
