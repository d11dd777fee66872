/* order.h - the happens-before order of dispatches, copies and the program itself.
 *
 * An actor accesses memory on its own and has a serial: a dispatch, or the work of a copy engine
 * between two points for which a queue or the program can wait. The order is the one on which the
 * program may rely, not the one in which actors happened to run: it follows from packets of a
 * queue, barrier bits and barrier packets, signals, and the program's waits. Accesses whose order
 * is unknown count as ordered. */
#ifndef SOFTGPU_CHECK_ORDER_H
#define SOFTGPU_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- for checks; the order is only recorded if CHK_RACE is wanted ---- */

/* Whether all accesses of `earlier` happen before all accesses of `later`, which runs now. Also
 * true if `earlier` is 0 or too old to be remembered. Any thread may call this; it takes no lock
 * and a few loads. */
bool chk_order_before(uint64_t earlier, uint64_t later);

/* The actor of the copy that the calling thread is about to make: for the `transfer` of a check. */
uint64_t chk_order_copying(void);

/* Makes an actor for the signal handler that the calling thread runs: the actors that changed the
 * signal happen before it; work of the program at the same time does not. 0: the actors that
 * changed the signal are unknown. The serial goes to chk_order_over() when the handler has done its
 * work. */
uint64_t chk_order_handle(void);
void chk_order_over(uint64_t serial);

/* A wave of `later` has read, by an atomic access, a value that `earlier` has written: from now on
 * all accesses of `earlier` happen before those of `later` and of the actors after it. Takes a
 * lock. */
void chk_order_synchronise(uint64_t earlier, uint64_t later);

/* The program may read a value that the running actor `serial` has written, and act on it: from now
 * on the actor counts as before the program. */
void chk_order_publish(uint64_t serial);

/* ---- for queues ---- */

/* The order of one queue. Every function accepts NULL and then does nothing, since the order is not
 * recorded. */
typedef struct chk_line chk_line_t;

/* Returns NULL if the order is not recorded. `queue`: the address of the queue's descriptor, by
 * which the program's doorbells are matched, or 0. Only the queue's own thread uses the line,
 * except where a function says "any thread". */
chk_line_t *chk_line_create(uint64_t queue);
void chk_line_free(chk_line_t *l);

/* Packet `index` is taken from the queue. If it has the barrier bit, all packets before it are
 * complete. */
void chk_line_packet(chk_line_t *l, uint64_t index, bool barrier);
/* The number of the program's call in which it rang the doorbell for the packet (request.h); 0: not
 * known. */
uint64_t chk_line_call(const chk_line_t *l);
/* The packet is a dispatch: makes its actor. Without a line it gets a serial as well. */
uint64_t chk_line_dispatch(chk_line_t *l);
/* The queue is about to make a copy; all packets before it in the queue are complete. */
void chk_line_copy(chk_line_t *l);
/* All actors that the queue has begun are complete. */
void chk_line_drained(chk_line_t *l);
/* The queue has waited for the word at `va`, or for the other half of the 8 bytes around it, and
 * continues; the 8 bytes hold `value`. */
void chk_line_waited(chk_line_t *l, uint64_t va, int64_t value);

/* chk_order_change_begin(): the 8 bytes around `va`, for which a queue or the program may wait,
 * hold `seen` and are about to be changed: by the end of the dispatch `serial`, on any thread, or
 * (`serial` 0) by the queue itself. chk_order_change_end(): they have been changed and hold
 * `value`. */
void chk_order_change_begin(chk_line_t *l, uint64_t serial, uint64_t va, int64_t seen);
void chk_order_change_end(chk_line_t *l, uint64_t va, int64_t value);
/* The dispatch is over, and its signal has been changed. Any thread. */
void chk_order_end(chk_line_t *l, uint64_t serial);

/* ---- for the calls of the program: see sink.h ---- */

struct softgpu_order_api;
/* NULL: the order is not recorded. */
const struct softgpu_order_api *chk_order_api(void);

#endif
