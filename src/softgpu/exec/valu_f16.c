/* valu_f16.c - half-precision arithmetic, single and in pairs.
 *
 * Sums and products of halves are computed in f32. Products are exact there, and sums are rounded
 * so far below a half's last bit that rounding again, to a half, has the same result as rounding
 * once. fma is rounded to odd in f32, which has the same effect. */
#include "softgpu/exec/valu_float.h"

/* a*b+c rounded to odd: the product of two halves is exact in f32, so the rounding error of the
 * addition can be computed; if it is not 0, a result whose last bit is 0 is moved by one place
 * towards the exact sum. */
static inline float fma_half(float a, float b, float c)
{
    const float p = a * b, s = p + c;
    const float part = s - p;
    const float lost = (p - (s - part)) + (c - part);
    const uint32_t bits = fpu_bits32(s), step = (bits ^ fpu_bits32(lost)) >> 31 ? UINT32_MAX : 1;
    const uint32_t moved = bits & 1 ? bits : bits + step;
    return lost < 0 || lost > 0 ? fpu_f32(moved) : s;
}

/* v_mad and v_mac round the product, too. */
static inline float rounded(float x, uint32_t round)
{
    return fpu_f32(fpu_f16_to_f32(fpu_f32_to_f16(fpu_bits32(x), round)));
}

VALU_FLOAT2(v_add_f16, f16, 0, a + b)
VALU_FLOAT2(v_sub_f16, f16, 0, a - b)
VALU_FLOAT2(v_subrev_f16, f16, 0, b - a)
VALU_FLOAT2(v_mul_f16, f16, 0, a *b)
VALU_FLOAT3(v_fma_f16, f16, VALU_KEEP, fma_half(a, b, c))
VALU_FLOAT3_ALIAS(v_fma_legacy_f16, f16, 0, body_v_fma_f16)
VALU_FLOAT3_ALIAS(v_fmac_f16, f16, VALU_KEEP | VALU_READS_DST, body_v_fma_f16)
VALU_FLOAT3_ALIAS(v_fmamk_f16, f16, VALU_KEEP, body_v_fma_f16)
VALU_FLOAT3_ALIAS(v_fmaak_f16, f16, VALU_KEEP, body_v_fma_f16)
VALU_FLOAT3(v_mad_f16, f16, VALU_KEEP, rounded(a *b, round) + c)
VALU_FLOAT3_ALIAS(v_mad_legacy_f16, f16, 0, body_v_mad_f16)
VALU_FLOAT3_ALIAS(v_mac_f16, f16, VALU_KEEP | VALU_READS_DST, body_v_mad_f16)
VALU_FLOAT3_ALIAS(v_madmk_f16, f16, VALU_KEEP, body_v_mad_f16)
VALU_FLOAT3_ALIAS(v_madak_f16, f16, VALU_KEEP, body_v_mad_f16)

#define MIN(x, y) fpu_minmax16((x), (y), false, ieee)
#define MAX(x, y) fpu_minmax16((x), (y), true, ieee)

VALU_OP2(v_min_f16, b16, b16, b16, 0, MIN(a, b))
VALU_OP2(v_max_f16, b16, b16, b16, 0, MAX(a, b))
VALU_OP3(v_min3_f16, b16, b16, b16, b16, VALU_KEEP, MIN(MIN(a, b), c))
VALU_OP3(v_max3_f16, b16, b16, b16, b16, VALU_KEEP, MAX(MAX(a, b), c))
VALU_OP3(v_maxmin_f16, b16, b16, b16, b16, VALU_KEEP, MIN(MAX(a, b), c))
VALU_OP3(v_minmax_f16, b16, b16, b16, b16, VALU_KEEP, MAX(MIN(a, b), c))

