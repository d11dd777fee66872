/* memory.c - the memory check: compares accesses with the memory that the program may use:
 * allocations, LDS, scratch, kernel arguments.
 *
 * Addresses come from the cache model's reach.h, allocations from places.h. Most accesses fall into
 * the same allocations as the ones before, so the last few spans are kept until an allocation
 * changes. */
#include "softgpu/check/part.h"

#include "base/round.h"
#include "base/text.h"
#include "softgpu/check/code.h"
#include "softgpu/check/memory.h"
#include "softgpu/memory/memory.h"
#include "softgpu/memory/code_object.h"
#include "softgpu/exec/address.h"
#include "softgpu/exec/atomic.h"

#include <stdio.h>
#include <string.h>

enum {
    SPANS = 4,
    ARGUMENTS_ALIGN = 16 /* compilers load arguments in pieces of this size */
};

typedef struct {
    chk_span_t at;
    bool writes; /* writes are allowed, too; false: unknown */
} span_t;

typedef struct {
    uint64_t places,
        memory; /* the epochs of places.h and of the page table when the spans were found */
    span_t span[SPANS];
    unsigned next_span;
} state_t;

/* One instruction of a wave that accesses memory: the arguments of the functions below. */
typedef struct {
    chk_group_t *group;
    state_t *state;
    const isa_wave_t *wave;
    const isa_inst_t *inst;
    const sgc_op_t *op;
} access_t;

static void wants(uint8_t *wants)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const sgc_op_t *o = &sgc_ops_table[op];
        const bool invalidates = isa_is_cache_operation(o->kind);
        if (o->unit != ISA_UNIT_NONE && !invalidates) wants[op] = ISA_WANTS_BEFORE;
    }
}

/* The kind of finding for an invalid access. ORDER: sgc_access_t. */
static const chk_kind_t memory_kinds[] = {CHK_KIND_READ, CHK_KIND_WRITE, CHK_KIND_ATOMIC},
                        lds_kinds[] = {CHK_KIND_LDS_READ, CHK_KIND_LDS_WRITE, CHK_KIND_LDS_WRITE},
                        scratch_kinds[] = {CHK_KIND_SCRATCH_READ, CHK_KIND_SCRATCH_WRITE,
                                           CHK_KIND_SCRATCH_WRITE};

/* Whether all elements of a row, those of inactive lanes too, are in [first, first + more]. `more`
 * must fit an int. */
static bool none_outside(const uint32_t *row, uint32_t first, uint32_t more)
{
    const __m128i *v = (const __m128i *)row;
    const __m128i least = _mm_set1_epi32((int)first), most = _mm_set1_epi32((int)more);
    __m128i outside = _mm_setzero_si128(); /* a sign bit says that the element is outside */
    for (unsigned k = 0; k < ISA_LANES / 4; k++) {
        const __m128i above = _mm_sub_epi32(v[k], least);
        outside = _mm_or_si128(outside, _mm_or_si128(above, _mm_sub_epi32(most, above)));
    }
    return !_mm_movemask_ps(_mm_castsi128_ps(outside));
}

/* ---- allocations ---- */

/* Whether the program may access [va, va + bytes). Keeps the span of addresses that have the same
 * answer. */
static bool is_valid(state_t *s, const isa_wave_t *w, uint64_t va, uint32_t bytes, bool writes)
{
    const sg_memory_t *m = w->group->dispatch->memory;
    const sg_extent_t *e = sg_memory_find(m, va);
    span_t span = {.writes = writes};
    if (!e) return false;
    const chk_where_t where = chk_place_find(va, e->begin, e->end, e->flags & SG_MEM_SVM, &span.at);
    if (where == CHK_OUTSIDE) return false;
    if (where == CHK_INSIDE) {
        span.writes = true;
    } else {
        if (writes && sg_code_at(e, va, &span.at.begin, &span.at.end)) return false;
        /* only kernels of the runtime are in no code object: they copy code objects as a whole */
        if (chk_code_is_at(m, w->group->dispatch->entry_pc) && chk_code_gap(m, va, &span.at))
            return false;
    }
    s->span[s->next_span++ % SPANS] = span;
    return bytes <= span.at.end - va;
}

