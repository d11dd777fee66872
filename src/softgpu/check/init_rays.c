/* init_rays.c - what image_bvh_* make of nodes of trees that have bytes which nobody has written.
 *
 * Not every byte of a node has an effect on each ray. So the test is tried with random values of
 * the undefined bytes: a result that does not always come out the same is undefined. */
#include "softgpu/check/init.h"

#include "softgpu/exec/bvh.h"
#include "softgpu/memory/memory.h"

#include <string.h>

enum {
    /* Most trees have bytes between and behind their fields, or room for corners of a triangle that
     * they do not use, and each trial costs as much as the instruction itself: where these bytes
     * have had no effect on CLEAN lanes of a workgroup, there are fewer trials of the same nodes.
     */
    TRIALS = 128,
    CLEAN = 8,
    FURTHER = 4,
    RAY = 6 /* registers of origin and direction */
};

typedef struct {
    uint32_t dword[ISA_BVH_NODES][ISA_BVH_DWORDS], undefined[ISA_BVH_NODES][ISA_BVH_DWORDS];
    uint64_t first; /* the address of the first undefined byte; 0: there is none */
} nodes_t;

typedef struct {
    uint32_t of[ISA_BVH_RESULTS + RAY]; /* the results, then the ray */
    bool tested;                        /* false: the executor refuses the nodes */
} outcome_t;

/* ---- nodes ---- */

/* A half of a node of the lane, as it is in memory. */
static void read_half(chk_init_t *s, const isa_wave_t *w, uint64_t va, nodes_t *nodes, unsigned n,
                      unsigned half)
{
    enum { PIECE = ISA_BVH_PIECE };
    const unsigned first = half * ISA_BVH_HALF / 4;
    const void *host = sg_memory_host(w->group->dispatch->memory, va, ISA_BVH_HALF, 0);
    if (!host) return; /* the access faults */
    memcpy(&nodes->dword[n][first], host, ISA_BVH_HALF);
    for (unsigned at = 0; at < ISA_BVH_HALF; at += PIECE) {
        chk_bytes_t *b = chk_bytes_find(&s->memo, va + at);
        const uint32_t unwritten = b ? chk_bytes_unwritten(b, va + at, PIECE) : 0;
        uint8_t *bytes = (uint8_t *)&nodes->undefined[n][first + at / 4];
        for (unsigned k = 0; k < PIECE; k++)
            if (unwritten >> k & 1) bytes[k] = 0xff;
        if (unwritten && !nodes->first) nodes->first = va + at + (uint64_t)__builtin_ctz(unwritten);
    }
}

static void read_nodes(chk_init_t *s, const isa_wave_t *w, const isa_bvh_access_t *x, unsigned lane,
                       nodes_t *nodes)
{
    memset(nodes, 0, sizeof *nodes);
    for (unsigned n = 0; n < x->n; n++)
        for (unsigned half = 0; half < 2; half++)
            if (x->node[n].lanes[half] >> lane & 1)
                read_half(s, w, x->node[n].va[lane] + half * ISA_BVH_HALF, nodes, n, half);
}

/* ---- trials ---- */

/* Half of the values are numbers of any size and sign, so that some boxes hold any point; the other
 * half are any bits. */
static uint32_t random_dword(uint64_t *seed)
{
    enum { LEAST = 100, SIZES = 64 }; /* of the exponent, with its bias */
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t any = (uint32_t)(*seed >> 32), more = (uint32_t)(*seed >> 16);
    const uint32_t exponent = LEAST + more % SIZES;
    return more >> 15 & 1 ? any : (any & 0x807fffff) | exponent << 23;
}

static void try_values(const isa_wave_t *w, const isa_inst_t *i, const isa_bvh_access_t *x,
                       unsigned lane, const nodes_t *nodes, uint64_t *seed, outcome_t *out)
{
    uint32_t node[ISA_BVH_NODES][ISA_BVH_DWORDS];
    isa_ray_t ray;
    for (unsigned n = 0; n < ISA_BVH_NODES; n++)
        for (unsigned d = 0; d < ISA_BVH_DWORDS; d++) {
            const uint32_t u = nodes->undefined[n][d];
            node[n][d] = (nodes->dword[n][d] & ~u) | (u ? random_dword(seed) & u : 0);
        }
    memset(out, 0, sizeof *out);
    isa_bvh_ray(w, i, lane, &ray);
    out->tested = !isa_bvh_test(x, lane, node, &ray, out->of);
    memcpy(out->of + ISA_BVH_RESULTS, ray.origin, sizeof ray.origin);
    memcpy(out->of + ISA_BVH_RESULTS + 3, ray.direction, sizeof ray.direction);
}

