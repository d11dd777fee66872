/* clock.h - vector clocks of the order between actors (order.h): for each chain, up to which
 * position its actors are known to be over.
 *
 * A chain is a sequence of actors of which each begins when the one before is over. A queue has
 * one, and more if its packets do not wait for each other. Clocks never change and are shared by
 * counted references. Any thread may call chk_clock_upto(); all other functions are called under a
 * lock of the caller. */
#ifndef SOFTGPU_CHECK_CLOCK_H
#define SOFTGPU_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct chk_clock {
    uint32_t uses, n;
    uint64_t upto[]; /* by chain; chains beyond `n` count as 0 */
} chk_clock_t;

static inline uint64_t chk_clock_upto(const chk_clock_t *c, uint32_t chain)
{
    return chain < c->n ? c->upto[chain] : 0;
}

/* The clock with 0 for every chain; never freed. */
extern chk_clock_t chk_clock_nothing;

chk_clock_t *chk_clock_keep(chk_clock_t *c);
void chk_clock_drop(chk_clock_t *c);

/* chk_clock_join() replaces *c by the maximum of *c and `more`, chain by chain; chk_clock_raise()
 * by a clock with at least `upto` for that chain. False: out of memory, and *c is unchanged. */
bool chk_clock_join(chk_clock_t **c, chk_clock_t *more);
bool chk_clock_raise(chk_clock_t **c, uint32_t chain, uint64_t upto);

#endif
