/* valu_f32.c - single-precision arithmetic, packed pairs of it, and mixed-precision fma.
 *
 * v_fma rounds once and keeps denormals as MODE says; v_mad and v_mac round twice and always flush
 * them, as the hardware's older multiplier does. */
#include "softgpu/exec/valu_float.h"

#define FMA(x, y, z) (isa_vec_f32_t) isa_vec_fma((isa_vec_t)(x), (isa_vec_t)(y), (isa_vec_t)(z))

VALU_VECTOR2(v_add_f32, f32, a + b)
VALU_VECTOR2(v_sub_f32, f32, a - b)
VALU_VECTOR2(v_subrev_f32, f32, b - a)
VALU_VECTOR2(v_mul_f32, f32, a *b)
VALU_VECTOR3(v_fma_f32, f32, FMA(a, b, c))
VALU_VECTOR(v_fmac_f32, f32, VALU_F32, VALU_READS_DST, body_v_fma_f32)
VALU_VECTOR(v_fmamk_f32, f32, VALU_F32, 0, body_v_fma_f32)
VALU_VECTOR(v_fmaak_f32, f32, VALU_F32, 0, body_v_fma_f32)

static inline float mad(float a, float b, float c)
{
    return fpu_flushed(fpu_flushed(fpu_flushed(a) * fpu_flushed(b)) + fpu_flushed(c));
}

VALU_FLOAT3(v_mad_f32, f32, 0, mad(a, b, c))
VALU_FLOAT3_ALIAS(v_mac_f32, f32, VALU_READS_DST, body_v_mad_f32)
VALU_FLOAT3_ALIAS(v_madmk_f32, f32, 0, body_v_mad_f32)
VALU_FLOAT3_ALIAS(v_madak_f32, f32, 0, body_v_mad_f32)

/* DX9 rule: zero times anything is zero. */
static inline float mul_legacy(float a, float b)
{
    return a == 0 || b == 0 ? 0.0f : a * b;
}

/* A product that is zero by the rule passes no NaN on; a NaN result then comes from c. */
VALU_FLOAT2(v_mul_legacy_f32, f32, 0, mul_legacy(a, b))
VALU_BOTH_ALIAS(v_mul_legacy_f32_2, VALU_F32, VALU_F32, VALU_F32, VALU_NONE, VALU_STAGED,
                body_v_mul_legacy_f32) /* for GPUs on which it also has a VOP2 encoding */
VALU_FLOAT3(v_mad_legacy_f32, f32, 0,
            fpu_flushed(fpu_flushed(mul_legacy(fpu_flushed(a), fpu_flushed(b))) + fpu_flushed(c)))

/* A product that is zero by the rule adds nothing: it is a zero of the sign that c has. */
static void body_v_fma_legacy_f32(valu_t *v)
{
    alignas(64) uint32_t a[ISA_LANES], b[ISA_LANES];
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);
    valu_t plain = *v;
    VALU_LANES
    {
        const bool zero = !(pa[l] << 1) || !(pb[l] << 1);
        a[l] = zero ? 0 : pa[l];
        b[l] = zero ? pc[l] & 0x80000000 : pb[l];
    }
    plain.s[0] = a;
    plain.s[1] = b;
    body_v_fma_f32(&plain);
}

VALU_BOTH_ALIAS(v_fma_legacy_f32, VALU_F32, VALU_F32, VALU_F32, VALU_F32, 0, body_v_fma_legacy_f32)
VALU_BOTH_ALIAS(v_fmac_legacy_f32, VALU_F32, VALU_F32, VALU_F32, VALU_F32, VALU_READS_DST,
                body_v_fma_legacy_f32)

/* The product of a lighting equation. The result is the least number if b is the least number or a
 * NaN, or if c, the light, is not positive. */
#define LEAST (-0x1.fffffep127f)
VALU_FLOAT3(v_mullit_f32, f32, 0, !(b > LEAST) || !(c > 0) ? LEAST : mul_legacy(a, b))

/* ---- minimum, maximum, median: bit patterns, no rounding ---- */

#define MIN(x, y) fpu_minmax32((x), (y), false, ieee)
#define MAX(x, y) fpu_minmax32((x), (y), true, ieee)

