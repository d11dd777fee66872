/* valu_cvt.c - conversions between number formats.
 *
 * Conversions to integers truncate, saturate, and convert a NaN to 0. Conversions to floats round
 * as MODE says for the result's format, except where the name says otherwise. */
#include "softgpu/exec/fpu_math.h"
#include "softgpu/exec/valu.h"

static inline uint32_t to_i32(double x)
{
    return (uint32_t)(x >= 2147483647.0    ? INT32_MAX
                      : x <= -2147483648.0 ? INT32_MIN
                      : x == x             ? (int32_t)x
                                           : 0);
}

/* The conversion is exact. Clang's vector code converts unsigned integers, and integers that it
 * knows to be positive, by a subtraction, which gives -0 for 0 when MODE rounds down. Clang does
 * not know that this sum is positive. */
static inline double from_u32(uint32_t x)
{
#ifdef __clang__
    return __builtin_fabs((double)(int32_t)(x ^ 0x80000000u) + 0x1p31);
#else
    return (double)x;
#endif
}

enum { NOP = VALU_CLAMP_NOP };

VALU_OP1(v_cvt_i32_f64, u32, f64, NOP, to_i32(a))
VALU_OP1(v_cvt_u32_f64, u32, f64, NOP, fpu_to_u32(a))
VALU_OP1(v_cvt_i32_f32, u32, f32, NOP, fpu_f32_to_i32(a))
VALU_OP1(v_cvt_u32_f32, u32, f32, NOP, fpu_to_u32((double)a))
VALU_OP1(v_cvt_flr_i32_f32, u32, f32, NOP, fpu_f32_to_i32(__builtin_floorf(a)))
VALU_OP1(v_cvt_rpi_i32_f32, u32, f32, NOP, to_i32(__builtin_floor((double)a + 0.5)))

VALU_OP1(v_cvt_f64_i32, f64, i32, 0, (double)a)
VALU_OP1(v_cvt_f64_u32, f64, u32, 0, from_u32(a))
VALU_OP1(v_cvt_f32_i32, f32, i32, 0, (float)a)
VALU_OP1(v_cvt_f32_u32, f32, u32, 0, (float)from_u32(a))
VALU_OP1(v_cvt_f32_ubyte0, f32, u32, 0, (float)(int32_t)(a & 0xff))
VALU_OP1(v_cvt_f32_ubyte1, f32, u32, 0, (float)(int32_t)(a >> 8 & 0xff))
VALU_OP1(v_cvt_f32_ubyte2, f32, u32, 0, (float)(int32_t)(a >> 16 & 0xff))
VALU_OP1(v_cvt_f32_ubyte3, f32, u32, 0, (float)(int32_t)(a >> 24))
/* The low four bits are a signed number of sixteenths. */
VALU_OP1(v_cvt_off_f32_i4, f32, u32, 0, (float)((int32_t)(a << 28) >> 28) * 0.0625f)

VALU_OP1(v_cvt_f32_f64, f32, f64, 0, (float)a)
VALU_OP1(v_cvt_f64_f32, f64, f32, 0, (double)a)

static void body_v_cvt_f32_f16(valu_t *v)
{
    fpu_widen_row(v->d, v->s[0]);
}
static void body_v_cvt_f16_f32(valu_t *v)
{
    fpu_narrow_row(v->d, v->s[0], v->round);
}
VALU_HANDLER(v_cvt_f32_f16, VALU_F32, VALU_F16, VALU_NONE, VALU_NONE, 0)
/* A bf16 is the upper half of an f32. */
VALU_OP1(v_cvt_f32_bf16, b32, u16, 0, a << 16 | ((a & 0x7fff) > 0x7f80 ? 0x400000 : 0))
VALU_HANDLER(v_cvt_f16_f32, VALU_F16, VALU_F32, VALU_NONE, VALU_NONE, 0)

VALU_OP1(v_cvt_f16_u16, b16, u16, 0, fpu_f32_to_f16(fpu_bits32((float)(int32_t)a), round))
VALU_OP1(v_cvt_f16_i16, b16, i16, 0, fpu_f32_to_f16(fpu_bits32((float)a), round))
VALU_OP1(v_cvt_u16_f16, u16, f16, NOP, a >= 65535.0f ? 65535 : a > 0 ? (uint32_t)(int32_t)a : 0)
VALU_OP1(v_cvt_i16_f16, i16, f16, NOP,
         a >= 32767.0f    ? 32767
         : a <= -32768.0f ? -32768
         : a == a         ? (int32_t)a
                          : 0)

/* ---- normalised integers: [-1,1] or [0,1] to the full range, nearest even ---- */

static inline uint32_t snorm16(double x)
{
    const double limited = x > 1.0 ? 1.0 : x < -1.0 ? -1.0 : x == x ? x : 0.0;
    return (uint32_t)(int32_t)fpu_nearest(limited * 32767.0) & 0xffff;
}

static inline uint32_t unorm16(double x)
{
    const double limited = x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
    return (uint32_t)(int32_t)fpu_nearest(limited * 65535.0);
}

enum { NORM = VALU_CLAMP_NOP | VALU_NEAREST };

VALU_OP1(v_cvt_norm_i16_f16, u16, f16, NORM, snorm16((double)a))
VALU_OP1(v_cvt_norm_u16_f16, u16, f16, NORM, unorm16((double)a))
VALU_OP2(v_cvt_pknorm_i16_f32, u32, f32, f32, NORM, snorm16((double)a) | snorm16((double)b) << 16)
VALU_OP2(v_cvt_pknorm_u16_f32, u32, f32, f32, NORM, unorm16((double)a) | unorm16((double)b) << 16)
VALU_OP2(v_cvt_pknorm_i16_f16, u32, f16, f16, NORM, snorm16((double)a) | snorm16((double)b) << 16)
VALU_OP2(v_cvt_pknorm_u16_f16, u32, f16, f16, NORM, unorm16((double)a) | unorm16((double)b) << 16)

/* ---- packing ---- */

VALU_BODY2(body_v_cvt_pkrtz_f16_f32, b32, b32)
d[l] = fpu_f32_to_f16(a, FPU_ZERO) | fpu_f32_to_f16(b, FPU_ZERO) << 16;
VALU_END
VALU_HANDLER(v_cvt_pkrtz_f16_f32, VALU_PF16, VALU_F32, VALU_F32, VALU_NONE, 0)

/* To nearest even, whatever MODE says. */
VALU_BODY2(body_v_cvt_pk_f16_f32, b32, b32)
d[l] = fpu_f32_to_f16(a, FPU_NEAREST) | fpu_f32_to_f16(b, FPU_NEAREST) << 16;
VALU_END
VALU_HANDLER(v_cvt_pk_f16_f32, VALU_PF16, VALU_F32, VALU_F32, VALU_NONE, VALU_NEAREST)

static inline uint32_t to_byte(float x)
{
    const float limited = x > 255.0f ? 255.0f : x > 0.0f ? x : 0.0f;
    return (uint32_t)(int32_t)__builtin_rintf(limited);
}

static inline uint32_t put_byte(uint32_t old, uint32_t byte, uint32_t at)
{
    return (old & ~(0xffu << 8 * (at & 3))) | byte << 8 * (at & 3);
}

VALU_OP3(v_cvt_pk_u8_f32, u32, f32, u32, u32, NOP, put_byte(c, to_byte(a), b))
VALU_ALIAS(v_cvt_pkaccum_u8_f32, VALU_B32, VALU_F32, VALU_B32, VALU_B32,
           VALU_READS_DST | VALU_CLAMP_NOP, body_v_cvt_pk_u8_f32)
