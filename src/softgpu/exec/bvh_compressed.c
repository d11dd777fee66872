/* bvh_compressed.c - nodes of 128 bytes of gfx12's trees: boxes as whole numbers on a grid,
 * triangles in pairs whose numbers have as many bits as they need, instances. See bvh.h. */
#include "softgpu/exec/bvh.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- boxes ---- */

enum { SIDE_BITS = 12, CHILD_DWORDS = 3 };

static unsigned bits_of(uint32_t dword, unsigned from, unsigned n)
{
    return dword >> from & ((1u << n) - 1);
}

/* A corner of a box on the grid that begins at `origin`. Distances so small that no normal number
 * has them are 0. */
static float on_grid(float origin, unsigned exponent, unsigned steps)
{
    const float distance = ldexpf((float)steps, (int)exponent - 127 - SIDE_BITS);
    return origin + (distance < FLT_MIN ? 0 : distance);
}

/* The grid: its origin, and exponents of its size, a byte each. The children, of which boxes and
 * all others have names in a row each. */
typedef struct {
    const uint32_t *origin, *children;
    uint32_t exponents;
    uint32_t boxes, others;
    unsigned n;
} grid_t;

static void read_child(const grid_t *g, unsigned c, isa_box_node_t *box)
{
    const uint32_t *child = g->children + CHILD_DWORDS * c;
    const unsigned low[3] = {bits_of(child[0], 0, 12), bits_of(child[0], 12, 12),
                             bits_of(child[1], 0, 12)};
    const unsigned high[3] = {bits_of(child[1], 12, 12), bits_of(child[2], 0, 12),
                              bits_of(child[2], 12, 12)};
    for (unsigned k = 0; k < 3; k++) {
        const float origin = isa_bvh_float(g->origin[k]);
        const unsigned exponent = bits_of(g->exponents, 8 * k, 8);
        box->low[c][k] = on_grid(origin, exponent, low[k]);
        box->high[c][k] = on_grid(origin, exponent, high[k] + 1);
    }
}

static void read_grid(grid_t *g, isa_box_node_t *box)
{
    box->n = g->n;
    for (unsigned c = 0; c < g->n; c++) {
        const uint32_t last = g->children[CHILD_DWORDS * c + 2];
        const unsigned type = bits_of(last, 24, 4), blocks = last >> 28;
        uint32_t *next = type == ISA_BVH_BOX_32 ? &g->boxes : &g->others;
        read_child(g, c, box);
        box->child[c] = *next | type;
        *next += blocks << 4; /* blocks of 128 bytes: names count 8 bytes */
    }
}

/* Flags and instances that a child is for are in the highest bytes of its first two dwords. */
static void leave_out(const isa_bvh_access_t *x, const grid_t *g, unsigned flags, uint32_t mask,
                      isa_box_node_t *box)
{
    for (unsigned c = 0; c < g->n; c++) {
        const uint32_t *child = g->children + CHILD_DWORDS * c;
        const bool skips = x->tree[ISA_TREE_FLAGS] && isa_bvh_skips(flags, child[0] >> 24);
        if (skips || !(child[1] >> 24 & mask)) box->child[c] = ISA_BVH_NO_NODE;
    }
}

static const char *test_boxes(const isa_bvh_access_t *x, const uint32_t *node, unsigned flags,
                              const isa_ray_t *ray, uint32_t *result)
{
    enum { UPRIGHT = 0x7f, NO_CHILDREN = 15, LAST_CHILD = 7 };
    const unsigned count = node[6] >> 28;
    grid_t g = {.origin = node + 3,
                .children = node + 8,
                .exponents = node[6],
                .boxes = node[0],
                .others = node[1],
                .n = count == NO_CHILDREN ? 0 : (count & LAST_CHILD) + 1};
    isa_box_node_t box;
    if ((node[7] & 0x7f) != UPRIGHT) return "boxes that are turned";
    read_grid(&g, &box);
    leave_out(x, &g, flags, ray->mask, &box);
    isa_bvh_boxes(x, &box, ray, result);
    return NULL;
}

/* ---- triangles ---- */

/* n bits of a node from bit `from` on; 0 behind its end. */
static uint32_t packed(const uint32_t *node, unsigned from, unsigned n)
{
    const unsigned k = from / 32;
    if (!n || k >= ISA_BVH_DWORDS) return 0;
    const uint64_t two = node[k] | (k + 1 < ISA_BVH_DWORDS ? (uint64_t)node[k + 1] << 32 : 0);
    return (uint32_t)(two >> from % 32 & ((UINT64_C(1) << n) - 1));
}

enum { NODE_BITS = 1024, HEAD_BITS = 52, PAIR_BITS = 29, INDEX_BITS = 4 };

/* A pair's bits: two triangles of three corners each, the second one first. */
enum { RANGE_ENDS = 0, SECOND = 1, FIRST = 15, BOTH_SIDES = 0, IS_OPAQUE = 1, CORNERS = 2 };

