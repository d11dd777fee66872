/* mem_image_later_sample.c - samples of gfx1030 and gfx1100: forms of addresses, levels,
 * comparisons, gathers.
 *
 * A file of its own because results are worked out from filters, not from places. */
#include "image_later_rig.h"

/* Texel (x, y) of floats holds x + 16 * y. */
static void fill_floats(bench_t *b)
{
    float *to = (float *)(void *)b->memory;
    for (unsigned y = 0; y < HIGH; y++)
        for (unsigned x = 0; x < WIDE; x++)
            to[x + ROW_DWORDS * y] = (float)(x + 16 * y);
    t_sharp_t t = filled(b, IMG_2D);
    t.format = b->gpu->float_32;
    set_t(b, &t);
}

/* Texel (x, y, z) of floats holds x + 16 * y + 256 * z. */
enum { CELLS = 6 };

static void fill_cells(bench_t *b)
{
    float *to = (float *)(void *)b->memory;
    for (unsigned row = 0; row < CELLS * HIGH; row++)
        for (unsigned x = 0; x < WIDE; x++)
            to[x + ROW_DWORDS * row] = (float)(x + 16 * row);
}

typedef struct {
    const char *form;   /* behind "image_sample_" */
    unsigned n;         /* dwords before the coordinates, from v8 on: */
    uint32_t before[6]; /* offset, bias, reference, gradients */
    bool level;         /* a level follows the coordinates: */
    float after;
    float want;
} sample_t;

/* At x = 3.25, y = 2.5 of a sampler that is nearest where texels are magnified, and linear where
 * they are made smaller: 35 or, with a quarter of texel 2, 34.75. */
static void use_forms(bench_t *b)
{
    const uint32_t left_and_up = 0x3f | 0x3e << 8; /* -1 and -2 */
    const sample_t samples[] = {
        {"lz", 0, {0}, false, 0, 35},
        {"l", 0, {0}, true, 1, 34.75f},
        {"l", 0, {0}, true, -1, 35},
        {"", 0, {0}, false, 0, 35}, /* lanes have the same place: no distance, which is near */
        {"cl", 0, {0}, true, 2, 34.75f},
        {"b", 1, {f(300)}, false, 0, 34.75f},
        /* gradients of four texels, or of half a one at most; then the same in halves */
        {"d", 4, {f(4), f(0), f(0), f(1)}, false, 0, 34.75f},
        {"d", 4, {f(0.25f), f(0), f(0), f(0.5f)}, false, 0, 35},
        {"d_g16", 2, {0x4400, 0}, false, 0, 34.75f},
        {"d_g16", 2, {0x3400, 0x34000000}, false, 0, 35},
        {"lz_o", 1, {left_and_up}, false, 0, 2},
        {"l_o", 1, {left_and_up}, true, 1, 1.75f},
        {"b_o", 2, {left_and_up, f(300)}, false, 0, 1.75f},
        /* whether 34.5 is less than the texel: than 35, but not than 34 */
        {"c_lz", 1, {f(34.5f)}, false, 0, 1},
        {"c_l", 1, {f(34.5f)}, true, 1, 0.75f},
        {"c_l_o", 2, {left_and_up, f(1.5f)}, true, 1, 0.75f},
        {"c_b", 2, {f(300), f(34.5f)}, false, 0, 0.75f},
        {"c_b_cl", 2, {f(300), f(34.5f)}, true, 0, 0.75f},
        {"cl_o", 1, {left_and_up}, true, 2, 1.75f},
        {"b_cl_o", 2, {left_and_up, f(0)}, true, 2, 1.75f},
        {"d_cl", 4, {f(0.25f), f(0), f(0), f(0.5f)}, true, 0, 35},
        {"d_cl", 4, {f(0.25f), f(0), f(0), f(0.5f)}, true, 2, 34.75f},
        {"d_o", 5, {left_and_up, f(4), f(0), f(0), f(1)}, false, 0, 1.75f},
        {"c_d", 5, {f(34.5f), f(4), f(0), f(0), f(1)}, false, 0, 0.75f},
        {"c_d", 5, {f(34.5f), f(0.25f), f(0), f(0), f(0.5f)}, false, 0, 1},
        {"c_d_cl", 5, {f(34.5f), f(0.25f), f(0), f(0), f(0.5f)}, true, 2, 0.75f},
    };
    fill_floats(b);
    set_s(b, EDGE, 0, 1, 1);
    for (unsigned k = 0; k < sizeof samples / sizeof *samples; k++) {
        const sample_t *s = &samples[k];
        char text[128];
        snprintf(text, sizeof text,
                 "image_sample%s%s v[20:23], v[8:%u], s[16:23], s[24:27] dmask:0xf "
                 "dim:SQ_RSRC_IMG_2D",
                 *s->form ? "_" : "", s->form, 9 + s->n + (s->level ? 1 : 0));
        for (unsigned n = 0; n < 6; n++)
            all_lanes(b, 8 + n, s->before[n]);
        all_lanes(b, 8 + s->n, f(3.25f));
        all_lanes(b, 9 + s->n, f(2.5f));
        all_lanes(b, 10 + s->n, f(s->after));
        run(b, text);
        for (unsigned l = 0; l < lanes(b); l++)
            if (number(row(b, VDATA)[l]) != s->want)
                fail_msg("%s: %s: %g in lane %u, not %g", b->gpu->name, text,
                         (double)number(row(b, VDATA)[l]), l, (double)s->want);
    }
    /* distances between lanes: four texels, and the middle of each quad is where it was */
    for (unsigned l = 0; l < 64; l++) {
        row(b, 8)[l] = f(3.25f + (l & 1 ? 4 : 0));
        row(b, 9)[l] = f(2.5f);
    }
    run(b, "image_sample v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D");
    assert_true(number(row(b, VDATA)[4]) == 34.75f && number(row(b, VDATA)[5]) == 38.75f);
    /* scattered registers, of which y is v30 */
    all_lanes(b, 30, f(2.5f));
    run(b, "image_sample_lz v[20:23], [v8, v30], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D");
    assert_true(number(row(b, VDATA)[4]) == 35 && number(row(b, VDATA)[5]) == 39);
    /* coordinates of 16 bits: 3.25 is 0x4280, 2.5 is 0x4100 */
    all_lanes(b, 8, 0x41004280);
    run(b, "image_sample_lz v[20:23], v8, s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D a16");
    assert_true(number(row(b, VDATA)[7]) == 35);
}

