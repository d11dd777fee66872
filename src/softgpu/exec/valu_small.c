/* valu_small.c - conversions to and from floats of 8, 6 and 4 bits, with scales and random bits.
 *
 * An instruction is a line at the end of this file: the formats, how many numbers it converts, and
 * which part of the destination it writes. fpu_small.h rounds. Sources: AMD's manual of CDNA 4 (7.3
 * and the descriptions of V_CVT_*); that of CDNA 3 for its 8-bit floats. Two cases are not
 * documented there and are assumptions: neg and abs of a packed source change both of its numbers,
 * and stochastic rounding of 16-bit numbers uses as many random bits as that of an f32. */
#include "softgpu/exec/fpu_arch.h"
#include "softgpu/exec/fpu_small.h"
#include "softgpu/exec/valu.h"

enum {
    FPU_F32 = FPU_SMALL_FORMATS, /* in addition to the formats of fpu_small_t */
    NUMBERS = 32,                /* the most numbers that an instruction converts */
    SCALE_ONE = 127,             /* a scale is the exponent of an f32 */
    SCALE_NAN = 255
};

enum {
    SCALED =
        1 << 0, /* the last source is a scale, by which numbers of small formats are multiplied */
    STOCHASTIC = 1 << 1, /* the second source has random bits */
    SPLIT = 1 << 2       /* even numbers are in the first source, odd ones in the second */
};

/* `part`: bits of the destination that are written, at the place that OP_SEL selects; 0: all bits
 * of as many registers as the numbers fill. */
typedef struct {
    uint8_t from, to, count, part, flags;
} cvt_t;

static unsigned bits_of(unsigned format)
{
    return format == FPU_F32 ? 32 : fpu_format_bits(&fpu_formats[format]);
}

/* ---- numbers in the registers of a lane ---- */

static uint32_t take(const uint32_t *row, unsigned at, unsigned bits)
{
    const unsigned dword = at / 32, shift = at % 32;
    uint64_t x = row[dword * ISA_ROW];
    if (shift + bits > 32) x |= (uint64_t)row[(dword + 1) * ISA_ROW] << 32;
    return (uint32_t)(x >> shift & ((UINT64_C(1) << bits) - 1));
}

static void put(uint32_t *dwords, unsigned at, unsigned bits, uint32_t x)
{
    const unsigned dword = at / 32, shift = at % 32;
    dwords[dword] |= x << shift;
    if (shift + bits > 32) dwords[dword + 1] |= x >> (32 - shift);
}

/* The bit of the source at which its first number is: if a register has more numbers than are
 * converted, OP_SEL selects the byte or half. */
static unsigned first_bit(const isa_inst_t *i, const cvt_t *t)
{
    switch (bits_of(t->from) * t->count) {
    case 8: return 8 * (i->op_sel & 3u);
    case 16: return 16 * (i->op_sel & 1u);
    default: return 0;
    }
}

static unsigned part_bit(const isa_inst_t *i, const cvt_t *t)
{
    return t->part == 16  ? 16 * (i->op_sel >> 3 & 1u)
           : t->part == 8 ? 8 * (i->op_sel >> 2 & 3u)
                          : 0;
}

/* The rows of an operand; a scalar operand, the same for all lanes, is broadcast to rows of
 * `room`. */
static const uint32_t *rows_of(isa_wave_t *w, const isa_operand_t *o, uint32_t (*room)[ISA_ROW])
{
    if (o->kind == ISA_OPK_VGPR) return w->vgpr[o->reg];
    valu_fill(room[0], isa_read32(w, o));
    if (o->bits > 32) valu_fill(room[1], (uint32_t)(isa_read64(w, o) >> 32));
    return room[0];
}

/* ---- one number ---- */

static uint32_t full(const isa_wave_t *w, const isa_operand_t *o, const cvt_t *t, uint32_t x)
{
    if (t->from != FPU_F32) x = fpu_from_small(&fpu_formats[t->from], x);
    if (t->from == FPU_F32 || t->from == FPU_F16 || t->from == FPU_BF16) {
        if (o->mods & ISA_MOD_ABS) x &= 0x7fffffff;
        if (o->mods & ISA_MOD_NEG) x ^= 0x80000000;
    }
    return t->from == FPU_F32 && !(w->mode & 0x10) ? fpu_flush32(x) : x;
}

/* If MODE.FP16_OVFL is set, a number that is too large becomes the largest finite number; an
 * infinity does so as an 8-bit float, but not as an f16. */
