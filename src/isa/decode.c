/* decode.c - from instruction words to isa_inst_t.
 *
 * The only place that knows where the fields of the encodings are, except for those that only some
 * GPUs have (isa_memory_fields_t). One function per format; which operands an instruction has comes
 * from its table row. No text, no allocation, no state. */
#include "isa/decode.h"

#include <string.h>

enum { SADDR_OFF = 0x7f, SEL_DWORD = 6 };

static bool pick_row(isa_decoder_t *d, isa_fmt_t fmt, unsigned opcode)
{
    unsigned op = isa_op_by_code(d->arch, fmt, opcode);
    d->row = &isa_table[op];
    d->out->op = (uint16_t)op;
    d->out->fmt = (uint8_t)fmt;
    if (op == ISA_OP_NONE) d->bad = true;
    return op != ISA_OP_NONE;
}

static bool is_float(const isa_field_t *f)
{
    return f->type == ISA_T_F16 || f->type == ISA_T_BF16 || f->type == ISA_T_F32 ||
           f->type == ISA_T_F64 || f->type == ISA_T_V2F32 || f->type == ISA_T_V2BF16;
}

static void set_mask(isa_operand_t *o, unsigned sgpr)
{
    o->kind = ISA_OPK_SGPR;
    o->reg = (uint16_t)sgpr;
    o->bits = 64;
}

/* A field that only some GPUs have, of a memory format. */
static bool has_bit(const isa_decoder_t *d, isa_bits_t field)
{
    return isa_bits_of(field, d->words[0] | (uint64_t)d->words[1] << 32);
}

/* Carries and compare masks of the short forms live in VCC. */
static void implicit_vcc(isa_decoder_t *d)
{
    if (d->row->writes & ISA_REG_VCC) set_mask(&d->out->dst2, ISA_CODE_VCC);
    if (d->row->reads & ISA_REG_VCC && d->row->fmt == ISA_FMT_VOP2)
        set_mask(&d->out->src[2], ISA_CODE_VCC);
}

/* An atomic's result is as wide as its data, half of it for a compare-and-swap. */
static unsigned atomic_result_bits(const isa_row_desc_t *row, unsigned data_bits)
{
    return row->mods & ISA_M_CAS ? data_bits / 2 : data_bits;
}

/* ---- scalar formats ---- */

static void scalar_operands(isa_decoder_t *d, unsigned sdst, unsigned ssrc0, unsigned ssrc1)
{
    isa_inst_t *i = d->out;
    d->literal_allowed = true;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_SDST: isa_decode_sgpr(d, &i->dst, sdst, f->bits); break;
        case ISA_ROLE_SRC0: isa_decode_source(d, &i->src[0], ssrc0, f); break;
        case ISA_ROLE_SRC1:
            if (f->kind == ISA_K_IMM)
                i->imm = (int32_t)ssrc1;
            else
                isa_decode_source(d, &i->src[1], ssrc1, f);
            break;
        case ISA_ROLE_IMM: /* s_setreg_imm32_b32 */
            i->src[0].kind = ISA_OPK_CONST;
            i->src[0].reg = 255;
            i->src[0].bits = 32;
            i->src[0].k = isa_decode_literal(d);
            break;
        default: break;
        }
    }
}

static void decode_sop2(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (pick_row(d, ISA_FMT_SOP2, isa_bits(w, 29, 23)))
        scalar_operands(d, isa_bits(w, 22, 16), isa_bits(w, 7, 0), isa_bits(w, 15, 8));
}

static void decode_sopk(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (!pick_row(d, ISA_FMT_SOPK, isa_bits(w, 27, 23))) return;
    d->out->imm = (int16_t)isa_bits(w, 15, 0);
    scalar_operands(d, isa_bits(w, 22, 16), 0, 0);
}

static void decode_sop1(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (pick_row(d, ISA_FMT_SOP1, isa_bits(w, 15, 8)))
        scalar_operands(d, isa_bits(w, 22, 16), isa_bits(w, 7, 0), 0);
}

static void decode_sopc(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (pick_row(d, ISA_FMT_SOPC, isa_bits(w, 22, 16)))
        scalar_operands(d, 0, isa_bits(w, 7, 0), isa_bits(w, 15, 8));
}