/* A sample of an image whose type is not the usual one, with dwords from v8 on. */
typedef struct {
    unsigned type;
    const char *text; /* up to the descriptor */
    const char *behind;
    uint32_t dwords[10];
    float want;
} typed_t;

/* Texel (x, y, z) holds x + 16 * y + 256 * z; rows of images of lines follow one another. */
static void use_types(bench_t *b)
{
    const typed_t samples[] = {
        {IMG_1D, "_lz v20, v8", "1D", {f(3.25f)}, 3},
        {IMG_1D_ARRAY, "_lz v20, v[8:9]", "1D_ARRAY", {f(3.25f), f(2)}, 35},
        {IMG_2D_ARRAY, "_lz v20, v[8:10]", "2D_ARRAY", {f(3.25f), f(2.5f), f(1.4f)}, 291},
        {IMG_3D, "_lz v20, v[8:10]", "3D", {f(3.25f), f(2.5f), f(1.5f)}, 291},
        /* four texels to the right: linear, a quarter of texel 2; z is the middle of a slice */
        {IMG_1D, "_d v20, v[8:10]", "1D", {f(4), f(0), f(3.25f)}, 2.75f},
        {IMG_1D, "_d v20, v[8:10]", "1D", {f(0.5f), f(0.5f), f(3.25f)}, 3},
        {IMG_1D, "_d_g16 v20, v[8:10]", "1D", {0x4400, 0, f(3.25f)}, 2.75f},
        {IMG_3D,
         "_d v20, v[8:23]",
         "3D",
         {f(4), f(0), f(0), f(0), f(1), f(0), f(3.25f), f(2.5f), f(1.5f)},
         290.75f},
        {IMG_3D,
         "_d v20, v[8:23]",
         "3D",
         {f(0), f(0), f(0), f(0), f(0), f(4), f(3.25f), f(2.5f), f(1.5f)},
         290.75f},
        {IMG_3D,
         "_d_g16 v20, v[8:14]",
         "3D",
         {0, 0x4400, 0x3c000000, 0, f(3.25f), f(2.5f), f(1.5f)},
         290.75f},
        /* coordinates of 16 bits: 3.25 is 0x4280, 2.5 is 0x4100, a bias of 300, a level or least
         * level of 1 and 2 */
        {IMG_2D, "_b v20, v[8:9]", "2D a16", {0x5cb0, 0x41004280}, 34.75f},
        {IMG_2D, "_l v20, v[8:9]", "2D a16", {0x41004280, 0x3c00}, 34.75f},
        {IMG_2D, "_cl v20, v[8:9]", "2D a16", {0x41004280, 0x4000}, 34.75f},
        {IMG_2D, "_cl v20, v[8:9]", "2D a16", {0x41004280, 0}, 35},
    };
    for (unsigned k = 0; k < sizeof samples / sizeof *samples; k++) {
        const typed_t *s = &samples[k];
        char text[128];
        fill_cells(b);
        t_sharp_t t = filled(b, s->type);
        t.format = b->gpu->float_32;
        set_t(b, &t);
        set_s(b, EDGE, 0, 1, 0);
        snprintf(text, sizeof text,
                 "image_sample%s, s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_%s", s->text,
                 s->behind);
        for (unsigned n = 0; n < 10; n++)
            all_lanes(b, 8 + n, s->dwords[n]);
        run(b, text);
        for (unsigned l = 0; l < lanes(b); l++)
            if (number(row(b, VDATA)[l]) != s->want)
                fail_msg("%s: %s: %g in lane %u, not %g", b->gpu->name, text,
                         (double)number(row(b, VDATA)[l]), l, (double)s->want);
    }
}

