/* decode_operand.c - converts operand codes to operands.
 *
 * This file has the registers, inline constants and literals of all formats. Constants are widened
 * here and nowhere else: handlers use isa_operand_t.k unchanged. */
#include "isa/decode.h"

/* The values of the codes from ISA_CODE_FLOAT_FIRST on. */
static const struct {
    uint16_t f16;
    uint32_t f32;
    uint64_t f64;
} floats[] = {
    {0x3800, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf000000, 0xbfe0000000000000},
    {0x3c00, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
    {0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc0000000, 0xc000000000000000},
    {0x4400, 0x40800000, 0x4010000000000000}, {0xc400, 0xc0800000, 0xc010000000000000},
    {0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

static uint64_t inline_float(unsigned code, isa_type_t type, unsigned bits)
{
    unsigned k = code - ISA_CODE_FLOAT_FIRST;
    switch (type) {
    case ISA_T_F16:
    case ISA_T_V2F16: /* low half only */ return floats[k].f16;
    case ISA_T_BF16:
    case ISA_T_V2BF16: return floats[k].f32 >> 16;
    case ISA_T_V2F32:
    case ISA_T_V2B32: /* either dword */ return floats[k].f32 | (uint64_t)floats[k].f32 << 32;
    case ISA_T_B16:
    case ISA_T_V2B16: /* integer operations use the bits of the single-precision number */
    case ISA_T_F32: return floats[k].f32;
    case ISA_T_F64:
    case ISA_T_I64: return floats[k].f64;
    case ISA_T_BITS: break;
    }
    return bits == 64 ? floats[k].f64 : floats[k].f32;
}

uint64_t isa_inline_constant(unsigned code, isa_type_t type, unsigned bits)
{
    int64_t value;
    if (code >= ISA_CODE_FLOAT_FIRST) return inline_float(code, type, bits);
    value = code <= ISA_CODE_POSITIVE_LAST ? (int64_t)code - ISA_CODE_ZERO
                                           : (int64_t)ISA_CODE_POSITIVE_LAST - (int64_t)code;
    if (type == ISA_T_V2F32 || type == ISA_T_V2B32)
        return (uint32_t)value | (uint64_t)(uint32_t)value << 32;
    return bits == 64 ? (uint64_t)value : (uint32_t)value;
}

uint32_t isa_decode_next(isa_decoder_t *d)
{
    const unsigned at = d->size++;
    return at < d->n ? d->words[at] : 0;
}

uint32_t isa_decode_literal(isa_decoder_t *d)
{
    if (!d->literal) {
        d->literal = d->size;
        return isa_decode_next(d);
    }
    return d->literal < d->n ? d->words[d->literal] : 0;
}

static uint64_t widen_literal(uint32_t literal, isa_type_t type)
{
    if (type == ISA_T_F64) return (uint64_t)literal << 32;
    if (type == ISA_T_I64) return (uint64_t)(int64_t)(int32_t)literal;
    return literal;
}

void isa_decode_sgpr(isa_decoder_t *d, isa_operand_t *o, unsigned code, unsigned bits)
{
    /* A pair begins at an even number, a larger tuple at a multiple of four. No tuple crosses from
     * the ordinary registers into the special ones; of those FLAT_SCRATCH, XNACK_MASK, VCC, EXEC
     * and the TTMPs can be pairs. NULL can have 32 or 64 bits. */
    const unsigned sgprs = d->arch->formats->sgprs;
    unsigned align = bits <= 32 ? 1 : bits == 64 ? 2 : 4;
    code = isa_scalar_code(d->arch, code);
    o->kind = ISA_OPK_SGPR;
    o->reg = (uint16_t)code;
    o->bits = (uint16_t)bits;
    if (code == ISA_CODE_NULL && d->arch->formats->has_null && bits <= 64) return;
    if (code >= ISA_CODE_ZERO || code == ISA_CODE_NULL || code % align ||
        (code == ISA_CODE_M0 && bits > 32))
        d->bad = true;
    if (code < sgprs && code + bits / 32 > sgprs) d->bad = true;
    if (bits > 64 && code >= sgprs && (code < ISA_CODE_TTMP || code + bits / 32 > ISA_CODE_M0))
        d->bad = true;
}

void isa_decode_vgpr(isa_decoder_t *d, isa_operand_t *o, unsigned reg, unsigned bits, bool acc)
{
    o->kind = acc ? ISA_OPK_AGPR : ISA_OPK_VGPR;
    o->reg = (uint16_t)reg;
    o->bits = (uint16_t)bits;
    if (reg + bits / 32 > ISA_CODE_VGPR) d->bad = true;
}

static void constant(isa_operand_t *o, unsigned code, const isa_field_t *f, uint64_t k)
{
    o->kind = ISA_OPK_CONST;
    o->reg = (uint16_t)code;
    o->bits = f->bits;
    o->k = k;
}

void isa_decode_source(isa_decoder_t *d, isa_operand_t *o, unsigned code, const isa_field_t *f)
{
    if (code >= ISA_CODE_VGPR) {
        if (f->kind == ISA_K_SS || f->kind == ISA_K_SSC || f->kind == ISA_K_S) d->bad = true;
        isa_decode_vgpr(d, o, code - ISA_CODE_VGPR, f->bits, false);
        return;
    }
    if (f->kind == ISA_K_V || f->kind == ISA_K_A || f->kind == ISA_K_AV ||
        (f->kind == ISA_K_S && code >= ISA_CODE_ZERO)) {
        d->bad = true;
        return;
    }
    if (d->arch->formats->has_null && isa_scalar_code(d->arch, code) == ISA_CODE_NULL) {
        constant(o, ISA_CODE_NULL, f, 0);
    } else if (code < ISA_CODE_ZERO) {
        isa_decode_sgpr(d, o, code, f->bits);
    } else if (code <= ISA_CODE_NEGATIVE_LAST ||
               (code >= ISA_CODE_FLOAT_FIRST && code <= ISA_CODE_INVERSE_2PI)) {
        constant(o, code, f, isa_inline_constant(code, f->type, f->bits));
    } else if (code == ISA_CODE_LITERAL && d->literal_allowed && f->kind != ISA_K_SSC &&
               f->kind != ISA_K_VSC) {
        constant(o, code, f, widen_literal(isa_decode_literal(d), f->type));
    } else if ((code >= ISA_CODE_SHARED_BASE && code <= ISA_CODE_POPS_EXITING_WAVE_ID) ||
               (code >= ISA_CODE_VCCZ && code < ISA_CODE_LDS_DIRECT) ||
               (code == ISA_CODE_LDS_DIRECT && f->bits == 32)) {
        o->kind = ISA_OPK_SPECIAL;
        o->reg = (uint16_t)code;
        o->bits = f->bits;
    } else {
        d->bad = true;
    }
}