static bool is_good(state_t *s, const isa_wave_t *w, uint64_t va, uint32_t bytes, bool writes)
{
    for (unsigned k = 0; k < SPANS; k++) {
        const chk_span_t *p = &s->span[k].at;
        if (va - p->begin < p->end - p->begin && bytes <= p->end - va &&
            (!writes || s->span[k].writes))
            return true;
    }
    return is_valid(s, w, va, bytes, writes);
}

/* Drops the cached spans if an allocation or a mapping has changed since. */
static void renew(state_t *s, const isa_wave_t *w)
{
    const uint64_t places = chk_places_epoch(),
                   memory = sg_memory_epoch(w->group->dispatch->memory);
    if (s->places == places && s->memory == memory) return;
    memset(s->span, 0, sizeof s->span);
    s->places = places;
    s->memory = memory;
}

static bool writes(const access_t *x)
{
    return x->op->access != SGC_READ;
}

/* Reports the lanes with an invalid access (0: the wave as a whole); `va`: address of the first of
 * them. */
static void report(const access_t *x, chk_kind_t kind, uint32_t bytes, uint64_t lanes, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(x->wave->group->dispatch->memory, va);
    uint64_t begin, end;
    if (kind != CHK_KIND_MISALIGNED && writes(x) && e && sg_code_at(e, va, &begin, &end))
        kind = CHK_KIND_CODE;
    chk_finding_t f = lanes ? chk_finding_lanes(x->group, x->wave, x->inst, kind, lanes)
                            : chk_finding(x->group, x->wave, x->inst, kind);
    f.bytes = bytes;
    f.va = va;
    f.at_address = kind != CHK_KIND_CODE;
    chk_memory_report(&f);
}

/* Whether all lanes, the inactive ones too, are in the span. Needs no branch per lane. */
static bool contains_all(const chk_span_t *p, const sgc_lanes_t *a)
{
    uint64_t outside = 0;
    if (p->end - p->begin < a->bytes || a->dword_step != 4) return false;
    for (unsigned l = 0; l < ISA_LANES; l++)
        outside |= (a->va[l] - p->begin) | (p->end - a->bytes - a->va[l]);
    return !(outside >> 63);
}

/* Whether a lane's access is valid. Compilers change bytes and halves by atomic accesses to the
 * dword around them, which they load first: such an access is valid if the dword's first or last
 * byte is. */
static bool is_right(const access_t *x, uint64_t va, uint32_t bytes)
{
    if (is_good(x->state, x->wave, va, bytes, writes(x))) return true;
    if (bytes != 4 || va & 3 || x->op->access == SGC_WRITE) return false;
    return is_good(x->state, x->wave, va, 1, writes(x)) ||
           is_good(x->state, x->wave, va + 3, 1, writes(x));
}

/* The lanes whose access through a buffer is in the buffer's range and in no allocation. The
 * hardware suppresses accesses beyond the range. */
static uint64_t bad_of_buffer(const access_t *x, const sgc_lanes_t *a, uint64_t *first)
{
    const uint32_t bytes = a->bytes, part = bytes < 4 ? bytes : 4;
    uint64_t bad = 0;
    for (uint32_t k = 0; k < bytes; k += part)
        for (uint64_t lanes = sgc_buffer_inside(x->wave, x->inst, x->op, a->exec, k, part); lanes;
             lanes &= lanes - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(lanes);
            const uint64_t at = a->va[lane] + (uint64_t)k / 4 * a->dword_step;
            if (bad >> lane & 1 || is_right(x, at, part)) continue;
            if (!bad || lane < (unsigned)__builtin_ctzll(bad)) *first = at;
            bad |= UINT64_C(1) << lane;
        }
    return bad;
}

