/* mem_ops.h - loads, stores and atomic operations as tests expect them, for flat and buffer memory.
 *
 * The operations are written on the widest integer and the host's floats, without a look at the
 * executor's. Included by mem_flat.c and mem_buffer.c. */
#ifndef TESTS_ISA_MEM_OPS_H
#define TESTS_ISA_MEM_OPS_H

#include "mem_rig.h"

#include <math.h>

#define INT_OP(name, bits, expr)                                                                   \
    static uint64_t name##bits(uint64_t old_, uint64_t d0_, uint64_t d1_)                          \
    {                                                                                              \
        const uint##bits##_t old = (uint##bits##_t)old_, d0 = (uint##bits##_t)d0_,                 \
                             d1 = (uint##bits##_t)d1_;                                             \
        (void)old, (void)d0, (void)d1;                                                             \
        return (uint##bits##_t)(expr);                                                             \
    }
#define INT_OPS(name, expr) INT_OP(name, 32, expr) INT_OP(name, 64, expr)

INT_OPS(op_swap, d0)
INT_OPS(op_cmpswap, old == d1 ? d0 : old)
INT_OPS(op_add, old + d0)
INT_OPS(op_sub, old - d0)
INT_OP(op_smin, 32, (int32_t)old <= (int32_t)d0 ? old : d0)
INT_OP(op_smax, 32, (int32_t)old >= (int32_t)d0 ? old : d0)
INT_OP(op_smin, 64, (int64_t)old <= (int64_t)d0 ? old : d0)
INT_OP(op_smax, 64, (int64_t)old >= (int64_t)d0 ? old : d0)
INT_OPS(op_umin, old <= d0 ? old : d0)
INT_OPS(op_umax, old >= d0 ? old : d0)
INT_OPS(op_and, old &d0)
INT_OPS(op_or, old | d0)
INT_OPS(op_xor, old ^ d0)
INT_OPS(op_inc, old >= d0 ? 0 : old + 1)
INT_OPS(op_dec, old == 0 || old > d0 ? d0 : old - 1)

static float bits_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

static double bits_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static float flushed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* Operands that are NaN keep their payload and become quiet; a NaN out of numbers is positive. */
static uint64_t op_add_f32(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const float a = flushed(bits_float(old)), b = flushed(bits_float(d0));
    if (isnan(a)) return (uint32_t)old | 0x400000;
    if (isnan(b)) return (uint32_t)d0 | 0x400000;
    const float sum = flushed(a + b);
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    return isnan(sum) ? 0x7fc00000 : bits;
}

static uint64_t op_add_f64(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const uint64_t quiet = UINT64_C(1) << 51;
    if (isnan(bits_double(old))) return old | quiet;
    if (isnan(bits_double(d0))) return d0 | quiet;
    const double sum = bits_double(old) + bits_double(d0);
    return isnan(sum) ? UINT64_C(0x7ff8000000000000) : double_bits(sum);
}

static uint64_t op_min_f64(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const double a = bits_double(old), b = bits_double(d0);
    if (isnan(a)) return d0;
    if (isnan(b)) return old;
    if (a == b) return signbit(a) ? old : d0;
    return a < b ? old : d0;
}

static uint64_t op_max_f64(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const double a = bits_double(old), b = bits_double(d0);
    if (isnan(a)) return d0;
    if (isnan(b)) return old;
    if (a == b) return signbit(a) ? d0 : old;
    return a > b ? old : d0;
}

/* f16 in double arithmetic: scaled by the unit of the last place, rounded to even by the host. */
static double half_value(uint32_t h)
{
    const int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
    const double sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : 0); /* denormals flushed */
}

static uint32_t half_sum(uint32_t x, uint32_t y)
{
    const double a = half_value(x), b = half_value(y), sum = a + b;
    if (isnan(a)) return x | 0x200;
    if (isnan(b)) return y | 0x200;
    if (isnan(sum)) return 0x7e00;
    const uint32_t sign = signbit(sum) ? 0x8000 : 0;
    if (sum == 0) return sign;
    if (fabs(sum) >= 65520) return sign | 0x7c00;
    int exponent;
    frexp(sum, &exponent); /* |sum| = 0.5..1 * 2^exponent */
    if (exponent < -13) {
        /* rounds as a denormal does; what stays below the smallest normal is flushed */
        return nearbyint(ldexp(fabs(sum), 24)) >= 1024 ? sign | 0x400 : sign;
    }
    const double units = nearbyint(ldexp(fabs(sum), 11 - exponent)); /* 1024..2048 */
    return sign | (((uint32_t)(exponent + 14) << 10) + (uint32_t)(units - 1024));
}

static uint64_t op_pk_add_f16(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    return half_sum(old & 0xffff, d0 & 0xffff) | half_sum(old >> 16 & 0xffff, d0 >> 16 & 0xffff)
                                                     << 16;
}

static const rig_access_t rig_moves[] = {
    {"load_ubyte", 'L', 1, ZERO, 0, false, NULL},
    {"load_sbyte", 'L', 1, SIGN, 0, false, NULL},
    {"load_ushort", 'L', 2, ZERO, 0, false, NULL},
    {"load_sshort", 'L', 2, SIGN, 0, false, NULL},
    {"load_dword", 'L', 4, ZERO, 0, false, NULL},
    {"load_dwordx2", 'L', 8, ZERO, 0, false, NULL},
    {"load_dwordx3", 'L', 12, ZERO, 0, false, NULL},
    {"load_dwordx4", 'L', 16, ZERO, 0, false, NULL},
    {"load_ubyte_d16", 'L', 1, ZERO, 0, true, NULL},
    {"load_ubyte_d16_hi", 'L', 1, ZERO, 16, true, NULL},
    {"load_sbyte_d16", 'L', 1, SIGN, 0, true, NULL},
    {"load_sbyte_d16_hi", 'L', 1, SIGN, 16, true, NULL},
    {"load_short_d16", 'L', 2, ZERO, 0, true, NULL},
    {"load_short_d16_hi", 'L', 2, ZERO, 16, true, NULL},
    {"store_byte", 'S', 1, ZERO, 0, false, NULL},
    {"store_byte_d16_hi", 'S', 1, ZERO, 16, false, NULL},
    {"store_short", 'S', 2, ZERO, 0, false, NULL},
    {"store_short_d16_hi", 'S', 2, ZERO, 16, false, NULL},
    {"store_dword", 'S', 4, ZERO, 0, false, NULL},
    {"store_dwordx2", 'S', 8, ZERO, 0, false, NULL},
    {"store_dwordx3", 'S', 12, ZERO, 0, false, NULL},
    {"store_dwordx4", 'S', 16, ZERO, 0, false, NULL},
};

#define ATOMICS_OF(suffix, bytes, bits)                                                            \
    {"atomic_swap" suffix, 'A', bytes, ZERO, 0, false, op_swap##bits},                             \
        {"atomic_cmpswap" suffix, 'A', bytes, ZERO, 0, false, op_cmpswap##bits},                   \
        {"atomic_add" suffix, 'A', bytes, ZERO, 0, false, op_add##bits},                           \
        {"atomic_sub" suffix, 'A', bytes, ZERO, 0, false, op_sub##bits},                           \
        {"atomic_smin" suffix, 'A', bytes, ZERO, 0, false, op_smin##bits},                         \
        {"atomic_umin" suffix, 'A', bytes, ZERO, 0, false, op_umin##bits},                         \
        {"atomic_smax" suffix, 'A', bytes, ZERO, 0, false, op_smax##bits},                         \
        {"atomic_umax" suffix, 'A', bytes, ZERO, 0, false, op_umax##bits},                         \
        {"atomic_and" suffix, 'A', bytes, ZERO, 0, false, op_and##bits},                           \
        {"atomic_or" suffix, 'A', bytes, ZERO, 0, false, op_or##bits},                             \
        {"atomic_xor" suffix, 'A', bytes, ZERO, 0, false, op_xor##bits},                           \
        {"atomic_inc" suffix, 'A', bytes, ZERO, 0, false, op_inc##bits},                           \
    {                                                                                              \
        "atomic_dec" suffix, 'A', bytes, ZERO, 0, false, op_dec##bits                              \
    }

static const rig_access_t rig_atomics[] = {
    ATOMICS_OF("", 4, 32),
    ATOMICS_OF("_x2", 8, 64),
    {"atomic_add_f64", 'A', 8, ZERO, 0, false, op_add_f64},
    {"atomic_min_f64", 'A', 8, ZERO, 0, false, op_min_f64},
    {"atomic_max_f64", 'A', 8, ZERO, 0, false, op_max_f64},
    {"atomic_add_f32", 'A', 4, ZERO, 0, false, op_add_f32}, /* not flat: last two */
    {"atomic_pk_add_f16", 'A', 4, ZERO, 0, false, op_pk_add_f16},
};
enum {
    RIG_MOVES = sizeof rig_moves / sizeof rig_moves[0],
    RIG_ATOMICS = sizeof rig_atomics / sizeof rig_atomics[0],
    RIG_NOT_FLAT = 2
};

static inline bool rig_is_cmpswap(const rig_access_t *x)
{
    return strstr(x->name, "cmpswap") != NULL;
}

static inline unsigned rig_data_rows(const rig_access_t *x)
{
    return rig_rows(x) * (rig_is_cmpswap(x) ? 2 : 1);
}

/* Makes an atomic's data meet memory often enough: equal values, floats of all kinds. */
static inline void rig_prepare_data(rig_t *r, const rig_access_t *x, uint32_t (*bank)[64],
                                    unsigned data)
{
    static const uint32_t floats[] = {
        0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x3f800000,
        0xbf800000, 0x7f800000, 0xff800000, 0x7fc12345, 0x7f812345, 0x7f7fffff, 0xff7fffff,
        0x3c003c00, 0x00013c01, 0x7bff7bff, 0x04000401, 0x84010001, 0x7c007e01, 0xfc007c01,
        0x00100000, 0x80100000, 0x7ff00000, 0xfff00000, 0x7ff80001, 0x7ff40000};
    const unsigned n = sizeof floats / sizeof floats[0];
    const bool is_float =
        strstr(x->name, "_f16") || strstr(x->name, "_f32") || strstr(x->name, "_f64");
    if (!is_float && !rig_is_cmpswap(x)) return;
    for (unsigned k = 0; k + 4 <= RIG_MEM; k += 4) {
        const uint32_t v = is_float ? floats[rig_random(r) % n] : rig_random(r) & 1;
        if (rig_random(r) & 3) memcpy(r->want.mem + k, &v, 4);
    }
    for (unsigned row = data; row < data + rig_data_rows(x); row++)
        for (unsigned l = 0; l < 64; l++)
            if (rig_random(r) & 3)
                bank[row][l] = is_float ? floats[rig_random(r) % n] : rig_random(r) & 1;
}

#endif
