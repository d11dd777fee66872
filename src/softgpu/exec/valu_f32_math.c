/* valu_f32_math.c - reciprocals, roots, powers, logarithms and sines of f32 and f16.
 *
 * The f32 forms flush denormal operands and results; f16 forms do not. All round to nearest.
 * Results are the correctly rounded ones or their neighbours, as on the hardware. */
#include "softgpu/exec/fpu_math.h"
#include "softgpu/exec/valu_float.h"

static inline double rcp(double x)
{
    return 1.0 / x;
}

static inline double rsq(double x)
{
    return 1.0 / __builtin_sqrt(x);
}

/* 2^200 is infinity in f32, and 2^-200 is 0: powers beyond need not be computed. */
static inline double power(double x)
{
    const double limited = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x;
    return x != x ? x : fpu_exp2(limited);
}

static inline double logarithm(double x)
{
    const double finite = fpu_log2(x);
    const double limit = x > 0 ? x : x == 0 ? fpu_f64(FPU_INF64 | FPU_SIGN64) : fpu_f64(FPU_NAN64);
    return x > 0 && x < fpu_f64(FPU_INF64) ? finite : x != x ? x : limit;
}

/* Outside 256 turns the hardware's result is 0 for sin and 1 for cos; infinity has no sine. */
static inline double turns(double x, unsigned quarter)
{
    const double outside = quarter ? 1.0 : 0.0;
    const double magnitude = __builtin_fabs(x);
    const double inside = fpu_sin_turns(magnitude > 256.0 ? 0.0 : x, quarter);
    const double zero = quarter ? 0.0 : x * 0.0; /* sign as that of IEEE 754's sinPi */
    const double r = magnitude > 256.0 ? outside : inside == 0.0 ? zero : inside;
    return magnitude < fpu_f64(FPU_INF64) ? r : fpu_f64(FPU_NAN64);
}

#define MATH32(name, expr) VALU_FLOAT1(name, f32, VALU_NEAREST, fpu_flushed((float)(expr)))
#define X                  ((double)fpu_flushed(a))

VALU_FBODY1(exact_rcp, f32, f32, fpu_flushed((float)rcp(X)))
VALU_FBODY1(exact_rsq, f32, f32, fpu_flushed((float)rsq(X)))

#if ISA_VEC_BYTES == 64
/* ---- the host's estimates, refined ----
 *
 * The exact bodies divide and take roots of doubles and round to f32. A double that is wrong by
 * some units of its last place rounds to the same f32, unless the middle between two f32 is that
 * near. If there is such a lane, or an operand that is no ordinary number, the exact body computes
 * the row. */

/* The estimate's relative error is 2^-14 at most, 2^-41 after a step of third order, and in the end
 * some units of the last place. */
static inline __attribute__((always_inline)) __m512d refined_rcp(__m512d x)
{
    const __m512d one = _mm512_set1_pd(1.0);
    __m512d y = _mm512_rcp14_pd(x), e = _mm512_fnmadd_pd(x, y, one);
    y = _mm512_fmadd_pd(y, _mm512_fmadd_pd(e, e, e), y);
    e = _mm512_fnmadd_pd(x, y, one);
    return _mm512_fmadd_pd(y, e, y);
}

static inline __attribute__((always_inline)) __m512d refined_rsq(__m512d x)
{
    const __m512d one = _mm512_set1_pd(1.0), half = _mm512_set1_pd(0.5);
    __m512d y = _mm512_rsqrt14_pd(x), e = _mm512_fnmadd_pd(_mm512_mul_pd(x, y), y, one);
    const __m512d more = _mm512_fmadd_pd(e, _mm512_set1_pd(0.375), half);
    y = _mm512_fmadd_pd(y, _mm512_mul_pd(e, more), y);
    e = _mm512_fnmadd_pd(_mm512_mul_pd(x, y), y, one);
    return _mm512_fmadd_pd(_mm512_mul_pd(y, half), e, y);
}

/* Lanes whose result is so near the middle between two f32 that its error decides to which of them
 * it is rounded. */
static inline __attribute__((always_inline)) __mmask8 undecided(__m512d y)
{
    enum { NEAR = 64 };
    const __m512i below =
        _mm512_and_si512(_mm512_sub_epi64((__m512i)y, _mm512_set1_epi64(0x10000000 - NEAR)),
                         _mm512_set1_epi64(0x1fffffff));
    return _mm512_cmplt_epu64_mask(below, _mm512_set1_epi64(2 * NEAR));
}

/* An operand is ordinary if its bits in the mask `magnitude` (all, or all but the sign) are from
 * the least normal number up to, but without, `most`. False, and nothing done: a lane's operand is
 * not ordinary, or its result is undecided. */
