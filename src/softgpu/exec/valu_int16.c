/* valu_int16.c - 16-bit integers: single, and packed in pairs (VOP3P), and dot products.
 *
 * The older instructions clear the upper half of their destination; those with op_sel leave it
 * unchanged (VALU_KEEP). */
#include "softgpu/exec/valu.h"

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

static inline int32_t sat_i16(int64_t x)
{
    return (int32_t)MAX(MIN(x, 32767), -32768);
}

static inline uint32_t sat_u16(int64_t x)
{
    return (uint32_t)MAX(MIN(x, 65535), 0);
}

enum { KEEP = VALU_KEEP, KEEP_MINMAX = VALU_KEEP | VALU_CLAMP_NOP };

VALU_SAT2(v_add_u16, u16, u16, u16, 0, a + b, sat_u16((int64_t)a + b))
VALU_SAT2(v_sub_u16, u16, u16, u16, 0, a - b, sat_u16((int64_t)a - b))
VALU_SAT2(v_subrev_u16, u16, u16, u16, 0, b - a, sat_u16((int64_t)b - a))
VALU_OP2(v_mul_lo_u16, u16, u16, u16, 0, a *b)
VALU_OP2(v_lshlrev_b16, u16, u16, u16, 0, b << (a & 15))
VALU_OP2(v_lshrrev_b16, u16, u16, u16, 0, b >> (a & 15))
VALU_OP2(v_ashrrev_i16, i16, u16, i16, 0, b >> (a & 15))
VALU_OP2(v_max_u16, u16, u16, u16, 0, MAX(a, b))
VALU_OP2(v_max_i16, i16, i16, i16, 0, MAX(a, b))
VALU_OP2(v_min_u16, u16, u16, u16, 0, MIN(a, b))
VALU_OP2(v_min_i16, i16, i16, i16, 0, MIN(a, b))
VALU_SAT2(v_add_i16, i16, i16, i16, KEEP, a + b, sat_i16(a + b))
VALU_SAT2(v_sub_i16, i16, i16, i16, KEEP, a - b, sat_i16(a - b))
VALU_SAT3(v_mad_u16, u16, u16, u16, u16, KEEP, a *b + c, sat_u16((int64_t)(a *b) + c))
VALU_SAT3(v_mad_i16, i16, i16, i16, i16, KEEP, a *b + c, sat_i16((int64_t)a *b + c))
VALU_SAT3(v_mad_legacy_u16, u16, u16, u16, u16, 0, a *b + c, sat_u16((int64_t)(a *b) + c))
VALU_SAT3(v_mad_legacy_i16, i16, i16, i16, i16, 0, a *b + c, sat_i16((int64_t)a *b + c))
VALU_OP3(v_min3_u16, u16, u16, u16, u16, KEEP_MINMAX, MIN(MIN(a, b), c))
VALU_OP3(v_max3_u16, u16, u16, u16, u16, KEEP_MINMAX, MAX(MAX(a, b), c))
VALU_OP3(v_med3_u16, u16, u16, u16, u16, KEEP_MINMAX, MAX(MIN(a, b), MIN(MAX(a, b), c)))
VALU_OP3(v_min3_i16, i16, i16, i16, i16, KEEP_MINMAX, MIN(MIN(a, b), c))
VALU_OP3(v_max3_i16, i16, i16, i16, i16, KEEP_MINMAX, MAX(MAX(a, b), c))
VALU_OP3(v_med3_i16, i16, i16, i16, i16, KEEP_MINMAX, MAX(MIN(a, b), MIN(MAX(a, b), c)))

/* ---- pairs: the formula is of one half, x y z its sources of the type named ---- */

#define LOW_u16(r)  ((r)&0xffff)
#define HIGH_u16(r) ((r) >> 16)
#define LOW_i16(r)  ((int32_t)((r) << 16) >> 16)
#define HIGH_i16(r) ((int32_t)(r) >> 16)

#define PAIR_BODY(fn, T, expr)                                                                     \
    static inline uint32_t one_##fn(VALU_C_##T x, VALU_C_##T y, VALU_C_##T z)                      \
    {                                                                                              \
        (void)z;                                                                                   \
        return (uint32_t)(expr)&0xffff;                                                            \
    }
#define PAIR2_BODY(fn, T, expr)                                                                    \
    PAIR_BODY(fn, T, expr)                                                                         \
    VALU_BODY2(fn, u32, u32)                                                                       \
    d[l] = one_##fn(LOW_##T(a), LOW_##T(b), 0) | one_##fn(HIGH_##T(a), HIGH_##T(b), 0) << 16;      \
    VALU_END
