/* mem_image_later.c - image instructions of gfx1030 and gfx1100: descriptors, layouts, addresses,
 * filters.
 *
 * Descriptors are put together here once more from their fields' places, and results are worked out
 * from texels that say where they are. Every core is tested, with waves of 64 and of 32 lanes. */
#include "mem_rig.h"

#include "isa/format.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/image.h"

#include <math.h>

enum { IMG_1D = 8, IMG_2D, IMG_3D, IMG_CUBE, IMG_1D_ARRAY, IMG_2D_ARRAY };
enum { SEL_0, SEL_1, SEL_X = 4, SEL_Y, SEL_Z, SEL_W };
enum { WRAP, MIRROR, EDGE };
enum { VADDR = 4, VDATA = 20, SRSRC = 16, SSAMP = 24, IMAGE_BYTES = 8 << 20 };
#define IMAGE_VA UINT64_C(0x7e0000000000)

/* A GPU, and the numbers of formats that its descriptors have. */
typedef struct {
    const char *name;
    unsigned uint_8, float_32, uint_32, uint_32_32, unorm_8_8_8_8, uint_32_32_32_32, srgb_8_8_8_8,
        unorm_5_6_5, clamped_32;
    unsigned sizes[5]; /* of integers with 1 to 16 bytes */
} gpu_t;
static const gpu_t gpus[] = {
    {"gfx1030", 5, 22, 20, 62, 56, 75, 130, 133, 140, {5, 11, 20, 62, 75}},
    {"gfx1100", 5, 22, 20, 48, 42, 61, 66, 68, 75, {5, 11, 20, 48, 61}},
};

typedef struct {
    rig_t *r;
    const gpu_t *gpu;
    uint8_t *memory; /* IMAGE_BYTES */
} bench_t;

typedef struct {
    unsigned type, format, layout, width, height, depth, pitch, base_slice, levels, last_level;
    uint8_t select[4];
} t_sharp_t;

static uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static bool is_gfx11(const bench_t *b)
{
    return b->gpu == &gpus[1];
}

static void set_t(bench_t *b, const t_sharp_t *t)
{
    uint32_t *w = &b->r->wave.sgpr[SRSRC];
    static const uint8_t plain[4] = {SEL_X, SEL_Y, SEL_Z, SEL_W};
    const uint8_t *select = t->select[0] | t->select[3] ? t->select : plain;
    const unsigned width = t->width - 1, most = t->levels ? t->levels - 1 : 0;
    const bool slices = t->type >= IMG_3D;
    memset(w, 0, 32);
    w[0] = (uint32_t)(IMAGE_VA >> 8);
    w[1] = (uint32_t)(IMAGE_VA >> 40) | t->format << 20 | (width & 3) << 30;
    w[2] = width >> 2 | (t->height ? t->height - 1 : 0) << 14;
    for (unsigned c = 0; c < 4; c++)
        w[3] |= (uint32_t)select[c] << 3 * c;
    w[3] |= t->last_level << 16 | t->layout << 20 | t->type << 28;
    w[4] = (slices ? t->depth - 1 : t->pitch ? t->pitch - 1 : 0) | t->base_slice << 16;
    if (is_gfx11(b))
        w[1] |= most << 16;
    else
        w[5] = most << 4;
}

/* mag, min: 0 nearest, 1 linear. */
static void set_s(bench_t *b, unsigned clamp, unsigned mag, unsigned min, unsigned compare)
{
    uint32_t *w = &b->r->wave.sgpr[SSAMP];
    w[0] = clamp | clamp << 3 | clamp << 6 | compare << 12 | 1u << 15;
    w[1] = 0xfff << 12;
    w[2] = mag << 20 | min << 22;
    w[3] = 0;
}

static uint32_t *row(bench_t *b, unsigned n)
{
    return b->r->rows[n];
}

static unsigned lanes(const bench_t *b)
{
    return b->r->dispatch.narrow ? 32 : 64;
}

/* ---- instructions ---- */

