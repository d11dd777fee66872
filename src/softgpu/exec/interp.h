/* interp.h - the lanes of a quad from which v_interp_* take their sources.
 *
 * Apart from valu_interp.c because the checker looks at the same lanes. */
#ifndef SOFTGPU_EXEC_INTERP_H
#define SOFTGPU_EXEC_INTERP_H

#include "isa/table.h"
#include "softgpu/exec/wave.h"

/* Whether the row's instruction takes sources from certain lanes of each quad, whether EXEC
 * includes these lanes or not. */
static inline bool isa_reads_quad(const isa_row_desc_t *row)
{
    return row->fmt == ISA_FMT_VINTERP && row->marks & (ISA_IS_QUAD_1 | ISA_IS_QUAD_2);
}

enum { ISA_OWN_LANE = 4 };

/* The lane of its quad from which each lane takes source number n; ISA_OWN_LANE: from itself. */
static inline unsigned isa_quad_lane(const isa_row_desc_t *row, unsigned n)
{
    const bool first = row->marks & ISA_IS_QUAD_1;
    if (!isa_reads_quad(row)) return ISA_OWN_LANE;
    if (n == 0) return first ? 1 : 2;
    return n == 2 && first ? 0 : ISA_OWN_LANE;
}

/* out[l] = the value of lane number `lane` of the quad of lane l. */
static inline void isa_quad_spread(uint32_t *out, const uint32_t *in, unsigned lane)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        out[l] = in[(l & ~3u) + lane];
}

#endif