static uint32_t rounded(const isa_wave_t *w, const cvt_t *t, uint32_t x, int power, uint32_t random)
{
    const bool infinite = (x & 0x7fffffff) == FPU_INF32;
    const bool saturate =
        w->mode & ISA_MODE_FP16_OVFL && t->to != FPU_BF16 && !(t->to == FPU_F16 && infinite);
    if (t->to == FPU_F32) {
        x = fpu_ldexp32(x, power, FPU_NEAREST);
        return w->mode & 0x20 ? x : fpu_flush32(x);
    }
    return fpu_to_small(&fpu_formats[t->to], x, power,
                        (fpu_rounding_t){t->flags & STOCHASTIC, saturate, random});
}

/* ---- one instruction ---- */

static void convert_lane(isa_wave_t *w, const isa_inst_t *i, const cvt_t *t,
                         const uint32_t *const *source, unsigned l, uint32_t *out)
{
    const unsigned last = t->flags & (SPLIT | STOCHASTIC) ? 2 : 1;
    const unsigned from = bits_of(t->from), to = bits_of(t->to), first = first_bit(i, t);
    uint32_t random = t->flags & STOCHASTIC ? source[1][l] : 0;
    int scale = SCALE_ONE;
    if (t->flags & SCALED) scale = (int)(source[last][l] >> 23 & 255);
    for (unsigned n = 0; n < t->count; n++) {
        const unsigned s = t->flags & SPLIT ? n % 2 : 0, at = t->flags & SPLIT ? n / 2 : n;
        uint32_t x = full(w, &i->src[s], t, take(source[s] + l, first + at * from, from));
        const int power = scale - SCALE_ONE;
        if (scale == SCALE_NAN) x = FPU_NAN32;
        put(out, n * to, to, rounded(w, t, x, t->to < FPU_F16 ? -power : power, random));
        random = fpu_prng(random);
    }
}

static cvt_t formats_here(const isa_wave_t *w, const cvt_t *t)
{
    cvt_t here = *t;
    if (!fpu_archs[w->group->dispatch->arch->index].fnuz) return here;
    if (t->to <= FPU_BF8) here.to = (uint8_t)(t->to + FPU_FP8_FNUZ);
    if (t->from <= FPU_BF8) here.from = (uint8_t)(t->from + FPU_FP8_FNUZ);
    return here;
}

/* The registers of a lane are written after all of its numbers have been read: destination and
 * sources can overlap. */
static __attribute__((noinline)) void convert(isa_wave_t *w, const isa_inst_t *i, const cvt_t *t)
{
    alignas(64) uint32_t room[3][2][ISA_ROW];
    const uint32_t *source[3] = {0};
    const cvt_t here = formats_here(w, t);
    const unsigned dwords = (bits_of(here.to) * here.count + 31) / 32, at = part_bit(i, t);
    const uint32_t mask = t->part ? ((1u << t->part) - 1) << at : UINT32_MAX;
    if (w->mode & ISA_MODE_GPR_IDX || i->flags & ISA_F_DPP) {
        isa_stop_unsupported(w, i,
                             i->flags & ISA_F_DPP ? "another lane's source" : "register indexing");
        return;
    }
    for (unsigned n = 0; n < 3; n++)
        if (i->src[n].kind != ISA_OPK_NONE) source[n] = rows_of(w, &i->src[n], room[n]);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint32_t out[NUMBERS] = {0};
        if (!(w->exec >> l & 1)) continue;
        convert_lane(w, i, &here, source, l, out);
        for (unsigned d = 0; d < dwords; d++) {
            uint32_t *to = &w->vgpr[i->dst.reg + d][l];
            *to = (*to & ~mask) | (out[d] << at & mask);
        }
    }
}

/* ---- from 8 bits to f32, in VOP1: SDWA selects the byte, or OP_SEL on GPUs without SDWA ---- */

