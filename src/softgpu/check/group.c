/* group.c - see group.h: memory and LDS against what they may touch, barriers.
 *
 * Addresses are those of the cache model's reach.h, bounds those of places.h. Most accesses fall
 * into the same allocations as the ones before: a few spans are kept as long as nothing changes. */
#include "softgpu/check/group.h"

#include "softgpu/cache/reach.h"
#include "softgpu/check/check.h"
#include "softgpu/device/memory.h"
#include "softgpu/isa/code.h"
#include "softgpu/isa/isa.h"
#include "softgpu/isa/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS = 4 };

struct chk_group {
    isa_check_t isa; /* first */
    chk_dispatch_t dispatch;
    uint64_t places, memory; /* epochs of the spans */
    chk_span_t span[SPANS];
    unsigned next_span;
};

static uint8_t looks[ISA_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_looks(void)
{
    sgc_ops();
    if (!(chk_wanted() & CHK_MEMORY)) return;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const sgc_op_t *o = &sgc_ops_table[op];
        const bool invalidates = o->special >= SGC_INV_VECTOR && o->special <= SGC_SCALAR_WB;
        if (o->unit != SGC_UNIT_NONE && !invalidates) looks[op] = ISA_CHECK_BEFORE;
    }
}

/* ---- findings ---- */

static chk_finding_t finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                             chk_kind_t kind)
{
    const isa_group_t *group = w->group;
    chk_finding_t f = {.kind = kind,
                       .memory = group->dispatch->memory,
                       .kernel_object = g->dispatch.kernel_object,
                       .group = {group->id[0], group->id[1], group->id[2]},
                       .wave = w->index_in_group};
    if (!i) return f;
    f.pc = isa_inst_pc(w, i);
    f.words = &w->page->words[i - w->page->slots];
    f.n_words = i->dwords;
    return f;
}

static void report_lanes(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                         chk_kind_t kind, uint32_t bytes, uint64_t lanes, uint64_t va,
                         bool at_address)
{
    chk_finding_t f = finding(g, w, i, kind);
    f.bytes = bytes;
    f.lane = (uint32_t)__builtin_ctzll(lanes);
    f.lanes = (uint32_t)__builtin_popcountll(lanes);
    f.at_address = at_address;
    f.va = va;
    chk_report(&f);
}

static chk_kind_t kind_of(const sgc_op_t *op, bool lds)
{
    if (lds) return op->access == SGC_READ ? CHK_KIND_LDS_READ : CHK_KIND_LDS_WRITE;
    return op->access == SGC_ATOMIC  ? CHK_KIND_ATOMIC
           : op->access == SGC_WRITE ? CHK_KIND_WRITE
                                     : CHK_KIND_READ;
}

/* ---- memory ---- */

/* Whether [va, va + bytes) is where the program may be; asks and keeps the answer. */
static bool ask(chk_group_t *g, const isa_wave_t *w, uint64_t va, uint32_t bytes)
{
    const sg_memory_t *m = w->group->dispatch->memory;
    const sg_extent_t *e = sg_memory_find(m, va);
    chk_span_t span;
    if (!e || chk_place_find(va, e->begin, e->end, &span) == CHK_OUTSIDE) return false;
    g->span[g->next_span++ % SPANS] = span;
    return bytes <= span.end - va;
}

static bool is_good(chk_group_t *g, const isa_wave_t *w, uint64_t va, uint32_t bytes)
{
    for (unsigned k = 0; k < SPANS; k++) {
        const chk_span_t *s = &g->span[k];
        if (va - s->begin < s->end - s->begin && bytes <= s->end - va) return true;
    }
    return ask(g, w, va, bytes);
}

/* Spans of another time are worth nothing. */
static void renew(chk_group_t *g, const isa_wave_t *w)
{
    const uint64_t places = chk_places_epoch(),
                   memory = sg_memory_epoch(w->group->dispatch->memory);
    if (g->places == places && g->memory == memory) return;
    memset(g->span, 0, sizeof g->span);
    g->places = places;
    g->memory = memory;
}

static void look_at_lanes(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                          const sgc_op_t *op, sgc_lanes_t *a)
{
    const bool swizzled = a->dword_step != 4;
    uint64_t bad = 0, first = 0;
    if (a->even && is_good(g, w, a->va[0], (uint32_t)((ISA_LANES - 1) * a->step + a->bytes)))
        return;
    sgc_lanes_spread(a);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (is_good(g, w, a->va[lane], swizzled && a->bytes > 4 ? 4 : a->bytes)) continue;
        if (!bad) first = a->va[lane];
        bad |= UINT64_C(1) << lane;
    }
    if (bad) report_lanes(g, w, i, kind_of(op, false), a->bytes, bad, first, true);
    if (op->access != SGC_ATOMIC) return;
    bad = 0;
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (!(a->va[lane] & (a->bytes - 1))) continue;
        if (!bad) first = a->va[lane];
        bad |= UINT64_C(1) << lane;
    }
    if (bad) report_lanes(g, w, i, CHK_KIND_MISALIGNED, a->bytes, bad, first, true);
}

