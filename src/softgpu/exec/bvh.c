/* bvh.c - descriptors of trees, rays, and the nodes to test them against; see bvh.h.
 *
 * A family of GPUs is a row of a table with the places of a descriptor's fields. */
#include "softgpu/exec/bvh.h"

#include "softgpu/exec/texel.h"

#include <string.h>

typedef struct {
    uint8_t bit, bits; /* place in the descriptor's 128 bits */
} row_t;

#define FIELDS_OF_ALL                                                                              \
    [ISA_TREE_BASE] = {0, 40}, [ISA_TREE_GROW] = {55, 8}, [ISA_TREE_SORTS] = {63, 1},              \
    [ISA_TREE_LAST] = {64, 42}, [ISA_TREE_BARYCENTRIC] = {120, 1}, [ISA_TREE_TYPE] = {124, 4}
#define FIELDS_SINCE_GFX11 FIELDS_OF_ALL, [ISA_TREE_ORDER] = {53, 2}, [ISA_TREE_FLAGS] = {119, 1}

typedef struct {
    row_t fields[ISA_TREE_COUNT];
    bool paired; /* of 16 bits, a direction's component and its inverse share a dword */
    bool shapes; /* isa_bvh_access_t */
} family_t;

static const family_t families[] = {
    [ISA_IMAGES_GFX10] = {.fields = {FIELDS_OF_ALL}},
    [ISA_IMAGES_GFX11] = {.fields = {FIELDS_SINCE_GFX11}, .paired = true},
    [ISA_IMAGES_GFX12] =
        {.fields = {FIELDS_SINCE_GFX11, [ISA_TREE_TRIANGLES_FIRST] = {52, 1},
                    [ISA_TREE_COMPRESSED] = {115, 1}, [ISA_TREE_PRECISE] = {116, 1},
                    [ISA_TREE_WIDE] = {117, 1}, [ISA_TREE_INSTANCES] = {118, 1}},
         .paired = true,
         .shapes = true},
};

enum { TREE = 8 }; /* ISA_TREE_TYPE */

static const family_t *family_of(const isa_wave_t *w)
{
    return &families[w->group->dispatch->arch->formats->images];
}

static void read_descriptor(const isa_wave_t *w, const uint32_t *words, uint64_t *field)
{
    const uint64_t half[2] = {words[0] | (uint64_t)words[1] << 32,
                              words[2] | (uint64_t)words[3] << 32};
    for (unsigned k = 0; k < ISA_TREE_COUNT; k++) {
        const row_t *row = &family_of(w)->fields[k];
        field[k] = half[row->bit / 64] >> row->bit % 64 & ((UINT64_C(1) << row->bits) - 1);
    }
}

/* ---- the address: a ray and the names of nodes ---- */

static uint32_t dword(const isa_wave_t *w, const isa_inst_t *i, unsigned n, unsigned lane)
{
    return w->vgpr[isa_image_vgpr(i, n)][lane];
}

static bool has_tree(const isa_inst_t *i)
{
    return isa_table[i->op].marks & ISA_IS_TREE;
}

/* Dwords of a node's name, or of both names. */
static unsigned name_dwords(const isa_inst_t *i)
{
    return isa_ray_groups(i) >> 4 * (has_tree(i) ? ISA_RAY_NODES : ISA_RAY_NODE) & 15;
}

/* The dword of the address in which a part begins, ISA_RAY_*. */
static unsigned begin_of(const isa_inst_t *i, unsigned part)
{
    unsigned n = 0;
    for (uint32_t groups = isa_ray_groups(i); part; part--, groups >>= 4)
        n += groups & 15;
    return n;
}

unsigned isa_bvh_origin(const isa_inst_t *i)
{
    return isa_image_vgpr(i, begin_of(i, ISA_RAY_ORIGIN));
}

unsigned isa_bvh_direction(const isa_inst_t *i)
{
    return isa_image_vgpr(i, begin_of(i, ISA_RAY_DIRECTION));
}

float isa_bvh_half(uint32_t dword, bool high)
{
    const uint32_t bits = dword >> (high ? 16 : 0) & 0xffff;
    return isa_bvh_float(isa_texel_from_d16(&(isa_format_t){.num = ISA_NUM_FLOAT}, bits));
}

/* Directions of 16 bits: pairs of a component and its inverse, or the six one after the other. */
static void read_halves(const isa_wave_t *w, const isa_inst_t *i, unsigned first, unsigned lane,
                        isa_ray_t *ray)
{
    for (unsigned k = 0; k < 3; k++) {
        const unsigned other = k + 3;
        if (family_of(w)->paired) {
            ray->direction[k] = isa_bvh_half(dword(w, i, first + k, lane), false);
            ray->inverse[k] = isa_bvh_half(dword(w, i, first + k, lane), true);
        } else {
            ray->direction[k] = isa_bvh_half(dword(w, i, first + k / 2, lane), k % 2);
            ray->inverse[k] = isa_bvh_half(dword(w, i, first + other / 2, lane), other % 2);
        }
    }
}

