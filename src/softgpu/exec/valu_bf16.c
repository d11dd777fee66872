/* valu_bf16.c - dot products of pairs of bfloat16, which are the upper halves of f32.
 *
 * A file of its own because OP_SEL, NEG and NEG_HI have another meaning for the pairs than for the
 * addend. Like all floating dot products of the GPUs that have these, they round to nearest even
 * and flush denormals of operands and results, whatever MODE says. */
#include "softgpu/exec/valu.h"

/* Half of a pair, as f32, with its sign inverted if `negative`. */
static inline float half(uint32_t pair, bool high, bool negative)
{
    const uint32_t x = (high ? pair & 0xffff0000 : pair << 16) ^ (negative ? 0x80000000 : 0);
    return fpu_f32(fpu_flush32(x));
}

/* A source of the products: the half and the sign for each of the two products. */
typedef struct {
    const uint32_t *row;
    bool sel[2], neg[2]; /* [0] for the low product, [1] for the high one */
} pair_t;

static float product(const pair_t s[2], int l, unsigned k)
{
    return half(s[0].row[l], s[0].sel[k], s[0].neg[k]) *
           half(s[1].row[l], s[1].sel[k], s[1].neg[k]);
}

/* The first NaN among the operands in the order of the sum, quieted. */
static uint32_t nan_of(const pair_t s[2], float c, int l)
{
    if (c != c) return fpu_bits32(c) | 0x400000;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned n = 0; n < 2; n++) {
            const float x = half(s[n].row[l], s[n].sel[k], s[n].neg[k]);
            if (x != x) return fpu_bits32(x) | 0x400000;
        }
    return FPU_NAN32;
}

/* d = (c + low product) + high product. NEG and ABS do not affect c. CLAMP has no effect: callers
 * set it although they do not want saturation, as with v_dot2_f32_f16. */
static void dot(isa_wave_t *w, const isa_inst_t *i, const pair_t s[2], const uint32_t *addend)
{
    alignas(64) uint32_t result[ISA_LANES];
    if (w->mode & ISA_MODE_GPR_IDX) {
        isa_stop_unsupported(w, i, "register indexing");
        return;
    }
    for (int l = 0; l < ISA_LANES; l++) {
        const float c = fpu_f32(fpu_flush32(addend[l]));
        const float low = fpu_f32(fpu_flush32(fpu_bits32(product(s, l, 0))));
        const float high = fpu_f32(fpu_flush32(fpu_bits32(product(s, l, 1))));
        const float sum = fpu_f32(fpu_flush32(fpu_bits32(c + low))) + high;
        result[l] = sum != sum ? nan_of(s, c, l) : fpu_flush32(fpu_bits32(sum));
    }
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

static const uint32_t *source(isa_wave_t *w, const isa_inst_t *i, unsigned n, uint32_t *tmp)
{
    const isa_operand_t *o = &i->src[n];
    return o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg] : valu_scalar_rows(w, i, o, tmp, 1);
}

ISA_INST(v_dot2_f32_bf16)
{
    alignas(64) uint32_t tmp[3][ISA_LANES];
    pair_t s[2];
    for (unsigned n = 0; n < 2; n++) {
        const isa_operand_t *o = &i->src[n];
        s[n] = (pair_t){.row = source(w, i, n, tmp[n]),
                        .sel = {o->sel & 1, o->sel & 2},
                        .neg = {o->mods & ISA_MOD_NEG, o->mods & ISA_MOD_ABS}};
        if (!s[n].row) return;
    }
    const uint32_t *addend = source(w, i, 2, tmp[2]);
    if (addend) dot(w, i, s, addend);
}

/* In the VOP3 form of this instruction, NEG is for the low halves and ABS is the sign of the high
 * ones. */
ISA_INST(v_dot2c_f32_bf16)
{
    alignas(64) uint32_t tmp[2][ISA_LANES];
    pair_t s[2];
    if (i->flags & (ISA_F_DPP | ISA_F_OMOD)) {
        isa_stop_unsupported(w, i, "modifier");
        return;
    }
    for (unsigned n = 0; n < 2; n++) {
        const isa_operand_t *o = &i->src[n];
        s[n] = (pair_t){.row = source(w, i, n, tmp[n]),
                        .sel = {false, true},
                        .neg = {o->mods & ISA_MOD_NEG, o->mods & ISA_MOD_ABS}};
        if (!s[n].row) return;
    }
    dot(w, i, s, w->vgpr[i->dst.reg]);
}

static uint32_t rounded(float x)
{
    const uint32_t bits = fpu_bits32(x);
    if (fpu_nan32(bits)) return bits >> 16 | 0x40;
    return fpu_flush32((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000) >> 16;
}

/* The addend and the result are halves of registers, too: rounded after each product. */
ISA_INST(v_dot2_bf16_bf16)
{
    alignas(64) uint32_t tmp[3][ISA_LANES], result[ISA_LANES];
    const uint32_t *s[3];
    uint32_t *dst = w->vgpr[i->dst.reg];
    const unsigned at = i->op_sel & 8 ? 16 : 0;
    if (i->flags & ISA_F_DPP || i->src[0].mods || i->src[1].mods || i->src[2].mods) {
        isa_stop_unsupported(w, i, "modifiers of pairs");
        return;
    }
    for (unsigned n = 0; n < 3; n++)
        if (!(s[n] = source(w, i, n, tmp[n]))) return;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint32_t sum = s[2][l] >> (i->src[2].sel & 1 ? 16 : 0) & 0xffff;
        for (unsigned k = 0; k < 2; k++)
            sum = rounded(__builtin_fmaf(half(s[0][l], k, false), half(s[1][l], k, false),
                                         half(sum, false, false)));
        result[l] = (dst[l] & ~(0xffffu << at)) | sum << at;
    }
    valu_blend(dst, result, 1, w->exec);
}
