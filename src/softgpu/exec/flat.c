/* flat.c - FLAT, GLOBAL and SCRATCH instructions: addresses, and a handler for each mnemonic.
 *
 * This file computes addresses; mem_lanes.c makes the accesses. FLAT makes an access for each
 * address space that its lanes are in: memory, the shared aperture (the workgroup's LDS), and the
 * private one (the lane's scratch). A new instruction is a line in the list of its kind. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/atomic.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/lds.h"
#include "softgpu/exec/mem_block.h"
#include "softgpu/exec/mem_lanes.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* Not inlined: computing 64 addresses takes much longer than a call, and all handlers of this file
 * share the code. */
#define SHARED static __attribute__((noinline))

SHARED void global_addresses(isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *a)
{
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    a->exec = w->exec;
    a->dword_step = 4;
    a->lds = false;
    if (i->flags & ISA_F_SADDR)
        isa_address_based(a->va, isa_read64(w, &i->src[2]) + (uint64_t)(int64_t)i->imm, v[0]);
    else
        isa_address_pairs(a->va, v, (uint64_t)(int64_t)i->imm);
}

SHARED void scratch_addresses(isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *a)
{
    a->exec = w->exec;
    a->dword_step = isa_scratch_dword_step(w);
    a->lds = false;
    isa_address_scratch_lanes(a->va, w, i);
}

SHARED isa_flat_lanes_t flat_addresses(isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *a)
{
    a->exec = w->exec;
    a->dword_step = 4;
    a->lds = false;
    isa_address_pairs(a->va, isa_row_of(w, &i->src[0]), (uint64_t)(int64_t)i->imm);
    return isa_address_flat_lanes(w, i);
}

/* The kind of access of an instruction, the same for all lanes. */
typedef struct {
    uint32_t bytes;  /* of an element */
    isa_row_t *zero; /* rows that get 0 where an LDS address is out of range, or NULL */
    unsigned zero_rows;
    enum { LOADS, STORES, UPDATES } kind;
} access_t;

/* A flat access is made in up to three steps, one for each address space. */
typedef struct {
    isa_lanes_t all, part;
    isa_flat_lanes_t lanes;
    unsigned step; /* isa_space_t */
} walk_t;

INLINE void flat_begin(isa_wave_t *w, const isa_inst_t *i, walk_t *f, const access_t *x)
{
    f->lanes = flat_addresses(w, i, &f->all);
    f->step = 0;
    if (__builtin_expect(f->lanes.in[ISA_SPACE_LDS] != 0, 0)) {
        if (x->kind == STORES && isa_ds_waits(w, i)) f->step = ISA_SPACES;
        if (x->kind == LOADS) isa_ds_reads(w);
    }
}

/* Limits *a to the lanes whose elements are in LDS. Other lanes load 0 and store nothing, as with
 * LDS instructions. */
static void take_inside(const isa_wave_t *w, isa_lanes_t *a, const access_t *x)
{
    const uint64_t outside = isa_lanes_outside(a->va, a->exec, x->bytes, w->group->lds_bytes);
    a->lds = true;
    a->exec &= ~outside;
    if (x->zero) isa_lanes_zero(x->zero, x->zero_rows, outside);
}

/* The lanes of the next step, or NULL. */
SHARED isa_lanes_t *flat_next(isa_wave_t *w, walk_t *f, const access_t *x)
{
    if (!f->step && f->lanes.in[ISA_SPACE_MEMORY] == f->all.exec) {
        f->step = ISA_SPACES;
        return &f->all;
    }
    while (f->step < ISA_SPACES) {
        const isa_space_t space = f->step++;
        if (!f->lanes.in[space]) continue;
        f->part = f->all;
        f->part.exec = f->lanes.in[space];
        f->part.dword_step = isa_address_flat_part(f->part.va, space, w);
        if (space == ISA_SPACE_LDS) take_inside(w, &f->part, x);
        return &f->part;
    }
    return NULL;
}

/* The statement `access` is executed with `a` as the lanes of an address space: up to three times
 * for FLAT, once for GLOBAL and SCRATCH. */
#define flat_ACCESS(x, access)                                                                     \
    walk_t walk;                                                                                   \
    flat_begin(w, i, &walk, &(x));                                                                 \
    for (isa_lanes_t * a; (a = flat_next(w, &walk, &(x)));)                                        \
    access
#define global_ACCESS(x, access)                                                                   \
    isa_lanes_t all, *a = &all;                                                                    \
    (void)x;                                                                                       \
    global_addresses(w, i, a);                                                                     \
    access
