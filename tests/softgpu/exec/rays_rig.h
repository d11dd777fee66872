/* rays_rig.h - rays and trees for the tests of image_bvh_*.
 *
 * Coordinates are small whole numbers and directions powers of two: then all that an instruction
 * computes is exact, and expected values follow from whole numbers, whatever the order of sums. */
#ifndef TESTS_ISA_RAYS_RIG_H
#define TESTS_ISA_RAYS_RIG_H

#include "words_rig.h"

#include <math.h>

enum { NODE = 64, RESULT = 30, DESCRIPTOR = 4 };
enum { TRIANGLE = 0, BOX_16 = 4, BOX_32 = 5, INSTANCE = 6, USER = 7 };
#define NOTHING UINT32_MAX

/* Bits of a descriptor's second and fourth dword. */
enum { SORTS = 1u << 31, TRIANGLES_FIRST = 1 << 20, ORDER_SHIFT = 21, GROW_SHIFT = 23 };
enum {
    TYPE = 8u << 28,
    BARYCENTRIC = 1 << 24,
    FLAGS = 1 << 23,
    INSTANCES = 1 << 22,
    WIDE = 1 << 21,
    COMPRESSED = 1 << 19
};

typedef struct {
    int origin[3], direction[3];
    int length;
} ray_t;

/* An instruction of one GPU; registers v0 on have the address, v30 on get the results. */
typedef struct {
    const char *gpu, *text;
    uint32_t words[3];
    unsigned n;
} code_t;

static inline uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static inline int below(unsigned n)
{
    return (int)(random32() % n);
}

static inline unsigned lanes(void)
{
    return rig->core->lanes;
}

static inline uint32_t *dword_of(unsigned node, unsigned dword)
{
    return (uint32_t *)(void *)rig->data + node * (NODE / 4) + dword;
}

/* The name of node number n of a tree whose base is the data's begin. */
static inline uint32_t name(unsigned n, unsigned type)
{
    return n << 3 | type;
}

static inline void describe(uint32_t second, uint32_t fourth)
{
    uint32_t *d = &rig->wave.sgpr[DESCRIPTOR];
    d[0] = (uint32_t)(WORDS_DATA >> 8);
    d[1] = (uint32_t)(WORDS_DATA >> 40) | second;
    d[2] = sizeof rig->data / NODE - 1;
    d[3] = TYPE | fourth;
}

static inline ray_t any_ray(void)
{
    ray_t ray = {.length = 1 + below(12)};
    for (unsigned k = 0; k < 3; k++) {
        static const int steps[] = {-4, -2, -1, 1, 2, 4};
        ray.origin[k] = below(17) - 8;
        ray.direction[k] = steps[below(6)];
    }
    return ray;
}

/* Puts a lane's ray into registers from `first` on: length, what stands between, origin, direction,
 * and its inverse if the instruction wants it. */
static inline void put_ray(unsigned first, unsigned between, unsigned lane, const ray_t *ray,
                           bool inverse)
{
    const unsigned at = first + 1 + between;
    rig->rows[first][lane] = f((float)ray->length);
    for (unsigned k = 0; k < 3; k++) {
        rig->rows[at + k][lane] = f((float)ray->origin[k]);
        rig->rows[at + 3 + k][lane] = f((float)ray->direction[k]);
        if (inverse) rig->rows[at + 6 + k][lane] = f(1.0f / (float)ray->direction[k]);
    }
}

static inline uint32_t result(unsigned n, unsigned lane)
{
    return rig->rows[RESULT + n][lane];
}

/* Of a zero the sign does not matter: it is that of a product. */
static inline void expect_number(unsigned lane, unsigned n, float want)
{
    if (number(result(n, lane)) != want)
        fail_msg("lane %u: result %u is %g, not %g", lane, n, (double)number(result(n, lane)),
                 (double)want);
}

/* A weight as GPUs with signs in weights have it: its size, negative if `sign`. */
static inline float signed_weight(float weight, bool sign)
{
    return copysignf(weight, sign ? -1.0f : 1.0f);
}