static inline uint32_t med3(uint32_t a, uint32_t b, uint32_t c, bool ieee)
{
    const uint32_t low = fpu_minmax16(fpu_minmax16(a, b, false, ieee), c, false, ieee);
    const float x = fpu_f32(fpu_f16_to_f32(a)), y = fpu_f32(fpu_f16_to_f32(b));
    const float top =
        fpu_f32(fpu_f16_to_f32(fpu_minmax16(fpu_minmax16(a, b, true, ieee), c, true, ieee)));
    const uint32_t with_c = fpu_minmax16(top == x ? b : a, c, true, ieee);
    const uint32_t r = top == x || top == y ? with_c : fpu_minmax16(a, b, true, ieee);
    return fpu_nan16(a) || fpu_nan16(b) || fpu_nan16(c) ? low : r;
}

VALU_OP3(v_med3_f16, b16, b16, b16, b16, VALU_KEEP, med3(a, b, c, ieee))

VALU_FLOAT1(v_trunc_f16, f16, VALU_NEAREST, __builtin_truncf(a))
VALU_FLOAT1(v_ceil_f16, f16, VALU_NEAREST, __builtin_ceilf(a))
VALU_FLOAT1(v_rndne_f16, f16, VALU_NEAREST, __builtin_rintf(a))
VALU_FLOAT1(v_floor_f16, f16, VALU_NEAREST, __builtin_floorf(a))

/* 1 - 2^-11 is the largest half below 1. */
static inline float fract(float x)
{
    const float r = x - __builtin_floorf(x);
    return r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r == 0 ? 0 : r; /* +0 in every rounding mode */
}

VALU_FLOAT1(v_fract_f16, f16, 0, fract(a))

/* f32 holds every half as a normal number. */
static inline uint32_t exponent(float x)
{
    const uint32_t e = fpu_bits32(x) >> 23 & 0xff;
    return e == 0 || e == 0xff ? 0 : e - 126;
}

static inline float mantissa(float x)
{
    const uint32_t bits = fpu_bits32(x), e = bits >> 23 & 0xff;
    return e == 0 || e == 0xff ? x + x : fpu_f32((bits & 0x807fffff) | 0x3f000000);
}

static inline float scaled(float x, int32_t n)
{
    const int32_t limited = n > 60 ? 60 : n < -60 ? -60 : n;
    return x * fpu_f32((uint32_t)(127 + limited) << 23);
}

VALU_OP1(v_frexp_exp_i16_f16, u16, f16, VALU_CLAMP_NOP, exponent(a))
VALU_FLOAT1(v_frexp_mant_f16, f16, 0, mantissa(a))
VALU_FBODY2(body_v_ldexp_f16, f16, f16, i16, scaled(a, b))
VALU_QUICK_HANDLER(v_ldexp_f16, VALU_F16, VALU_F16, VALU_B16, VALU_NONE, VALU_STAGED)

/* ---- pairs: the formula is of one half, x y z its sources as f32 ---- */

/* Result of the halves at `shift` of all lanes, as f32. */
#define PAIR_HALVES(out, pc, shift, expr)                                                          \
    alignas(64) uint32_t out[ISA_LANES];                                                           \
    {                                                                                              \
        alignas(64) uint32_t wide[3][ISA_LANES];                                                   \
        half_rows(wide[0], pa, shift);                                                             \
        half_rows(wide[1], pb, shift);                                                             \
        half_rows(wide[2], pc, shift);                                                             \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const float x = fpu_f32(wide[0][l]), y = fpu_f32(wide[1][l]), z = fpu_f32(wide[2][l]); \
            (void)z;                                                                               \
            out[l] = fpu_bits32(expr);                                                             \
        }                                                                                          \
        fpu_narrow_row(out, out, v->round);                                                        \
    }

#define PAIR_LOOP(n, three, expr)                                                                  \
    uint32_t *d = VALU_ROW(v->d);                                                                  \
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, three);           \
    PAIR_HALVES(low, pc, 0, expr)                                                                  \
    PAIR_HALVES(high, pc, 16, expr)                                                                \
    VALU_LANES d[l] = low[l] | high[l] << 16;                                                      \
    VALU_NAN(pf16, n);

