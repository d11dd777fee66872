/* decode_dual.c - formats that few GPUs have: two operations of the vector ALU in one instruction
 * (VOPD), and formats that only programs for graphics use (VINTERP, LDSDIR, EXP).
 *
 * A file of its own because these formats share no field's place with any other format. */
#include "isa/decode.h"

#include <string.h>

/* ---- VOPD ---- */

/* The operands of one operation: register of the result, SRC0 with 9 bits, and VSRC1. A literal
 * that is an operand of its own is the one of the instruction, which both operations share. */
static void dual_operands(isa_decoder_t *d, isa_operand_t *dst, isa_operand_t *src, unsigned vdst,
                          unsigned src0, unsigned vsrc1)
{
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDST:
            isa_decode_vgpr(d, dst, vdst, f->bits, false);
            break;
        case ISA_ROLE_SRC0: isa_decode_source(d, &src[0], src0, f); break;
        case ISA_ROLE_SRC1: isa_decode_vgpr(d, &src[1], vsrc1, f->bits, false); break;
        default: isa_decode_literal(d); break;
        }
    }
}

/* The register of the second result has an even number if that of the first result is odd, and the
 * other way round: its lowest bit is not in the encoding. Waves of 64 lanes have no such
 * instructions. */
void isa_decode_vopd(isa_decoder_t *d)
{
    const uint32_t w = d->words[0], x = d->words[1];
    const unsigned vdst = isa_bits(x, 31, 24);
    const unsigned second = isa_op_by_code(d->arch, ISA_FMT_VOPD, isa_bits(w, 21, 17));
    isa_inst_t *i = d->out;
    d->literal_allowed = true;
    if (d->mask_bits != 32 || second == ISA_OP_NONE) d->bad = true;
    if (d->bad || !isa_decode_row(d, ISA_FMT_VOPD, isa_bits(w, 25, 22))) return;
    dual_operands(d, &i->dst, &i->src[0], vdst, isa_bits(w, 8, 0), isa_bits(w, 16, 9));
    d->row = &isa_table[second];
    dual_operands(d, &i->dst2, &i->src[2], isa_bits(x, 23, 17) << 1 | (~vdst & 1),
                  isa_bits(x, 8, 0), isa_bits(x, 16, 9));
    i->dual_op = (uint16_t)second;
    if (d->literal) i->imm = (int32_t)isa_decode_literal(d);
}

void isa_decode_half(const isa_inst_t *pair, unsigned which, isa_inst_t *half)
{
    const unsigned op = which ? pair->dual_op : pair->op;
    const isa_row_desc_t *row = &isa_table[op];
    const isa_operand_t *from = &pair->src[2 * which];
    isa_operand_t *to = half->src;
    memset((char *)half + sizeof(half->fn), 0, sizeof(*half) - sizeof(half->fn));
    half->pc = pair->pc;
    half->op = (uint16_t)op;
    half->fmt = isa_table[row->body].fmt;
    half->dwords = pair->dwords;
    half->dst = which ? pair->dst2 : pair->dst;
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++) {
        if (f->role == ISA_ROLE_SRC0 || f->role == ISA_ROLE_SRC1)
            *to++ = *from++;
        else if (f->kind == ISA_K_LIT)
            *to++ = (isa_operand_t){.kind = ISA_OPK_CONST,
                                    .reg = ISA_CODE_LITERAL,
                                    .bits = 32,
                                    .k = (uint32_t)pair->imm};
    }
    if (row->reads & ISA_REG_VCC)
        half->src[2] = (isa_operand_t){.kind = ISA_OPK_SGPR, .reg = ISA_CODE_VCC, .bits = 32};
}

/* ---- graphics ---- */

/* imm: the number of exports that may still be outstanding. */
void isa_decode_vinterp(isa_decoder_t *d)
{
    const uint32_t w = d->words[0], x = d->words[1];
    const unsigned code[3] = {isa_bits(x, 8, 0), isa_bits(x, 17, 9), isa_bits(x, 26, 18)};
    const unsigned neg = isa_bits(x, 31, 29), op_sel = isa_bits(w, 14, 11);
    isa_inst_t *i = d->out;
    if (!isa_decode_row(d, ISA_FMT_VINTERP, isa_bits(w, 22, 16))) return;
    i->imm = (int32_t)isa_bits(w, 10, 8);
    i->op_sel = (uint8_t)(d->row->mods & ISA_M_OP_SEL ? op_sel : 0);
    if (isa_bits(w, 15, 15)) i->flags |= ISA_F_CLAMP;
    isa_decode_vgpr(d, &i->dst, isa_bits(w, 7, 0), 32, false);
    for (unsigned k = 0; k < 3; k++) {
        const isa_field_t *f = &d->row->fields[k + 1];
        isa_decode_source(d, &i->src[k], code[k], f);
        if (neg >> k & 1) i->src[k].mods |= ISA_MOD_NEG;
        i->src[k].sel = i->op_sel >> k & 1;
    }
}

/* imm: attribute and channel as encoded, above them the number of vector results that may still be
 * outstanding, and of gfx12 a bit for reads by vector memory. */
void isa_decode_ldsdir(isa_decoder_t *d)
{
    const uint32_t w = d->words[0];
    if (!isa_decode_row(d, ISA_FMT_LDSDIR, isa_bits(w, 21, 20))) return;
    if (d->arch->formats->vflat && isa_bits(w, 22, 22)) d->bad = true;
    d->out->imm =
        (int32_t)(isa_bits(w, 15, 8) | isa_bits(w, 19, 16) << 8 | isa_bits(w, 23, 23) << 12);
    isa_decode_vgpr(d, &d->out->dst, isa_bits(w, 7, 0), 32, false);
}

/* imm: the first dword's fields as encoded. A component that is not enabled is no operand. */
void isa_decode_exp(isa_decoder_t *d)
{
    const uint32_t w = d->words[0], x = d->words[1];
    if (!isa_decode_row(d, ISA_FMT_EXP, 0)) return;
    d->out->imm = (int32_t)isa_bits(w, 13, 0);
    for (unsigned k = 0; k < 4; k++)
        if (w >> k & 1) isa_decode_vgpr(d, &d->out->src[k], x >> 8 * k & 0xff, 32, false);
}
