/* memory.c - the part that holds accesses against what the program may touch: allocations, LDS.
 *
 * Addresses are those of the cache model's reach.h, bounds those of places.h. Most accesses fall
 * into the same allocations as the ones before: a few spans are kept as long as nothing changes. */
#include "softgpu/check/part.h"

#include "softgpu/device/memory.h"

#include <stdio.h>
#include <string.h>

enum { SPANS = 4 };

typedef struct {
    uint64_t places, memory; /* epochs of the spans */
    chk_span_t span[SPANS];
    unsigned next_span;
} state_t;

static void looks(uint8_t *looks)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const sgc_op_t *o = &sgc_ops_table[op];
        const bool invalidates = o->special >= SGC_INV_VECTOR && o->special <= SGC_SCALAR_WB;
        if (o->unit != SGC_UNIT_NONE && !invalidates) looks[op] = ISA_CHECK_BEFORE;
    }
}

static chk_kind_t kind_of(const sgc_op_t *op, bool lds)
{
    if (lds) return op->access == SGC_READ ? CHK_KIND_LDS_READ : CHK_KIND_LDS_WRITE;
    return op->access == SGC_ATOMIC  ? CHK_KIND_ATOMIC
           : op->access == SGC_WRITE ? CHK_KIND_WRITE
                                     : CHK_KIND_READ;
}

static void report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, chk_kind_t kind,
                   uint32_t bytes, uint64_t lanes, uint64_t va)
{
    chk_finding_t f = chk_finding_lanes(g, w, i, kind, lanes);
    f.bytes = bytes;
    f.at_address = true;
    f.va = va;
    chk_report(&f);
}

/* ---- allocations ---- */

/* Whether [va, va + bytes) is where the program may be; asks and keeps the answer. */
static bool ask(state_t *s, const isa_wave_t *w, uint64_t va, uint32_t bytes)
{
    const sg_memory_t *m = w->group->dispatch->memory;
    const sg_extent_t *e = sg_memory_find(m, va);
    chk_span_t span;
    if (!e || chk_place_find(va, e->begin, e->end, &span) == CHK_OUTSIDE) return false;
    s->span[s->next_span++ % SPANS] = span;
    return bytes <= span.end - va;
}

static bool is_good(state_t *s, const isa_wave_t *w, uint64_t va, uint32_t bytes)
{
    for (unsigned k = 0; k < SPANS; k++) {
        const chk_span_t *p = &s->span[k];
        if (va - p->begin < p->end - p->begin && bytes <= p->end - va) return true;
    }
    return ask(s, w, va, bytes);
}

/* Spans of another time are worth nothing. */
static void renew(state_t *s, const isa_wave_t *w)
{
    const uint64_t places = chk_places_epoch(),
                   memory = sg_memory_epoch(w->group->dispatch->memory);
    if (s->places == places && s->memory == memory) return;
    memset(s->span, 0, sizeof s->span);
    s->places = places;
    s->memory = memory;
}

static void look_at_lanes(chk_group_t *g, state_t *s, const isa_wave_t *w, const isa_inst_t *i,
                          const sgc_op_t *op, sgc_lanes_t *a)
{
    const bool swizzled = a->dword_step != 4;
    uint64_t bad = 0, first = 0;
    if (a->even && is_good(s, w, a->va[0], (uint32_t)((ISA_LANES - 1) * a->step + a->bytes)))
        return;
    sgc_lanes_spread(a);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (is_good(s, w, a->va[lane], swizzled && a->bytes > 4 ? 4 : a->bytes)) continue;
        if (!bad) first = a->va[lane];
        bad |= UINT64_C(1) << lane;
    }
    if (bad) report(g, w, i, kind_of(op, false), a->bytes, bad, first);
    if (op->access != SGC_ATOMIC) return;
    bad = 0;
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (!(a->va[lane] & (a->bytes - 1))) continue;
        if (!bad) first = a->va[lane];
        bad |= UINT64_C(1) << lane;
    }
    if (bad) report(g, w, i, CHK_KIND_MISALIGNED, a->bytes, bad, first);
}

/* ---- LDS ---- */

static void look_at_lds(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                        const sgc_op_t *op, sgc_lanes_t *a)
{
    uint64_t bad = 0;
    sgc_lanes_spread(a);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (a->va[lane] + a->bytes > g->dispatch->lds_bytes) bad |= UINT64_C(1) << lane;
    }
    if (!bad) return;
    char more[96];
    snprintf(more, sizeof more, "offset %llu; the workgroup has %u bytes",
             (unsigned long long)a->va[__builtin_ctzll(bad)], g->dispatch->lds_bytes);
    chk_finding_t f = chk_finding_lanes(g, w, i, kind_of(op, true), bad);
    f.bytes = a->bytes;
    f.more = more;
    chk_report(&f);
}

/* ---- instructions ---- */

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (!w->exec) return;
    if (op->unit == SGC_UNIT_VECTOR) {
        sgc_reach_t *r = chk_reach(g, w, i);
        renew(state, w);
        if (r->memory.exec) look_at_lanes(g, state, w, i, op, &r->memory);
        if (r->lds.exec) look_at_lds(g, w, i, op, &r->lds);
    } else if (op->unit == SGC_UNIT_LDS) {
        unsigned n;
        sgc_lanes_t *a = chk_lds_reach(g, w, i, &n);
        for (unsigned k = 0; k < n; k++)
            look_at_lds(g, w, i, op, &a[k]);
    }
}

/* What the last workgroup kept may be of another GPU's memory. */
static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    (void)g;
    (void)group;
    memset(state, 0, sizeof(state_t));
}

const chk_part_t chk_memory_part = {.family = CHK_MEMORY,
                                    .bytes = sizeof(state_t),
                                    .looks = looks,
                                    .start = start,
                                    .before = before};
