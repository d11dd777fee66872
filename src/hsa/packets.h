/* packets.h - an intercept queue, and the handling of the packets that the program writes to it.
 *
 * It is shared by queues.c, which makes and ends queues, and packets.c, which handles their
 * packets. */
#ifndef CROCPROF_HSA_PACKETS_H
#define CROCPROF_HSA_PACKETS_H

#include "hsa/queues.h"

enum {
    HSAX_BATCH = 32, /* packets of one call without allocating memory */
    HSAX_MARKS = 4   /* most marks in a ring at once, see hsax_room_t */
};

/* How full the ring is that the runtime writes to for the program. For the program its packets have
 * left the queue when the handler gets them, so it may be far ahead of the GPU. Builds of ROCr 5
 * with assertions end the process when packets do not fit for the second time, so the handler waits
 * for room, as a program that writes to the ring itself would. To see how far the GPU has come, it
 * adds a mark from time to time: a barrier that waits for nothing and decrements a signal. Only the
 * handler uses this. */
typedef struct {
    uint64_t written, passed; /* numbers of packets: put into the ring, known to have left it */
    uint64_t marked;          /* value of `written` at the last mark */
    struct {
        hsa_signal_t signal;
        uint64_t at;
    } marks[HSAX_MARKS];
    unsigned first, count;
    bool stuck; /* no packet has left for PATIENCE_NS: packets are written without waiting */
} hsax_room_t;

/* A marker is no packet for the GPU: the runtime calls `callback` before it writes the next packet.
 * Defined in hsa_api_trace.h from ROCr 5.6 on. */
enum { HSAX_FORMAT_MARKER = 0xfe };

typedef struct hsax_marker {
    uint16_t header;
    uint8_t format, reserved[5];
    void (*callback)(const struct hsax_marker *marker, hsa_queue_t *queue, uint64_t packet);
    hsax_mark_t mark;
} hsax_marker_t;
_Static_assert(sizeof(hsax_marker_t) == 64, "a packet has 64 bytes");

typedef union {
    uint16_t header;
    hsa_kernel_dispatch_packet_t dispatch;
    hsax_marker_t marker;
    hsa_barrier_and_packet_t barrier;
    unsigned char bytes[64];
} hsax_packet_t;

/* Packets that are to be passed to the writer, and the items that belong to them. All packets of a
 * call are written at once: ROCr 5 crashes in a second write, and in any runtime a second write
 * would overtake a first one that did not fit into the ring. Only the handler uses this. */
typedef struct {
    hsax_packet_writer_t writer;
    unsigned count, room;
    unsigned markers;               /* number of packets that are markers, which do not go into the
                                     * ring */
    hsax_packet_t *packets;         /* `few` or allocated by malloc(); one more than `room`, for a
                                     * mark */
    hsax_item_t *items, *last_item; /* oldest first */
    hsax_packet_t few[HSAX_BATCH + 1];
} hsax_outgoing_t;

typedef struct hsax_queue {
    struct hsax_queue *next;
    hsa_queue_t *hsa;
    uint64_t id;
    hsax_lane_t *lane;
    /* Since the last gate the program has written a packet that may wait for other queues. Only the
     * handler uses this and the next two. */
    bool barred;
    hsax_room_t room;
    hsax_outgoing_t out;
    void (*failed)(hsa_status_t, hsa_queue_t *, void *); /* callback of the program */
    void *failed_data;
} hsax_queue_t;

/* The client whose functions are called for packets. */
extern const hsax_dispatch_client_t *hsax_queue_client;

/* The handler of an intercept queue whose `data` is a hsax_queue_t. The runtime calls it with one
 * queue's lock held, so packets of a queue are handled one call at a time and in order, on the
 * thread that rang the doorbell. */
void hsax_packets_handle(const void *packets, uint64_t count, uint64_t index, void *data,
                         hsax_packet_writer_t writer);

/* Prepare the members that the handler uses; free their memory when the queue is gone. */
void hsax_packets_begin(hsax_queue_t *queue);
void hsax_packets_end(hsax_queue_t *queue);

#endif
