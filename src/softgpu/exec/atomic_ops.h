/* atomic_ops.h - the new value that each atomic operation computes from the old one.
 *
 * isa_op_<name>_<bits>(m, d0, d1, denorm) is the new value of memory that holds m. LDS, flat,
 * global and buffer instructions are made from these. `denorm` is a MODE denormal field (bit 0
 * keeps denormal inputs, bit 1 denormal results); integer operations ignore it. */
#ifndef SOFTGPU_EXEC_ATOMIC_OPS_H
#define SOFTGPU_EXEC_ATOMIC_OPS_H

#include "softgpu/exec/fpu.h"

enum { ISA_DENORM_FLUSH = 0, ISA_DENORM_KEEP = 3 };

#define OP(name, bits, expr)                                                                       \
    static inline uint##bits##_t isa_op_##name##_##bits(uint##bits##_t m, uint##bits##_t d0,       \
                                                        uint##bits##_t d1, unsigned denorm)        \
    {                                                                                              \
        (void)m, (void)d0, (void)d1, (void)denorm;                                                 \
        return expr;                                                                               \
    }

#define OP_BOTH(name, expr) OP(name, 32, expr) OP(name, 64, expr)

OP_BOTH(add, m + d0)
OP_BOTH(sub, m - d0)
OP_BOTH(rsub, d0 - m)
OP_BOTH(inc, m >= d0 ? 0 : m + 1)
OP_BOTH(dec, m == 0 || m > d0 ? d0 : m - 1)
OP(csub, 32, m < d0 ? 0 : m - d0)
OP(cond_sub, 32, m < d0 ? m : m - d0)
OP_BOTH(umin, m < d0 ? m : d0)
OP_BOTH(umax, m > d0 ? m : d0)
OP(smin, 32, (int32_t)m < (int32_t)d0 ? m : d0)
OP(smax, 32, (int32_t)m > (int32_t)d0 ? m : d0)
OP(smin, 64, (int64_t)m < (int64_t)d0 ? m : d0)
OP(smax, 64, (int64_t)m > (int64_t)d0 ? m : d0)
OP_BOTH(and, m &d0)
OP_BOTH(or, m | d0)
OP_BOTH(xor, m ^ d0)
OP_BOTH(mskor, (m & ~d0) | d1)
OP_BOTH(swap, d0)
OP_BOTH(wrap, m >= d0 ? m - d0 : m + d1)
/* LDS instructions have the comparand in the first data operand, buffer and flat instructions the
 * new value. */
OP_BOTH(cmpst, m == d0 ? d1 : m)
OP_BOTH(cmpstore, m == d1 ? d0 : m)
OP_BOTH(cmpswap, m == d1 ? d0 : m)
/* For each dword: bit 31 set means "store the other bits". */
OP(condxchg, 64,
   (d0 & UINT64_C(0x80000000) ? d0 & 0x7fffffff : m & 0xffffffff) |
       (d0 >> 63 ? d0 & UINT64_C(0x7fffffff00000000) : m & UINT64_C(0xffffffff00000000)))

#undef OP_BOTH

/* The sum of two floats of `bits` bits. A NaN operand is returned quieted; inf - inf gives the
 * GPU's default NaN, which unlike the host's has the sign bit clear. */
