/* valu_float.h - lines for floating-point instructions: as valu.h's, and NaN results put right.
 *
 * x86 makes negative default NaNs and compilers swap operands, so a result that is a NaN is
 * replaced after the loop by the one the hardware delivers. Rows with NaNs are rare. */
#ifndef SOFTGPU_ISA_VALU_FLOAT_H
#define SOFTGPU_ISA_VALU_FLOAT_H

#include "softgpu/isa/valu.h"

/* Stores the lane's result r. */
#define VALU_NOTE_f32(r) VALU_ST_f32(r)
#define VALU_NOTE_f64(r) VALU_ST_f64(r)
#define VALU_NOTE_f16(r) d[l] = fpu_f32_to_f16(fpu_bits32(r), round)

/* Whether a result is a NaN, in a loop of its own: mixed into the instruction's loop the question
 * keeps compilers from vectorising that. Results are quiet, so a double's high dword tells. */
static inline uint32_t valu_any_nan(const uint32_t *row, uint32_t mask, uint32_t infinity)
{
    uint32_t largest = 0;
    row = (const uint32_t *)__builtin_assume_aligned(row, 64);
    for (int l = 0; l < ISA_LANES; l++)
        largest = (row[l] & mask) > largest ? row[l] & mask : largest;
    return largest > infinity;
}

#define VALU_BAD_f32 valu_any_nan(d, 0x7fffffff, FPU_INF32)
#define VALU_BAD_f64 valu_any_nan(d + ISA_LANES, 0x7fffffff, 0x7ff00000)
#define VALU_BAD_f16 valu_any_nan(d, 0x7fff, 0x7c00)

#define VALU_FBODY1(fn, DT, AT, expr)                                                              \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0);                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);                                                \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        if (__builtin_expect(VALU_BAD_##DT, 0))                                                            \
            valu_fix_nan_##DT(v, 1);                                                               \
    }
#define VALU_FBODY2(fn, DT, AT, BT, expr)                                                          \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);                                 \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);                                                \
            const VALU_C_##BT b = VALU_LD_##BT(pb);                                                \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        if (__builtin_expect(VALU_BAD_##DT, 0))                                                            \
            valu_fix_nan_##DT(v, 2);                                                               \
    }
#define VALU_FBODY3(fn, DT, AT, BT, CT, expr)                                                      \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);           \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);                                                \
            const VALU_C_##BT b = VALU_LD_##BT(pb);                                                \
            const VALU_C_##CT c = VALU_LD_##CT(pc);                                                \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        if (__builtin_expect(VALU_BAD_##DT, 0))                                                            \
            valu_fix_nan_##DT(v, 3);                                                               \
    }

/* Operands of the result's type. */
#define VALU_FLOAT1(name, T, FLAGS, expr)                                                          \
    VALU_FBODY1(body_##name, T, T, expr)                                                           \
    VALU_HANDLER(name, VALU_T_##T, VALU_T_##T, VALU_NONE, VALU_NONE, (FLAGS) | VALU_STAGED, NULL)
#define VALU_FLOAT2(name, T, FLAGS, expr)                                                          \
    VALU_FBODY2(body_##name, T, T, T, expr)                                                        \
    VALU_HANDLER(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_NONE, (FLAGS) | VALU_STAGED, NULL)
#define VALU_FLOAT3(name, T, FLAGS, expr)                                                          \
    VALU_FBODY3(body_##name, T, T, T, T, expr)                                                     \
    VALU_HANDLER(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T, (FLAGS) | VALU_STAGED, NULL)
/* The same body under another name, flags and third operand. */
#define VALU_FLOAT3_ALIAS(name, T, FLAGS, body)                                                    \
    VALU_ALIAS(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T, (FLAGS) | VALU_STAGED, body,  \
               NULL)

#endif
