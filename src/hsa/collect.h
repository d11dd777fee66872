/* collect.h - completion of GPU work, noticed without costing the program's threads anything.
 *
 * A lane is a source of work (one HSA queue, or the asynchronous copies). For each piece of work
 * its producer takes an item, gives the item's signal to the GPU in place of the program's own and
 * submits the item. One collector thread sees the signal drop, reads the GPU's timestamps, calls
 * the lane's owner and only then completes the program's signal: same decrement, same timestamps.
 *
 *   producer                              collector
 *   item = take()                         batch = exchange(pending, NULL)
 *   GPU work with item->signal            signal < 1: times, complete(), program's signal, recycle
 *   submit(): push on `pending`           else stays in flight, looked at again after a nap
 *
 * Guarantees: take and submit of one lane are serialised by the caller. submit() is wait-free but
 * for one compare-exchange, takes no lock and makes no system call unless the collector sleeps and
 * has to be woken. Signals are made in chunks ahead of need and reused; they raise no interrupts.
 * complete() and lost() run on the collector thread, one of them once for each submitted item.
 * complete() may run tool code: should that block, program signals complete without waiting for it
 * after some 50 ms, so what the tool waits for can happen. */
#ifndef CROCPROF_HSA_COLLECT_H
#define CROCPROF_HSA_COLLECT_H

#include "hsa/turns.h"

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

/* The first cache line is all that most items touch, besides the client's. */
struct hsax_item {
    struct hsax_item *next; /* the lane's */
    hsax_lane_t *lane;
    hsa_signal_t signal;          /* for the GPU; value 1 when taken */
    hsa_signal_t program_signal;  /* completed after complete(); handle 0: none */
    uint64_t start_ns, end_ns;    /* of the work, CLOCK_BOOTTIME; set before complete() */
    bool urgent, timed;           /* the collector's */
    bool special;                 /* one of the members below is set; all are 0 in a new item */
    bool anonymous;               /* it is not reported: it only takes its turn */
    bool alone;                   /* takes an exclusive turn, if it takes one */
    bool follows;                 /* not complete before all that is before it in the lane */
    hsa_signal_t last;            /* drops when the packets behind the work are done; 0: none */
    const struct hsax_wrap *wrap; /* packets around a dispatch, see queues.h; NULL: none */
    const struct hsax_mark *mark; /* the client wants the dispatch's place, see queues.h; or NULL */
    hsax_turn_t turn;
    _Alignas(64) unsigned char client[];
};

typedef struct {
    size_t client_size; /* of hsax_item_t.client */
    /* Sets start_ns and end_ns from the signal; false if the runtime gives none. Called with the
     * collector's lock held, on any of its threads. */
    bool (*times)(hsax_item_t *item);
    void (*complete)(hsax_item_t *item);
    /* The work will not be reported: its queue is gone or reporting has ended. With the
     * collector's lock held: no tool code. */
    void (*lost)(hsax_item_t *item);
} hsax_lane_ops_t;

/* Opens a lane with `ahead` items ready and at most `limit`. NULL when out of memory or signals.
 * Starts the collector thread if it does not run. */
hsax_lane_t *hsax_lane_open(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned ahead,
                            unsigned limit);

/* Reports what has completed, calls lost() for the rest, and frees the lane: before it returns, or
 * later if tool code blocks the collector. Program signals of completed work are complete when it
 * returns. The GPU must not start further work of the lane. Does nothing in a forked child. */
void hsax_lane_close(hsax_lane_t *lane);

/* The lane's queue has failed, and none of its work will complete any more: ends its turns, so that
 * other queues do not wait for them. */
void hsax_lane_fail(hsax_lane_t *lane);

hsa_agent_t hsax_lane_agent(const hsax_lane_t *lane);

/* NULL if `limit` items are in flight and none completes for a while, or no signal can be made. */
hsax_item_t *hsax_lane_take(hsax_lane_t *lane);

/* Hands an item over after the GPU has got its signal; the item is not the caller's any more. */
void hsax_lane_submit(hsax_item_t *item);

/* Gives back an item that was not used. */
void hsax_lane_untake(hsax_item_t *item);

/* True while completions are reported: false in a forked child and once silenced. Producers must
 * not take items then. One relaxed load. */
bool hsax_collecting(void);

/* True in a child of a process that had started collecting: our locks may be held for good. */
bool hsax_forked(void);

/* Waits until everything in flight has been reported, or nothing has completed for `patience_ms`.
 * Returns at once on the collector thread. */
void hsax_collect_wait(unsigned patience_ms);

/* Called by complete() after each piece of a long report, such as a batch of samples: those who
 * wait see that the collector gets on, and begin their patience anew. Any thread, at any time. */
void hsax_collect_piece(void);

/* Wakes the collector and waits until all work that has completed by now has been reported. Without
 * this call, a dispatch that the program waits for by a barrier behind it is reported when the
 * collector next wakes. Gives up after `patience_ms`, since tool code may block the collector.
 * Returns at once on the collector thread. */
void hsax_collect_look(unsigned patience_ms);

/* Ends reporting for good: no new items; waits until everything in flight has completed, or until
 * nothing has for `patience_ms`; calls lost() for what remains. The collector goes on completing
 * the program's signals. Returns how many items were lost. */
uint64_t hsax_collect_finish(unsigned patience_ms);

/* The same, before the runtime shuts down; it may start again later. Also closes all lanes and ends
 * the thread. */
uint64_t hsax_collect_shut_down(unsigned patience_ms);

/* The runtime's clock in ns of CLOCK_BOOTTIME. */
uint64_t hsax_clock_ns(uint64_t system_ticks);

/* Called once before the first lane is opened: reads the clock's frequency, prepares for fork. */
void hsax_collect_init(void);

#endif