/* ---- LDS ---- */

static void look_at_lds(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                        const sgc_op_t *op, const sgc_lanes_t *a)
{
    uint64_t bad = 0;
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (a->va[lane] + a->bytes > g->dispatch.lds_bytes) bad |= UINT64_C(1) << lane;
    }
    if (!bad) return;
    char more[96];
    snprintf(more, sizeof more, "offset %llu; the workgroup has %u bytes",
             (unsigned long long)a->va[__builtin_ctzll(bad)], g->dispatch.lds_bytes);
    chk_finding_t f = finding(g, w, i, kind_of(op, true));
    f.bytes = a->bytes;
    f.lane = (uint32_t)__builtin_ctzll(bad);
    f.lanes = (uint32_t)__builtin_popcountll(bad);
    f.more = more;
    chk_report(&f);
}

static void vector(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op)
{
    sgc_reach_t r;
    sgc_reach(w, i, op, &r);
    if (r.memory.exec) look_at_lanes(g, w, i, op, &r.memory);
    if (r.lds.exec) look_at_lds(g, w, i, op, &r.lds);
}

static void before(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i)
{
    chk_group_t *g = (chk_group_t *)c;
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (!w->exec) return;
    if (op->unit == SGC_UNIT_VECTOR) {
        renew(g, w);
        vector(g, w, i, op);
    } else if (op->unit == SGC_UNIT_LDS) {
        sgc_lanes_t a[2];
        const unsigned n = sgc_lds_reach(w, i, op, a);
        for (unsigned k = 0; k < n; k++)
            look_at_lds(g, w, i, op, &a[k]);
    }
}

/* ---- barriers ---- */

void chk_group_barrier(chk_group_t *g, const isa_group_t *group, uint32_t waiting)
{
    const uint32_t all = group->n_waves == 32 ? ~0u : (1u << group->n_waves) - 1;
    const isa_wave_t *first = NULL;
    char more[160];
    if (!waiting || group->n_waves == 1) return;
    if (waiting != all) {
        const isa_wave_t *w = group->waves[__builtin_ctz(waiting)];
        chk_finding_t f = finding(g, w, NULL, CHK_KIND_BARRIER_EXIT);
        f.pc = isa_wave_pc(w) - 4;
        snprintf(more, sizeof more, "%d of %u waves wait here, wave %d is the first that has ended",
                 __builtin_popcount(waiting), group->n_waves, __builtin_ctz(all & ~waiting));
        f.more = more;
        chk_report(&f);
    }
    for (uint32_t left = waiting; left; left &= left - 1) {
        const isa_wave_t *w = group->waves[__builtin_ctz(left)];
        if (!first) first = w;
        if (isa_wave_pc(w) == isa_wave_pc(first)) continue;
        char function[256], line[256];
        chk_finding_t f = finding(g, first, NULL, CHK_KIND_BARRIER_PLACE);
        f.pc = isa_wave_pc(first) - 4;
        chk_where_code(f.memory, isa_wave_pc(w) - 4, function, sizeof function, line, sizeof line);
        snprintf(more, sizeof more, "wave %u waits %llu bytes of code from there%s%.64s",
                 w->index_in_group,
                 (unsigned long long)(isa_wave_pc(w) > isa_wave_pc(first)
                                          ? isa_wave_pc(w) - isa_wave_pc(first)
                                          : isa_wave_pc(first) - isa_wave_pc(w)),
                 *line ? ", at " : "", line);
        f.more = more;
        chk_report(&f);
        return;
    }
}

/* ---- states ---- */

chk_group_t *chk_group_create(void)
{
    chk_group_t *g = calloc(1, sizeof *g);
    pthread_once(&once, fill_looks);
    if (!g) return NULL;
    g->isa.looks = looks;
    g->isa.before = before;
    return g;
}

void chk_group_free(chk_group_t *g)
{
    free(g);
}

void chk_group_start(chk_group_t *g, const chk_dispatch_t *dispatch)
{
    g->dispatch = *dispatch;
    memset(g->span, 0, sizeof g->span);
}

isa_check_t *chk_group_isa(chk_group_t *g)
{
    return &g->isa;
}