static inline void half_rows(uint32_t *out, const uint32_t *in, unsigned shift)
{
    if (!shift) {
        fpu_widen_row(out, in);
        return;
    }
    VALU_LANES out[l] = in[l] >> 16;
    fpu_widen_row(out, out);
}

#define PAIR2(name, expr)                                                                          \
    static void body_##name(valu_t *v){PAIR_LOOP(2, 1, expr)} VALU_QUICK_HANDLER(                  \
        name, VALU_PF16, VALU_PF16, VALU_PF16, VALU_NONE, VALU_STAGED)

PAIR2(v_pk_add_f16, x + y)
PAIR2(v_pk_mul_f16, x *y)

static void body_v_pk_fma_f16(valu_t *v){PAIR_LOOP(3, 2, fma_half(x, y, z))}

VALU_QUICK_HANDLER(v_pk_fma_f16, VALU_PF16, VALU_PF16, VALU_PF16, VALU_PF16, VALU_STAGED)
    VALU_QUICK_ALIAS(v_pk_fmac_f16, VALU_PF16, VALU_PF16, VALU_PF16, VALU_PF16,
                     VALU_READS_DST | VALU_STAGED, body_v_pk_fma_f16)

#define PAIR_MINMAX(name, max)                                                                     \
    VALU_BODY2(body_##name, u32, u32)                                                              \
    const uint32_t high = fpu_minmax16(a >> 16, b >> 16, max, ieee);                               \
    d[l] = fpu_minmax16(a & 0xffff, b & 0xffff, max, ieee) | high << 16;                           \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_PF16, VALU_PF16, VALU_PF16, VALU_NONE, 0)

        PAIR_MINMAX(v_pk_min_f16, false) PAIR_MINMAX(v_pk_max_f16, true)

    /* Minimum and maximum of IEEE 754, whatever MODE.IEEE says: if operands are NaNs, the result is
       the first of them, quieted; -0 < +0. */
    static inline uint32_t ieee_minmax(uint32_t x, uint32_t y, bool max)
{
    const uint32_t r = fpu_minmax16(x & 0xffff, y & 0xffff, max, false);
    return fpu_nan16(x) ? (x & 0xffff) | 0x200 : fpu_nan16(y) ? (y & 0xffff) | 0x200 : r;
}

#define PAIR_MINMAX3(name, max)                                                                    \
    VALU_BODY3(body_##name, u32, u32, u32)                                                         \
    const uint32_t high = ieee_minmax(ieee_minmax(a >> 16, b >> 16, max), c >> 16, max);           \
    d[l] = ieee_minmax(ieee_minmax(a, b, max), c, max) | high << 16;                               \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_PF16, VALU_PF16, VALU_PF16, VALU_PF16, 0)

PAIR_MINMAX3(v_pk_minimum3_f16, false)
PAIR_MINMAX3(v_pk_maximum3_f16, true)

#define PAIR_IEEE(name, max)                                                                       \
    VALU_BODY2(body_##name, u32, u32)                                                              \
    d[l] = ieee_minmax(a, b, max) | ieee_minmax(a >> 16, b >> 16, max) << 16;                      \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_PF16, VALU_PF16, VALU_PF16, VALU_NONE, 0)

PAIR_IEEE(v_pk_minimum_f16, false)
PAIR_IEEE(v_pk_maximum_f16, true)

VALU_OP2(v_minimum_f16, b16, b16, b16, 0, ieee_minmax(a, b, false))
VALU_OP2(v_maximum_f16, b16, b16, b16, 0, ieee_minmax(a, b, true))
VALU_OP3(v_minimum3_f16, b16, b16, b16, b16, 0, ieee_minmax(ieee_minmax(a, b, false), c, false))
VALU_OP3(v_maximum3_f16, b16, b16, b16, b16, 0, ieee_minmax(ieee_minmax(a, b, true), c, true))
VALU_OP3(v_minimummaximum_f16, b16, b16, b16, b16, 0,
         ieee_minmax(ieee_minmax(a, b, false), c, true))
