/* mem_rays_gfx12.c - image_bvh_dual_intersect_ray and image_bvh8_intersect_ray of gfx1201: two
 * nodes at once, and compressed nodes of 128 bytes, which are packed here bit by bit. */
#include "rays_rig.h"

static const code_t dual = {
    "gfx1201",
    "image_bvh_dual_intersect_ray v[30:39], [v[0:1], v[2:3], v[4:6], v[7:9], v[10:11]], s[4:7]",
    {0xd3e00010, 0x0a00081e, 0x07040200},
    3};
static const code_t eight = {
    "gfx1201",
    "image_bvh8_intersect_ray v[30:39], [v[0:1], v[2:3], v[4:6], v[7:9], v10], s[4:7]",
    {0xd3e04010, 0x0a00081e, 0x07040200},
    3};

enum { MASK = 3, FIRST_NODE = 10, ORIGIN = 4, TREE = 4 * NODE };

/* A ray in a lane; the tree begins at the descriptor's base and TREE bytes. */
static void put(unsigned lane, const ray_t *ray, uint32_t first, uint32_t second, unsigned flags)
{
    rig->rows[0][lane] = TREE >> 3;
    rig->rows[1][lane] = flags << 22;
    put_ray(2, 1, lane, ray, false);
    rig->rows[MASK][lane] = 0xff;
    rig->rows[FIRST_NODE][lane] = first;
    rig->rows[FIRST_NODE + 1][lane] = second;
}

static void expect(unsigned lane, unsigned n, uint32_t want, const char *what)
{
    if (result(n, lane) != want)
        fail_msg("%s: lane %u: result %u is 0x%x, not 0x%x", what, lane, n, result(n, lane), want);
}

/* Node numbers count from the descriptor's base, names from the tree. */
static uint32_t relative(unsigned node, unsigned type)
{
    return name(node - TREE / NODE, type);
}

/* ---- two nodes ---- */

/* A box node and a triangle, whose geometry is in the ninth and tenth result. */
static void try_two(void)
{
    enum { BOXES = 6, SHAPE = 9 };
    box_t b[4];
    ray_t rays[64];
    const triangle_t t = any_triangle();
    describe(0, BARYCENTRIC);
    for (unsigned c = 0; c < 4; c++) {
        b[c] = any_box();
        put_box(BOXES, c, 0x1000 + c, &b[c]);
    }
    for (unsigned k = 0; k < 9; k++)
        *dword_of(SHAPE, k) = f((float)t.corner[k / 3][k % 3]);
    *dword_of(SHAPE, 14) = 0x777;
    *dword_of(SHAPE, 15) = 9;
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        put(l, &rays[l], relative(BOXES, BOX_32), relative(SHAPE, TRIANGLE), 0);
    }
    run(&dual);
    for (unsigned l = 0; l < lanes(); l++) {
        const meeting_t m = meeting_of(&rays[l], &t);
        for (unsigned c = 0; c < 4; c++)
            expect(l, c, meets(&rays[l], &b[c]) ? 0x1000 + c : NOTHING, "box");
        expect_number(l, 4, m.hit ? (float)m.distance : INFINITY);
        expect_number(l, 5, m.hit ? (float)m.by : 1);
        if (m.hit) expect(l, 6, f(signed_weight((float)m.i, false)), "i");
        if (m.hit) expect(l, 7, f(signed_weight((float)m.j, true)), "j, not opaque");
        expect(l, 8, NOTHING, "geometry");
        expect(l, 9, 0x777, "geometry");
        assert_int_equal(rig->rows[ORIGIN][l], f((float)rays[l].origin[0]));
    }
}

