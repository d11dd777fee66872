/* collect.h - notices the completion of GPU work without delaying the program's threads.
 *
 * A lane is a source of work (one HSA queue, or the asynchronous copies). For each piece of work
 * its producer takes an item, gives the item's signal to the GPU in place of the program's own and
 * submits the item. One collector thread sees the signal drop, reads the GPU's timestamps, calls
 * the lane's owner and only then completes the program's signal: same decrement, same timestamps.
 *
 *   producer                              collector
 *   item = take()                         batch = exchange(pending, NULL)
 *   GPU work with item->signal            signal < 1: times, complete(), program's signal, recycle
 *   submit(): push on `pending`           else stays in flight, checked again after a nap
 *
 * Guarantees: take and submit of one lane are serialised by the caller. submit() is wait-free but
 * for one compare-exchange, takes no lock and makes no system call unless the collector sleeps and
 * has to be woken. Signals are made in chunks ahead of need and reused; they raise no interrupts.
 * complete() and lost() run on the collector thread, one of them once for each submitted item.
 * complete() may run tool code: if that blocks, program signals complete without it after some 50
 * ms, so that it cannot deadlock. */
#ifndef CROCPROF_HSA_COLLECT_H
#define CROCPROF_HSA_COLLECT_H

#include "hsa/turns.h"

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

/* The first cache line has all fields that most items use, besides the client's. */
struct hsax_item {
    struct hsax_item *next; /* next item of the lane */
    hsax_lane_t *lane;
    hsa_signal_t signal;          /* signal for the GPU; its value is 1 when the item is taken */
    hsa_signal_t program_signal;  /* completed after complete(); handle 0: none */
    uint64_t start_ns, end_ns;    /* times of the work, on CLOCK_BOOTTIME; set before complete() */
    bool urgent, timed;           /* used by the collector */
    bool special;                 /* one of the members below is set; all are 0 in a new item */
    bool anonymous;               /* it is not reported, and only takes its turn */
    bool alone;                   /* takes an exclusive turn, if it takes one */
    bool follows;                 /* complete only when all items before it in the lane are */
    hsa_signal_t last;            /* decremented when the packets after the work are done; handle 0:
                                   * none */
    const struct hsax_wrap *wrap; /* packets around a dispatch, see queues.h; NULL: none */
    const struct hsax_mark *mark; /* set if the client needs the dispatch's position, see queues.h;
                                   * or NULL */
    hsax_turn_t turn;
    _Alignas(64) unsigned char client[];
};

typedef struct {
    size_t client_size; /* size of hsax_item_t.client */
    /* Sets start_ns and end_ns from the signal; returns false if the runtime has no times. Called
     * with the collector's lock held, on either of its threads. */
    bool (*times)(hsax_item_t *item);
    void (*complete)(hsax_item_t *item);
    /* The work will not be reported, since its queue is gone or reporting has ended. Called with
     * the collector's lock held, so it must not run tool code. */
    void (*lost)(hsax_item_t *item);
} hsax_lane_ops_t;

/* Opens a lane with `ahead` items ready and at most `limit`. Returns NULL when out of memory or
 * signals. Starts the collector thread if it is not running. */
hsax_lane_t *hsax_lane_open(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned ahead,
                            unsigned limit);

/* Reports completed work, calls lost() for the rest, and frees the lane, later if tool code blocks
 * the collector. Program signals of completed work are complete when it returns. The GPU must not
 * start further work of the lane. Does nothing in a forked child. */
void hsax_lane_close(hsax_lane_t *lane);

/* To be called when the lane's queue has failed, and none of its work will complete any more: ends
 * its turns, so that other queues do not wait for them. */
void hsax_lane_fail(hsax_lane_t *lane);

hsa_agent_t hsax_lane_agent(const hsax_lane_t *lane);

/* Takes an item. Returns NULL if `limit` items are in flight and none completes for a while, or no
 * signal can be made. */
hsax_item_t *hsax_lane_take(hsax_lane_t *lane);

/* Submits an item after the GPU has got its signal; the caller must not use the item any more. */
void hsax_lane_submit(hsax_item_t *item);

/* Gives back an item that was not used. */
void hsax_lane_untake(hsax_item_t *item);

/* Returns true while completions are reported: false in a forked child and once reporting has
 * ended. Producers must not take items then. Costs one relaxed load. */
bool hsax_collecting(void);

/* Returns true in a child of a process that had started collecting: locks of this library may be
 * held there for ever. */
bool hsax_forked(void);

/* Waits until everything in flight has been reported, or nothing has completed for `patience_ms`.
 * Returns at once on the collector thread. */
void hsax_collect_wait(unsigned patience_ms);

/* To be called by complete() after each piece of a long report, such as a batch of samples: threads
 * that wait see that the collector makes progress, and their time limit begins again. Any thread
 * may call this, at any time. */
void hsax_collect_piece(void);

/* Wakes the collector and waits until all work that has completed by now has been reported. Without
 * this call, a dispatch for which the program waits by a barrier after it is reported when the
 * collector next wakes. Gives up after `patience_ms`, since tool code may block the collector.
 * Returns at once on the collector thread. */
void hsax_collect_look(unsigned patience_ms);

/* Ends reporting for good: there are no new items. Waits until everything in flight has completed,
 * or until nothing has completed for `patience_ms`; calls lost() for the remaining items. The
 * collector goes on completing the program's signals. Returns how many items were lost. */
uint64_t hsax_collect_finish(unsigned patience_ms);

/* The same, before the runtime shuts down; it may start again later. Also closes all lanes and ends
 * the thread. */
uint64_t hsax_collect_shut_down(unsigned patience_ms);

/* Converts a time of the runtime's clock to ns of CLOCK_BOOTTIME. */
uint64_t hsax_clock_ns(uint64_t system_ticks);

/* To be called once before the first lane is opened: reads the clock's frequency, prepares for
 * fork. */
void hsax_collect_init(void);

#endif