VALU_OP3(v_maximumminimum_f16, b16, b16, b16, b16, 0,
         ieee_minmax(ieee_minmax(a, b, true), c, false))

/* ---- dot products: both products are exact in f32, the sums are rounded one after the other
   ---- */

static inline float dot2(uint32_t a, uint32_t b, float c)
{
    const float low = fpu_f32(fpu_f16_to_f32(a)) * fpu_f32(fpu_f16_to_f32(b));
    const float high = fpu_f32(fpu_f16_to_f32(a >> 16)) * fpu_f32(fpu_f16_to_f32(b >> 16));
    return (c + low) + high;
}

/* The NaN that is the result, widened if it is a half. If several operands are NaNs, no document
 * says which is passed on: here it is the first of the low halves, the high halves and the
 * addend. */
static uint32_t dot2_nan(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t halves[4] = {a, b, a >> 16, b >> 16};
    for (int n = 0; n < 4; n++)
        if (fpu_nan16(halves[n])) return fpu_f16_to_f32(halves[n]);
    return fpu_nan32(c) ? c | 0x400000 : FPU_NAN32;
}

static void valu_fix_nan_dot2(valu_t *v, unsigned n __attribute__((unused)))
{
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);
    for (int l = 0; l < ISA_LANES; l++)
        if (fpu_nan32(v->d[l])) v->d[l] = dot2_nan(pa[l], pb[l], pc[l]);
}

#define VALU_NAN_dot2(n) VALU_TELL_f32
#define VALU_BAD_dot2    VALU_BAD_f32

static void body_v_dot2_f32_f16(valu_t *v)
{
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);
    VALU_LANES VALU_NOTE_f32(dot2(pa[l], pb[l], fpu_f32(pc[l])));
    VALU_NAN(dot2, 3);
}

/* AMD's library sets the clamp bit in every such instruction, whether or not its caller wants
 * saturation, and its tests expect sums above 1. */
enum { DOT2 = VALU_STAGED | VALU_CLAMP_NOP };
VALU_QUICK_HANDLER(v_dot2_f32_f16, VALU_F32, VALU_PF16, VALU_PF16, VALU_F32, DOT2)
VALU_QUICK_ALIAS(v_dot2c_f32_f16, VALU_F32, VALU_PF16, VALU_PF16, VALU_F32,
                 VALU_READS_DST | VALU_STAGED, body_v_dot2_f32_f16)

/* The same with a half as the addend, rounded to a half after each product. */
static inline uint32_t dot2_half(uint32_t a, uint32_t b, uint32_t c, uint32_t round)
{
    for (unsigned at = 0; at < 32; at += 16) {
        const float x = fpu_f32(fpu_f16_to_f32(a >> at & 0xffff));
        const float y = fpu_f32(fpu_f16_to_f32(b >> at & 0xffff));
        c = fpu_f32_to_f16(fpu_bits32(fma_half(x, y, fpu_f32(fpu_f16_to_f32(c)))), round);
    }
    return c;
}

static void body_v_dot2_f16_f16(valu_t *v)
{
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);
    for (int l = 0; l < ISA_LANES; l++)
        d[l] = dot2_half(pa[l], pb[l], pc[l] & 0xffff, v->round);
}
VALU_HANDLER(v_dot2_f16_f16, VALU_F16, VALU_PF16, VALU_PF16, VALU_F16, VALU_STAGED)

/* ---- moves of halves ---- */

VALU_BODY2(body_v_pack_b32_f16, b16, b16) d[l] = a | b << 16;
VALU_END
VALU_HANDLER(v_pack_b32_f16, VALU_PF16, VALU_F16, VALU_F16, VALU_NONE, 0)