/* Across a face coordinates go from 1 to 2. */
static void use_cubes(bench_t *b)
{
    fill_cells(b);
    t_sharp_t t = filled(b, IMG_CUBE);
    t.format = b->gpu->float_32;
    t.depth = CELLS;
    set_t(b, &t);
    set_s(b, EDGE, 0, 0, 0);
    b->r->wave.sgpr[SSAMP] &= ~(1u << 15); /* normalized */
    all_lanes(b, 8, f(1 + 3.25f / WIDE));
    all_lanes(b, 9, f(1 + 2.5f / HIGH));
    for (unsigned face = 0; face < CELLS; face++) {
        all_lanes(b, 10, f((float)face));
        run(b, "image_sample_lz v20, v[8:10], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_CUBE");
        assert_true(number(row(b, VDATA)[5]) == 35 + 256.0f * (float)face);
    }
}

static void images_of_each_type_are_sampled(void **state)
{
    (void)state;
    everywhere(use_types);
    everywhere(use_cubes);
}

/* Coordinates that are no numbers count as 0, others are limited; halves; the border. */
static void use_edges(bench_t *b)
{
    static const struct {
        float x, want;
    } edges[] = {{NAN, 32}, {INFINITY, 47}, {-INFINITY, 32}, {1e30f, 47}, {-5, 32}};
    const char *sample =
        "image_sample_lz v20, v[8:9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D";
    enum { BORDER = 6, WHITE = 2 };
    fill_floats(b);
    set_s(b, EDGE, 0, 0, 0);
    all_lanes(b, 9, f(2.5f));
    for (unsigned k = 0; k < sizeof edges / sizeof *edges; k++) {
        all_lanes(b, 8, f(edges[k].x));
        run(b, sample);
        assert_true(number(row(b, VDATA)[2]) == edges[k].want);
    }
    set_s(b, BORDER, 0, 0, 0);
    all_lanes(b, 8, f(-1));
    run(b, sample);
    assert_true(number(row(b, VDATA)[2]) == 0);
    b->r->wave.sgpr[SSAMP + 3] = (uint32_t)WHITE << 30;
    run(b, sample);
    assert_true(number(row(b, VDATA)[2]) == 1);
    all_lanes(b, 8, f(3.25f));
    run(b, sample);
    assert_true(number(row(b, VDATA)[2]) == 35);
    run(b, "image_sample_lz v20, v[8:9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D d16");
    assert_int_equal(row(b, VDATA)[2] & 0xffff, 0x5060); /* 35 */
}

static void edges_are_kept(void **state)
{
    (void)state;
    everywhere(use_edges);
}

