/* texel_rows.h - moves components of elements between registers, a dword or half a dword each, and
 * elements.
 *
 * Inline functions for buffers with a format and for images. */
#ifndef SOFTGPU_EXEC_TEXEL_ROWS_H
#define SOFTGPU_EXEC_TEXEL_ROWS_H

#include "isa/format.h"
#include "softgpu/exec/texel.h"
#include "softgpu/exec/wave.h"

#include <string.h>

/* The packing of components in registers. */
typedef enum { ISA_PACK_WHOLE, ISA_PACK_D16, ISA_PACK_D16_HI } isa_packing_t;

static inline void isa_put_components(const isa_format_t *f, isa_row_t *rows, unsigned l,
                                      const uint32_t *value, unsigned n, isa_packing_t packing)
{
    if (packing == ISA_PACK_WHOLE) {
        for (unsigned c = 0; c < n; c++)
            rows[c][l] = value[c];
    } else if (packing == ISA_PACK_D16_HI) {
        rows[0][l] = isa_texel_to_d16(f, value[0]) << 16;
    } else {
        for (unsigned c = 0; c < n; c += 2)
            rows[c / 2][l] = isa_texel_to_d16(f, value[c]) |
                             (c + 1 < n ? isa_texel_to_d16(f, value[c + 1]) << 16 : 0);
    }
}

/* Reads a lane's components from registers; components without a register are 0. */
static inline void isa_take_components(const isa_format_t *f, const isa_row_t *rows, unsigned l,
                                       uint32_t *value, unsigned n, isa_packing_t packing)
{
    memset(value, 0, 4 * sizeof *value);
    for (unsigned c = 0; c < n; c++) {
        const unsigned shift = (c & 1) || packing == ISA_PACK_D16_HI ? 16 : 0;
        value[c] = packing == ISA_PACK_WHOLE
                       ? rows[c][l]
                       : isa_texel_from_d16(f, rows[c / 2][l] >> shift & 0xffff);
    }
}

/* The element format of a buffer instruction that converts: an MTBUF instruction has it; otherwise
 * it is in the descriptor, whose fourth dword is `word3`. False: the format is undefined on
 * hardware. */
static inline bool isa_format_of_buffer(isa_format_t *f, const isa_arch_t *arch,
                                        const isa_inst_t *i, uint32_t word3)
{
    const bool typed = i->fmt == ISA_FMT_MTBUF;
    unsigned data = typed ? i->mtbuf_format & 15u : word3 >> 15 & 15;
    unsigned num = typed ? i->mtbuf_format >> 4 & 7u : word3 >> 12 & 7;
    uint8_t select[4];
    if (arch->formats->element_formats &&
        !isa_format_split(arch->formats->element_formats,
                          typed ? i->mtbuf_format : word3 >> 12 & 0x7f, &data, &num))
        return false;
    for (unsigned c = 0; c < 4; c++)
        select[c] = (uint8_t)(typed ? ISA_SELECT_COMPONENT + c : word3 >> 3 * c & 7);
    return isa_format_find(f, data, num, select);
}

/* Makes the element that a lane of a store to such a buffer writes, from `n` components in
 * registers. */
static inline void isa_format_element(const isa_format_t *f, const isa_row_t *rows, unsigned l,
                                      unsigned n, isa_packing_t packing, uint32_t element[4])
{
    uint32_t value[4], have[4];
    isa_take_components(f, rows, l, value, n, packing);
    isa_texel_unselect(f, value, have);
    isa_texel_pack(f, have, element);
}

#endif
