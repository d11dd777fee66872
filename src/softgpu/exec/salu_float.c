/* salu_float.c - floats in SGPRs, of gfx11.5 and later: these instructions have the effect on a
 * register that the vector instructions of the same names have on a lane.
 *
 * MODE decides how results are rounded and whether denormals count as zeros. The bits above a
 * result of 16 bits are 0. Sums and products are fused ones with a factor of 1 or an addend of 0,
 * so that one exact function rounds them all, in whatever direction, on any host. */
#include "softgpu/exec/fpu.h"
#include "softgpu/exec/handler.h"

/* ---- fields of MODE for a format ---- */

/* The fields of MODE for a format begin at these bits: two of rounding, two of denormals. */
typedef struct {
    uint8_t round, denormals;
    uint8_t mantissa; /* bits */
    uint32_t infinity, one, sign, nan;
} scalar_format_t;

static const scalar_format_t F32 = {0, 4, 23, FPU_INF32, 0x3f800000, 0x80000000, FPU_NAN32},
                             F16 = {2, 6, 10, 0x7c00, 0x3c00, 0x8000, 0x7e00};

static uint32_t rounding(const isa_wave_t *w, const scalar_format_t *f)
{
    return w->mode >> f->round & 3;
}

static bool keeps_sources(const isa_wave_t *w, const scalar_format_t *f)
{
    return w->mode >> f->denormals & 1;
}

static bool keeps_results(const isa_wave_t *w, const scalar_format_t *f)
{
    return w->mode >> f->denormals & 2;
}

static uint32_t flushed(uint32_t x, const scalar_format_t *f)
{
    return x & f->infinity ? x : x & f->sign;
}

static bool is_nan(uint32_t x, const scalar_format_t *f)
{
    return (x & ~f->sign) > f->infinity;
}

static uint32_t quieted(uint32_t x, const scalar_format_t *f)
{
    return x | 1u << (f->mantissa - 1);
}

static uint32_t source(isa_wave_t *w, const isa_operand_t *o, const scalar_format_t *f)
{
    const uint32_t x = isa_read32(w, o) & (f->sign | (f->sign - 1));
    return keeps_sources(w, f) ? x : flushed(x, f);
}

/* The result x, flushed if MODE says so. If x is a NaN: the first NaN among the operands, quieted,
 * or the default NaN. */
static uint32_t result(const isa_wave_t *w, uint32_t x, const uint32_t *operands, unsigned n,
                       const scalar_format_t *f)
{
    if (is_nan(x, f)) {
        for (unsigned k = 0; k < n; k++)
            if (is_nan(operands[k], f)) return quieted(operands[k], f);
        return f->nan;
    }
    return keeps_results(w, f) ? x : flushed(x, f);
}

/* ---- sums and products ---- */

static uint32_t fused(const isa_wave_t *w, const uint32_t x[3], const scalar_format_t *f)
{
    return f == &F32 ? fpu_fma_scaled32(x[0], x[1], x[2], 0, rounding(w, f))
                     : fpu_fma16(x[0], x[1], x[2], rounding(w, f));
}

static void add(isa_wave_t *w, const isa_inst_t *i, const scalar_format_t *f, uint32_t toggle)
{
    const uint32_t a = source(w, &i->src[0], f), b = source(w, &i->src[1], f);
    const uint32_t fma[3] = {a, f->one, b ^ toggle};
    w->sgpr[i->dst.reg] = result(w, fused(w, fma, f), (const uint32_t[]){a, b}, 2, f);
}

static void multiply(isa_wave_t *w, const isa_inst_t *i, const scalar_format_t *f)
{
    const uint32_t a = source(w, &i->src[0], f), b = source(w, &i->src[1], f);
    const uint32_t fma[3] = {
        a, b, (a ^ b) & f->sign}; /* the addend is a zero that keeps the sign of a zero product */
    w->sgpr[i->dst.reg] = result(w, fused(w, fma, f), (const uint32_t[]){a, b}, 2, f);
}