static void decode_sopp(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (pick_row(d, ISA_FMT_SOPP, isa_bits(w, 22, 16))) d->out->imm = (int16_t)isa_bits(w, 15, 0);
}

static void decode_smem(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    if (!pick_row(d, ISA_FMT_SMEM, isa_bits(w, 25, 18))) return;
    unsigned sdata = isa_bits(w, 12, 6);
    bool glc = isa_bits(w, 16, 16) && d->row->mods & ISA_M_GLC;
    if (glc) i->flags |= ISA_F_GLC;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_SDST)
            isa_decode_sgpr(d, &i->dst, sdata, f->bits);
        else if (f->role == ISA_ROLE_SBASE)
            isa_decode_sgpr(d, &i->src[0], 2 * isa_bits(w, 5, 0), f->bits);
        else if (f->kind == ISA_K_IMM) /* s_atc_probe: access kinds in place of a register */
            i->src[2] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = 32, .k = sdata};
        else
            isa_decode_sgpr(d, &i->src[2], sdata, f->bits);
    }
    if (d->row->mods & ISA_M_RET && glc) {
        i->dst = i->src[2];
        i->dst.bits = (uint16_t)atomic_result_bits(d->row, i->dst.bits);
    }
    if (!(d->row->mods & ISA_M_SMOFF)) return;
    bool imm = isa_bits(w, 17, 17), soe = isa_bits(w, 14, 14);
    if (imm) {
        i->flags |= ISA_F_IMM;
        i->imm = (int32_t)(x << 11) >> 11;
    }
    if (soe || !imm) {
        i->flags |= ISA_F_SOE;
        isa_decode_sgpr(d, &i->src[1], soe ? isa_bits(x, 31, 25) : isa_bits(x, 6, 0), 32);
    }
}

/* ---- vector ALU ---- */

static void vector_dst(isa_decoder_t *d, unsigned vdst, const isa_field_t *f)
{
    if (f->kind == ISA_K_S)
        isa_decode_sgpr(d, &d->out->dst, vdst, f->bits);
    else
        isa_decode_vgpr(d, &d->out->dst, vdst, f->bits, f->kind == ISA_K_A);
}

/* Operands of the short forms. `src0` has 9 bits; `plain`: it names an operand, not SDWA or DPP. */
static void short_operands(isa_decoder_t *d, unsigned vdst, unsigned src0, bool plain,
                           unsigned vsrc1)
{
    isa_inst_t *i = d->out;
    unsigned next = 0;
    d->literal_allowed = true;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDST: vector_dst(d, vdst, f); break;
        case ISA_ROLE_SRC0:
            if (plain) isa_decode_source(d, &i->src[0], src0, f);
            if (f->kind == ISA_K_A && i->src[0].kind == ISA_OPK_VGPR) i->src[0].kind = ISA_OPK_AGPR;
            next = 1;
            break;
        case ISA_ROLE_SRC1: isa_decode_vgpr(d, &i->src[next++], vsrc1, f->bits, false); break;
        default: /* the literal of v_madmk and v_madak; of a 16-bit one the low half counts */
            i->src[next++] = (isa_operand_t){
                .kind = ISA_OPK_CONST, .reg = 255, .bits = 32, .k = isa_decode_literal(d)};
            break;
        }
    }
    implicit_vcc(d);
}

/* Register, modifiers and select of one SDWA source. */
static void sdwa_source(isa_decoder_t *d, isa_operand_t *o, const isa_field_t *f, unsigned reg,
                        bool scalar, uint32_t sel)
{
    isa_field_t source = *f;
    source.kind = ISA_K_VSC;
    isa_decode_source(d, o, scalar ? reg : 256 + reg, &source);
    o->sel = (uint8_t)isa_bits(sel, 2, 0);
    if (o->sel > SEL_DWORD) d->bad = true;
    if (is_float(f))
        o->mods = (uint8_t)((sel & 1 << 4 ? ISA_MOD_NEG : 0) | (sel & 1 << 5 ? ISA_MOD_ABS : 0));
    else
        o->mods = sel & 1 << 3 ? ISA_MOD_SEXT : 0;
    if (o->sel != SEL_DWORD || o->mods) d->out->flags |= ISA_F_SRCMOD;
}

