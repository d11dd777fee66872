/* hazard_lds.c - see hazard_lds.h. Compiled code waits in front of its barriers; then there are no
 * marks, and the only cost of an access is to record it. */
#include "softgpu/check/hazard_lds.h"

#include "softgpu/exec/address.h"

#include <stdio.h>
#include <string.h>

static void forget_marks(chk_lds_t *s)
{
    if (!s->marked) return;
    memset(s->writer, 0, sizeof s->writer);
    memset(s->reader, 0, sizeof s->reader);
    s->marked = false;
}

void chk_lds_start(chk_lds_t *s, const isa_group_t *group)
{
    for (unsigned k = 0; k < group->n_waves && k < ISA_GROUP_WAVES; k++)
        s->wave[k].n = s->wave[k].fill = 0;
    s->late = 0;
    forget_marks(s);
}

/* ---- accesses that are under way ---- */

/* Of FLAT that returns in any order, lgkmcnt alone counts what LDS has to do. */
static bool is_outstanding(const chk_hazard_wave_t *v, const chk_lds_access_t *x)
{
    const uint32_t returned = x->flow == CHK_FLOW_FLAT ? v->flat_lgkm : v->returned[x->flow];
    return (int32_t)(x->number - returned) > 0;
}

/* Whether a transfer to LDS is outstanding. */
static bool is_filled(const chk_lds_wave_t *k, const chk_hazard_wave_t *v)
{
    return (int32_t)(k->fill - v->returned[CHK_FLOW_VM]) > 0;
}

/* Whether some access that may have been recorded is outstanding. */
static bool any_is_outstanding(const chk_lds_wave_t *k, const chk_hazard_wave_t *v)
{
    return v->issued[CHK_FLOW_LDS] != v->returned[CHK_FLOW_LDS] ||
           v->issued[CHK_FLOW_EXP] != v->returned[CHK_FLOW_EXP] ||
           v->issued[CHK_FLOW_FLAT] != v->flat_lgkm || is_filled(k, v);
}

static chk_lds_access_t *next_of(chk_lds_wave_t *k, const chk_hazard_wave_t *v, const chk_use_t *u,
                                 unsigned flow)
{
    const unsigned slot = k->n++ % CHK_LDS_KEPT;
    chk_lds_access_t *x = &k->kept[slot];
    k->late &= ~(1ull << slot);
    x->flow = (uint8_t)flow;
    x->number = v->issued[flow];
    x->pc = u->pc;
    x->fill = false;
    return x;
}

/* Records a direct load, which reads one element for all lanes. */
static void keep_direct(chk_lds_wave_t *k, const chk_hazard_wave_t *v, const isa_wave_t *w,
                        const chk_use_t *u)
{
    const isa_lds_direct_t direct = isa_address_lds_direct(w->m0);
    chk_lds_access_t *x = next_of(k, v, u, u->flow);
    x->writes = x->atomic = false;
    x->bytes = direct.bytes;
    x->exec = 1;
    x->offset[0] = x->offset[1] = 0;
    x->at[0] = direct.at;
}

/* Records the access of an LDS instruction that is being issued. */
static void keep(chk_lds_wave_t *k, const chk_hazard_wave_t *v, const isa_wave_t *w,
                 const isa_inst_t *i, const chk_use_t *u)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (op->kind == ISA_ACCESS_DIRECT) keep_direct(k, v, w, u);
    if (op->kind != ISA_ACCESS_PLAIN && op->kind != ISA_ACCESS_PAIR) return;
    chk_lds_access_t *x = next_of(k, v, u, CHK_FLOW_LDS);
    x->writes = u->flags & CHK_USE_LDS_WRITE;
    x->atomic = op->access == SGC_ATOMIC;
    x->bytes = op->bytes;
    x->exec = w->exec;
    x->offset[0] = op->kind == ISA_ACCESS_PAIR ? i->offset0 * op->step : (uint32_t)i->imm;
    x->offset[1] = op->kind == ISA_ACCESS_PAIR ? i->offset1 * op->step : x->offset[0];
    memcpy(x->at, w->vgpr[i->src[0].reg], sizeof x->at);
}

/* Records the lanes of a FLAT instruction whose addresses are in LDS. */
static void keep_flat(chk_lds_wave_t *k, const chk_hazard_wave_t *v, const isa_inst_t *i,
                      const chk_use_t *u, const sgc_lanes_t *a)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    chk_lds_access_t *x = next_of(k, v, u, u->rules->flat_in_order ? CHK_FLOW_LDS : CHK_FLOW_FLAT);
    x->writes = op->access != SGC_READ;
    x->atomic = op->access == SGC_ATOMIC;
    x->bytes = (uint16_t)a->bytes;
    x->exec = a->exec;
    x->offset[0] = x->offset[1] = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        x->at[l] = (uint32_t)a->va[l];
    }
}

