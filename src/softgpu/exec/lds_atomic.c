/* lds_atomic.c - read-modify-write instructions on LDS, one line each.
 *
 * Lanes run in lane order, so lanes with the same address see each other's results. atomic_ops.h
 * has the operations; a line here assigns one to each mnemonic. */
#include "softgpu/exec/atomic_ops.h"
#include "softgpu/exec/lds.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* The fields of MODE that say whether denormals are kept: bits 5:4 of f32, 7:6 of f64, f16 and
 * bf16. */
static inline unsigned denorm_32(const isa_wave_t *w)
{
    return w->mode >> 4 & 3;
}
static inline unsigned denorm_64(const isa_wave_t *w)
{
    return w->mode >> 6 & 3;
}

/* LDS atomics need aligned addresses; other addresses are a violation in the shared aperture. */
static bool all_aligned(isa_wave_t *w, const isa_lanes_t *a, uint32_t bytes)
{
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const uint64_t va = a->va[__builtin_ctzll(left)];
        if (va & (bytes - 1)) {
            isa_mem_fault(w, w->group->dispatch->shared_base + va,
                          ISA_FAULT_READ | ISA_FAULT_WRITE);
            return false;
        }
    }
    return true;
}

/* Whether the elements of all active lanes are aligned. The other lanes' mostly are, too, which is
 * tried first. */
INLINE bool elements_aligned(const isa_ds_elements_t *e, uint64_t exec, uint32_t bytes)
{
    const uint32_t bits = bytes - 1;
    isa_vec_t low = isa_vec_all(0);
    if ((uintptr_t)e->base & bits) return false; /* LDS itself is aligned */
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        low |= isa_vec_load(e->at + l);
    if (!isa_vec_any(low & bits)) return true;
    low = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        low |= isa_row_active(isa_vec_load(e->at + l), l, exec);
    return !isa_vec_any(low & bits);
}

INLINE uint32_t get_32(const isa_row_t *rows, unsigned l)
{
    return rows[0][l];
}
INLINE void set_32(isa_row_t *rows, unsigned l, uint32_t v)
{
    rows[0][l] = v;
}

INLINE uint64_t get_64(const isa_row_t *rows, unsigned l)
{
    return rows[0][l] | (uint64_t)rows[1][l] << 32;
}

INLINE void set_64(isa_row_t *rows, unsigned l, uint64_t v)
{
    rows[0][l] = (uint32_t)v;
    rows[1][l] = (uint32_t)(v >> 32);
}

/* Rows of a data operand. If the instruction has no second data operand, the result is the rows of
 * the first, which the operation ignores. */
static const isa_row_t *data_rows(isa_wave_t *w, const isa_inst_t *i, unsigned n)
{
    return isa_row_of(w, i->src[n].kind == ISA_OPK_NONE ? &i->src[1] : &i->src[n]);
}

/* Where the lanes' elements are, the lanes that take a turn, and those whose element lies outside,
 * which load 0. `room` is for the offsets. */
typedef struct {
    isa_ds_elements_t e;
    uint64_t lanes, outside;
    _Alignas(64) isa_row_t room;
} places_t;

/* As places(), one lane at a time. */
static bool odd_places(isa_wave_t *w, const isa_inst_t *i, uint32_t bytes, places_t *p)
{
    isa_lanes_t a;
    if (!isa_ds_ready(w, i)) return false;
    p->outside = isa_ds_addresses(w, i, isa_ds_offset16(i), bytes, &a);
    if (!all_aligned(w, &a, bytes)) return false;
    p->lanes = a.exec;
    p->e = (isa_ds_elements_t){w->group->lds, p->room};
    for (unsigned l = 0; l < ISA_LANES; l++)
        p->room[l] = (uint32_t)a.va[l];
    return true;
}

/* False: the wave has been stopped. A function of its own, because inlined into a hundred handlers
 * it would take as long to compile as their operations. */
static __attribute__((noinline)) bool places(isa_wave_t *w, const isa_inst_t *i, uint32_t bytes,
                                             places_t *p)
{
    if (!isa_alone(w, i)) return false;
    if (!isa_ds_in_range(w, i, isa_ds_offset16(i), bytes, p->room, &p->e) ||
        !elements_aligned(&p->e, w->exec, bytes))
        return odd_places(w, i, bytes, p);
    p->lanes = w->exec;
    p->outside = 0;
    return true;
}

