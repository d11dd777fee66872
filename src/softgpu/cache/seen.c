/* seen.c - the addresses of an instruction, computed once for all subscribers of its watch: see
 * reach.h. */
#include "softgpu/cache/reach.h"

/* Whether `what` has not been computed yet for the present instruction; marks it as computed. */
static bool is_new(isa_watch_t *watch, unsigned what)
{
    const bool known = watch->known & what;
    watch->known |= what;
    return !known;
}

void sgc_see_reach(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i)
{
    watch->known |= SGC_KNOWN_REACH;
    sgc_reach(w, i, &sgc_ops_table[i->op], &watch->seen->reach);
}

sgc_lanes_t *sgc_seen_lds(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i, unsigned *n)
{
    sgc_seen_t *s = watch->seen;
    if (is_new(watch, SGC_KNOWN_LDS)) s->n_lds = sgc_lds_reach(w, i, &sgc_ops_table[i->op], s->lds);
    *n = s->n_lds;
    return s->lds;
}

const sgc_lds_use_t *sgc_seen_lds_use(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i,
                                      unsigned *n)
{
    sgc_seen_t *s = watch->seen;
    if (is_new(watch, SGC_KNOWN_LDS_USE))
        s->n_used = sgc_lds_use(s->memo, w, i, &sgc_ops_table[i->op], s->used);
    *n = s->n_used;
    return s->used;
}
