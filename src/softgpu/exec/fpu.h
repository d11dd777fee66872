/* fpu.h - floating-point functions of which instructions are made: bit casts, f16, min and max.
 *
 * All of them can be vectorised and give the same bits on every host. Exact scaling, which has
 * branches, is in fpu.c; elementary functions are in fpu_math.h. */
#ifndef SOFTGPU_EXEC_FPU_H
#define SOFTGPU_EXEC_FPU_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The host's float mode (MXCSR) while handlers run: round to nearest, denormals kept, no exception
 * unmasked. The run loop sets it, since fast-math start-up code of the program may have changed the
 * mode that threads inherit. A handler that needs another mode sets this one again afterwards, and
 * does not read the old one: reading MXCSR makes the host wait for all its float operations. */
enum { ISA_HOST_FLOAT_MODE = 0x1f80, ISA_HOST_DENORMALS_ZERO = 0x40, ISA_HOST_ROUND_SHIFT = 13 };

/* Rounding modes by their numbers in the register MODE. */
typedef enum { FPU_NEAREST, FPU_UP, FPU_DOWN, FPU_ZERO } fpu_round_t;

#define FPU_NAN32   UINT32_C(0x7fc00000)
#define FPU_INF32   UINT32_C(0x7f800000)
#define FPU_NAN64   UINT64_C(0x7ff8000000000000)
#define FPU_INF64   UINT64_C(0x7ff0000000000000)
#define FPU_SIGN64  UINT64_C(0x8000000000000000)
#define FPU_QUIET64 UINT64_C(0x0008000000000000)

static inline float fpu_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint32_t fpu_bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double fpu_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint64_t fpu_bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline bool fpu_nan32(uint32_t x)
{
    return (x & 0x7fffffff) > FPU_INF32;
}
static inline bool fpu_nan64(uint64_t x)
{
    return (x & ~FPU_SIGN64) > FPU_INF64;
}
static inline bool fpu_nan16(uint32_t x)
{
    return (x & 0x7fff) > 0x7c00;
}

/* Flushing: a denormal becomes zero with the same sign. */
static inline uint32_t fpu_flush32(uint32_t x)
{
    return (x & FPU_INF32) ? x : x & 0x80000000;
}

static inline uint32_t fpu_flush16(uint32_t x)
{
    return (x & 0x7c00) ? x : x & 0x8000;
}

static inline uint64_t fpu_flush64(uint64_t x)
{
    return (x & FPU_INF64) ? x : x & FPU_SIGN64;
}
static inline float fpu_flushed(float x)
{
    return fpu_f32(fpu_flush32(fpu_bits32(x)));
}

/* Widens a half, exactly; a signalling NaN is quieted. The high half of h is ignored. */
static inline uint32_t fpu_f16_to_f32(uint32_t h)
{
    const uint32_t mag = (h & 0x7fff) << 13;
    const uint32_t sign = (h & 0x8000) << 16;
    const uint32_t normal = mag + (112u << 23);
    const uint32_t special = (mag + (224u << 23)) | (mag > (0x7c00u << 13) ? 0x400000 : 0);
    /* A denormal is normalised by adding 2^-14 to its bits and subtracting it as a number. The mask
     * is for 0, whose difference is -0 if the host rounds down. */
    const uint32_t small =
        fpu_bits32(fpu_f32(mag + (113u << 23)) - fpu_f32(113u << 23)) & 0x7fffffff;
    uint32_t r = mag >= (0x7c00u << 13) ? special : normal;
    r = mag < (0x400u << 13) ? small : r;
    return r | sign;
}

/* Rounds the bits of an f32 to f16; the result is in the low half, the high one is 0. It consists
 * of selects and masks, which compilers vectorise. */
static inline uint32_t fpu_f32_to_f16(uint32_t x, uint32_t round)
{
    const uint32_t near = round == FPU_NEAREST ? UINT32_MAX : 0;
    const uint32_t up = round == FPU_UP ? UINT32_MAX : 0, down = round == FPU_DOWN ? UINT32_MAX : 0;
    const uint32_t a = x & 0x7fffffff;
    const uint32_t sign = x >> 16 & 0x8000;
    const uint32_t away = sign ? down : up;
    const uint32_t rebased = a - (112u << 23);
    const uint32_t add = (near & (0xfffu + (rebased >> 13 & 1))) | (away & 0x1fffu);
    const uint32_t top = 0x7bff + ((near | away) & 1);
    uint32_t normal = (rebased + add) >> 13;
    normal = normal > top ? top : normal;
    normal = a >= 0x47800000 ? top : normal;
    normal = a == FPU_INF32 ? 0x7c00 : normal;
    /* Below 2^-14: the mantissa is shifted to units of 2^-24, by 25 at most (all of it is lost). */
    const uint32_t exponent = a >> 23;
    const uint32_t shift = exponent < 101 ? 25 : (126 - exponent) & 31;
    const uint32_t sig = a ? (a & 0x7fffff) | 0x800000 : 0;
    const uint32_t unit = 1u << shift;
    const uint32_t small_add =
        (near & ((unit >> 1) - 1 + (sig >> shift & 1))) | (away & (unit - 1));
    const uint32_t small = (sig + small_add) >> shift;
    uint32_t r = a < 0x38800000 ? small : normal;
    r = a > FPU_INF32 ? 0x7e00 | (a >> 13 & 0x3ff) : r;
    return r | sign;
}