static void decode_sdwa(isa_decoder_t *d)
{
    isa_inst_t *i = d->out;
    uint32_t x = isa_decode_literal(d);
    const isa_field_t *src0 = isa_field(d->row, ISA_ROLE_SRC0);
    const isa_field_t *src1 = isa_field(d->row, ISA_ROLE_SRC1);
    i->flags |= ISA_F_SDWA;
    if (!(d->row->mods & ISA_M_SDWA)) {
        d->bad = true;
        return;
    }
    if (src0)
        sdwa_source(d, &i->src[0], src0, isa_bits(x, 7, 0), isa_bits(x, 23, 23),
                    isa_bits(x, 21, 16));
    if (src1)
        sdwa_source(d, &i->src[1], src1, i->src[1].reg, isa_bits(x, 31, 31), isa_bits(x, 29, 24));
    if (d->row->fmt == ISA_FMT_VOPC) {
        if (isa_bits(x, 15, 15)) isa_decode_sgpr(d, &i->dst2, isa_bits(x, 14, 8), 64);
        return;
    }
    i->dst_sel = (uint8_t)isa_bits(x, 10, 8);
    i->dst_unused = (uint8_t)isa_bits(x, 12, 11);
    i->omod = d->row->mods & ISA_M_E64_OMOD ? (uint8_t)isa_bits(x, 15, 14) : 0;
    if (i->dst_sel > SEL_DWORD || i->dst_unused > 2) d->bad = true;
    if (i->dst_sel != SEL_DWORD) i->flags |= ISA_F_DSTSEL;
    if (isa_bits(x, 13, 13)) i->flags |= ISA_F_CLAMP;
}

static void dpp_source(isa_decoder_t *d, isa_operand_t *o, const isa_field_t *f, bool neg, bool abs)
{
    if (!f || !is_float(f) || !(neg || abs)) return;
    o->mods = (uint8_t)((neg ? ISA_MOD_NEG : 0) | (abs ? ISA_MOD_ABS : 0));
    d->out->flags |= ISA_F_SRCMOD;
}

static bool has_wide_operand(const isa_row_desc_t *row)
{
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++)
        if (f->bits > 32) return true;
    return false;
}

static void decode_dpp(isa_decoder_t *d)
{
    isa_inst_t *i = d->out;
    uint32_t x = isa_decode_literal(d);
    const isa_field_t *src0 = isa_field(d->row, ISA_ROLE_SRC0);
    i->flags |= ISA_F_DPP;
    const bool newbcast = isa_bits(x, 16, 12) == 0x15;
    if (!(d->row->mods & ISA_M_DPP) ||
        (!d->arch->dpp_newbcast && (newbcast || has_wide_operand(d->row)))) {
        d->bad = true;
        return;
    }
    if (src0) isa_decode_vgpr(d, &i->src[0], isa_bits(x, 7, 0), src0->bits, false);
    i->dpp_ctrl = (uint16_t)isa_bits(x, 16, 8);
    i->dpp_bound = (uint8_t)isa_bits(x, 19, 19);
    i->dpp_masks = (uint8_t)isa_bits(x, 31, 24);
    dpp_source(d, &i->src[0], src0, isa_bits(x, 20, 20), isa_bits(x, 21, 21));
    dpp_source(d, &i->src[1], isa_field(d->row, ISA_ROLE_SRC1), isa_bits(x, 22, 22),
               isa_bits(x, 23, 23));
}

static void decode_short(isa_decoder_t *d, isa_fmt_t fmt, unsigned opcode, unsigned vdst,
                         unsigned vsrc1)
{
    unsigned src0 = isa_bits(d->words[0], 8, 0);
    bool has_src0;
    if (!pick_row(d, fmt, opcode)) return;
    has_src0 = isa_field(d->row, ISA_ROLE_SRC0) || d->row->mods & ISA_M_DPP;
    bool plain = !has_src0 || (src0 != ISA_CODE_SDWA && src0 != ISA_CODE_DPP);
    short_operands(d, vdst, src0, plain, vsrc1);
    if (!plain && src0 == ISA_CODE_SDWA)
        decode_sdwa(d);
    else if (!plain)
        decode_dpp(d);
}

/* ---- VOP3 ---- */