#define WIDEN(format, exponent, mantissa, bias, special)                                           \
    VALU_BODY1(body_##format, u32)                                                                 \
    VALU_ST_u32(fpu_from_byte((fpu_format_t){exponent, mantissa, bias, special}, a));              \
    VALU_END                                                                                       \
    VALU_BODY1(body_pk_##format, u32)                                                              \
    const uint32_t low = fpu_from_byte((fpu_format_t){exponent, mantissa, bias, special}, a);      \
    const uint32_t high =                                                                          \
        fpu_from_byte((fpu_format_t){exponent, mantissa, bias, special}, a >> 8);                  \
    VALU_ST_u64(low | (uint64_t)high << 32);                                                       \
    VALU_END

WIDEN(fp8, 4, 3, 7, FPU_SPECIAL_ONES)
WIDEN(bf8, 5, 2, 15, FPU_SPECIAL_IEEE)
WIDEN(fp8_fnuz, 4, 3, 8, FPU_SPECIAL_MINUS_0)
WIDEN(bf8_fnuz, 5, 2, 16, FPU_SPECIAL_MINUS_0)

/* Two functions with the paths of an instruction, one for 8-bit floats as on gfx942 and one for the
 * other kind; the handler calls one of them. */
#define FROM_BYTES_AS(fn, DT, body)                                                                \
    VALU_PATHS(static void fn(isa_wave_t *w, const isa_inst_t *i), fn, DT, VALU_B32, VALU_NONE,    \
               VALU_NONE, 0, body, body, body)
#define FROM_BYTES(name, DT, format, FROM, COUNT)                                                  \
    FROM_BYTES_AS(name##_ocp, DT, format)                                                          \
    FROM_BYTES_AS(name##_fnuz, DT, format##_fnuz)                                                  \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        static const cvt_t selected = {FPU_##FROM, FPU_F32, COUNT, 0, 0};                          \
        if (i->op_sel)                                                                             \
            convert(w, i, &selected);                                                              \
        else if (fpu_archs[w->group->dispatch->arch->index].fnuz)                                  \
            name##_fnuz(w, i);                                                                     \
        else                                                                                       \
            name##_ocp(w, i);                                                                      \
    }

FROM_BYTES(v_cvt_f32_fp8, VALU_F32, body_fp8, FP8, 1)
FROM_BYTES(v_cvt_f32_bf8, VALU_F32, body_bf8, BF8, 1)
FROM_BYTES(v_cvt_pk_f32_fp8, VALU_P32, body_pk_fp8, FP8, 2)
FROM_BYTES(v_cvt_pk_f32_bf8, VALU_P32, body_pk_bf8, BF8, 2)

/* ---- dot products of four bytes, added one after the other to an f32; only the f32 has modifiers
 * ---- */

static void dot4(isa_wave_t *w, const isa_inst_t *i, fpu_small_t a, fpu_small_t b)
{
    alignas(64) uint32_t room[3][1][ISA_ROW], result[ISA_ROW];
    const uint32_t *s[3];
    const uint32_t keep = i->src[2].mods & ISA_MOD_ABS ? 0x7fffffff : ~0u;
    const uint32_t flip = i->src[2].mods & ISA_MOD_NEG ? 0x80000000 : 0;
    if (i->flags & ISA_F_DPP) {
        isa_stop_unsupported(w, i, "another lane's source");
        return;
    }
    for (unsigned n = 0; n < 3; n++)
        s[n] = rows_of(w, &i->src[n], room[n]);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        float sum = fpu_f32((s[2][l] & keep) ^ flip);
        for (unsigned at = 0; at < 32; at += 8)
            sum += fpu_f32(fpu_from_small(&fpu_formats[a], s[0][l] >> at & 0xff)) *
                   fpu_f32(fpu_from_small(&fpu_formats[b], s[1][l] >> at & 0xff));
        result[l] = sum == sum ? fpu_bits32(sum) : FPU_NAN32;
    }
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

#define DOT4(name, A, B)                                                                           \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        dot4(w, i, FPU_##A, FPU_##B);                                                              \
    }
DOT4(v_dot4_f32_fp8_fp8, FP8, FP8)
DOT4(v_dot4_f32_fp8_bf8, FP8, BF8)
DOT4(v_dot4_f32_bf8_fp8, BF8, FP8)
DOT4(v_dot4_f32_bf8_bf8, BF8, BF8)

/* ---- bf16, to nearest even ---- */

static inline uint32_t to_bf16(uint32_t x)
{
    const uint32_t nearest = (x + 0x7fff + (x >> 16 & 1)) >> 16;
    return (x & 0x7fffffff) > FPU_INF32 ? x >> 16 | 0x40 : nearest;
}

VALU_OP2(v_cvt_pk_bf16_f32, u32, b32, b32, VALU_CLAMP_NOP, to_bf16(a) | to_bf16(b) << 16)

/* ---- the instructions ---- */

#define CVT(name, FROM, TO, COUNT, PART, FLAGS)                                                    \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        static const cvt_t row = {FPU_##FROM, FPU_##TO, COUNT, PART, FLAGS};                       \
        convert(w, i, &row);                                                                       \
    }

CVT(v_cvt_pk_fp8_f32, F32, FP8, 2, 16, SPLIT)
CVT(v_cvt_pk_bf8_f32, F32, BF8, 2, 16, SPLIT)
CVT(v_cvt_sr_fp8_f32, F32, FP8, 1, 8, STOCHASTIC)
CVT(v_cvt_sr_bf8_f32, F32, BF8, 1, 8, STOCHASTIC)
CVT(v_cvt_sr_f16_f32, F32, F16, 1, 16, STOCHASTIC)
CVT(v_cvt_sr_bf16_f32, F32, BF16, 1, 16, STOCHASTIC)
CVT(v_cvt_scalef32_pk_fp8_f32, F32, FP8, 2, 16, SCALED | SPLIT)
CVT(v_cvt_scalef32_sr_fp8_f32, F32, FP8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_fp8_f16, F16, FP8, 2, 16, SCALED)
CVT(v_cvt_scalef32_sr_fp8_f16, F16, FP8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_fp8_bf16, BF16, FP8, 2, 16, SCALED)
CVT(v_cvt_scalef32_sr_fp8_bf16, BF16, FP8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_f32_fp8, FP8, F32, 2, 0, SCALED)
CVT(v_cvt_scalef32_f32_fp8, FP8, F32, 1, 0, SCALED)
CVT(v_cvt_scalef32_pk_f16_fp8, FP8, F16, 2, 0, SCALED)
CVT(v_cvt_scalef32_f16_fp8, FP8, F16, 1, 16, SCALED)
CVT(v_cvt_scalef32_pk_bf16_fp8, FP8, BF16, 2, 0, SCALED)
CVT(v_cvt_scalef32_pk_bf8_f32, F32, BF8, 2, 16, SCALED | SPLIT)
CVT(v_cvt_scalef32_sr_bf8_f32, F32, BF8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_bf8_f16, F16, BF8, 2, 16, SCALED)
CVT(v_cvt_scalef32_sr_bf8_f16, F16, BF8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_bf8_bf16, BF16, BF8, 2, 16, SCALED)
CVT(v_cvt_scalef32_sr_bf8_bf16, BF16, BF8, 1, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_f32_bf8, BF8, F32, 2, 0, SCALED)
CVT(v_cvt_scalef32_f32_bf8, BF8, F32, 1, 0, SCALED)
CVT(v_cvt_scalef32_pk_f16_bf8, BF8, F16, 2, 0, SCALED)
CVT(v_cvt_scalef32_f16_bf8, BF8, F16, 1, 16, SCALED)
CVT(v_cvt_scalef32_pk_bf16_bf8, BF8, BF16, 2, 0, SCALED)
CVT(v_cvt_scalef32_pk_fp4_f32, F32, FP4, 2, 8, SCALED | SPLIT)
CVT(v_cvt_scalef32_sr_pk_fp4_f32, F32, FP4, 2, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_fp4_f16, F16, FP4, 2, 8, SCALED)
CVT(v_cvt_scalef32_sr_pk_fp4_f16, F16, FP4, 2, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_fp4_bf16, BF16, FP4, 2, 8, SCALED)
CVT(v_cvt_scalef32_sr_pk_fp4_bf16, BF16, FP4, 2, 8, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk_f32_fp4, FP4, F32, 2, 0, SCALED)
CVT(v_cvt_scalef32_pk_f16_fp4, FP4, F16, 2, 0, SCALED)
CVT(v_cvt_scalef32_pk_bf16_fp4, FP4, BF16, 2, 0, SCALED)
CVT(v_cvt_scalef32_2xpk16_fp6_f32, F32, FP6, 32, 0, SCALED | SPLIT)
CVT(v_cvt_scalef32_sr_pk32_fp6_f32, F32, FP6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_fp6_f16, F16, FP6, 32, 0, SCALED)
CVT(v_cvt_scalef32_sr_pk32_fp6_f16, F16, FP6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_fp6_bf16, BF16, FP6, 32, 0, SCALED)
CVT(v_cvt_scalef32_sr_pk32_fp6_bf16, BF16, FP6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_f32_fp6, FP6, F32, 32, 0, SCALED)
CVT(v_cvt_scalef32_pk32_f16_fp6, FP6, F16, 32, 0, SCALED)
CVT(v_cvt_scalef32_pk32_bf16_fp6, FP6, BF16, 32, 0, SCALED)
CVT(v_cvt_scalef32_2xpk16_bf6_f32, F32, BF6, 32, 0, SCALED | SPLIT)
CVT(v_cvt_scalef32_sr_pk32_bf6_f32, F32, BF6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_bf6_f16, F16, BF6, 32, 0, SCALED)
CVT(v_cvt_scalef32_sr_pk32_bf6_f16, F16, BF6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_bf6_bf16, BF16, BF6, 32, 0, SCALED)
CVT(v_cvt_scalef32_sr_pk32_bf6_bf16, BF16, BF6, 32, 0, SCALED | STOCHASTIC)
CVT(v_cvt_scalef32_pk32_f32_bf6, BF6, F32, 32, 0, SCALED)
CVT(v_cvt_scalef32_pk32_f16_bf6, BF6, F16, 32, 0, SCALED)
CVT(v_cvt_scalef32_pk32_bf16_bf6, BF6, BF16, 32, 0, SCALED)
