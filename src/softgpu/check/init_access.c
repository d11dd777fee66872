/* init_access.c - moves shadows between registers and memory, for loads, stores and atomic
 * operations.
 *
 * LDS and scratch have a shadow bit for every bit. Global memory has one for every byte, which
 * counts as undefined if all of its bits are. Most accesses are of adjacent lanes with nothing
 * undefined: one test of the shadow settles those. */
#include "softgpu/check/init.h"

#include "base/round.h"
#include "softgpu/exec/address.h"
#include "softgpu/exec/transpose.h"

#include <string.h>

enum { DWORDS = 4 };

/* The place of an element in its register, by ISA_OP_*. */
static struct {
    uint8_t bytes; /* 1 or 2: the element is a part of a dword; 0: whole dwords */
    uint8_t shift; /* position of that part in the register, in bits */
    bool is_signed, exchanges;
} rules[ISA_OP_COUNT];

void chk_access_rules(void)
{
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const uint32_t marks = isa_table[op].marks;
        const sgc_op_t *o = &sgc_ops_table[op];
        if (o->unit == ISA_UNIT_NONE) continue;
        rules[op].bytes = o->bytes < 4 ? o->bytes : 0;
        rules[op].shift = marks & ISA_IS_HIGH ? 16 : 0;
        rules[op].is_signed = marks & ISA_IS_SIGNED;
        rules[op].exchanges = marks & ISA_IS_EXCHANGE;
    }
}

/* ---- the three memories ---- */

typedef enum { GLOBAL, LOCAL, SCRATCH } room_t;

typedef struct {
    chk_init_t *s;
    chk_shadow_t *h;
    const isa_wave_t *w;
    const isa_inst_t *i;
    const sgc_op_t *op;
    room_t room;
    uint64_t pc;
} access_t;

/* Whether `bytes` bytes from `va` on are in the wave's scratch. */
static inline bool in_scratch(const isa_wave_t *w, uint64_t va, uint32_t bytes)
{
    return bytes <= w->scratch_bytes && va - w->scratch_base <= w->scratch_bytes - bytes;
}

/* The shadow byte of an offset in the wave's scratch. A page that the wave has not used yet becomes
 * undefined first. */
static uint8_t *scratch_at(chk_shadow_t *h, uint32_t at)
{
    const uint32_t page = at / CHK_SCRATCH_PAGE;
    if (h->scratch_page[page] != h->page_number) {
        memset(h->scratch + (size_t)page * CHK_SCRATCH_PAGE, 0xff, CHK_SCRATCH_PAGE);
        h->scratch_page[page] = h->page_number;
    }
    return h->scratch + at;
}

/* The shadow bytes of up to a dword of adjacent bytes in LDS or scratch. NULL: the address is out
 * of range, where all bytes count as defined. */
static uint8_t *shadow_at(const access_t *a, uint64_t va, uint32_t bytes)
{
    if (a->room == LOCAL) return va + bytes <= a->s->lds_bytes ? a->s->lds + va : NULL;
    return in_scratch(a->w, va, bytes) ? scratch_at(a->h, (uint32_t)(va - a->w->scratch_base))
                                       : NULL;
}

/* ---- origins of undefined values in LDS and scratch ---- */

static uint32_t number_of(chk_init_t *s, const chk_origin_t *from)
{
    const chk_origin_t *last = s->n_origins ? &s->origin[s->n_origins - 1] : NULL;
    const bool same = last && last->from == from->from && last->at == from->at &&
                      last->pc == from->pc && last->wave == from->wave;
    if (!same && s->n_origins < CHK_ORIGINS) s->n_origins++;
    if (!same && s->n_origins < CHK_ORIGINS) s->origin[s->n_origins - 1] = *from;
    return s->n_origins;
}

/* The element that holds the origin number of a dword. NULL: the address is out of range, or `keep`
 * is false and no number has been stored yet. */
