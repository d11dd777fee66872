/* lane.h - the implementation of lanes, shared by lanes.c (the producers' side) and collect.c.
 *
 * Users of lanes need collect.h only, except that src/sdk and src/v1 use the functions for signals
 * and the kick. Fields are grouped by the thread that writes them, each group on cache lines of its
 * own. */
#ifndef CROCPROF_HSA_LANE_H
#define CROCPROF_HSA_LANE_H

#include "base/clock.h"
#include "hsa/collect.h"

#include <hsa/amd_hsa_signal.h>
#include <stdatomic.h>

enum { HSAX_AWAKE, HSAX_SHORT_NAP, HSAX_LONG_NAP, HSAX_ASLEEP };

typedef struct hsax_chunk {
    struct hsax_chunk *next;
    _Alignas(64) char items[];
} hsax_chunk_t;

struct hsax_lane {
    /* Shared between producer and collector. */
    _Alignas(64) _Atomic(hsax_item_t *) pending; /* newest first */
    _Alignas(64) _Atomic(hsax_item_t *) recycled;
    /* Written by the producer. */
    _Alignas(64) hsax_item_t *free;
    _Atomic uint64_t submitted; /* written by the producer */
    /* Written by the collector, under its lock. */
    _Alignas(64) hsax_item_t *flying, **flying_end; /* oldest first */
    unsigned flying_count, urgent_count;
    _Atomic uint64_t finished;
    _Atomic(hsax_chunk_t *) chunks; /* all memory of the items */
    atomic_uint made;
    hsax_lane_t *next;
    unsigned limit;
    size_t item_size;
    hsax_lane_turns_t turns; /* guarded by the lock of turns.c */
    _Atomic bool failed;
    bool *closed; /* set when the lane is closed; NULL: no thread waits for that */
    bool closing;
    hsa_agent_t agent;
    hsax_lane_ops_t ops;
};

/* State of the collector, from which a producer knows whether it must wake the collector. */
extern atomic_int hsax_collector_state;

/* If the report of a batch takes longer, the guardian completes the program's signals. Tests set a
 * larger value on busy machines. */
extern _Atomic uint64_t hsax_held_up_ns;

/* Ends the collector's nap. */
void hsax_collector_kick(void);

/* Makes a signal of value 1 that raises no interrupt; returns false, with a message, if that
 * fails. */
bool hsax_make_signal(hsa_signal_t *signal);

/* Returns the ABI block of a signal: its handle is the block's address (HSA AMD extension,
 * amd_hsa_signal.h). */
static inline amd_signal_t *hsax_signal_block(hsa_signal_t signal)
{
    return (amd_signal_t *)(uintptr_t)signal.handle;
}

/* Makes a lane without items, which no other thread uses yet. */
hsax_lane_t *hsax_lane_new(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned limit);

/* Makes items in advance. Returns false at the limit or without memory or signals. */
bool hsax_lane_grow(hsax_lane_t *lane);

/* Gives items back for reuse, from any thread. */
void hsax_lane_recycle(hsax_lane_t *lane, hsax_item_t *first, hsax_item_t *last);

/* Frees a lane that no other thread uses any more. If items are in flight, their signals and the
 * lane's memory are not freed, since the GPU may still write to them. */
void hsax_lane_free(hsax_lane_t *lane);

#endif
