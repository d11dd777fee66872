/* mem_image_gfx12.c - image instructions of gfx12: descriptors, layouts, loads, stores, atomic
 * operations.
 *
 * A file of its own beside mem_image_later.c because instructions come as words; samples are in
 * mem_image_gfx12_sample.c. */
#include "image_gfx12_rig.h"

#include "image_places.h"

/* ---- encodings ---- */

/* Bits without a name are ignored, as LLVM 22 ignores them, and named ones that are not executed
 * are refused: TFE, NV, a fifth register of the address. */
static void bits_without_a_name_are_ignored(void **state)
{
    static const struct {
        const char *text;
        uint32_t ignored[2], refused[2]; /* bits of the first two dwords */
    } rows[] = {
        {"image_load v[20:23], [v4, v5], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D",
         {0x3f08, 0x100},
         {0x80, 0xff800000}},
        {"image_sample_lz v[20:23], [v8, v9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
         {0x1f00, 0},
         {0x88, 0}},
    };
    const isa_arch_t *arch = isa_arch_named("gfx1201");
    (void)state;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned bit = 0; bit < 64; bit++) {
            const uint32_t mask = 1u << bit % 32;
            const bool refused = rows[k].refused[bit / 32] & mask;
            uint32_t words[3];
            char ours[160];
            isa_inst_t inst = {.op = 0};
            if (!refused && !(rows[k].ignored[bit / 32] & mask)) continue;
            memcpy(words, named(rows[k].text)->words, sizeof words);
            words[bit / 32] ^= mask;
            const int size = isa_decode_lanes(arch, 32, words, 3, &inst);
            if ((size <= 0) != refused) fail_msg("bit %u of %s: %d", bit, rows[k].text, size);
            if (refused) continue;
            isa_disassemble(arch, &inst, ours, sizeof ours);
            assert_string_equal(ours, rows[k].text);
        }
}

/* ---- layouts ---- */

static uint64_t place(rig_t *r, const t_sharp_t *t, uint32_t x, uint32_t y, uint32_t z)
{
    isa_image_t m;
    isa_level_t level;
    set_t(r, t);
    const char *why = isa_image_decode(r->dispatch.arch, &r->wave.sgpr[SRSRC], &m);
    if (why) fail_msg("layout %u: %s", t->layout, why);
    isa_image_level(&m, 0, &level);
    return isa_image_address(&m, &level, (uint32_t[3]){x, y, z}) - IMAGE_VA;
}

static void try_places(rig_t *r)
{
    static const struct {
        bool volume;
        unsigned number, texel;
        uint64_t at[5];
    } places[] = {
#include "mem_image_places_gfx12.inc"
    };
    static const uint32_t flat[5][3] = {{0x155, 0x155, 0x15},
                                        {0x266, 0x199, 0x6},
                                        {0x78, 0x21e, 0x7},
                                        {0x380, 0x1f, 0x18},
                                        {0x0, 0x3e0, 0x1f}},
                          volume[5][3] = {{0x155, 0xaa, 0x55},
                                          {0x66, 0x133, 0x19},
                                          {0x78, 0x3c, 0x1e},
                                          {0x180, 0x3f, 0x60},
                                          {0x0, 0x1c0, 0x7f}};
    for (unsigned k = 0; k < sizeof places / sizeof *places; k++)
        for (unsigned e = 0; e < 5; e++) {
            const bool solid = places[k].volume;
            const uint32_t *texel = solid ? volume[places[k].texel] : flat[places[k].texel];
            const t_sharp_t t = {.type = solid ? IMG_3D : IMG_2D_ARRAY,
                                 .format = sizes[e],
                                 .layout = places[k].number,
                                 .width = solid ? 512 : 1024,
                                 .height = solid ? 512 : 1024,
                                 .depth = solid ? 128 : 32};
            const uint64_t at = place(r, &t, texel[0], texel[1], texel[2]);
            if (at != places[k].at[e])
                fail_msg("row %u, 2^%u bytes: 0x%llx", k, e, (unsigned long long)at);
        }
}

/* Worked out by hand for elements of 4 bytes. Blocks of 64 KiB have 128 x 128 texels: texel
 * (300, 200) of rows of four blocks is in block 2 of the second row, at x = 0b101100,
 * y = 0b1001000 there. Offsets have, from bit 2 on, x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6. */