#define scratch_ACCESS(x, access)                                                                  \
    isa_lanes_t all, *a = &all;                                                                    \
    (void)x;                                                                                       \
    scratch_addresses(w, i, a);                                                                    \
    access

/* ---- the fast path, if all active lanes are in one extent: a test in 32-bit arithmetic ---- */

/* Whether the low address dwords of the active lanes, of which there is at least one, are `from` to
 * `from` + `span`, and their high ones are equal. */
INLINE bool lanes_fit(const isa_wave_t *w, const isa_inst_t *i, uint32_t from, uint32_t span)
{
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    const unsigned first = (unsigned)__builtin_ctzll(w->exec);
    if (isa_is_one_lane(w->exec)) return v[0][first] - from <= span;
    if (i->flags & ISA_F_SADDR) return isa_pairs_within(NULL, v[0], 0, from, span, w->exec);
    return isa_pairs_within(v[1], v[0], v[1][first], from, span, w->exec);
}

/* Host address to which a lane's low address dword is added, or NULL if the general path must be
 * taken. Addresses are base_va + low[l]: the high dwords of the active lanes are equal. */
SHARED uint8_t *extent_base(isa_wave_t *w, const isa_inst_t *i, uint32_t bytes, bool write)
{
    if (!w->exec) return NULL;
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    const uint32_t *low = v[0];
    const unsigned first = (unsigned)__builtin_ctzll(w->exec);

    uint64_t base_va = (uint64_t)(int64_t)i->imm;
    base_va += i->flags & ISA_F_SADDR ? isa_read64(w, &i->src[2]) : (uint64_t)v[1][first] << 32;

    /* the low dwords with which an element is inside the first lane's extent */
    const sg_extent_t *e = isa_mem_extent(w, base_va + low[first]);
    if (!e || base_va > e->end - bytes || (write && !(e->flags & SG_MEM_WRITABLE))) return NULL;
    const uint64_t least = e->begin > base_va ? e->begin - base_va : 0;
    const uint64_t most = e->end - bytes - base_va;
    if (least > UINT32_MAX) return NULL;
    const uint32_t from = (uint32_t)least;
    const uint32_t span = (most > UINT32_MAX ? UINT32_MAX : (uint32_t)most) - from;
    if (!lanes_fit(w, i, from, span)) return NULL;
    return (uint8_t *)((uintptr_t)e->host + (uintptr_t)(base_va - e->begin));
}

/* No extent holds an address in an aperture, so the fast path is never taken for one. */
#define flat_base   extent_base
#define global_base extent_base

/* Scratch is swizzled: this file has no fast path for it, but mem_lanes.c has. */
INLINE uint8_t *scratch_base(isa_wave_t *w, const isa_inst_t *i, uint32_t bytes, bool write)
{
    (void)w, (void)i, (void)bytes, (void)write;
    return NULL;
}

/* An access to adjacent elements is mostly followed by one to the next elements, by this wave or
 * the next one. The prefetcher of a host is too late for those, so they are prefetched here.
 * Prefetching never faults. */
INLINE void prefetch_behind(const uint8_t *next, uint32_t bytes, bool write)
{
    for (uint32_t line = 0; line < bytes; line += 64) {
        if (write)
            __builtin_prefetch(next + line, 1, 3);
        else
            __builtin_prefetch(next + line, 0, 3);
    }
}

INLINE void prefetch_next(const uint8_t *base, const uint32_t *low, unsigned n, bool write)
{
    const uint32_t bytes = 4 * n * ISA_LANES;
    if (low[ISA_LANES - 1] - low[0] != bytes - 4 * n) return;
    prefetch_behind(base + low[0] + bytes, bytes, write);
}

/* The same for bytes and words. They may have gaps between them, as the weights of blocks that
 * begin with a scale; as many bytes follow as there are from the first active lane's to the last
 * one's. There is an active lane. */
INLINE void prefetch_next_sub(const uint8_t *base, const uint32_t *low, uint64_t exec)
{
    /* 16 lines of the host, one for four lanes: of elements that are farther apart there would be
     * nearly as many prefetches as loads, of lines that may never be read */
    enum { MOST = 1024 };
    const uint32_t first = low[__builtin_ctzll(exec)], last = low[63 - __builtin_clzll(exec)];
    const uint32_t bytes = last - first;
    if (bytes < MOST) prefetch_behind(base + last, bytes, false);
}

/* ---- handlers ---- */

