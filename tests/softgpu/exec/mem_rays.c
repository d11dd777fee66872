/* mem_rays.c - image_bvh_intersect_ray and image_bvh64_intersect_ray of gfx1030, gfx1100, gfx1151
 * and gfx1201: nodes of trees with four children. The nodes are laid out here once more.
 *
 * Every core is tested, in waves of 64 and of 32 lanes. */
#include "rays_rig.h"

enum { GPUS = 4, GFX1201 = 3 };
static const code_t narrow_names[GPUS] = {
    {"gfx1030", "image_bvh_intersect_ray v[30:33], v[0:10], s[4:7]", {0xf1989f01, 0x00011e00}, 2},
    {"gfx1100", "image_bvh_intersect_ray v[30:33], v[0:10], s[4:7]", {0xf0648f80, 0x00011e00}, 2},
    {"gfx1151", "image_bvh_intersect_ray v[30:33], v[0:10], s[4:7]", {0xf0648f80, 0x00011e00}, 2},
    {"gfx1201",
     "image_bvh_intersect_ray v[30:33], [v0, v1, v[2:4], v[5:7], v[8:10]], s[4:7]",
     {0xd3c64010, 0x0800081e, 0x05020100},
     3},
};
static const code_t wide_names[GPUS] = {
    {"gfx1030", "image_bvh64_intersect_ray v[30:33], v[0:11], s[4:7]", {0xf19c9f01, 0x00011e00}, 2},
    {"gfx1100", "image_bvh64_intersect_ray v[30:33], v[0:11], s[4:7]", {0xf0688f80, 0x00011e00}, 2},
    {"gfx1151", "image_bvh64_intersect_ray v[30:33], v[0:11], s[4:7]", {0xf0688f80, 0x00011e00}, 2},
    {"gfx1201",
     "image_bvh64_intersect_ray v[30:33], [v[0:1], v2, v[3:5], v[6:8], v[9:11]], s[4:7]",
     {0xd3c68010, 0x0900081e, 0x06030200},
     3},
};
static const code_t halves[GPUS] = {
    {"gfx1030",
     "image_bvh_intersect_ray v[30:33], v[0:7], s[4:7] a16",
     {0xf1989f01, 0x40011e00},
     2},
    {"gfx1100",
     "image_bvh_intersect_ray v[30:33], v[0:7], s[4:7] a16",
     {0xf0658f80, 0x00011e00},
     2},
    {"gfx1151",
     "image_bvh_intersect_ray v[30:33], v[0:7], s[4:7] a16",
     {0xf0658f80, 0x00011e00},
     2},
    {"gfx1201",
     "image_bvh_intersect_ray v[30:33], [v0, v1, v[2:4], v[5:7]], s[4:7] a16",
     {0xd3c64050, 0x0000081e, 0x05020100},
     3},
};
static unsigned gpu;

/* Rays of random directions in all lanes; the first dword is the node's name. */
static void put_rays(ray_t *rays, uint32_t node)
{
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        rig->rows[0][l] = node;
        put_ray(1, 0, l, &rays[l], true);
    }
}

/* ---- boxes ---- */

static uint32_t half(int x)
{
    const _Float16 h = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

/* Six halves for each child, two in a dword. */
static void put_half_box(unsigned node, unsigned c, uint32_t child, const box_t *b)
{
    *dword_of(node, c) = child;
    uint32_t *at = dword_of(node, 4 + 3 * c);
    at[0] = half(b->low[0]) | half(b->low[1]) << 16;
    at[1] = half(b->low[2]) | half(b->high[0]) << 16;
    at[2] = half(b->high[1]) | half(b->high[2]) << 16;
}

static double key_of(unsigned order, const span_t *s)
{
    return order == 1 ? s->enter - s->leave : order == 2 ? (s->first + s->last) / 2 : s->enter;
}

/* The children that are met, in the order of their keys; false if two keys are equal, whose order
 * is a network's. */
static bool expect_sorted(const ray_t *ray, const box_t *b, unsigned order, uint32_t want[4])
{
    double keys[4];
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        const span_t s = span_of(ray, &b[c]);
        const double key = key_of(order, &s);
        unsigned at = n;
        if (s.enter > s.leave) continue;
        for (; at && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            want[at] = want[at - 1];
        }
        keys[at] = key;
        want[at] = name(40 + c, BOX_32);
        n++;
        for (unsigned k = 0; k + 1 < n; k++)
            if (keys[k] == keys[k + 1]) return false;
    }
    for (; n < 4; n++)
        want[n] = NOTHING;
    return true;
}