/* Addresses whose registers two and three dwords name, which gfx11 has not. */
static void use_scattered(bench_t *b)
{
    if (is_gfx11(b)) return;
    fill_cells(b);
    t_sharp_t t = filled(b, IMG_3D);
    t.format = b->gpu->float_32;
    set_s(b, EDGE, 0, 1, 1);
    /* in v1, v3 ...: a reference; gradients of four texels to the right; coordinates */
    static const float parts[10] = {290.5f, 4, 0, 0, 0, 1, 0, 3.25f, 2.5f, 1.5f};
    for (unsigned k = 0; k < 10; k++)
        all_lanes(b, 1 + 2 * k, f(parts[k]));
    set_t(b, &t);
    run(b, "image_sample_c_d v20, [v1, v3, v5, v7, v9, v11, v13, v15, v17, v19], s[16:23], "
           "s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_3D");
    assert_true(number(row(b, VDATA)[3]) == 0.75f); /* less than 291, but not than 290 */
    t = filled(b, IMG_2D);
    t.format = b->gpu->float_32;
    set_t(b, &t);
    run(b, "image_sample_d v20, [v3, v5, v7, v11, v15, v17], s[16:23], s[24:27] dmask:0x1 "
           "dim:SQ_RSRC_IMG_2D");
    assert_true(number(row(b, VDATA)[3]) == 34.75f);
}

static void registers_are_scattered(void **state)
{
    (void)state;
    everywhere(use_scattered);
}

/* image_sample_d v[20:23], [v4, v6, v8, v10, v[12:13]], s[16:23], s[24:27] dmask:0xf
 * dim:SQ_RSRC_IMG_2D, by llvm-mc 21: gfx11's address that ends in a tuple. */
static void use_a_tuple(bench_t *b)
{
    static const uint32_t words[] = {0xf0700f05, 0x18041404, 0x0c0a0806};
    isa_inst_t inst;
    if (!is_gfx11(b)) return;
    assert_int_equal(isa_decode(b->r->dispatch.arch, words, 3, &inst), 3);
    fill_floats(b);
    set_s(b, EDGE, 0, 1, 0);
    for (unsigned reg = 4; reg < 16; reg++)
        all_lanes(b, reg, f(9));
    all_lanes(b, 4, f(4)); /* gradients of four texels to the right, and of one below */
    all_lanes(b, 6, f(0));
    all_lanes(b, 8, f(0));
    all_lanes(b, 10, f(1));
    all_lanes(b, 12, f(3.25f));
    all_lanes(b, 13, f(2.5f));
    rig_run(b->r, &inst, "image_sample_d");
    assert_int_equal(b->r->wave.stop, 0);
    for (unsigned l = 0; l < lanes(b); l++)
        assert_true(number(row(b, VDATA)[l]) == 34.75f);
}

/* Coarse gradients are one for a quad of lanes: with equal ones the sample is that of
 * image_sample_d. Where lanes differ, so that they would take different filters, it is refused;
 * where only one filter is there, it is not. */
static void use_coarse(bench_t *b)
{
    const char *text = "image_sample_cd v20, v[8:13], s[16:23], s[24:27] dmask:0x1 "
                       "dim:SQ_RSRC_IMG_2D";
    if (is_gfx11(b)) return;
    fill_floats(b);
    set_s(b, EDGE, 0, 1, 0);
    static const float parts[6] = {4, 0, 0, 1, 3.25f, 2.5f};
    for (unsigned k = 0; k < 6; k++)
        all_lanes(b, 8 + k, f(parts[k]));
    run(b, text);
    for (unsigned l = 0; l < lanes(b); l++)
        assert_true(number(row(b, VDATA)[l]) == 34.75f);
    for (unsigned l = 4; l < 8; l++) /* a quad whose four lanes take the other filter */
        row(b, 8)[l] = row(b, 11)[l] = f(0.25f);
    run(b, text);
    assert_true(number(row(b, VDATA)[3]) == 34.75f);
    assert_true(number(row(b, VDATA)[5]) == 35);
    row(b, 8)[6] = f(4);
    refused(b, text, "coarse gradients that differ in a quad");
    b->r->wave.exec &= ~UINT64_C(0xb0); /* of that quad one lane takes part */
    run(b, text);
    assert_true(number(row(b, VDATA)[6]) == 34.75f);
    b->r->wave.exec |= 0xb0;
    set_s(b, EDGE, 1, 1, 0);
    run(b, text);
    assert_true(number(row(b, VDATA)[5]) == 34.75f);
}

