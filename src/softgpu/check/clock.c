/* clock.c - see clock.h: vector clocks that never change, shared by counted references. */
#include "softgpu/check/clock.h"

#include <stdlib.h>
#include <string.h>

chk_clock_t chk_clock_nothing = {.uses = 1};

chk_clock_t *chk_clock_keep(chk_clock_t *c)
{
    c->uses++;
    return c;
}

void chk_clock_drop(chk_clock_t *c)
{
    if (c && --c->uses == 0) free(c);
}

static bool covers(const chk_clock_t *c, const chk_clock_t *other)
{
    for (uint32_t k = 0; k < other->n; k++)
        if (other->upto[k] > chk_clock_upto(c, k)) return false;
    return true;
}

static void replace(chk_clock_t **c, chk_clock_t *with)
{
    chk_clock_drop(*c);
    *c = with;
}

/* A copy with room for `n` chains; NULL: out of memory. */
static chk_clock_t *copy(const chk_clock_t *c, uint32_t n)
{
    if (n < c->n) n = c->n;
    chk_clock_t *made = calloc(1, sizeof *made + n * sizeof *made->upto);
    if (!made) return NULL;
    made->uses = 1;
    made->n = n;
    memcpy(made->upto, c->upto, c->n * sizeof *c->upto);
    return made;
}

bool chk_clock_join(chk_clock_t **c, chk_clock_t *more)
{
    if (*c == more || covers(*c, more)) return true;
    if (covers(more, *c)) {
        replace(c, chk_clock_keep(more));
        return true;
    }
    chk_clock_t *made = copy(*c, more->n);
    if (!made) return false;
    for (uint32_t k = 0; k < more->n; k++)
        if (more->upto[k] > made->upto[k]) made->upto[k] = more->upto[k];
    replace(c, made);
    return true;
}

bool chk_clock_raise(chk_clock_t **c, uint32_t chain, uint64_t upto)
{
    if (upto <= chk_clock_upto(*c, chain)) return true;
    chk_clock_t *made = copy(*c, chain + 1);
    if (!made) return false;
    made->upto[chain] = upto;
    replace(c, made);
    return true;
}
