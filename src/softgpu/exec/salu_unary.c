/* salu_unary.c - SOP1: moves, bit counts and searches, EXEC masks, relative moves.
 *
 * One line per instruction where the operation is an expression; `a` is the source, `d` the
 * result. */
#include "softgpu/exec/handler.h"

static inline unsigned last_sgpr(const isa_wave_t *w)
{
    return w->group->dispatch->arch->formats->sgprs - 1u;
}

#define KEEP    ((void)0)
#define NONZERO (w->scc = d != 0)

#define UNARY(name, type, read, dtype, write, operation, scc)                                      \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        type a = read(w, &i->src[0]);                                                              \
        dtype d = (dtype)(operation);                                                              \
        scc;                                                                                       \
        write;                                                                                     \
    }
#define WRITE32 (w->sgpr[i->dst.reg] = d)
#define WRITE64 isa_set_sgpr64(w, i->dst.reg, d)
#define OP1_32(name, operation, scc)                                                               \
    UNARY(name, uint32_t, isa_read32, uint32_t, WRITE32, operation, scc)
#define OP1_64(name, operation, scc)                                                               \
    UNARY(name, uint64_t, isa_read64, uint64_t, WRITE64, operation, scc)
#define OP1_64_TO_32(name, operation, scc)                                                         \
    UNARY(name, uint64_t, isa_read64, uint32_t, WRITE32, operation, scc)
#define OP1_32_TO_64(name, operation, scc)                                                         \
    UNARY(name, uint32_t, isa_read32, uint64_t, WRITE64, operation, scc)

OP1_32(s_mov_b32, a, KEEP)
OP1_64(s_mov_b64, a, KEEP)
OP1_32(s_cmov_b32, w->scc ? a : w->sgpr[i->dst.reg], KEEP)
OP1_64(s_cmov_b64, w->scc ? a : isa_sgpr64(w, i->dst.reg), KEEP)
OP1_32(s_not_b32, ~a, NONZERO)
OP1_64(s_not_b64, ~a, NONZERO)
OP1_32(s_abs_i32, (int32_t)a < 0 ? 0 - a : a, NONZERO)
OP1_32(s_sext_i32_i8, (int32_t)(int8_t)a, KEEP)
OP1_32(s_sext_i32_i16, (int32_t)(int16_t)a, KEEP)

/* ---- counting and searching ---- */

OP1_32(s_bcnt0_i32_b32, 32 - __builtin_popcount(a), NONZERO)
OP1_64_TO_32(s_bcnt0_i32_b64, 64 - __builtin_popcountll(a), NONZERO)
OP1_32(s_bcnt1_i32_b32, __builtin_popcount(a), NONZERO)
OP1_64_TO_32(s_bcnt1_i32_b64, __builtin_popcountll(a), NONZERO)

static inline int lowest_one(uint64_t a)
{
    return a ? __builtin_ctzll(a) : -1;
}

static inline int leading_zeros(uint64_t a, int size)
{
    return a ? __builtin_clzll(a) - (64 - size) : -1;
}
OP1_32(s_ff0_i32_b32, lowest_one((uint32_t)~a), KEEP)
OP1_64_TO_32(s_ff0_i32_b64, lowest_one(~a), KEEP)
OP1_32(s_ff1_i32_b32, lowest_one(a), KEEP)
OP1_64_TO_32(s_ff1_i32_b64, lowest_one(a), KEEP)
OP1_32(s_flbit_i32_b32, leading_zeros(a, 32), KEEP)
OP1_64_TO_32(s_flbit_i32_b64, leading_zeros(a, 64), KEEP)
/* The first bit that differs from the sign: XOR with the sign makes it the first 1. */
OP1_32(s_flbit_i32, leading_zeros(a ^ (uint32_t)((int32_t)a >> 31), 32), KEEP)
OP1_64_TO_32(s_flbit_i32_i64, leading_zeros(a ^ (uint64_t)((int64_t)a >> 63), 64), KEEP)

/* ---- rearranging bits ---- */

static inline uint64_t reverse(uint64_t a)
{
    a = (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
    a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0f) | (a & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(a);
}

/* Bit 4i of the result is the OR of bits 4i to 4i + 3. */
static inline uint64_t any_of_quad(uint64_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    return a & 0x1111111111111111;
}

static inline uint64_t quad_mask(uint64_t a)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < 16; k++)
        d |= (uint64_t)((a >> 4 * k & 15) != 0) << k;
    return d;
}

static inline uint64_t replicate(uint32_t a)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < 32; k++)
        d |= (uint64_t)(a >> k & 1) * 3 << 2 * k;
    return d;
}
OP1_32(s_brev_b32, reverse(a) >> 32, KEEP)
OP1_64(s_brev_b64, reverse(a), KEEP)
OP1_32(s_wqm_b32, any_of_quad(a) * 15, NONZERO)
OP1_64(s_wqm_b64, any_of_quad(a) * 15, NONZERO)
OP1_32(s_quadmask_b32, quad_mask(a), NONZERO)
OP1_64(s_quadmask_b64, quad_mask(a), NONZERO)
OP1_32_TO_64(s_bitreplicate_b64_b32, replicate(a), KEEP)
OP1_32(s_bitset0_b32, w->sgpr[i->dst.reg] & ~(1u << (a & 31)), KEEP)
OP1_32(s_bitset1_b32, w->sgpr[i->dst.reg] | 1u << (a & 31), KEEP)
OP1_32_TO_64(s_bitset0_b64, isa_sgpr64(w, i->dst.reg) & ~(1ull << (a & 63)), KEEP)
OP1_32_TO_64(s_bitset1_b64, isa_sgpr64(w, i->dst.reg) | 1ull << (a & 63), KEEP)

