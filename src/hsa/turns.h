/* turns.h - dispatches of one agent that must run alone, and those that may run together.
 *
 * While somebody counts, every dispatch takes a turn on its agent: exclusive if it is counted (its
 * counters must see nothing else), shared if not. Turns that follow work of their own queue only
 * begin at once. Any other dispatch is written behind a gate, two barrier packets:
 *
 *     barrier: completes `ready`         the queue has come so far, whatever the program waits for
 *     barrier: waits until `go` is 0     the collector says so, in the order of tickets
 *
 * A turn whose wrap says reported_first begins when nothing else of the agent runs, its own queue's
 * included, and is over when its owner says so, in complete() or after it: not when the GPU is
 * through.
 *
 * So a turn is given only to work that can run, and program barriers between queues, in whatever
 * order they were submitted, never hold one up for good. Only a kernel that itself waits for a
 * kernel of another queue does. Gates are reused; none is made while one is free. */
#ifndef CROCPROF_HSA_TURNS_H
#define CROCPROF_HSA_TURNS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hsax_lane hsax_lane_t;
typedef struct hsax_item hsax_item_t;

typedef struct hsax_gate {
    struct hsax_gate *next;
    hsa_signal_t ready, go; /* 1 until they drop */
} hsax_gate_t;

/* Part of each item; agent NULL: it takes no turn. */
typedef struct {
    struct hsax_agent_turns *agent;
    hsax_gate_t *gate; /* kept until the turn ends */
    uint64_t ticket;
    bool exclusive, granted, reported_first;
} hsax_turn_t;

/* Part of each lane, under the lock of turns.c. */
typedef struct {
    unsigned running, exclusive, waiting;
} hsax_lane_turns_t;

/* Any turn of the agent not yet over? Then new dispatches must take one too. Any thread. */
bool hsax_turns_busy(hsa_agent_t agent);

/* The producer's side: a turn for an item taken. `barred`: the queue holds something of the program
 * before this dispatch that may wait for other queues. False: no gate can be had, no turn taken.
 * Otherwise item->turn.gate tells whether the packets must stand behind a gate. */
bool hsax_turn_take(hsax_item_t *item, bool exclusive, bool barred);

/* The GPU is through with the item: its turn ends, unless reporting ends it. */
void hsax_turn_completed(hsax_item_t *item);

/* The item is over (done), or will never be (not done: its gate is not used again). Harmless for an
 * item without a turn. */
void hsax_turn_end(hsax_item_t *item, bool done);

/* The collector's side, under its lock: opens gates. How many it opened. */
unsigned hsax_turns_serve(hsax_lane_t *lanes);

/* Nothing is in flight and HSA goes down: destroys the gates' signals. */
void hsax_turns_shut_down(void);

/* In the child of a fork. */
void hsax_turns_forked(void);

#endif