/* Sets those modifiers of source `k` of a VOP3 instruction that the source's type can have. */
static void vop3_mods(isa_decoder_t *d, unsigned k, const isa_field_t *f, unsigned neg,
                      unsigned abs, unsigned op_sel)
{
    isa_operand_t *o = &d->out->src[k];
    uint32_t mods = d->row->mods;
    if (is_float(f) && mods & (ISA_M_NEG | ISA_M_E64_NEG) && neg >> k & 1) o->mods |= ISA_MOD_NEG;
    if (is_float(f) && mods & (ISA_M_ABS | ISA_M_E64_ABS) && abs >> k & 1) o->mods |= ISA_MOD_ABS;
    if (mods & ISA_M_OP_SEL) o->sel = op_sel >> k & 1;
    if (o->mods || o->sel) d->out->flags |= ISA_F_SRCMOD;
}

/* A source in a VOP3 encoding: any register, no literal, whatever the short form allowed. */
static isa_field_t vop3_field(const isa_row_desc_t *row, const isa_field_t *f)
{
    isa_field_t source = *f;
    if (f->kind == ISA_K_VS ||
        (f->kind == ISA_K_V && row->fmt != ISA_FMT_VOP3A && !(row->marks & ISA_IS_SWAPS)))
        source.kind = ISA_K_VSC;
    return source;
}

static void decode_vop3(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    unsigned opcode = isa_bits(w, 25, 16);
    isa_fmt_t fmt = isa_op_by_code(d->arch, ISA_FMT_VOP3B, opcode) ? ISA_FMT_VOP3B : ISA_FMT_VOP3A;
    unsigned code[3] = {isa_bits(x, 8, 0), isa_bits(x, 17, 9), isa_bits(x, 26, 18)};
    unsigned neg = isa_bits(x, 31, 29), abs = 0, op_sel = 0, n_src = 0;
    if (!pick_row(d, fmt, opcode)) return;
    uint32_t mods = d->row->mods;
    i->flags |= ISA_F_VOP3;
    if (fmt == ISA_FMT_VOP3A) {
        abs = isa_bits(w, 10, 8);
        op_sel = mods & ISA_M_OP_SEL ? isa_bits(w, 14, 11) : 0;
        i->op_sel = (uint8_t)op_sel;
        if (op_sel & 8) i->flags |= ISA_F_DSTSEL;
    }
    if (d->row->marks & ISA_IS_TRUTH)
        i->imm = (int32_t)(neg | isa_bits(w, 10, 8) << 3 | isa_bits(x, 28, 27) << 6);
    if (mods & (ISA_M_OMOD | ISA_M_E64_OMOD)) i->omod = (uint8_t)isa_bits(x, 28, 27);
    if (mods & (ISA_M_CLAMP | ISA_M_E64_CLAMP) && isa_bits(w, 15, 15)) i->flags |= ISA_F_CLAMP;

    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST) {
            vector_dst(d, isa_bits(w, 7, 0), f);
        } else if (f->role >= ISA_ROLE_SRC0 && f->role <= ISA_ROLE_SRC2) {
            unsigned k = f->role - ISA_ROLE_SRC0;
            isa_field_t source = vop3_field(d->row, f);
            isa_decode_source(d, &i->src[k], code[k], &source);
            vop3_mods(d, k, f, neg, abs, op_sel);
            n_src = k + 1;
        }
    }
    if (fmt == ISA_FMT_VOP3B)
        isa_decode_sgpr(d, &i->dst2, isa_bits(w, 14, 8), 64);
    else if (d->row->fmt == ISA_FMT_VOPC)
        isa_decode_sgpr(d, &i->dst2, isa_bits(w, 7, 0), 64);
    if (d->row->fmt == ISA_FMT_VOP2 && d->row->reads & ISA_REG_VCC)
        isa_decode_sgpr(d, &i->src[n_src], code[2], 64);
}

/* Bits of a matrix's element in the format that CBSZ or BLGP says: two kinds of 8 bits, two of 6,
 * one of 4; the other numbers stand for nothing. */
static uint16_t element_bits(unsigned format)
{
    return format == 2 || format == 3 ? 6 : format == 4 ? 4 : 8;
}

