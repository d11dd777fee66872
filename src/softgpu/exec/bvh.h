/* bvh.h - tests of rays against nodes of trees of boxes: what image_bvh_* do.
 *
 * A tree has nodes of 64 or 128 bytes, at multiples of 64 bytes. A node's name is its address / 8,
 * and the lowest bits say what it is: a box node names its children so, too. bvh.c reads the tree's
 * descriptor and the rays, and finds the nodes; the handlers in mem_bvh.c load them; bvh_node.c and
 * bvh_compressed.c test them. The rules are those of AMD's manuals, and where these are silent
 * those of the emulation in AMD's ray tracing library GPURT: docs/softgpu.md says what is assumed.
 */
#ifndef SOFTGPU_EXEC_BVH_H
#define SOFTGPU_EXEC_BVH_H

#include "isa/table.h"
#include "softgpu/exec/wave.h"

#include <string.h>

enum {
    ISA_BVH_NODES = 2, /* nodes that an instruction can test for each lane */
    ISA_BVH_DWORDS = 32,
    ISA_BVH_RESULTS = 10,
    ISA_BVH_HALF = 64, /* bytes of the smaller nodes, and of either half of the others */
    ISA_BVH_PIECE = 16 /* bytes of a node that are loaded at a time */
};
#define ISA_BVH_NO_NODE UINT32_MAX

/* What a node is, by the three lowest bits of its name. */
typedef enum {
    ISA_BVH_TRIANGLE_LAST = 3, /* up to this: one of the triangles of a node */
    ISA_BVH_BOX_16 = 4,
    ISA_BVH_BOX_32 = 5,
    ISA_BVH_INSTANCE = 6 /* where the descriptor says so, else the program's own, as type 7 */
} isa_bvh_type_t;

/* Flags of a ray, in a tree's or a node's name from bit 54 on. */
typedef enum {
    ISA_RAY_ALL_OPAQUE = 1 << 0,
    ISA_RAY_NONE_OPAQUE = 1 << 1,
    ISA_RAY_KEEPS_FACES = 1 << 2, /* no triangle is left out for the side that it shows */
    ISA_RAY_FLIPS_FACES = 1 << 3,
    ISA_RAY_SKIPS_BACK = 1 << 4,
    ISA_RAY_SKIPS_FRONT = 1 << 5,
    ISA_RAY_SKIPS_OPAQUE = 1 << 6,
    ISA_RAY_SKIPS_OTHERS = 1 << 7, /* those that are not opaque */
    ISA_RAY_SKIPS_TRIANGLES = 1 << 8,
    ISA_RAY_SKIPS_PROCEDURAL = 1 << 9 /* shapes that the program tests itself */
} isa_ray_flag_t;
enum { ISA_RAY_FLAGS_SHIFT = 54 };

/* How children are sorted. */
typedef enum { ISA_BVH_CLOSEST, ISA_BVH_LARGEST, ISA_BVH_MIDPOINT } isa_bvh_order_t;

/* Fields of a tree's descriptor. */
typedef enum {
    ISA_TREE_BASE, /* address / 256 */
    ISA_TREE_TRIANGLES_FIRST,
    ISA_TREE_ORDER, /* isa_bvh_order_t */
    ISA_TREE_GROW,  /* by how many halves of a last place boxes are enlarged */
    ISA_TREE_SORTS,
    ISA_TREE_LAST, /* number of the last 64 bytes */
    ISA_TREE_COMPRESSED,
    ISA_TREE_PRECISE, /* nodes of the type ISA_BVH_BOX_16 have another form */
    ISA_TREE_WIDE,    /* eight children are sorted together */
    ISA_TREE_INSTANCES,
    ISA_TREE_FLAGS, /* names have flags */
    ISA_TREE_BARYCENTRIC,
    ISA_TREE_TYPE,
    ISA_TREE_COUNT
} isa_tree_field_t;

typedef struct {
    float origin[3], direction[3], inverse[3]; /* inverse: of the direction's components */
    float length;
    uint32_t mask; /* instances and children with no bit of it are not met; instructions without
                      ISA_IS_TREE have no mask, and never read this */
} isa_ray_t;

/* The nodes of one instruction. */
typedef struct {
    uint64_t tree[ISA_TREE_COUNT];
    bool eight;     /* a node has up to eight children */
    bool instances; /* nodes can be instances, which change the ray */
    bool shapes;    /* nodes of triangles can have shapes that the program tests itself, and the
                       signs of weights say what was met: isa_bvh_sign_weights() */
    unsigned n;     /* nodes of each lane */
    struct {
        _Alignas(64) uint64_t va[ISA_ROW];
        uint64_t name[ISA_ROW];
        uint64_t lanes[2]; /* that read the first half of a node, and the second half */
    } node[ISA_BVH_NODES];
} isa_bvh_access_t;