static uint64_t bad_lanes(const access_t *x, const sgc_lanes_t *a, uint64_t *first)
{
    uint64_t bad = 0;
    if (x->op->buffer) return bad_of_buffer(x, a, first);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (is_right(x, a->va[lane], a->bytes)) continue;
        if (!bad) *first = a->va[lane];
        bad |= UINT64_C(1) << lane;
    }
    return bad;
}

static bool are_good(const access_t *x, const sgc_lanes_t *a)
{
    state_t *s = x->state;
    if (a->even)
        return is_good(s, x->wave, a->va[0], (uint32_t)((ISA_LANES - 1) * a->step + a->bytes),
                       writes(x));
    for (unsigned k = 0; k < SPANS; k++)
        if ((!writes(x) || s->span[k].writes) && contains_all(&s->span[k].at, a)) return true;
    return false;
}

static void check_alignment(const access_t *x, sgc_lanes_t *a)
{
    uint64_t bad = 0;
    if (a->even && !((a->va[0] | a->step) & (a->bytes - 1))) return;
    sgc_lanes_spread(a);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (a->va[lane] & (a->bytes - 1)) bad |= UINT64_C(1) << lane;
    }
    if (bad) report(x, CHK_KIND_MISALIGNED, a->bytes, bad, a->va[__builtin_ctzll(bad)]);
}

/* The quick test for most loads and stores: all lanes are in one cached span. False: each lane has
 * to be tested. */
static bool global_is_inside(const access_t *x)
{
    const isa_inst_t *i = x->inst;
    const isa_row_t *rows = x->wave->vgpr + i->src[0].reg;
    uint64_t base = (uint64_t)(int64_t)i->imm;
    if (i->fmt != ISA_FMT_GLOBAL || i->src[0].kind != ISA_OPK_VGPR || i->flags & ISA_F_LDS ||
        x->op->access == SGC_ATOMIC)
        return false;
    if (i->flags & ISA_F_SADDR) {
        const uint32_t *s = &x->wave->sgpr[i->src[2].reg];
        if (i->src[2].kind != ISA_OPK_SGPR) return false;
        base += s[0] | (uint64_t)s[1] << 32;
    } else {
        if (!none_outside(rows[1], rows[1][0], 0)) return false;
        base += (uint64_t)rows[1][0] << 32;
    }
    for (unsigned k = 0; k < SPANS; k++) {
        const chk_span_t *p = &x->state->span[k].at;
        if (base + rows[0][0] - p->begin >= p->end - p->begin) continue;
        const uint64_t begin = p->begin > base ? p->begin : base, first = begin - base;
        if (begin + x->op->bytes > p->end || (writes(x) && !x->state->span[k].writes)) continue;
        uint64_t more = p->end - x->op->bytes - begin;
        if (more > INT32_MAX) more = INT32_MAX;
        if (first <= UINT32_MAX - more && none_outside(rows[0], (uint32_t)first, (uint32_t)more))
            return true;
    }
    return false;
}

/* The kinds of memory (SG_MEM_*) on which an atomic instruction has no effect. */
static uint32_t ignored_on(const isa_arch_t *arch, unsigned op)
{
    if (arch->float_atomics) return 0;
    switch (op) {
#define IGNORED(suffix, bits, what, ignored)                                                       \
    case ISA_OP_flat_atomic_##suffix:                                                              \
    case ISA_OP_global_atomic_##suffix:                                                            \
    case ISA_OP_buffer_atomic_##suffix: return ignored;
        ISA_ATOMICS(IGNORED)
        ISA_ATOMICS_FLOAT(IGNORED)
#undef IGNORED
    default: return 0;
    }
}