/* Conversions to integers: truncated, saturated, 0 for a NaN. */
static inline uint32_t fpu_f32_to_i32(float x)
{
    return (uint32_t)(x >= 2147483648.0f    ? INT32_MAX
                      : x <= -2147483648.0f ? INT32_MIN
                      : x == x              ? (int32_t)x
                                            : 0);
}

static inline uint32_t fpu_to_u32(double x)
{
    return x >= 4294967295.0 ? UINT32_MAX : x > 0.0 ? (uint32_t)(int64_t)x : 0;
}

/* Narrows to f32 by rounding to odd, so that a second rounding to f16 or bf16 is exact. The value
 * must lie in f32's normal range or be 0, infinite or NaN, as every f16 product and sum does. */
static inline uint32_t fpu_f64_to_f32_odd(uint64_t x)
{
    const uint32_t sign = (uint32_t)(x >> 32) & 0x80000000;
    const uint32_t exponent = (uint32_t)(x >> 52) & 0x7ff;
    const uint32_t mantissa = (uint32_t)(x >> 29) & 0x7fffff;
    const uint32_t lost = (x & 0x1fffffff) != 0;
    const uint32_t special = FPU_INF32 | mantissa | (lost || mantissa ? 0x400000u : 0);
    uint32_t r = (exponent - 896) << 23 | mantissa | lost;
    r = exponent == 0x7ff ? special : r;
    r = exponent ? r : 0;
    return r | sign;
}

/* min and max as AMD defines them: of a number and a NaN the result is the number, and -0 < +0. In
 * IEEE mode a signalling NaN is the result, quieted; that of the first operand takes precedence.
 * Without IEEE mode `signalling` is 0, so that no operand counts as a signalling NaN. */
static inline uint32_t fpu_minmax32(uint32_t x, uint32_t y, bool max, bool ieee)
{
    const float a = fpu_f32(x), b = fpu_f32(y);
    const uint32_t signalling = ieee ? 0x400000 - 1 : 0;
    const uint32_t x_above = (x & 0x7fffffff) - FPU_INF32 - 1,
                   y_above = (y & 0x7fffffff) - FPU_INF32 - 1;
    const uint32_t equal = max ? x & y : x | y;
    uint32_t r = (max ? b > a : b < a) ? y : equal;
    r = (max ? a > b : a < b) ? x : r;
    r = b != b ? x : r;
    r = a != a ? y : r;
    r = y_above < signalling ? y | 0x400000 : r;
    return x_above < signalling ? x | 0x400000 : r;
}

static inline uint64_t fpu_minmax64(uint64_t x, uint64_t y, bool max, bool ieee)
{
    const double a = fpu_f64(x), b = fpu_f64(y);
    const uint64_t signalling = ieee ? FPU_QUIET64 - 1 : 0;
    const uint64_t x_above = (x & ~FPU_SIGN64) - FPU_INF64 - 1,
                   y_above = (y & ~FPU_SIGN64) - FPU_INF64 - 1;
    const uint64_t equal = max ? x & y : x | y;
    uint64_t r = (max ? b > a : b < a) ? y : equal;
    r = (max ? a > b : a < b) ? x : r;
    r = b != b ? x : r;
    r = a != a ? y : r;
    r = y_above < signalling ? y | FPU_QUIET64 : r;
    return x_above < signalling ? x | FPU_QUIET64 : r;
}

static inline uint32_t fpu_minmax16(uint32_t x, uint32_t y, bool max, bool ieee)
{
    const float a = fpu_f32(fpu_f16_to_f32(x)), b = fpu_f32(fpu_f16_to_f32(y));
    const uint32_t signalling = ieee ? 0x1ff : 0;
    const uint32_t x_above = (x & 0x7fff) - 0x7c01, y_above = (y & 0x7fff) - 0x7c01;
    const uint32_t equal = max ? x & y : x | y;
    uint32_t r = (max ? b > a : b < a) ? y : equal;
    r = (max ? a > b : a < b) ? x : r;
    r = b != b ? x : r;
    r = a != a ? y : r;
    r = y_above < signalling ? y | 0x200 : r;
    return x_above < signalling ? x | 0x200 : r;
}

/* ---- fpu_rows.c: 64 values at once, by the host's instructions if it has them ---- */

/* Converts the low halves of `in` to bits of f32, as fpu_f16_to_f32() does. Rows are 64-byte
 * aligned; out may be in. */
void fpu_widen_row(uint32_t *out, const uint32_t *in);

/* Converts bits of f32 to halves, as fpu_f32_to_f16() does. */
void fpu_narrow_row(uint32_t *out, const uint32_t *in, uint32_t round);

/* ---- fpu.c ---- */

/* (a*b+c) * 2^scale with one rounding; the caller handles NaN operands. */
uint64_t fpu_fma_scaled64(uint64_t a, uint64_t b, uint64_t c, int scale, uint32_t round);
uint32_t fpu_fma_scaled32(uint32_t a, uint32_t b, uint32_t c, int scale, uint32_t round);
uint32_t fpu_fma16(uint32_t a, uint32_t b, uint32_t c, uint32_t round);

/* x times 2^n with one rounding. */
uint64_t fpu_ldexp64(uint64_t x, int32_t n, uint32_t round);
uint32_t fpu_ldexp32(uint32_t x, int32_t n, uint32_t round);

#endif