static void expect_row(unsigned lane, const uint32_t *want, unsigned n, const char *what)
{
    for (unsigned k = 0; k < n; k++)
        if (result(k, lane) != want[k])
            fail_msg("%s, %s: lane %u: result %u is 0x%x, not 0x%x", narrow_names[gpu].gpu, what,
                     lane, k, result(k, lane), want[k]);
}

static void try_boxes(bool of_halves, unsigned order)
{
    enum { AT = 3 };
    ray_t rays[64];
    box_t b[4];
    unsigned sorted = 0, met = 0;
    describe(SORTS | order << ORDER_SHIFT, 0);
    for (unsigned turn = 0; turn < 16; turn++) {
        for (unsigned c = 0; c < 4; c++) {
            b[c] = any_box();
            (of_halves ? put_half_box : put_box)(AT, c, name(40 + c, BOX_32), &b[c]);
        }
        put_rays(rays, name(AT, of_halves ? BOX_16 : BOX_32));
        run(&narrow_names[gpu]);
        for (unsigned l = 0; l < lanes(); l++) {
            uint32_t want[4] = {0};
            if (!expect_sorted(&rays[l], b, order, want)) continue;
            expect_row(l, want, 4, "sorted");
            sorted++;
            met += want[1] != NOTHING;
        }
    }
    assert_true(sorted > 4 * lanes() && met > lanes() / 4);
}

/* Without a sort, children stay where they are. */
static void try_unsorted(void)
{
    ray_t rays[64];
    box_t b[4];
    describe(0, 0);
    for (unsigned c = 0; c < 4; c++) {
        b[c] = any_box();
        put_box(8, c, name(20 + c, TRIANGLE), &b[c]);
    }
    put_rays(rays, name(8, BOX_32));
    run(&narrow_names[gpu]);
    for (unsigned l = 0; l < lanes(); l++)
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(result(c, l),
                             meets(&rays[l], &b[c]) ? name(20 + c, TRIANGLE) : NOTHING);
}

/* A ray of length 1 meets a box that begins two places behind 1 if boxes grow by four halves of a
 * place, and not if they do not. A box whose bounds are not numbers is met by no ray. */
static void try_limits(void)
{
    const ray_t ray = {.direction = {1, 1, 1}, .length = 1};
    for (unsigned grow = 0; grow <= 4; grow += 4) {
        describe(grow << GROW_SHIFT, 0);
        for (unsigned c = 0; c < 4; c++)
            put_box(8, c, name(20 + c, TRIANGLE), &(box_t){{1, 1, 1}, {2, 2, 2}});
        *dword_of(8, 4) = f(1) + 2;
        *dword_of(8, 4 + 6) = f(1) + 3;
        *dword_of(8, 4 + 12) = *dword_of(8, 4 + 13) = *dword_of(8, 4 + 14) = f(NAN);
        *dword_of(8, 4 + 15) = *dword_of(8, 4 + 16) = *dword_of(8, 4 + 17) = f(NAN);
        for (unsigned l = 0; l < lanes(); l++) {
            rig->rows[0][l] = name(8, BOX_32);
            put_ray(1, 0, l, &ray, true);
        }
        run(&narrow_names[gpu]);
        assert_int_equal(result(0, 0), grow ? name(20, TRIANGLE) : NOTHING);
        assert_int_equal(result(1, 0), NOTHING);
        assert_int_equal(result(2, 0), NOTHING);
        assert_int_equal(result(3, 0), name(23, TRIANGLE));
    }
}

/* ---- triangles ---- */

/* The four triangles of a node, by its five corners. */
static const uint8_t shared[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};