static unsigned pair_bits(const uint32_t *node, unsigned pair, unsigned from, unsigned n)
{
    return packed(node, NODE_BITS - PAIR_BITS * (pair + 1) + from, n);
}

static unsigned corner_of(const uint32_t *node, unsigned pair, unsigned triangle, unsigned c)
{
    const unsigned from = (triangle ? SECOND : FIRST) + CORNERS + INDEX_BITS * c;
    return pair_bits(node, pair, from, INDEX_BITS);
}

/* A corner's coordinates: bits that all corners share, then its own, then zeros. */
static void read_corner(const uint32_t *node, unsigned index, float corner[3])
{
    const unsigned zeros = packed(node, 15, 5);
    unsigned own[3], shared[3], all_own = 0, all_shared = 0;
    for (unsigned k = 0; k < 3; k++) {
        own[k] = packed(node, 5 * k, 5) + 1;
        shared[k] = own[k] + zeros < 32 ? 32 - own[k] - zeros : 0;
        all_own += own[k];
        all_shared += shared[k];
    }
    unsigned at = HEAD_BITS + all_shared + index * all_own, prefix = HEAD_BITS;
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t high = shared[k] ? packed(node, prefix, shared[k]) << (32 - shared[k]) : 0;
        corner[k] = isa_bvh_float(high | packed(node, at, own[k]) << zeros);
        prefix += shared[k];
        at += own[k];
    }
}

/* A number of triangle n, by the width of the first one's and of the others'. The first one's
 * begins at bit `first`, that of triangle n at bit `own`. Where others have fewer bits, the first
 * one has the upper bits of all. */
static uint32_t number_of(const uint32_t *node, unsigned n, unsigned first, unsigned first_bits,
                          unsigned own, unsigned own_bits)
{
    const uint32_t anchor = packed(node, first, first_bits);
    if (!n) return anchor;
    const uint32_t number = packed(node, own, own_bits);
    if (own_bits >= first_bits) return number;
    return (anchor & ~((1u << own_bits) - 1)) | number;
}

static unsigned middle_of(const uint32_t *node)
{
    return packed(node, 42, 10);
}

/* Behind the middle are the numbers of primitives, before it those of geometries, backwards. */
static uint32_t primitive_of(const uint32_t *node, unsigned n)
{
    const unsigned first = packed(node, 32, 5), own = packed(node, 37, 5);
    const unsigned at = middle_of(node);
    return number_of(node, n, at, first, at + first + (n - 1) * own, own);
}

static uint32_t geometry_of(const uint32_t *node, unsigned n)
{
    const unsigned first = 2 * packed(node, 20, 4), own = 2 * packed(node, 24, 4);
    const unsigned at = middle_of(node) - first;
    return number_of(node, n, at, first, at - n * own, own);
}

/* Where the next triangles are: 0 in the next pair, 1 in the next node, 3 nowhere. */
static unsigned next_of(const uint32_t *node, unsigned pair)
{
    const unsigned last = packed(node, 28, 3);
    if (pair_bits(node, pair, RANGE_ENDS, 1)) return 3;
    return pair == last ? 1 : 0;
}

static void test_shape(const isa_bvh_access_t *x, const uint32_t *node, unsigned pair,
                       unsigned triangle, unsigned flags, const isa_ray_t *ray, uint32_t *result)
{
    enum { PROCEDURAL = 15 };
    const unsigned bits = triangle ? SECOND : FIRST;
    const isa_face_t face = {.opaque = pair_bits(node, pair, bits + IS_OPAQUE, 1),
                             .both_sides = pair_bits(node, pair, bits + BOTH_SIDES, 1),
                             .procedural = corner_of(node, pair, triangle, 0) == PROCEDURAL &&
                                           corner_of(node, pair, triangle, 1) == PROCEDURAL};
    const uint32_t number = primitive_of(node, 2 * pair + triangle) << 1;
    float corner[3][3], t[4] = {0, 1, 0, 0};
    if (!face.procedural) {
        for (unsigned c = 0; c < 3; c++)
            read_corner(node, corner_of(node, pair, triangle, c), corner[c]);
        isa_bvh_triangle(ray, corner, t);
        t[2] /= t[1];
        t[3] /= t[1];
    }
    if (x->tree[ISA_TREE_FLAGS]) isa_bvh_keeps_face(flags, &face, t);
    result[0] = isa_bvh_bits(t[0] / t[1]);
    result[1] = isa_bvh_bits(t[2]);
    result[2] = isa_bvh_bits(t[3]);
    isa_bvh_sign_weights(flags, &face, result + 1);
    result[3] = number | isa_bvh_bits(t[1]) >> 31;
}

