/* mem_image_later.c - image instructions of gfx1030 and gfx1100: descriptors, layouts, loads,
 * stores.
 *
 * A file of its own beside mem_image.c because descriptors and layouts differ; samples are in
 * mem_image_later_sample.c. */
#include "image_later_rig.h"

#include "image_places.h"

/* ---- layouts ---- */

/* By number, as drivers name them. */
static bool is_layout(unsigned gpu, bool volume, unsigned number)
{
    static const uint8_t gfx10_flat[] = {1, 2, 5, 6, 9, 10, 17, 18, 21, 22, 24, 25, 26, 27, 28, 31},
                         gfx10_volume[] = {5, 9, 17, 21, 24, 25, 26, 27, 28, 31},
                         gfx11_flat[] = {2, 6, 10, 18, 22, 24, 26, 27, 28, 30, 31},
                         gfx11_volume[] = {5, 9, 17, 21, 24, 25, 26, 27, 28, 29, 31};
    static const struct {
        const uint8_t *list;
        size_t n;
    } lists[2][2] = {{{gfx10_flat, sizeof gfx10_flat}, {gfx10_volume, sizeof gfx10_volume}},
                     {{gfx11_flat, sizeof gfx11_flat}, {gfx11_volume, sizeof gfx11_volume}}};
    return number && memchr(lists[gpu][volume].list, (int)number, lists[gpu][volume].n);
}

static void try_layout(bench_t *b, bool volume, unsigned number, unsigned e, uint8_t *taken)
{
    static const unsigned flat[3] = {300, 140, 3}, solid[3] = {70, 50, 40};
    const unsigned *size = volume ? solid : flat, gpu = is_gfx11(b) ? 1 : 0;
    isa_image_t m;
    char what[96];
    snprintf(what, sizeof what, "%s, layout %u, %s of 2^%u bytes", b->gpu->name, number,
             volume ? "a volume" : "slices", e);
    set_t(b, &(t_sharp_t){.type = volume ? IMG_3D : IMG_2D_ARRAY,
                          .format = b->gpu->sizes[e],
                          .layout = number,
                          .width = size[0],
                          .height = size[1],
                          .depth = size[2]});
    const char *why = isa_image_decode(b->r->dispatch.arch, &b->r->wave.sgpr[SRSRC], &m);
    if (!why != (is_layout(gpu, volume, number) || !number)) fail_msg("%s: %s", what, why);
    if (why || !number) return;
    places_are_own(&m, size, e, taken, what);
}

static void try_layouts(bench_t *b)
{
    uint8_t *taken = malloc(PLACES_MOST);
    for (unsigned number = 0; number < 32; number++)
        for (unsigned e = 0; e < 5; e++) {
            try_layout(b, false, number, e, taken);
            try_layout(b, true, number, e, taken);
        }
    free(taken);
}

static void texels_have_places_of_their_own(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    on_core(r, try_layouts);
    rig_destroy(r);
}

static uint64_t place(bench_t *b, const t_sharp_t *t, uint32_t x, uint32_t y, uint32_t z)
{
    isa_image_t m;
    isa_level_t level;
    set_t(b, t);
    const char *why = isa_image_decode(b->r->dispatch.arch, &b->r->wave.sgpr[SRSRC], &m);
    if (why) fail_msg("%s: %s", b->gpu->name, why);
    isa_image_level(&m, 0, &level);
    return isa_image_address(&m, &level, (uint32_t[3]){x, y, z}) - IMAGE_VA;
}

/* Worked out by hand from the drivers' lists, for elements of 4 bytes: x = 0b110101111,
 * y = 0b101110110, slice 2 of an image whose rows have four blocks; of a volume x = 0b101111,
 * y = 0b11101, z = 0b10110. */
static void try_known(bench_t *b)
{
    const unsigned gpu = is_gfx11(b) ? 1 : 0;
    static const uint64_t display[2] = {0x2b76ec, 0x2b76f4}, render[2] = {0x2b93ec, 0x2b21f4},
                          volume[2] = {0x350cc, 0x3439c};
    t_sharp_t t = {.type = IMG_2D_ARRAY,
                   .format = b->gpu->uint_32,
                   .layout = 10,
                   .width = 512,
                   .height = 512,
                   .depth = 3};
    assert_int_equal(place(b, &t, 0x1af, 0x176, 2), display[gpu]);
    t.layout = 27;
    assert_int_equal(place(b, &t, 0x1af, 0x176, 2), render[gpu]);
    t = (t_sharp_t){.type = IMG_3D,
                    .format = b->gpu->uint_32,
                    .layout = 25,
                    .width = 64,
                    .height = 32,
                    .depth = 32};
    assert_int_equal(place(b, &t, 0x2f, 0x1d, 0x16), volume[gpu]);
    /* rows begin at multiples of 256 bytes, or where the descriptor of a flat image says it */
    t = (t_sharp_t){.type = IMG_2D, .format = b->gpu->uint_32, .width = 100, .height = 9};
    assert_int_equal(place(b, &t, 3, 2, 0), 2 * 512 + 12);
    t.pitch = 192;
    assert_int_equal(place(b, &t, 3, 2, 0), 2 * 768 + 12);
    t = (t_sharp_t){
        .type = IMG_3D, .format = b->gpu->uint_32, .width = 100, .height = 9, .depth = 300};
    assert_int_equal(place(b, &t, 3, 2, 5), (5 * 9 + 2) * 512 + 12);
}

