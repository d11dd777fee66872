/* mem_image_gfx12_sample.c - samples of gfx12: every form, types of images, limits of levels.
 *
 * A file of its own because results are worked out from filters, not from places. */
#include "image_gfx12_rig.h"

/* ---- samples ---- */

typedef struct {
    const char *text;
    uint32_t words[3];
    uint32_t dwords[10]; /* of the address */
    float want[4];
} sample_t;

/* The first three dwords of an address are in v8, v10 and v12, the others from v14 on. */
static void set_address(rig_t *r, const uint32_t dwords[10])
{
    for (unsigned n = 0; n < 10; n++)
        all_lanes(r, n < 4 ? 8 + 2 * n : 11 + n, dwords[n]);
}

static void check_forms(rig_t *r, const sample_t *forms, unsigned n, unsigned results)
{
    for (unsigned k = 0; k < n; k++) {
        set_address(r, forms[k].dwords);
        run_words(r, forms[k].text, forms[k].words);
        for (unsigned l = 0; l < lanes(r); l++)
            for (unsigned c = 0; c < results; c++)
                if (number(row(r, VDATA + c)[l]) != forms[k].want[c])
                    fail_msg("%s: %g in v%u of lane %u, not %g", forms[k].text,
                             (double)number(row(r, VDATA + c)[l]), VDATA + c, l,
                             (double)forms[k].want[c]);
    }
}

/* At x = 3.25, y = 2.5 of a sampler that is nearest where texels are magnified, and linear where
 * they are made smaller: 35 or, with a quarter of texel 2, 34.75. Comparisons ask whether the
 * reference is less than the texel. */
static void use_samples(rig_t *r)
{
    const sample_t samples[] = {
#define SAMPLES
#include "mem_image_gfx12.inc"
#undef SAMPLES
    };
    floats_of(r, IMG_2D);
    set_s(r, EDGE, 0, 1, 1);
    check_forms(r, samples, sizeof samples / sizeof *samples, 1);
}

/* The middle of texel (3, 2) and those right of it and below; the lower ones come first.
 * Comparisons ask whether the reference is greater than the texel. */
static void use_gathers(rig_t *r)
{
    const sample_t gathers[] = {
#define GATHERS
#include "mem_image_gfx12.inc"
#undef GATHERS
    };
    floats_of(r, IMG_2D);
    set_s(r, EDGE, 0, 0, 4);
    check_forms(r, gathers, sizeof gathers / sizeof *gathers, 4);
    all_lanes(r, 8, f(3.5f));
    all_lanes(r, 9, f(2.5f));
    run(r, "image_gather4_lz v[20:21], [v8, v9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D "
           "d16");
    assert_int_equal(row(r, VDATA)[2], 0x52805260); /* 51 and 52 */
    assert_int_equal(row(r, VDATA + 1)[2], 0x50605080);
    use(r, IMG_3D, FLOAT_32);
    refused(r,
            "image_gather4_lz v[20:23], [v8, v9, v10], s[16:23], s[24:27] dmask:0x1 "
            "dim:SQ_RSRC_IMG_3D",
            "not flat");
}

/* Offset, reference, six gradients, three coordinates, least level: v8, v10, v12, v[32:40]. */
static void use_a_tuple(rig_t *r)
{
    static const float parts[9] = {0, 0, 0, 1, 0, 3.25f, 2.5f, 1.5f, 2};
    floats_of(r, IMG_3D);
    set_s(r, EDGE, 0, 1, 1);
    all_lanes(r, 8, LEFT_AND_UP);
    all_lanes(r, 10, f(257.5f));
    all_lanes(r, 12, f(4));
    for (unsigned k = 0; k < 9; k++)
        all_lanes(r, 32 + k, f(parts[k]));
    run(r, "image_sample_c_d_cl_o v20, [v8, v10, v12, v[32:40]], s[16:23], s[24:27] dmask:0x1 "
           "dim:SQ_RSRC_IMG_3D");
    /* texels 258 and, with a quarter, 257 of slice 1 */
    for (unsigned l = 0; l < lanes(r); l++)
        assert_true(number(row(r, VDATA)[l]) == 0.75f);
}

static void samples_take_what_their_forms_say(void **state)
{
    (void)state;
    everywhere(use_samples);
    everywhere(use_gathers);
    everywhere(use_a_tuple);
}

