/* reach.h - what a memory instruction touches: its lanes' addresses, and what LDS makes of them.
 *
 * Functions of registers alone: nothing is counted or changed, so that the cache model and whoever
 * looks at single instructions ask the same. */
#ifndef SOFTGPU_CACHE_REACH_H
#define SOFTGPU_CACHE_REACH_H

#include "softgpu/cache/ops.h"
#include "softgpu/isa/wave.h"

#include <immintrin.h>

enum {
    SGC_LINE = 64, /* vector L1, scalar and instruction caches; a request to L2 */
    SGC_LDS_BANKS = 32
};

/* The lanes' addresses of an access to one address space. `even`: EXEC is full and lane l's address
 * is va[0] + l * step, 0 <= step <= SGC_LINE; only va[0] is set until sgc_lanes_spread(). */
typedef struct {
    _Alignas(64) uint64_t va[ISA_LANES]; /* of active lanes */
    uint64_t exec;
    uint32_t bytes;      /* of a lane's element */
    uint32_t dword_step; /* from one dword of it to the next: 4, more in swizzled memory */
    bool even;
    uint32_t step;
} sgc_lanes_t;

static inline void sgc_lanes_spread(sgc_lanes_t *a)
{
    if (!a->even) return;
    for (unsigned l = 1; l < ISA_LANES; l++)
        a->va[l] = a->va[0] + (uint64_t)l * a->step;
    a->even = false;
}

/* Whether a row rises by the same from lane to lane, at most `most`, and does not wrap. */
static inline bool sgc_row_even(const uint32_t *row, uint32_t most, uint32_t *step)
{
    const uint32_t first = row[0], d = row[1] - first;
    if (d > most || (uint64_t)first + (ISA_LANES - 1) * (uint64_t)d > UINT32_MAX) return false;
    const __m128i *v = (const __m128i *)row, four = _mm_set1_epi32((int)(4 * d));
    __m128i want =
        _mm_setr_epi32((int)first, (int)(first + d), (int)(first + 2 * d), (int)(first + 3 * d));
    __m128i differ = _mm_setzero_si128();
    for (unsigned k = 0; k < ISA_LANES / 4; k++) {
        differ = _mm_or_si128(differ, _mm_xor_si128(v[k], want));
        want = _mm_add_epi32(want, four);
    }
    *step = d;
    return _mm_movemask_epi8(_mm_cmpeq_epi32(differ, _mm_setzero_si128())) == 0xffff;
}

/* Clocks of an LDS instruction, or of one of its two elements. */
typedef struct {
    uint32_t clocks, phases; /* phases: the clocks without conflicts */
    uint32_t bank_conflict, addr_conflict, unaligned;
    uint32_t outside; /* lanes beyond the LDS of the workgroup, left out */
} sgc_lds_use_t;

enum { SGC_TEXELS_MORE = 15 }; /* of a filter, beside the first */

/* Where the lanes of an instruction of SGC_UNIT_VECTOR go; .exec is 0 where none does. Of one of
 * SGC_UNIT_LDS only the last two are set, by sgc_lds_use(). */
typedef struct sgc_reach {
    sgc_lanes_t memory, own; /* own: FLAT's lanes in their scratch */
    unsigned n_more;         /* more places of the same lanes: a filter's texels of an image */
    sgc_lanes_t more[SGC_TEXELS_MORE];
    sgc_lanes_t lds; /* of FLAT, or the LDS side of a transfer */
    unsigned n_used;
    sgc_lds_use_t used[2];
} sgc_reach_t;

/* reach.c. EXEC is not 0. */
void sgc_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, sgc_reach_t *r);
/* The parts in memory, one by one: sgc_reach_parts() of them. */
static inline unsigned sgc_reach_parts(const sgc_reach_t *r)
{
    return 1 + r->n_more;
}

static inline sgc_lanes_t *sgc_reach_part(sgc_reach_t *r, unsigned k)
{
    return k ? &r->more[k - 1] : &r->memory;
}

/* Of the lanes of a buffer access those that may access `bytes` bytes of their element, starting
 * `from` bytes into it. */
uint64_t sgc_buffer_inside(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                           uint64_t lanes, uint32_t from, uint32_t bytes);

/* ---- LDS ---- */

/* What an access costs, kept for the next of which the lanes lie to each other as here. */
typedef struct {
    uint32_t lane[ISA_LANES]; /* address, less that of the first active one */
    uint64_t exec;
    uint32_t before, after; /* bytes from the first active one to the lowest and to the highest */
    uint8_t bytes, low;     /* of an element; the low bits of the first address */
    bool atomic;
    sgc_lds_use_t use;
} sgc_lds_memo_t;

enum { SGC_LDS_MEMOS = 64 };

/* lds.c: of lanes (LDS offsets) in LDS of so many bytes. `flat`: of a FLAT instruction. */
sgc_lds_use_t sgc_lds_lanes(const sgc_lanes_t *a, uint32_t size, const sgc_op_t *op, bool flat);
/* Of an instruction of SGC_UNIT_LDS, by element: returns how many there are, 0 for one of the GDS.
 * `memo`: SGC_LDS_MEMOS of the caller's, zeroed at first. */
unsigned sgc_lds_use(sgc_lds_memo_t *memo, const isa_wave_t *w, const isa_inst_t *i,
                     const sgc_op_t *op, sgc_lds_use_t use[2]);
/* Where its lanes are in LDS, by element, whether or not that is there. Returns how many elements
 * there are, 0 for those that go nowhere in LDS: exchanges between lanes, the GDS. */
unsigned sgc_lds_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t lanes[2]);
/* True: they are all within the first `room` bytes of it, told from a look at their addresses as a
 * whole. False: each has to be looked at. */
bool sgc_lds_within(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, uint32_t room);

#endif
