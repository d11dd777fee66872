/* decode.c - from instruction words to isa_inst_t.
 *
 * This file has the places of the encodings' fields, except for fields that only some GPUs have
 * (isa_memory_fields_t) or whose place differs between families (isa_formats_t), and for the
 * formats in the other files of the decoder (decode.h). There is one function per format; the
 * operands of an instruction come from its table row. The decoder allocates nothing and has no
 * state. */
#include "isa/decode.h"

#include <string.h>

bool isa_decode_row(isa_decoder_t *d, isa_fmt_t fmt, unsigned opcode)
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

static void set_mask(const isa_decoder_t *d, isa_operand_t *o, unsigned sgpr)
{
    o->kind = ISA_OPK_SGPR;
    o->reg = (uint16_t)sgpr;
    o->bits = (uint16_t)d->mask_bits;
}

/* Carries and compare masks of the short forms are in VCC, those of v_cmpx only in EXEC. */
static void implicit_masks(isa_decoder_t *d)
{
    if (d->row->writes & ISA_REG_VCC)
        set_mask(d, &d->out->dst2, ISA_CODE_VCC);
    else if (d->row->writes & ISA_REG_EXEC && d->row->fmt == ISA_FMT_VOPC)
        set_mask(d, &d->out->dst2, ISA_CODE_EXEC);
    if (d->row->reads & ISA_REG_VCC && d->row->fmt == ISA_FMT_VOP2)
        set_mask(d, &d->out->src[2], ISA_CODE_VCC);
}

/* ---- scalar formats ---- */

static void scalar_operands(isa_decoder_t *d, unsigned sdst, unsigned ssrc0, unsigned ssrc1)
{
    isa_inst_t *i = d->out;
    isa_operand_t *next = i->src;
    d->literal_allowed = true;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_SDST: isa_decode_sgpr(d, &i->dst, sdst, f->bits); break;
        case ISA_ROLE_SRC0:
            if (f->kind == ISA_K_RTNMSG)
                i->imm = (int32_t)ssrc0;
            else
                isa_decode_source(d, next++, ssrc0, f);
            break;
        case ISA_ROLE_SRC1:
            if (f->kind == ISA_K_IMM)
                i->imm = (int32_t)ssrc1;
            else
                isa_decode_source(d, next++, ssrc1, f);
            break;
        case ISA_ROLE_IMM: /* the literal is a source of its own */
            *next++ = (isa_operand_t){.kind = ISA_OPK_CONST,
                                      .reg = ISA_CODE_LITERAL,
                                      .bits = 32,
                                      .k = isa_decode_literal(d)};
            break;
        default: break;
        }
    }
}

static void decode_sop2(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (isa_decode_row(d, ISA_FMT_SOP2, isa_bits(w, 29, 23)))
        scalar_operands(d, isa_bits(w, 22, 16), isa_bits(w, 7, 0), isa_bits(w, 15, 8));
}

static void decode_sopk(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (!isa_decode_row(d, ISA_FMT_SOPK, isa_bits(w, 27, 23))) return;
    d->out->imm = (int16_t)isa_bits(w, 15, 0);
    scalar_operands(d, isa_bits(w, 22, 16), 0, 0);
}

static void decode_sop1(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (isa_decode_row(d, ISA_FMT_SOP1, isa_bits(w, 15, 8)))
        scalar_operands(d, isa_bits(w, 22, 16), isa_bits(w, 7, 0), 0);
}

static void decode_sopc(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (isa_decode_row(d, ISA_FMT_SOPC, isa_bits(w, 22, 16)))
        scalar_operands(d, 0, isa_bits(w, 7, 0), isa_bits(w, 15, 8));
}

static void decode_sopp(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    if (isa_decode_row(d, ISA_FMT_SOPP, isa_bits(w, 22, 16)))
        d->out->imm = (int16_t)isa_bits(w, 15, 0);
}

/* Either two bits say whether there are an immediate and a register, or both are always present,
 * with NULL for no register. */
