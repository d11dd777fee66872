/* bvh_node.c - tests of rays against boxes and triangles, and the nodes of 64 bytes and their like,
 * see bvh.h.
 *
 * Every operation rounds to the nearest f32, in the order in which it is written here. */
#include "softgpu/exec/bvh.h"

#include <math.h>
#include <string.h>

/* ---- boxes ---- */

/* Where a ray is inside a box: from `enter` to `leave`, which are limited to the ray's length, and
 * from `first` to `last`, which are not. */
typedef struct {
    float enter, leave, first, last;
} span_t;

static span_t span_of(const isa_ray_t *ray, const float low[3], const float high[3])
{
    float near[3], far[3];
    for (unsigned k = 0; k < 3; k++) {
        const float of_low = (low[k] - ray->origin[k]) * ray->inverse[k];
        const float of_high = (high[k] - ray->origin[k]) * ray->inverse[k];
        const bool forward = ray->inverse[k] >= 0;
        near[k] = forward ? of_low : of_high;
        far[k] = forward ? of_high : of_low;
    }
    span_t s = {.first = fmaxf(fmaxf(near[0], near[1]), near[2]),
                .last = fminf(fminf(far[0], far[1]), far[2])};
    s.enter = fmaxf(s.first, 0);
    s.leave = fminf(s.last, ray->length);
    if (isnan(s.first) || isnan(s.last)) {
        s.enter = INFINITY;
        s.leave = -INFINITY;
    }
    if (isnan(s.first)) s.first = 0;
    if (isnan(s.last)) s.last = INFINITY;
    return s;
}

static float key_of(unsigned order, const span_t *s)
{
    if (order == ISA_BVH_LARGEST) return s->enter - s->leave;
    return order == ISA_BVH_MIDPOINT ? s->first + s->last : s->enter;
}

/* A child and its place among the others: by class first, then by key. */
typedef struct {
    uint32_t name;
    unsigned class;
    float key;
} place_t;

static void sort_two(place_t *p, unsigned a, unsigned b)
{
    const bool swap = p[a].class == p[b].class ? p[b].key < p[a].key : p[b].class < p[a].class;
    if (!swap) return;
    const place_t first = p[a];
    p[a] = p[b];
    p[b] = first;
}

/* A network of comparisons: the order of equal children follows from it. */
static void sort(place_t *p, bool all)
{
    static const uint8_t halves[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 1},
                                        {2, 3}, {4, 5}, {6, 7}, {1, 2}, {5, 6}};
    static const uint8_t both[][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4},
                                      {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    for (unsigned k = 0; k < sizeof halves / sizeof *halves; k++)
        sort_two(p, halves[k][0], halves[k][1]);
    for (unsigned k = 0; all && k < sizeof both / sizeof *both; k++)
        sort_two(p, both[k][0], both[k][1]);
}

/* Triangles can come first, those of a second place in a node before the rest. */
static unsigned class_of(const isa_bvh_access_t *x, uint32_t name)
{
    const unsigned type = name & 7, none = name == ISA_BVH_NO_NODE ? 4 : 0;
    if (!x->tree[ISA_TREE_TRIANGLES_FIRST]) return none;
    return none | (type > ISA_BVH_TRIANGLE_LAST ? 2 : 0) | (x->eight && type != 1 ? 1 : 0);
}

/* Of children that follow one another and have one name, the first that is met stays. */
static void drop_repeated(place_t *p)
{
    uint32_t previous = p[0].name;
    for (unsigned k = 1; k < ISA_BVH_CHILDREN; k++) {
        if (p[k].name == previous)
            p[k].name = ISA_BVH_NO_NODE;
        else
            previous = p[k].name;
    }
}