void isa_bvh_ray(const isa_wave_t *w, const isa_inst_t *i, unsigned lane, isa_ray_t *ray)
{
    const unsigned length = begin_of(i, ISA_RAY_LENGTH), first = begin_of(i, ISA_RAY_ORIGIN);
    const unsigned direction = begin_of(i, ISA_RAY_DIRECTION);
    const bool halves = i->image & ISA_IMAGE_A16, inverts = has_tree(i);
    ray->length = isa_bvh_float(dword(w, i, length, lane));
    ray->mask = inverts ? dword(w, i, length + 1, lane) & 0xff : 0;
    for (unsigned k = 0; k < 3; k++)
        ray->origin[k] = isa_bvh_float(dword(w, i, first + k, lane));
    if (halves) read_halves(w, i, direction, lane, ray);
    for (unsigned k = 0; !halves && k < 3; k++) {
        ray->direction[k] = isa_bvh_float(dword(w, i, direction + k, lane));
        ray->inverse[k] =
            inverts ? 1 / ray->direction[k] : isa_bvh_float(dword(w, i, direction + 3 + k, lane));
    }
}

/* ---- nodes ---- */

#define NUMBER_BITS ((UINT64_C(1) << 42) - 1) /* of 64 bytes each */

static const char *add_node(isa_bvh_access_t *x, unsigned n, unsigned lane, uint64_t name,
                            uint64_t base)
{
    const unsigned type = name & 7;
    const uint64_t bit = UINT64_C(1) << lane;
    const bool triangle = type <= ISA_BVH_TRIANGLE_LAST;
    const bool used = type < ISA_BVH_INSTANCE || (x->instances && type == ISA_BVH_INSTANCE);
    const bool whole = x->eight || type == ISA_BVH_BOX_32; /* 128 bytes */
    const uint64_t number =
        ((base >> 3) + ((x->eight && triangle ? name & ~UINT64_C(8) : name) >> 3)) & NUMBER_BITS;
    x->node[n].name[lane] = name;
    if (!used) return NULL;
    if (number + whole > x->tree[ISA_TREE_LAST]) return "node behind its tree";
    if (type == ISA_BVH_BOX_16 && x->tree[ISA_TREE_PRECISE] && !x->eight)
        return "precise box node";
    if (type == ISA_BVH_BOX_16 && x->eight) return "undefined type of a node";
    const uint64_t va = (x->tree[ISA_TREE_BASE] << 8) + (number << 6);
    x->node[n].va[lane] = (uint64_t)((int64_t)(va << 16) >> 16);
    x->node[n].lanes[0] |= bit;
    if (whole) x->node[n].lanes[1] |= bit;
    return NULL;
}

/* The names of a lane's nodes: one, with flags if it has 64 bits, or those relative to a tree. */
static const char *add_nodes(const isa_wave_t *w, const isa_inst_t *i, isa_bvh_access_t *x,
                             unsigned lane)
{
    const bool two = name_dwords(i) == 2;
    const uint64_t low = dword(w, i, 0, lane);
    if (!has_tree(i))
        return add_node(x, 0, lane, two ? low | (uint64_t)dword(w, i, 1, lane) << 32 : low, 0);
    const uint64_t base = low | (uint64_t)dword(w, i, 1, lane) << 32;
    const uint64_t flags = base >> ISA_RAY_FLAGS_SHIFT << ISA_RAY_FLAGS_SHIFT;
    const unsigned first = begin_of(i, ISA_RAY_NODES);
    const char *why = NULL;
    for (unsigned n = 0; n < x->n && !why; n++)
        why = add_node(x, n, lane, dword(w, i, first + n, lane) | flags, base);
    return why;
}

const char *isa_bvh_access(const isa_wave_t *w, const isa_inst_t *i, isa_bvh_access_t *x)
{
    const char *why = NULL;
    read_descriptor(w, &w->sgpr[i->src[2].reg], x->tree);
    x->eight = has_tree(i) && name_dwords(i) == 1;
    x->instances = has_tree(i) && x->tree[ISA_TREE_INSTANCES];
    x->shapes = family_of(w)->shapes;
    x->n = has_tree(i) && !x->eight ? 2 : 1;
    for (unsigned n = 0; n < ISA_BVH_NODES; n++)
        x->node[n].lanes[0] = x->node[n].lanes[1] = 0;
    if (x->tree[ISA_TREE_TYPE] != TREE) return "descriptor of no tree";
    if (x->eight && !x->tree[ISA_TREE_COMPRESSED])
        return "tree that is not compressed";
    for (uint64_t left = w->exec; left && !why; left &= left - 1)
        why = add_nodes(w, i, x, (unsigned)__builtin_ctzll(left));
    return why;
}