static void decode_mai(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    unsigned code[3] = {isa_bits(x, 8, 0), isa_bits(x, 17, 9), isa_bits(x, 26, 18)};
    unsigned acc = isa_bits(x, 28, 27);
    uint32_t mods = d->row->mods;
    /* The bit ACC_CD says whether result and addend are AGPRs or VGPRs. Instructions without the
     * bit, and GPUs on which AGPRs have a file of their own, have both in AGPRs. */
    bool acc_cd = !(mods & ISA_M_ACC_CD) || !d->arch->acc_granule || isa_bits(w, 15, 15);

    i->cbsz = mods & ISA_M_CBSZ ? (uint8_t)isa_bits(w, 10, 8) : 0;
    i->abid = mods & ISA_M_ABID ? (uint8_t)isa_bits(w, 14, 11) : 0;
    i->blgp = mods & ISA_M_BLGP ? (uint8_t)isa_bits(x, 31, 29) : 0;
    const unsigned neg = mods & ISA_M_NEG ? isa_bits(x, 31, 29) : 0;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST) {
            isa_decode_vgpr(d, &i->dst, isa_bits(w, 7, 0), f->bits, f->kind == ISA_K_D && acc_cd);
            continue;
        }
        unsigned k = f->role - ISA_ROLE_SRC0;
        isa_operand_t *o = &i->src[k];
        isa_field_t source = *f;
        if (d->row->marks & ISA_IS_FORMATS && k < 2)
            source.bits = (uint16_t)(element_bits(k ? i->blgp : i->cbsz) * f->bits / 8);
        isa_decode_source(d, o, code[k], &source);
        if (neg >> k & 1) o->mods = ISA_MOD_NEG;
        if (f->kind == ISA_K_C && o->kind != ISA_OPK_VGPR && o->kind != ISA_OPK_CONST)
            d->bad = true;
        if (o->kind == ISA_OPK_VGPR &&
            (f->kind == ISA_K_A || (f->kind == ISA_K_AV && acc >> k & 1) ||
             (f->kind == ISA_K_C && acc_cd)))
            o->kind = ISA_OPK_AGPR;
    }
}

/* Whether the row has the operands of matrix instructions, which can be in AGPRs. */
static bool has_acc_operands(const isa_row_desc_t *row)
{
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++)
        if (f->kind == ISA_K_A || f->kind == ISA_K_AV || f->kind == ISA_K_D) return true;
    return false;
}

static void decode_vop3p(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    unsigned opcode = isa_bits(w, 22, 16);
    unsigned code[3] = {isa_bits(x, 8, 0), isa_bits(x, 17, 9), isa_bits(x, 26, 18)};
    unsigned neg = isa_bits(x, 31, 29), neg_hi = isa_bits(w, 10, 8);
    unsigned op_sel = isa_bits(w, 13, 11);
    unsigned op_sel_hi = isa_bits(x, 28, 27) | isa_bits(w, 14, 14) << 2;
    if (!pick_row(d, ISA_FMT_VOP3P, opcode)) return;
    if (has_acc_operands(d->row)) {
        decode_mai(d);
        return;
    }
    bool mix = d->row->mods & ISA_M_NEG; /* halves or floats, not packed pairs */
    i->op_sel = (uint8_t)op_sel;
    if (isa_bits(w, 15, 15)) i->flags |= ISA_F_CLAMP;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST) {
            vector_dst(d, isa_bits(w, 7, 0), f);
            continue;
        }
        unsigned k = f->role - ISA_ROLE_SRC0;
        isa_operand_t *o = &i->src[k];
        isa_field_t source = vop3_field(d->row, f);
        bool high = op_sel_hi >> k & 1;
        if (mix) /* op_sel_hi makes the source a half, else it is a float */
            source.type = high ? ISA_T_F16 : ISA_T_F32;
        isa_decode_source(d, o, code[k], &source);
        o->mods = (uint8_t)((neg >> k & 1 ? ISA_MOD_NEG : 0) | (neg_hi >> k & 1 ? ISA_MOD_ABS : 0));
        o->sel = (uint8_t)((op_sel >> k & 1) | (unsigned)high << 1);
        if (o->mods || o->sel != 2) i->flags |= ISA_F_SRCMOD;
    }
}

/* ---- memory formats ---- */