static void smem_offset(isa_decoder_t *d)
{
    const uint32_t w = d->words[0], x = d->words[1];
    const bool null = d->arch->formats->has_null;
    const isa_formats_t *formats = d->arch->formats;
    const bool imm = null || isa_bits_get(formats->smem_imm, w),
               soe = null || isa_bits_get(formats->smem_soe, w);
    isa_inst_t *i = d->out;
    if (imm) {
        i->flags |= ISA_F_IMM;
        const unsigned above = 32u - formats->smem_offset;
        i->imm = (int32_t)(x << above) >> above;
    }
    const unsigned soffset = soe ? isa_bits(x, 31, 25) : isa_bits(x, 6, 0);
    if ((imm && !soe) || (null && isa_scalar_code(d->arch, soffset) == ISA_CODE_NULL)) return;
    i->flags |= ISA_F_SOE;
    isa_decode_sgpr(d, &i->src[1], soffset, 32);
}

static void decode_smem(isa_decoder_t *d)
{
    uint32_t w = d->words[0];
    isa_inst_t *i = d->out;
    const isa_formats_t *formats = d->arch->formats;
    if (!isa_decode_row(d, ISA_FMT_SMEM, isa_bits_get(formats->smem_op, w))) return;
    if (isa_bits_get(formats->smem_zero, w)) d->bad = true;
    unsigned sdata = isa_bits(w, 12, 6);
    bool glc = isa_bits_get(formats->smem_glc, w) && d->row->mods & ISA_M_GLC;
    if (d->row->mods & ISA_M_GLC) i->policy = (uint8_t)isa_bits_get(formats->smem_policy, w);
    if (glc) i->flags |= ISA_F_GLC;
    if (d->row->mods & ISA_M_GLC && isa_decode_bit(d, d->arch->memory_fields.smem_sc1))
        i->flags |= ISA_F_SC1;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_SDST)
            isa_decode_sgpr(d, &i->dst, sdata, f->bits);
        else if (f->role == ISA_ROLE_SBASE)
            isa_decode_sgpr(d, &i->src[0], 2 * isa_bits(w, 5, 0), f->bits);
        else if (f->kind == ISA_K_IMM) /* access kinds or a length instead of a register */
            i->src[2] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = 32, .k = sdata};
        else
            isa_decode_sgpr(d, &i->src[2], sdata, f->bits);
    }
    if (d->row->mods & ISA_M_RET && glc) {
        i->dst = i->src[2];
        i->dst.bits = (uint16_t)isa_decode_result_bits(d->row, i->dst.bits);
    }
    if (d->row->mods & ISA_M_SMOFF) smem_offset(d);
}

/* ---- vector ALU ---- */

static bool is_half(const isa_field_t *f)
{
    return f->type == ISA_T_B16 || f->type == ISA_T_F16 || f->type == ISA_T_BF16;
}

/* If short forms name halves of VGPRs, the highest bit of the number selects the half. */
static bool high_half(const isa_decoder_t *d, isa_operand_t *o, const isa_field_t *f)
{
    enum { HIGH = 128 };
    if (!d->arch->formats->halves || o->kind != ISA_OPK_VGPR || !is_half(f)) return false;
    const bool high = o->reg & HIGH;
    o->reg &= HIGH - 1;
    return high;
}

static void half_source(isa_decoder_t *d, isa_operand_t *o, const isa_field_t *f)
{
    if (!high_half(d, o, f)) return;
    o->sel = 1;
    d->out->flags |= ISA_F_SRCMOD;
}

static void half_dst(isa_decoder_t *d, const isa_field_t *f)
{
    if (!high_half(d, &d->out->dst, f)) return;
    d->out->op_sel = 8;
    d->out->flags |= ISA_F_DSTSEL;
}

/* Whether the result may be one half of its register, whose other half it leaves as it is. Rows of
 * GPUs whose short forms name halves have the type of the result, too. Those of gfx10 have types of
 * sources alone: an instruction with a result of 16 bits has a source of 16 bits there, or is a
 * conversion. */
static bool may_be_half(const isa_decoder_t *d, const isa_field_t *dst)
{
    if (!d->arch->formats->keeps_halves) return false;
    if (d->arch->formats->halves) return is_half(dst);
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role; f++)
        if (is_half(f)) return true;
    return d->row->math.kind == ISA_MATH_CVT;
}