static uint32_t *number_at(const access_t *a, uint64_t va, bool keep)
{
    chk_init_t *s = a->s;
    chk_shadow_t *h = a->h;
    if (a->room == LOCAL) {
        if (va >= s->lds_bytes || !(s->lds_named || keep)) return NULL;
        if (!s->lds_named) memset(s->lds_from, 0, base_round_up(s->lds_bytes, 4));
        s->lds_named = true;
        return &s->lds_from[va / 4];
    }
    if (!in_scratch(a->w, va, 1)) return NULL;
    const uint64_t at = va - a->w->scratch_base, page = at / CHK_SCRATCH_PAGE;
    if (h->scratch_from_page[page] != h->page_number) {
        if (!keep) return NULL;
        memset((uint8_t *)h->scratch_from + page * CHK_SCRATCH_PAGE, 0, CHK_SCRATCH_PAGE);
        h->scratch_from_page[page] = h->page_number;
    }
    return &h->scratch_from[at / 4];
}

/* Records the origin of an undefined value that is stored in up to four bytes. */
static void name_bits(const access_t *a, uint64_t va, uint32_t bytes, const chk_origin_t *from)
{
    for (uint64_t at = va & ~UINT64_C(3); at < va + bytes; at += 4) {
        uint32_t *number = number_at(a, at, true);
        if (number) *number = number_of(a->s, from);
    }
}

static void read_bits(const access_t *a, uint64_t va, uint32_t step, uint32_t bytes, uint32_t *u)
{
    memset(u, 0, DWORDS * sizeof *u);
    if (a->room == GLOBAL) {
        chk_bytes_t *b = chk_bytes_find(&a->s->memo, va);
        uint32_t unwritten = b ? chk_bytes_unwritten(b, va, bytes) : 0;
        for (uint8_t *at = (uint8_t *)u; unwritten; at++, unwritten >>= 1)
            if (unwritten & 1) *at = 0xff;
        return;
    }
    for (uint32_t k = 0; 4 * k < bytes; k++) {
        const uint32_t n = bytes - 4 * k < 4 ? bytes - 4 * k : 4;
        const uint8_t *at = shadow_at(a, va + (uint64_t)k * step, n);
        if (at) memcpy(&u[k], at, n);
    }
}

/* Stores the shadow `u` of an element. `data`: the value about to be stored; `from`: the origins of
 * its undefined bits, for each dword that has any. */
static void write_bits(const access_t *a, uint64_t va, uint32_t step, uint32_t bytes,
                       const uint32_t *u, const uint32_t *data, const chk_origin_t *const *from)
{
    if (a->room == GLOBAL) {
        chk_bytes_t *b = chk_bytes_find(&a->s->memo, va);
        uint32_t undefined = 0;
        for (uint32_t k = 0; b && k < bytes; k++)
            undefined |= (uint32_t)(((const uint8_t *)u)[k] == 0xff) << k;
        if (b && (undefined || (va | bytes) & 3))
            chk_bytes_store(b, va, (const uint8_t *)data, bytes, undefined);
        else if (b)
            chk_bytes_write(b, va, bytes);
        return;
    }
    for (uint32_t k = 0; 4 * k < bytes; k++) {
        const uint32_t n = bytes - 4 * k < 4 ? bytes - 4 * k : 4;
        uint8_t *at = shadow_at(a, va + (uint64_t)k * step, n);
        if (!at) continue;
        memcpy(at, &u[k], n);
        if (u[k]) name_bits(a, va + (uint64_t)k * step, n, from[k]);
    }
}

/* The origin of the first undefined byte of a lane's element. */
static chk_origin_t origin_at(const access_t *a, unsigned lane, uint64_t va, uint32_t step,
                              const uint32_t *u)
{
    static const chk_from_t from[] = {
        [GLOBAL] = CHK_FROM_MEMORY, [LOCAL] = CHK_FROM_LDS, [SCRATCH] = CHK_FROM_SCRATCH};
    unsigned byte = 0;
    while (byte < 4 * DWORDS - 1 && !((const uint8_t *)u)[byte])
        byte++;
    const uint64_t at = va + (uint64_t)(byte / 4) * step + byte % 4;
    const uint32_t *number = a->room == GLOBAL ? NULL : number_at(a, at, false);
    if (number && *number) return a->s->origin[*number - 1];
    return (chk_origin_t){.from = from[a->room],
                          .at = at,
                          .pc = a->pc,
                          .wave = (uint16_t)a->w->index_in_group,
                          .lane = (uint8_t)lane};
}

/* ---- loads ---- */

typedef struct {
    isa_row_t u[DWORDS];
    bool some;
    chk_origin_t from;
} loaded_t;

/* Calls the function with the element's size as a constant, so that its loop over the lanes is
 * compiled for each size. */
