/* clock.h - what somebody knows of the order: of each chain, up to where its actors are over.
 *
 * A chain is a row of actors of which each begins when the one before is over; a queue has one, and
 * more where its packets do not wait for each other. Clocks never change and are shared; all but
 * chk_clock_upto() are for one thread at a time, which owns the references. */
#ifndef SOFTGPU_CHECK_CLOCK_H
#define SOFTGPU_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct chk_clock {
    uint32_t uses, n;
    uint64_t upto[]; /* by chain; 0 behind the end */
} chk_clock_t;

static inline uint64_t chk_clock_upto(const chk_clock_t *c, uint32_t chain)
{
    return chain < c->n ? c->upto[chain] : 0;
}

/* Knows nothing; one for all. */
extern chk_clock_t chk_clock_nothing;

chk_clock_t *chk_clock_keep(chk_clock_t *c);
void chk_clock_drop(chk_clock_t *c);

/* *c knows what `more` knows too, or that the chain is over up to there. Without memory it stays as
 * it is, and false is returned. */
bool chk_clock_join(chk_clock_t **c, chk_clock_t *more);
bool chk_clock_raise(chk_clock_t **c, uint32_t chain, uint64_t upto);

#endif