static triangle_t triangle_of(const int corners[5][3], unsigned type)
{
    triangle_t t;
    for (unsigned c = 0; c < 3; c++)
        memcpy(t.corner[c], corners[shared[type][c]], sizeof t.corner[c]);
    return t;
}

static void put_corners(unsigned node, int corners[5][3])
{
    for (unsigned c = 0; c < 5; c++)
        for (unsigned k = 0; k < 3; k++) {
            corners[c][k] = below(33) - 16;
            *dword_of(node, 3 * c + k) = f((float)corners[c][k]);
        }
}

/* Of gfx1201 the sign of j says that the triangle is not opaque, as all here that have no flags. */
static void expect_weight(unsigned lane, unsigned n, float want)
{
    if (gpu == GFX1201)
        assert_int_equal(result(n, lane), f(signed_weight(want, n == 3)));
    else
        expect_number(lane, n, want);
}

static void expect_hit(unsigned lane, const meeting_t *m, bool barycentric, uint32_t id)
{
    if (!m->hit) {
        assert_int_equal(result(0, lane), f(INFINITY));
        assert_int_equal(result(1, lane), f(1));
        if (!barycentric) assert_int_equal(result(3, lane), 0);
        return;
    }
    expect_number(lane, 0, (float)m->distance);
    expect_number(lane, 1, (float)m->by);
    if (barycentric) {
        expect_weight(lane, 2, (float)m->i);
        expect_weight(lane, 3, (float)m->j);
        return;
    }
    assert_int_equal(result(2, lane), id);
    assert_int_equal(result(3, lane), 1);
}

/* Each triangle's bits say that i is of the second corner and j of the third: 1 and 2. */
static void try_triangles(bool barycentric)
{
    enum { AT = 5, ID = 0x09090909 };
    ray_t rays[64];
    unsigned hits = 0;
    describe(0, barycentric ? BARYCENTRIC : 0);
    *dword_of(AT, 15) = ID;
    for (unsigned turn = 0; turn < 32; turn++) {
        int corners[5][3];
        put_corners(AT, corners);
        *dword_of(AT, 15) = ID;
        put_rays(rays, name(AT, turn % 4));
        run(&narrow_names[gpu]);
        for (unsigned l = 0; l < lanes(); l++) {
            const triangle_t t = triangle_of((const int(*)[3])corners, turn % 4);
            const meeting_t m = meeting_of(&rays[l], &t);
            expect_hit(l, &m, barycentric, ID);
            hits += m.hit;
        }
    }
    assert_true(hits > 20);
}

/* i of the third corner and j of the first: 2 and 0. */
static void try_turned(void)
{
    enum { AT = 5 };
    const ray_t ray = {.origin = {0, 0, 0}, .direction = {1, 1, 1}, .length = 100};
    const triangle_t t = {.corner = {{4, 0, 0}, {0, 8, 0}, {0, 0, 16}}};
    const meeting_t m = meeting_of(&ray, &t);
    assert_true(m.hit);
    describe(0, BARYCENTRIC);
    for (unsigned k = 0; k < 9; k++)
        *dword_of(AT, k) = f((float)t.corner[k / 3][k % 3]);
    *dword_of(AT, 15) = 2;
    for (unsigned l = 0; l < lanes(); l++) {
        rig->rows[0][l] = name(AT, TRIANGLE);
        put_ray(1, 0, l, &ray, true);
    }
    run(&narrow_names[gpu]);
    expect_weight(0, 2, (float)m.j);
    expect_weight(0, 3, (float)(m.by - m.i - m.j));
}

/* ---- the address ---- */

/* Names of 64 bits reach as far, lanes that EXEC excludes keep their registers, and a node in the
 * upper half of the addresses is one with a negative address. */