void isa_bvh_boxes(const isa_bvh_access_t *x, const isa_box_node_t *node, const isa_ray_t *ray,
                   uint32_t *result)
{
    const float half_place = 0x1p-24f;
    const float grown = 1 + (float)x->tree[ISA_TREE_GROW] * half_place;
    place_t p[ISA_BVH_CHILDREN];
    for (unsigned k = 0; k < ISA_BVH_CHILDREN; k++) {
        p[k] = (place_t){.name = ISA_BVH_NO_NODE};
        if (k >= node->n) continue;
        const span_t s = span_of(ray, node->low[k], node->high[k]);
        if (s.enter <= s.leave * grown) p[k].name = node->child[k];
        p[k].key = key_of((unsigned)x->tree[ISA_TREE_ORDER], &s);
    }
    const bool eight = x->eight || node->n > 4;
    if (x->eight) drop_repeated(p);
    for (unsigned k = 0; k < ISA_BVH_CHILDREN; k++)
        p[k].class = class_of(x, p[k].name);
    if (x->tree[ISA_TREE_SORTS]) sort(p, eight && x->tree[ISA_TREE_WIDE]);
    for (unsigned k = 0; k < (eight ? ISA_BVH_CHILDREN : 4); k++)
        result[k] = p[k].name;
}

bool isa_bvh_skips(unsigned flags, unsigned child)
{
    const bool all = flags & ISA_RAY_ALL_OPAQUE, none = flags & ISA_RAY_NONE_OPAQUE;
    const bool opaque = (child & ISA_BOX_ONLY_OPAQUE || all) && !none;
    const bool others = (child & ISA_BOX_ONLY_OTHERS || none) && !all;
    return (opaque && flags & ISA_RAY_SKIPS_OPAQUE) || (others && flags & ISA_RAY_SKIPS_OTHERS) ||
           (child & ISA_BOX_ONLY_TRIANGLES && flags & ISA_RAY_SKIPS_TRIANGLES) ||
           (child & ISA_BOX_ONLY_PROCEDURAL && flags & ISA_RAY_SKIPS_PROCEDURAL);
}

/* The box of child c of a node: low x, y, z, high x, y, z. */
static void read_box_32(const uint32_t *node, unsigned c, float low[3], float high[3])
{
    for (unsigned k = 0; k < 3; k++) {
        low[k] = isa_bvh_float(node[4 + 6 * c + k]);
        high[k] = isa_bvh_float(node[7 + 6 * c + k]);
    }
}

static float half_at(const uint32_t *node, unsigned n)
{
    return isa_bvh_half(node[n / 2], n & 1);
}

static void read_box_16(const uint32_t *node, unsigned c, float low[3], float high[3])
{
    for (unsigned k = 0; k < 3; k++) {
        low[k] = half_at(node + 4, 6 * c + k);
        high[k] = half_at(node + 4, 6 * c + 3 + k);
    }
}

static bool has_boxes(unsigned type)
{
    return type == ISA_BVH_BOX_16 || type == ISA_BVH_BOX_32;
}

/* Adds the four children of a node to those in *box. */
static void add_boxes(unsigned type, const uint32_t *node, unsigned flags, isa_box_node_t *box)
{
    enum { CHILDRENS_FLAGS = 28 }; /* a byte for each child */
    for (unsigned c = 0; c < 4; c++, box->n++) {
        const bool of_16 = type == ISA_BVH_BOX_16;
        const bool skips = !of_16 && isa_bvh_skips(flags, node[CHILDRENS_FLAGS] >> 8 * c & 0xff);
        (of_16 ? read_box_16 : read_box_32)(node, c, box->low[box->n], box->high[box->n]);
        box->child[box->n] = skips ? ISA_BVH_NO_NODE : node[c];
    }
}

/* ---- triangles ---- */