/* Computes the nodes of *i from the wave's registers and EXEC, which is not 0. Returns NULL, or the
 * reason why the instruction cannot be executed. */
const char *isa_bvh_access(const isa_wave_t *w, const isa_inst_t *i, isa_bvh_access_t *x);

/* A lane's ray. */
void isa_bvh_ray(const isa_wave_t *w, const isa_inst_t *i, unsigned lane, isa_ray_t *ray);

/* The first of the three registers of a ray's origin, and of its direction. */
unsigned isa_bvh_origin(const isa_inst_t *i);
unsigned isa_bvh_direction(const isa_inst_t *i);

/* Tests a lane's ray against its nodes, of which `nodes` has the dwords. *ray is changed by
 * instances. Returns NULL, or the reason why a node cannot be tested. */
const char *isa_bvh_test(const isa_bvh_access_t *x, unsigned lane,
                         const uint32_t nodes[ISA_BVH_NODES][ISA_BVH_DWORDS], isa_ray_t *ray,
                         uint32_t result[ISA_BVH_RESULTS]);

/* ---- what the bvh files share ---- */

/* A box node: up to eight children, those that a ray leaves out are ISA_BVH_NO_NODE. */
enum { ISA_BVH_CHILDREN = 8 };
typedef struct {
    unsigned n;
    uint32_t child[ISA_BVH_CHILDREN];
    float low[ISA_BVH_CHILDREN][3], high[ISA_BVH_CHILDREN][3];
} isa_box_node_t;

/* Bits that a box node has for each child: what the child consists of. */
enum {
    ISA_BOX_ONLY_OPAQUE = 1 << 0,
    ISA_BOX_ONLY_OTHERS = 1 << 1,
    ISA_BOX_ONLY_TRIANGLES = 1 << 2,
    ISA_BOX_ONLY_PROCEDURAL = 1 << 3
};

/* What is known of a triangle besides its corners. */
typedef struct {
    bool opaque, procedural, both_sides, flipped;
} isa_face_t;

static inline float isa_bvh_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t isa_bvh_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* bvh.c: the number that one half of a dword is. */
float isa_bvh_half(uint32_t dword, bool high);

/* bvh_node.c: the names of the children that a ray meets, in the order in which to follow them:
 * eight, or four if only nodes with four children are tested. The first four are sorted apart from
 * the rest, unless the tree is ISA_TREE_WIDE. */
void isa_bvh_boxes(const isa_bvh_access_t *x, const isa_box_node_t *node, const isa_ray_t *ray,
                   uint32_t *result);

/* Whether a ray with these flags leaves a child out for what it consists of. */
bool isa_bvh_skips(unsigned flags, unsigned child);

/* Tests a triangle: t[0] / t[1] is the distance, t[2] / t[1] and t[3] / t[1] are the weights of the
 * second and the third corner. Without a hit t[0] is infinite and t[1] is 1. */
bool isa_bvh_triangle(const isa_ray_t *ray, const float corner[3][3], float t[4]);

/* Leaves a triangle out, or changes signs, as the ray's flags and the triangle's request. */
bool isa_bvh_keeps_face(unsigned flags, const isa_face_t *face, float t[4]);

/* Gives the weights of the second and the third corner the signs that tell what was met: the first
 * is negative for a shape that the program tests itself, whose weights are 1, and the second for
 * what is not opaque. */
void isa_bvh_sign_weights(unsigned flags, const isa_face_t *face, uint32_t weight[2]);

/* bvh_compressed.c: nodes of gfx12's trees with eight children. */
const char *isa_bvh_test_eight(const isa_bvh_access_t *x, uint64_t name,
                               const uint32_t node[ISA_BVH_DWORDS], unsigned flags, isa_ray_t *ray,
                               uint32_t result[ISA_BVH_RESULTS]);

/* An instance: moves the ray into its coordinates. `children`: the node has four boxes of its own,
 * in place of the root's name. */
void isa_bvh_instance(const isa_bvh_access_t *x, const uint32_t node[ISA_BVH_DWORDS],
                      unsigned flags, bool children, isa_ray_t *ray,
                      uint32_t result[ISA_BVH_RESULTS]);

#endif
