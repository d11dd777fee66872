/* salu.c - scalar arithmetic, logic, compares and moves.
 *
 * One line per instruction where the operation is an expression. `a` and `b` are the sources, `d`
 * the result; the SCC rule follows the operation. Control flow is in salu_flow.c. */
#include "softgpu/exec/handler.h"

/* The SCC rules. */
#define KEEP              ((void)0)
#define NONZERO           (w->scc = d != 0)
#define SCC_IF(condition) (w->scc = (condition))

#define BINARY(name, type, stype, read, read_b, write, operation, scc)                             \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        type a = read(w, &i->src[0]);                                                              \
        type b = (type)read_b(w, &i->src[1]);                                                      \
        stype sa = (stype)a, sb = (stype)b;                                                        \
        (void)sa, (void)sb;                                                                        \
        type d = (type)(operation);                                                                \
        scc;                                                                                       \
        write;                                                                                     \
    }
#define WRITE32 (w->sgpr[i->dst.reg] = d)
#define WRITE64 isa_set_sgpr64(w, i->dst.reg, d)

#define OP2_32(name, operation, scc)                                                               \
    BINARY(name, uint32_t, int32_t, isa_read32, isa_read32, WRITE32, operation, scc)
#define OP2_64(name, operation, scc)                                                               \
    BINARY(name, uint64_t, int64_t, isa_read64, isa_read64, WRITE64, operation, scc)
/* 64-bit value, 32-bit second operand */
#define OP2_64_32(name, operation, scc)                                                            \
    BINARY(name, uint64_t, int64_t, isa_read64, isa_read32, WRITE64, operation, scc)

/* ---- SOP2 ---- */

OP2_32(s_add_u32, a + b, SCC_IF(d < a))
OP2_32(s_sub_u32, a - b, SCC_IF(b > a))
OP2_32(s_add_i32, a + b, SCC_IF((~(a ^ b) & (a ^ d)) >> 31))
OP2_32(s_sub_i32, a - b, SCC_IF(((a ^ b) & (a ^ d)) >> 31))
OP2_32(s_addc_u32, a + b + w->scc, SCC_IF(((uint64_t)a + b + w->scc) >> 32 != 0))
OP2_32(s_subb_u32, a - b - w->scc, SCC_IF((uint64_t)b + w->scc > a))
OP2_32(s_min_i32, sa < sb ? a : b, SCC_IF(sa < sb))
OP2_32(s_min_u32, a < b ? a : b, SCC_IF(a < b))
/* If the operands are equal, SCC is 0, by the manual of this generation. */
OP2_32(s_max_i32, sa > sb ? a : b, SCC_IF(sa > sb))
OP2_32(s_max_u32, a > b ? a : b, SCC_IF(a > b))
OP2_32(s_cselect_b32, w->scc ? a : b, KEEP)
OP2_64(s_cselect_b64, w->scc ? a : b, KEEP)
OP2_32(s_mul_i32, a *b, KEEP)
OP2_32(s_mul_hi_u32, (uint64_t)a *b >> 32, KEEP)
OP2_32(s_mul_hi_i32, (uint64_t)((int64_t)sa *sb) >> 32, KEEP)
OP2_64(s_add_nc_u64, a + b, KEEP)
OP2_64(s_sub_nc_u64, a - b, KEEP)
OP2_64(s_mul_u64, a *b, KEEP)
OP2_32(s_absdiff_i32, (int32_t)(a - b) < 0 ? b - a : a - b, NONZERO)
OP2_32(s_pack_ll_b32_b16, (a & 0xffff) | b << 16, KEEP)
OP2_32(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000), KEEP)
OP2_32(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000), KEEP)
OP2_32(s_pack_hl_b32_b16, a >> 16 | b << 16, KEEP)

#define LSHL_ADD(n)                                                                                \
    OP2_32(s_lshl##n##_add_u32, (a << n) + b, SCC_IF((((uint64_t)a << n) + b) >> 32 != 0))
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)

