/* valu_f64.c - double-precision arithmetic.
 *
 * The hardware's reciprocals and roots are starting values for an iteration in software; here they
 * are the rounded exact ones, which the iteration does not change. */
#include "softgpu/exec/valu_float.h"

VALU_VECTOR2(v_add_f64, f64, a + b)
VALU_VECTOR2(v_mul_f64, f64, a *b)
VALU_VECTOR3(v_fma_f64, f64, isa_vec_fma64(a, b, c))
VALU_VECTOR(v_fmac_f64, f64, VALU_F64, VALU_READS_DST, body_v_fma_f64)

VALU_OP2(v_min_f64, b64, b64, b64, 0, fpu_minmax64(a, b, false, ieee))
VALU_OP2(v_max_f64, b64, b64, b64, 0, fpu_minmax64(a, b, true, ieee))

/* Minimum and maximum of IEEE 754: if operands are NaNs, the result is the first of them,
 * quieted. */
static inline uint64_t ieee_minmax(uint64_t x, uint64_t y, bool max)
{
    const uint64_t r = fpu_minmax64(x, y, max, false);
    return fpu_nan64(x) ? x | FPU_QUIET64 : fpu_nan64(y) ? y | FPU_QUIET64 : r;
}

VALU_OP2(v_minimum_f64, b64, b64, b64, 0, ieee_minmax(a, b, false))
VALU_OP2(v_maximum_f64, b64, b64, b64, 0, ieee_minmax(a, b, true))

VALU_FLOAT1(v_rcp_f64, f64, VALU_NEAREST, 1.0 / a)
VALU_FLOAT1(v_rsq_f64, f64, VALU_NEAREST, 1.0 / __builtin_sqrt(a))
VALU_FLOAT1(v_sqrt_f64, f64, VALU_NEAREST, __builtin_sqrt(a))

#define ROUND(name, fn)                                                                            \
    VALU_OP1(name, b64, b64, VALU_NEAREST,                                                         \
             fpu_nan64(a) ? a | FPU_QUIET64 : fpu_bits64(fn(fpu_f64(a))))

ROUND(v_trunc_f64, __builtin_trunc)
ROUND(v_ceil_f64, __builtin_ceil)
ROUND(v_rndne_f64, __builtin_rint)
ROUND(v_floor_f64, __builtin_floor)

static inline double fract(double x)
{
    const double r = x - __builtin_floor(x);
    return r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1
           : r == 0                 ? 0
                                    : r; /* +0 in every rounding mode */
}

VALU_FLOAT1(v_fract_f64, f64, 0, fract(a))

/* The bits of x, or of x * 2^54 if x is a denormal. *places: the increase of the exponent by
 * that. */
static inline uint64_t normalised(double x, int32_t *places)
{
    const bool small = !(fpu_bits64(x) & FPU_INF64);
    *places = small ? 54 : 0;
    return fpu_bits64(small ? x * 0x1p54 : x);
}

static inline uint32_t exponent(double x)
{
    int32_t places;
    const uint64_t bits = normalised(x, &places);
    const int32_t e = (int32_t)(bits >> 52) & 0x7ff;
    return e == 0 || e == 0x7ff ? 0 : (uint32_t)(e - 1022 - places);
}

static inline double mantissa(double x)
{
    int32_t places;
    const uint64_t bits = normalised(x, &places);
    const uint32_t e = (uint32_t)(bits >> 52) & 0x7ff;
    const uint64_t half = (bits & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3fe0000000000000);
    return e == 0 || e == 0x7ff ? x + x : fpu_f64(half);
}

VALU_OP1(v_frexp_exp_i32_f64, u32, f64, VALU_CLAMP_NOP, exponent(a))
VALU_FLOAT1(v_frexp_mant_f64, f64, 0, mantissa(a))

/* If operand and result are normal, the exponents are added. */
static void body_v_ldexp_f64(valu_t *v)
{
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);
    for (int l = 0; l < ISA_LANES; l++) {
        const uint64_t x = VALU_LD_u64(pa);
        const int64_t e = (int64_t)(x >> 52 & 0x7ff), sum = e + (int32_t)pb[l];
        if (e > 0 && e < 0x7ff && sum > 0 && sum < 0x7ff)
            VALU_ST_u64(x + ((uint64_t)(sum - e) << 52));
        else
            VALU_ST_u64(fpu_ldexp64(x, (int32_t)pb[l], v->round));
    }
}

VALU_HANDLER(v_ldexp_f64, VALU_F64, VALU_F64, VALU_B32, VALU_NONE, 0)

/* ---- 2/pi for range reduction: 1201 bits, the first is worth 1/2 ---- */

enum { TWO_OVER_PI_BITS = 1201 };

/* floor(2^1280 * 2/pi), most significant word first. */
static const uint64_t two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* Returns 53 bits of 2/pi from bit `at` on; bits past the end are 0. */
static uint64_t two_over_pi_bits(unsigned at)
{
    uint64_t r = 0;
    for (unsigned n = at; n < at + 53; n++)
        r = r << 1 | (n < TWO_OVER_PI_BITS ? two_over_pi[n / 64] >> (63 - n % 64) & 1 : 0);
    return r;
}

static void body_v_trig_preop_f64(valu_t *v)
{
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);
    for (int l = 0; l < ISA_LANES; l++) {
        const unsigned e = (unsigned)(VALU_LD_u64(pa) >> 52) & 0x7ff;
        const unsigned shift = 53 * (pb[l] & 31) + (e > 1077 ? e - 1077 : 0);
        const int scale = -53 - (int)shift + (e >= 1968 ? 128 : 0);
        const double bits = (double)two_over_pi_bits(shift);
        VALU_ST_u64(fpu_ldexp64(fpu_bits64(bits), scale, v->round));
    }
}

VALU_HANDLER(v_trig_preop_f64, VALU_F64, VALU_F64, VALU_B32, VALU_NONE, VALU_NEAREST)