#define PAIR3_BODY(fn, T, expr)                                                                    \
    PAIR_BODY(fn, T, expr)                                                                         \
    VALU_BODY3(fn, u32, u32, u32)                                                                  \
    d[l] = one_##fn(LOW_##T(a), LOW_##T(b), LOW_##T(c)) |                                          \
           one_##fn(HIGH_##T(a), HIGH_##T(b), HIGH_##T(c)) << 16;                                  \
    VALU_END

#define PAIR2(name, T, expr)                                                                       \
    PAIR2_BODY(body_##name, T, expr)                                                               \
    VALU_HANDLER(name, VALU_P16, VALU_P16, VALU_P16, VALU_NONE, VALU_CLAMP_NOP)
#define PAIR2_SAT(name, T, expr, sat)                                                              \
    PAIR2_BODY(body_##name, T, expr)                                                               \
    PAIR2_BODY(sat_##name, T, sat)                                                                 \
    VALU_SATURATING(name, VALU_P16, VALU_P16, VALU_P16, VALU_NONE, 0)
#define PAIR3_SAT(name, T, expr, sat)                                                              \
    PAIR3_BODY(body_##name, T, expr)                                                               \
    PAIR3_BODY(sat_##name, T, sat)                                                                 \
    VALU_SATURATING(name, VALU_P16, VALU_P16, VALU_P16, VALU_P16, 0)

PAIR3_SAT(v_pk_mad_i16, i16, x *y + z, sat_i16((int64_t)x *y + z))
PAIR3_SAT(v_pk_mad_u16, u16, x *y + z, sat_u16((int64_t)(x *y) + z))
PAIR2_SAT(v_pk_mul_lo_u16, u16, x *y, sat_u16((int64_t)(x *y)))
PAIR2_SAT(v_pk_add_i16, i16, x + y, sat_i16(x + y))
PAIR2_SAT(v_pk_sub_i16, i16, x - y, sat_i16(x - y))
PAIR2_SAT(v_pk_add_u16, u16, x + y, sat_u16((int64_t)x + y))
PAIR2_SAT(v_pk_sub_u16, u16, x - y, sat_u16((int64_t)x - y))
PAIR2(v_pk_lshlrev_b16, u16, y << (x & 15))
PAIR2(v_pk_lshrrev_b16, u16, y >> (x & 15))
PAIR2(v_pk_ashrrev_i16, i16, y >> (x & 15))
PAIR2(v_pk_max_i16, i16, MAX(x, y))
PAIR2(v_pk_min_i16, i16, MIN(x, y))
PAIR2(v_pk_max_u16, u16, MAX(x, y))
PAIR2(v_pk_min_u16, u16, MIN(x, y))

/* ---- dot products; 64 bits hold every sum ---- */

/* Sum of the products of the elements of `bits` bits of two dwords. */
static inline int64_t dot_signed(uint32_t a, uint32_t b, unsigned bits)
{
    int64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const int32_t x = (int32_t)(a << (32 - bits - at)) >> (32 - bits);
        const int32_t y = (int32_t)(b << (32 - bits - at)) >> (32 - bits);
        sum += (int64_t)x * y;
    }
    return sum;
}

static inline uint64_t dot_unsigned(uint32_t a, uint32_t b, unsigned bits)
{
    uint64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits)
        sum += (uint64_t)(a >> at & (UINT32_MAX >> (32 - bits))) *
               (b >> at & (UINT32_MAX >> (32 - bits)));
    return sum;
}

#define DOT(name, T, FLAGS, sum, saturate)                                                         \
    VALU_BODY3(body_##name, u32, u32, u32) d[l] = (uint32_t)(sum) + c;                             \
    VALU_END                                                                                       \
    VALU_BODY3(sat_##name, u32, u32, u32) d[l] = saturate;                                         \
    VALU_END                                                                                       \
    VALU_SATURATING(name, VALU_B32, T, T, VALU_B32, FLAGS)

/* Bits [at, at + bits) of each 16-bit half, extended to a signed word: isa_vec_dot16() multiplies
 * such words and adds up the two products of a dword. */
ISA_VECTOR isa_vec_i16_t dot_words(isa_vec_t x, int at, int bits, const bool sign)
{
    if (sign) return (isa_vec_i16_t)x << (int16_t)(16 - bits - at) >> (int16_t)(16 - bits);
    return (isa_vec_i16_t)((isa_vec_u16_t)x >> (uint16_t)at & (uint16_t)((1 << bits) - 1));
}

#define DOT_WORDS(name, T, bits, sign, saturate)                                                   \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {                                        \
            const isa_vec_t a = isa_vec_load(v->s[0] + l), b = isa_vec_load(v->s[1] + l);          \
            isa_vec_t sum = isa_vec_load(v->s[2] + l);                                             \
            ISA_UNROLL for (int at = 0; at < 16; at += bits) sum +=                                \
                isa_vec_dot16(dot_words(a, at, bits, sign), dot_words(b, at, bits, sign));         \
            isa_vec_store(v->d + l, sum);                                                          \
        }                                                                                          \
    }                                                                                              \
    VALU_BODY3(sat_##name, u32, u32, u32) d[l] = saturate;                                         \
    VALU_END                                                                                       \
    VALU_SATURATING(name, VALU_B32, T, T, VALU_B32, 0)

DOT_WORDS(v_dot2_i32_i16, VALU_P16, 16, true, valu_sat_i32(dot_signed(a, b, 16) + (int32_t)c))
DOT(v_dot2_u32_u16, VALU_P16, 0, dot_unsigned(a, b, 16), valu_sat_u32(dot_unsigned(a, b, 16) + c))
DOT_WORDS(v_dot4_i32_i8, VALU_B32, 8, true, valu_sat_i32(dot_signed(a, b, 8) + (int32_t)c))
DOT_WORDS(v_dot4_u32_u8, VALU_B32, 8, false, valu_sat_u32(dot_unsigned(a, b, 8) + c))
DOT_WORDS(v_dot8_i32_i4, VALU_B32, 4, true, valu_sat_i32(dot_signed(a, b, 4) + (int32_t)c))
DOT_WORDS(v_dot8_u32_u4, VALU_B32, 4, false, valu_sat_u32(dot_unsigned(a, b, 4) + c))

VALU_ALIAS(v_dot2c_i32_i16, VALU_B32, VALU_B32, VALU_B32, VALU_B32, VALU_READS_DST,
           body_v_dot2_i32_i16)
VALU_ALIAS(v_dot4c_i32_i8, VALU_B32, VALU_B32, VALU_B32, VALU_B32, VALU_READS_DST,
           body_v_dot4_i32_i8)
VALU_ALIAS(v_dot8c_i32_i4, VALU_B32, VALU_B32, VALU_B32, VALU_B32, VALU_READS_DST,
           body_v_dot8_i32_i4)

/* ---- dot products of which NEG says which sources are signed ---- */

ISA_VECTOR int64_t mixed_element(uint32_t x, unsigned at, unsigned bits, bool is_signed)
{
    const uint32_t up = x << (32 - bits - at);
    return is_signed ? (int64_t)((int32_t)up >> (32 - bits)) : (int64_t)(up >> (32 - bits));
}

/* Sums that are limited to 32 bits. */
static void dot_saturated(uint32_t *d, const uint32_t *const s[3], unsigned bits,
                          const bool is_signed[2])
{
    for (unsigned l = 0; l < ISA_LANES; l++) {
        int64_t sum = (int32_t)s[2][l];
        for (unsigned at = 0; at < 32; at += bits)
            sum += mixed_element(s[0][l], at, bits, is_signed[0]) *
                   mixed_element(s[1][l], at, bits, is_signed[1]);
        d[l] = valu_sat_i32(sum);
    }
}

ISA_VECTOR void dot_rows(uint32_t *d, const uint32_t *const s[3], const int bits,
                         const bool a_signed, const bool b_signed)
{
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t a = isa_vec_load(s[0] + l), b = isa_vec_load(s[1] + l);
        isa_vec_t sum = isa_vec_load(s[2] + l);
        ISA_UNROLL for (int at = 0; at < 16; at += bits) sum +=
            isa_vec_dot16(dot_words(a, at, bits, a_signed), dot_words(b, at, bits, b_signed));
        isa_vec_store(d + l, sum);
    }
}

static const uint32_t *row_of(isa_wave_t *w, const isa_inst_t *i, unsigned n, uint32_t *room)
{
    const isa_operand_t *o = &i->src[n];
    return o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg] : valu_scalar_rows(w, i, o, room, 1);
}

/* `bits` is a constant for each caller, and so are the signs in each case. */
ISA_VECTOR void dot_mixed(isa_wave_t *w, const isa_inst_t *i, const int bits)
{
    alignas(64) uint32_t room[3][ISA_ROW], result[ISA_ROW];
    const uint32_t *s[3];
    const bool is_signed[2] = {i->src[0].mods & ISA_MOD_NEG, i->src[1].mods & ISA_MOD_NEG};
    for (unsigned n = 0; n < 3; n++)
        if (!(s[n] = row_of(w, i, n, room[n]))) return;
    if (i->flags & ISA_F_CLAMP)
        dot_saturated(result, s, (unsigned)bits, is_signed);
    else if (is_signed[0] && is_signed[1])
        dot_rows(result, s, bits, true, true);
    else if (is_signed[0])
        dot_rows(result, s, bits, true, false);
    else
        dot_rows(result, s, bits, false, is_signed[1]);
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

ISA_INST(v_dot4_i32_iu8)
{
    dot_mixed(w, i, 8);
}
ISA_INST(v_dot8_i32_iu4)
{
    dot_mixed(w, i, 4);
}