static void try_known(rig_t *r)
{
    enum { BLOCK = 6 << 16, X2 = 1 << 6, X3 = 1 << 9, X5 = 1 << 13, Y3 = 1 << 8, Y6 = 1 << 14 };
    t_sharp_t t = {.type = IMG_2D, .format = UINT_32, .layout = 3, .width = 512, .height = 256};
    assert_int_equal(place(r, &t, 300, 200, 0), BLOCK | X2 | X3 | X5 | Y3 | Y6);
    /* the address's bits within a block are mixed in, except in blocks of 256 bytes */
    isa_image_t m;
    isa_level_t level;
    set_t(r, &t);
    r->wave.sgpr[SRSRC] |= 5;
    assert_null(isa_image_decode(r->dispatch.arch, &r->wave.sgpr[SRSRC], &m));
    isa_image_level(&m, 0, &level);
    assert_int_equal(isa_image_address(&m, &level, (uint32_t[3]){300, 200, 0}) - IMAGE_VA,
                     (BLOCK | X2 | X3 | X5 | Y3 | Y6) ^ 5 << 8);
    /* rows, and those that a descriptor says, by up to 16 bits of it */
    t = (t_sharp_t){.type = IMG_2D, .format = UINT_32, .width = 100, .height = 9};
    assert_int_equal(place(r, &t, 3, 2, 0), 2 * 512 + 12);
    t.width = 65;
    assert_int_equal(place(r, &t, 3, 2, 0), 2 * 384 + 12);
    t.pitch = 40000;
    assert_int_equal(place(r, &t, 3, 2, 0), 2 * 160000 + 12);
    t = (t_sharp_t){.type = IMG_3D, .format = UINT_32, .width = 65, .height = 9, .depth = 9000};
    assert_int_equal(place(r, &t, 3, 2, 5), 5 * 9 * 512 + 2 * 384 + 12);
    /* sizes of 16 bits */
    t = (t_sharp_t){.type = IMG_2D, .format = UINT_8, .width = 60000, .height = 50000};
    assert_int_equal(place(r, &t, 59999, 49999, 0), 49999u * UINT64_C(60032) + 59999);
}

static void try_number(rig_t *r, bool volume, unsigned number, unsigned e, uint8_t *taken)
{
    static const unsigned flat[3] = {300, 140, 3}, solid[3] = {70, 50, 40};
    const unsigned *size = volume ? solid : flat;
    const bool is = !number || (volume ? number > 1 && number < 8 : number < 5);
    isa_image_t m;
    char what[96];
    snprintf(what, sizeof what, "layout %u, %s of 2^%u bytes", number,
             volume ? "a volume" : "slices", e);
    set_t(r, &(t_sharp_t){.type = volume ? IMG_3D : IMG_2D_ARRAY,
                          .format = sizes[e],
                          .layout = number,
                          .width = size[0],
                          .height = size[1],
                          .depth = size[2]});
    const char *why = isa_image_decode(r->dispatch.arch, &r->wave.sgpr[SRSRC], &m);
    if (!why != is) fail_msg("%s: %s", what, why ? why : "");
    if (!why && number) places_are_own(&m, size, e, taken, what);
}

/* By number, as drivers name them. No two texels share a place. */
static void try_numbers(rig_t *r)
{
    uint8_t *taken = malloc(PLACES_MOST);
    for (unsigned number = 0; number < 32; number++)
        for (unsigned e = 0; e < 5; e++) {
            try_number(r, false, number, e, taken);
            try_number(r, true, number, e, taken);
        }
    free(taken);
}

static void texels_are_where_drivers_put_them(void **state)
{
    (void)state;
    void (*const checks[])(rig_t *) = {try_known, try_places, try_numbers};
    for (unsigned k = 0; k < sizeof checks / sizeof *checks; k++) {
        rig_t *r = rig_create(NULL);
        on_core(r, checks[k]);
        rig_destroy(r);
    }
}

/* ---- loads and stores ---- */

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
/* slices of lines have 256 bytes, two rows of an image */
static uint32_t want_lines(unsigned l)
{
    return lane_x(l) + 32 * lane_z(l);
}
static uint32_t want_one(unsigned l)
{
    (void)l;
    return 1;
}

