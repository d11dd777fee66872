/* decode_memory.c - vector instructions of memory and of LDS: DS, FLAT, GLOBAL, SCRATCH, MUBUF,
 * MTBUF.
 *
 * A file of its own because most fields of these formats have another place in each family of GPUs
 * (isa_formats_t), and some fields exist only on some GPUs (isa_memory_fields_t). */
#include "isa/decode.h"

void isa_decode_ds(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    bool acc = isa_decode_bit(d, d->arch->memory_fields.ds_acc);
    if (!isa_decode_row(d, ISA_FMT_DS, isa_bits_of(d->arch->formats->ds_op, w))) return;
    bool gws = d->row->klass == ISA_CLASS_GWS;
    i->offset0 = (uint8_t)isa_bits(w, 7, 0);
    i->offset1 = (uint8_t)isa_bits(w, 15, 8);
    i->imm = (int32_t)isa_bits(w, 15, 0);
    if (isa_decode_bit(d, d->arch->formats->ds_gds))
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
        case ISA_ROLE_DATA0: /* the data of GWS is in the address field */
            isa_decode_vgpr(d, &i->src[1], gws ? isa_bits(x, 7, 0) : isa_bits(x, 15, 8), f->bits,
                            acc);
            break;
        default: isa_decode_vgpr(d, &i->src[2], isa_bits(x, 23, 16), f->bits, acc); break;
        }
    }
}

void isa_decode_flat(isa_decoder_t *d)
{
    static const uint8_t segments[4] = {ISA_FMT_FLAT, ISA_FMT_SCRATCH, ISA_FMT_GLOBAL,
                                        ISA_FMT_NONE};
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    const isa_memory_fields_t *fields = &d->arch->memory_fields;
    const isa_formats_t *formats = d->arch->formats;
    isa_fmt_t fmt = (isa_fmt_t)segments[isa_bits_get(formats->flat_segment, w)];
    const bool says_vaddr = fmt == ISA_FMT_SCRATCH && fields->scratch_vaddr.bits;
    bool acc = isa_decode_bit(d, fields->flat_acc);
    const bool lds = isa_decode_bit(d, fields->flat_lds);
    if (!isa_decode_row(d, fmt, isa_bits(w, 24, 18) | (lds ? ISA_CODE_LDS : 0))) return;
    if (isa_bits_get(formats->flat_glc, w)) i->flags |= ISA_F_GLC;
    if (isa_bits_get(formats->flat_slc, w)) i->flags |= ISA_F_SLC;
    if (isa_decode_bit(d, fields->flat_sc1)) i->flags |= ISA_F_SC1;
    if (isa_bits_get(formats->flat_zero, w) && !says_vaddr && !lds) d->bad = true;
    if (d->row->mods & ISA_M_LDS) i->flags |= ISA_F_LDS;
    const unsigned unused = 32 - formats->flat_offset.bits;
    const uint32_t offset = isa_bits_get(formats->flat_offset, w);
    if (fmt == ISA_FMT_FLAT && offset >> formats->flat_bits)
        d->bad = true; /* flat offsets are not negative */
    i->imm = fmt == ISA_FMT_FLAT ? (int32_t)offset : (int32_t)(offset << unused) >> unused;

    const unsigned saddr_code = isa_bits(x, 22, 16), saddr = isa_scalar_code(d->arch, saddr_code);
    const bool none = fmt == ISA_FMT_SCRATCH && formats->saddr_none && saddr == formats->saddr_none;
    bool scalar = d->row->mods & ISA_M_SADDR && saddr != formats->saddr_off && !none;
    if (formats->has_null && fmt == ISA_FMT_FLAT && saddr != formats->saddr_off) d->bad = true;
    if (scalar) {
        i->flags |= ISA_F_SADDR;
        isa_decode_sgpr(d, &i->src[2], saddr_code, fmt == ISA_FMT_GLOBAL ? 64 : 32);
    }
    bool vector = says_vaddr ? isa_decode_bit(d, fields->scratch_vaddr)
                             : (!scalar && !none) || fmt == ISA_FMT_GLOBAL;
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
        isa_decode_vgpr(d, &i->dst, isa_bits(x, 31, 24),
                        isa_decode_result_bits(d->row, i->src[1].bits), acc);
}

/* The fields that MUBUF and MTBUF have in common: the second dword, offset and address bits. */
static void buffer_operands(isa_decoder_t *d)
{
    uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    bool acc = isa_decode_bit(d, d->arch->memory_fields.buffer_acc);
    bool load = d->row->klass == ISA_CLASS_VMEM_RD;
    unsigned addr_bits = 0;
    if (isa_decode_bit(d, d->arch->memory_fields.buffer_tfe)) d->bad = true;
    i->imm = (int32_t)isa_bits(w, 11, 0);
    if (isa_bits(w, 14, 14)) i->flags |= ISA_F_GLC;
    if (isa_decode_bit(d, d->arch->formats->buffer_idxen) && d->row->mods & ISA_M_ADDR) {
        i->flags |= ISA_F_IDXEN;
        addr_bits += 32;
    }
    if (isa_decode_bit(d, d->arch->formats->buffer_offen) && d->row->mods & ISA_M_ADDR) {
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
        i->dst.bits = (uint16_t)isa_decode_result_bits(d->row, i->src[1].bits);
    }
}

void isa_decode_mubuf(isa_decoder_t *d)
{
    const isa_formats_t *formats = d->arch->formats;
    if (!isa_decode_row(d, ISA_FMT_MUBUF, isa_decode_split(d, formats->mubuf_op))) return;
    if (isa_decode_bit(d, formats->mubuf_slc)) d->out->flags |= ISA_F_SLC;
    if (isa_decode_bit(d, d->arch->memory_fields.mubuf_sc1)) d->out->flags |= ISA_F_SC1;
    if (isa_decode_bit(d, d->arch->memory_fields.mubuf_lds)) {
        d->out->flags |= ISA_F_LDS;
        if (!(d->row->mods & ISA_M_LDS) && isa_field(d->row, ISA_ROLE_VDATA)) d->bad = true;
    }
    buffer_operands(d);
}

void isa_decode_mtbuf(isa_decoder_t *d)
{
    const isa_formats_t *formats = d->arch->formats;
    if (!isa_decode_row(d, ISA_FMT_MTBUF, isa_decode_split(d, formats->mtbuf_op))) return;
    if (isa_decode_bit(d, formats->mtbuf_slc)) d->out->flags |= ISA_F_SLC;
    if (isa_decode_bit(d, d->arch->memory_fields.mtbuf_sc1)) d->out->flags |= ISA_F_SC1;
    d->out->mtbuf_format = (uint16_t)isa_bits(d->words[0], 25, 19);
    buffer_operands(d);
}