VALU_OP2(v_min_f32, b32, b32, b32, 0, MIN(a, b))
VALU_OP2(v_max_f32, b32, b32, b32, 0, MAX(a, b))
VALU_OP3(v_min3_f32, b32, b32, b32, b32, 0, MIN(MIN(a, b), c))
VALU_OP3(v_max3_f32, b32, b32, b32, b32, 0, MAX(MAX(a, b), c))
VALU_OP3(v_maxmin_f32, b32, b32, b32, b32, 0, MIN(MAX(a, b), c))
VALU_OP3(v_minmax_f32, b32, b32, b32, b32, 0, MAX(MIN(a, b), c))

/* Minimum and maximum of IEEE 754, whatever MODE.IEEE says: if operands are NaNs, the result is the
 * first of them, quieted; -0 < +0. */
static inline uint32_t ieee_minmax(uint32_t x, uint32_t y, bool max)
{
    const uint32_t r = fpu_minmax32(x, y, max, false);
    return fpu_nan32(x) ? x | 0x400000 : fpu_nan32(y) ? y | 0x400000 : r;
}

VALU_OP2(v_minimum_f32, b32, b32, b32, 0, ieee_minmax(a, b, false))
VALU_OP2(v_maximum_f32, b32, b32, b32, 0, ieee_minmax(a, b, true))
VALU_OP3(v_minimummaximum_f32, b32, b32, b32, b32, 0,
         ieee_minmax(ieee_minmax(a, b, false), c, true))
VALU_OP3(v_maximumminimum_f32, b32, b32, b32, b32, 0,
         ieee_minmax(ieee_minmax(a, b, true), c, false))
VALU_OP3(v_minimum3_f32, b32, b32, b32, b32, 0, ieee_minmax(ieee_minmax(a, b, false), c, false))
VALU_OP3(v_maximum3_f32, b32, b32, b32, b32, 0, ieee_minmax(ieee_minmax(a, b, true), c, true))

static inline uint32_t med3(uint32_t a, uint32_t b, uint32_t c, bool ieee)
{
    const uint32_t low = fpu_minmax32(fpu_minmax32(a, b, false, ieee), c, false, ieee);
    const float x = fpu_f32(a), y = fpu_f32(b);
    const float top = fpu_f32(fpu_minmax32(fpu_minmax32(a, b, true, ieee), c, true, ieee));
    const uint32_t with_c = fpu_minmax32(top == x ? b : a, c, true, ieee);
    const uint32_t r = top == x || top == y ? with_c : fpu_minmax32(a, b, true, ieee);
    return fpu_nan32(a) || fpu_nan32(b) || fpu_nan32(c) ? low : r;
}

VALU_OP3(v_med3_f32, b32, b32, b32, b32, 0, med3(a, b, c, ieee))

/* ---- rounding to integers; a NaN is quieted whatever the host's function does ---- */

#define ROUND(name, fn)                                                                            \
    VALU_OP1(name, b32, b32, VALU_NEAREST, fpu_nan32(a) ? a | 0x400000 : fpu_bits32(fn(fpu_f32(a))))

ROUND(v_trunc_f32, __builtin_truncf)
ROUND(v_ceil_f32, __builtin_ceilf)
ROUND(v_rndne_f32, __builtin_rintf)
ROUND(v_floor_f32, __builtin_floorf)

static inline float fract(float x)
{
    const float r = x - __builtin_floorf(x);
    return r > 0x1.fffffep-1f ? 0x1.fffffep-1f : r == 0 ? 0 : r; /* +0 in every rounding mode */
}

VALU_FLOAT1(v_fract_f32, f32, 0, fract(a))

/* ---- exponents; doubles hold every f32 as a normal number ---- */

static inline uint32_t exponent(float x)
{
    const uint64_t bits = fpu_bits64((double)x);
    const uint32_t e = (uint32_t)(bits >> 52) & 0x7ff;
    return e == 0 || e == 0x7ff ? 0 : e - 1022;
}

static inline float mantissa(float x)
{
    const uint64_t bits = fpu_bits64((double)x);
    const uint32_t e = (uint32_t)(bits >> 52) & 0x7ff;
    const uint64_t half = (bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3fe0000000000000);
    return e == 0 || e == 0x7ff ? x + x : (float)fpu_f64(half);
}

static inline float scaled(float x, int32_t n)
{
    const int32_t limited = n > 400 ? 400 : n < -400 ? -400 : n;
    return (float)((double)x * fpu_f64((uint64_t)(1023 + limited) << 52));
}

