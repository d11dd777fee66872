/* valu_carry.c - instructions with a lane mask: select by mask, carry chains, wide products.
 *
 * The mask is VCC or, in VOP3, any scalar pair; bits of inactive lanes are written as 0. */
#include "softgpu/exec/valu.h"

static void body_v_cndmask_b32(valu_t *v)
{
    const uint32_t *a = VALU_SRC(v, 0), *b = VALU_SRC(v, 1);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(v->d + l, isa_vec_lanes((uint32_t)(v->in >> l), isa_vec_load(b + l),
                                              isa_vec_load(a + l)));
}

VALU_HANDLER(v_cndmask_b32, VALU_B32, VALU_B32, VALU_B32, VALU_NONE, VALU_MASK_IN)

typedef enum { SUM, DIFFERENCE, REVERSED } chain_t;

/* The bits that a + b and a carry, whose sum is r, carry out of each place: where at least two of
 * a's, b's and the carry's bit are set. Of a - b, those that are borrowed. */
static inline isa_vec_t carried(isa_vec_t a, isa_vec_t b, isa_vec_t r, const bool sum)
{
    return sum ? (a & b) | ((a | b) & ~r) : (~a & b) | ((~a | b) & r);
}

/* With clamp, the result of a lane with a carry (or borrow) is the largest number, or 0 for a
 * difference. */
static inline __attribute__((always_inline)) void chain(valu_t *v, const chain_t kind,
                                                        const bool carry_in, const bool clamp)
{
    const uint32_t *left = v->s[kind == REVERSED], *right = v->s[kind != REVERSED];
    const bool sum = kind == SUM;
    uint64_t out = 0;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t a = isa_vec_load(left + l), b = isa_vec_load(right + l);
        isa_vec_t r = sum ? a + b : a - b;
        if (carry_in) r = isa_vec_lanes((uint32_t)(v->in >> l), sum ? r + 1 : r - 1, r);
        const uint32_t carry = carry_in ? isa_vec_signs(carried(a, b, r, sum))
                               : sum    ? isa_vec_above(a, r)
                                        : isa_vec_above(b, a);
        if (clamp) r = isa_vec_lanes(carry, isa_vec_all(sum ? UINT32_MAX : 0), r);
        isa_vec_store(v->d + l, r);
        out |= (uint64_t)carry << l;
    }
    v->out = out;
}

#define CARRY(name, FLAGS, kind)                                                                   \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        chain(v, kind, (FLAGS)&VALU_MASK_IN, false);                                               \
    }                                                                                              \
    static void sat_##name(valu_t *v)                                                              \
    {                                                                                              \
        chain(v, kind, (FLAGS)&VALU_MASK_IN, true);                                                \
    }                                                                                              \
    VALU_SATURATING(name, VALU_B32, VALU_B32, VALU_B32, VALU_NONE, (FLAGS) | VALU_MASK_OUT)

CARRY(v_add_co_u32, 0, SUM)
CARRY(v_sub_co_u32, 0, DIFFERENCE)
CARRY(v_subrev_co_u32, 0, REVERSED)
CARRY(v_addc_co_u32, VALU_MASK_IN, SUM)
CARRY(v_subb_co_u32, VALU_MASK_IN, DIFFERENCE)
CARRY(v_subbrev_co_u32, VALU_MASK_IN, REVERSED)

#define WIDE(name, TYPE, over, LIMIT)                                                              \
    static inline __attribute__((always_inline)) void wide_##name(valu_t *v, bool clamp)           \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);           \
        alignas(64) uint32_t out[ISA_LANES];                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const uint64_t product =                                                               \
                (uint64_t)((TYPE)VALU_LD_##over(pa) * (TYPE)VALU_LD_##over(pb));                   \
            const uint64_t c = VALU_LD_u64(pc), r = product + c;                                   \
            const bool o = LIMIT##_OVER;                                                           \
            out[l] = o ? UINT32_MAX : 0;                                                           \
            VALU_ST_u64(clamp &&o ? LIMIT##_VALUE : r);                                            \
        }                                                                                          \
        v->out = isa_vec_mask(out);                                                                \
    }                                                                                              \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        wide_##name(v, false);                                                                     \
    }                                                                                              \
    static void sat_##name(valu_t *v)                                                              \
    {                                                                                              \
        wide_##name(v, true);                                                                      \
    }                                                                                              \
    VALU_SATURATING(name, VALU_B64, VALU_B32, VALU_B32, VALU_B64, VALU_MASK_OUT)

#define UNSIGNED_OVER  (r < c)
#define UNSIGNED_VALUE UINT64_MAX
#define SIGNED_OVER    (((product ^ r) & (c ^ r)) >> 63)
#define SIGNED_VALUE   ((uint64_t)INT64_MAX + (c >> 63))

WIDE(v_mad_u64_u32, uint64_t, u32, UNSIGNED)
WIDE(v_mad_i64_i32, int64_t, i32, SIGNED)
