/* asked.h - what the program has asked for last: calls that copy, fill and launch, and who they
 * were made by.
 *
 * Whoever does the work - a copy engine, a kernel of the runtimes' own - is told by the number of
 * the call what it works for; where it has no number, the addresses say which calls may be meant.
 */
#ifndef SOFTGPU_CHECK_ASKED_H
#define SOFTGPU_CHECK_ASKED_H

#include "softgpu/check/places.h"

typedef struct {
    uint64_t number;     /* from 1 on */
    uint64_t outer;      /* of the call in which a runtime makes it, or 0 */
    const char *call;    /* a literal */
    chk_span_t to, from; /* both empty: it launches kernels, or a graph */
    bool told;           /* something is wrong with it, and has been reported */
    chk_stack_t stack;
} chk_asked_t;

static inline bool chk_span_holds(const chk_span_t *s, uint64_t va)
{
    return va - s->begin < s->end - s->begin;
}

/* The calling thread is in that call from now on, until it says that the latest it is in is over.
 */
void chk_asked_begin(const chk_asked_t *call);
void chk_asked_over(void);
/* The number of the call that the thread is in, or 0. */
uint64_t chk_asked_now(void);

/* For the call that the thread is in, or for none, a copy engine is going to move bytes from one
 * span to the other; an empty `from`: to fill. */
void chk_asked_move(chk_span_t to, chk_span_t from, uint64_t bytes);
/* A copy engine moves bytes, from there to there: the number of the call that it does so for, the
 * oldest for which it has something left to do. 0: there is none. `from` 0: it fills. */
uint64_t chk_asked_mover(uint64_t to, uint64_t from, uint64_t bytes);

/* All that is kept of the call; false: there was none of that number, or it is too long ago. */
bool chk_asked_find(uint64_t number, chk_asked_t *out);
/* The latest call that reads or writes there. */
bool chk_asked_latest(uint64_t va, chk_asked_t *out);
/* The call of that number, which writes there or reads. One that launches a graph does what was
 * asked for when the graph was made: it is the latest call that writes there, or reads, and is not
 * the call `beside`, if there is one; so it is where there is no number. */
bool chk_asked_name(uint64_t number, uint64_t va, bool writes, uint64_t beside, chk_asked_t *out);

#endif