static void vector_dst(isa_decoder_t *d, unsigned vdst, const isa_field_t *f)
{
    if (f->kind == ISA_K_S)
        isa_decode_sgpr(d, &d->out->dst, vdst, f->bits);
    else
        isa_decode_vgpr(d, &d->out->dst, vdst, f->bits, f->kind == ISA_K_A);
    if (may_be_half(d, f)) d->out->dst.mods = ISA_MOD_KEEP;
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
        case ISA_ROLE_VDST:
            vector_dst(d, vdst, f);
            half_dst(d, f);
            break;
        case ISA_ROLE_SRC0:
            if (plain) isa_decode_source(d, &i->src[0], src0, f);
            half_source(d, &i->src[0], f);
            if (f->kind == ISA_K_A && i->src[0].kind == ISA_OPK_VGPR) i->src[0].kind = ISA_OPK_AGPR;
            next = 1;
            break;
        case ISA_ROLE_SRC1:
            isa_decode_vgpr(d, &i->src[next], vsrc1, f->bits, false);
            half_source(d, &i->src[next++], f);
            break;
        default: /* the literal of v_madmk and v_madak; a 16-bit one is its low half */
            i->src[next++] = (isa_operand_t){
                .kind = ISA_OPK_CONST, .reg = 255, .bits = 32, .k = isa_decode_literal(d)};
            break;
        }
    }
    implicit_masks(d);
}

/* Register, modifiers and select of one SDWA source. */
static void sdwa_source(isa_decoder_t *d, isa_operand_t *o, const isa_field_t *f, unsigned reg,
                        bool scalar, uint32_t sel)
{
    isa_field_t source = *f;
    source.kind = ISA_K_VSC;
    isa_decode_source(d, o, scalar ? reg : 256 + reg, &source);
    o->sel = (uint8_t)isa_bits(sel, 2, 0);
    if (o->sel > ISA_SEL_DWORD) d->bad = true;
    if (is_float(f))
        o->mods = (uint8_t)((sel & 1 << 4 ? ISA_MOD_NEG : 0) | (sel & 1 << 5 ? ISA_MOD_ABS : 0));
    else
        o->mods = sel & 1 << 3 ? ISA_MOD_SEXT : 0;
    if (o->sel != ISA_SEL_DWORD || o->mods) d->out->flags |= ISA_F_SRCMOD;
}

static void set_omod(isa_inst_t *i, unsigned omod)
{
    i->omod = (uint8_t)omod;
    if (omod) i->flags |= ISA_F_OMOD;
}