static void set_coordinates(rig_t *r)
{
    for (unsigned l = 0; l < 64; l++) {
        row(r, VADDR)[l] = lane_x(l);
        row(r, VADDR + 1)[l] = lane_y(l);
        row(r, VADDR + 2)[l] = lane_z(l);
        row(r, 8)[l] = lane_x(l) | lane_y(l) << 16;
        row(r, 9)[l] = lane_z(l) | 0xdead0000;
    }
}

static void load_types(rig_t *r)
{
    static const struct {
        unsigned type;
        const char *text;
        uint32_t (*want)(unsigned l);
    } loads[] = {
        {IMG_1D, "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D", want_1d},
        {IMG_2D, "image_load v[20:23], [v4, v5], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D", want_2d},
        {IMG_3D, "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_3D",
         want_3d},
        {IMG_2D_ARRAY,
         "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY", want_3d},
        {IMG_1D_ARRAY, "image_load v[20:23], [v4, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D_ARRAY",
         want_lines},
        /* a volume through the type of an array, as copy kernels have it */
        {IMG_3D, "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY",
         want_3d},
        {IMG_3D, "image_load v[20:23], [v8, v9], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_3D a16",
         want_3d},
    };
    fill_texels(r, false);
    set_coordinates(r);
    for (unsigned k = 0; k < sizeof loads / sizeof *loads; k++) {
        use(r, loads[k].type, UINT_32);
        run(r, loads[k].text);
        expect(r, loads[k].text, VDATA, loads[k].want);
        expect(r, loads[k].text, VDATA + 1, want_zero);
        expect(r, loads[k].text, VDATA + 3, want_one);
    }
    /* the slice that an address names counts from the descriptor's base */
    t_sharp_t part = filled(IMG_2D_ARRAY, UINT_32);
    part.base_slice = 3;
    set_t(r, &part);
    for (unsigned l = 0; l < 64; l++)
        row(r, VADDR + 2)[l] = l % 2;
    run(r, "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY");
    for (unsigned l = 0; l < lanes(r); l++)
        assert_int_equal(row(r, VDATA)[l], l % 2 ? 0 : want_2d(l) + 256 * 3);
}

static void images_of_each_type_are_loaded(void **state)
{
    (void)state;
    everywhere(load_types);
}

static void use_formats(rig_t *r)
{
    t_sharp_t t = {.type = IMG_1D, .format = UNORM_8_8_8_8, .width = 4, .height = 1};
    const char *load = "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D";
    memset(r->rows, 0, sizeof r->rows);
    memcpy(memory, "\x00\xff\x33\x80", 4);
    set_t(r, &t);
    run(r, load);
    assert_int_equal(row(r, VDATA)[1], f(0));
    assert_int_equal(row(r, VDATA + 1)[1], f(1));
    assert_int_equal(row(r, VDATA + 2)[1], f(0.2f));
    t.format = SRGB_8_8_8_8; /* 0x33 is 0.03310477 in linear light */
    set_t(r, &t);
    run(r, load);
    assert_true(fabsf(number(row(r, VDATA + 2)[1]) - 0.03310477f) < 1e-7f);
    t.format = UNORM_5_6_5; /* the first component in the low bits */
    memcpy(memory, "\xff\x07", 2);
    set_t(r, &t);
    run(r, load);
    assert_int_equal(row(r, VDATA)[1], f(1));
    assert_int_equal(row(r, VDATA + 1)[1], f(1));
    assert_int_equal(row(r, VDATA + 2)[1], f(0));
    t.format = UINT_32_32_32_32;
    memcpy(memory, "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\x80", 16);
    set_t(r, &t);
    run(r, load);
    assert_int_equal(row(r, VDATA)[1], 1);
    assert_int_equal(row(r, VDATA + 3)[1], 0x80000004);
}

