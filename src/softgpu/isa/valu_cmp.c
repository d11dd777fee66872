/* valu_cmp.c - compares: a lane mask to VCC or a scalar pair, and to EXEC for v_cmpx.
 *
 * One line per predicate makes it for all types of its kind, with and without EXEC. */
#include "softgpu/isa/valu.h"

#define CMP_BODY(pred, T, expr)                                                                    \
    static void cmp_##pred##_##T(valu_t *v)                                                        \
    {                                                                                              \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);                                 \
        alignas(64) uint32_t out[ISA_LANES];                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##T a = VALU_LD_##T(pa), b = VALU_LD_##T(pb);                             \
            (void)a, (void)b;                                                                      \
            out[l] = (expr) ? UINT32_MAX : 0;                                                      \
        }                                                                                          \
        v->out = valu_mask(out);                                                                   \
    }
#define CMP(pred, T, expr)                                                                         \
    CMP_BODY(pred, T, expr)                                                                        \
    VALU_ALIAS(v_cmp_##pred##_##T, VALU_NONE, VALU_T_##T, VALU_T_##T, VALU_NONE, VALU_MASK_OUT,    \
               cmp_##pred##_##T, NULL)                                                             \
    VALU_ALIAS(v_cmpx_##pred##_##T, VALU_NONE, VALU_T_##T, VALU_T_##T, VALU_NONE,                  \
               VALU_MASK_OUT | VALU_CMPX, cmp_##pred##_##T, NULL)

#define CMP_INT(pred, expr)                                                                        \
    CMP(pred, i16, expr)                                                                           \
    CMP(pred, u16, expr)                                                                           \
    CMP(pred, i32, expr)                                                                           \
    CMP(pred, u32, expr)                                                                           \
    CMP(pred, i64, expr)                                                                           \
    CMP(pred, u64, expr)

CMP_INT(f, false)
CMP_INT(lt, a < b)
CMP_INT(eq, a == b)
CMP_INT(le, a <= b)
CMP_INT(gt, a > b)
CMP_INT(ne, a != b)
CMP_INT(ge, a >= b)
CMP_INT(t, true)

#define CMP_FLOAT(pred, expr)                                                                      \
    CMP(pred, f16, expr)                                                                           \
    CMP(pred, f32, expr)                                                                           \
    CMP(pred, f64, expr)

CMP_FLOAT(f, false)
CMP_FLOAT(lt, a < b)
CMP_FLOAT(eq, a == b)
CMP_FLOAT(le, a <= b)
CMP_FLOAT(gt, a > b)
CMP_FLOAT(lg, a<b || a> b)
CMP_FLOAT(ge, a >= b)
CMP_FLOAT(o, a == a && b == b)
CMP_FLOAT(u, a != a || b != b)
CMP_FLOAT(nge, !(a >= b))
CMP_FLOAT(nlg, !(a < b || a > b))
CMP_FLOAT(ngt, !(a > b))
CMP_FLOAT(nle, !(a <= b))
CMP_FLOAT(neq, !(a == b))
CMP_FLOAT(nlt, !(a < b))
CMP_FLOAT(tru, true)

/* Bit of the class mask: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal,
 * 8 +normal, 9 +inf. `magnitude` is the number without its sign. */
static inline uint32_t class_bit(uint32_t magnitude, bool negative, uint32_t infinity,
                                 uint32_t quiet, uint32_t least_normal)
{
    const uint32_t nan = magnitude & quiet ? 2 : 1;
    uint32_t r = negative ? 1u << 3 : 1u << 8;
    r = magnitude < least_normal ? (negative ? 1u << 4 : 1u << 7) : r;
    r = magnitude == 0 ? (negative ? 1u << 5 : 1u << 6) : r;
    r = magnitude == infinity ? (negative ? 1u << 2 : 1u << 9) : r;
    return magnitude > infinity ? nan : r;
}

static inline uint32_t class_f16(const uint32_t *p)
{
    const uint32_t x = *p;
    return class_bit(x & 0x7fff, x & 0x8000, 0x7c00, 0x200, 0x400);
}

static inline uint32_t class_f32(const uint32_t *p)
{
    const uint32_t x = *p;
    return class_bit(x & 0x7fffffff, x >> 31, FPU_INF32, 0x400000, 0x800000);
}

/* The high dword tells all of a double's class but whether the low one is 0: which a last bit of
 * the high one can say as well. */
static inline uint32_t class_f64(const uint32_t *p)
{
    const uint32_t x = p[ISA_LANES] | (p[0] != 0);
    return class_bit(x & 0x7fffffff, x >> 31, 0x7ff00000, 0x80000, 0x100000);
}

#define CLASS(T)                                                                                   \
    static void class_of_##T(valu_t *v)                                                            \
    {                                                                                              \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);                                 \
        alignas(64) uint32_t out[ISA_LANES];                                                       \
        VALU_LANES out[l] = class_##T(pa + l) & pb[l] ? UINT32_MAX : 0;                            \
        v->out = valu_mask(out);                                                                   \
    }                                                                                              \
    VALU_ALIAS(v_cmp_class_##T, VALU_NONE, VALU_T_##T, VALU_B32, VALU_NONE,                        \
               VALU_MASK_OUT | VALU_RAW, class_of_##T, NULL)                                       \
    VALU_ALIAS(v_cmpx_class_##T, VALU_NONE, VALU_T_##T, VALU_B32, VALU_NONE,                       \
               VALU_MASK_OUT | VALU_CMPX | VALU_RAW, class_of_##T, NULL)

CLASS(f16)
CLASS(f32)
CLASS(f64)