#define EACH_SIZE(function, bytes, ...)                                                            \
    switch (bytes) {                                                                               \
    case 1: return function(__VA_ARGS__, 1);                                                       \
    case 2: return function(__VA_ARGS__, 2);                                                       \
    case 4: return function(__VA_ARGS__, 4);                                                       \
    case 8: return function(__VA_ARGS__, 8);                                                       \
    case 16: return function(__VA_ARGS__, 16);                                                     \
    default: return function(__VA_ARGS__, bytes);                                                  \
    }

static inline uint64_t lds_bits(const uint8_t *at, uint32_t bytes)
{
    uint64_t x[2] = {0, 0};
    memcpy(x, at, bytes);
    return x[0] | x[1];
}

static inline __attribute__((always_inline)) bool lds_clear(const access_t *a, const sgc_lanes_t *l,
                                                            const uint32_t bytes)
{
    const uint8_t *lds = a->s->lds;
    const uint64_t limit = a->s->lds_bytes;
    uint64_t some = 0;
    for (uint64_t left = l->exec; left; left &= left - 1) {
        const uint64_t va = l->va[__builtin_ctzll(left)];
        if (va + bytes > limit) return false;
        some |= lds_bits(lds + va, bytes);
    }
    return !some;
}

static inline __attribute__((always_inline)) bool
bytes_clear(const chk_bytes_t *b, const sgc_lanes_t *l, const uint32_t bytes)
{
    bool clear = true;
    for (uint64_t left = l->exec; left; left &= left - 1)
        clear &= chk_bytes_has(b, l->va[__builtin_ctzll(left)], bytes);
    return clear;
}

static bool is_lds_clear(const access_t *a, const sgc_lanes_t *l)
{
    if (a->s->lds_clear == UINT32_MAX) return true;
    EACH_SIZE(lds_clear, l->bytes, a, l)
}

static bool is_global_clear(const access_t *a, const sgc_lanes_t *l)
{
    const unsigned first = l->even ? 0 : (unsigned)__builtin_ctzll(l->exec);
    chk_bytes_t *b = chk_bytes_find(&a->s->memo, l->va[first]);
    if (!b) return l->even || chk_bytes_none(&a->s->memo, l);
    if (l->even)
        return chk_bytes_whole(b, l->va[0], (ISA_LANES - 1) * (uint64_t)l->step + l->bytes);
    EACH_SIZE(bytes_clear, l->bytes, b, l)
}

/* Whether all bytes that the lanes access are defined. False may also mean: each lane has to be
 * tested. */
static bool is_clear(const access_t *a, const sgc_lanes_t *l)
{
    if (a->room == SCRATCH) return false;
    return a->room == GLOBAL ? is_global_clear(a, l) : is_lds_clear(a, l);
}

/* The undefined bits of the lowest `width` bits, extended with the sign or with zeros. */
static uint32_t extend(uint32_t u, unsigned width, bool is_signed)
{
    u &= (1u << width) - 1;
    return is_signed && u >> (width - 1) ? u | ~0u << width : u;
}

/* The undefined bits of a part of a dword, extended as the load extends the value in the
 * register. */
static uint32_t widen(const access_t *a, uint32_t u)
{
    const unsigned op = a->i->op, width = 8u * rules[op].bytes;
    if (a->op->kind == ISA_ACCESS_DIRECT) {
        const isa_lds_direct_t d = isa_address_lds_direct(a->w->m0);
        return d.bytes < 4 ? extend(u, 8u * d.bytes, d.is_signed) : u;
    }
    if (!width) return u;
    u = extend(u, width, rules[op].is_signed);
    if (rules[op].is_signed && isa_table[op].marks & ISA_IS_D16) u &= 0xffff;
    return u << rules[op].shift;
}

static void load_lanes(const access_t *a, sgc_lanes_t *l, loaded_t *r)
{
    uint32_t u[DWORDS];
    if (!l->exec || is_clear(a, l)) return;
    sgc_lanes_spread(l);
    for (uint64_t left = l->exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        read_bits(a, l->va[lane], l->dword_step, l->bytes, u);
        if (!(u[0] | u[1] | u[2] | u[3])) continue;
        if (!r->some) {
            memset(r->u, 0, sizeof r->u);
            r->from = origin_at(a, lane, l->va[lane], l->dword_step, u);
            r->some = true;
        }
        for (unsigned k = 0; k < DWORDS; k++)
            r->u[k][lane] = k ? u[k] : widen(a, u[0]);
    }
}