static inline __attribute__((always_inline)) bool refined(valu_t *v, uint32_t magnitude,
                                                          uint32_t most, const bool root)
{
    __m512 r[ISA_LANES / 16];
    uint64_t left_over = 0;
    ISA_UNROLL for (unsigned k = 0; k < ISA_LANES / 16; k++)
    {
        const __mmask16 lanes = (__mmask16)(v->lanes >> 16 * k);
        const __m512i x = _mm512_mask_blend_epi32(lanes, (__m512i)_mm512_set1_ps(1.0f),
                                                  _mm512_load_si512(v->s[0] + 16 * k));
        const __m512i bits = _mm512_and_si512(x, _mm512_set1_epi32((int)magnitude));
        const __mmask16 odd =
            _mm512_cmpge_epu32_mask(_mm512_sub_epi32(bits, _mm512_set1_epi32(0x800000)),
                                    _mm512_set1_epi32((int)(most - 0x800000)));
        __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x));
        __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1));
        low = root ? refined_rsq(low) : refined_rcp(low);
        high = root ? refined_rsq(high) : refined_rcp(high);
        left_over |= (uint64_t)(odd | undecided(low) | (unsigned)undecided(high) << 8) << 16 * k;
        r[k] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)),
                                  _mm512_cvtpd_ps(high), 1);
    }
    if (!valu_leaves_set(v, left_over) && __builtin_expect(left_over != 0, 0)) return false;
    ISA_UNROLL for (unsigned k = 0; k < ISA_LANES / 16; k++)
        _mm512_store_ps((float *)(v->d + 16 * k), r[k]);
    return true;
}

/* A body around `exact`, which reads its source after it has written results. An estimate serves no
 * zeros, infinities and NaNs: the library's second function, for code in which these are frequent,
 * has none. */
#define REFINED(fn, magnitude, most, root, exact)                                                  \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        alignas(64) uint32_t staged[ISA_LANES];                                                    \
        uint32_t *d = v->d;                                                                        \
        if (!VALU_EACH_CASE(v) && refined(v, magnitude, most, root)) return;                       \
        v->d = staged;                                                                             \
        exact(v);                                                                                  \
        v->d = d;                                                                                  \
        valu_copy(d, staged, 1);                                                                   \
    }

/* Operands below 2^126 are ordinary: their reciprocals are no denormals. */
REFINED(body_v_rcp_f32, 0x7fffffff, 253u << 23, false, exact_rcp)
/* Positive normal numbers are ordinary. */
REFINED(body_v_rsq_f32, UINT32_MAX, FPU_INF32, true, exact_rsq)

enum { MATH_FLAGS = VALU_NEAREST };
#else
#define body_v_rcp_f32 exact_rcp
#define body_v_rsq_f32 exact_rsq
enum { MATH_FLAGS = VALU_NEAREST | VALU_STAGED };
#endif

#define MATH_ALIAS(name, body)                                                                     \
    VALU_BOTH_ALIAS(name, VALU_F32, VALU_F32, VALU_NONE, VALU_NONE, MATH_FLAGS, body)

MATH_ALIAS(v_rcp_f32, body_v_rcp_f32)
MATH_ALIAS(v_rcp_iflag_f32, body_v_rcp_f32)
MATH_ALIAS(v_rsq_f32, body_v_rsq_f32)
MATH32(v_sqrt_f32, __builtin_sqrtf(fpu_flushed(a)))
MATH32(v_exp_f32, power(X))
MATH32(v_exp_legacy_f32, power(X))
MATH32(v_log_f32, logarithm(X))
MATH32(v_log_legacy_f32, logarithm(X))
MATH32(v_sin_f32, turns(X, 0))
MATH32(v_cos_f32, turns(X, 1))

/* The f16 result is rounded from a float. The float is rounded to odd, so that rounding twice has
 * the same result as rounding once. */
static inline float odd(double x)
{
    return fpu_f32(fpu_f64_to_f32_odd(fpu_bits64(x)));
}

static inline double half_power(double x)
{
    const double limited = x > 60.0 ? 60.0 : x < -60.0 ? -60.0 : x;
    return x != x ? x : fpu_exp2(limited);
}

static inline double half_turns(double x, unsigned quarter)
{
    const double r = turns(x, quarter);
    return __builtin_fabs(r) < 0x1p-60 ? r * 0.0 : r;
}

#define MATH16(name, expr) VALU_FLOAT1(name, f16, VALU_NEAREST, odd(expr))

MATH16(v_rcp_f16, rcp((double)a))
MATH16(v_sqrt_f16, __builtin_sqrt((double)a))
MATH16(v_rsq_f16, rsq((double)a))
MATH16(v_exp_f16, half_power((double)a))
MATH16(v_log_f16, logarithm((double)a))
MATH16(v_sin_f16, half_turns((double)a, 0))
MATH16(v_cos_f16, half_turns((double)a, 1))