static void try_wide_names(void)
{
    ray_t rays[64];
    box_t b[4];
    const uint64_t exec = UINT64_C(0x5a5a5a5a0f0ff00f) & (UINT64_MAX >> (64 - lanes()));
    describe(0, 0);
    for (unsigned c = 0; c < 4; c++) {
        b[c] = any_box();
        put_box(8, c, 0x1000 + c, &b[c]);
    }
    for (unsigned l = 0; l < lanes(); l++) {
        rays[l] = any_ray();
        rig->rows[0][l] = name(8, BOX_32);
        rig->rows[1][l] = 0;
        put_ray(2, 0, l, &rays[l], true);
        for (unsigned k = 0; k < 4; k++)
            rig->rows[RESULT + k][l] = 0xabc;
    }
    rig->wave.exec = exec;
    run(&wide_names[gpu]);
    for (unsigned l = 0; l < lanes(); l++)
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(result(c, l), !(exec >> l & 1)         ? 0xabc
                                           : meets(&rays[l], &b[c]) ? 0x1000 + c
                                                                    : NOTHING);
    /* from a tree that begins at address 0, by the node's address */
    rig->wave.exec = 1;
    memset(&rig->wave.sgpr[DESCRIPTOR], 0, 16);
    rig->wave.sgpr[DESCRIPTOR + 2] = UINT32_MAX;
    rig->wave.sgpr[DESCRIPTOR + 3] = TYPE | 0x3ff;
    const uint64_t wide = (WORDS_DATA + 8 * NODE) >> 3 | BOX_32;
    rig->rows[0][0] = (uint32_t)wide;
    rig->rows[1][0] = (uint32_t)(wide >> 32);
    rig->rows[RESULT][0] = 0;
    run(&wide_names[gpu]);
    assert_int_equal(result(0, 0), meets(&rays[0], &b[0]) ? 0x1000 : NOTHING);
    rig->wave.exec = UINT64_MAX >> (64 - lanes());
}

/* Directions and inverses of 16 bits: gfx10 has the six one after the other, later GPUs a
 * direction's component and its inverse in a dword. */
static void try_halves(void)
{
    ray_t rays[64];
    box_t b[4];
    describe(0, 0);
    for (unsigned c = 0; c < 4; c++) {
        b[c] = any_box();
        put_box(8, c, 0x1000 + c, &b[c]);
    }
    for (unsigned l = 0; l < lanes(); l++) {
        uint16_t six[6];
        rays[l] = any_ray();
        rig->rows[0][l] = name(8, BOX_32);
        put_ray(1, 0, l, &rays[l], false);
        for (unsigned k = 0; k < 6; k++) {
            const float x = (float)rays[l].direction[k % 3];
            const _Float16 h = (_Float16)(k < 3 ? x : 1 / x);
            memcpy(&six[k], &h, 2);
        }
        for (unsigned k = 0; k < 3; k++)
            rig->rows[5 + k][l] = gpu ? six[k] | (uint32_t)six[3 + k] << 16
                                      : six[2 * k] | (uint32_t)six[2 * k + 1] << 16;
    }
    run(&halves[gpu]);
    for (unsigned l = 0; l < lanes(); l++)
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(result(c, l), meets(&rays[l], &b[c]) ? 0x1000 + c : NOTHING);
}

/* ---- flags: gfx11 and later ---- */

/* Puts the flags of a name, bits 54 on, into its upper half. */
static void put_flags(unsigned flags)
{
    for (unsigned l = 0; l < lanes(); l++)
        rig->rows[1][l] = flags << 22;
}

/* Whether the first ray meets each of the four children of node 8 if its name has these flags. */
static unsigned met_with(unsigned flags)
{
    unsigned met = 0;
    put_flags(flags);
    run(&wide_names[gpu]);
    for (unsigned c = 0; c < 4; c++)
        met |= (unsigned)(result(c, 0) != NOTHING) << c;
    return met;
}