static void use_types(rig_t *r)
{
    set_s(r, EDGE, 0, 0, 0);
    all_lanes(r, 8, f(3.25f));
    all_lanes(r, 9, f(2.5f));
    all_lanes(r, 10, f(1.4f));
    floats_of(r, IMG_2D_ARRAY);
    run(r, "image_sample_lz v20, [v8, v9, v10], s[16:23], s[24:27] dmask:0x1 "
           "dim:SQ_RSRC_IMG_2D_ARRAY");
    assert_true(number(row(r, VDATA)[5]) == 291);
    floats_of(r, IMG_3D);
    run(r, "image_sample_lz v20, [v8, v9, v10], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_3D");
    assert_true(number(row(r, VDATA)[5]) == 291);
    floats_of(r, IMG_2D);
    run(r, "image_sample_lz v20, [v8, v9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D d16");
    assert_int_equal(row(r, VDATA)[2] & 0xffff, 0x5060); /* 35 */
    run(r, "image_sample_lz v[20:21], [v8, v9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D "
           "d16");
    assert_int_equal(row(r, VDATA)[2], 0x5060);
    assert_int_equal(row(r, VDATA + 1)[2], 0x3c000000); /* alpha is 1 */
    /* the instruction, not the sampler, says that coordinates count texels */
    r->wave.sgpr[SSAMP] &= ~(1u << 15);
    run(r, "image_sample_lz v20, [v8, v9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
    assert_true(number(row(r, VDATA)[2]) == 35);
    set_s(r, EDGE, 0, 0, 0);
    all_lanes(r, 8, 0x41004280); /* 3.25 and 2.5 in halves */
    run(r, "image_sample_lz v20, v8, s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D a16");
    assert_true(number(row(r, VDATA)[7]) == 35);
    /* across a face of a cube coordinates go from 1 to 2 */
    floats_of(r, IMG_CUBE);
    r->wave.sgpr[SSAMP] &= ~(1u << 15);
    all_lanes(r, 8, f(1 + 3.25f / WIDE));
    all_lanes(r, 9, f(1 + 2.5f / HIGH));
    for (unsigned face = 0; face < CELLS; face++) {
        all_lanes(r, 10, f((float)face));
        run(r, "image_sample_lz v20, [v8, v9, v10], s[16:23], s[24:27] dmask:0x1 "
               "dim:SQ_RSRC_IMG_CUBE");
        assert_true(number(row(r, VDATA)[5]) == 35 + 256.0f * (float)face);
    }
}

static void images_of_each_type_are_sampled(void **state)
{
    (void)state;
    everywhere(use_types);
}

/* The limits of a sampler have 13 bits, five of them of whole levels. A least level of 16 makes
 * texels smaller, as does a level of 17; the greatest of 0 does not let them. */
static void use_limits(rig_t *r)
{
    const char *text =
        "image_sample_l v20, [v8, v9, v10], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D";
    uint32_t *s = &r->wave.sgpr[SSAMP];
    floats_of(r, IMG_2D);
    set_s(r, EDGE, 0, 1, 0);
    all_lanes(r, 8, f(3.25f));
    all_lanes(r, 9, f(2.5f));
    all_lanes(r, 10, f(-1));
    run(r, text);
    assert_true(number(row(r, VDATA)[3]) == 35);
    s[1] = 16 << 8 | 0x1fffu << 13;
    run(r, text);
    assert_true(number(row(r, VDATA)[3]) == 34.75f);
    s[1] = 0;
    all_lanes(r, 10, f(17));
    run(r, text);
    assert_true(number(row(r, VDATA)[3]) == 35);
    s[1] = 1u << 25; /* 16 */
    run(r, text);
    assert_true(number(row(r, VDATA)[3]) == 34.75f);
}

static void ask_lod(rig_t *r)
{
    const char *text =
        "image_get_lod v[20:21], [v8, v9], s[16:23], s[24:27] dmask:0x3 dim:SQ_RSRC_IMG_2D";
    floats_of(r, IMG_2D);
    set_s(r, EDGE, 0, 0, 0);
    for (unsigned l = 0; l < 64; l++) { /* eight texels from lane to lane: level 3 */
        row(r, 8)[l] = f(l & 1 ? 8.0f : 0);
        row(r, 9)[l] = f(l & 2 ? 2.0f : 0);
    }
    run(r, text);
    assert_true(number(row(r, VDATA)[6]) == 0); /* the image has no other level */
    assert_true(number(row(r, VDATA + 1)[6]) == 3);
}

static void levels_of_detail_are_limited(void **state)
{
    (void)state;
    everywhere(use_limits);
    everywhere(ask_lod);
}

static void nothing_is_left_out(void **state)
{
    (void)state;
    all_were_run(true, 56);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_take_what_their_forms_say),
        cmocka_unit_test(images_of_each_type_are_sampled),
        cmocka_unit_test(levels_of_detail_are_limited),
        cmocka_unit_test(nothing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