static void decode_sdwa(isa_decoder_t *d)
{
    isa_inst_t *i = d->out;
    uint32_t x = isa_decode_next(d);
    const isa_field_t *src0 = isa_field(d->row, ISA_ROLE_SRC0);
    const isa_field_t *src1 = isa_field(d->row, ISA_ROLE_SRC1);
    i->flags |= ISA_F_SDWA;
    if (!(d->row->mods & ISA_M_SDWA) || !d->arch->formats->sdwa) {
        d->bad = true;
        return;
    }
    if (src0)
        sdwa_source(d, &i->src[0], src0, isa_bits(x, 7, 0), isa_bits(x, 23, 23),
                    isa_bits(x, 21, 16));
    if (src1)
        sdwa_source(d, &i->src[1], src1, i->src[1].reg, isa_bits(x, 31, 31), isa_bits(x, 29, 24));
    if (d->row->fmt == ISA_FMT_VOPC) {
        if (isa_bits(x, 15, 15) && d->row->writes & ISA_REG_VCC)
            isa_decode_sgpr(d, &i->dst2, isa_bits(x, 14, 8), d->mask_bits);
        return;
    }
    i->dst_sel = (uint8_t)isa_bits(x, 10, 8);
    i->dst_unused = (uint8_t)isa_bits(x, 12, 11);
    if (d->row->mods & ISA_M_E64_OMOD) set_omod(i, isa_bits(x, 15, 14));
    if (i->dst_sel > ISA_SEL_DWORD || i->dst_unused > ISA_UNUSED_KEEP) d->bad = true;
    if (i->dst_sel != ISA_SEL_DWORD) i->flags |= ISA_F_DSTSEL;
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

/* Whether DPP16 of this GPU has the control, or at least the assembler has a text for it. */
static bool takes_dpp(const isa_decoder_t *d, unsigned control)
{
    if (d->arch->formats->old_dpp)
        return d->arch->dpp_newbcast || (control >> 4 != 0x15 && !has_wide_operand(d->row));
    const bool across = control >> 4 == 0x13 || control == 0x142 || control == 0x143;
    return !has_wide_operand(d->row) && !across;
}

static bool has_dpp(const isa_decoder_t *d)
{
    return d->row->mods & ISA_M_DPP ||
           (d->arch->formats->vop3_dpp && d->row->fmt == ISA_FMT_VOPC && !has_wide_operand(d->row));
}

static void dpp_register(isa_decoder_t *d, const isa_field_t *src0, unsigned reg)
{
    isa_operand_t *o = &d->out->src[0];
    if (!src0) return;
    isa_decode_vgpr(d, o, reg, src0->bits, false);
    if (!(d->out->flags & ISA_F_VOP3)) half_source(d, o, src0);
}

static bool has_own_modifiers(const isa_inst_t *i)
{
    return i->flags & ISA_F_VOP3 || i->fmt == ISA_FMT_VOP3P;
}

static void decode_dpp8(isa_decoder_t *d, bool fi)
{
    isa_inst_t *i = d->out;
    const uint32_t x = isa_decode_next(d);
    const isa_field_t *src0 = isa_field(d->row, ISA_ROLE_SRC0);
    i->flags |= ISA_F_DPP | ISA_F_DPP8 | (fi ? ISA_F_FI : 0);
    i->imm = (int32_t)(x >> 8);
    if (!has_dpp(d) || has_wide_operand(d->row)) d->bad = true;
    dpp_register(d, src0, isa_bits(x, 7, 0));
}

static void decode_dpp(isa_decoder_t *d)
{
    isa_inst_t *i = d->out;
    uint32_t x = isa_decode_next(d);
    const isa_field_t *src0 = isa_field(d->row, ISA_ROLE_SRC0);
    i->flags |= ISA_F_DPP;
    if (!has_dpp(d) || !takes_dpp(d, isa_bits(x, 16, 8))) {
        d->bad = true;
        return;
    }
    dpp_register(d, src0, isa_bits(x, 7, 0));
    if (d->arch->formats->dpp8 && isa_bits(x, 18, 18)) i->flags |= ISA_F_FI;
    i->dpp_ctrl = (uint16_t)isa_bits(x, 16, 8);
    i->dpp_bound = (uint8_t)isa_bits(x, 19, 19);
    i->dpp_masks = (uint8_t)isa_bits(x, 31, 24);
    if (has_own_modifiers(i)) return;
    dpp_source(d, &i->src[0], src0, isa_bits(x, 20, 20), isa_bits(x, 21, 21));
    dpp_source(d, &i->src[1], isa_field(d->row, ISA_ROLE_SRC1), isa_bits(x, 22, 22),
               isa_bits(x, 23, 23));
}

/* Whether SRC0 says that the next dword has the source, with DPP8 or DPP16. */
static bool is_dpp(const isa_decoder_t *d, unsigned src0)
{
    return src0 == ISA_CODE_DPP ||
           (d->arch->formats->dpp8 && (src0 == ISA_CODE_DPP8 || src0 == ISA_CODE_DPP8_FI));
}

/* Decodes DPP8 or DPP16. In VOP3 of some GPUs the second source has to be a VGPR, too. */
static void decode_any_dpp(isa_decoder_t *d, unsigned src0)
{
    const uint8_t second = d->out->src[1].kind;
    if (has_own_modifiers(d->out) && second != ISA_OPK_NONE && second != ISA_OPK_VGPR &&
        !d->arch->dpp_scalar)
        d->bad = true;
    if (src0 == ISA_CODE_DPP)
        decode_dpp(d);
    else
        decode_dpp8(d, src0 == ISA_CODE_DPP8_FI);
}

static void decode_short(isa_decoder_t *d, isa_fmt_t fmt, unsigned opcode, unsigned vdst,
                         unsigned vsrc1)
{
    unsigned src0 = isa_bits(d->words[0], 8, 0);
    bool has_src0;
    if (!isa_decode_row(d, fmt, opcode)) return;
    has_src0 = isa_field(d->row, ISA_ROLE_SRC0) || d->row->mods & ISA_M_DPP;
    bool plain = !has_src0 || (src0 != ISA_CODE_SDWA && !is_dpp(d, src0));
    short_operands(d, vdst, src0, plain, vsrc1);
    if (plain) return;
    if (src0 == ISA_CODE_SDWA)
        decode_sdwa(d);
    else
        decode_any_dpp(d, src0);
}

/* ---- VOP3 ---- */

/* Sets those modifiers of source `k` of a VOP3 instruction that the source's type can have. */
static void vop3_mods(isa_decoder_t *d, unsigned k, const isa_field_t *f, unsigned neg,
                      unsigned abs, unsigned op_sel)
{
    isa_operand_t *o = &d->out->src[k];
    uint32_t mods = d->row->mods;
    const bool signs = is_float(f) || f->type == ISA_T_V2F16;
    if (signs && mods & (ISA_M_NEG | ISA_M_E64_NEG) && neg >> k & 1) o->mods |= ISA_MOD_NEG;
    if (signs && mods & (ISA_M_ABS | ISA_M_E64_ABS) && abs >> k & 1) o->mods |= ISA_MOD_ABS;
    if (mods & ISA_M_OP_SEL) o->sel = op_sel >> k & 1;
    if (o->mods || o->sel) d->out->flags |= ISA_F_SRCMOD;
}

/* The field of a source in a VOP3 encoding: any register, whatever the short form allows, and a
 * literal if the GPU has these. */
static isa_field_t vop3_field(const isa_decoder_t *d, const isa_field_t *f)
{
    const isa_row_desc_t *row = d->row;
    isa_field_t source = *f;
    if (f->kind == ISA_K_VS || f->kind == ISA_K_VSC ||
        (f->kind == ISA_K_V && row->fmt != ISA_FMT_VOP3A && row->fmt != ISA_FMT_VOP3P &&
         f->role != ISA_ROLE_SRC0))
        source.kind = d->arch->formats->vop3_literal ? ISA_K_VS : ISA_K_VSC;
    return source;
}

/* Whether the third source of VOP3, if it is a scalar register, is a set of lanes. */
static bool is_mask(const isa_field_t *f)
{
    return f->kind == ISA_K_S && f->role == ISA_ROLE_SRC2;
}

/* The sources that are pairs of halves, so that VOP3 does not select a half: bit n is source n. */
static unsigned pairs(const isa_row_desc_t *row)
{
    unsigned found = 0;
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++)
        if (f->role >= ISA_ROLE_SRC0 && f->role <= ISA_ROLE_SRC2 &&
            (f->type == ISA_T_V2F16 || f->type == ISA_T_V2BF16))
            found |= 1u << (f->role - ISA_ROLE_SRC0);
    return found;
}