static void use_what_is_refused(rig_t *r)
{
    const char *load = "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D";
    t_sharp_t t = {.type = IMG_1D, .format = 58, .width = 4, .height = 1}; /* 32_32_32_UINT */
    set_t(r, &t);
    refused(r, load, "elements of 12 bytes");
    t.format = 75; /* a float of 32 bits, limited */
    set_t(r, &t);
    refused(r, load, "undefined image format");
    for (unsigned k = 0; k < 3; k++) { /* each field of five bits */
        t = (t_sharp_t){.type = IMG_1D, .format = UINT_32, .width = 4, .height = 1};
        t.most_level = k == 0 ? 16 : 0;
        t.last_level = k == 1 ? 16 : 0;
        t.base_level = k == 2 ? 16 : 0;
        set_t(r, &t);
        refused(r, load, "image with levels");
    }
    static const struct {
        unsigned bit; /* of the descriptor */
        const char *why;
    } bits[] = {{213, "compressed image"},
                {108, "edges do not limit coordinates"},
                {164, "volume of some slices"},
                {183, "samples at the corners"}};
    for (unsigned k = 0; k < sizeof bits / sizeof *bits; k++) {
        use(r, IMG_2D, UINT_32);
        r->wave.sgpr[SRSRC + bits[k].bit / 32] |= 1u << bits[k].bit % 32;
        refused(r, load, bits[k].why);
    }
    use(r, IMG_2D, UINT_32);
    set_s(r, EDGE, 0, 0, 0);
    refused(r, "image_load v[20:23], [v4, v5, v6], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA",
            "several samples");
    refused(r, "image_load v[20:23], v4, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D r128",
            "descriptor of 128 bits");
    refused(r, "image_sample_lz v20, [v8, v9], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D lwe",
            "status of levels");
}

/* Components of 16 bits, two in a register: 0, 1, 0.2 and 128/255 as halves, and as bytes. */
static void use_halves(rig_t *r)
{
    enum { FIRST = 0x3c000000, SECOND = 0x38043266 };
    static const struct {
        const char *text;
        uint32_t texel;
    } stores[] = {
        {"image_store v[20:21], [v4, v5], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D d16", 0x8033ff00},
        {"image_store v[20:21], [v4, v5], s[16:23] dmask:0x7 dim:SQ_RSRC_IMG_2D d16", 0x33ff00},
        {"image_store v20, v8, s[16:23] dmask:0x3 dim:SQ_RSRC_IMG_2D a16 d16", 0xff00},
    };
    const t_sharp_t t = {.type = IMG_2D, .format = UNORM_8_8_8_8, .width = WIDE, .height = HIGH};
    uint32_t *texels = (uint32_t *)(void *)memory;
    memset(r->rows, 0, sizeof r->rows);
    set_t(r, &t);
    texels[0] = stores[0].texel;
    run(r, "image_load v[20:21], [v4, v5], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D d16");
    assert_int_equal(row(r, VDATA)[3], FIRST);
    assert_int_equal(row(r, VDATA + 1)[3], SECOND);
    memset(r->rows, 0, sizeof r->rows);
    run(r, "image_load v[20:21], [v4, v5], s[16:23] dmask:0x7 dim:SQ_RSRC_IMG_2D d16");
    assert_int_equal(row(r, VDATA)[3], FIRST);
    assert_int_equal(row(r, VDATA + 1)[3] & 0xffff, SECOND & 0xffff);
    memset(r->rows, 0, sizeof r->rows);
    run(r, "image_load v20, [v4, v5], s[16:23] dmask:0x3 dim:SQ_RSRC_IMG_2D d16");
    assert_int_equal(row(r, VDATA)[3], FIRST);
    assert_int_equal(row(r, VDATA + 1)[3], 0);
    for (unsigned l = 0; l < 64; l++) { /* lanes have texels of their own */
        row(r, VADDR)[l] = l % 16;
        row(r, VADDR + 1)[l] = l / 16;
        row(r, 8)[l] = l % 16 | l / 16 << 16;
    }
    all_lanes(r, VDATA, FIRST);
    all_lanes(r, VDATA + 1, SECOND);
    for (unsigned k = 0; k < sizeof stores / sizeof *stores; k++) {
        memset(memory, 0x5a, 4 * ROW_DWORDS * HIGH);
        run(r, stores[k].text);
        for (unsigned l = 0; l < lanes(r); l++)
            assert_int_equal(texels[l % 16 + ROW_DWORDS * (l / 16)], stores[k].texel);
    }
}

static void formats_have_one_number(void **state)
{
    (void)state;
    everywhere(use_formats);
    everywhere(use_halves);
    everywhere(use_what_is_refused);
}