/* Children that are all opaque, all not, all triangles, all procedural: bits 0 to 3 of a byte. */
static void try_flags_of_boxes(void)
{
    enum { OPAQUE = 1, OTHERS = 2, SKIP_OPAQUE = 64, SKIP_OTHERS = 128, NO_TRIANGLES = 256 };
    const ray_t ray = {.direction = {1, 1, 1}, .length = 10};
    describe(0, FLAGS);
    for (unsigned c = 0; c < 4; c++)
        put_box(8, c, 0x1000 + c, &(box_t){{0, 0, 0}, {4, 4, 4}});
    *dword_of(8, 28) = 0x08040201;
    for (unsigned l = 0; l < lanes(); l++) {
        rig->rows[0][l] = name(8, BOX_32);
        put_ray(2, 0, l, &ray, true);
    }
    assert_int_equal(met_with(0), 15);
    assert_int_equal(met_with(SKIP_OPAQUE), 14);
    assert_int_equal(met_with(SKIP_OTHERS), 13);
    assert_int_equal(met_with(NO_TRIANGLES), 11);
    assert_int_equal(met_with(512), 7);
    assert_int_equal(met_with(OPAQUE | SKIP_OPAQUE), 0);
    assert_int_equal(met_with(OPAQUE | SKIP_OTHERS), 15);
    assert_int_equal(met_with(OTHERS | SKIP_OTHERS), 0);
    /* a descriptor that has no flags */
    describe(0, 0);
    assert_int_equal(met_with(SKIP_OPAQUE), 15);
    *dword_of(8, 28) = 0;
}

/* The sign of the denominator says which side of a triangle a ray sees: here the front, by a
 * positive one. */
static void try_flags_of_faces(void)
{
    enum {
        AT = 5,
        KEEP = 4,
        FLIP = 8,
        NO_BACK = 16,
        NO_FRONT = 32,
        NO_OPAQUE = 64,
        NO_OTHERS = 128
    };
    static const struct {
        unsigned flags, bits; /* of the triangle: 16 both sides, 32 flipped, 128 opaque */
        bool hit, flipped;
    } cases[] = {
        {0, 0, true, false},           {NO_BACK, 0, true, false},
        {NO_FRONT, 0, false, false},   {FLIP, 0, true, true},
        {FLIP | NO_BACK, 0, false, 0}, {NO_BACK, 32, false, 0},
        {FLIP | NO_BACK, 32, true, 0}, {NO_FRONT | KEEP, 0, true, false},
        {NO_FRONT, 16, true, false},   {NO_OPAQUE, 0, true, false},
        {NO_OPAQUE, 128, false, 0},    {NO_OTHERS, 0, false, 0},
        {NO_OTHERS, 128, true, false}, {NO_OPAQUE | 2, 128, true, false},
        {NO_OPAQUE | 1, 0, false, 0},  {256, 0, false, 0},
        {512, 0, true, false},
    };
    const ray_t ray = {.direction = {1, 1, 1}, .length = 100};
    triangle_t t = {.corner = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}};
    meeting_t m = meeting_of(&ray, &t);
    if (m.by < 0) {
        memcpy(t.corner[0], (int[3]){0, 4, 0}, sizeof t.corner[0]);
        memcpy(t.corner[1], (int[3]){4, 0, 0}, sizeof t.corner[1]);
        m = meeting_of(&ray, &t);
    }
    assert_true(m.hit && m.by > 0);
    for (unsigned k = 0; k < 9; k++)
        *dword_of(AT, k) = f((float)t.corner[k / 3][k % 3]);
    describe(0, FLAGS);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        const float sign = cases[k].flipped ? -1 : 1;
        *dword_of(AT, 15) = cases[k].bits;
        for (unsigned l = 0; l < lanes(); l++) {
            rig->rows[0][l] = name(AT, TRIANGLE);
            put_ray(2, 0, l, &ray, true);
        }
        put_flags(cases[k].flags);
        run(&wide_names[gpu]);
        if (result(3, 0) != cases[k].hit) fail_msg("case %u: %u", k, result(3, 0));
        assert_int_equal(result(0, 0), cases[k].hit ? f(sign * (float)m.distance) : f(INFINITY));
        assert_int_equal(result(1, 0), cases[k].hit ? f(sign * (float)m.by) : f(1));
    }
}

/* A bit of gfx1201's triangles says that the program tests the shape itself: whatever the corners
 * hold, the distance is 0 / 1 and the weights are -1 and, if it is not opaque, -1. On gfx11 the bit
 * has no meaning. */