/* Whether OP_SEL selects the byte of the source that is read, with its bits in reverse order. */
static bool names_source_byte(const isa_decoder_t *d)
{
    return d->arch->formats->bytes_swapped && d->row->marks & ISA_IS_BYTE_SEL &&
           !(d->row->marks & ISA_IS_TIED);
}

static void decode_vop3(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    unsigned opcode = isa_bits(w, 25, 16);
    isa_fmt_t fmt = isa_op_by_code(d->arch, ISA_FMT_VOP3B, opcode) ? ISA_FMT_VOP3B : ISA_FMT_VOP3A;
    unsigned code[3] = {isa_bits(x, 8, 0), isa_bits(x, 17, 9), isa_bits(x, 26, 18)};
    unsigned neg = isa_bits(x, 31, 29), abs = 0, op_sel = 0, n_src = 0;
    if (!isa_decode_row(d, fmt, opcode)) return;
    uint32_t mods = d->row->mods;
    const bool dpp = d->arch->formats->vop3_dpp && is_dpp(d, code[0]);
    d->literal_allowed = d->arch->formats->vop3_literal && !dpp;
    i->flags |= ISA_F_VOP3;
    if (fmt == ISA_FMT_VOP3A) {
        abs = isa_bits(w, 10, 8);
        op_sel = mods & ISA_M_OP_SEL ? isa_bits(w, 14, 11) : 0;
        if (d->row->marks & ISA_IS_ONE_LANE) op_sel &= 3;
        if (names_source_byte(d)) op_sel = (op_sel & 1) << 1 | (op_sel >> 1 & 1);
        op_sel &= ~pairs(d->row);
        i->op_sel = (uint8_t)op_sel;
        if (op_sel & 8) i->flags |= ISA_F_DSTSEL;
    }
    if (d->row->marks & ISA_IS_TRUTH)
        i->imm = (int32_t)(neg | isa_bits(w, 10, 8) << 3 | isa_bits(x, 28, 27) << 6);
    if (mods & (ISA_M_OMOD | ISA_M_E64_OMOD)) set_omod(i, isa_bits(x, 28, 27));
    if (mods & (ISA_M_CLAMP | ISA_M_E64_CLAMP) && isa_bits(w, 15, 15)) i->flags |= ISA_F_CLAMP;

    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST) {
            vector_dst(d, isa_bits(w, 7, 0), f);
        } else if (f->role >= ISA_ROLE_SRC0 && f->role <= ISA_ROLE_SRC2) {
            unsigned k = f->role - ISA_ROLE_SRC0;
            isa_field_t source = vop3_field(d, f);
            if (is_mask(f))
                isa_decode_sgpr(d, &i->src[k], code[k], d->mask_bits);
            else if (k || !dpp)
                isa_decode_source(d, &i->src[k], code[k], &source);
            vop3_mods(d, k, f, neg, abs, op_sel);
            n_src = k + 1;
        }
    }
    if (dpp) decode_any_dpp(d, code[0]);
    if (fmt == ISA_FMT_VOP3B)
        isa_decode_sgpr(d, &i->dst2, isa_bits(w, 14, 8), d->mask_bits);
    else if (d->row->fmt == ISA_FMT_VOPC && d->row->writes & ISA_REG_VCC)
        isa_decode_sgpr(d, &i->dst2, isa_bits(w, 7, 0), d->mask_bits);
    else if (d->row->fmt == ISA_FMT_VOPC)
        set_mask(d, &i->dst2, ISA_CODE_EXEC);
    if (d->row->fmt == ISA_FMT_VOP2 && d->row->reads & ISA_REG_VCC)
        isa_decode_sgpr(d, &i->src[n_src], code[2], d->mask_bits);
}