/* Loads and stores of levels, of which there is one, and of elements as they are in memory. */
static void use_elements(rig_t *r)
{
    static const struct {
        const char *load, *store;
        bool level, raw, is_signed;
    } pairs[] = {
        {"image_load_mip v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "image_store_mip v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D", true, false,
         false},
        {"image_load_pck v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "image_store_pck v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D", false, true,
         false},
        {"image_load_pck_sgn v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "image_store v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D", false, true, true},
        {"image_load_mip_pck v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "image_store_mip_pck v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D", true, true,
         false},
        {"image_load_mip_pck_sgn v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D",
         "image_store_mip_pck v20, [v4, v5, v8], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D", true, true,
         true},
    };
    enum { ROW = 128 };
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        /* components of a byte from 0 to 1, or the bytes themselves */
        const bool floats = !strstr(pairs[k].store, "pck");
        memset(memory, 0, 16 * ROW);
        use(r, IMG_2D, UNORM_8);
        for (unsigned l = 0; l < 64; l++) {
            row(r, VADDR)[l] = l % 16;
            row(r, VADDR + 1)[l] = l / 16;
            row(r, 8)[l] = 0;
            row(r, VDATA)[l] = floats ? f((float)(100 + l * 2) / 255.0f) : 0xaa00 + 100 + l * 2;
        }
        run(r, pairs[k].store);
        for (unsigned l = 0; l < lanes(r); l++)
            assert_int_equal(memory[l % 16 + ROW * (l / 16)], 100 + l * 2);
        run(r, pairs[k].load);
        for (unsigned l = 0; l < lanes(r); l++) {
            const unsigned byte = 100 + l * 2;
            const uint32_t raw = pairs[k].is_signed && byte > 127 ? byte - 256u : byte;
            assert_int_equal(row(r, VDATA)[l], pairs[k].raw ? raw : f((float)byte / 255.0f));
        }
        if (!pairs[k].level) continue;
        all_lanes(r, 8, 1); /* there is no such level */
        run(r, pairs[k].load);
        expect(r, pairs[k].load, VDATA, want_zero);
        all_lanes(r, VDATA, 7);
        run(r, pairs[k].store);
        assert_int_equal(memory[0], 100);
    }
}

static void elements_are_stored(void **state)
{
    (void)state;
    everywhere(use_elements);
}

/* ---- atomic operations ---- */

static const struct {
    const char *name;
    uint32_t before, data, after;
} atomics[] = {
    {"swap", 5, 9, 9},
    {"add_uint", 5, 9, 14},
    {"sub_uint", 5, 9, 0xfffffffc},
    {"min_int", 5, 0xffffffff, 0xffffffff},
    {"min_uint", 5, 0xffffffff, 5},
    {"max_int", 5, 0xffffffff, 5},
    {"max_uint", 5, 0xffffffff, 0xffffffff},
    {"and", 0xf0f, 0x0ff, 0x00f},
    {"or", 0xf0f, 0x0ff, 0xfff},
    {"xor", 0xf0f, 0x0ff, 0xff0},
    {"inc_uint", 5, 5, 0},
    {"inc_uint", 5, 6, 6},
    {"dec_uint", 0, 6, 6},
    {"dec_uint", 5, 6, 4},
    /* 2.5 and -1.5 */
    {"add_flt", 0x40200000, 0xbfc00000, 0x3f800000},
    {"min_flt", 0x40200000, 0xbfc00000, 0xbfc00000},
    {"max_flt", 0x40200000, 0xbfc00000, 0x40200000},
    /* to 1.5 and 2, in halves of a register, 0.5 and 4 are added */
    {"pk_add_f16", 0x40003e00, 0x44003800, 0x46004000},
    {"pk_add_bf16", 0x40003fc0, 0x40803f00, 0x40c04000},
};

static void change_texels(rig_t *r)
{
    uint32_t *texels = (uint32_t *)(void *)memory;
    char text[128];
    use(r, IMG_2D, UINT_32);
    for (unsigned k = 0; k < sizeof atomics / sizeof *atomics; k++) {
        snprintf(text, sizeof text,
                 "image_atomic_%s v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D "
                 "th:TH_ATOMIC_RETURN",
                 atomics[k].name);
        for (unsigned l = 0; l < 64; l++) { /* lanes have texels of their own */
            row(r, VADDR)[l] = l % 16;
            row(r, VADDR + 1)[l] = l / 16;
            texels[l % 16 + ROW_DWORDS * (l / 16)] = atomics[k].before;
        }
        all_lanes(r, VDATA, atomics[k].data);
        run(r, text);
        for (unsigned l = 0; l < lanes(r); l++) {
            const uint32_t after = texels[l % 16 + ROW_DWORDS * (l / 16)];
            if (row(r, VDATA)[l] != atomics[k].before || after != atomics[k].after)
                fail_msg("%s: 0x%x from 0x%x", text, after, row(r, VDATA)[l]);
        }
        /* beyond the image nothing is written, and 0 returned */
        all_lanes(r, VADDR + 1, 16);
        texels[ROW_DWORDS * 16] = 77;
        run(r, text);
        expect(r, text, VDATA, want_zero);
        assert_int_equal(texels[ROW_DWORDS * 16], 77);
    }
}