static void check_floats(const access_t *x, sgc_lanes_t *a)
{
    const uint32_t ignored = ignored_on(x->wave->group->dispatch->arch, x->inst->op);
    const sg_memory_t *m = x->wave->group->dispatch->memory;
    uint64_t lost = 0;
    if (!ignored) return;
    sgc_lanes_spread(a);
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const sg_extent_t *e = sg_memory_find(m, a->va[lane]);
        if (e && e->flags & ignored) lost |= UINT64_C(1) << lane;
    }
    if (lost) report(x, CHK_KIND_FLOAT_ATOMIC, a->bytes, lost, a->va[__builtin_ctzll(lost)]);
}

static void check_lanes(const access_t *x, sgc_lanes_t *a)
{
    if (!are_good(x, a)) {
        uint64_t first = 0;
        sgc_lanes_spread(a);
        const uint64_t bad = bad_lanes(x, a, &first);
        if (bad) report(x, memory_kinds[x->op->access], a->bytes, bad, first);
    }
    if (x->op->access != SGC_ATOMIC) return;
    check_alignment(x, a);
    check_floats(x, a);
}

/* ---- scratch and LDS ---- */

/* Reports the lanes whose offset is beyond their memory of `room` bytes. */
static void check_offsets(const access_t *x, const uint64_t *offset, uint64_t exec, uint32_t bytes,
                          uint32_t room, const chk_kind_t *kinds, const char *whose)
{
    const uint64_t bad = isa_lanes_outside(offset, exec, bytes, room);
    if (!bad) return;
    char more[96];
    snprintf(more, sizeof more, "offset %lld; the %s has %u byte%s",
             (long long)offset[__builtin_ctzll(bad)], whose, room, base_plural(room));
    chk_finding_t f = chk_finding_lanes(x->group, x->wave, x->inst, kinds[x->op->access], bad);
    f.bytes = bytes;
    f.more = more;
    chk_report(&f);
}

/* Whether all lanes load from one address beyond any workgroup's LDS. They get 0 there; Tensile
 * uses that to clear its sums ("LdsInitCVgprs"). */
static bool is_zero_by_hardware(const access_t *x, const sgc_lanes_t *a)
{
    const uint32_t most = x->wave->group->dispatch->arch->group_lds;
    if (x->op->access != SGC_READ || ~a->exec || a->va[0] < most) return false;
    for (unsigned l = 1; l < ISA_LANES; l++)
        if (a->va[l] != a->va[0]) return false;
    return true;
}

static void check_lds(const access_t *x, sgc_lanes_t *a)
{
    const uint32_t room = x->group->dispatch->lds_bytes;
    if (a->even && a->va[0] + (ISA_LANES - 1) * (uint64_t)a->step + a->bytes <= room) return;
    sgc_lanes_spread(a);
    if (is_zero_by_hardware(x, a)) return;
    check_offsets(x, a->va, a->exec, a->bytes, room, lds_kinds, "workgroup");
}

/* Checks addresses in scratch, where the same dwords of a wave's lanes are adjacent. */
static void check_scratch(const access_t *x, const sgc_lanes_t *a)
{
    const uint64_t base = x->wave->scratch_base;
    const uint32_t room = x->group->dispatch->scratch_bytes;
    uint64_t offset[ISA_LANES], outside = 0;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const int64_t from = (int64_t)(a->va[l] - base);
        offset[l] = (uint64_t)((from >> 8) * 4 | (from & 3));
        outside |= offset[l] | ((uint64_t)room - a->bytes - offset[l]);
    }
    if (outside >> 63) check_offsets(x, offset, a->exec, a->bytes, room, scratch_kinds, "lane");
}

/* Whether the instruction accesses scratch by other means than an aperture. */
static bool is_scratch(const access_t *x)
{
    isa_buffer_t b;
    if (x->inst->fmt == ISA_FMT_SCRATCH) return true;
    if (!x->op->buffer) return false;
    isa_address_descriptor(x->wave, &x->wave->sgpr[x->inst->src[2].reg], x->op->formatted, &b);
    return isa_buffer_kind(&b, x->inst) == ISA_BUFFER_PRIVATE && b.swizzle &&
           b.base == x->wave->scratch_base;
}

