/* fpu_small.h - floating-point formats of 4 to 16 bits: their values in f32, and f32 rounded to
 * them.
 *
 * A format is a row of fpu_formats. Sources: OCP's specifications of 8-bit and of microscaling
 * formats, AMD's manuals of CDNA 3 and 4 ("BF8 / FP8 and Smaller Formats"). If these documents
 * leave a case open, a comment states the assumption. All results are computed with integers, so
 * that they are the same on every core and host. */
#ifndef SOFTGPU_EXEC_FPU_SMALL_H
#define SOFTGPU_EXEC_FPU_SMALL_H

#include "softgpu/exec/fpu.h"

/* ORDER: as the rows of fpu_formats. FP8 is E4M3, BF8 E5M2, FP6 E2M3, BF6 E3M2, FP4 E2M1. */
typedef enum {
    FPU_FP8,
    FPU_BF8,
    FPU_FP8_FNUZ,
    FPU_BF8_FNUZ,
    FPU_FP6,
    FPU_BF6,
    FPU_FP4,
    FPU_F16,
    FPU_BF16,
    FPU_SMALL_FORMATS
} fpu_small_t;

/* The codes that are no finite numbers. */
typedef enum {
    FPU_SPECIAL_IEEE,    /* the largest exponent has the infinities and the NaNs */
    FPU_SPECIAL_ONES,    /* an exponent and a mantissa of all ones are a NaN; no infinities */
    FPU_SPECIAL_MINUS_0, /* the code that would be -0 is the only NaN; no infinities, no -0 */
    FPU_SPECIAL_NONE
} fpu_special_t;

typedef struct {
    uint8_t exponent, mantissa; /* bits of the fields */
    uint8_t bias;
    uint8_t special; /* fpu_special_t */
} fpu_format_t;

static const fpu_format_t fpu_formats[FPU_SMALL_FORMATS] = {
    {4, 3, 7, FPU_SPECIAL_ONES},     {5, 2, 15, FPU_SPECIAL_IEEE},  {4, 3, 8, FPU_SPECIAL_MINUS_0},
    {5, 2, 16, FPU_SPECIAL_MINUS_0}, {2, 3, 1, FPU_SPECIAL_NONE},   {3, 2, 3, FPU_SPECIAL_NONE},
    {2, 1, 1, FPU_SPECIAL_NONE},     {5, 10, 15, FPU_SPECIAL_IEEE}, {8, 7, 127, FPU_SPECIAL_IEEE},
};

static inline unsigned fpu_format_bits(const fpu_format_t *f)
{
    return 1u + f->exponent + f->mantissa;
}

/* The code of the sign. The codes of magnitudes are below it. */
static inline uint32_t fpu_format_sign(const fpu_format_t *f)
{
    return 1u << (f->exponent + f->mantissa);
}

/* The code of the largest finite number. */
static inline uint32_t fpu_format_largest(const fpu_format_t *f)
{
    const uint32_t ones = fpu_format_sign(f) - 1;
    switch (f->special) {
    case FPU_SPECIAL_IEEE: return ones - (1u << f->mantissa);
    case FPU_SPECIAL_ONES: return ones - 1;
    default: return ones;
    }
}

/* The bits of an f32 with this value: exact. A NaN becomes the default NaN with its sign. Bits of
 * `code` above those of the format are ignored. */
static inline uint32_t fpu_from_small(const fpu_format_t *f, uint32_t code)
{
    const uint32_t sign_bit = fpu_format_sign(f), magnitude = code & (sign_bit - 1);
    const uint32_t sign = code & sign_bit ? 0x80000000 : 0;
    const int field = (int)(magnitude >> f->mantissa);
    const uint32_t rest = magnitude & ((1u << f->mantissa) - 1);
    if (magnitude > fpu_format_largest(f))
        return sign | (f->special == FPU_SPECIAL_IEEE && !rest ? FPU_INF32 : FPU_NAN32);
    if (f->special == FPU_SPECIAL_MINUS_0 && sign && !magnitude) return FPU_NAN32;
    const int power = (field ? field : 1) - f->bias - f->mantissa;
    const double unit = fpu_f64((uint64_t)(1023 + power) << 52);
    const double value = (field ? rest | 1u << f->mantissa : rest) * unit;
    return sign | fpu_bits32((float)value);
}