static void decode_ds(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    bool acc = has_bit(d, d->arch->memory_fields.ds_acc);
    if (!pick_row(d, ISA_FMT_DS, isa_bits(w, 24, 17))) return;
    bool gws = d->row->klass == ISA_CLASS_GWS;
    i->offset0 = (uint8_t)isa_bits(w, 7, 0);
    i->offset1 = (uint8_t)isa_bits(w, 15, 8);
    i->imm = (int32_t)isa_bits(w, 15, 0);
    if (isa_bits(w, 16, 16))
        i->flags |= ISA_F_GDS;
    else if (gws)
        d->bad = true;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDST: isa_decode_vgpr(d, &i->dst, isa_bits(x, 31, 24), f->bits, acc); break;
        case ISA_ROLE_ADDR:
            isa_decode_vgpr(d, &i->src[0], isa_bits(x, 7, 0), f->bits, false);
            break;
        case ISA_ROLE_DATA0: /* GWS keeps its data in the address field */
            isa_decode_vgpr(d, &i->src[1], gws ? isa_bits(x, 7, 0) : isa_bits(x, 15, 8), f->bits,
                            acc);
            break;
        default: isa_decode_vgpr(d, &i->src[2], isa_bits(x, 23, 16), f->bits, acc); break;
        }
    }
}

static void decode_flat(isa_decoder_t *d)
{
    static const uint8_t segments[4] = {ISA_FMT_FLAT, ISA_FMT_SCRATCH, ISA_FMT_GLOBAL,
                                        ISA_FMT_NONE};
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    isa_fmt_t fmt = (isa_fmt_t)segments[isa_bits(w, 15, 14)];
    const isa_memory_fields_t *fields = &d->arch->memory_fields;
    const bool says_vaddr = fmt == ISA_FMT_SCRATCH && fields->scratch_vaddr.bits;
    bool acc = has_bit(d, fields->flat_acc);
    const bool lds = has_bit(d, fields->flat_lds);
    if (!pick_row(d, fmt, isa_bits(w, 24, 18) | (lds ? ISA_CODE_LDS : 0))) return;
    if (isa_bits(w, 16, 16)) i->flags |= ISA_F_GLC;
    if (isa_bits(w, 17, 17)) i->flags |= ISA_F_SLC;
    if (has_bit(d, fields->flat_sc1)) i->flags |= ISA_F_SC1;
    if (isa_bits(w, 13, 13) && !says_vaddr && !lds) d->bad = true;
    if (d->row->mods & ISA_M_LDS) i->flags |= ISA_F_LDS;
    if (fmt == ISA_FMT_FLAT && isa_bits(w, 12, 12))
        d->bad = true; /* flat offsets are not negative */
    i->imm = fmt == ISA_FMT_FLAT ? (int32_t)isa_bits(w, 11, 0) : (int32_t)(w << 19) >> 19;

    unsigned saddr = isa_bits(x, 22, 16);
    bool scalar = d->row->mods & ISA_M_SADDR && saddr != SADDR_OFF;
    if (scalar) {
        i->flags |= ISA_F_SADDR;
        isa_decode_sgpr(d, &i->src[2], saddr, fmt == ISA_FMT_GLOBAL ? 64 : 32);
    }
    bool vector = says_vaddr ? has_bit(d, fields->scratch_vaddr) : !scalar || fmt == ISA_FMT_GLOBAL;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST)
            isa_decode_vgpr(d, &i->dst, isa_bits(x, 31, 24), f->bits, acc);
        else if (f->role == ISA_ROLE_VDATA)
            isa_decode_vgpr(d, &i->src[1], isa_bits(x, 15, 8), f->bits, acc);
        else if (vector)
            isa_decode_vgpr(d, &i->src[0], isa_bits(x, 7, 0), scalar ? 32 : f->bits, false);
    }
    if (d->row->mods & ISA_M_RET && i->flags & ISA_F_GLC)
        isa_decode_vgpr(d, &i->dst, isa_bits(x, 31, 24), atomic_result_bits(d->row, i->src[1].bits),
                        acc);
}