/* Triangles can come before boxes, whatever the distance. */
static void try_triangles_first(void)
{
    enum { BOXES = 6 };
    const ray_t ray = {.direction = {1, 1, 1}, .length = 100};
    for (unsigned first = 0; first < 2; first++) {
        describe(SORTS | (first ? TRIANGLES_FIRST : 0), 0);
        for (unsigned c = 0; c < 4; c++) {
            const int at = (int)c + 1;
            put_box(BOXES, c, name(20 + c, c == 2 ? TRIANGLE : BOX_32),
                    &(box_t){{at, at, at}, {at + 1, at + 1, at + 1}});
        }
        put(0, &ray, relative(BOXES, BOX_32), NOTHING, 0);
        rig->wave.exec = 1;
        run(&dual);
        expect(0, 0, first ? name(22, TRIANGLE) : name(20, BOX_32), "first");
        expect(0, 1, first ? name(20, BOX_32) : name(21, BOX_32), "second");
        for (unsigned k = 4; k < 10; k++)
            expect(0, k, NOTHING, "no node");
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Eight children of two nodes at distances that alternate. Each node is sorted by itself, or if the
 * descriptor says so both together. Children of one name stay. */
static void try_two_sorted(void)
{
    enum { ONE = 6, OTHER = 8, SHAPE = 5, SAME = 6 };
    static const int at[8] = {70, 10, 50, 30, 20, 80, 40, 60};
    static const struct {
        uint32_t second, fourth;
        unsigned want[8];
        const char *what;
    } cases[] = {
        {0, WIDE, {0, 1, 2, 3, 4, 5, 6, 7}, "not sorted"},
        {SORTS, 0, {1, 3, 2, 0, 4, 6, 7, 5}, "by fours"},
        {SORTS, WIDE, {1, 4, 3, 6, 2, 7, 0, 5}, "all"},
        {SORTS | TRIANGLES_FIRST, 0, {1, 3, 2, 0, 5, 4, 6, 7}, "triangles first, by fours"},
        {SORTS | TRIANGLES_FIRST, WIDE, {5, 1, 4, 3, 6, 2, 7, 0}, "triangles first"},
    };
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1000};
    uint32_t names[8];
    for (unsigned k = 0; k < 8; k++) {
        names[k] = name(20 + k, k == SHAPE ? TRIANGLE : BOX_32);
        if (k > SAME) names[k] = names[SAME];
        put_box(k < 4 ? ONE : OTHER, k % 4, names[k],
                &(box_t){{at[k], at[k], at[k]}, {at[k] + 1, at[k] + 1, at[k] + 1}});
    }
    *dword_of(ONE, 28) = *dword_of(OTHER, 28) = 0;
    rig->wave.exec = 1;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        describe(cases[n].second, cases[n].fourth);
        put(0, &ray, relative(ONE, BOX_32), relative(OTHER, BOX_32), 0);
        run(&dual);
        for (unsigned k = 0; k < 8; k++)
            expect(0, k, names[cases[n].want[k]], cases[n].what);
        for (unsigned k = 8; k < 10; k++)
            expect(0, k, NOTHING, "geometry");
    }
    /* with one node of boxes there are four results */
    put(0, &ray, NOTHING, relative(OTHER, BOX_32), 0);
    run(&dual);
    for (unsigned k = 0; k < 8; k++)
        expect(0, k, k < 4 ? NOTHING : names[cases[3].want[k]], "one node");
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* The signs of the weights say what was met: i is negative for a shape that the program tests, j
 * for what is not opaque, by the triangle's bit or by the flags. Of a shape the corners are no
 * coordinates. */
static void try_signs_of_two(void)
{
    enum { AT = 9, OPAQUE = 1, OTHERS = 2, NO_TRIANGLES = 256, NO_SHAPES = 512 };
    static const struct {
        unsigned flags, bits;          /* of the triangle: 64 a shape, 128 opaque */
        bool met, not_opaque, ignored; /* ignored: not opaque where the flags are ignored */
    } cases[] = {
        {0, 0, true, true, true},
        {0, 128, true, false, false},
        {OPAQUE, 0, true, false, true},
        {OTHERS, 128, true, true, false},
        {NO_TRIANGLES, 0, false, true, true},
        {0, 64, true, true, true},
        {0, 64 | 128, true, false, false},
        {OPAQUE, 64, true, false, true},
        {OTHERS, 64 | 128, true, true, false},
        {NO_TRIANGLES, 64, true, true, true},
        {NO_SHAPES, 64, false, true, true},
    };
    const ray_t ray = {.direction = {1, 1, 1}, .length = 100};
    const triangle_t t = {.corner = {{4, 0, 0}, {0, 8, 0}, {0, 0, 16}}};
    const meeting_t m = meeting_of(&ray, &t);
    assert_true(m.hit);
    rig->wave.exec = 1;
    for (unsigned n = 0; n < 2 * sizeof cases / sizeof *cases; n++) {
        const unsigned k = n / 2, flags = n % 2 ? FLAGS : 0;
        const bool shape = cases[k].bits & 64, met = cases[k].met || !flags;
        const float i = shape ? 1 : met ? (float)m.i : 0, j = shape ? 1 : met ? (float)m.j : 0;
        const uint32_t distance = !met ? f(INFINITY) : shape ? 0 : f((float)m.distance);
        describe(0, BARYCENTRIC | flags);
        for (unsigned d = 0; d < 9; d++)
            *dword_of(AT, d) = shape ? f(NAN) : f((float)t.corner[d / 3][d % 3]);
        *dword_of(AT, 15) = cases[k].bits | 9;
        put(0, &ray, NOTHING, relative(AT, TRIANGLE), cases[k].flags);
        run(&dual);
        expect(0, 4, distance, "distance");
        expect(0, 5, shape || !met ? f(1) : f((float)m.by), "denominator");
        expect(0, 6, f(signed_weight(i, shape)), "i");
        expect(0, 7, f(signed_weight(j, flags ? cases[k].not_opaque : cases[k].ignored)), "j");
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* ---- instances ---- */

/* x' = 2x + 1, y' = y - 2, z' = -z. */
static void put_matrix(unsigned node)
{
    static const float matrix[12] = {2, 0, 0, 1, 0, 1, 0, -2, 0, 0, -1, 0};
    for (unsigned k = 0; k < 12; k++)
        *dword_of(node, k) = f(matrix[k]);
}

static void expect_moved(unsigned lane, const ray_t *ray)
{
    const int origin[3] = {2 * ray->origin[0] + 1, ray->origin[1] - 2, -ray->origin[2]};
    const int direction[3] = {2 * ray->direction[0], ray->direction[1], -ray->direction[2]};
    for (unsigned k = 0; k < 3; k++) {
        assert_true(number(rig->rows[ORIGIN + k][lane]) == (float)origin[k]);
        assert_true(number(rig->rows[ORIGIN + 3 + k][lane]) == (float)direction[k]);
    }
}

static void try_instance(void)
{
    enum { AT = 12, OPAQUE = 1, OTHERS = 2, FLIP = 8, NO_TRIANGLES = 256 };
    const ray_t ray = {.origin = {1, 2, 3}, .direction = {1, 2, 4}, .length = 10};
    describe(0, INSTANCES | FLAGS);
    put_matrix(AT);
    *dword_of(AT, 12) = 0x12345678;
    *dword_of(AT, 13) = 0x9 | FLIP << 22 | OTHERS << 22; /* flags of its own */
    *dword_of(AT, 14) = 0x4321;
    *dword_of(AT, 15) = 0x0fabcdef;
    rig->wave.exec = 15;
    for (unsigned l = 0; l < 4; l++)
        put(l, &ray, relative(AT, INSTANCE), NOTHING, l == 1 ? OPAQUE : l == 2 ? NO_TRIANGLES : 0);
    rig->rows[MASK][3] = 0x10;
    run(&dual);
    for (unsigned l = 0; l < 4; l++) {
        const unsigned own = l == 1 ? FLIP | OPAQUE : FLIP | OTHERS | (l == 2 ? NO_TRIANGLES : 0);
        expect(l, 2, 0x12345678, "tree");
        expect(l, 3, 0x9 | own << 22, "tree and flags");
        expect(l, 6, 0xabcdef, "user's data");
        expect(l, 7, l < 2 ? 0x4321 : NOTHING, "root");
    }
    expect_moved(0, &ray);
    expect_moved(1, &ray);
    assert_true(number(rig->rows[ORIGIN][2]) == 1); /* not met: the ray stays */
    /* it has 64 bytes: the tree may end behind them, but not before */
    rig->wave.exec = 1;
    put(0, &ray, relative(AT, INSTANCE), NOTHING, 0);
    rig->wave.sgpr[DESCRIPTOR + 2] = AT;
    run(&dual);
    expect(0, 7, 0x4321, "at the tree's end");
    rig->wave.sgpr[DESCRIPTOR + 2] = AT - 1;
    refused(&dual, "node behind its tree");
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* ---- compressed nodes ---- */

/* Eight boxes on a grid with steps of 1: the exponent of 2^12. */
enum { STEP_1 = 127 + 12, UPRIGHT = 0x7f };

static void put_child(unsigned node, unsigned first, unsigned c, const box_t *b,
                      const int origin[3], uint32_t flags, uint32_t mask, uint32_t type,
                      uint32_t blocks)
{
    unsigned low[3], high[3];
    for (unsigned k = 0; k < 3; k++) {
        low[k] = (unsigned)(b->low[k] - origin[k]);
        high[k] = (unsigned)(b->high[k] - origin[k] - 1);
    }
    uint32_t *child = dword_of(node, first + 3 * c);
    child[0] = low[0] | low[1] << 12 | flags << 24;
    child[1] = low[2] | high[0] << 12 | mask << 24;
    child[2] = high[1] | high[2] << 12 | type << 24 | blocks << 28;
}

static box_t fat_box(void)
{
    box_t b = any_box();
    for (unsigned k = 0; k < 3; k++)
        b.high[k]++;
    return b;
}

static void put_head(unsigned node, const int origin[3], unsigned children)
{
    *dword_of(node, 0) = 0x5000; /* names of boxes begin here, of all others there */
    *dword_of(node, 1) = 0x8000;
    for (unsigned k = 0; k < 3; k++)
        *dword_of(node, 3 + k) = f((float)origin[k]);
    *dword_of(node, 6) = STEP_1 | STEP_1 << 8 | STEP_1 << 16 | (children - 1) << 28;
    *dword_of(node, 7) = UPRIGHT;
}

/* Boxes of one and two blocks of 128 bytes, triangles between them. */
static void try_eight(unsigned children)
{
    enum { AT = 12 };
    static const int origin[3] = {-16, -20, -24};
    uint32_t names[8], box = 0x5000, other = 0x8000;
    box_t b[8];
    ray_t rays[64];
    describe(0, COMPRESSED);
    put_head(AT, origin, children);
    for (unsigned c = 0; c < 8; c++) {
        const bool shape = c % 3 == 2;
        const unsigned blocks = 1 + c % 2;
        uint32_t *next = shape ? &other : &box;
        b[c] = fat_box();
        names[c] = *next | (shape ? TRIANGLE : BOX_32);
        *next += blocks << 4;
        put_child(AT, 8, c, &b[c], origin, 0, 0xff, shape ? TRIANGLE : BOX_32, blocks);
    }
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        put(l, &rays[l], relative(AT, BOX_32), 0, 0);
    }
    run(&eight);
    for (unsigned l = 0; l < lanes(); l++)
        for (unsigned c = 0; c < 8; c++)
            expect(l, c, c < children && meets(&rays[l], &b[c]) ? names[c] : NOTHING, "eight");
}

/* A count of 15 is none, as Mesa's driver writes it for an empty tree; other counts have three
 * bits.
 */
static void try_counts(void)
{
    enum { AT = 12 };
    static const int origin[3] = {0, 0, 0};
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1000};
    describe(0, COMPRESSED);
    rig->wave.exec = 1;
    for (unsigned count = 0; count < 16; count++) {
        const unsigned n = count == 15 ? 0 : count % 8 + 1;
        put_head(AT, origin, count + 1);
        for (unsigned c = 0; c < 8; c++)
            put_child(AT, 8, c, &(box_t){{1, 1, 1}, {3, 3, 3}}, origin, 0, 0xff, BOX_32, 1);
        put(0, &ray, relative(AT, BOX_32), 0, 0);
        run(&eight);
        for (unsigned c = 0; c < 8; c++)
            expect(0, c, c < n ? (0x5000 + 16 * c) | BOX_32 : NOTHING, "count");
    }
    /* A step of 2^-127, which is no normal number, is 0: a ray of no length meets a box there. */
    put_head(AT, origin, 2);
    *dword_of(AT, 6) = 12 | 12 << 8 | 12 << 16 | 1u << 28;
    for (int c = 0; c < 2; c++)
        put_child(AT, 8, (unsigned)c, &(box_t){{c + 1, c + 1, c + 1}, {9, 9, 9}}, origin, 0, 0xff,
                  BOX_32, 1);
    put(0, &(ray_t){.direction = {1, 1, 1}}, relative(AT, BOX_32), 0, 0);
    run(&eight);
    expect(0, 0, 0x5000 | BOX_32, "one step");
    expect(0, 1, NOTHING, "two steps");
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Of eight children triangles can come first, whatever the distance, and of these the second pairs
 * of nodes. */
static void try_eight_triangles_first(void)
{
    enum { AT = 12 };
    static const int origin[3] = {0, 0, 0};
    static const unsigned by_fours[] = {2, 1, 0, 3, 6, 5, 4, 7}, all[] = {2, 6, 1, 5, 0, 3, 4, 7};
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1000};
    put_head(AT, origin, 8);
    for (unsigned c = 0; c < 8; c++) {
        const int at = 10 * (int)(c + 1);
        put_child(AT, 8, c, &(box_t){{at, at, at}, {at + 1, at + 1, at + 1}}, origin, 0, 0xff,
                  c % 4 == 1   ? TRIANGLE
                  : c % 4 == 2 ? 1
                               : BOX_32,
                  1);
    }
    rig->wave.exec = 1;
    for (unsigned wide = 0; wide < 2; wide++) {
        describe(SORTS | TRIANGLES_FIRST, COMPRESSED | (wide ? WIDE : 0));
        put(0, &ray, relative(AT, BOX_32), 0, 0);
        run(&eight);
        for (unsigned k = 0; k < 8; k++) {
            static const uint32_t names[] = {0x5005, 0x8000, 0x8011, 0x5015,
                                             0x5025, 0x8020, 0x8031, 0x5035};
            expect(0, k, names[wide ? all[k] : by_fours[k]], wide ? "all" : "by fours");
        }
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Eight boxes in a row along a ray, the farthest first: sorted by fours, or all. A child whose mask
 * has nothing in common with the ray's, and one that its flags leave out, are not met. */
static void try_eight_sorted(void)
{
    enum { AT = 12, SKIP_OPAQUE = 64 };
    static const int origin[3] = {0, 0, 0};
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1000};
    put_head(AT, origin, 8);
    for (unsigned c = 0; c < 8; c++) {
        const int at = 10 * (8 - (int)c);
        put_child(AT, 8, c, &(box_t){{at, at, at}, {at + 1, at + 1, at + 1}}, origin, c == 1,
                  c == 6 ? 1 : 2, BOX_32, 1);
    }
    rig->wave.exec = 1;
    for (unsigned wide = 0; wide < 2; wide++) {
        static const unsigned by_fours[] = {3, 2, 0, 8, 7, 5, 4, 8},
                              all[] = {7, 5, 4, 3, 2, 0, 8, 8};
        describe(SORTS, COMPRESSED | FLAGS | (wide ? WIDE : 0));
        put(0, &ray, relative(AT, BOX_32), 0, SKIP_OPAQUE);
        rig->rows[MASK][0] = 2;
        run(&eight);
        for (unsigned k = 0; k < 8; k++) {
            const unsigned c = wide ? all[k] : by_fours[k];
            expect(0, k, c < 8 ? (0x5000 + 16 * c) | BOX_32 : NOTHING, wide ? "all" : "by fours");
        }
    }
    rig->wave.sgpr[DESCRIPTOR + 2] = AT + 1;
    run(&eight);
    rig->wave.sgpr[DESCRIPTOR + 2] = AT;
    refused(&eight, "node behind its tree");
    rig->wave.sgpr[DESCRIPTOR + 2]++;
    *dword_of(AT, 7) = 5;
    refused(&eight, "boxes that are turned");
    describe(SORTS, 0);
    refused(&eight, "not compressed");
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Children of one name that follow one another are one. */
static void try_repeated(void)
{
    enum { AT = 12 };
    static const int origin[3] = {0, 0, 0};
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1000};
    describe(0, COMPRESSED);
    put_head(AT, origin, 3);
    for (unsigned c = 0; c < 3; c++)
        put_child(AT, 8, c, &(box_t){{1, 1, 1}, {3, 3, 3}}, origin, 0, 0xff, BOX_32, c == 1);
    rig->wave.exec = 1;
    put(0, &ray, relative(AT, BOX_32), 0, 0);
    run(&eight);
    expect(0, 0, 0x5000 | BOX_32, "the first");
    expect(0, 1, NOTHING, "the same");
    expect(0, 2, 0x5010 | BOX_32, "another");
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* ---- compressed triangles ---- */

/* Puts n bits at a place of a node. */
static void put_bits(unsigned node, unsigned at, unsigned n, uint32_t x)
{
    for (unsigned k = 0; k < n; k++, at++) {
        uint32_t *d = dword_of(node, at / 32);
        *d = (*d & ~(1u << at % 32)) | (x >> k & 1) << at % 32;
    }
}

/* How a node has its triangles: bits of a coordinate's own part, zeros behind it, widths of
 * numbers. */
typedef struct {
    unsigned own, zeros, geometry_bits, more_geometry_bits, primitive_bits, more_primitive_bits;
    unsigned pairs, corners;
} packing_t;

enum { MIDDLE = 700, PAIR = 29 };

static void put_packing(unsigned node, const packing_t *p, const uint32_t corner[][3])
{
    const unsigned shared = 32 - p->own - p->zeros;
    memset(dword_of(node, 0), 0, 128);
    for (unsigned k = 0; k < 3; k++) {
        put_bits(node, 5 * k, 5, p->own - 1);
        put_bits(node, 52 + shared * k, shared, shared ? corner[0][k] >> (32 - shared) : 0);
    }
    put_bits(node, 15, 5, p->zeros);
    put_bits(node, 20, 4, p->geometry_bits / 2);
    put_bits(node, 24, 4, p->more_geometry_bits / 2);
    put_bits(node, 28, 3, p->pairs - 1);
    put_bits(node, 32, 5, p->primitive_bits);
    put_bits(node, 37, 5, p->more_primitive_bits);
    put_bits(node, 42, 10, MIDDLE);
    for (unsigned c = 0; c < p->corners; c++)
        for (unsigned k = 0; k < 3; k++)
            put_bits(node, 52 + 3 * shared + p->own * (3 * c + k), p->own,
                     corner[c][k] >> p->zeros);
}

/* A pair's description: corners of the first and of the second triangle. */
static void put_pair(unsigned node, unsigned pair, const uint8_t first[3], const uint8_t second[3],
                     bool ends)
{
    const unsigned at = 1024 - PAIR * (pair + 1);
    put_bits(node, at, 1, ends);
    for (unsigned c = 0; c < 3; c++) {
        put_bits(node, at + 17 + 4 * c, 4, first[c]);
        put_bits(node, at + 3 + 4 * c, 4, second[c]);
    }
}

static void put_face(unsigned node, unsigned pair, unsigned triangle, bool both_sides, bool opaque)
{
    const unsigned at = 1024 - PAIR * (pair + 1) + (triangle ? 1 : 15);
    put_bits(node, at, 1, both_sides);
    put_bits(node, at + 1, 1, opaque);
}

/* Four corners with coordinates 8 to 15, which have a sign, exponent and three bits in common zeros
 * behind; two pairs, of which the second has one triangle and begins at corner 1. */
static void try_packed(const packing_t *p)
{
    enum { AT = 12, GEOMETRY = 0x2a5, PRIMITIVE = 0x1234 };
    static const uint8_t first[3] = {0, 1, 2}, second[3] = {1, 3, 2}, last[3] = {1, 2, 3}, none[3];
    int whole[4][3];
    uint32_t corner[4][3];
    ray_t rays[64];
    for (unsigned c = 0; c < 4; c++)
        for (unsigned k = 0; k < 3; k++) {
            whole[c][k] = 8 + below(8);
            corner[c][k] = f((float)whole[c][k]);
        }
    put_packing(AT, p, (const uint32_t(*)[3])corner);
    put_pair(AT, 0, first, second, false);
    put_pair(AT, 1, last, none, true);
    const bool opaque = below(2);
    for (unsigned n = 0; n < 3; n++)
        put_face(AT, n / 2, n % 2, false, opaque);
    put_bits(AT, MIDDLE, p->primitive_bits, PRIMITIVE);
    put_bits(AT, MIDDLE - p->geometry_bits, p->geometry_bits, GEOMETRY);
    for (unsigned n = 1; n < 4; n++) {
        put_bits(AT, MIDDLE + p->primitive_bits + (n - 1) * p->more_primitive_bits,
                 p->more_primitive_bits, n + 4);
        put_bits(AT, MIDDLE - p->geometry_bits - n * p->more_geometry_bits, p->more_geometry_bits,
                 n);
    }
    describe(0, COMPRESSED);
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        for (unsigned k = 0; k < 3; k++) /* towards the triangles */
            rays[l].origin[k] = 8 + below(8) - 4 * rays[l].direction[k];
        put(l, &rays[l], relative(AT, l % 2), 0, 0);
    }
    run(&eight);
    for (unsigned l = 0; l < lanes(); l++) {
        const bool of_second = l % 2;
        const uint32_t upper =
            p->more_geometry_bits < p->geometry_bits ? GEOMETRY & ~3u : 0; /* of all numbers */
        for (unsigned n = 0; n < (of_second ? 1 : 2); n++) {
            const uint8_t *which = of_second ? last : n ? second : first;
            triangle_t t;
            for (unsigned c = 0; c < 3; c++)
                memcpy(t.corner[c], whole[which[c]], sizeof t.corner[c]);
            const meeting_t m = meeting_of(&rays[l], &t);
            const unsigned index = of_second ? 2 : n, low = index + 4;
            const uint32_t mask = (1u << p->more_primitive_bits) - 1;
            const uint32_t primitive = !index ? PRIMITIVE
                                       : p->more_primitive_bits < p->primitive_bits
                                           ? (PRIMITIVE & ~mask) | low
                                           : low;
            const uint32_t side = m.hit && m.by < 0;
            expect_number(l, 4 * n, m.hit ? (float)m.distance / (float)m.by : INFINITY);
            const float i = (float)m.i / (float)m.by, j = (float)m.j / (float)m.by;
            if (m.hit) expect(l, 4 * n + 1, f(signed_weight(i, false)), "i");
            if (m.hit) expect(l, 4 * n + 2, f(signed_weight(j, !opaque)), "j");
            expect(l, 4 * n + 3, primitive << 1 | side, "primitive");
        }
        if (of_second) {
            expect(l, 4, f(INFINITY), "no second triangle");
            expect(l, 5, f(1), "no second triangle");
            expect(l, 7, 0, "no second triangle");
            expect(l, 8, (upper | 2) << 2 | 3, "geometry, the last pair");
        } else {
            expect(l, 8, GEOMETRY << 2, "geometry, another pair follows");
            expect(l, 9, (upper | 1) << 2, "geometry, another pair follows");
        }
    }
}

/* A triangle that a ray meets from its front, as the second pair's one of a node; or a shape that
 * the program tests itself, whose corners have the numbers 15. */
static meeting_t put_shape(unsigned node, const ray_t *ray, bool procedural)
{
    static const uint8_t own[3] = {15, 15, 0}, three[3] = {0, 1, 2}, none[3];
    const packing_t p = {
        .own = 32, .primitive_bits = 16, .more_primitive_bits = 4, .pairs = 2, .corners = 3};
    const triangle_t t = {.corner = {{4, 0, 0}, {0, 8, 0}, {0, 0, 16}}};
    uint32_t corner[3][3];
    for (unsigned k = 0; k < 9; k++)
        corner[k / 3][k % 3] = f((float)t.corner[k / 3][k % 3]);
    put_packing(node, &p, (const uint32_t(*)[3])corner);
    put_pair(node, 1, procedural ? own : three, none, true);
    put_bits(node, MIDDLE, 16, 0x770);
    put_bits(node, MIDDLE + 20, 4, 7);
    return meeting_of(ray, &t);
}

/* The signs of the weights say whether a shape is the program's own and whether it is opaque, by
 * its bit or by the flags, if the descriptor has flags; also of one that is left out. */
static void try_signs(void)
{
    enum { AT = 12, OPAQUE = 1, OTHERS = 2, NO_TRIANGLES = 256, NO_SHAPES = 512 };
    const ray_t ray = {.origin = {9, 9, 9}, .direction = {-1, -1, -1}, .length = 100};
    rig->wave.exec = 1;
    for (unsigned n = 0; n < 64; n++) {
        static const unsigned asked[] = {0, OPAQUE, OTHERS, OPAQUE | OTHERS};
        const bool shape = n & 1, bit = n & 2, has_flags = n & 4, left_out = n & 8;
        const unsigned flags = asked[n >> 4] | (!left_out ? 0 : shape ? NO_SHAPES : NO_TRIANGLES);
        const bool opaque = has_flags && flags & (OPAQUE | OTHERS) ? flags & OPAQUE : bit;
        const bool met = !left_out || !has_flags;
        const meeting_t m = put_shape(AT, &ray, shape);
        const float by = (float)m.by,
                    i = shape ? 1
                        : met ? (float)m.i / by
                              : 0,
                    j = shape ? 1
                        : met ? (float)m.j / by
                              : 0;
        assert_true(m.hit && m.by > 0);
        put_face(AT, 1, 0, false, bit);
        describe(0, COMPRESSED | (has_flags ? FLAGS : 0));
        put(0, &ray, relative(AT, 1), 0, flags);
        run(&eight);
        expect(0, 0, !met ? f(INFINITY) : shape ? 0 : f((float)m.distance / by), "distance");
        expect(0, 1, f(signed_weight(i, shape)), "i");
        expect(0, 2, f(signed_weight(j, !opaque)), "j");
        expect(0, 3, 0x777 << 1, "primitive");
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Which side of a triangle the ray sees can leave it out, unless a bit says that it has two. */
static void try_sides(void)
{
    enum { AT = 12, FLIP = 8, NO_BACK = 16, NO_FRONT = 32 };
    static const struct {
        unsigned flags;
        bool both, met, back;
    } cases[] = {
        {0, false, true, false},
        {NO_FRONT, false, false, false},
        {NO_FRONT, true, true, false},
        {NO_BACK, false, true, false},
        {FLIP, false, true, true},
        {FLIP | NO_BACK, false, false, false},
        {FLIP | NO_BACK, true, true, true},
    };
    const ray_t ray = {.origin = {9, 9, 9}, .direction = {-1, -1, -1}, .length = 100};
    const meeting_t m = put_shape(AT, &ray, false);
    describe(0, COMPRESSED | FLAGS);
    rig->wave.exec = 1;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        put_face(AT, 1, 0, cases[k].both, true);
        put(0, &ray, relative(AT, 1), 0, cases[k].flags);
        run(&eight);
        expect(0, 0, cases[k].met ? f((float)m.distance / (float)m.by) : f(INFINITY), "side");
        expect(0, 3, 0x777 << 1 | cases[k].back, "back");
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Bit 3 of a name says that the pair is one of the upper four. A range of triangles that does not
 * end with the last pair of a node continues in the next node. */
static void try_upper_pairs(void)
{
    enum { AT = 12, GEOMETRY = 0x2a4, PRIMITIVE = 0x1230 };
    static const uint8_t three[3] = {0, 1, 2}, none[3];
    const packing_t p = {32, 0, 12, 2, 16, 4, 8, 3};
    const ray_t ray = {.direction = {1, 1, 1}, .length = 100};
    uint32_t corner[3][3] = {{0}};
    for (unsigned k = 0; k < 3; k++)
        corner[k][k] = f(4);
    put_packing(AT, &p, (const uint32_t(*)[3])corner);
    put_bits(AT, MIDDLE, 16, PRIMITIVE);
    put_bits(AT, MIDDLE - 12, 12, GEOMETRY);
    for (unsigned pair = 0; pair < 8; pair++) {
        const unsigned n = 2 * pair;
        put_pair(AT, pair, three, none, pair == 6);
        if (n) put_bits(AT, MIDDLE + 16 + 4 * (n - 1), 4, n);
        if (n) put_bits(AT, MIDDLE - 12 - 2 * n, 2, pair);
    }
    describe(0, COMPRESSED);
    rig->wave.exec = 1;
    for (unsigned pair = 0; pair < 8; pair++) {
        const unsigned next = pair == 7 ? 1 : pair == 6 ? 3 : 0;
        const uint32_t side = meeting_of(&ray, &(triangle_t){{{4}, {0, 4}, {0, 0, 4}}}).by < 0;
        put(0, &ray, relative(AT, pair & 3) | (pair & 4) << 1, 0, 0);
        run(&eight);
        expect(0, 3, (PRIMITIVE | 2 * pair) << 1 | side, "primitive");
        expect(0, 8, (GEOMETRY | (pair & 3)) << 2 | next, "geometry");
    }
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* An instance with boxes of its own: the types of those that are met, a byte each. */
static void try_instance_with_boxes(void)
{
    enum { AT = 12 };
    static const int origin[3] = {-32, -32, -32};
    ray_t rays[64];
    box_t b[2];
    describe(0, COMPRESSED | INSTANCES);
    put_matrix(AT);
    *dword_of(AT, 12) = 0x100;
    *dword_of(AT, 13) = 0;
    *dword_of(AT, 15) = 0xff000000;
    for (unsigned k = 0; k < 3; k++)
        *dword_of(AT, 16 + k) = f((float)origin[k]);
    *dword_of(AT, 19) = STEP_1 | STEP_1 << 8 | STEP_1 << 16 | 1u << 28;
    for (unsigned c = 0; c < 2; c++) {
        b[c] = fat_box();
        put_child(AT, 20, c, &b[c], origin, 0, 0xff, c ? TRIANGLE : BOX_32, 1);
    }
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        put(l, &rays[l], relative(AT, INSTANCE), 0, 0);
    }
    run(&eight);
    for (unsigned l = 0; l < lanes(); l++) {
        const ray_t moved = {
            .origin = {2 * rays[l].origin[0] + 1, rays[l].origin[1] - 2, -rays[l].origin[2]},
            .direction = {2 * rays[l].direction[0], rays[l].direction[1], -rays[l].direction[2]},
            .length = rays[l].length};
        const uint32_t want = 0xffff0000 | (meets(&moved, &b[0]) ? BOX_32 : 0xff) |
                              (meets(&moved, &b[1]) ? TRIANGLE : 0xff) << 8;
        expect(l, 7, want, "children");
        expect_moved(l, &rays[l]);
    }
    /* where the descriptor does not turn them on, the node is the program's own */
    describe(0, COMPRESSED);
    put(0, &rays[0], relative(AT, INSTANCE), 0, 0);
    run(&eight);
    for (unsigned k = 0; k < 10; k++)
        expect(0, k, NOTHING, "no instances");
    assert_int_equal(rig->rows[ORIGIN][0], f((float)rays[0].origin[0]));
}

static void try_all(void)
{
    static const packing_t whole = {32, 0, 28, 28, 28, 28, 2, 4};
    static const packing_t narrow = {12, 15, 12, 2, 14, 4, 2, 4};
    for (unsigned turn = 0; turn < 8; turn++)
        try_two();
    try_triangles_first();
    try_two_sorted();
    try_signs_of_two();
    try_instance();
    for (unsigned n = 1; n <= 8; n++)
        try_eight(n);
    try_counts();
    try_eight_sorted();
    try_eight_triangles_first();
    try_repeated();
    for (unsigned turn = 0; turn < 16; turn++) {
        try_packed(&whole);
        try_packed(&narrow);
    }
    try_signs();
    try_sides();
    try_upper_pairs();
    try_instance_with_boxes();
}

static void nodes_of_gfx12(void **state)
{
    (void)state;
    words_every_core("gfx1201", try_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_gfx12)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