/* The same for formats of 8 bits, without a branch: for loops that compilers vectorise. */
static inline uint32_t fpu_from_byte(fpu_format_t f, uint32_t code)
{
    const uint32_t codes = code & 0x7f, magnitude = codes << (23 - f.mantissa);
    const uint32_t one = (128u - f.bias) << 23, normal = magnitude + ((127u - f.bias) << 23);
    /* The mask is for 0, whose difference is -0 if the host rounds down. */
    const uint32_t small = fpu_bits32(fpu_f32(magnitude + one) - fpu_f32(one)) & 0x7fffffff;
    uint32_t r = magnitude < 0x800000 ? small : normal;
    if (f.special == FPU_SPECIAL_IEEE) {
        r = codes >= 0x7c ? FPU_INF32 : r;
        r = codes > 0x7c ? FPU_NAN32 : r;
    }
    if (f.special == FPU_SPECIAL_ONES) r = codes == 0x7f ? FPU_NAN32 : r;
    r |= (code & 0x80) << 24;
    if (f.special == FPU_SPECIAL_MINUS_0) r = (code & 0xff) == 0x80 ? FPU_NAN32 : r;
    return r;
}

/* How a number is rounded: to nearest even, or by random bits, which are added below the last place
 * that is kept. `saturate`: numbers that are too large, and infinity, become the largest finite
 * number. */
typedef struct {
    bool stochastic, saturate;
    uint32_t random;
} fpu_rounding_t;

/* NaNs and infinities, which MODE.FP16_OVFL (`saturate`) affects by the table in section 7.3 of the
 * CDNA 4 manual. In a format without NaNs, a NaN has the same result as a number that is too large.
 * That is an assumption, since no document states it. */
static inline uint32_t fpu_small_special(const fpu_format_t *f, uint32_t sign, bool nan,
                                         bool saturate)
{
    const uint32_t ones = fpu_format_sign(f) - 1;
    if (f->special == FPU_SPECIAL_NONE || (saturate && !nan)) return sign | fpu_format_largest(f);
    if (f->special == FPU_SPECIAL_MINUS_0) return fpu_format_sign(f);
    if (f->special == FPU_SPECIAL_ONES) return sign | ones;
    if (!nan) return sign | (fpu_format_largest(f) + 1);
    return sign | (f->mantissa > 2 ? ones - ((1u << (f->mantissa - 1)) - 1) : ones);
}

/* x * 2^scale, x the bits of an f32, rounded once to the format. An f32 has 23 bits of mantissa, of
 * which the format keeps the upper ones and cuts off the rest. Stochastic rounding adds as many of
 * the highest bits of `random` to those that are cut off: if the sum has a carry, the result is the
 * larger of the two neighbours. */
static inline uint32_t fpu_to_small(const fpu_format_t *f, uint32_t x, int scale,
                                    fpu_rounding_t how)
{
    const uint32_t sign = x >> 31 ? fpu_format_sign(f) : 0, magnitude = x & 0x7fffffff;
    if (magnitude >= FPU_INF32)
        return fpu_small_special(f, sign, magnitude > FPU_INF32, how.saturate);
    const uint32_t zero = f->special == FPU_SPECIAL_MINUS_0 ? 0 : sign;
    if (!magnitude) return zero;
    const int field = (int)(magnitude >> 23);
    const uint32_t raw = field ? (magnitude & 0x7fffff) | 0x800000 : magnitude;
    const int left = __builtin_clz(raw) - 8;
    const uint64_t significand = (uint64_t)raw << left; /* 24 bits */
    const int wanted = (field ? field : 1) - left - 127 + scale + f->bias;
    const int exponent = wanted > 1 ? wanted : 1;
    const int bits = 23 - f->mantissa; /* how many bits a normal number loses */
    /* A number that loses 24 more bits is rounded to 0: not even a carry is left of it. */
    const int lost = exponent - wanted > 24 ? bits + 24 : bits + exponent - wanted;
    uint64_t add = (UINT64_C(1) << (lost - 1)) - 1 + (significand >> lost & 1);
    if (how.stochastic) add = (uint64_t)(how.random >> (32 - bits)) << (lost - bits);
    const uint64_t kept = (significand + add) >> lost;
    const uint64_t code = ((uint64_t)(exponent - 1) << f->mantissa) + kept;
    if (code > fpu_format_largest(f)) return fpu_small_special(f, sign, false, how.saturate);
    return code ? sign | (uint32_t)code : zero;
}

/* The next value of the generator of v_prng_b32, which stochastic conversions of several
 * numbers step once for each. */
static inline uint32_t fpu_prng(uint32_t x)
{
    return x << 1 ^ (x >> 31 ? 197 : 0);
}

#endif