/* Bits of a matrix's element in the format that CBSZ or BLGP selects: two formats of 8 bits, two of
 * 6, one of 4; other numbers are invalid. */
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

/* The bits of a register operand of a matrix that is spread over all lanes of the wave: waves of 64
 * lanes hold it in half as many registers as waves of 32. */
static uint16_t spread_bits(const isa_decoder_t *d, const isa_field_t *f)
{
    const unsigned bits = f->bits * 32u / d->mask_bits;
    return (uint16_t)(bits < 32 ? 32 : bits);
}

/* Whether source k is such a matrix. */
static bool is_spread(const isa_row_desc_t *row, unsigned k)
{
    return row->marks & (k < 2 ? ISA_IS_SPREAD_ALL : ISA_IS_SPREAD) && row->klass == ISA_CLASS_MFMA;
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
    if (!isa_decode_row(d, ISA_FMT_VOP3P, opcode)) return;
    if (has_acc_operands(d->row)) {
        decode_mai(d);
        return;
    }
    const bool dpp = d->arch->formats->vop3_dpp && is_dpp(d, code[0]);
    d->literal_allowed = d->arch->formats->vop3_literal && !dpp;
    bool mix = d->row->mods & ISA_M_NEG; /* halves or floats, not packed pairs */
    i->op_sel = (uint8_t)op_sel;
    if (isa_bits(w, 15, 15)) i->flags |= ISA_F_CLAMP;
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        if (f->role == ISA_ROLE_VDST) {
            vector_dst(d, isa_bits(w, 7, 0), f);
            if (d->row->marks & ISA_IS_SPREAD) i->dst.bits = spread_bits(d, f);
            continue;
        }
        unsigned k = f->role - ISA_ROLE_SRC0;
        isa_operand_t *o = &i->src[k];
        isa_field_t source = vop3_field(d, f);
        bool high = op_sel_hi >> k & 1;
        if (mix) /* op_sel_hi makes the source a half, else it is a float */
            source.type = high ? ISA_T_F16 : ISA_T_F32;
        if (is_spread(d->row, k)) source.bits = spread_bits(d, f);
        if (k || !dpp) isa_decode_source(d, o, code[k], &source);
        o->mods = (uint8_t)((neg >> k & 1 ? ISA_MOD_NEG : 0) | (neg_hi >> k & 1 ? ISA_MOD_ABS : 0));
        o->sel = (uint8_t)((op_sel >> k & 1) | (unsigned)high << 1);
        if (o->mods || o->sel != 2) i->flags |= ISA_F_SRCMOD;
    }
    if (dpp) decode_any_dpp(d, code[0]);
}

