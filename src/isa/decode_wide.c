/* decode_wide.c - the memory encodings of three dwords that gfx12 has: VFLAT, VGLOBAL, VSCRATCH and
 * VBUFFER.
 *
 * Not in decode_memory.c because all fields have other places and widths, which are the same for
 * all these encodings: offsets of 24 bits, and a scope and a temporal hint instead of cache
 * bits. */
#include "isa/decode.h"

enum { TFE = 1 << 22, NULL_CODE = 0x7c, TBUFFER = 128 };

/* The fields that all these encodings have: in the first two dwords, and in the third. */
typedef struct {
    unsigned op, scalar, vdst, data, vaddr;
    int32_t offset;
} wide_t;

static wide_t wide_fields(const isa_decoder_t *d)
{
    const uint32_t w = d->words[0], x = d->words[1], y = d->words[2];
    return (wide_t){.op = isa_bits(w, 21, 14),
                    .scalar = isa_bits(w, 6, 0),
                    .vdst = isa_bits(x, 7, 0),
                    .data = isa_bits(x, 30, 23),
                    .vaddr = isa_bits(y, 7, 0),
                    .offset = (int32_t)y >> 8};
}

void isa_decode_vflat(isa_decoder_t *d)
{
    static const uint8_t segments[4] = {ISA_FMT_FLAT, ISA_FMT_SCRATCH, ISA_FMT_GLOBAL,
                                        ISA_FMT_NONE};
    isa_inst_t *i = d->out;
    const isa_fmt_t fmt = (isa_fmt_t)segments[isa_bits(d->words[0], 25, 24)];
    const wide_t f = wide_fields(d);
    if (!isa_decode_row(d, fmt, f.op)) return;
    i->imm = f.offset;
    isa_decode_policy(d);
    const bool scalar = d->row->mods & ISA_M_SADDR && f.scalar != NULL_CODE;
    if (fmt == ISA_FMT_FLAT && f.scalar != NULL_CODE) d->bad = true;
    if (scalar) {
        i->flags |= ISA_F_SADDR;
        isa_decode_sgpr(d, &i->src[2], f.scalar, fmt == ISA_FMT_GLOBAL ? 64 : 32);
    }
    const bool vector = fmt != ISA_FMT_SCRATCH || isa_bits(d->words[1], 17, 17);
    for (const isa_field_t *o = d->row->fields; o < d->row->fields + ISA_MAX_FIELDS && o->role;
         o++) {
        if (o->role == ISA_ROLE_VDST)
            isa_decode_vgpr(d, &i->dst, f.vdst, o->bits, false);
        else if (o->role == ISA_ROLE_VDATA)
            isa_decode_vgpr(d, &i->src[1], f.data, o->bits, false);
        else if (vector)
            isa_decode_vgpr(d, &i->src[0], f.vaddr, scalar ? 32 : o->bits, false);
    }
    if (i->flags & ISA_F_GLC)
        isa_decode_vgpr(d, &i->dst, f.vdst, isa_decode_result_bits(d->row, i->src[1].bits), false);
}

/* The VGPR of data is in the field of the result, the format of MTBUF in that of data. */
static void buffer_operands(isa_decoder_t *d, const wide_t *f)
{
    const uint32_t x = d->words[1];
    const bool load = d->row->klass == ISA_CLASS_VMEM_RD;
    isa_inst_t *i = d->out;
    unsigned addr_bits = 0;
    if (d->words[0] & TFE || f->offset < 0) d->bad = true;
    i->imm = f->offset;
    isa_decode_policy(d);
    if (isa_bits(x, 31, 31)) {
        i->flags |= ISA_F_IDXEN;
        addr_bits += 32;
    }
    if (isa_bits(x, 30, 30)) {
        i->flags |= ISA_F_OFFEN;
        addr_bits += 32;
    }
    for (const isa_field_t *o = d->row->fields; o < d->row->fields + ISA_MAX_FIELDS && o->role;
         o++) {
        switch (o->role) {
        case ISA_ROLE_VDATA:
            isa_decode_vgpr(d, load ? &i->dst : &i->src[1], f->vdst, o->bits, false);
            break;
        case ISA_ROLE_VADDR:
            if (addr_bits) isa_decode_vgpr(d, &i->src[0], f->vaddr, addr_bits, false);
            break;
        case ISA_ROLE_SRSRC: isa_decode_sgpr(d, &i->src[2], isa_bits(x, 17, 9), o->bits); break;
        default: isa_decode_source(d, &i->src[3], f->scalar, o); break;
        }
    }
    if (i->flags & ISA_F_GLC) {
        i->dst = i->src[1];
        i->dst.bits = (uint16_t)isa_decode_result_bits(d->row, i->src[1].bits);
    }
}

void isa_decode_vbuffer(isa_decoder_t *d)
{
    const wide_t f = wide_fields(d);
    const bool typed = f.op >= TBUFFER;
    if (!isa_decode_row(d, typed ? ISA_FMT_MTBUF : ISA_FMT_MUBUF, f.op % TBUFFER)) return;
    if (typed) d->out->mtbuf_format = (uint16_t)isa_bits(d->words[1], 29, 23);
    buffer_operands(d, &f);
}