typedef struct {
    const char *gpu, *text;
    isa_inst_t inst;
} known_t;

static const isa_inst_t *assembled(const bench_t *b, const char *text)
{
    static known_t known[256];
    unsigned k = 0;
    uint32_t *words = NULL;
    while (known[k].text && (strcmp(known[k].text, text) || known[k].gpu != b->gpu->name))
        k++;
    assert_true(k < 255);
    if (known[k].text) return &known[k].inst;
    asm_set_gpu(b->gpu->name);
    const size_t n = asm_words(text, &words);
    if (!n || isa_decode(b->r->dispatch.arch, words, (unsigned)n, &known[k].inst) != (int)n)
        fail_msg("%s: %s is no instruction", b->gpu->name, text);
    free(words);
    known[k].gpu = b->gpu->name;
    known[k].text = strdup(text);
    return &known[k].inst;
}

/* False: the wave is stopped. */
static bool tried(bench_t *b, const char *text)
{
    rig_run(b->r, assembled(b, text), text);
    return !b->r->wave.stop;
}

static void run(bench_t *b, const char *text)
{
    if (!tried(b, text))
        fail_msg("%s: %s: stopped for %u: %s", b->gpu->name, text, b->r->wave.stop,
                 b->r->wave.message);
}

static void refused(bench_t *b, const char *text, const char *why)
{
    assert_false(tried(b, text));
    if (!strstr(b->r->wave.message, why))
        fail_msg("%s: %s: \"%s\" lacks \"%s\"", b->gpu->name, text, b->r->wave.message, why);
}

static void on_one(bench_t *b, void (*check)(bench_t *b))
{
    memset(b->memory, 0, IMAGE_BYTES);
    b->r->wave.exec = lanes(b) == 64 ? UINT64_MAX : UINT32_MAX;
    b->r->dispatch.arch = isa_arch_named(b->gpu->name);
    check(b);
}

static void on_core(rig_t *r, void (*check)(bench_t *b))
{
    bench_t b = {.r = r, .memory = aligned_alloc(65536, IMAGE_BYTES)};
    assert_int_equal(sg_memory_map(r->memory, IMAGE_VA, IMAGE_BYTES, b.memory, SG_MEM_WRITABLE), 0);
    r->wave.page = calloc(1, sizeof(isa_page_t));
    for (unsigned g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        b.gpu = &gpus[g];
        on_one(&b, check);
    }
    free(r->wave.page);
    free(b.memory);
}

static void everywhere(void (*check)(bench_t *b))
{
    unsigned tested = 0;
    for (unsigned k = 0; k < 2 * RIG_CORES; k++) {
        rig_t *r = rig_create(rig_cores[k / 2]);
        if (!r) continue;
        r->dispatch.narrow = k & 1;
        if (k & 1) r->core = isa_core_narrow(r->core);
        on_core(r, check);
        rig_destroy(r);
        tested++;
    }
    assert_true(tested);
}

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

/* No two texels of an image may be at one place, and none outside it. `most`: bytes in whole
 * blocks. */
static void no_texel_twice(const isa_image_t *m, const unsigned size[3], uint8_t *taken,
                           uint64_t most, const char *what)
{
    isa_level_t level;
    isa_image_level(m, 0, &level);
    memset(taken, 0, most);
    for (uint32_t z = 0; z < size[2]; z++)
        for (uint32_t y = 0; y < size[1]; y++)
            for (uint32_t x = 0; x < size[0]; x++) {
                const uint64_t at = isa_image_address(m, &level, (uint32_t[3]){x, y, z}) - IMAGE_VA;
                if (at >= most || taken[at] || at % m->format.bytes)
                    fail_msg("%s: texel %u %u %u is at %llu of %llu", what, x, y, z,
                             (unsigned long long)at, (unsigned long long)most);
                taken[at] = 1;
            }
}