#define LOGIC2(name, operation)                                                                    \
    OP2_32(name##_b32, operation, NONZERO)                                                         \
    OP2_64(name##_b64, operation, NONZERO)
LOGIC2(s_and, a &b)
LOGIC2(s_or, a | b)
LOGIC2(s_xor, a ^ b)
LOGIC2(s_andn2, a & ~b)
LOGIC2(s_orn2, a | ~b)
LOGIC2(s_nand, ~(a &b))
LOGIC2(s_nor, ~(a | b))
LOGIC2(s_xnor, ~(a ^ b))

OP2_32(s_lshl_b32, a << (b & 31), NONZERO)
OP2_32(s_lshr_b32, a >> (b & 31), NONZERO)
OP2_32(s_ashr_i32, sa >> (b & 31), NONZERO)
OP2_64_32(s_lshl_b64, a << (b & 63), NONZERO)
OP2_64_32(s_lshr_b64, a >> (b & 63), NONZERO)
OP2_64_32(s_ashr_i64, sa >> (b & 63), NONZERO)

OP2_32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), KEEP)
ISA_INST(s_bfm_b64)
{
    uint32_t width = isa_read32(w, &i->src[0]) & 63, offset = isa_read32(w, &i->src[1]) & 63;
    isa_set_sgpr64(w, i->dst.reg, ((1ull << width) - 1) << offset);
}

/* Bit fields: offset in the low bits of b, width in 22:16. A field that reaches past the top has no
 * bits there; a signed one is extended from its last bit. */
static inline uint64_t field_u(uint64_t value, unsigned offset, unsigned width)
{
    value >>= offset;
    return width < 64 ? value & ((1ull << width) - 1) : value;
}

static inline int64_t field_s(int64_t value, unsigned offset, unsigned width, unsigned size)
{
    if (!width) return 0;
    if (offset + width >= size) return value >> offset;
    return (int64_t)((uint64_t)value << (64 - offset - width)) >> (64 - width);
}
#define WIDTH (unsigned)(b >> 16 & 0x7f)
OP2_32(s_bfe_u32, field_u(a, b & 31, WIDTH), NONZERO)
OP2_32(s_bfe_i32, field_s(sa, b & 31, WIDTH, 32), NONZERO)
OP2_64_32(s_bfe_u64, field_u(a, b & 63, WIDTH), NONZERO)
OP2_64_32(s_bfe_i64, field_s(sa, b & 63, WIDTH, 64), NONZERO)

/* ---- SOPK ---- */

#define IMMEDIATE(name, operation)                                                                 \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        uint32_t *d = &w->sgpr[i->dst.reg];                                                        \
        operation;                                                                                 \
    }
#define COMPARE_IMMEDIATE(name, relation)                                                          \
    IMMEDIATE(s_cmpk_##name##_i32, w->scc = (int32_t)*d relation i->imm)                           \
    IMMEDIATE(s_cmpk_##name##_u32, w->scc = *d relation(uint16_t) i->imm)

IMMEDIATE(s_movk_i32, *d = (uint32_t)i->imm)
IMMEDIATE(s_cmovk_i32, if (w->scc) *d = (uint32_t)i->imm)
IMMEDIATE(s_mulk_i32, *d *= (uint32_t)i->imm)
IMMEDIATE(s_addk_i32, int32_t sum; w->scc = __builtin_add_overflow((int32_t)*d, i->imm, &sum);
          *d = (uint32_t)sum)
COMPARE_IMMEDIATE(eq, ==)
COMPARE_IMMEDIATE(lg, !=)
COMPARE_IMMEDIATE(gt, >)
COMPARE_IMMEDIATE(ge, >=)
COMPARE_IMMEDIATE(lt, <)
COMPARE_IMMEDIATE(le, <=)

/* ---- SOPC ---- */

#define COMPARE(name, type, read, read_b, condition)                                               \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        type a = (type)read(w, &i->src[0]);                                                        \
        type b = (type)read_b(w, &i->src[1]);                                                      \
        w->scc = (condition);                                                                      \
    }
#define COMPARE_32(name, relation)                                                                 \
    COMPARE(s_cmp_##name##_i32, int32_t, isa_read32, isa_read32, a relation b)                     \
    COMPARE(s_cmp_##name##_u32, uint32_t, isa_read32, isa_read32, a relation b)
COMPARE_32(eq, ==)
COMPARE_32(lg, !=)
COMPARE_32(gt, >)
COMPARE_32(ge, >=)
COMPARE_32(lt, <)
COMPARE_32(le, <=)
COMPARE(s_cmp_eq_u64, uint64_t, isa_read64, isa_read64, a == b)
COMPARE(s_cmp_lg_u64, uint64_t, isa_read64, isa_read64, a != b)
COMPARE(s_bitcmp0_b32, uint32_t, isa_read32, isa_read32, !(a >> (b & 31) & 1))
COMPARE(s_bitcmp1_b32, uint32_t, isa_read32, isa_read32, a >> (b & 31) & 1)
COMPARE(s_bitcmp0_b64, uint64_t, isa_read64, isa_read32, !(a >> (b & 63) & 1))
COMPARE(s_bitcmp1_b64, uint64_t, isa_read64, isa_read32, a >> (b & 63) & 1)