static void digest(uint64_t *sum, uint64_t value)
{
    *sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *sum ^= *sum >> 29;
}

/* What is known of the lane's nodes; what was known of others in its place is forgotten. */
static chk_nodes_t *known_of(chk_init_t *s, const isa_inst_t *i, const isa_bvh_access_t *x,
                             unsigned lane, const nodes_t *nodes)
{
    uint64_t sum = i->op;
    for (unsigned n = 0; n < x->n; n++) {
        digest(&sum, x->node[n].name[lane]);
        digest(&sum, x->node[n].va[lane]);
        for (unsigned d = 0; d < ISA_BVH_DWORDS; d++)
            digest(&sum, (uint64_t)nodes->dword[n][d] << 32 | nodes->undefined[n][d]);
    }
    chk_nodes_t *known = &s->nodes[sum % CHK_NODES];
    if (known->digest != sum) *known = (chk_nodes_t){.digest = sum};
    return known;
}

/* As bits: the results, and behind them the registers of the ray, that depend on undefined bytes.
 */
static unsigned depending(chk_nodes_t *known, const isa_wave_t *w, const isa_inst_t *i,
                          const isa_bvh_access_t *x, unsigned lane, const nodes_t *nodes)
{
    const unsigned ray = isa_table[i->op].marks & ISA_IS_TREE ? (1u << RAY) - 1 : 0;
    const unsigned all = ((1u << isa_operand_dwords(&i->dst)) - 1) | ray << ISA_BVH_RESULTS;
    const unsigned trials = known->clean < CLEAN ? TRIALS : FURTHER;
    uint64_t seed = 1 + known->clean; /* further lanes have values of their own */
    unsigned differ = 0;
    outcome_t first, other;
    try_values(w, i, x, lane, nodes, &seed, &first);
    for (unsigned k = 0; k < trials && differ != all; k++) {
        try_values(w, i, x, lane, nodes, &seed, &other);
        if (first.tested != other.tested) differ |= (1u << ISA_BVH_RESULTS) - 1;
        for (unsigned r = 0; r < ISA_BVH_RESULTS + RAY; r++)
            differ |= (unsigned)(first.of[r] != other.of[r]) << r;
        differ &= all;
    }
    known->clean = differ ? 0 : known->clean + 1;
    return differ;
}

/* ---- the instruction ---- */

static unsigned row_of(const chk_shadow_t *h, const isa_inst_t *i, unsigned result)
{
    const unsigned of_ray = result - ISA_BVH_RESULTS;
    if (result < ISA_BVH_RESULTS) return chk_row_of(h, &i->dst) + result;
    return of_ray < 3 ? isa_bvh_origin(i) + of_ray : isa_bvh_direction(i) + of_ray - 3;
}

void chk_access_rays(chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_bvh_access_t x;
    nodes_t nodes;
    uint64_t undefined[ISA_BVH_RESULTS + RAY] = {0};
    chk_origin_t from = {.from = CHK_FROM_NOWHERE};
    isa_row_t all;
    chk_operand_define(h, &i->dst, w->exec);
    if (isa_bvh_access(w, i, &x)) return; /* the executor reports it */
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        read_nodes(s, w, &x, lane, &nodes);
        const unsigned differ =
            nodes.first ? depending(known_of(s, i, &x, lane, &nodes), w, i, &x, lane, &nodes) : 0;
        if (differ && from.from == CHK_FROM_NOWHERE)
            from = (chk_origin_t){.from = CHK_FROM_MEMORY,
                                  .at = nodes.first,
                                  .pc = i->pc,
                                  .wave = (uint16_t)w->index_in_group,
                                  .lane = (uint8_t)lane};
        for (unsigned r = 0; r < ISA_BVH_RESULTS + RAY; r++)
            undefined[r] |= (uint64_t)(differ >> r & 1) << lane;
    }
    memset(all, 0xff, sizeof all);
    for (unsigned r = 0; r < ISA_BVH_RESULTS + RAY; r++) {
        if (r < ISA_BVH_RESULTS && r >= isa_operand_dwords(&i->dst)) continue;
        if (undefined[r]) chk_row_set(h, row_of(h, i, r), undefined[r], all, &from);
    }
}