#define LOAD(space, suffix, n)                                                                     \
    ISA_NO_TSAN ISA_INST(space##_load_##suffix)                                                    \
    {                                                                                              \
        isa_row_t *rows = isa_row_of(w, &i->dst);                                                  \
        const uint8_t *base = space##_base(w, i, 4 * (n), false);                                  \
        if (base) {                                                                                \
            const uint32_t *low = *isa_row_of(w, &i->src[0]);                                      \
            prefetch_next(base, low, n, false);                                                    \
            isa_gather(base, low, w->exec, rows, n);                                               \
            return;                                                                                \
        }                                                                                          \
        const access_t x = {.bytes = 4 * (n), .zero = rows, .zero_rows = n};                       \
        space##_ACCESS(x, isa_lanes_load(w, a, rows, n));                                          \
    }

#define LOAD_SUB(space, suffix, kind)                                                              \
    ISA_NO_TSAN INLINE void space##_sub_##suffix(isa_wave_t *w, const isa_inst_t *i)               \
    {                                                                                              \
        isa_row_t *rows = isa_row_of(w, &i->dst);                                                  \
        const uint8_t *base = space##_base(w, i, 4, false);                                        \
        if (base) {                                                                                \
            const uint32_t *low = *isa_row_of(w, &i->src[0]);                                      \
            prefetch_next_sub(base, low, w->exec);                                                 \
            isa_gather_sub(base, low, w->exec, *rows, kind);                                       \
            return;                                                                                \
        }                                                                                          \
        const access_t x = {.bytes = isa_sub_bytes(kind), .zero = rows, .zero_rows = 1};           \
        space##_ACCESS(x, isa_lanes_load_sub(w, a, rows, kind));                                   \
    }                                                                                              \
    ISA_NO_TSAN ISA_INST(space##_load_##suffix)                                                    \
    {                                                                                              \
        isa_row_t old;                                                                             \
        const bool keeps = isa_sub_keeps(w, i, kind, old);                                         \
        space##_sub_##suffix(w, i);                                                                \
        if (keeps) isa_sub_keep(w, i, kind, old);                                                  \
    }

#define STORE(space, suffix, n)                                                                    \
    ISA_NO_TSAN ISA_INST(space##_store_##suffix)                                                   \
    {                                                                                              \
        uint8_t *base = space##_base(w, i, 4 * (n), true);                                         \
        if (base) {                                                                                \
            const uint32_t *low = isa_row_of(w, &i->src[0])[0];                                    \
            prefetch_next(base, low, n, true);                                                     \
            isa_scatter(base, low, w->exec, isa_row_of(w, &i->src[1]), n);                         \
            return;                                                                                \
        }                                                                                          \
        const access_t x = {.bytes = 4 * (n), .kind = STORES};                                     \
        space##_ACCESS(x, isa_lanes_store(w, a, isa_row_of(w, &i->src[1]), n));                    \
    }

#define STORE_SUB(space, suffix, n, right)                                                         \
    ISA_NO_TSAN ISA_INST(space##_store_##suffix)                                                   \
    {                                                                                              \
        const access_t x = {.bytes = n, .kind = STORES};                                           \
        space##_ACCESS(x, isa_lanes_store_sub(w, a, isa_row_of(w, &i->src[1]), n, right));         \
    }

#define MOVES(space)                                                                               \
    LOAD(space, dword, 1)                                                                          \
    LOAD(space, dwordx2, 2)                                                                        \
    LOAD(space, dwordx3, 3)                                                                        \
    LOAD(space, dwordx4, 4)                                                                        \
    LOAD_SUB(space, ubyte, ISA_SUB_U8)                                                             \
    LOAD_SUB(space, sbyte, ISA_SUB_I8)                                                             \
    LOAD_SUB(space, ushort, ISA_SUB_U16)                                                           \
    LOAD_SUB(space, sshort, ISA_SUB_I16)                                                           \
    LOAD_SUB(space, ubyte_d16, ISA_SUB_U8_D16)                                                     \
    LOAD_SUB(space, ubyte_d16_hi, ISA_SUB_U8_D16_HI)                                               \
    LOAD_SUB(space, sbyte_d16, ISA_SUB_I8_D16)                                                     \
    LOAD_SUB(space, sbyte_d16_hi, ISA_SUB_I8_D16_HI)                                               \
    LOAD_SUB(space, short_d16, ISA_SUB_B16_D16)                                                    \
    LOAD_SUB(space, short_d16_hi, ISA_SUB_B16_D16_HI)                                              \
    STORE(space, dword, 1)                                                                         \
    STORE(space, dwordx2, 2)                                                                       \
    STORE(space, dwordx3, 3)                                                                       \
    STORE(space, dwordx4, 4)                                                                       \
    STORE_SUB(space, byte, 1, 0)                                                                   \
    STORE_SUB(space, byte_d16_hi, 1, 16)                                                           \
    STORE_SUB(space, short, 2, 0)                                                                  \
    STORE_SUB(space, short_d16_hi, 2, 16)

MOVES(flat)
MOVES(global)
MOVES(scratch)

INLINE isa_row_t *returned_rows(isa_wave_t *w, const isa_inst_t *i)
{
    return i->flags & ISA_F_GLC ? isa_row_of(w, &i->dst) : NULL;
}

#define ATOMIC(space, suffix, bits)                                                                \
    ISA_INST(space##_atomic_##suffix)                                                              \
    {                                                                                              \
        if (!isa_alone(w, i)) return;                                                              \
        isa_row_t *dst = returned_rows(w, i);                                                      \
        const access_t x = {                                                                       \
            .kind = UPDATES, .bytes = bits / 8, .zero = dst, .zero_rows = bits / 32};              \
        space##_ACCESS(x, isa_lanes_atomic_##suffix(w, a, isa_row_of(w, &i->src[1]), dst));        \
    }

#define FLAT_AND_GLOBAL(suffix, bits, op, ignored)                                                 \
    ATOMIC(flat, suffix, bits) ATOMIC(global, suffix, bits)

ISA_ATOMICS(FLAT_AND_GLOBAL)
ISA_ATOMICS_FLOAT(FLAT_AND_GLOBAL)
#define GLOBAL_ONLY(suffix, bits, op, ignored) ATOMIC(global, suffix, bits)
ISA_ATOMICS_NOT_FLAT(GLOBAL_ONLY)
ISA_ATOMICS_LATER(FLAT_AND_GLOBAL)

/* ---- cache operations: the executor has no caches between a wave and memory ---- */

ISA_INST(global_inv) {}
ISA_INST(global_wb) {}
ISA_INST(global_wbinv) {}

/* ---- adjacent dwords, one for each lane ---- */

static void lane_addresses(isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *a)
{
    a->exec = w->exec;
    a->dword_step = 4;
    a->lds = false;
    isa_address_of_lanes(a->va, w, i);
}

ISA_INST(global_load_dword_addtid)
{
    isa_lanes_t a;
    lane_addresses(w, i, &a);
    isa_lanes_load(w, &a, isa_row_of(w, &i->dst), 1);
}

ISA_INST(global_store_dword_addtid)
{
    isa_lanes_t a;
    lane_addresses(w, i, &a);
    isa_lanes_store(w, &a, isa_row_of(w, &i->src[1]), 1);
}

/* ---- loads into LDS, which write no register ---- */

/* `sub`: the kind of a load of less than a dword, or NULL. */
INLINE void load_to_lds(isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *from, unsigned dwords,
                        const isa_sub_t *sub)
{
    isa_row_t rows[4] = {{0}};
    isa_lanes_t to;
    if (isa_ds_waits(w, i)) return;
    if (sub)
        isa_lanes_load_sub(w, from, rows, *sub);
    else
        isa_lanes_load(w, from, rows, dwords);
    if (w->stop) return;
    isa_lds_side(w, i, w->exec, 4 * dwords, &to);
    isa_lanes_store(w, &to, rows, dwords);
}

#define LOAD_LDS(space, suffix, dwords)                                                            \
    ISA_INST(space##_load_lds_##suffix)                                                            \
    {                                                                                              \
        isa_lanes_t from;                                                                          \
        space##_addresses(w, i, &from);                                                            \
        load_to_lds(w, i, &from, dwords, NULL);                                                    \
    }
#define LOAD_LDS_SUB(space, suffix, kind)                                                          \
    ISA_INST(space##_load_lds_##suffix)                                                            \
    {                                                                                              \
        const isa_sub_t sub = kind;                                                                \
        isa_lanes_t from;                                                                          \
        space##_addresses(w, i, &from);                                                            \
        load_to_lds(w, i, &from, 1, &sub);                                                         \
    }

#define LOADS_LDS(space)                                                                           \
    LOAD_LDS_SUB(space, ubyte, ISA_SUB_U8)                                                         \
    LOAD_LDS_SUB(space, sbyte, ISA_SUB_I8)                                                         \
    LOAD_LDS_SUB(space, ushort, ISA_SUB_U16)                                                       \
    LOAD_LDS_SUB(space, sshort, ISA_SUB_I16)                                                       \
    LOAD_LDS(space, dword, 1)

LOADS_LDS(scratch)
LOADS_LDS(global)
LOAD_LDS(global, dwordx3, 3)
LOAD_LDS(global, dwordx4, 4)
