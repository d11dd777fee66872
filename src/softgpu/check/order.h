/* order.h - what happens before what: dispatches, copies and the program itself.
 *
 * Whatever touches memory by itself is an actor with a serial: a dispatch, or what a copy engine
 * does between two things that others can wait for. The order is what the program may rely on, not
 * what happened to come first: packets of a queue, barrier bits and packets, signals, and what the
 * program has waited for. Where that cannot be known, more is said to be in order than is. */
#ifndef SOFTGPU_CHECK_ORDER_H
#define SOFTGPU_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- for parts; there is an order where CHK_RACE is wanted ---- */

/* Whether all of `earlier` is over before any of `later` begins, as the program has asked for it.
 * `later` runs now. True of serial 0, and of whatever is over a million actors old. Any thread,
 * without a lock; a few loads. */
bool chk_order_before(uint64_t earlier, uint64_t later);

/* The copy that the calling thread is about to make: for `transfer`. */
uint64_t chk_order_copying(void);

/* An actor of the calling thread, which runs a handler of a signal: what told the signal is before
 * it, and what the program does beside it is not. 0: it is not known what did. For
 * chk_order_over(). */
uint64_t chk_order_handle(void);
void chk_order_over(uint64_t serial);

/* A wave of `later` has read, by an atomic access, what `earlier` has written: from now on all that
 * `earlier` does counts as before `later`, and what follows that. Takes a lock. */
void chk_order_meet(uint64_t earlier, uint64_t later);

/* The program may see what `serial`, which runs, has written, and go by it: as above, for the
 * program. */
void chk_order_show(uint64_t serial);

/* ---- for queues ---- */

/* What is known of a queue. All functions take NULL for one, where nobody asks, and do nothing. */
typedef struct chk_line chk_line_t;

/* NULL: nobody asks for the order. `queue`: address of its descriptor, of which doorbells tell, or
 * 0. Only the queue's own thread uses it, but for what is said to be any thread's. */
chk_line_t *chk_line_create(uint64_t queue);
void chk_line_free(chk_line_t *l);

/* Packet `index` is taken from the queue; all before it are complete if it has the barrier bit. */
void chk_line_packet(chk_line_t *l, uint64_t index, bool barrier);
/* The number of the program's call that has rung for it (asked.h); 0: it is not known. */
uint64_t chk_line_call(const chk_line_t *l);
/* The packet is a dispatch: its serial. Also without a line. */
uint64_t chk_line_dispatch(chk_line_t *l);
/* A copy is about to be made; all before it in the queue are complete. */
void chk_line_copy(chk_line_t *l);
/* All that the queue has begun is complete. */
void chk_line_drained(chk_line_t *l);
/* What the queue waited for is there: the word at `va`, or its other half, is within `value`. */
void chk_line_met(chk_line_t *l, uint64_t va, int64_t value);

/* Others may wait for a word of 8 bytes at `va`, or a half of it, which is about to be changed and
 * holds `seen`: by the end of the dispatch `serial`, on any thread, or with 0 by the queue when it
 * gets there. Then: it holds `value`. */
void chk_order_tell(chk_line_t *l, uint64_t serial, uint64_t va, int64_t seen);
void chk_order_told(chk_line_t *l, uint64_t va, int64_t value);
/* The dispatch is over and has told whom it tells. Any thread. */
void chk_order_end(chk_line_t *l, uint64_t serial);

/* ---- for what the program does: see sink.h ---- */

struct softgpu_order_api;
/* NULL: nobody asks. */
const struct softgpu_order_api *chk_order_api(void);

#endif
