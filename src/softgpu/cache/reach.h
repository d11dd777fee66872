/* reach.h - which addresses a memory instruction accesses, and how long LDS takes for them.
 *
 * The functions read registers and change nothing, so that the cache model, the census and the
 * checker can all call them for an instruction that is about to execute. */
#ifndef SOFTGPU_CACHE_REACH_H
#define SOFTGPU_CACHE_REACH_H

#include "softgpu/cache/ops.h"
#include "softgpu/exec/watch.h"

#include <emmintrin.h>

enum {
    SGC_LINE = 64, /* vector L1, scalar and instruction caches; a request to L2 */
    SGC_LDS_BANKS = 32
};

/* The lanes' addresses in one address space. `even`: EXEC is full, and lane l's address is
 * va[0] + l * step with step <= SGC_LINE. Then only va[0] is set; sgc_lanes_spread() sets all. */
typedef struct {
    _Alignas(64) uint64_t va[ISA_LANES]; /* of active lanes */
    uint64_t exec;
    uint32_t bytes;      /* of a lane's element in memory */
    uint32_t dword_step; /* bytes from one dword of it to the next: more than 4 if swizzled */
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

/* Whether the row's numbers rise by the same *step from lane to lane, at most `most`, without
 * wrapping. */
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

/* The cost, in clocks, of an LDS instruction or of one of its two elements. */
typedef struct {
    uint32_t clocks, phases; /* phases: the clocks without conflicts */
    uint32_t bank_conflict, addr_conflict, unaligned;
    uint32_t outside; /* lanes beyond the workgroup's LDS; they cost nothing */
} sgc_lds_use_t;

enum { SGC_TEXELS_MORE = 15 }; /* texels that a filter reads for a lane besides the first */

/* The addresses of an instruction of ISA_UNIT_VECTOR by address space; in a space that no lane
 * accesses, `exec` is 0. */
typedef struct {
    sgc_lanes_t memory, own; /* own: lanes of a FLAT instruction that access scratch */
    unsigned n_more;         /* further elements of the same lanes: a filter's texels */
    sgc_lanes_t more[SGC_TEXELS_MORE];
    sgc_lanes_t lds; /* lanes of FLAT in LDS, or the LDS side of a transfer from or to a buffer */
} sgc_reach_t;

/* reach.c: computes the addresses of an instruction. EXEC must not be 0. */
void sgc_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, sgc_reach_t *r);
/* r->memory is part 0, r->more[k] part k + 1. */
static inline unsigned sgc_reach_parts(const sgc_reach_t *r)
{
    return 1 + r->n_more;
}

static inline sgc_lanes_t *sgc_reach_part(sgc_reach_t *r, unsigned k)
{
    return k ? &r->more[k - 1] : &r->memory;
}

/* The lanes of `lanes` for which `bytes` bytes of their element, starting `from` bytes into it,
 * pass the range check of the buffer. */
uint64_t sgc_buffer_inside(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                           uint64_t lanes, uint32_t from, uint32_t bytes);

/* ---- LDS ---- */

/* A cached result of sgc_lds_use(): another access whose lanes have the same distances from each
 * other, and the same low bits of the first address, costs the same. */
typedef struct {
    uint32_t lane[ISA_LANES]; /* distance from the first active lane's address */
    uint64_t exec;
    uint32_t before, after; /* distance of the lowest and of the highest lane's address from it */
    uint8_t bytes, low;     /* size of an element; low bits of the first active lane's address */
    bool atomic;
    sgc_lds_use_t use;
} sgc_lds_memo_t;

enum { SGC_LDS_MEMOS = 64 };

/* lds.c: the cost of lanes whose addresses are offsets in the wave's LDS. `flat`: the instruction
 * is a FLAT one. */
sgc_lds_use_t sgc_lds_lanes(const isa_wave_t *w, const sgc_lanes_t *a, const sgc_op_t *op,
                            bool flat);
/* The cost of an instruction of ISA_UNIT_LDS for each of its elements. Returns how many elements it
 * has, 0 for an instruction of the GDS. `memo`: the caller's array of SGC_LDS_MEMOS entries, zeroed
 * before the first call. */
unsigned sgc_lds_use(sgc_lds_memo_t *memo, const isa_wave_t *w, const isa_inst_t *i,
                     const sgc_op_t *op, sgc_lds_use_t use[2]);
/* The addresses of an instruction's lanes for each element, in range or not. Returns how many
 * elements it has, 0 for instructions that access no LDS: exchanges between lanes, and those of the
 * GDS. */
unsigned sgc_lds_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t lanes[2]);
/* A quick test: true if all lanes of the instruction are within the first `room` bytes of LDS.
 * False says nothing: each lane has to be tested. */
bool sgc_lds_within(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, uint32_t room);

/* ---- computed once for all subscribers ---- */

/* The addresses of the present instruction of a watch: computed on the first call by a subscriber,
 * and kept for the other subscribers. The memory belongs to the workgroup (isa_watch_t) and is
 * zeroed at first. */
typedef struct sgc_seen {
    sgc_reach_t reach;
    sgc_lanes_t lds[2];
    sgc_lds_use_t used[2];
    unsigned n_lds, n_used;
    sgc_lds_memo_t memo[SGC_LDS_MEMOS];
} sgc_seen_t;

/* Bits of isa_watch_t.known: what has been computed of the present instruction. */
enum { SGC_KNOWN_REACH = 1, SGC_KNOWN_LDS = 2, SGC_KNOWN_LDS_USE = 4 };

/* seen.c. All are to be called before the instruction has run: a load may replace its own address
 * register. A subscriber may call sgc_lanes_spread() on the result, but must not change it
 * otherwise. */
/* sgc_reach(): for an instruction of ISA_UNIT_VECTOR; EXEC is not 0. sgc_see_reach() computes the
 * addresses, for sgc_seen_reach() alone. */
void sgc_see_reach(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i);
static inline sgc_reach_t *sgc_seen_reach(isa_watch_t *watch, const isa_wave_t *w,
                                          const isa_inst_t *i)
{
    if (!(watch->known & SGC_KNOWN_REACH)) sgc_see_reach(watch, w, i);
    return &watch->seen->reach;
}
/* sgc_lds_reach() and sgc_lds_use(): for an instruction of ISA_UNIT_LDS; *n: number of elements. */
sgc_lanes_t *sgc_seen_lds(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i,
                          unsigned *n);
const sgc_lds_use_t *sgc_seen_lds_use(isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i,
                                      unsigned *n);

#endif