#define DEFINE_RUN(bits)                                                                           \
    typedef uint##bits##_t op##bits##_t(uint##bits##_t, uint##bits##_t, uint##bits##_t, unsigned); \
    /* Does the operation for one lane. */                                                         \
    INLINE void turn_##bits(uint8_t *element, const isa_row_t *d0, const isa_row_t *d1,            \
                            isa_row_t *dst, unsigned l, op##bits##_t *op, unsigned denorm,         \
                            bool returns)                                                          \
    {                                                                                              \
        uint##bits##_t *p = (uint##bits##_t *)element;                                             \
        const uint##bits##_t old = *p;                                                             \
        *p = op(old, get_##bits(d0, l), get_##bits(d1, l), denorm);                                \
        if (returns) set_##bits(dst, l, old);                                                      \
    }                                                                                              \
    INLINE void run_##bits(isa_wave_t *w, const isa_inst_t *i, op##bits##_t *op, unsigned denorm,  \
                           bool returns)                                                           \
    {                                                                                              \
        places_t p;                                                                                \
        const isa_row_t *d0 = data_rows(w, i, 1), *d1 = data_rows(w, i, 2);                        \
        isa_row_t *dst = returns ? isa_row_of(w, &i->dst) : NULL;                                  \
        if (!places(w, i, bits / 8, &p)) return;                                                   \
        uint8_t *const base = p.e.base;                                                            \
        const uint32_t *const at = p.e.at;                                                         \
        if (p.lanes == ISA_ALL_LANES)                                                              \
            for (unsigned l = 0; l < ISA_LANES; l += 2) {                                          \
                const isa_two_t two = isa_two_of(at, l);                                           \
                turn_##bits(base + two.first, d0, d1, dst, l, op, denorm, returns);                \
                turn_##bits(base + two.second, d0, d1, dst, l + 1, op, denorm, returns);           \
            }                                                                                      \
        else                                                                                       \
            for (uint64_t left = p.lanes; left; left &= left - 1) {                                \
                const unsigned l = (unsigned)__builtin_ctzll(left);                                \
                turn_##bits(base + at[l], d0, d1, dst, l, op, denorm, returns);                    \
            }                                                                                      \
        if (returns && p.outside) isa_lanes_zero(dst, bits / 32, p.outside);                       \
    }

DEFINE_RUN(32)
DEFINE_RUN(64)

#define ATOMIC(plain, rtn, bits, op)                                                               \
    ISA_INST(plain)                                                                                \
    {                                                                                              \
        run_##bits(w, i, isa_op_##op##_##bits, denorm_##bits(w), false);                           \
    }                                                                                              \
    RETURNING(rtn, bits, op)
#define RETURNING(rtn, bits, op)                                                                   \
    ISA_INST(rtn)                                                                                  \
    {                                                                                              \
        run_##bits(w, i, isa_op_##op##_##bits, denorm_##bits(w), true);                            \
    }

ATOMIC(ds_add_u32, ds_add_rtn_u32, 32, add)
ATOMIC(ds_sub_u32, ds_sub_rtn_u32, 32, sub)
ATOMIC(ds_rsub_u32, ds_rsub_rtn_u32, 32, rsub)
ATOMIC(ds_inc_u32, ds_inc_rtn_u32, 32, inc)
ATOMIC(ds_dec_u32, ds_dec_rtn_u32, 32, dec)
ATOMIC(ds_min_i32, ds_min_rtn_i32, 32, smin)
ATOMIC(ds_max_i32, ds_max_rtn_i32, 32, smax)
ATOMIC(ds_min_u32, ds_min_rtn_u32, 32, umin)
ATOMIC(ds_max_u32, ds_max_rtn_u32, 32, umax)
ATOMIC(ds_and_b32, ds_and_rtn_b32, 32, and)
ATOMIC(ds_or_b32, ds_or_rtn_b32, 32, or)
ATOMIC(ds_xor_b32, ds_xor_rtn_b32, 32, xor)
ATOMIC(ds_mskor_b32, ds_mskor_rtn_b32, 32, mskor)
ATOMIC(ds_cmpst_b32, ds_cmpst_rtn_b32, 32, cmpst)
ATOMIC(ds_cmpst_f32, ds_cmpst_rtn_f32, 32, fcmpst)
ATOMIC(ds_min_f32, ds_min_rtn_f32, 32, fmin)
ATOMIC(ds_max_f32, ds_max_rtn_f32, 32, fmax)
ATOMIC(ds_add_f32, ds_add_rtn_f32, 32, fadd)
RETURNING(ds_wrxchg_rtn_b32, 32, swap)
RETURNING(ds_wrap_rtn_b32, 32, wrap)