static uint64_t blocks(unsigned size, unsigned log2)
{
    return (size + (UINT64_C(1) << log2) - 1) >> log2;
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
    const isa_layout_of_t *y = &m.layout;
    assert_int_equal(y->dim_log2[0] + y->dim_log2[1] + y->dim_log2[2] + e, y->block_log2);
    const uint64_t n = blocks(size[0], y->dim_log2[0]) * blocks(size[1], y->dim_log2[1]) *
                       blocks(size[2], y->dim_log2[2]);
    no_texel_twice(&m, size, taken, n << y->block_log2, what);
}

static void try_layouts(bench_t *b)
{
    enum { MOST = 64 << 20 };
    uint8_t *taken = malloc(MOST);
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

static void texels_are_where_drivers_put_them(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    on_core(r, try_known);
    rig_destroy(r);
}

/* ---- loads, stores, atomic operations ---- */

/* Texel (x, y, z) of 32 bits holds x + 16 * y + 256 * z. */
enum { WIDE = 16, HIGH = 16, DEEP = 4, ROW_DWORDS = 64 };

static void fill_texels(bench_t *b)
{
    uint32_t *to = (uint32_t *)(void *)b->memory;
    for (uint32_t z = 0; z < DEEP; z++)
        for (uint32_t y = 0; y < HIGH; y++)
            for (uint32_t x = 0; x < WIDE; x++)
                to[x + ROW_DWORDS * (y + HIGH * z)] = x + 16 * y + 256 * z;
}

static t_sharp_t filled(const bench_t *b, unsigned type)
{
    const bool line = type == IMG_1D || type == IMG_1D_ARRAY;
    return (t_sharp_t){.type = type,
                       .format = b->gpu->uint_32,
                       .width = WIDE,
                       .height = line ? 1 : HIGH,
                       .depth = DEEP,
                       .select = {SEL_X, SEL_0, SEL_0, SEL_1}};
}

/* Each lane's coordinate n goes to VGPR reg. */
static void coordinate(bench_t *b, unsigned reg, unsigned by, unsigned modulo)
{
    for (unsigned l = 0; l < 64; l++)
        row(b, reg)[l] = (l * by + reg) % modulo;
}

static void expect(bench_t *b, const char *what, unsigned reg, uint32_t (*want)(unsigned l))
{
    for (unsigned l = 0; l < lanes(b); l++)
        if (row(b, reg)[l] != want(l))
            fail_msg("%s: %s: v%u of lane %u is 0x%x, not 0x%x", b->gpu->name, what, reg, l,
                     row(b, reg)[l], want(l));
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
static uint32_t want_zero(unsigned l)
{
    (void)l;
    return 0;
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

/* ---- samples ---- */

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

static void all_lanes(bench_t *b, unsigned reg, uint32_t value)
{
    for (unsigned l = 0; l < 64; l++)
        row(b, reg)[l] = value;
}

typedef struct {
    const char *form;   /* behind "image_sample_" */
    unsigned n;         /* dwords before the coordinates, from v8 on: */
    uint32_t before[4]; /* offset, bias, reference, gradients */
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
        for (unsigned n = 0; n < 4; n++)
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

static void samples_take_what_their_forms_say(void **state)
{
    (void)state;
    everywhere(use_forms);
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
    run(b, "image_get_lod v[20:21], v[8:9], s[16:23], s[24:27] dmask:0x3 dim:SQ_RSRC_IMG_2D");
    assert_true(number(row(b, VDATA)[6]) == 0); /* the image has no other level */
    assert_true(number(row(b, VDATA + 1)[6]) == 3);
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
        cmocka_unit_test(texels_have_places_of_their_own),
        cmocka_unit_test(texels_are_where_drivers_put_them),
        cmocka_unit_test(images_of_each_type_are_loaded),
        cmocka_unit_test(formats_have_one_number),
        cmocka_unit_test(stores_and_atomics_change_texels),
        cmocka_unit_test(sizes_are_told),
        cmocka_unit_test(samples_take_what_their_forms_say),
        cmocka_unit_test(four_texels_are_gathered),
        cmocka_unit_test(levels_of_detail_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
