/* order.h - what happens before what: dispatches, copies and the program itself.
 *
 * Whatever accesses memory on its own is an actor with a serial: a dispatch, or what a copy engine
 * does between two points that others can wait for. The order is the one that the program may rely
 * on, not the one that came about by chance: packets of a queue, barrier bits and barrier packets,
 * signals, and the program's waits. Where it cannot be known, accesses count as ordered. */
#ifndef SOFTGPU_CHECK_ORDER_H
#define SOFTGPU_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- for checks; the order is only kept if CHK_RACE is wanted ---- */

/* Whether everything in `earlier` happens before everything in `later`, which runs now. True of
 * serial 0, and of an actor more than a million actors old. Any thread may ask, without a lock; it
 * takes a few loads. */
bool chk_order_before(uint64_t earlier, uint64_t later);

/* The actor of the copy that the calling thread is about to make: for the `transfer` of a check. */
uint64_t chk_order_copying(void);

/* Makes an actor for the signal handler that the calling thread runs: what changed the signal
 * happens before it; what the program does at the same time does not. 0: nobody knows what changed
 * the signal. The serial goes to chk_order_over() when the handler has done its work. */
uint64_t chk_order_handle(void);
void chk_order_over(uint64_t serial);

/* A wave of `later` has read, by an atomic access, what `earlier` has written: from now on
 * everything in `earlier` happens before `later` and before what follows it. Takes a lock. */
void chk_order_meet(uint64_t earlier, uint64_t later);

/* The program may see what the running actor `serial` has written, and act on it: from now on the
 * actor counts as before what the program does. */
void chk_order_show(uint64_t serial);

/* ---- for queues ---- */

/* The order of one queue. Every function takes NULL for it and does nothing then, since no order is
 * kept. */
typedef struct chk_line chk_line_t;

/* NULL: no order is kept. `queue`: the address of the queue's descriptor, by which the program's
 * doorbells are matched, or 0. Only the queue's own thread uses the line, except where a function
 * says "any thread". */
chk_line_t *chk_line_create(uint64_t queue);
void chk_line_free(chk_line_t *l);

/* Packet `index` is taken from the queue. If it has the barrier bit, all packets before it are
 * complete. */
void chk_line_packet(chk_line_t *l, uint64_t index, bool barrier);
/* The number of the program's call in which it rang the doorbell for the packet (asked.h); 0: not
 * known. */
uint64_t chk_line_call(const chk_line_t *l);
/* The packet is a dispatch: makes its actor. Without a line it gets a serial all the same. */
uint64_t chk_line_dispatch(chk_line_t *l);
/* The queue is about to make a copy; everything before it in the queue is complete. */
void chk_line_copy(chk_line_t *l);
/* Everything that the queue has begun is complete. */
void chk_line_drained(chk_line_t *l);
/* The queue has waited for the word at `va`, or for the other half of its 8 bytes, and goes on; the
 * 8 bytes hold `value`. */
void chk_line_met(chk_line_t *l, uint64_t va, int64_t value);

/* chk_order_tell(): the 8 bytes around `va`, for which others may wait, hold `seen` and are about
 * to be changed: by the end of the dispatch `serial`, on any thread, or (0) by the queue when it
 * gets there. chk_order_told(): they have been changed and hold `value`. */
void chk_order_tell(chk_line_t *l, uint64_t serial, uint64_t va, int64_t seen);
void chk_order_told(chk_line_t *l, uint64_t va, int64_t value);
/* The dispatch is over, and its signal has been changed. Any thread. */
void chk_order_end(chk_line_t *l, uint64_t serial);

/* ---- for the calls of the program: see sink.h ---- */

struct softgpu_order_api;
/* NULL: no order is kept. */
const struct softgpu_order_api *chk_order_api(void);

#endif