VALU_OP1(v_frexp_exp_i32_f32, u32, f32, VALU_CLAMP_NOP, exponent(a))
VALU_FLOAT1(v_frexp_mant_f32, f32, VALU_NEAREST, mantissa(a))
VALU_FBODY2(body_v_ldexp_f32, f32, f32, i32, scaled(a, b))
VALU_BOTH_ALIAS(v_ldexp_f32, VALU_F32, VALU_F32, VALU_B32, VALU_NONE, VALU_STAGED, body_v_ldexp_f32)

/* ---- cube maps: the major axis is the largest, z before y before x ---- */

#define MAJOR_Z                                                                                    \
    (__builtin_fabsf(c) >= __builtin_fabsf(a) && __builtin_fabsf(c) >= __builtin_fabsf(b))
#define MAJOR_Y (__builtin_fabsf(b) >= __builtin_fabsf(a))

VALU_FLOAT3(v_cubeid_f32, f32, 0,
            MAJOR_Z   ? (c < 0 ? 5.0f : 4.0f)
            : MAJOR_Y ? (b < 0 ? 3.0f : 2.0f)
                      : (a < 0 ? 1.0f : 0.0f))
VALU_FLOAT3(v_cubesc_f32, f32, 0, MAJOR_Z ? (c < 0 ? -a : a) : MAJOR_Y ? a : (a < 0 ? c : -c))
VALU_FLOAT3(v_cubetc_f32, f32, 0, MAJOR_Z ? -b : MAJOR_Y ? (b < 0 ? -c : c) : -b)
VALU_FLOAT3(v_cubema_f32, f32, 0, 2.0f * (MAJOR_Z ? c : MAJOR_Y ? b : a))

/* ---- pairs of f32: two rows ---- */

VALU_VECTOR2(v_pk_add_f32, pf32, a + b)
VALU_VECTOR2(v_pk_mul_f32, pf32, a *b)
VALU_VECTOR3(v_pk_fma_f32, pf32, FMA(a, b, c))

/* Each result dword is a dword of one source, selected by op_sel, so it is no ordinary pair. */
ISA_INST(v_pk_mov_b32)
{
    alignas(64) uint32_t tmp[2][2 * ISA_ROW], result[2 * ISA_ROW];
    for (unsigned n = 0; n < 2; n++) {
        const isa_operand_t *o = &i->src[n];
        const uint32_t *row = w->vgpr[o->reg];
        if (o->mods || (i->flags & ISA_F_CLAMP) || (w->mode & ISA_MODE_GPR_IDX)) {
            isa_stop_unsupported(w, i, "modifier");
            return;
        }
        if (o->kind != ISA_OPK_VGPR) row = valu_scalar_rows(w, i, o, tmp[n], 2);
        if (!row) return;
        valu_copy(result + n * ISA_ROW, row + (o->sel & 1 ? ISA_ROW : 0), 1);
    }
    valu_blend(w->vgpr[i->dst.reg], result, 2, w->exec);
}

/* ---- mixed precision: operands arrive as f32, the general path converts them ---- */

#ifdef ISA_CHUNK
/* In translated code, the code around the function converts them. KIND: the functions that there
 * are (valu.h). */
#define MIX(name, DT, FLAGS, KIND)                                                                 \
    VALU_##KIND##_ALIAS(name, DT, VALU_F32, VALU_F32, VALU_F32, (FLAGS) | VALU_STAGED,             \
                        body_##name)
#else
#define MIX(name, DT, FLAGS, KIND)                                                                 \
    static const valu_desc_t desc_##name = {                                                       \
        DT, {VALU_MIX, VALU_MIX, VALU_MIX}, (FLAGS) | VALU_STAGED};                                \
    VALU_SLOW(slow_##name, desc_##name, body_##name, body_##name)                                  \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        slow_##name(w, i);                                                                         \
    }
#endif

VALU_FBODY3(body_v_fma_mix_f32, f32, f32, f32, f32, __builtin_fmaf(a, b, c))

/* The sum is rounded to f32 and then to f16: this equals a conversion after v_fma_mix_f32. */
static void body_v_fma_mixlo_f16(valu_t *v)
{
    uint32_t *d = VALU_ROW(v->d);
    body_v_fma_mix_f32(v);
    VALU_LANES d[l] = fpu_f32_to_f16(d[l], v->round);
}

#define body_v_fma_mixhi_f16 body_v_fma_mixlo_f16

MIX(v_fma_mix_f32, VALU_F32, 0, BOTH)
MIX(v_fma_mixlo_f16, VALU_F16, VALU_KEEP, QUICK)
MIX(v_fma_mixhi_f16, VALU_F16, VALU_HI_HALF, QUICK)
