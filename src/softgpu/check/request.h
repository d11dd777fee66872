/* request.h - the last calls by which the program has copied, filled and launched, and where they
 * were made.
 *
 * A copy engine, or a kernel that belongs to a runtime, does the work of such a call later. The
 * work carries the call's number; work without a number is matched to a call by its addresses. A
 * finding about the work can then name the line of the program that made the call. */
#ifndef SOFTGPU_CHECK_REQUEST_H
#define SOFTGPU_CHECK_REQUEST_H

#include "softgpu/check/places.h"

typedef struct {
    uint64_t number;     /* from 1 on */
    uint64_t outer;      /* number of the call during which a runtime made this one, or 0 */
    const char *call;    /* its name, a literal */
    chk_span_t to, from; /* both empty: it launches kernels, or a graph */
    bool reported;       /* an error in it has been reported */
    chk_stack_t stack;
} chk_request_t;

static inline bool chk_span_holds(const chk_span_t *s, uint64_t va)
{
    return va - s->begin < s->end - s->begin;
}

/* The calling thread begins a call; chk_request_end() ends the latest call that the thread is in.
 */
void chk_request_begin(const chk_request_t *call);
void chk_request_end(void);
/* The number of the call that the calling thread is in, or 0. */
uint64_t chk_request_now(void);

/* A copy engine is given bytes to move from one span to the other (`from` empty: to fill), for the
 * call that the thread is in, if any. */
void chk_request_move(chk_span_t to, chk_span_t from, uint64_t bytes);
/* A copy engine moves bytes from `from` to `to` (`from` 0: it fills). Returns the number of the
 * call for which it works, the oldest one with work left there; 0: unknown. */
uint64_t chk_request_mover(uint64_t to, uint64_t from, uint64_t bytes);

/* Copies the recorded call; false: there is no such call, or newer ones have replaced it. */
bool chk_request_find(uint64_t number, chk_request_t *out);
/* The latest call that reads or writes at the address. */
bool chk_request_latest(uint64_t va, chk_request_t *out);
/* Finds the call for which an access at `va` was made: the one with that number, if it writes
 * (`writes`) or reads there. If the number is 0, or its call launches a graph, whose copies were
 * recorded when the graph was built: the latest call that writes or reads there, other than the
 * call `beside`. */
bool chk_request_name(uint64_t number, uint64_t va, bool writes, uint64_t beside,
                      chk_request_t *out);

#endif