#define ISA_FLOAT_OPS(bits, quiet)                                                                 \
    static inline uint##bits##_t isa_float_in_##bits(uint##bits##_t x, unsigned denorm)            \
    {                                                                                              \
        return denorm & 1 ? x : fpu_flush##bits(x);                                                \
    }                                                                                              \
    static inline uint##bits##_t isa_float_out_##bits(uint##bits##_t x, unsigned denorm)           \
    {                                                                                              \
        return denorm & 2 ? x : fpu_flush##bits(x);                                                \
    }                                                                                              \
    static inline uint##bits##_t isa_float_add_##bits(uint##bits##_t a, uint##bits##_t b)          \
    {                                                                                              \
        if (fpu_nan##bits(a)) return a | quiet;                                                    \
        if (fpu_nan##bits(b)) return b | quiet;                                                    \
        const uint##bits##_t r = fpu_bits##bits(fpu_f##bits(a) + fpu_f##bits(b));                  \
        return fpu_nan##bits(r) ? FPU_NAN##bits : r;                                               \
    }

ISA_FLOAT_OPS(32, UINT32_C(0x400000))
ISA_FLOAT_OPS(64, FPU_QUIET64)

#define FLOAT_OP(name, bits, expr)                                                                 \
    static inline uint##bits##_t isa_op_##name##_##bits(uint##bits##_t m, uint##bits##_t d0,       \
                                                        uint##bits##_t d1, unsigned denorm)        \
    {                                                                                              \
        (void)d1;                                                                                  \
        const uint##bits##_t a = isa_float_in_##bits(m, denorm),                                   \
                             b = isa_float_in_##bits(d0, denorm);                                  \
        return isa_float_out_##bits(expr, denorm);                                                 \
    }

FLOAT_OP(fadd, 32, isa_float_add_32(a, b))
FLOAT_OP(fadd, 64, isa_float_add_64(a, b))
FLOAT_OP(fmin, 32, fpu_minmax32(a, b, false, false))
FLOAT_OP(fmax, 32, fpu_minmax32(a, b, true, false))
FLOAT_OP(fmin, 64, fpu_minmax64(a, b, false, false))
FLOAT_OP(fmax, 64, fpu_minmax64(a, b, true, false))

#undef FLOAT_OP

/* The result is not flushed: memory must not change when the comparison fails. */
OP(fcmpst, 32, fpu_f32(isa_float_in_32(m, denorm)) == fpu_f32(isa_float_in_32(d0, denorm)) ? d1 : m)
OP(fcmpst, 64, fpu_f64(isa_float_in_64(m, denorm)) == fpu_f64(isa_float_in_64(d0, denorm)) ? d1 : m)
OP(fcmpstore, 32, isa_op_fcmpst_32(m, d1, d0, denorm))
OP(fcmpstore, 64, isa_op_fcmpst_64(m, d1, d0, denorm))
OP(fcmpswap, 32,
   fpu_f32(isa_float_in_32(m, denorm)) == fpu_f32(isa_float_in_32(d1, denorm)) ? d0 : m)
OP(fcmpswap, 64,
   fpu_f64(isa_float_in_64(m, denorm)) == fpu_f64(isa_float_in_64(d1, denorm)) ? d0 : m)

static inline uint32_t isa_half_add(uint32_t x, uint32_t y, unsigned denorm)
{
    const uint32_t a = fpu_f16_to_f32(denorm & 1 ? x : fpu_flush16(x));
    const uint32_t b = fpu_f16_to_f32(denorm & 1 ? y : fpu_flush16(y));
    /* A mantissa of f32 has 24 bits, more than 2 * 11 + 1 for the 11 of f16: rounding the sum first
     * to f32 and then to f16 gives the same result as rounding it once. */
    const uint32_t r = fpu_f32_to_f16(isa_float_add_32(a, b), FPU_NEAREST);
    return denorm & 2 ? r : fpu_flush16(r);
}

OP(pk_fadd16, 32,
   isa_half_add(m & 0xffff, d0 & 0xffff, denorm) | isa_half_add(m >> 16, d0 >> 16, denorm) << 16)

/* Sums of bfloat16: f32 has more than twice its 8 mantissa bits and the same exponents, so that the
 * second rounding changes nothing. */
static inline uint32_t isa_bfloat_add(uint32_t x, uint32_t y, unsigned denorm)
{
    const uint32_t a = isa_float_in_32(x << 16, denorm), b = isa_float_in_32(y << 16, denorm);
    const uint32_t r = isa_float_add_32(a, b);
    const uint32_t near = fpu_nan32(r) ? r >> 16 : (r + 0x7fff + (r >> 16 & 1)) >> 16;
    return isa_float_out_32(near << 16, denorm) >> 16;
}

OP(pk_fadd_bf16, 32,
   isa_bfloat_add(m & 0xffff, d0 & 0xffff, denorm) | isa_bfloat_add(m >> 16, d0 >> 16, denorm)
                                                         << 16)

#undef OP

#endif