/* Sets the shadow of the registers that these lanes have loaded: `dwords` registers of dst from
 * number `first` on. */
static void loaded(const access_t *a, const loaded_t *r, uint64_t lanes, unsigned first,
                   unsigned dwords)
{
    const isa_operand_t *o = &a->i->dst;
    if (!isa_is_row(o)) return;
    for (unsigned k = 0; k < dwords; k++) {
        const unsigned row = chk_row_of(a->h, o) + first + k;
        if (r->some && k < DWORDS)
            chk_row_set(a->h, row, lanes, r->u[k], &r->from);
        else
            a->h->some[row] &= ~lanes;
    }
}

/* ---- stores ---- */

static void note(chk_wrong_t *wrong, unsigned lane, const chk_origin_t *from)
{
    if (!wrong->lanes) wrong->from = *from;
    wrong->lanes |= UINT64_C(1) << lane;
}

static inline __attribute__((always_inline)) bool lds_write(const access_t *a, const sgc_lanes_t *l,
                                                            const uint32_t bytes)
{
    for (uint64_t left = l->exec; left; left &= left - 1) {
        const uint64_t va = l->va[__builtin_ctzll(left)];
        if (va + bytes <= a->s->lds_bytes) memset(a->s->lds + va, 0, bytes);
    }
    return true;
}

/* Stores of defined values. False: each lane has to be tested. */
static bool write_clear(const access_t *a, sgc_lanes_t *l)
{
    if (a->room == LOCAL) {
        if (a->s->lds_clear == UINT32_MAX) return true;
        EACH_SIZE(lds_write, l->bytes, a, l)
    }
    if (a->room == GLOBAL && l->even && l->step == l->bytes && !(l->va[0] & 3)) {
        chk_bytes_t *b = chk_bytes_find(&a->s->memo, l->va[0]);
        if (b) chk_bytes_write(b, l->va[0], (uint64_t)ISA_LANES * l->bytes);
        return true;
    }
    return a->room == GLOBAL && is_global_clear(a, l);
}

static void store_lanes(const access_t *a, sgc_lanes_t *l, const isa_operand_t *data,
                        chk_access_t *found)
{
    const unsigned dwords = (l->bytes + 3) / 4, row = chk_row_of(a->h, data),
                   shift = rules[a->i->op].shift;
    const uint64_t some = chk_operand_some(a->h, data) & l->exec;
    isa_row_t u[DWORDS];
    if (!l->exec || !isa_is_row(data)) return;
    if (!some && write_clear(a, l)) return;
    if (some && a->room == LOCAL) a->s->lds_clear = 0;
    sgc_lanes_spread(l);
    for (unsigned k = 0; some && k < dwords; k++)
        chk_row_get(a->h, row + k, u[k]);
    for (uint64_t left = l->exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t bits[DWORDS] = {0}, value[DWORDS] = {0};
        const chk_origin_t *from[DWORDS] = {0};
        for (unsigned k = 0; k < dwords; k++) {
            value[k] = a->w->vgpr[row + k][lane] >> shift;
            if (!some) continue;
            bits[k] = u[k][lane] >> shift;
            from[k] = chk_row_from(a->h, row + k, UINT64_C(1) << lane);
        }
        if (l->bytes < 4) bits[0] &= (1u << 8 * l->bytes) - 1;
        if (a->room == GLOBAL && (bits[0] | bits[1] | bits[2] | bits[3]))
            note(&found->stored, lane, chk_operand_from(a->h, data, UINT64_C(1) << lane));
        write_bits(a, l->va[lane], l->dword_step, l->bytes, bits, value, from);
    }
}

/* ---- atomic operations ---- */