static void test_pair(const isa_bvh_access_t *x, uint64_t name, const uint32_t *node,
                      unsigned flags, const isa_ray_t *ray, uint32_t *result)
{
    const unsigned pair = (unsigned)((name & 3) | (name & 8) >> 1);
    const unsigned next = next_of(node, pair);
    const bool second = pair_bits(node, pair, SECOND + CORNERS, 3 * INDEX_BITS);
    test_shape(x, node, pair, 0, flags, ray, result);
    if (second) {
        test_shape(x, node, pair, 1, flags, ray, result + 4);
    } else {
        result[4] = isa_bvh_bits(INFINITY);
        result[5] = result[6] = isa_bvh_bits(1);
        result[7] = 0;
    }
    for (unsigned n = 0; n < 2; n++)
        result[8 + n] = geometry_of(node, 2 * pair + n) << 2 | next;
}

/* ---- instances ---- */

/* The ray in the coordinates of the instance: its first twelve dwords are three rows of a matrix.
 * Sums begin at the last column, and each is rounded once with the product that it adds. */
static void move_ray(const uint32_t *node, isa_ray_t *ray)
{
    float origin[3], direction[3];
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t *row = node + 4 * k;
        float at = isa_bvh_float(row[3]), along = 0;
        for (unsigned c = 3; c--;) {
            const float m = isa_bvh_float(row[c]);
            at = fmaf(ray->origin[c], m, at);
            along = c == 2 ? ray->direction[c] * m : fmaf(ray->direction[c], m, along);
        }
        origin[k] = at;
        direction[k] = along;
    }
    memcpy(ray->origin, origin, sizeof origin);
    memcpy(ray->direction, direction, sizeof direction);
    for (unsigned k = 0; k < 3; k++)
        ray->inverse[k] = 1 / direction[k];
}

/* An instance is for some rays, by its mask and by what its tree consists of. */
static bool is_met(const uint32_t *node, unsigned flags, uint32_t mask)
{
    enum { OF_PROCEDURAL = 1 << 30 }; /* of the upper half of the tree's name */
    const unsigned skips =
        node[13] & OF_PROCEDURAL ? ISA_RAY_SKIPS_PROCEDURAL : ISA_RAY_SKIPS_TRIANGLES;
    return node[15] >> 24 & mask && !(flags & skips);
}

/* The flags of the tree below: whether all is opaque says the ray, if it says so at all. */
static uint64_t tree_below(const uint32_t *node, unsigned flags)
{
    const unsigned says = ISA_RAY_ALL_OPAQUE | ISA_RAY_NONE_OPAQUE;
    const uint64_t name = node[12] | (uint64_t)node[13] << 32;
    const uint64_t address = (UINT64_C(1) << ISA_RAY_FLAGS_SHIFT) - 8;
    unsigned own = (unsigned)(name >> ISA_RAY_FLAGS_SHIFT);
    if (flags & says) own &= ~says;
    return (name & address) | (uint64_t)(own | flags) << ISA_RAY_FLAGS_SHIFT;
}

/* The types of the children that the ray meets, a byte each, of up to four boxes. */
static uint32_t children_met(const isa_bvh_access_t *x, const uint32_t *node, const isa_ray_t *ray)
{
    uint32_t result[ISA_BVH_CHILDREN], met = 0;
    grid_t g = {.origin = node + 16,
                .children = node + 20,
                .exponents = node[19],
                .n = bits_of(node[19], 28, 2) + 1};
    isa_box_node_t box;
    read_grid(&g, &box);
    isa_bvh_boxes(x, &box, ray, result);
    for (unsigned c = 0; c < 4; c++)
        met |= (result[c] & 0xff) << 8 * c;
    return met;
}

void isa_bvh_instance(const isa_bvh_access_t *x, const uint32_t node[ISA_BVH_DWORDS],
                      unsigned flags, bool children, isa_ray_t *ray,
                      uint32_t result[ISA_BVH_RESULTS])
{
    const uint64_t below = tree_below(node, flags);
    memset(result, 0xff, ISA_BVH_RESULTS * sizeof *result);
    result[2] = (uint32_t)below;
    result[3] = (uint32_t)(below >> 32);
    result[6] = node[15] & 0xffffff;
    if (!is_met(node, flags, ray->mask)) return;
    move_ray(node, ray);
    result[7] = children ? children_met(x, node, ray) : node[14];
}

/* ---- all nodes ---- */

const char *isa_bvh_test_eight(const isa_bvh_access_t *x, uint64_t name,
                               const uint32_t node[ISA_BVH_DWORDS], unsigned flags, isa_ray_t *ray,
                               uint32_t result[ISA_BVH_RESULTS])
{
    const unsigned type = name & 7;
    memset(result, 0xff, ISA_BVH_RESULTS * sizeof *result);
    if (type <= ISA_BVH_TRIANGLE_LAST)
        test_pair(x, name, node, flags, ray, result);
    else if (type == ISA_BVH_BOX_32)
        return test_boxes(x, node, flags, ray, result);
    else if (type == ISA_BVH_INSTANCE && x->instances)
        isa_bvh_instance(x, node, flags, true, ray, result);
    return NULL;
}