/* ---- EXEC ---- */

/* Sets the low half of EXEC, which in waves of 32 lanes is all of it; returns whether it is not
 * 0. */
static inline bool set_exec_low(isa_wave_t *w, uint32_t low)
{
    w->exec = (w->exec & ~(uint64_t)UINT32_MAX) | low;
    return low != 0;
}

/* D = old EXEC, then EXEC = operation. The source is read before both; if D is EXEC, the result of
 * the operation stays. */
#define SAVE_EXEC(name, operation)                                                                 \
    ISA_INST(s_##name##_saveexec_b64)                                                              \
    {                                                                                              \
        uint64_t a = isa_read64(w, &i->src[0]), exec = w->exec;                                    \
        isa_set_sgpr64(w, i->dst.reg, exec);                                                       \
        w->exec = ISA_ALL_LANES & (operation);                                                     \
        w->scc = w->exec != 0;                                                                     \
    }                                                                                              \
    ISA_INST(s_##name##_saveexec_b32)                                                              \
    {                                                                                              \
        uint32_t a = isa_read32(w, &i->src[0]), exec = (uint32_t)w->exec;                          \
        w->sgpr[i->dst.reg] = exec;                                                                \
        w->scc = set_exec_low(w, (operation));                                                     \
    }
SAVE_EXEC(and, a &exec)
SAVE_EXEC(or, a | exec)
SAVE_EXEC(xor, a ^ exec)
SAVE_EXEC(andn2, a & ~exec)
SAVE_EXEC(orn2, a | ~exec)
SAVE_EXEC(nand, ~(a &exec))
SAVE_EXEC(nor, ~(a | exec))
SAVE_EXEC(xnor, ~(a ^ exec))
SAVE_EXEC(andn1, ~a &exec)
SAVE_EXEC(orn1, ~a | exec)

#define WRITE_EXEC(name, operation)                                                                \
    ISA_INST(s_##name##_wrexec_b64)                                                                \
    {                                                                                              \
        uint64_t a = isa_read64(w, &i->src[0]), exec = w->exec;                                    \
        w->exec = ISA_ALL_LANES & (operation);                                                     \
        isa_set_sgpr64(w, i->dst.reg, w->exec);                                                    \
        w->scc = w->exec != 0;                                                                     \
    }                                                                                              \
    ISA_INST(s_##name##_wrexec_b32)                                                                \
    {                                                                                              \
        uint32_t a = isa_read32(w, &i->src[0]), exec = (uint32_t)w->exec;                          \
        w->scc = set_exec_low(w, (operation));                                                     \
        w->sgpr[i->dst.reg] = (uint32_t)w->exec;                                                   \
    }
WRITE_EXEC(andn1, ~a &exec)
WRITE_EXEC(andn2, a & ~exec)

/* ---- relative moves: register number + M0 ---- */

/* The register's number; if it is out of range, reads use s0 and writes are dropped. */
static inline unsigned source_index(const isa_wave_t *w, unsigned reg, unsigned span)
{
    uint64_t k = (uint64_t)reg + w->m0;
    return k + span - 1 <= last_sgpr(w) ? (unsigned)k : 0;
}

ISA_INST(s_movrels_b32)
{
    w->sgpr[i->dst.reg] = w->sgpr[source_index(w, i->src[0].reg, 1)];
}

ISA_INST(s_movrels_b64)
{
    isa_set_sgpr64(w, i->dst.reg, isa_sgpr64(w, source_index(w, i->src[0].reg, 2) & ~1u));
}

ISA_INST(s_movreld_b32)
{
    uint32_t a = isa_read32(w, &i->src[0]);
    uint64_t k = (uint64_t)i->dst.reg + w->m0;
    if (k <= last_sgpr(w)) w->sgpr[k] = a;
}

ISA_INST(s_movreld_b64)
{
    uint64_t a = isa_read64(w, &i->src[0]);
    uint64_t k = ((uint64_t)i->dst.reg + w->m0) & ~1ull;
    if (k < last_sgpr(w)) isa_set_sgpr64(w, (unsigned)k, a);
}

/* Both registers are relative: bits 9:0 of M0 are added to the source's number, 25:16 to the
 * destination's. */
ISA_INST(s_movrelsd_2_b32)
{
    const unsigned from = i->src[0].reg + (w->m0 & 0x3ff), to = i->dst.reg + (w->m0 >> 16 & 0x3ff);
    const uint32_t a = w->sgpr[from <= last_sgpr(w) ? from : 0];
    if (to <= last_sgpr(w)) w->sgpr[to] = a;
}

/* ---- fields of MODE ---- */

ISA_INST(s_round_mode)
{
    w->mode = (w->mode & ~0xfu) | ((uint32_t)i->imm & 0xf);
}

ISA_INST(s_denorm_mode)
{
    w->mode = (w->mode & ~0xf0u) | ((uint32_t)i->imm & 0xf) << 4;
}