static void compare_texels(rig_t *r)
{
    uint32_t *texels = (uint32_t *)(void *)memory;
    use(r, IMG_2D, UINT_32);
    for (unsigned l = 0; l < 64; l++) {
        row(r, VADDR)[l] = l % 16;
        row(r, VADDR + 1)[l] = l / 16;
        texels[l % 16 + ROW_DWORDS * (l / 16)] = l;
        row(r, VDATA)[l] = 1000 + l;
        row(r, VDATA + 1)[l] = l & ~1u;
    }
    run(r, "image_atomic_cmpswap v[20:21], [v4, v5], s[16:23] dmask:0x3 dim:SQ_RSRC_IMG_2D "
           "th:TH_ATOMIC_RETURN");
    for (unsigned l = 0; l < lanes(r); l++) {
        assert_int_equal(row(r, VDATA)[l], l);
        assert_int_equal(texels[l % 16 + ROW_DWORDS * (l / 16)], l & 1 ? l : 1000 + l);
    }
    /* without the hint nothing is returned */
    all_lanes(r, VDATA, 5);
    run(r, "image_atomic_add_uint v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D");
    assert_int_equal(row(r, VDATA)[2], 5);
    assert_int_equal(texels[2], 1007);
    use(r, IMG_2D, UINT_32_32);
    refused(r, "image_atomic_add_flt v[20:21], [v4, v5], s[16:23] dmask:0x3 dim:SQ_RSRC_IMG_2D",
            "elements of another size");
}

static void atomics_change_texels(void **state)
{
    (void)state;
    everywhere(change_texels);
    everywhere(compare_texels);
}

static void ask_sizes(rig_t *r)
{
    t_sharp_t t = filled(IMG_2D_ARRAY, UINT_32);
    t.width = 40000;
    t.height = 30000;
    t.base_slice = 9000;
    t.depth = 10000;
    t.layout = 3;
    set_t(r, &t);
    memset(r->rows, 0, sizeof r->rows);
    run(r, "image_get_resinfo v[20:23], v8, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY");
    assert_int_equal(row(r, VDATA)[3], 40000);
    assert_int_equal(row(r, VDATA + 1)[3], 30000);
    assert_int_equal(row(r, VDATA + 2)[3], 1000);
    assert_int_equal(row(r, VDATA + 3)[3], 1);
}

static void sizes_are_told(void **state)
{
    (void)state;
    everywhere(ask_sizes);
}

static void use_zeros(rig_t *r)
{
    memset(&r->wave.sgpr[SRSRC], 0, 32);
    set_s(r, EDGE, 1, 1, 0);
    all_lanes(r, 8, f(2.5f));
    all_lanes(r, 9, f(2.5f));
    for (unsigned c = 0; c < 4; c++)
        all_lanes(r, VDATA + c, 3);
    run(r, "image_sample v[20:23], [v8, v9], s[16:23], s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D");
    for (unsigned c = 0; c < 4; c++)
        expect(r, "zeros", VDATA + c, want_zero);
    run(r, "image_store v20, [v4, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D");
}

static void descriptors_of_zeros_have_no_texels(void **state)
{
    (void)state;
    everywhere(use_zeros);
}

static void nothing_is_left_out(void **state)
{
    (void)state;
    all_were_run(false, 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_without_a_name_are_ignored),
        cmocka_unit_test(texels_are_where_drivers_put_them),
        cmocka_unit_test(images_of_each_type_are_loaded),
        cmocka_unit_test(formats_have_one_number),
        cmocka_unit_test(elements_are_stored),
        cmocka_unit_test(atomics_change_texels),
        cmocka_unit_test(sizes_are_told),
        cmocka_unit_test(descriptors_of_zeros_have_no_texels),
        cmocka_unit_test(nothing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