static inline void run(const code_t *c)
{
    words_do(c->text, c->words, c->n);
}

static inline void refused(const code_t *c, const char *why)
{
    words_load(c->text, c->words, c->n);
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_UNSUPPORTED);
    if (!strstr(rig->wave.message, why))
        fail_msg("%s: \"%s\" lacks \"%s\"", c->text, rig->wave.message, why);
    rig->wave.stop = ISA_RUN;
}

/* ---- boxes: by the distances at which a ray passes their planes ---- */

typedef struct {
    int low[3], high[3];
} box_t;

static inline box_t any_box(void)
{
    box_t b;
    for (unsigned k = 0; k < 3; k++) {
        b.low[k] = below(16) - 10;
        b.high[k] = b.low[k] + 4 + below(12);
    }
    return b;
}

/* Puts child c of a node with four boxes of 32 bits. */
static inline void put_box(unsigned node, unsigned c, uint32_t child, const box_t *b)
{
    *dword_of(node, c) = child;
    for (unsigned k = 0; k < 3; k++) {
        *dword_of(node, 4 + 6 * c + k) = f((float)b->low[k]);
        *dword_of(node, 7 + 6 * c + k) = f((float)b->high[k]);
    }
}

/* Where the ray is inside, within its length; and without that limit. */
typedef struct {
    double enter, leave, first, last;
} span_t;

static inline span_t span_of(const ray_t *ray, const box_t *b)
{
    span_t s = {.first = -INFINITY, .last = INFINITY};
    for (unsigned k = 0; k < 3; k++) {
        const double a = (double)(b->low[k] - ray->origin[k]) / ray->direction[k];
        const double z = (double)(b->high[k] - ray->origin[k]) / ray->direction[k];
        s.first = fmax(s.first, fmin(a, z));
        s.last = fmin(s.last, fmax(a, z));
    }
    s.enter = fmax(s.first, 0);
    s.leave = fmin(s.last, ray->length);
    return s;
}

static inline bool meets(const ray_t *ray, const box_t *b)
{
    const span_t s = span_of(ray, b);
    return s.enter <= s.leave;
}

/* ---- triangles: by Cramer's rule ---- */

typedef struct {
    int corner[3][3];
} triangle_t;

static inline triangle_t any_triangle(void)
{
    triangle_t t;
    for (unsigned c = 0; c < 3; c++)
        for (unsigned k = 0; k < 3; k++)
            t.corner[c][k] = below(33) - 16;
    return t;
}

static inline long long determinant(const int a[3], const int b[3], const int c[3])
{
    return (long long)a[0] * (b[1] * c[2] - b[2] * c[1]) -
           (long long)b[0] * (a[1] * c[2] - a[2] * c[1]) +
           (long long)c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* origin + distance * direction = first corner + i * one edge + j * the other one: numerators of
 * the three over one denominator. */
typedef struct {
    long long distance, i, j, by;
    bool hit;
} meeting_t;

static inline meeting_t meeting_of(const ray_t *ray, const triangle_t *t)
{
    int back[3], e1[3], e2[3], from[3];
    for (unsigned k = 0; k < 3; k++) {
        back[k] = -ray->direction[k];
        e1[k] = t->corner[1][k] - t->corner[0][k];
        e2[k] = t->corner[2][k] - t->corner[0][k];
        from[k] = ray->origin[k] - t->corner[0][k];
    }
    meeting_t m = {.by = determinant(back, e1, e2),
                   .distance = determinant(from, e1, e2),
                   .i = determinant(back, from, e2),
                   .j = determinant(back, e1, from)};
    const int sign = m.by < 0 ? -1 : 1;
    m.hit = m.by && sign * m.distance >= 0 && sign * m.i >= 0 && sign * m.j >= 0 &&
            sign * (m.i + m.j) <= sign * m.by;
    return m;
}

#endif
