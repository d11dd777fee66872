/* mem_bvh.c - tests of rays against nodes of trees (image_bvh_*): loads the nodes, writes results.
 *
 * bvh.h finds the nodes and tests them. A file of its own beside mem_image.c because there is no
 * image. */
#include "softgpu/exec/bvh.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_lanes.h"

#include <string.h>

typedef struct {
    isa_row_t row[ISA_BVH_NODES][ISA_BVH_DWORDS];
} nodes_t;

/* Loads the first or the second half of the lanes' nodes number n, a piece at a time. */
static void load_half(isa_wave_t *w, const isa_bvh_access_t *x, unsigned n, unsigned half,
                      nodes_t *nodes)
{
    enum { DWORDS = ISA_BVH_HALF / 4, PIECE = ISA_BVH_PIECE / 4 };
    isa_lanes_t at = {.exec = x->node[n].lanes[half], .dword_step = 4};
    for (unsigned d = half * DWORDS; at.exec && !w->stop && d < (half + 1) * DWORDS; d += PIECE) {
        for (uint64_t left = at.exec; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            at.va[l] = x->node[n].va[l] + 4 * d;
        }
        isa_lanes_load(w, &at, &nodes->row[n][d], PIECE);
    }
}

static void put_ray(isa_wave_t *w, const isa_inst_t *i, unsigned lane, const isa_ray_t *ray)
{
    const unsigned first = isa_bvh_origin(i), direction = isa_bvh_direction(i);
    for (unsigned k = 0; k < 3; k++) {
        w->vgpr[first + k][lane] = isa_bvh_bits(ray->origin[k]);
        w->vgpr[direction + k][lane] = isa_bvh_bits(ray->direction[k]);
    }
}

static void test_lane(isa_wave_t *w, const isa_inst_t *i, const isa_bvh_access_t *x, unsigned lane,
                      const nodes_t *nodes)
{
    uint32_t node[ISA_BVH_NODES][ISA_BVH_DWORDS], result[ISA_BVH_RESULTS];
    isa_ray_t ray;
    for (unsigned n = 0; n < ISA_BVH_NODES; n++)
        for (unsigned d = 0; d < ISA_BVH_DWORDS; d++)
            node[n][d] = nodes->row[n][d][lane];
    isa_bvh_ray(w, i, lane, &ray);
    const char *why = isa_bvh_test(x, lane, node, &ray, result);
    if (why) {
        isa_stop_unsupported(w, i, why);
        return;
    }
    if (x->instances) put_ray(w, i, lane, &ray);
    isa_row_t *rows = isa_row_of(w, &i->dst);
    for (unsigned d = 0; d < isa_operand_dwords(&i->dst); d++)
        rows[d][lane] = result[d];
}

static void test_rays(isa_wave_t *w, const isa_inst_t *i)
{
    isa_bvh_access_t x;
    nodes_t nodes;
    const char *why = w->exec ? isa_bvh_access(w, i, &x) : NULL;
    if (why) isa_stop_unsupported(w, i, why);
    if (!w->exec || why) return;
    memset(&nodes, 0, sizeof nodes);
    for (unsigned k = 0; k < 2 * x.n && !w->stop; k++)
        load_half(w, &x, k / 2, k % 2, &nodes);
    for (uint64_t left = w->exec; left && !w->stop; left &= left - 1)
        test_lane(w, i, &x, (unsigned)__builtin_ctzll(left), &nodes);
}

#define RAYS(name)                                                                                 \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        test_rays(w, i);                                                                           \
    }

RAYS(image_bvh_intersect_ray)
RAYS(image_bvh64_intersect_ray)
RAYS(image_bvh_dual_intersect_ray)
RAYS(image_bvh8_intersect_ray)