static void change_lanes(const access_t *a, sgc_lanes_t *l, const isa_operand_t *data, loaded_t *r,
                         chk_access_t *found)
{
    const unsigned dwords = l->bytes / 4, row = chk_row_of(a->h, data);
    const bool exchanges = rules[a->i->op].exchanges;
    const uint64_t some = isa_is_row(data) ? chk_operand_some(a->h, data) & l->exec : 0;
    static const uint32_t all[DWORDS] = {~0u, ~0u, ~0u, ~0u};
    if (!l->exec || dwords > 2 || (!some && is_clear(a, l))) return;
    sgc_lanes_spread(l);
    for (uint64_t left = l->exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t old[DWORDS], value[DWORDS] = {0}, bits[DWORDS] = {0};
        const chk_origin_t *from[DWORDS] = {0};
        read_bits(a, l->va[lane], l->dword_step, l->bytes, old);
        for (unsigned k = 0; k < dwords && isa_is_row(data); k++)
            value[k] = a->w->vgpr[row + k][lane];
        if ((old[0] | old[1]) && exchanges) {
            if (!r->some) {
                memset(r->u, 0, sizeof r->u);
                r->from = origin_at(a, lane, l->va[lane], l->dword_step, old);
                r->some = true;
            }
            r->u[0][lane] = old[0];
            r->u[1][lane] = old[1];
        } else if (old[0] | old[1]) {
            const chk_origin_t there = origin_at(a, lane, l->va[lane], l->dword_step, old);
            note(&found->changed, lane, &there);
        }
        if (some >> lane & 1) {
            if (a->room == LOCAL) a->s->lds_clear = 0;
            memcpy(bits, all, dwords * sizeof *bits);
            for (unsigned k = 0; k < dwords; k++)
                from[k] = chk_operand_from(a->h, data, UINT64_C(1) << lane);
            if (a->room == GLOBAL)
                note(&found->stored, lane, chk_operand_from(a->h, data, UINT64_C(1) << lane));
        }
        /* global memory counts as defined afterwards: an undefined operand has been recorded
         * above */
        if (!exchanges && a->room == GLOBAL) memset(bits, 0, sizeof bits);
        write_bits(a, l->va[lane], l->dword_step, l->bytes, bits, value, from);
    }
}

/* ---- instructions ---- */

static void access_room(access_t *a, sgc_lanes_t *l, const isa_operand_t *data, loaded_t *r,
                        chk_access_t *found)
{
    if (a->op->formatted) {
        if (a->op->access == SGC_READ || a->room != GLOBAL) return;
        sgc_lanes_spread(l);
        for (uint64_t left = l->exec; left; left &= left - 1) {
            const uint64_t va = l->va[__builtin_ctzll(left)];
            chk_bytes_t *b = chk_bytes_find(&a->s->memo, va);
            if (b) chk_bytes_write(b, va, l->bytes);
        }
        return;
    }
    if (a->op->access == SGC_READ)
        load_lanes(a, l, r);
    else if (a->op->access == SGC_WRITE)
        store_lanes(a, l, data, found);
    else
        change_lanes(a, l, data, r, found);
}

/* Moves the lanes of *l whose addresses are in the wave's scratch to *own. */
static void part_scratch(const isa_wave_t *w, sgc_lanes_t *l, sgc_lanes_t *own)
{
    own->exec = 0;
    if (!w->scratch_bytes || !l->exec) return;
    if (l->even && !in_scratch(w, l->va[0], 1)) return;
    sgc_lanes_spread(l);
    uint64_t in = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        in |= (uint64_t)in_scratch(w, l->va[lane], 1) << lane;
    if (!(in & l->exec)) return;
    *own = *l;
    own->exec &= in;
    l->exec &= ~in;
}

/* A transfer from memory to LDS: stores the shadows of the data of the lanes. */
static void into_lds(access_t *a, const loaded_t *r, const sgc_lanes_t *to)
{
    for (uint64_t left = to->exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned k = 0; k < to->bytes / 4; k++) {
            const uint32_t u = r->some ? r->u[k][lane] : 0, none = 0;
            const chk_origin_t *from = &r->from;
            if (u) a->s->lds_clear = 0;
            write_bits(a, to->va[lane] + 4 * k, 4, 4, &u, &none, &from);
        }
    }
}

/* The instruction moves loaded data between lanes: the shadows move along. */
static void move_across(const isa_inst_t *i, loaded_t *r, unsigned dwords)
{
    isa_row_t moved[DWORDS];
    if (r->some && isa_transpose_loaded(i->op, r->u, moved, dwords))
        memcpy(r->u, moved, dwords * sizeof *moved);
}