static void cross(const float a[3], const float b[3], float c[3])
{
    for (unsigned k = 0; k < 3; k++) {
        const unsigned m = (k + 1) % 3, n = (k + 2) % 3;
        c[k] = a[m] * b[n] - a[n] * b[m];
    }
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool isa_bvh_triangle(const isa_ray_t *ray, const float corner[3][3], float t[4])
{
    float e1[3], e2[3], e3[3], s1[3], s2[3];
    for (unsigned k = 0; k < 3; k++) {
        e1[k] = corner[1][k] - corner[0][k];
        e2[k] = corner[2][k] - corner[0][k];
        e3[k] = ray->origin[k] - corner[0][k];
    }
    cross(ray->direction, e2, s1);
    cross(e3, e1, s2);
    t[0] = dot(e2, s2);
    t[1] = dot(s1, e1);
    t[2] = dot(e3, s1);
    t[3] = dot(ray->direction, s2);
    const float distance = t[0] / t[1], u = t[2] / t[1], v = t[3] / t[1];
    const bool hit = u >= 0 && u <= 1 && v >= 0 && u + v <= 1 && distance >= 0;
    if (!hit) {
        t[0] = INFINITY;
        t[1] = 1;
    }
    return hit;
}

static bool is_opaque(unsigned flags, const isa_face_t *face)
{
    return flags & ISA_RAY_ALL_OPAQUE || (!(flags & ISA_RAY_NONE_OPAQUE) && face->opaque);
}

void isa_bvh_sign_weights(unsigned flags, const isa_face_t *face, uint32_t weight[2])
{
    const uint32_t sign = UINT32_C(1) << 31;
    for (unsigned k = 0; k < 2; k++)
        weight[k] = face->procedural ? isa_bvh_bits(1) : weight[k] & ~sign;
    if (face->procedural) weight[0] |= sign;
    if (!is_opaque(flags, face)) weight[1] |= sign;
}

bool isa_bvh_keeps_face(unsigned flags, const isa_face_t *face, float t[4])
{
    const bool flips = !(flags & ISA_RAY_FLIPS_FACES) != !face->flipped;
    const bool front = (t[1] >= 0) != flips;
    const bool any_side = flags & ISA_RAY_KEEPS_FACES || face->both_sides || face->procedural;
    if (flips && !face->procedural) {
        t[0] = -t[0];
        t[1] = -t[1];
    }
    const unsigned skips = (any_side ? 0
                            : front  ? ISA_RAY_SKIPS_FRONT
                                     : ISA_RAY_SKIPS_BACK) |
                           (is_opaque(flags, face) ? ISA_RAY_SKIPS_OPAQUE : ISA_RAY_SKIPS_OTHERS) |
                           (face->procedural ? ISA_RAY_SKIPS_PROCEDURAL : ISA_RAY_SKIPS_TRIANGLES);
    if (!(flags & skips)) return true;
    t[0] = INFINITY;
    t[1] = 1;
    t[2] = t[3] = 0;
    return false;
}

/* The weights of two of the corners: which ones the triangle's bits say, where the corners of a
 * node were turned so that triangles share them. */
static void turn_weights(const float t[4], unsigned bits, uint32_t result[4])
{
    const float weight[4] = {t[1] - t[2] - t[3], t[2], t[3], 0};
    result[2] = isa_bvh_bits(weight[bits & 3]);
    result[3] = isa_bvh_bits(weight[bits >> 2 & 3]);
}

/* A node has up to four triangles that share corners. Its last dword has eight bits for each. */
static void test_triangle(const isa_bvh_access_t *x, unsigned type, const uint32_t *node,
                          unsigned flags, const isa_ray_t *ray, uint32_t result[4])
{
    enum { BITS = 15, OPAQUE = 1 << 7, PROCEDURAL = 1 << 6, FLIPPED = 1 << 5, BOTH = 1 << 4 };
    static const uint8_t corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
    const unsigned bits = node[BITS] >> 8 * type & 0xff;
    const isa_face_t face = {.opaque = bits & OPAQUE,
                             .procedural = x->shapes && bits & PROCEDURAL,
                             .flipped = bits & FLIPPED,
                             .both_sides = bits & BOTH};
    float corner[3][3], t[4] = {0, 1, 0, 0};
    for (unsigned c = 0; c < 3; c++)
        for (unsigned k = 0; k < 3; k++)
            corner[c][k] = isa_bvh_float(node[3 * corners[type][c] + k]);
    const bool hit = face.procedural || isa_bvh_triangle(ray, corner, t);
    const float weights[4] = {t[0], t[1], t[2], t[3]};
    const bool kept = !x->tree[ISA_TREE_FLAGS] || isa_bvh_keeps_face(flags, &face, t);
    result[0] = isa_bvh_bits(t[0]);
    result[1] = isa_bvh_bits(t[1]);
    if (!x->tree[ISA_TREE_BARYCENTRIC]) {
        result[2] = node[BITS];
        result[3] = hit && kept;
        return;
    }
    if (kept)
        turn_weights(weights, bits, result);
    else
        result[2] = result[3] = 0;
    if (x->shapes) isa_bvh_sign_weights(flags, &face, result + 2);
}

/* ---- all nodes ---- */

/* Nodes of trees with four children. */
static void test_four(const isa_bvh_access_t *x, uint64_t name, const uint32_t *node,
                      unsigned flags, const isa_ray_t *ray, uint32_t result[4])
{
    const unsigned type = name & 7;
    if (type <= ISA_BVH_TRIANGLE_LAST) {
        test_triangle(x, type, node, flags, ray, result);
    } else if (has_boxes(type)) {
        isa_box_node_t box = {.n = 0};
        add_boxes(type, node, flags, &box);
        isa_bvh_boxes(x, &box, ray, result);
    } else {
        memset(result, 0xff, 4 * sizeof *result); /* the program's own */
    }
}

/* Two nodes of a tree with four children. With an instance there is no other node. If eight
 * children are sorted together, so are those of two nodes. */
static void test_two(const isa_bvh_access_t *x, unsigned lane,
                     const uint32_t nodes[ISA_BVH_NODES][ISA_BVH_DWORDS], unsigned flags,
                     isa_ray_t *ray, uint32_t result[ISA_BVH_RESULTS])
{
    enum { GEOMETRY = 14 }; /* dword of a triangle's node */
    const unsigned type[2] = {x->node[0].name[lane] & 7, x->node[1].name[lane] & 7};
    memset(result, 0xff, ISA_BVH_RESULTS * sizeof *result);
    if (x->instances && type[0] == ISA_BVH_INSTANCE) {
        if (type[1] != ISA_BVH_INSTANCE) isa_bvh_instance(x, nodes[0], flags, false, ray, result);
        return;
    }
    if (x->tree[ISA_TREE_WIDE] && has_boxes(type[0]) && has_boxes(type[1])) {
        isa_box_node_t box = {.n = 0};
        for (unsigned n = 0; n < 2; n++)
            add_boxes(type[n], nodes[n], flags, &box);
        isa_bvh_boxes(x, &box, ray, result);
        return;
    }
    for (unsigned n = 0; n < 2; n++) {
        test_four(x, x->node[n].name[lane], nodes[n], flags, ray, result + 4 * n);
        if (type[n] <= ISA_BVH_TRIANGLE_LAST) result[8 + n] = nodes[n][GEOMETRY];
    }
}

const char *isa_bvh_test(const isa_bvh_access_t *x, unsigned lane,
                         const uint32_t nodes[ISA_BVH_NODES][ISA_BVH_DWORDS], isa_ray_t *ray,
                         uint32_t result[ISA_BVH_RESULTS])
{
    const uint64_t name = x->node[0].name[lane];
    const unsigned flags = x->tree[ISA_TREE_FLAGS] ? (unsigned)(name >> ISA_RAY_FLAGS_SHIFT) : 0;
    if (x->eight) return isa_bvh_test_eight(x, name, nodes[0], flags, ray, result);
    if (x->n == 2)
        test_two(x, lane, nodes, flags, ray, result);
    else
        test_four(x, name, nodes[0], flags, ray, result);
    return NULL;
}
