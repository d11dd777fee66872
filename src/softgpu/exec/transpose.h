/* transpose.h - the loads that transpose: how they move bits between lanes.
 *
 * Separate from their handlers because the checker moves the shadows of the bits in the same
 * way. */
#ifndef SOFTGPU_EXEC_TRANSPOSE_H
#define SOFTGPU_EXEC_TRANSPOSE_H

#include "isa/table.h"
#include "softgpu/exec/wave.h"

/* Bits of the elements that a load of LDS transposes; 0: the instruction is no such load. */
static inline unsigned isa_transposed_bits(unsigned op)
{
    switch (op) {
    case ISA_OP_ds_read_b64_tr_b16: return 16;
    case ISA_OP_ds_read_b64_tr_b8: return 8;
    case ISA_OP_ds_read_b96_tr_b6: return 6;
    case ISA_OP_ds_read_b64_tr_b4: return 4;
    default: return 0;
    }
}

static inline uint32_t isa_take_bits(const uint32_t *words, unsigned from, unsigned bits)
{
    const unsigned k = from / 32, shift = from % 32;
    const uint64_t two = words[k] | (shift + bits > 32 ? (uint64_t)words[k + 1] << 32 : 0);
    return (uint32_t)(two >> shift) & ((1u << bits) - 1);
}

static inline void isa_put_bits(uint32_t *words, unsigned from, unsigned bits, uint32_t x)
{
    const unsigned k = from / 32, shift = from % 32;
    const uint64_t two = (uint64_t)x << shift;
    words[k] |= (uint32_t)two;
    if (shift + bits > 32) words[k + 1] |= (uint32_t)(two >> 32);
}

/* Sixteen lanes have read a matrix with 16 columns of elements of `bits` bits, up to three dwords
 * each: each row of it is the elements of one or several lanes side by side. Lane n of the sixteen
 * gets column n, so that element e of its result is in row e. */
static inline void isa_transpose(const isa_row_t *in, isa_row_t *out, unsigned dwords,
                                 unsigned bits)
{
    enum { COLUMNS = 16, MOST = 3 };
    const unsigned elements = 32 * dwords / bits, lanes = COLUMNS / elements;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned column = l % COLUMNS, first = l - column;
        uint32_t got[MOST] = {0};
        for (unsigned e = 0; e < elements; e++) {
            const unsigned from = first + e * lanes + column / elements;
            const uint32_t words[MOST] = {in[0][from], in[1][from], dwords > 2 ? in[2][from] : 0};
            isa_put_bits(got, e * bits, bits, isa_take_bits(words, column % elements * bits, bits));
        }
        for (unsigned k = 0; k < dwords; k++)
            out[k][l] = got[k];
    }
}

enum { ISA_TILE = 8, ISA_TILE_DWORDS = ISA_TILE / 2 };

/* global_load_tr_b128: eight lanes have read eight halves each. Lane n of the eight gets half n of
 * each of them, in the order of lanes: measured of a gfx1201 and published. */
static inline void isa_transpose_tiles(const isa_row_t *in, isa_row_t *out)
{
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned column = l % ISA_TILE, first = l - column;
        for (unsigned k = 0; k < ISA_TILE; k++) {
            const uint32_t half = in[column / 2][first + k] >> 16 * (column & 1) & 0xffff;
            out[k / 2][l] = k & 1 ? out[k / 2][l] | half << 16 : half;
        }
    }
}

/* global_load_tr_b64: sixteen lanes have read eight bytes each, of a matrix with eight rows and
 * sixteen columns. The first four lanes have the left halves of the first four rows, the next four
 * their right halves, and the last eight lanes the same of the other rows. Lane n of the sixteen
 * gets column n: measured of a gfx1201 and published, twice. */
static inline void isa_transpose_bytes(const isa_row_t *in, isa_row_t *out)
{
    enum { COLUMNS = 16, HALF = 8, ROWS = 8, QUAD = 4 };
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned column = l % COLUMNS, byte = column % HALF;
        const unsigned first = l - column + column / HALF * QUAD;
        uint32_t got[ROWS / QUAD] = {0};
        for (unsigned r = 0; r < ROWS; r++) {
            const unsigned from = first + r / QUAD * HALF + r % QUAD;
            const uint32_t x = in[byte / 4][from] >> byte % 4 * 8 & 0xff;
            got[r / QUAD] |= x << r % QUAD * 8;
        }
        out[0][l] = got[0];
        out[1][l] = got[1];
    }
}

/* Moves `dwords` rows between lanes as the instruction moves what it has loaded. False: it moves
 * nothing, and `out` is unchanged. */
static inline bool isa_transpose_loaded(unsigned op, const isa_row_t *in, isa_row_t *out,
                                        unsigned dwords)
{
    const unsigned bits = isa_transposed_bits(op);
    if (bits)
        isa_transpose(in, out, dwords, bits);
    else if (op == ISA_OP_global_load_tr_b128)
        isa_transpose_tiles(in, out);
    else if (op == ISA_OP_global_load_tr_b64)
        isa_transpose_bytes(in, out);
    else
        return false;
    return true;
}

#endif
