/* decode.h - shared by the two halves of the decoder.
 *
 * decode.c takes the encodings apart, decode_operand.c turns operand codes into operands. */
#ifndef ISA_DECODE_H
#define ISA_DECODE_H

#include "isa/isa.h"
#include "isa/table.h"

typedef struct {
    const isa_arch_t *arch;
    const uint32_t *words;
    unsigned n;         /* dwords available */
    unsigned size;      /* dwords used so far */
    unsigned mask_bits; /* of a mask of lanes in scalar registers: the lanes of a wave */
    unsigned literal;   /* which dword is the literal, of which there is one at most; 0: not met */
    bool bad;           /* no instruction of this GPU */
    bool literal_allowed;
    const isa_row_desc_t *row;
    isa_inst_t *out;
} isa_decoder_t;

static inline uint32_t isa_bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((1ull << (high - low + 1)) - 1);
}

/* The next dword behind the instruction's own, which becomes part of it (`size` grows). 0 if there
 * are no more words: isa_decode() finds that out by size > n. */
uint32_t isa_decode_next(isa_decoder_t *d);

/* The literal of the instruction, the next dword when it is first asked for. */
uint32_t isa_decode_literal(isa_decoder_t *d);

/* A source operand: `code` has 9 bits, or 8 in a field for scalars only. */
void isa_decode_source(isa_decoder_t *d, isa_operand_t *o, unsigned code, const isa_field_t *f);

/* A 7-bit scalar register, as source or destination. */
void isa_decode_sgpr(isa_decoder_t *d, isa_operand_t *o, unsigned code, unsigned bits);

/* A VGPR or, if `acc`, an AGPR tuple. */
void isa_decode_vgpr(isa_decoder_t *d, isa_operand_t *o, unsigned reg, unsigned bits, bool acc);

/* Bits of an inline constant (code 128..208, 240..248) as an operand of this type sees it. */
uint64_t isa_inline_constant(unsigned code, isa_type_t type, unsigned bits);

#endif