static void samples_take_what_their_forms_say(void **state)
{
    (void)state;
    everywhere(use_forms);
    everywhere(use_a_tuple);
    everywhere(use_coarse);
}

/* What an image of one level does not have is not sampled, whatever its descriptor asks for. */
static void use_one_level(bench_t *b)
{
    uint32_t *t = &b->r->wave.sgpr[SRSRC], *s = &b->r->wave.sgpr[SSAMP];
    const char *sample =
        "image_sample_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D";
    fill_floats(b);
    set_s(b, EDGE, 0, 0, 0);
    s[2] |= 1u << 26; /* the nearest level */
    if (is_gfx11(b))
        t[6] |= 1u << 4; /* MIN_LOD of 2: bits 187 to 198, with eight bits of fraction */
    else
        t[1] |= 1u << 17; /* bits 40 to 51 */
    all_lanes(b, 8, f(3.25f));
    all_lanes(b, 9, f(2.5f));
    run(b, sample);
    assert_true(number(row(b, VDATA)[3]) == 35);
    fill_floats(b);
    t[3] |= 1u << 12; /* BASE_LEVEL */
    refused(b, sample, "image with levels");
    refused(b, "image_load v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm",
            "image with levels");
}

static void levels_that_are_not_there_are_not_sampled(void **state)
{
    (void)state;
    everywhere(use_one_level);
}

/* The result for a texel and a reference. `compare`: 1 less, 2 equal, 4 greater. */
static float compared(bench_t *b, uint32_t texel, unsigned compare, float reference)
{
    set_s(b, EDGE, 0, 0, compare);
    memcpy(b->memory, &texel, 4);
    all_lanes(b, 8, f(reference));
    all_lanes(b, 9, f(0.5f));
    all_lanes(b, 10, f(0.5f));
    run(b, "image_sample_c_lz v[20:23], v[8:10], s[16:23], s[24:27] dmask:0xf "
           "dim:SQ_RSRC_IMG_2D");
    return number(row(b, VDATA)[11]);
}

static void use_references(bench_t *b)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORM_16 = 7 };
    t_sharp_t t = filled(b, IMG_2D);
    t.format = UNORM_16;
    set_t(b, &t);
    /* fixed-point numbers: the reference is limited to their range first */
    assert_true(compared(b, 0xffff, LESS | EQUAL, 1.5f) == 1);
    assert_true(compared(b, 0xffff, GREATER, 1.5f) == 0);
    assert_true(compared(b, 0, EQUAL, -1) == 1);
    assert_true(compared(b, 0x8000, LESS, 0.5f) == 1); /* 0x8000 / 0xffff is more than a half */
    assert_true(compared(b, 0, EQUAL, NAN) == 1);
    t.format = b->gpu->float_32;
    set_t(b, &t);
    assert_true(compared(b, f(1), LESS | EQUAL, 1.5f) == 0);
    assert_true(compared(b, f(2), EQUAL, 2) == 1);
    /* unordered */
    assert_true(compared(b, f(1), LESS | GREATER, NAN) == 1);
    assert_true(compared(b, f(NAN), LESS | GREATER, 1) == 1);
    assert_true(compared(b, f(1), LESS | EQUAL, NAN) == 0);
    assert_true(compared(b, f(1), GREATER | EQUAL, NAN) == 0);
    assert_true(compared(b, f(1), LESS | EQUAL | GREATER, NAN) == 1);
    assert_true(compared(b, f(1), 0, NAN) == 0);
}

static void references_are_compared(void **state)
{
    (void)state;
    everywhere(use_references);
}

static void use_srgb(bench_t *b)
{
    t_sharp_t t = filled(b, IMG_2D);
    const char *sample =
        "image_sample_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D";
    t.format = b->gpu->srgb_8_8_8_8;
    set_t(b, &t);
    set_s(b, EDGE, 0, 0, 0);
    memcpy(b->memory, "\x80\x80\x80\x80", 4);
    all_lanes(b, 8, f(0.5f));
    all_lanes(b, 9, f(0.5f));
    run(b, sample);
    assert_true(fabsf(number(row(b, VDATA)[1]) - 0.21586050f) < 1e-7f);
    b->r->wave.sgpr[SSAMP] |= 1u << 31; /* SKIP_DEGAMMA */
    run(b, sample);
    assert_int_equal(row(b, VDATA)[1], f(0x80 / 255.0f));
}