static void try_shapes(void)
{
    enum { AT = 5, SHAPE = 64, OPAQUE = 128, NO_FRONT = 32, NO_TRIANGLES = 256, NO_SHAPES = 512 };
    static const struct {
        unsigned flags, bits;
        bool gfx11, gfx12; /* whether it is met */
    } cases[] = {
        {0, SHAPE, true, true},          {0, SHAPE | OPAQUE, true, true},
        {NO_FRONT, SHAPE, false, true},  {NO_TRIANGLES, SHAPE, false, true},
        {NO_SHAPES, SHAPE, true, false},
    };
    const ray_t ray = {.origin = {9, 9, 9}, .direction = {-1, -1, -1}, .length = 100};
    triangle_t t = {.corner = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}};
    const meeting_t m = meeting_of(&ray, &t);
    assert_true(m.hit && m.by > 0);
    describe(0, FLAGS | BARYCENTRIC);
    for (unsigned k = 0; k < 9; k++)
        *dword_of(AT, k) = f((float)t.corner[k / 3][k % 3]);
    for (unsigned l = 0; l < lanes(); l++) {
        rig->rows[0][l] = name(AT, TRIANGLE);
        put_ray(2, 0, l, &ray, true);
    }
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bool shape = gpu == GFX1201, met = shape ? cases[k].gfx12 : cases[k].gfx11;
        *dword_of(AT, 15) = cases[k].bits | 9;
        put_flags(cases[k].flags);
        run(&wide_names[gpu]);
        assert_int_equal(result(0, 0), !met ? f(INFINITY) : shape ? 0 : f((float)m.distance));
        assert_int_equal(result(1, 0), !met || shape ? f(1) : f((float)m.by));
        if (!shape) continue;
        assert_int_equal(result(2, 0), f(-1));
        assert_int_equal(result(3, 0), cases[k].bits & OPAQUE ? f(1) : f(-1));
    }
}

/* ---- what is no node, or none that is known ---- */

static void try_others(void)
{
    ray_t rays[64];
    describe(SORTS, 0);
    put_rays(rays, name(0x1000000, USER)); /* not read, wherever it is */
    rig->rows[0][1] = NOTHING;
    rig->rows[0][2] = name(3, INSTANCE);
    run(&narrow_names[gpu]);
    for (unsigned l = 0; l < 3; l++)
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(result(k, l), NOTHING);
    put_rays(rays, name(sizeof rig->data / NODE, BOX_32));
    refused(&narrow_names[gpu], "node behind its tree");
    rig->wave.sgpr[DESCRIPTOR + 3] &= ~TYPE;
    refused(&narrow_names[gpu], "descriptor of no tree");
    /* of a node with boxes of 32 bits the second half counts, too */
    describe(0, 0);
    rig->wave.sgpr[DESCRIPTOR + 2] = 6;
    put_rays(rays, name(6, BOX_32));
    refused(&narrow_names[gpu], "node behind its tree");
    put_rays(rays, name(6, BOX_16));
    run(&narrow_names[gpu]);
    put_rays(rays, name(5, BOX_32));
    run(&narrow_names[gpu]);
    /* memory that is not there */
    describe(0, 0);
    rig->wave.sgpr[DESCRIPTOR] += 0x100000;
    put_rays(rays, name(0, BOX_32));
    words_load(narrow_names[gpu].text, narrow_names[gpu].words, narrow_names[gpu].n);
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_MEMORY);
    assert_int_equal(rig->wave.fault_addr, WORDS_DATA + 0x10000000);
    rig->wave.stop = ISA_RUN;
}

static void try_all(void)
{
    for (unsigned order = 0; order < (gpu ? 3 : 1); order++)
        try_boxes(false, order);
    try_boxes(true, 0);
    try_unsorted();
    try_limits();
    try_triangles(false);
    try_triangles(true);
    try_turned();
    try_wide_names();
    try_halves();
    if (gpu) try_flags_of_boxes();
    if (gpu) try_flags_of_faces();
    if (gpu) try_shapes();
    try_others();
}

static void nodes_of_four(void **state)
{
    (void)state;
    for (gpu = 0; gpu < GPUS; gpu++)
        words_every_core(narrow_names[gpu].gpu, try_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_four)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
