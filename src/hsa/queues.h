/* queues.h - kernel dispatches, seen on their way to the GPU and when they are done.
 *
 * While a client needs packets, every queue that the program creates becomes one of the runtime's
 * intercept queues. A dispatch that the client wants gets a signal of the collector's; its packet
 * is otherwise unchanged, all other packets pass unchanged, and their order is the program's. From
 * time to time a barrier that waits for nothing is added, to see how far the GPU has come: when the
 * queue is full the program waits, as it would without the hooks, but at most for a second if no
 * packet leaves the queue.
 *
 * A client that counts puts packets around a dispatch (hsax_wrap_t). Such a dispatch runs alone on
 * its agent, see turns.h: nothing else runs from the first packet of the wrap to the last.
 *
 * If another tool has hooks in the runtime's table, before or after these, both see every queue:
 * one of them creates it, the other adds its handler. */
#ifndef CROCPROF_HSA_QUEUES_H
#define CROCPROF_HSA_QUEUES_H

#include "hsa/collect.h"
#include "hsa/tables/tables.h"

/* Packets of 64 bytes, complete with their headers, all with the barrier bit. The arrays are copied
 * before submitted() is called. */
typedef struct hsax_wrap {
    const void *before, *after;
    unsigned before_count, after_count;
    hsa_signal_t done;   /* of value 1; becomes 0 when everything is over and visible, before
                          * complete() */
    bool reported_first; /* it begins only when all earlier work has been reported, see turns.h */
    bool shared; /* other dispatches may run at the same time as this one, but not as `before` and
                  * `after` */
    /* If the dispatch runs several times: the wrap of its next run, NULL in that of the last; and,
     * in the wrap of the first run, the replay (replay.h). Signal and times are those of the last
     * run. */
    const struct hsax_wrap *again;
    struct hsax_replay *replay;
    /* A second wrap of the same dispatch: the packets of this wrap are put around the last run of
     * the second wrap, whose `done` is not used. The second wrap has no `inner`, and neither wrap
     * is `shared`. */
    const struct hsax_wrap *inner;
} hsax_wrap_t;

/* The client's own words, which are passed back to it with a dispatch's position. */
typedef struct hsax_mark {
    uint64_t words[6];
} hsax_mark_t;

typedef struct {
    size_t client_size; /* size of hsax_item_t.client, for the client's own use */
    /* Returns whether dispatches are wanted now. If not, this call is the only cost of a
     * dispatch. */
    bool (*wanted)(void);
    /* Called before the packet is written, on the program's thread. Returns false if the packet is
     * to pass unchanged. It may set item->wrap or item->alone if item->special is set, and
     * item->mark together with item->special. */
    bool (*begin)(hsax_item_t *item, uint64_t queue_id, const hsa_kernel_dispatch_packet_t *packet);
    /* Returns whether a barrier packet of any kind is wanted; if so, begin_barrier() is called as
     * begin() is for a dispatch. `packet` has 64 bytes. NULL: no barrier is wanted. */
    bool (*barrier_wanted)(const void *packet);
    bool (*begin_barrier)(hsax_item_t *item, uint64_t queue_id, const void *packet);
    /* Called after the packet was written, on the same thread. */
    void (*submitted)(hsax_item_t *item);
    /* One of these two is called, on the collector thread: the work is done, or will not be
     * reported. */
    void (*complete)(hsax_item_t *item);
    void (*lost)(hsax_item_t *item);
    /* Returns whether all dispatches must take turns now. If it returns false, or is NULL, only
     * dispatches with a wrap take turns, and those that are submitted while one of these is in
     * flight. */
    bool (*serial)(void);
    /* begin() may wait for earlier dispatches, so these are written before it is called. If that is
     * not possible, it is not called. */
    bool begin_waits;
    /* A barrier packet completes only after complete() has returned for the dispatches before it.
     * HIP waits for a queue by such a packet. */
    bool told_first;
    /* Called on the same thread when a dispatch with a mark is about to be written, with the queue
     * that the GPU reads and the packet's number in it. NULL: no marks are set. A client may set
     * marks only if the runtime supports markers, which the client has to find out itself. */
    void (*placed)(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);
} hsax_dispatch_client_t;

/* Puts the hooks into the runtime's table. `client` must stay valid. Returns false, with a message,
 * if the runtime has no intercept queues. */
bool hsax_queues_hook(const hsax_api_table_t *table, const hsax_dispatch_client_t *client);

/* Finds id and agent of a queue that the program has created since the hooks are installed; returns
 * false for others. */
bool hsax_queue_find(const hsa_queue_t *queue, uint64_t *id, hsa_agent_t *agent);

/* To be called within begin(): returns the queue, and the packet's index in it. */
const hsa_queue_t *hsax_queues_current(uint64_t *index);

/* Returns how many dispatches were not reported, because there was no signal for them or they could
 * not be written one by one. */
uint64_t hsax_queues_missed(void);

#endif