static void samplers_leave_srgb_as_it_is(void **state)
{
    (void)state;
    everywhere(use_srgb);
}

static void use_gathers(bench_t *b)
{
    fill_floats(b);
    set_s(b, EDGE, 0, 0, 4); /* a reference is greater than the texel */
    all_lanes(b, 8, f(3.5f));
    all_lanes(b, 9, f(2.5f));
    /* the middle of texel (3, 2) and those right of it and below, though a filter would take it
     * alone; the lower ones come first */
    const char *text =
        "image_gather4_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D";
    static const float want[4] = {51, 52, 36, 35};
    run(b, text);
    for (unsigned k = 0; k < 4; k++)
        assert_true(number(row(b, VDATA + k)[9]) == want[k]);
    all_lanes(b, 8, f(40)); /* a reference */
    all_lanes(b, 9, f(3.5f));
    all_lanes(b, 10, f(2.5f));
    run(b, "image_gather4_c_lz v[20:23], v[8:10], s[16:23], s[24:27] dmask:0x1 "
           "dim:SQ_RSRC_IMG_2D");
    for (unsigned k = 0; k < 4; k++)
        assert_true(number(row(b, VDATA + k)[9]) == (want[k] < 40 ? 1 : 0));
    /* the fourth component, which the descriptor sets to 1 */
    all_lanes(b, 8, f(3.5f));
    run(b, "image_gather4_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0x8 dim:SQ_RSRC_IMG_2D");
    for (unsigned k = 0; k < 4; k++)
        assert_true(number(row(b, VDATA + k)[9]) == 1);
    const t_sharp_t volume = filled(b, IMG_3D);
    set_t(b, &volume);
    refused(b,
            "image_gather4_lz v[20:23], v[8:10], s[16:23], s[24:27] dmask:0x1 "
            "dim:SQ_RSRC_IMG_3D",
            "not flat");
}

static void four_texels_are_gathered(void **state)
{
    (void)state;
    everywhere(use_gathers);
}

static void ask_lod(bench_t *b)
{
    fill_floats(b);
    set_s(b, EDGE, 0, 0, 0);
    for (unsigned l = 0; l < 64; l++) { /* eight texels from lane to lane: level 3 */
        row(b, 8)[l] = f(l & 1 ? 8.0f : 0);
        row(b, 9)[l] = f(l & 2 ? 2.0f : 0);
    }
    const char *text =
        "image_get_lod v[20:21], v[8:9], s[16:23], s[24:27] dmask:0x3 dim:SQ_RSRC_IMG_2D";
    run(b, text);
    assert_true(number(row(b, VDATA)[6]) == 0); /* the image has no other level */
    assert_true(number(row(b, VDATA + 1)[6]) == 3);
    /* no texel is read */
    isa_image_access_t x;
    assert_null(isa_image_access(&b->r->wave, assembled(b, text), &x));
    assert_int_equal(x.n, 0);
    /* what only texels are refused for: a border colour of a table, sRGB, an undefined filter */
    uint32_t *s = &b->r->wave.sgpr[SSAMP];
    s[0] |= 1u << 20 | 3u << 29;
    s[3] |= 3u << 30;
    all_lanes(b, VDATA + 1, 0);
    run(b, text);
    assert_true(number(row(b, VDATA + 1)[6]) == 3);
    refused(b, "image_sample v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
            "border colour");
}

static void levels_of_detail_are_told(void **state)
{
    (void)state;
    everywhere(ask_lod);
}

int main(void)
{
    if (!asm_available() || !asm_knows_gpu("gfx1100")) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_take_what_their_forms_say),
        cmocka_unit_test(images_of_each_type_are_sampled),
        cmocka_unit_test(edges_are_kept),
        cmocka_unit_test(registers_are_scattered),
        cmocka_unit_test(levels_that_are_not_there_are_not_sampled),
        cmocka_unit_test(references_are_compared),
        cmocka_unit_test(samplers_leave_srgb_as_it_is),
        cmocka_unit_test(four_texels_are_gathered),
        cmocka_unit_test(levels_of_detail_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