/* Two texels of each kind of image: a bit of a coordinate is set in one of them. */
static void try_places(bench_t *b)
{
    static const struct {
        unsigned gpu;
        bool volume;
        unsigned number, texel;
        uint64_t at[5];
    } places[] = {
#include "mem_image_places.inc"
    };
    static const uint32_t flat[2][3] = {{0x2d5, 0x19b, 0x15}, {0x12a, 0x264, 0xa}},
                          volume[2][3] = {{0xd5, 0x9b, 0x35}, {0x12a, 0x64, 0x4a}};
    for (unsigned k = 0; k < sizeof places / sizeof *places; k++)
        for (unsigned e = 0; e < 5 && places[k].gpu == (is_gfx11(b) ? 1u : 0u); e++) {
            const bool solid = places[k].volume;
            const uint32_t *texel = solid ? volume[places[k].texel] : flat[places[k].texel];
            const t_sharp_t t = {.type = solid ? IMG_3D : IMG_2D_ARRAY,
                                 .format = b->gpu->sizes[e],
                                 .layout = places[k].number,
                                 .width = solid ? 300 : 1024,
                                 .height = solid ? 300 : 700,
                                 .depth = solid ? 100 : 32};
            const uint64_t at = place(b, &t, texel[0], texel[1], texel[2]);
            if (at != places[k].at[e])
                fail_msg("%s, layout %u, row %u, 2^%u bytes: 0x%llx", b->gpu->name,
                         places[k].number, k, e, (unsigned long long)at);
        }
}

static void texels_are_where_drivers_put_them(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    on_core(r, try_known);
    rig_destroy(r);
    r = rig_create(NULL);
    on_core(r, try_places);
    rig_destroy(r);
}

/* ---- loads, stores, atomic operations ---- */

/* Each lane's coordinate n goes to VGPR reg. */
static void coordinate(bench_t *b, unsigned reg, unsigned by, unsigned modulo)
{
    for (unsigned l = 0; l < 64; l++)
        row(b, reg)[l] = (l * by + reg) % modulo;
}

static uint32_t lane_x(unsigned l)
{
    return (l * 3 + 4) % 16;
}
static uint32_t lane_y(unsigned l)
{
    return (l * 5 + 5) % 16;
}
static uint32_t lane_z(unsigned l)
{
    return (l * 7 + 6) % 4;
}
static uint32_t want_1d(unsigned l)
{
    return lane_x(l);
}
static uint32_t want_2d(unsigned l)
{
    return lane_x(l) + 16 * lane_y(l);
}
static uint32_t want_3d(unsigned l)
{
    return lane_x(l) + 16 * lane_y(l) + 256 * lane_z(l);
}
/* rows of an image of lines follow one another, where want_3d's slices have 16 */
static uint32_t want_lines(unsigned l)
{
    return lane_x(l) + 16 * lane_z(l);
}
static uint32_t want_one(unsigned l)
{
    (void)l;
    return 1;
}
static void set_coordinates(bench_t *b)
{
    coordinate(b, VADDR, 3, WIDE);
    coordinate(b, VADDR + 1, 5, HIGH);
    coordinate(b, VADDR + 2, 7, DEEP);
}

