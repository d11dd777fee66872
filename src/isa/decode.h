/* decode.h - what the files of the decoder share: its state, and the functions for operands.
 *
 * decode.c finds an instruction's format, row and fields; decode_memory.c, decode_wide.c and
 * decode_image.c do so for memory and image instructions, decode_dual.c for formats that few GPUs
 * have. decode_operand.c converts operand codes to operands. */
#ifndef ISA_DECODE_H
#define ISA_DECODE_H

#include "isa/isa.h"
#include "isa/table.h"

typedef struct {
    const isa_arch_t *arch;
    const uint32_t *words;
    unsigned n;         /* dwords available */
    unsigned size;      /* dwords used so far */
    unsigned mask_bits; /* bits of a mask of lanes in scalar registers: the lanes of a wave */
    unsigned literal;   /* index of the dword that is the literal, of which there is at most one; 0:
                           none yet */
    bool bad;           /* the words are no instruction of this GPU */
    bool literal_allowed;
    const isa_row_desc_t *row;
    isa_inst_t *out;
} isa_decoder_t;

static inline uint32_t isa_bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((1ull << (high - low + 1)) - 1);
}

/* The value of a field of an instruction of two dwords. */
static inline unsigned isa_decode_field(const isa_decoder_t *d, isa_bits_t field)
{
    return isa_bits_of(field, d->words[0] | (uint64_t)d->words[1] << 32);
}

/* Whether a field of one bit, which only some GPUs have, is set. */
static inline bool isa_decode_bit(const isa_decoder_t *d, isa_bits_t field)
{
    return isa_decode_field(d, field) != 0;
}

/* A field that consists of a low and a high part in different places. */
static inline unsigned isa_decode_split(const isa_decoder_t *d, const isa_bits_t part[2])
{
    return isa_decode_field(d, part[0]) | isa_decode_field(d, part[1]) << part[0].bits;
}

/* The number of a scalar operand in isa_operand_t.reg, from its code in the encoding. */
static inline unsigned isa_scalar_code(const isa_arch_t *arch, unsigned code)
{
    const bool swapped = arch->formats->null_first && code >> 1 == ISA_CODE_M0 >> 1;
    return swapped ? code ^ (ISA_CODE_M0 ^ ISA_CODE_NULL) : code;
}

/* The bits of an atomic's result: those of its data, or half of them for a compare-and-swap. */
static inline unsigned isa_decode_result_bits(const isa_row_desc_t *row, unsigned data_bits)
{
    return row->mods & ISA_M_CAS ? data_bits / 2 : data_bits;
}

/* What gfx12's memory and image encodings have in the same bits, for d->row: a scope and a temporal
 * hint, by which an atomic operation returns the old value; and NV, which is not executed. */
static inline void isa_decode_policy(isa_decoder_t *d)
{
    enum { NON_VOLATILE = 1 << 7, RETURNS = 1 };
    if (d->words[0] & NON_VOLATILE) d->bad = true;
    d->out->policy = (uint8_t)isa_bits(d->words[1], 22, 18);
    if (d->row->mods & ISA_M_RET && isa_hint(d->out) & RETURNS) d->out->flags |= ISA_F_GLC;
}

/* Sets d->row to the row of this opcode. False, with d->bad set: the GPU has no such
 * instruction. */
bool isa_decode_row(isa_decoder_t *d, isa_fmt_t fmt, unsigned opcode);

/* decode_memory.c */
void isa_decode_ds(isa_decoder_t *d);
void isa_decode_flat(isa_decoder_t *d);
void isa_decode_mubuf(isa_decoder_t *d);
void isa_decode_mtbuf(isa_decoder_t *d);

/* decode_wide.c */
void isa_decode_vflat(isa_decoder_t *d);
void isa_decode_vbuffer(isa_decoder_t *d);

/* decode_image.c */
void isa_decode_mimg(isa_decoder_t *d);
void isa_decode_vimage(isa_decoder_t *d, bool sample);

/* decode_dual.c: two operations in one instruction (VOPD); formats that only graphics uses */
void isa_decode_vopd(isa_decoder_t *d);
void isa_decode_vinterp(isa_decoder_t *d);
void isa_decode_ldsdir(isa_decoder_t *d);
void isa_decode_exp(isa_decoder_t *d);

/* Makes the next dword part of the instruction (`size` grows) and returns it. 0 if there are no
 * more words: isa_decode() detects that by size > n. */
uint32_t isa_decode_next(isa_decoder_t *d);

/* The instruction's literal. The first call takes the next dword for it; later calls return the
 * same dword. */
uint32_t isa_decode_literal(isa_decoder_t *d);

/* Decodes a source operand: `code` has 9 bits, or 8 in a field for scalars only. */
void isa_decode_source(isa_decoder_t *d, isa_operand_t *o, unsigned code, const isa_field_t *f);

/* Decodes a 7-bit scalar register, as source or destination. */
void isa_decode_sgpr(isa_decoder_t *d, isa_operand_t *o, unsigned code, unsigned bits);

/* Makes the operand a tuple of VGPRs or, if `acc`, of AGPRs. */
void isa_decode_vgpr(isa_decoder_t *d, isa_operand_t *o, unsigned reg, unsigned bits, bool acc);

/* The bits of an inline constant (code 128..208, 240..248) for an operand of this type. */
uint64_t isa_inline_constant(unsigned code, isa_type_t type, unsigned bits);

#endif