static void keep_fill(chk_lds_wave_t *k, const chk_hazard_wave_t *v, const chk_use_t *u,
                      const sgc_lanes_t *a)
{
    chk_lds_access_t *x = next_of(k, v, u, CHK_FLOW_VM);
    x->fill = x->writes = true;
    x->atomic = false;
    k->fill = x->number;
    x->begin = UINT32_MAX;
    x->end = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const uint32_t at = (uint32_t)a->va[__builtin_ctzll(left)];
        if (at < x->begin) x->begin = at;
        if (at + a->bytes > x->end) x->end = at + a->bytes;
    }
}

/* ---- barriers ---- */

static void mark(uint16_t *dwords, unsigned mark, bool reads, uint32_t begin, uint32_t end)
{
    for (uint32_t d = begin / 4; d < CHK_LDS_DWORDS && 4 * d < end; d++) {
        const unsigned before = dwords[d];
        const bool other = before && ((before ^ mark) & CHK_LDS_WAVE);
        const unsigned several = reads && other ? CHK_LDS_SEVERAL : before & CHK_LDS_SEVERAL;
        dwords[d] = (uint16_t)(mark | several);
    }
}

static void mark_access(chk_lds_t *s, unsigned wave, unsigned slot, const chk_lds_access_t *x)
{
    uint16_t *const dwords = x->writes ? s->writer : s->reader;
    const unsigned what =
        (wave + 1) | slot << CHK_LDS_SLOT_SHIFT | (x->atomic ? CHK_LDS_ATOMIC : 0);
    s->marked = true;
    s->pc[wave][slot] = x->pc;
    if (x->flow == CHK_FLOW_EXP)
        s->direct[wave] |= 1ull << slot;
    else
        s->direct[wave] &= ~(1ull << slot);
    if (x->fill) {
        mark(dwords, what, false, x->begin, x->end);
        return;
    }
    for (uint64_t left = x->exec; left; left &= left - 1)
        for (unsigned k = 0; k < (x->offset[0] == x->offset[1] ? 1 : 2); k++) {
            const uint32_t at = x->at[__builtin_ctzll(left)] + x->offset[k];
            mark(dwords, what, !x->writes, at, at + x->bytes);
        }
}

void chk_lds_arrive(chk_lds_t *s, unsigned wave, const chk_hazard_wave_t *v)
{
    chk_lds_wave_t *k = &s->wave[wave];
    const uint32_t n = k->n < CHK_LDS_KEPT ? k->n : CHK_LDS_KEPT;
    s->late &= ~(1u << wave);
    if (!any_is_outstanding(k, v)) return;
    s->late |= 1u << wave;
    k->late = 0;
    for (unsigned slot = 0; slot < n; slot++)
        if (is_outstanding(v, &k->kept[slot])) k->late |= 1ull << slot;
}

void chk_lds_barrier(chk_lds_t *s, const isa_group_t *group, uint32_t waiting)
{
    forget_marks(s);
    if (group->n_waves == 1) return;
    for (uint32_t left = waiting & s->late; left; left &= left - 1) {
        const unsigned wave = (unsigned)__builtin_ctz(left);
        const chk_lds_wave_t *k = &s->wave[wave];
        const uint32_t n = k->n < CHK_LDS_KEPT ? k->n : CHK_LDS_KEPT;
        for (uint32_t back = n; back; back--) {
            const unsigned slot = (k->n - back) % CHK_LDS_KEPT;
            if (k->late >> slot & 1) mark_access(s, wave, slot, &k->kept[slot]);
        }
    }
}

/* ---- reports ---- */

static void report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, chk_kind_t kind,
                   uint64_t lanes, uint64_t pc, unsigned wave, const char *more)
{
    chk_finding_t f = chk_finding_lanes(g, w, i, kind, lanes);
    chk_hazard_name_other(&f, w, "outstanding", pc, wave);
    f.more = more;
    chk_report(&f);
}

/* The lanes whose access overlaps the range. */
static uint64_t lanes_in(const sgc_lanes_t *a, uint32_t begin, uint32_t end)
{
    uint64_t lanes = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        if (a->va[l] < end && begin < a->va[l] + a->bytes) lanes |= 1ull << l;
    }
    return lanes;
}

/* An access to LDS by an instruction that is about to run. */
typedef struct {
    chk_group_t *g;
    chk_lds_t *s;
    const chk_hazard_wave_t *v;
    const isa_wave_t *w;
    const isa_inst_t *i;
    bool reads, writes, atomic;
} access_t;