/* ---- scalar memory ---- */

/* How many bytes of a scalar load have to be valid. Compilers load a power of two of dwords
 * although the program uses only somewhat more than half of them, and perhaps only a byte of the
 * last one. Loading the rest does no harm if no page can end in between (`safe`). */
static uint32_t needed(const access_t *x, bool safe, uint32_t bytes)
{
    if (writes(x)) return bytes;
    return (safe ? bytes / 8 * 4 : bytes - 4) + 1;
}

static void check_scalar(const access_t *x)
{
    const isa_wave_t *w = x->wave;
    const chk_dispatch_t *d = x->group->dispatch;
    const isa_scalar_place_t p =
        x->op->buffer
            ? isa_address_scalar_buffer(w, x->inst)
            : isa_address_scalar(w, x->inst, x->op->scratch ? ISA_SCALAR_SCRATCH_UNIT : 1);
    const uint64_t va = p.base + p.offset;
    uint32_t bytes = x->op->bytes;
    if (x->op->buffer) {
        if (!isa_scalar_inside(&p, p.offset)) return;
        if (p.limit - p.offset < bytes) bytes = (uint32_t)isa_scalar_dwords(p.limit - p.offset);
    }
    const uint32_t *base = &w->sgpr[x->inst->src[0].reg];
    if (d->kernarg_bytes && !x->op->buffer && (base[0] | (uint64_t)base[1] << 32) == d->kernarg &&
        !writes(x)) {
        const uint64_t offset = va - d->kernarg;
        const uint32_t whole = (uint32_t)base_round_up(d->kernarg_bytes, ARGUMENTS_ALIGN);
        if (offset < d->kernarg_bytes && offset + needed(x, true, bytes) <= whole) return;
        char more[96];
        snprintf(more, sizeof more, "offset %lld; there are %u bytes of arguments",
                 (long long)offset, d->kernarg_bytes);
        chk_finding_t f = chk_finding(x->group, w, x->inst, CHK_KIND_ARGUMENTS);
        f.bytes = bytes;
        f.more = more;
        chk_report(&f);
        return;
    }
    const uint32_t need = bytes == x->op->bytes ? needed(x, !(va & (bytes - 1)), bytes) : bytes;
    renew(x->state, w);
    if (!is_good(x->state, w, va, need, writes(x)))
        report(x, memory_kinds[x->op->access], bytes, 0, va);
}

/* ---- instructions ---- */

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    const access_t x = {g, state, w, i, &sgc_ops_table[i->op]};
    if (x.op->unit == ISA_UNIT_SCALAR) {
        check_scalar(&x);
    } else if (!w->exec) {
        return;
    } else if (x.op->unit == ISA_UNIT_VECTOR) {
        renew(state, w);
        if (global_is_inside(&x)) return;
        sgc_reach_t *r = chk_reach(g, w, i);
        if (r->memory.exec && is_scratch(&x))
            check_scratch(&x, &r->memory);
        else
            for (unsigned k = 0; r->memory.exec && k < sgc_reach_parts(r); k++)
                check_lanes(&x, sgc_reach_part(r, k));
        if (r->own.exec) check_scratch(&x, &r->own);
        if (r->lds.exec) check_lds(&x, &r->lds);
    } else if (!sgc_lds_within(w, i, x.op, g->dispatch->lds_bytes)) {
        unsigned n;
        sgc_lanes_t *a = chk_lds_reach(g, w, i, &n);
        for (unsigned k = 0; k < n; k++)
            check_lds(&x, &a[k]);
    }
}

/* Drops the cached spans: the last workgroup may have run on another GPU, which has memory of its
 * own. */
static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    (void)g;
    (void)group;
    memset(state, 0, sizeof(state_t));
}

const chk_part_t chk_memory_part = {.family = CHK_MEMORY,
                                    .bytes = sizeof(state_t),
                                    .wants = wants,
                                    .start = start,
                                    .before = before,
                                    .transfer = chk_memory_transfer};