static void multiply_add(isa_wave_t *w, const isa_inst_t *i, const scalar_format_t *f,
                         const isa_operand_t *addend)
{
    const uint32_t fma[3] = {source(w, &i->src[0], f), source(w, &i->src[1], f),
                             source(w, addend, f)};
    w->sgpr[i->dst.reg] = result(w, fused(w, fma, f), fma, 3, f);
}

#define ARITHMETIC(type, format)                                                                   \
    ISA_INST(s_add_##type)                                                                         \
    {                                                                                              \
        add(w, i, &(format), 0);                                                                   \
    }                                                                                              \
    ISA_INST(s_sub_##type)                                                                         \
    {                                                                                              \
        add(w, i, &(format), (format).sign);                                                       \
    }                                                                                              \
    ISA_INST(s_mul_##type)                                                                         \
    {                                                                                              \
        multiply(w, i, &(format));                                                                 \
    }                                                                                              \
    ISA_INST(s_fmac_##type)                                                                        \
    {                                                                                              \
        multiply_add(w, i, &(format), &i->dst);                                                    \
    }
ARITHMETIC(f32, F32)
ARITHMETIC(f16, F16)

ISA_INST(s_fmaak_f32)
{
    multiply_add(w, i, &F32, &i->src[2]);
}

ISA_INST(s_fmamk_f32)
{
    multiply_add(w, i, &F32, &i->src[2]);
}

/* ---- minimum and maximum ---- */

static void minmax(isa_wave_t *w, const isa_inst_t *i, const scalar_format_t *f, bool max)
{
    const uint32_t a = source(w, &i->src[0], f), b = source(w, &i->src[1], f);
    const bool ieee = w->mode & ISA_MODE_IEEE;
    const uint32_t x = f == &F32 ? fpu_minmax32(a, b, max, ieee) : fpu_minmax16(a, b, max, ieee);
    w->sgpr[i->dst.reg] = keeps_results(w, f) ? x : flushed(x, f);
}

ISA_INST(s_min_f32)
{
    minmax(w, i, &F32, false);
}
ISA_INST(s_max_f32)
{
    minmax(w, i, &F32, true);
}
ISA_INST(s_min_f16)
{
    minmax(w, i, &F16, false);
}
ISA_INST(s_max_f16)
{
    minmax(w, i, &F16, true);
}

/* Minimum and maximum of IEEE 754: the result is a NaN if an operand is, the first one, quieted. */
static void ieee_minmax(isa_wave_t *w, const isa_inst_t *i, const scalar_format_t *f, bool max)
{
    const uint32_t x[2] = {source(w, &i->src[0], f), source(w, &i->src[1], f)};
    const bool nan = is_nan(x[0], f) || is_nan(x[1], f);
    const uint32_t r = nan         ? f->nan
                       : f == &F32 ? fpu_minmax32(x[0], x[1], max, false)
                                   : fpu_minmax16(x[0], x[1], max, false);
    w->sgpr[i->dst.reg] = result(w, r, x, 2, f);
}

ISA_INST(s_minimum_f32)
{
    ieee_minmax(w, i, &F32, false);
}
ISA_INST(s_maximum_f32)
{
    ieee_minmax(w, i, &F32, true);
}
ISA_INST(s_minimum_f16)
{
    ieee_minmax(w, i, &F16, false);
}
ISA_INST(s_maximum_f16)
{
    ieee_minmax(w, i, &F16, true);
}

/* ---- integral values ---- */

#define ROUND(name, fn)                                                                            \
    ISA_INST(s_##name##_f32)                                                                       \
    {                                                                                              \
        const uint32_t a = source(w, &i->src[0], &F32);                                            \
        w->sgpr[i->dst.reg] = result(w, fpu_bits32(fn(fpu_f32(a))), &a, 1, &F32);                  \
    }                                                                                              \
    ISA_INST(s_##name##_f16)                                                                       \
    {                                                                                              \
        const uint32_t a = source(w, &i->src[0], &F16);                                            \
        const float x = fn(fpu_f32(fpu_f16_to_f32(a)));                                            \
        w->sgpr[i->dst.reg] = result(w, fpu_f32_to_f16(fpu_bits32(x), FPU_NEAREST), &a, 1, &F16);  \
    }
ROUND(ceil, __builtin_ceilf)
ROUND(floor, __builtin_floorf)
ROUND(trunc, __builtin_truncf)
ROUND(rndne, __builtin_rintf)

/* ---- conversions ---- */

/* Returns high * 65536 + low, rounded once; a float holds both terms exactly. */
static uint32_t from_halves(const isa_wave_t *w, int32_t high, uint32_t low)
{
    const uint32_t fma[3] = {fpu_bits32((float)high), fpu_bits32(65536.0f), fpu_bits32((float)low)};
    return fused(w, fma, &F32);
}

ISA_INST(s_cvt_f32_i32)
{
    const uint32_t a = isa_read32(w, &i->src[0]);
    w->sgpr[i->dst.reg] = from_halves(w, (int32_t)a >> 16, a & 0xffff);
}

ISA_INST(s_cvt_f32_u32)
{
    const uint32_t a = isa_read32(w, &i->src[0]);
    w->sgpr[i->dst.reg] = from_halves(w, (int32_t)(a >> 16), a & 0xffff);
}

ISA_INST(s_cvt_i32_f32)
{
    w->sgpr[i->dst.reg] = fpu_f32_to_i32(fpu_f32(source(w, &i->src[0], &F32)));
}

ISA_INST(s_cvt_u32_f32)
{
    w->sgpr[i->dst.reg] = fpu_to_u32((double)fpu_f32(source(w, &i->src[0], &F32)));
}

ISA_INST(s_cvt_f16_f32)
{
    const uint32_t x = fpu_f32_to_f16(source(w, &i->src[0], &F32), rounding(w, &F16));
    w->sgpr[i->dst.reg] = keeps_results(w, &F16) ? x : flushed(x, &F16);
}

static uint32_t widened(const isa_wave_t *w, uint32_t h)
{
    return fpu_f16_to_f32(keeps_sources(w, &F16) ? h : flushed(h, &F16));
}

ISA_INST(s_cvt_f32_f16)
{
    w->sgpr[i->dst.reg] = widened(w, isa_read32(w, &i->src[0]) & 0xffff);
}

ISA_INST(s_cvt_hi_f32_f16)
{
    w->sgpr[i->dst.reg] = widened(w, isa_read32(w, &i->src[0]) >> 16);
}

ISA_INST(s_cvt_pk_rtz_f16_f32)
{
    uint32_t pair = 0;
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t x = fpu_f32_to_f16(source(w, &i->src[k], &F32), FPU_ZERO);
        pair |= (keeps_results(w, &F16) ? x : flushed(x, &F16)) << 16 * k;
    }
    w->sgpr[i->dst.reg] = pair;
}

/* ---- compares ---- */

static float number(isa_wave_t *w, const isa_operand_t *o, const scalar_format_t *f)
{
    const uint32_t x = source(w, o, f);
    return fpu_f32(f == &F32 ? x : fpu_f16_to_f32(x));
}

#define COMPARE(name, type, format, condition)                                                     \
    ISA_INST(s_cmp_##name##_##type)                                                                \
    {                                                                                              \
        const float a = number(w, &i->src[0], &(format)), b = number(w, &i->src[1], &(format));    \
        w->scc = (condition);                                                                      \
    }
#define COMPARE_FLOAT(name, condition)                                                             \
    COMPARE(name, f32, F32, condition)                                                             \
    COMPARE(name, f16, F16, condition)
COMPARE_FLOAT(lt, a < b)
COMPARE_FLOAT(eq, a == b)
COMPARE_FLOAT(le, a <= b)
COMPARE_FLOAT(gt, a > b)
COMPARE_FLOAT(lg, a<b || a> b)
COMPARE_FLOAT(ge, a >= b)
COMPARE_FLOAT(o, a == a && b == b)
COMPARE_FLOAT(u, a != a || b != b)
COMPARE_FLOAT(nge, !(a >= b))
COMPARE_FLOAT(nlg, !(a < b || a > b))
COMPARE_FLOAT(ngt, !(a > b))
COMPARE_FLOAT(nle, !(a <= b))
COMPARE_FLOAT(neq, !(a == b))
COMPARE_FLOAT(nlt, !(a < b))