static void check_fills(const access_t *x, const sgc_lanes_t *a)
{
    const chk_lds_wave_t *k = &x->s->wave[x->w->index_in_group];
    const uint32_t n = k->n < CHK_LDS_KEPT ? k->n : CHK_LDS_KEPT;
    for (uint32_t back = 1; back <= n; back++) {
        const chk_lds_access_t *fill = &k->kept[(k->n - back) % CHK_LDS_KEPT];
        if (!fill->fill || !is_outstanding(x->v, fill)) continue;
        const uint64_t lanes = lanes_in(a, fill->begin, fill->end);
        if (!lanes) continue;
        report(x->g, x->w, x->i, x->reads ? CHK_KIND_HAZARD_LDS : CHK_KIND_HAZARD_LDS_WRITE, lanes,
               fill->pc, x->w->index_in_group,
               "a transfer to LDS is outstanding: s_waitcnt vmcnt waits for it");
        return;
    }
}

/* A mark that another wave has left on one of the lanes' dwords, or 0. */
static unsigned find_mark(const access_t *x, const sgc_lanes_t *a, const uint16_t *dwords,
                          uint64_t *lanes)
{
    const unsigned own = x->w->index_in_group + 1;
    unsigned found = 0;
    *lanes = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const uint64_t end = a->va[l] + a->bytes;
        for (uint64_t d = a->va[l] / 4; d < CHK_LDS_DWORDS && 4 * d < end; d++) {
            const unsigned mark = dwords[d];
            const unsigned wave = mark & CHK_LDS_WAVE;
            if (!wave || (wave == own && !(mark & CHK_LDS_SEVERAL)) ||
                (x->atomic && mark & CHK_LDS_ATOMIC))
                continue;
            *lanes |= 1ull << l;
            if (!found || (found & CHK_LDS_WAVE) == own) found = mark;
        }
    }
    return found;
}

static void check_marks(const access_t *x, const sgc_lanes_t *a, bool written, chk_kind_t kind)
{
    const chk_lds_t *s = x->s;
    const bool split = x->g->split;
    char more[160];
    uint64_t lanes;
    const unsigned mark = find_mark(x, a, written ? s->writer : s->reader, &lanes);
    if (!mark) return;
    const unsigned wave = (mark & CHK_LDS_WAVE) - 1;
    const unsigned slot = mark >> CHK_LDS_SLOT_SHIFT & (CHK_LDS_KEPT - 1);
    const bool direct = s->direct[wave] >> slot & 1;
    snprintf(more, sizeof more,
             "the %s was outstanding when its wave came to the barrier: %s before %s waits for it",
             written ? "write" : "read",
             split    ? (direct ? "s_wait_expcnt" : "s_wait_dscnt")
             : direct ? "s_waitcnt expcnt"
                      : "s_waitcnt",
             split ? "s_barrier_signal" : "s_barrier");
    report(x->g, x->w, x->i, kind, lanes, s->pc[wave][slot], wave, more);
}

/* Reports a conflict with a mark. Fills in the addresses of all lanes in `a`. */
static void check(const access_t *x, sgc_lanes_t *a)
{
    const chk_lds_wave_t *k = &x->s->wave[x->w->index_in_group];
    sgc_lanes_spread(a);
    if (is_filled(k, x->v)) check_fills(x, a);
    if (!x->s->marked) return;
    check_marks(x, a, true, x->reads ? CHK_KIND_HAZARD_LDS : CHK_KIND_HAZARD_LDS_WRITE);
    if (x->writes) check_marks(x, a, false, CHK_KIND_HAZARD_LDS_WRITE);
}

void chk_lds_look(chk_group_t *g, chk_lds_t *s, const chk_hazard_wave_t *v, const isa_wave_t *w,
                  const isa_inst_t *i, const chk_use_t *u)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    chk_lds_wave_t *k = &s->wave[w->index_in_group];
    const access_t x = {.g = g,
                        .s = s,
                        .v = v,
                        .w = w,
                        .i = i,
                        .reads = op->access != SGC_WRITE && i->dst.kind != ISA_OPK_NONE,
                        .writes = op->access != SGC_READ,
                        .atomic = op->access == SGC_ATOMIC};
    if (u->flags & CHK_USE_LDS_FILL) {
        sgc_lanes_t *to = &chk_reach(g, w, i)->lds;
        sgc_lanes_spread(to);
        keep_fill(k, v, u, to);
    } else if (u->flow == CHK_FLOW_FLAT) {
        sgc_lanes_t *a = &chk_reach(g, w, i)->lds;
        if (!a->exec) return;
        check(&x, a);
        keep_flat(k, v, i, u, a);
    } else {
        if (s->marked || is_filled(k, v)) {
            unsigned n;
            sgc_lanes_t *a = chk_lds_reach(g, w, i, &n);
            for (unsigned e = 0; e < n; e++)
                check(&x, &a[e]);
        }
        keep(k, v, w, i, u);
    }
}