ATOMIC(ds_add_u64, ds_add_rtn_u64, 64, add)
ATOMIC(ds_sub_u64, ds_sub_rtn_u64, 64, sub)
ATOMIC(ds_rsub_u64, ds_rsub_rtn_u64, 64, rsub)
ATOMIC(ds_inc_u64, ds_inc_rtn_u64, 64, inc)
ATOMIC(ds_dec_u64, ds_dec_rtn_u64, 64, dec)
ATOMIC(ds_min_i64, ds_min_rtn_i64, 64, smin)
ATOMIC(ds_max_i64, ds_max_rtn_i64, 64, smax)
ATOMIC(ds_min_u64, ds_min_rtn_u64, 64, umin)
ATOMIC(ds_max_u64, ds_max_rtn_u64, 64, umax)
ATOMIC(ds_and_b64, ds_and_rtn_b64, 64, and)
ATOMIC(ds_or_b64, ds_or_rtn_b64, 64, or)
ATOMIC(ds_xor_b64, ds_xor_rtn_b64, 64, xor)
ATOMIC(ds_mskor_b64, ds_mskor_rtn_b64, 64, mskor)
ATOMIC(ds_cmpst_b64, ds_cmpst_rtn_b64, 64, cmpst)
ATOMIC(ds_cmpst_f64, ds_cmpst_rtn_f64, 64, fcmpst)
ATOMIC(ds_min_f64, ds_min_rtn_f64, 64, fmin)
ATOMIC(ds_max_f64, ds_max_rtn_f64, 64, fmax)
ATOMIC(ds_add_f64, ds_add_rtn_f64, 64, fadd)
RETURNING(ds_wrxchg_rtn_b64, 64, swap)
RETURNING(ds_condxchg32_rtn_b64, 64, condxchg)

/* Compare-and-swap with the operands in the other order: the new value comes first. */
ATOMIC(ds_cmpstore_b32, ds_cmpstore_rtn_b32, 32, cmpstore)
ATOMIC(ds_cmpstore_f32, ds_cmpstore_rtn_f32, 32, fcmpstore)
ATOMIC(ds_cmpstore_b64, ds_cmpstore_rtn_b64, 64, cmpstore)
ATOMIC(ds_cmpstore_f64, ds_cmpstore_rtn_f64, 64, fcmpstore)

ATOMIC(ds_sub_clamp_u32, ds_sub_clamp_rtn_u32, 32, csub)
ATOMIC(ds_cond_sub_u32, ds_cond_sub_rtn_u32, 32, cond_sub)

/* Pairs of 16-bit numbers. */
#define PAIRS(plain, rtn, op)                                                                      \
    ISA_INST(plain)                                                                                \
    {                                                                                              \
        run_32(w, i, isa_op_##op##_32, denorm_64(w), false);                                       \
    }                                                                                              \
    ISA_INST(rtn)                                                                                  \
    {                                                                                              \
        run_32(w, i, isa_op_##op##_32, denorm_64(w), true);                                        \
    }

PAIRS(ds_pk_add_f16, ds_pk_add_rtn_f16, pk_fadd16)
PAIRS(ds_pk_add_bf16, ds_pk_add_rtn_bf16, pk_fadd_bf16)

/* Two exchanges per lane at two offsets in units of `unit` bytes. The results may overwrite the
 * operands, so these are copied first; each lane does both exchanges before the next lane's
 * turn. */
static void exchange2(isa_wave_t *w, const isa_inst_t *i, unsigned dwords, uint32_t unit)
{
    isa_lanes_t a, b;
    isa_row_t data[4], *dst = isa_row_of(w, &i->dst);
    const uint32_t bytes = 4 * dwords;
    if (!isa_ds_ready(w, i) || !isa_alone(w, i)) return;
    memcpy(data, isa_row_of(w, &i->src[1]), dwords * sizeof(isa_row_t));
    memcpy(data + dwords, isa_row_of(w, &i->src[2]), dwords * sizeof(isa_row_t));
    const uint64_t outside_a = isa_ds_addresses(w, i, i->offset0 * unit, bytes, &a);
    const uint64_t outside_b = isa_ds_addresses(w, i, i->offset1 * unit, bytes, &b);
    if (!all_aligned(w, &a, bytes) || !all_aligned(w, &b, bytes)) return;
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        for (unsigned half = 0; half < 2; half++) {
            const isa_lanes_t *at = half ? &b : &a;
            if (!(at->exec >> l & 1)) continue;
            uint32_t *p = (uint32_t *)(w->group->lds + at->va[l]);
            for (unsigned k = 0; k < dwords; k++) {
                dst[half * dwords + k][l] = p[k];
                p[k] = data[half * dwords + k][l];
            }
        }
    }
    isa_lanes_zero(dst, dwords, outside_a);
    isa_lanes_zero(dst + dwords, dwords, outside_b);
}

ISA_INST(ds_wrxchg2_rtn_b32)
{
    exchange2(w, i, 1, 4);
}
ISA_INST(ds_wrxchg2st64_rtn_b32)
{
    exchange2(w, i, 1, 4 * 64);
}
ISA_INST(ds_wrxchg2_rtn_b64)
{
    exchange2(w, i, 2, 8);
}
ISA_INST(ds_wrxchg2st64_rtn_b64)
{
    exchange2(w, i, 2, 8 * 64);
}