static void load_types(bench_t *b)
{
    static const struct {
        unsigned type;
        const char *text;
        uint32_t (*want)(unsigned l);
    } loads[] = {
        {IMG_1D, "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm", want_1d},
        {IMG_2D, "image_load v[20:23], v[4:5], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm",
         want_2d},
        {IMG_3D, "image_load v[20:23], v[4:6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_3D unorm",
         want_3d},
        {IMG_2D_ARRAY,
         "image_load v[20:23], v[4:6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm", want_3d},
        /* scattered registers */
        {IMG_3D, "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_3D unorm",
         want_3d},
        {IMG_1D_ARRAY,
         "image_load v[20:23], [v4, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D_ARRAY unorm",
         want_lines},
        /* a volume through the type of an array, as copy kernels have it */
        {IMG_3D, "image_load v[20:23], v[4:6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm",
         want_3d},
    };
    fill_texels(b);
    set_coordinates(b);
    for (unsigned k = 0; k < sizeof loads / sizeof *loads; k++) {
        const t_sharp_t t = filled(b, loads[k].type);
        set_t(b, &t);
        run(b, loads[k].text);
        expect(b, loads[k].text, VDATA, loads[k].want);
        expect(b, loads[k].text, VDATA + 1, want_zero);
        expect(b, loads[k].text, VDATA + 3, want_one);
    }
    /* the slice that an address names counts from the descriptor's base */
    t_sharp_t part = filled(b, IMG_2D_ARRAY);
    part.base_slice = 3;
    set_t(b, &part);
    for (unsigned l = 0; l < 64; l++)
        row(b, VADDR + 2)[l] = l % 2;
    run(b, "image_load v[20:23], v[4:6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    for (unsigned l = 0; l < lanes(b); l++)
        assert_int_equal(row(b, VDATA)[l], l % 2 ? 0 : want_2d(l) + 256 * 3);
    /* coordinates of 16 bits: x and y in v8, z in v9 */
    const t_sharp_t volume = filled(b, IMG_3D);
    set_t(b, &volume);
    for (unsigned l = 0; l < 64; l++) {
        row(b, 8)[l] = lane_x(l) | lane_y(l) << 16;
        row(b, 9)[l] = lane_z(l) | 0xdead0000;
    }
    run(b, "image_load v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_3D unorm a16");
    expect(b, "16 bits", VDATA, want_3d);
}

static void images_of_each_type_are_loaded(void **state)
{
    (void)state;
    everywhere(load_types);
}

static void use_formats(bench_t *b)
{
    t_sharp_t t = {.type = IMG_1D, .format = b->gpu->unorm_8_8_8_8, .width = 4, .height = 1};
    const char *load = "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm";
    memset(b->r->rows, 0, sizeof b->r->rows);
    memcpy(b->memory, "\x00\xff\x33\x80", 4);
    set_t(b, &t);
    run(b, load);
    assert_int_equal(row(b, VDATA)[1], f(0));
    assert_int_equal(row(b, VDATA + 1)[1], f(1));
    assert_int_equal(row(b, VDATA + 2)[1], f(0.2f));
    t.format = b->gpu->srgb_8_8_8_8; /* 0x80 is 0.2158605 in linear light; alpha is linear */
    memcpy(b->memory, "\x00\xff\x80\x33", 4);
    set_t(b, &t);
    run(b, load);
    assert_true(fabsf(number(row(b, VDATA + 2)[1]) - 0.21586050f) < 1e-7f);
    assert_int_equal(row(b, VDATA + 3)[1], f(0.2f));
    t.format = b->gpu->unorm_5_6_5; /* the first component in the low bits */
    memcpy(b->memory, "\xff\x07", 2);
    set_t(b, &t);
    run(b, load);
    assert_int_equal(row(b, VDATA)[1], f(1));
    assert_int_equal(row(b, VDATA + 1)[1], f(1));
    assert_int_equal(row(b, VDATA + 2)[1], f(0));
    t.format = b->gpu->uint_32_32_32_32;
    memcpy(b->memory, "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\x80", 16);
    set_t(b, &t);
    run(b, load);
    assert_int_equal(row(b, VDATA)[1], 1);
    assert_int_equal(row(b, VDATA + 3)[1], 0x80000004);
    /* what is not executed says so */
    t.format = is_gfx11(b) ? 58 : 72; /* 32_32_32_UINT */
    set_t(b, &t);
    refused(b, load, "elements of 12 bytes");
    t.format = b->gpu->clamped_32;
    set_t(b, &t);
    refused(b, load, "undefined image format");
    t.format = b->gpu->uint_32;
    t.levels = t.last_level = 1;
    set_t(b, &t);
    refused(b, load, "image with levels");
    refused(b, "image_load v[20:23], v[4:6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA unorm",
            "several samples");
    refused(b, "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm r128",
            "descriptor of 128 bits");
    refused(b, "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm lwe",
            "status of levels");
}

static void formats_have_one_number(void **state)
{
    (void)state;
    everywhere(use_formats);
}

static void change_texels(bench_t *b)
{
    t_sharp_t t = filled(b, IMG_2D);
    const uint32_t *texels = (const uint32_t *)(void *)b->memory;
    fill_texels(b);
    set_t(b, &t);
    for (unsigned l = 0; l < 64; l++) { /* lanes have texels of their own */
        row(b, VADDR)[l] = l % 16;
        row(b, VADDR + 1)[l] = l / 16;
        row(b, VDATA)[l] = 1000 + l;
    }
    run(b, "image_store v20, v[4:5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
    for (unsigned l = 0; l < lanes(b); l++)
        assert_int_equal(texels[l % 16 + ROW_DWORDS * (l / 16)], 1000 + l);
    for (unsigned l = 0; l < 64; l++)
        row(b, VDATA)[l] = 5;
    run(b, "image_atomic_add v20, v[4:5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc");
    for (unsigned l = 0; l < lanes(b); l++) {
        assert_int_equal(row(b, VDATA)[l], 1000 + l);
        assert_int_equal(texels[l % 16 + ROW_DWORDS * (l / 16)], 1005 + l);
    }
    /* beyond the image nothing is written, and 0 returned */
    for (unsigned l = 0; l < 64; l++) {
        row(b, VADDR + 1)[l] = 16;
        row(b, VDATA)[l] = 7;
    }
    run(b, "image_atomic_swap v20, v[4:5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc");
    expect(b, "swap outside", VDATA, want_zero);
    assert_int_equal(texels[ROW_DWORDS * 16], 256); /* slice 1, which a flat image does not have */
    if (is_gfx11(b)) return;
    t.format = b->gpu->float_32;
    set_t(b, &t);
    for (unsigned l = 0; l < 64; l++) {
        row(b, VADDR + 1)[l] = 5;
        row(b, VDATA)[l] = f(l % 2 ? -1.5f : 2.5f);
    }
    memset(b->memory, 0, ROW_DWORDS * 4 * 8);
    run(b, "image_atomic_fmax v20, v[4:5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm");
    for (unsigned x = 0; x < 16; x++)
        assert_int_equal(texels[x + ROW_DWORDS * 5], x % 2 ? 0 : f(2.5f));
}

static void stores_and_atomics_change_texels(void **state)
{
    (void)state;
    everywhere(change_texels);
}

static void ask_sizes(bench_t *b)
{
    t_sharp_t t = filled(b, IMG_2D_ARRAY);
    t.base_slice = 1;
    set_t(b, &t);
    memset(b->r->rows, 0, sizeof b->r->rows);
    run(b, "image_get_resinfo v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm");
    assert_int_equal(row(b, VDATA)[3], WIDE);
    assert_int_equal(row(b, VDATA + 1)[3], HIGH);
    assert_int_equal(row(b, VDATA + 2)[3], DEEP - 1);
    assert_int_equal(row(b, VDATA + 3)[3], 1);
}

static void sizes_are_told(void **state)
{
    (void)state;
    everywhere(ask_sizes);
}

/* ---- descriptors of zeros ---- */

static void use_zeros(bench_t *b)
{
    static const char *const texts[] = {
        "image_load v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm",
        "image_load_pck v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm",
        "image_sample_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
        "image_sample v[20:23], v[8:9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
        "image_gather4_lz v[20:23], v[8:9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D",
        "image_get_resinfo v[20:23], v8, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D",
    };
    memset(b->memory, 0x5a, IMAGE_BYTES);
    memset(&b->r->wave.sgpr[SRSRC], 0, 32);
    set_s(b, EDGE, 1, 1, 0);
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (unsigned reg = 8; reg < VDATA + 4; reg++)
            all_lanes(b, reg, f(2.5f));
        run(b, texts[k]);
        for (unsigned c = 0; c < 4; c++)
            expect(b, texts[k], VDATA + c, want_zero);
    }
    for (unsigned c = 0; c < 4; c++)
        all_lanes(b, VDATA + c, 0);
    run(b, "image_store v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    run(b, "image_store_pck v[20:23], v[8:9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
    all_lanes(b, VDATA, 3);
    run(b, "image_atomic_add v20, v[8:9], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc");
    expect(b, "atomic_add", VDATA, want_zero);
    for (unsigned k = 0; k < IMAGE_BYTES; k++)
        assert_int_equal(b->memory[k], 0x5a);
}

static void descriptors_of_zeros_have_no_texels(void **state)
{
    (void)state;
    everywhere(use_zeros);
}

int main(void)
{
    if (!asm_available() || !asm_knows_gpu("gfx1100")) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texels_have_places_of_their_own),
        cmocka_unit_test(texels_are_where_drivers_put_them),
        cmocka_unit_test(images_of_each_type_are_loaded),
        cmocka_unit_test(formats_have_one_number),
        cmocka_unit_test(stores_and_atomics_change_texels),
        cmocka_unit_test(sizes_are_told),
        cmocka_unit_test(descriptors_of_zeros_have_no_texels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