void chk_access_vector(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                       const isa_inst_t *i, chk_access_t *found)
{
    access_t a = {s, h, w, i, &sgc_ops_table[i->op], GLOBAL, i->pc};
    sgc_lanes_t own;
    loaded_t r;
    if (isa_tests_rays(&isa_table[i->op])) {
        chk_access_rays(s, h, w, i);
        return;
    }
    sgc_reach_t *reach = chk_reach(g, w, i);
    r.some = false;
    const uint64_t all =
        reach->memory.exec; /* all parts share the reach: its mask is restored below */
    part_scratch(w, &reach->memory, &own);
    if (reach->memory.exec) access_room(&a, &reach->memory, &i->src[1], &r, found);
    reach->memory.exec = all;
    a.room = SCRATCH;
    if (own.exec) access_room(&a, &own, &i->src[1], &r, found);
    if (reach->own.exec) access_room(&a, &reach->own, &i->src[1], &r, found);
    a.room = LOCAL;
    if (isa_loads_to_lds(i)) {
        into_lds(&a, &r, &reach->lds);
        return;
    }
    if (reach->lds.exec && a.op->kind != ISA_ACCESS_FROM_LDS)
        access_room(&a, &reach->lds, &i->src[1], &r, found);
    const bool returns =
        a.op->access == SGC_READ || (a.op->access == SGC_ATOMIC && i->flags & ISA_F_GLC);
    move_across(i, &r, DWORDS);
    if (returns) loaded(&a, &r, w->exec, 0, isa_operand_dwords(&i->dst));
}

void chk_access_lds(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                    const isa_inst_t *i, chk_access_t *found)
{
    access_t a = {s, h, w, i, &sgc_ops_table[i->op], LOCAL, i->pc};
    const bool returns = a.op->access == SGC_READ || a.op->returns;
    if (sgc_lds_within(w, i, a.op, s->lds_clear) &&
        !((chk_operand_some(h, &i->src[1]) | chk_operand_some(h, &i->src[2])) & w->exec)) {
        if (returns) chk_operand_define(h, &i->dst, w->exec);
        return;
    }
    unsigned n;
    sgc_lanes_t *lanes = chk_lds_reach(g, w, i, &n);
    loaded_t r;
    for (unsigned k = 0; k < n; k++) {
        const unsigned dwords = lanes[k].bytes < 4 ? 1 : lanes[k].bytes / 4;
        r.some = false;
        if (lanes[k].even) sgc_lanes_spread(&lanes[k]);
        access_room(&a, &lanes[k], &i->src[1 + k], &r, found);
        move_across(i, &r, dwords);
        if (returns) loaded(&a, &r, lanes[k].exec, k * dwords, dwords);
    }
    r.some = false;
    if (!n && isa_is_row(&i->dst)) loaded(&a, &r, w->exec, 0, isa_operand_dwords(&i->dst));
}

void chk_access_scalar(chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w, const isa_inst_t *i,
                       chk_access_t *found)
{
    access_t a = {s, h, w, i, &sgc_ops_table[i->op], GLOBAL, i->pc};
    const isa_scalar_place_t p =
        a.op->buffer ? isa_address_scalar_buffer(w, i)
                     : isa_address_scalar(w, i, a.op->scratch ? ISA_SCALAR_SCRATCH_UNIT : 1);
    const uint64_t va = p.base + p.offset;
    const isa_operand_t *o = a.op->access == SGC_READ ? &i->dst : &i->src[2];
    const unsigned n = isa_operand_dwords(o);
    chk_bytes_t *b = chk_bytes_find(&s->memo, va);
    if (a.op->access != SGC_READ) {
        if (chk_operand_some(h, o)) note(&found->stored, 0, chk_operand_from(h, o, 1));
        if (b && p.limit == UINT64_MAX)
            chk_bytes_write(b, va, a.op->access == SGC_WRITE ? 4 * n : a.op->bytes);
        if (a.op->access == SGC_ATOMIC && i->flags & ISA_F_GLC) chk_operand_define(h, &i->dst, 0);
        return;
    }
    memset(&h->scalar[o->reg], 0, n * sizeof *h->scalar);
    if (!b || a.op->scratch || chk_bytes_whole(b, va, 4 * n)) return;
    for (unsigned k = 0; k < n; k++) {
        uint32_t u[DWORDS];
        if (p.limit != UINT64_MAX && !isa_scalar_inside(&p, p.offset + 4 * k)) continue;
        read_bits(&a, va + 4 * k, 4, 4, u);
        const chk_origin_t from = origin_at(&a, CHK_NO_LANE, va + 4 * k, 4, u);
        chk_scalar_set(h, o->reg + k, u[0], &from);
    }
}
