/* valu_cmp.c - compares: a lane mask to VCC or a scalar pair, and to EXEC for v_cmpx.
 *
 * One line per predicate defines its compares for all types of a kind, with and without EXEC. */
#include "softgpu/exec/valu.h"

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
        v->out = isa_vec_mask(out);                                                                \
    }
#define CMP(pred, T, expr)                                                                         \
    CMP_BODY(pred, T, expr)                                                                        \
    VALU_ALIAS(v_cmp_##pred##_##T, VALU_NONE, VALU_T_##T, VALU_T_##T, VALU_NONE, VALU_MASK_OUT,    \
               cmp_##pred##_##T)                                                                   \
    VALU_ALIAS(v_cmpx_##pred##_##T, VALU_NONE, VALU_T_##T, VALU_T_##T, VALU_NONE,                  \
               VALU_MASK_OUT | VALU_CMPX, cmp_##pred##_##T)

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

/* Bit of the class mask: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8
 * +normal, 9 +inf. x has its sign in bit 31. The other parameters are bits of its format: infinity,
 * the bit that makes a NaN quiet, and the least normal number. */
ISA_VECTOR isa_vec_t class_bit(isa_vec_t x, uint32_t infinity, uint32_t quiet, uint32_t normal)
{
    static const uint32_t sides[2][4] = {{1 << 8, 1 << 7, 1 << 6, 1 << 9},
                                         {1 << 3, 1 << 4, 1 << 5, 1 << 2}};
    const isa_vec_t magnitude = x & 0x7fffffff;
    isa_vec_t bit[2];
    for (unsigned side = 0; side < 2; side++) {
        const uint32_t *of = sides[side];
        const isa_vec_t ordinary =
            isa_vec_pick(magnitude < normal, isa_vec_all(of[1]), isa_vec_all(of[0]));
        const isa_vec_t number = isa_vec_pick(magnitude == 0, isa_vec_all(of[2]), ordinary);
        bit[side] = isa_vec_pick(magnitude == infinity, isa_vec_all(of[3]), number);
    }
    const isa_vec_t nan = isa_vec_pick((x & quiet) == 0, isa_vec_all(1 << 0), isa_vec_all(1 << 1));
    const isa_vec_t number = isa_vec_pick((isa_vec_i32_t)x < 0, bit[1], bit[0]);
    return isa_vec_pick(magnitude > infinity, nan, number);
}

ISA_VECTOR isa_vec_t class_f16(const uint32_t *row)
{
    return class_bit(isa_vec_load(row) << 16, 0x7c000000, 0x2000000, 0x4000000);
}

ISA_VECTOR isa_vec_t class_f32(const uint32_t *row)
{
    return class_bit(isa_vec_load(row), FPU_INF32, 0x400000, 0x800000);
}

/* A double's class follows from its high dword and from whether its low dword is 0. If the low
 * dword is not 0, the high dword's last bit is set, so that class_bit() needs only one dword. */
ISA_VECTOR isa_vec_t class_f64(const uint32_t *row)
{
    const isa_vec_t some = (isa_vec_t)(isa_vec_load(row) != 0) & 1;
    return class_bit(isa_vec_load(row + ISA_ROW) | some, 0x7ff00000, 0x80000, 0x100000);
}

#define CLASS(T)                                                                                   \
    static void class_of_##T(valu_t *v)                                                            \
    {                                                                                              \
        uint64_t out = 0;                                                                          \
        for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {                                        \
            const isa_vec_t asked = class_##T(v->s[0] + l) & isa_vec_load(v->s[1] + l);            \
            out |= (uint64_t)isa_vec_above(asked, isa_vec_all(0)) << l;                            \
        }                                                                                          \
        v->out = out;                                                                              \
    }                                                                                              \
    VALU_ALIAS(v_cmp_class_##T, VALU_NONE, VALU_T_##T, VALU_B32, VALU_NONE,                        \
               VALU_MASK_OUT | VALU_RAW, class_of_##T)                                             \
    VALU_ALIAS(v_cmpx_class_##T, VALU_NONE, VALU_T_##T, VALU_B32, VALU_NONE,                       \
               VALU_MASK_OUT | VALU_CMPX | VALU_RAW, class_of_##T)

CLASS(f16)
CLASS(f32)
CLASS(f64)