/* What MUBUF and MTBUF have in common: the second dword, offset and address bits. */
static void buffer_operands(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    bool acc = has_bit(d, d->arch->memory_fields.buffer_acc);
    bool load = d->row->klass == ISA_CLASS_VMEM_RD;
    unsigned addr_bits = 0;
    if (has_bit(d, d->arch->memory_fields.buffer_tfe)) d->bad = true;
    i->imm = (int32_t)isa_bits(w, 11, 0);
    if (isa_bits(w, 14, 14)) i->flags |= ISA_F_GLC;
    if (isa_bits(w, 13, 13) && d->row->mods & ISA_M_ADDR) {
        i->flags |= ISA_F_IDXEN;
        addr_bits += 32;
    }
    if (isa_bits(w, 12, 12) && d->row->mods & ISA_M_ADDR) {
        i->flags |= ISA_F_OFFEN;
        addr_bits += 32;
    }
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDATA:
            if (!(i->flags & ISA_F_LDS))
                isa_decode_vgpr(d, load ? &i->dst : &i->src[1], isa_bits(x, 15, 8), f->bits, acc);
            break;
        case ISA_ROLE_VADDR:
            if (addr_bits) isa_decode_vgpr(d, &i->src[0], isa_bits(x, 7, 0), addr_bits, false);
            break;
        case ISA_ROLE_SRSRC:
            isa_decode_sgpr(d, &i->src[2], 4 * isa_bits(x, 20, 16), f->bits);
            break;
        default: isa_decode_source(d, &i->src[3], isa_bits(x, 31, 24), f); break;
        }
    }
    if (d->row->mods & ISA_M_RET && i->flags & ISA_F_GLC) {
        i->dst = i->src[1];
        i->dst.bits = (uint16_t)atomic_result_bits(d->row, i->src[1].bits);
    }
}

static void decode_mubuf(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (!pick_row(d, ISA_FMT_MUBUF, isa_bits(w, 24, 18))) return;
    if (isa_bits(w, 17, 17)) d->out->flags |= ISA_F_SLC;
    if (has_bit(d, d->arch->memory_fields.mubuf_sc1)) d->out->flags |= ISA_F_SC1;
    if (isa_bits(w, 16, 16)) {
        d->out->flags |= ISA_F_LDS;
        if (!(d->row->mods & ISA_M_LDS) && isa_field(d->row, ISA_ROLE_VDATA)) d->bad = true;
    }
    buffer_operands(d);
}

static void decode_mtbuf(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    if (!pick_row(d, ISA_FMT_MTBUF, isa_bits(w, 18, 15))) return;
    if (isa_bits(x, 22, 22)) d->out->flags |= ISA_F_SLC;
    if (has_bit(d, d->arch->memory_fields.mtbuf_sc1)) d->out->flags |= ISA_F_SC1;
    d->out->mtbuf_format = (uint16_t)(isa_bits(w, 22, 19) | isa_bits(w, 25, 23) << 4);
    buffer_operands(d);
}

/* Dwords of the data of an image instruction. Atomic instructions take 32 or 64 bits, a
 * compare-and-swap twice as many. */
static unsigned image_data_dwords(const isa_row_desc_t *row, unsigned image)
{
    const unsigned dmask = image & ISA_IMAGE_DMASK;
    const unsigned n = dmask ? (unsigned)__builtin_popcount(dmask) : 1;
    if (row->mods & ISA_M_CAS) return n == 4 ? 4 : 2;
    if (row->klass == ISA_CLASS_VMEM_AT) return n == 2 ? 2 : 1;
    return image & ISA_IMAGE_D16 ? (n + 1) / 2 : n;
}

/* Dwords of the address for a 1D image, the fewest that the instruction can need: the image's type
 * is in the descriptor, which is not known here. */
static unsigned image_address_dwords(const isa_inst_t *i, const isa_row_desc_t *row)
{
    const unsigned parts =
        1 + (row->marks & ISA_IS_LEVEL ? 1 : 0) + (i->image & ISA_IMAGE_DA ? 1 : 0);
    return i->image & ISA_IMAGE_A16 ? (parts + 1) / 2 : parts;
}

