/* packets.h - a queue of the program that is ours, and what becomes of the packets written to it.
 *
 * Shared by queues.c, which makes and ends queues, and packets.c, which is handed their packets. */
#ifndef CROCPROF_HSA_PACKETS_H
#define CROCPROF_HSA_PACKETS_H

#include "hsa/queues.h"

enum {
    HSAX_BATCH = 32, /* packets of one call without asking for memory */
    HSAX_MARKS = 4   /* of what has left a ring, see hsax_room_t */
};

/* What is in the ring that the runtime writes to for the program. The program sees its packets
 * leave when we were given them, so it may be far ahead of the GPU. Builds of ROCr 5 with
 * assertions end the process when packets do not fit for the second time, so we wait where a
 * program that writes to the ring itself would. Now and then a barrier that waits for nothing drops
 * a signal when the GPU has come so far. The handler's alone. */
typedef struct {
    uint64_t written, passed; /* packets ever: put into the ring, known to have left it */
    uint64_t marked;          /* written, up to the last mark */
    struct {
        hsa_signal_t signal;
        uint64_t at;
    } marks[HSAX_MARKS];
    unsigned first, count;
    bool stuck; /* nothing has moved for long: the runtime's own way out is tried */
} hsax_room_t;

/* A packet that is none: before it writes the next, the runtime calls back. Of hsa_api_trace.h from
 * ROCr 5.6 on. */
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

/* Packets on their way to the writer, and the items that are in them. All packets of a call go in
 * one write: ROCr 5 crashes in a second one, and wherever the first did not fit into the ring, a
 * second that does would overtake it. The handler's alone. */
typedef struct {
    hsax_packet_writer_t writer;
    unsigned count, room;
    unsigned markers;               /* of the packets: they take no room in the ring */
    hsax_packet_t *packets;         /* `few` or memory; one more than `room`, for a mark */
    hsax_item_t *items, *last_item; /* oldest first */
    hsax_packet_t few[HSAX_BATCH + 1];
} hsax_outgoing_t;

typedef struct hsax_queue {
    struct hsax_queue *next;
    hsa_queue_t *hsa;
    uint64_t id;
    hsax_lane_t *lane;
    /* Since the last gate a packet of the program has come that may wait for other queues. The
     * handler's alone. */
    bool barred;
    hsax_room_t room;
    hsax_outgoing_t out;
    void (*failed)(hsa_status_t, hsa_queue_t *, void *); /* the program's */
    void *failed_data;
} hsax_queue_t;

/* Who is asked about packets. */
extern const hsax_dispatch_client_t *hsax_queue_client;

/* The handler of an intercept queue whose `data` is a hsax_queue_t. The runtime calls it with one
 * queue's lock held, so packets of a queue are handled one call at a time and in order, on the
 * thread that rang the doorbell. */
void hsax_packets_handle(const void *packets, uint64_t count, uint64_t index, void *data,
                         hsax_packet_writer_t writer);

/* Empty; and what it holds when the queue is gone. */
void hsax_packets_begin(hsax_queue_t *queue);
void hsax_packets_end(hsax_queue_t *queue);

#endif
