/* queues.h - kernel dispatches, seen on their way to the GPU and when they are done.
 *
 * While a client asks for packets, every queue the program creates becomes one of the runtime's
 * intercept queues. A dispatch that the client wants gets a signal of the collector's; its packet
 * is otherwise unchanged, all other packets pass as they are, and their order is the program's.
 * Now and then a barrier that waits for nothing is added, which tells how far the GPU has come:
 * when the queue is full the program waits, as it would without us, for a second at most if nothing
 * moves.
 *
 * A client that counts puts packets around a dispatch (hsax_wrap_t). Such a dispatch runs alone on
 * its agent, see turns.h: from the first packet of the wrap to the last nothing else does.
 *
 * Where another tool has hooks in the runtime's table, before or after ours, both see every queue:
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
    hsa_signal_t done; /* of value 1: drops to 0 when all is over and visible, before complete() */
    bool reported_first; /* it begins only when all before it has been reported, see turns.h */
    bool shared;         /* others may run meanwhile: only before and after are executed alone */
    /* Another run of the dispatch, around which these are, and in the first what makes them: see
     * replay.h. Signal and times are those of the last run, which has NULL here. */
    const struct hsax_wrap *again;
    struct hsax_replay *replay;
    /* Another wrap of the same dispatch, of which these are put around the last run; its `done` is
     * left alone. It has no inner one itself, nor is either of them shared. */
    const struct hsax_wrap *inner;
} hsax_wrap_t;

/* What is said with a dispatch's place, the client's. */
typedef struct hsax_mark {
    uint64_t words[6];
} hsax_mark_t;

typedef struct {
    size_t client_size; /* of hsax_item_t.client, for the client's own use */
    /* Is anyone interested now? The only cost of a dispatch while not. */
    bool (*wanted)(void);
    /* Before the packet is written, on the program's thread; false: let it pass untouched. May set
     * item->wrap or item->alone if item->special is, and item->mark, with item->special. */
    bool (*begin)(hsax_item_t *item, uint64_t queue_id, const hsa_kernel_dispatch_packet_t *packet);
    /* A barrier, of whatever kind: is it wanted? And if so, the same as begin(), of the packet's 64
     * bytes. NULL: none ever is. */
    bool (*barrier_wanted)(const void *packet);
    bool (*begin_barrier)(hsax_item_t *item, uint64_t queue_id, const void *packet);
    /* After it was written, same thread. */
    void (*submitted)(hsax_item_t *item);
    /* On the collector thread, one of them: it is done; or it will not be reported. */
    void (*complete)(hsax_item_t *item);
    void (*lost)(hsax_item_t *item);
    /* Must dispatches take turns now? NULL: never. Then only dispatches with a wrap do, and those
     * that come while one is in flight. */
    bool (*serial)(void);
    /* begin() may wait for dispatches before: they are written first. Where they cannot be, it is
     * not asked. */
    bool begin_waits;
    /* Whoever waits for a queue with a barrier packet, as HIP does, waits until complete() has
     * returned for the dispatches before it. */
    bool told_first;
    /* A dispatch with a mark is about to be written: the queue that the GPU reads, and the packet's
     * number in it. Same thread. NULL: no marks are set. Only where the runtime knows markers,
     * which is for whoever sets one to know. */
    void (*placed)(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);
} hsax_dispatch_client_t;

/* Puts the hooks into the runtime's table. `client` must stay. False, with a message, where the
 * runtime has no intercept queues. */
bool hsax_queues_hook(const hsax_api_table_t *table, const hsax_dispatch_client_t *client);

/* Id and agent of a queue that the program created since the hooks are in; false for others. */
bool hsax_queue_find(const hsa_queue_t *queue, uint64_t *id, hsa_agent_t *agent);

/* Within begin(): the queue, and the packet's index in it. */
const hsa_queue_t *hsax_queues_current(uint64_t *index);

/* Dispatches that were not reported because no signal could be had, or no way to write them one by
 * one. */
uint64_t hsax_queues_missed(void);

#endif
