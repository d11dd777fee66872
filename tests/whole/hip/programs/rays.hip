// rays.hip - rays through a tree of boxes with triangles in it, by the instruction that tests a ray
// against a node. The host tests each triangle, in whole numbers.
#include "check.h"

#include <algorithm>

typedef float float_4 __attribute__((ext_vector_type(4)));
typedef unsigned unsigned_4 __attribute__((ext_vector_type(4)));

// The tree: a root, INNER boxes in it, four triangles in each. A node has 64 bytes; its name is its
// number * 8 and its type.
constexpr unsigned INNER = 4, TRIANGLES = 4 * INNER, NODES = 1 + INNER + TRIANGLES, RAYS = 4096,
                   NONE = ~0u;
enum : unsigned { TRIANGLE = 0, BOXES = 5 };

struct ray {
    int origin[3], direction[3];
};

struct triangle {
    int corner[3][3];
};

struct node {
    unsigned dword[16];
};

__global__ void trace(unsigned_4 tree, const ray *rays, unsigned *hits)
{
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    const ray r = rays[n];
    const float_4 origin = {(float)r.origin[0], (float)r.origin[1], (float)r.origin[2], 0};
    const float_4 direction = {(float)r.direction[0], (float)r.direction[1], (float)r.direction[2],
                               0};
    const float_4 inverse = {1 / direction.x, 1 / direction.y, 1 / direction.z, 0};
    unsigned todo[2 * 4 + 1] = {BOXES}, left = 1, found = NONE;
    float nearest = INFINITY;
    while (left) {
        const unsigned name = todo[--left];
        const unsigned_4 result = __builtin_amdgcn_image_bvh_intersect_ray(
            name, nearest, origin, direction, inverse, tree);
        if (name % 8 == BOXES) {
            for (unsigned k = 4; k--;) // the closest is taken next
                if (result[k] != NONE) todo[left++] = result[k];
        } else {
            const float distance = __uint_as_float(result.x) / __uint_as_float(result.y);
            if (distance < nearest) {
                nearest = distance;
                found = result.z;
            }
        }
    }
    hits[n] = found;
}

static void put_box(node &n, unsigned child, unsigned name, const int low[3], const int high[3])
{
    n.dword[child] = name;
    for (unsigned k = 0; k < 3; k++) {
        const float bounds[2] = {(float)low[k], (float)high[k]};
        std::memcpy(&n.dword[4 + 6 * child + k], &bounds[0], 4);
        std::memcpy(&n.dword[4 + 6 * child + 3 + k], &bounds[1], 4);
    }
}

static void put_triangle(node &n, const triangle &t, unsigned id)
{
    for (unsigned k = 0; k < 9; k++) {
        const float x = (float)t.corner[k / 3][k % 3];
        std::memcpy(&n.dword[k], &x, 4);
    }
    n.dword[15] = id;
}

static void bounds_of(const triangle *t, unsigned count, int low[3], int high[3])
{
    for (unsigned k = 0; k < 3; k++) {
        low[k] = high[k] = t->corner[0][k];
        for (unsigned c = 0; c < 3 * count; c++) {
            low[k] = std::min(low[k], t[c / 3].corner[c % 3][k]);
            high[k] = std::max(high[k], t[c / 3].corner[c % 3][k]);
        }
    }
}

// A node of boxes has 128 bytes.
static std::vector<node> plant(const std::vector<triangle> &triangles)
{
    std::vector<node> tree(2 * NODES);
    for (unsigned b = 0; b < INNER; b++) {
        const unsigned inner = 2 + 2 * b;
        int low[3], high[3];
        bounds_of(&triangles[4 * b], 4, low, high);
        put_box(tree[0], b, inner * 8 + BOXES, low, high);
        for (unsigned k = 0; k < 4; k++) {
            const unsigned id = 4 * b + k, leaf = 2 + 2 * INNER + id;
            bounds_of(&triangles[id], 1, low, high);
            put_box(tree[inner], k, leaf * 8 + TRIANGLE, low, high);
            put_triangle(tree[leaf], triangles[id], id);
        }
    }
    return tree;
}

static long long determinant(const int a[3], const int b[3], const int c[3])
{
    return (long long)a[0] * (b[1] * c[2] - b[2] * c[1]) -
           (long long)b[0] * (a[1] * c[2] - a[2] * c[1]) +
           (long long)c[0] * (a[1] * b[2] - a[2] * b[1]);
}

// How far away the ray meets the triangle; infinity: nowhere.
static double distance_of(const ray &r, const triangle &t)
{
    int back[3], e1[3], e2[3], from[3];
    for (unsigned k = 0; k < 3; k++) {
        back[k] = -r.direction[k];
        e1[k] = t.corner[1][k] - t.corner[0][k];
        e2[k] = t.corner[2][k] - t.corner[0][k];
        from[k] = r.origin[k] - t.corner[0][k];
    }
    const long long by = determinant(back, e1, e2), sign = by < 0 ? -1 : 1;
    const long long far = sign * determinant(from, e1, e2), i = sign * determinant(back, from, e2),
                    j = sign * determinant(back, e1, from);
    if (!by || far < 0 || i < 0 || j < 0 || i + j > sign * by) return INFINITY;
    return (double)far / (double)(sign * by);
}

static bool is_right(const ray &r, const std::vector<triangle> &triangles, unsigned found)
{
    double nearest = INFINITY;
    for (const triangle &t : triangles)
        nearest = std::min(nearest, distance_of(r, t));
    if (found == NONE) return std::isinf(nearest);
    return found < TRIANGLES && std::fabs(distance_of(r, triangles[found]) - nearest) < 1e-5;
}

int main()
{
    uint32_t state = 7;
    const auto below = [&](unsigned n) { return (int)(next_random(state) % n); };
    std::vector<triangle> triangles(TRIANGLES);
    for (unsigned n = 0; n < TRIANGLES; n++)
        for (unsigned k = 0; k < 9; k++) // four in each corner of a square
            triangles[n].corner[k / 3][k % 3] =
                below(24) - 12 + (k % 3 < 2 ? (n >> (2 + k % 3) & 1) * 24 - 12 : 0);
    std::vector<ray> rays(RAYS);
    for (ray &r : rays)
        for (unsigned k = 0; k < 3; k++) {
            static const int steps[] = {-4, -2, -1, 1, 2, 4};
            r.origin[k] = below(49) - 24;
            r.direction[k] = steps[below(6)];
        }
    const device_array<node> tree(plant(triangles));
    const device_array<ray> sent(rays);
    const device_array<unsigned> hits(RAYS);
    const uint64_t base = (uint64_t)(uintptr_t)tree.data >> 8;
    const unsigned sorts = 1u << 31, type = 8u << 28;
    const unsigned_4 descriptor = {(unsigned)base, (unsigned)(base >> 32) | sorts, 2 * NODES - 1,
                                   type};
    trace<<<RAYS / 64, 64>>>(descriptor, sent.data, hits.data);
    HIP(hipGetLastError());
    const std::vector<unsigned> found = hits.host();
    size_t wrong = 0, met = 0;
    for (unsigned n = 0; n < RAYS; n++) {
        wrong += !is_right(rays[n], triangles, found[n]);
        met += found[n] != NONE;
    }
    report("rays", RAYS, wrong);
    std::printf("%zu meet a triangle\n", met);
    return wrong_total;
}
