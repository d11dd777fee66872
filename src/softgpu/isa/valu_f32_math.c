/* valu_f32_math.c - reciprocals, roots, powers, logarithms and sines of f32 and f16.
 *
 * The f32 forms flush denormals going in and coming out; f16 forms do not. All round to nearest.
 * Results are the correctly rounded ones or their neighbours, which is what the hardware gives. */
#include "softgpu/isa/fpu_math.h"
#include "softgpu/isa/valu_float.h"

static inline float flushed(float x)
{
    return fpu_f32(fpu_flush32(fpu_bits32(x)));
}

static inline double rcp(double x)
{
    return 1.0 / x;
}

static inline double rsq(double x)
{
    return 1.0 / __builtin_sqrt(x);
}

/* Beyond the limits f32 is 0 or infinite, f16 long before. */
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

/* Outside 256 turns the hardware gives sin 0 and cos 1; infinity has no sine. */
static inline double turns(double x, unsigned quarter)
{
    const double outside = quarter ? 1.0 : 0.0;
    const double magnitude = __builtin_fabs(x);
    const double inside = fpu_sin_turns(magnitude > 256.0 ? 0.0 : x, quarter);
    const double zero = quarter ? 0.0 : x * 0.0; /* as IEEE 754's sinPi and cosPi have it */
    const double r = magnitude > 256.0 ? outside : inside == 0.0 ? zero : inside;
    return magnitude < fpu_f64(FPU_INF64) ? r : fpu_f64(FPU_NAN64);
}

#define MATH32(name, expr) VALU_FLOAT1(name, f32, VALU_NEAREST, flushed((float)(expr)))
#define X                  ((double)flushed(a))

MATH32(v_rcp_f32, rcp(X))
MATH32(v_rcp_iflag_f32, rcp(X))
MATH32(v_rsq_f32, rsq(X))
MATH32(v_sqrt_f32, __builtin_sqrtf(flushed(a)))
MATH32(v_exp_f32, power(X))
MATH32(v_exp_legacy_f32, power(X))
MATH32(v_log_f32, logarithm(X))
MATH32(v_log_legacy_f32, logarithm(X))
MATH32(v_sin_f32, turns(X, 0))
MATH32(v_cos_f32, turns(X, 1))

/* The f16 result is rounded from a float that was rounded to odd. */
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