static void decode_mimg(isa_decoder_t *d)
{
    enum { DMASK_LOW = 8, UNORM = 12, GLC, DA, A16, LWE = 17, SLC = 25 };
    static const struct {
        uint8_t bit;
        uint16_t image;
    } bits[] = {
        {UNORM, ISA_IMAGE_UNORM}, {DA, ISA_IMAGE_DA}, {A16, ISA_IMAGE_A16}, {LWE, ISA_IMAGE_LWE}};
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    if (!pick_row(d, ISA_FMT_MIMG, isa_bits(w, 24, 18))) return;
    const bool acc = has_bit(d, d->arch->memory_fields.image_acc);
    const bool load = d->row->klass == ISA_CLASS_VMEM_RD;
    if (w >> GLC & 1) i->flags |= ISA_F_GLC;
    if (w >> SLC & 1) i->flags |= ISA_F_SLC;
    i->image = w >> DMASK_LOW & ISA_IMAGE_DMASK;
    for (unsigned k = 0; k < sizeof bits / sizeof *bits; k++)
        if (w >> bits[k].bit & 1) i->image |= bits[k].image;
    if (x >> 31) i->image |= ISA_IMAGE_D16;
    if (has_bit(d, d->arch->memory_fields.image_tfe)) d->bad = true;
    if (x >> 31 && (d->row->klass == ISA_CLASS_VMEM_AT || d->row->marks & ISA_IS_RAW))
        d->bad = true; /* D16 asks for a conversion, which these do not make */
    const unsigned data_bits = 32 * image_data_dwords(d->row, i->image);
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDATA:
            isa_decode_vgpr(d, load ? &i->dst : &i->src[1], isa_bits(x, 15, 8), data_bits, acc);
            break;
        case ISA_ROLE_VADDR:
            isa_decode_vgpr(d, &i->src[0], isa_bits(x, 7, 0), 32 * image_address_dwords(i, d->row),
                            false);
            break;
        case ISA_ROLE_SRSRC:
            isa_decode_sgpr(d, &i->src[2], 4 * isa_bits(x, 20, 16), f->bits);
            break;
        default: isa_decode_sgpr(d, &i->src[3], 4 * isa_bits(x, 25, 21), f->bits); break;
        }
    }
    if (d->row->mods & ISA_M_RET && i->flags & ISA_F_GLC) {
        i->dst = i->src[1];
        i->dst.bits = (uint16_t)atomic_result_bits(d->row, i->src[1].bits);
    }
}

/* ---- telling formats apart ---- */

static void decode_vector_short(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    unsigned vdst = isa_bits(w, 24, 17), vsrc1 = isa_bits(w, 16, 9);
    if (w >> 25 == 0x3e)
        decode_short(d, ISA_FMT_VOPC, vdst, 0, vsrc1);
    else if (w >> 25 == 0x3f)
        decode_short(d, ISA_FMT_VOP1, vsrc1, vdst, 0);
    else
        decode_short(d, ISA_FMT_VOP2, isa_bits(w, 30, 25), vdst, vsrc1);
}

static void decode_scalar_alu(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    switch (w >> 23) {
    case 0x17d: decode_sop1(d); return;
    case 0x17e: decode_sopc(d); return;
    case 0x17f: decode_sopp(d); return;
    default:
        if (w >> 28 == 0xb)
            decode_sopk(d);
        else
            decode_sop2(d);
    }
}

/* Decoders of the two-dword formats by the top six bits. */
static void decode_long(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    d->size = 2;
    if (d->n < 2) return;
    switch (w >> 26) {
    case 0x30: decode_smem(d); break;
    case 0x34:
        if (w >> 23 == 0x1a7)
            decode_vop3p(d);
        else
            decode_vop3(d);
        break;
    case 0x36: decode_ds(d); break;
    case 0x37: decode_flat(d); break;
    case 0x38: decode_mubuf(d); break;
    case 0x3a: decode_mtbuf(d); break;
    case 0x3c: decode_mimg(d); break;
    default: d->bad = true;
    }
}

int isa_decode(const isa_arch_t *arch, const uint32_t *words, unsigned n, isa_inst_t *out)
{
    isa_decoder_t d = {.arch = arch, .words = words, .n = n, .size = 1, .out = out};
    if (n == 0) return -1;
    memset((char *)out + sizeof(out->fn), 0, sizeof(*out) - sizeof(out->fn));
    uint32_t w = words[0];
    if (!(w >> 31))
        decode_vector_short(&d);
    else if (w >> 30 == 2)
        decode_scalar_alu(&d);
    else
        decode_long(&d);
    if (d.bad) return 0;
    if (d.size > n) return -1;
    out->dwords = (uint8_t)d.size;
    return (int)d.size;
}