/* ---- selection of the format ---- */

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

static bool is_wide(const isa_formats_t *formats, unsigned top)
{
    return formats->vflat && (top == formats->vflat || top == formats->vbuffer ||
                              top == formats->vimage || top == formats->vsample);
}

/* Memory encodings of three dwords. */
static void decode_wide(isa_decoder_t *d)
{
    const isa_formats_t *formats = d->arch->formats;
    const unsigned top = d->words[0] >> 26;
    if (top == formats->vflat)
        isa_decode_vflat(d);
    else if (top == formats->vbuffer)
        isa_decode_vbuffer(d);
    else
        isa_decode_vimage(d, top == formats->vsample);
}

/* Decoders of the two-dword formats by the top six bits. */
static void decode_long(isa_decoder_t *d)
{
    const uint32_t w = d->words[0];
    const isa_formats_t *formats = d->arch->formats;
    if (formats->ldsdir && w >> 24 == formats->ldsdir) { /* the only format here with one dword */
        isa_decode_ldsdir(d);
        return;
    }
    const bool wide = is_wide(formats, w >> 26);
    d->size = wide ? 3 : 2;
    if (d->n < d->size) return;
    if (wide) {
        decode_wide(d);
        return;
    }
    if (w >> 26 == formats->smem) {
        decode_smem(d);
        return;
    }
    if (w >> 23 == formats->vop3p) {
        decode_vop3p(d);
        return;
    }
    if (w >> 26 == formats->vop3) {
        decode_vop3(d);
        return;
    }
    if (formats->vopd && w >> 26 == formats->vopd) {
        isa_decode_vopd(d);
        return;
    }
    if (formats->vinterp && w >> 24 == formats->vinterp) {
        isa_decode_vinterp(d);
        return;
    }
    if (formats->exp && w >> 26 == formats->exp) {
        isa_decode_exp(d);
        return;
    }
    if (formats->vflat && w >> 26 != 0x36) {
        d->bad = true;
        return;
    }
    switch (w >> 26) {
    case 0x36: isa_decode_ds(d); break;
    case 0x37: isa_decode_flat(d); break;
    case 0x38: isa_decode_mubuf(d); break;
    case 0x3a: isa_decode_mtbuf(d); break;
    case 0x3c: isa_decode_mimg(d); break;
    default: d->bad = true;
    }
}

int isa_decode(const isa_arch_t *arch, const uint32_t *words, unsigned n, isa_inst_t *out)
{
    return isa_decode_lanes(arch, arch->lanes, words, n, out);
}

int isa_decode_lanes(const isa_arch_t *arch, unsigned lanes, const uint32_t *words, unsigned n,
                     isa_inst_t *out)
{
    isa_decoder_t d = {
        .arch = arch, .words = words, .n = n, .size = 1, .mask_bits = lanes, .out = out};
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
