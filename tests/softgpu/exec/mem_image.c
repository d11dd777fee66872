/* mem_image.c - image instructions: elements, registers, ranges, levels, atomic operations.
 *
 * References are written here from the definitions, above all a table of elements and components.
 * All cores run everything. Samples are mem_image_sample.c's, layouts mem_image_layout.c's. */
#include "image_rig.h"

/* ---- elements ---- */

typedef struct {
    unsigned dfmt, nfmt, bytes;
    const char *hex;
    uint8_t select[4];
    uint32_t value[4]; /* what loads deliver */
    bool load_only;
} element_t;

#define XYZW                                                                                       \
    {                                                                                              \
        SEL_X, SEL_Y, SEL_Z, SEL_W                                                                 \
    }
#define XY01                                                                                       \
    {                                                                                              \
        SEL_X, SEL_Y, SEL_0, SEL_1                                                                 \
    }

/* Among them every format and order of the runtime's image tables. */
static void each_element(void (*check)(image_rig_t *g, const element_t *e), image_rig_t *g)
{
    const element_t elements[] = {
        {1, UNORM, 1, "33", X001, {f(0.2f), 0, 0, f(1)}, false},
        {1, SNORM, 1, "81", X001, {f(-1), 0, 0, f(1)}, false},
        {1, SNORM, 1, "80", X001, {f(-1), 0, 0, f(1)}, true},
        {1, UINT, 1, "c8", X001, {200, 0, 0, 1}, false},
        {1, SINT, 1, "c8", X001, {(uint32_t)-56, 0, 0, 1}, false},
        {2, UNORM, 2, "ffff", X001, {f(1), 0, 0, f(1)}, false},
        {2, SNORM, 2, "0180", X001, {f(-1), 0, 0, f(1)}, false},
        {2, UINT, 2, "0180", X001, {0x8001, 0, 0, 1}, false},
        {2, SINT, 2, "0180", X001, {0xffff8001, 0, 0, 1}, false},
        {2, FLOAT, 2, "00c0", X001, {f(-2), 0, 0, f(1)}, false},
        {4, UINT, 4, "efbeadde", X001, {0xdeadbeef, 0, 0, 1}, false},
        {4, SINT, 4, "efbeadde", X001, {0xdeadbeef, 0, 0, 1}, false},
        {4, FLOAT, 4, "0000c03f", X001, {f(1.5f), 0, 0, f(1)}, false},
        {3, UNORM, 2, "ff33", XY01, {f(1), f(0.2f), 0, f(1)}, false},
        {3, SNORM, 2, "7f81", XY01, {f(1), f(-1), 0, f(1)}, false},
        {3, UINT, 2, "0180", XY01, {1, 128, 0, 1}, false},
        {3, SINT, 2, "ff80", XY01, {0xffffffff, (uint32_t)-128, 0, 1}, false},
        {5, UNORM, 4, "ffff0000", XY01, {f(1), 0, 0, f(1)}, false},
        {5, SNORM, 4, "ff7f0180", XY01, {f(1), f(-1), 0, f(1)}, false},
        {5, UINT, 4, "01000280", XY01, {1, 0x8002, 0, 1}, false},
        {5, SINT, 4, "ffff0280", XY01, {0xffffffff, 0xffff8002, 0, 1}, false},
        {5, FLOAT, 4, "00c00042", XY01, {f(-2), f(3), 0, f(1)}, false},
        {11, UINT, 8, "7856341200efcdab", XY01, {0x12345678, 0xabcdef00, 0, 1}, false},
        {11, FLOAT, 8, "0000803f000000c0", XY01, {f(1), f(-2), 0, f(1)}, false},
        {10, UNORM, 4, "00ff33cc", XYZW, {0, f(1), f(0.2f), f(0.8f)}, false},
        {10, SNORM, 4, "007f81c1", XYZW, {0, f(1), f(-1), f(-63 / 127.0f)}, false},
        {10, UINT, 4, "01020304", XYZW, {1, 2, 3, 4}, false},
        {10, SINT, 4, "ff807f01", XYZW, {0xffffffff, 0xffffff80, 127, 1}, false},
        {12, UNORM, 8, "ffff0000ffff0000", XYZW, {f(1), 0, f(1), 0}, false},
        {12, SNORM, 8, "ff7f0180000001c0", XYZW, {f(1), f(-1), 0, f(-16383 / 32767.0f)}, false},
        {12, UINT, 8, "010002000300ffff", XYZW, {1, 2, 3, 65535}, false},
        {12, SINT, 8, "ffff02000300ff7f", XYZW, {0xffffffff, 2, 3, 32767}, false},
        {12, FLOAT, 8, "003c00400042007c", XYZW, {f(1), f(2), f(3), f(INFINITY)}, false},
        {13,
         FLOAT,
         12,
         "0000803f0000004000004040",
         {SEL_X, SEL_Y, SEL_Z, SEL_1},
         {f(1), f(2), f(3), f(1)},
         false},
        {14, UINT, 16, "01000000020000000300000004000080", XYZW, {1, 2, 3, 0x80000004}, false},
        {14,
         SINT,
         16,
         "ffffffff020000000300000004000080",
         XYZW,
         {0xffffffff, 2, 3, 0x80000004},
         false},
        {14, FLOAT, 16, "0000803f000000400000404000008040", XYZW, {f(1), f(2), f(3), f(4)}, false},
        /* packed, the first colour in the high bits */
        {16, UNORM, 2, "1ff8", {SEL_Z, SEL_Y, SEL_X, SEL_1}, {f(1), 0, f(1), f(1)}, false},
        {16, UNORM, 2, "e007", {SEL_Z, SEL_Y, SEL_X, SEL_1}, {0, f(1), 0, f(1)}, false},
        {17, UNORM, 2, "1f7c", {SEL_Z, SEL_Y, SEL_X, SEL_1}, {f(1), 0, f(1), f(1)}, true},
        {17, UNORM, 2, "e083", XYZW, {0, f(31 / 31.0f), 0, f(1)}, false},
        {18, UNORM, 2, "0100", XYZW, {f(1), 0, 0, 0}, false},
        {19, UINT, 2, "2143", XYZW, {1, 2, 3, 4}, false},
        {9, UNORM, 4, "ff030040", {SEL_Z, SEL_Y, SEL_X, SEL_1}, {0, 0, f(1), f(1)}, true},
        {9, UINT, 4, "010000c0", XYZW, {1, 0, 0, 3}, false},
        {8, UINT, 4, "070000c0", XYZW, {3, 1, 0, 768}, false},
        {6, FLOAT, 4, "c0032070", {SEL_X, SEL_Y, SEL_Z, SEL_1}, {f(1), f(2), f(0.5f), f(1)}, false},
        {7, UINT, 4, "01042000", {SEL_X, SEL_Y, SEL_Z, SEL_1}, {1, 1, 1, 1}, false},
        {20, UINT, 4, "01000080", XY01, {1, 128, 0, 1}, false},
        {21, UINT, 4, "80010000", XY01, {128, 1, 0, 1}, false},
        /* orders of components */
        {10,
         UNORM,
         4,
         "00ff33cc",
         {SEL_Z, SEL_Y, SEL_X, SEL_W},
         {f(0.2f), f(1), 0, f(0.8f)},
         false},
        {10, UINT, 4, "01020304", {SEL_Y, SEL_Z, SEL_W, SEL_X}, {2, 3, 4, 1}, false},
        {1, UNORM, 1, "33", {SEL_0, SEL_0, SEL_0, SEL_X}, {0, 0, 0, f(0.2f)}, false},
        {3, UINT, 2, "0502", {SEL_X, SEL_0, SEL_0, SEL_Y}, {5, 0, 0, 2}, false},
        {1,
         UNORM,
         1,
         "33",
         {SEL_X, SEL_X, SEL_X, SEL_X},
         {f(0.2f), f(0.2f), f(0.2f), f(0.2f)},
         false},
        {2, FLOAT, 2, "0040", {SEL_X, SEL_X, SEL_X, SEL_1}, {f(2), f(2), f(2), f(1)}, false},
        /* sRGB: 0x80 is 0.2158605 linear; the fourth component is linear */
        {10, SRGB, 4, "00ff8033", XYZW, {0, f(1), f(0.21586050f), f(0.2f)}, true},
    };
    for (unsigned k = 0; k < sizeof elements / sizeof *elements; k++)
        check(g, &elements[k]);
}

static t_sharp_t image_of(const element_t *e)
{
    t_sharp_t t = {.type = IMG_2D, .dfmt = e->dfmt, .nfmt = e->nfmt, .width = 64, .height = 2};
    memcpy(t.select, e->select, sizeof t.select);
    return t;
}

static void bytes_of(const element_t *e, uint8_t bytes[16])
{
    for (unsigned k = 0; k < e->bytes; k++)
        sscanf(e->hex + 2 * k, "%2hhx", &bytes[k]);
}

/* In the second row, texel 3 * lane. */
static void point_at_texels(image_rig_t *g)
{
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = 3 * l % 64;
        image_row(g, VADDR + 1)[l] = 1;
    }
}

static void same_value(const element_t *e, const char *what, unsigned c, uint32_t have)
{
    const bool close = e->nfmt == SRGB && fabsf(as_float(have) - as_float(e->value[c])) < 1e-7f;
    if (have != e->value[c] && !close)
        fail_msg("%s of format %u %u, %s: component %u is 0x%08x, not 0x%08x", what, e->dfmt,
                 e->nfmt, e->hex, c, have, e->value[c]);
}

static void element_loads(image_rig_t *g, const element_t *e)
{
    const t_sharp_t t = image_of(e);
    uint8_t bytes[16];
    bytes_of(e, bytes);
    memset(g->memory, 0x5a, 65536);
    for (unsigned l = 0; l < 64; l++)
        memcpy(g->memory + (64 + l) * e->bytes, bytes, e->bytes);
    set_t(g->r, &t);
    point_at_texels(g);
    image_do(g, "image_load v[12:15], v[4:5], s[16:23] dmask:0xf unorm");
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++)
            same_value(e, "load", c, image_row(g, VDATA + c)[l]);
    /* a sample of the texel's middle is the texel */
    set_s(g->r, &(s_sharp_t){.unnormalized = 1, .mag = 1, .min = 1});
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = f((float)(l % 64) + 0.5f);
        image_row(g, VADDR + 1)[l] = f(1.5f);
    }
    image_do(g, "image_sample v[12:15], v[4:5], s[16:23], s[24:27] dmask:0xf");
    for (unsigned c = 0; c < 4; c++)
        same_value(e, "sample", c, image_row(g, VDATA + c)[63]);
}

static void element_stores(image_rig_t *g, const element_t *e)
{
    const t_sharp_t t = image_of(e);
    uint8_t bytes[16];
    if (e->load_only) return;
    bytes_of(e, bytes);
    memset(g->memory, 0x5a, 65536);
    set_t(g->r, &t);
    point_at_texels(g);
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++)
            image_row(g, VDATA + c)[l] = e->value[c];
    image_do(g, "image_store v[12:15], v[4:5], s[16:23] dmask:0xf unorm");
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 0; k < e->bytes; k++)
            if (g->memory[(64 + l) * e->bytes + k] != bytes[k])
                fail_msg("store of format %u %u: byte %u is 0x%02x, not of %s", e->dfmt, e->nfmt, k,
                         g->memory[(64 + l) * e->bytes + k], e->hex);
    for (unsigned k = 0; k < 64 * e->bytes; k++)
        assert_int_equal(g->memory[k], 0x5a);
}

static void load_and_store_elements(image_rig_t *g)
{
    each_element(element_loads, g);
    each_element(element_stores, g);
}

static void elements_convert_as_their_formats_say(void **state)
{
    (void)state;
    on_every_core(load_and_store_elements);
}

/* ---- registers ---- */

static void use_some_components(image_rig_t *g)
{
    const t_sharp_t t = {.type = IMG_2D, .dfmt = 12, .nfmt = FLOAT, .width = 4, .height = 4};
    const uint16_t element[4] = {0x3c00, 0x4000, 0x4200, 0x4400}; /* 1 to 4 */
    uint32_t before[64];
    set_t(g->r, &t);
    memset(g->memory, 0, 4096);
    memcpy(g->memory + 8 * (2 + 4), element, 8);
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = 2;
        image_row(g, VADDR + 1)[l] = 1;
    }
    memcpy(before, image_row(g, VDATA + 2), sizeof before);
    image_do(g, "image_load v[12:13], v[4:5], s[16:23] dmask:0xa unorm");
    assert_int_equal(image_row(g, VDATA)[7], f(2));
    assert_int_equal(image_row(g, VDATA + 1)[7], f(4));
    assert_memory_equal(before, image_row(g, VDATA + 2), sizeof before);
    image_do(g, "image_load v[12:13], v[4:5], s[16:23] dmask:0xf unorm d16");
    assert_int_equal(image_row(g, VDATA)[7], 0x40003c00);
    assert_int_equal(image_row(g, VDATA + 1)[7], 0x44004200);
    image_do(g, "image_load v12, v[4:5], s[16:23] dmask:0x4 unorm d16");
    assert_int_equal(image_row(g, VDATA)[7], 0x4200);
    image_do(g, "image_load a[12:13], v[4:5], s[16:23] dmask:0x3 unorm");
    assert_int_equal(g->r->rows[RIG_ACC + 13][7], f(2));
    /* two coordinates in a dword */
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR)[l] = 2 | 1 << 16;
    image_do(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm a16");
    assert_int_equal(image_row(g, VDATA + 2)[7], f(3));
    set_s(g->r, &(s_sharp_t){.unnormalized = 1});
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR)[l] = 0x4100 | 0x3e00 << 16; /* 2.5, 1.5 */
    image_do(g, "image_sample v[12:15], v4, s[16:23], s[24:27] dmask:0xf a16");
    assert_int_equal(image_row(g, VDATA + 3)[7], f(4));
    /* lanes that are not active keep what they have */
    g->r->wave.exec = 2;
    image_row(g, VADDR)[1] = 2 | 1 << 16;
    image_row(g, VDATA)[0] = 77;
    image_do(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm a16");
    assert_int_equal(image_row(g, VDATA)[0], 77);
    assert_int_equal(image_row(g, VDATA)[1], f(1));
    /* components that a store does not have are 0 */
    image_row(g, VDATA)[1] = f(7);
    image_do(g, "image_store v12, v4, s[16:23] dmask:0x2 unorm a16");
    assert_memory_equal(g->memory + 8 * 6, ((const uint16_t[]){0, 0x4700, 0, 0}), 8);
    image_row(g, VDATA)[1] = 0x40003c00;
    image_do(g, "image_store v12, v4, s[16:23] dmask:0xc unorm a16 d16");
    assert_memory_equal(g->memory + 8 * 6, ((const uint16_t[]){0, 0, 0x3c00, 0x4000}), 8);
    g->r->wave.exec = 0;
    image_do(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm a16");
    g->r->wave.exec = UINT64_MAX;
}

static void components_and_coordinates_are_packed(void **state)
{
    (void)state;
    on_every_core(use_some_components);
}

static void use_packed_elements(image_rig_t *g)
{
    set_t(g->r, &(t_sharp_t){.type = IMG_1D, .dfmt = 3, .nfmt = UNORM, .width = 4});
    memcpy(g->memory, "\x01\x02\x03\x84", 4);
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR)[l] = l; /* 4 and up are out of range */
    image_do(g, "image_load_pck v12, v4, s[16:23] dmask:0x1 unorm");
    assert_int_equal(image_row(g, VDATA)[1], 0x8403);
    assert_int_equal(image_row(g, VDATA)[4], 0);
    image_do(g, "image_load_pck_sgn v12, v4, s[16:23] dmask:0x1 unorm");
    assert_int_equal(image_row(g, VDATA)[1], 0xffff8403);
    assert_int_equal(image_row(g, VDATA)[0], 0x0201);
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VDATA)[l] = 0x11223340 + l;
    image_do(g, "image_store_pck v12, v4, s[16:23] dmask:0x1 unorm");
    assert_memory_equal(g->memory, "\x40\x33\x41\x33\x42\x33\x43\x33", 8);
    image_row(g, VADDR + 1)[0] = 0;
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR + 1)[l] = 0;
    image_do(g, "image_load_mip_pck v12, v[4:5], s[16:23] dmask:0x1 unorm");
    assert_int_equal(image_row(g, VDATA)[2], 0x3342);
    image_do(g, "image_load_mip_pck_sgn v12, v[4:5], s[16:23] dmask:0x1 unorm");
    assert_int_equal(image_row(g, VDATA)[3], 0x3343);
    image_row(g, VDATA)[0] = 0xabcd;
    image_do(g, "image_store_mip_pck v12, v[4:5], s[16:23] dmask:0x1 unorm");
    assert_memory_equal(g->memory, "\xcd\xab", 2);
}

static void elements_go_as_they_are(void **state)
{
    (void)state;
    on_every_core(use_packed_elements);
}

/* ---- ranges ---- */

static const struct {
    unsigned type;
    const char *load, *store;
    unsigned parts; /* of the address */
} types[] = {
    {IMG_1D, "image_load v12, v4, s[16:23] dmask:0x1 unorm",
     "image_store v12, v4, s[16:23] dmask:0x1 unorm", 1},
    {IMG_2D, "image_load v12, v[4:5], s[16:23] dmask:0x1 unorm",
     "image_store v12, v[4:5], s[16:23] dmask:0x1 unorm", 2},
    {IMG_3D, "image_load v12, v[4:6], s[16:23] dmask:0x1 unorm",
     "image_store v12, v[4:6], s[16:23] dmask:0x1 unorm", 3},
    {IMG_3D, "image_load v12, v[4:6], s[16:23] dmask:0x1 unorm da",
     "image_store v12, v[4:6], s[16:23] dmask:0x1 unorm da", 3},
    {IMG_1D_ARRAY, "image_load v12, v[4:5], s[16:23] dmask:0x1 unorm da",
     "image_store v12, v[4:5], s[16:23] dmask:0x1 unorm da", 2},
    {IMG_2D_ARRAY, "image_load v12, v[4:6], s[16:23] dmask:0x1 unorm da",
     "image_store v12, v[4:6], s[16:23] dmask:0x1 unorm da", 3},
    {IMG_CUBE, "image_load v12, v[4:6], s[16:23] dmask:0x1 unorm da",
     "image_store v12, v[4:6], s[16:23] dmask:0x1 unorm da", 3},
};

/* Rows of 64 texels; slices of the view begin with the second one of the image. */
static void use_ranges(image_rig_t *g)
{
    enum { W = 5, H = 4, ALL = 9, PITCH = 64 };
    static uint32_t model[IMAGE_BYTES / 4];
    for (unsigned n = 0; n < sizeof types / sizeof *types; n++) {
        const unsigned type = types[n].type, base = type >= IMG_CUBE ? 1 : 0;
        const bool flat = type == IMG_1D || type == IMG_1D_ARRAY;
        const unsigned size[3] = {W, flat ? types[n].parts > 1 ? ALL - base : 1 : H, ALL - base};
        set_t(g->r, &(t_sharp_t){.type = type,
                                 .dfmt = 4,
                                 .nfmt = UINT,
                                 .width = W,
                                 .height = flat ? 1 : H,
                                 .depth = ALL,
                                 .pitch = PITCH,
                                 .base_slice = base});
        for (unsigned k = 0; k < IMAGE_BYTES / 4; k++)
            model[k] = rig_random(g->r);
        memcpy(g->memory, model, sizeof model);
        for (unsigned round = 0; round < 8; round++) {
            uint32_t want[64];
            size_t place[64];
            for (unsigned l = 0; l < 64; l++) {
                bool inside = true;
                uint32_t at[3] = {0, 0, 0};
                for (unsigned k = 0; k < types[n].parts; k++) {
                    at[k] = rig_random(g->r) % (size[k] + 2) - 1;
                    image_row(g, VADDR + k)[l] = at[k];
                    inside &= at[k] < size[k];
                }
                if (flat) at[2] = at[1], at[1] = 0;
                place[l] = at[0] + PITCH * (at[1] + (flat ? 1 : H) * (size_t)(at[2] + base));
                want[l] = inside ? model[place[l]] : 0;
                if (!inside) place[l] = SIZE_MAX;
            }
            image_do(g, types[n].load);
            assert_memory_equal(image_row(g, VDATA), want, sizeof want);
            for (unsigned l = 0; l < 64; l++) {
                image_row(g, VDATA)[l] = 64 * round + l;
                /* of two lanes with one texel the later one wins */
                if (place[l] != SIZE_MAX) model[place[l]] = 64 * round + l;
            }
            image_do(g, types[n].store);
            assert_memory_equal(g->memory, model, sizeof model);
        }
    }
    /* where a load has nothing, the descriptor's ones are still there; a descriptor of zeros */
    set_t(g->r, &(t_sharp_t){.type = IMG_1D, .dfmt = 4, .nfmt = FLOAT, .width = 1, .select = X001});
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR)[l] = 5;
    image_do(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm");
    assert_int_equal(image_row(g, VDATA)[9], 0);
    assert_int_equal(image_row(g, VDATA + 3)[9], f(1));
    memset(&g->r->wave.sgpr[SRSRC], 0, 32);
    image_row(g, VADDR)[9] = 0;
    image_do(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm");
    assert_int_equal(image_row(g, VDATA + 3)[9], 0);
    image_do(g, "image_store v[12:15], v4, s[16:23] dmask:0xf unorm");
}

static void nothing_is_read_or_written_out_of_range(void **state)
{
    (void)state;
    on_every_core(use_ranges);
}

static void fault(image_rig_t *g)
{
    set_t(g->r, &(t_sharp_t){.type = IMG_1D, .dfmt = 4, .nfmt = FLOAT, .width = 16384});
    g->r->wave.sgpr[SRSRC] += (IMAGE_BYTES - 256) >> 8;
    g->r->wave.exec = 4;
    image_row(g, VADDR)[2] = 64;
    image_run(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm");
    assert_int_equal(g->r->wave.stop, ISA_STOP_MEMORY);
    assert_int_equal(g->r->wave.fault_addr, IMAGE_VA + IMAGE_BYTES);
    g->r->wave.exec = UINT64_MAX;
    /* what hardware does not define, or is not modelled */
    const t_sharp_t wrong[] = {{.type = IMG_2D, .dfmt = 15, .nfmt = UINT, .width = 1},
                               {.type = IMG_2D, .dfmt = 4, .nfmt = UNORM, .width = 1},
                               {.type = IMG_2D, .dfmt = 16, .nfmt = FLOAT, .width = 1},
                               {.type = IMG_2D, .dfmt = 35, .nfmt = UNORM, .width = 1},
                               {.type = 14, .dfmt = 4, .nfmt = UINT, .width = 1},
                               {.type = 3, .dfmt = 4, .nfmt = UINT, .width = 1},
                               {.type = IMG_2D, .dfmt = 4, .nfmt = UINT, .width = 1, .layout = 13}};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        set_t(g->r, &wrong[k]);
        image_run(g, "image_load v[12:15], v4, s[16:23] dmask:0xf unorm");
        assert_int_equal(g->r->wave.stop, ISA_STOP_UNSUPPORTED);
        assert_non_null(strstr(g->r->wave.message, "image_load at"));
    }
}

static void what_is_not_defined_stops_the_wave(void **state)
{
    (void)state;
    on_every_core(fault);
}

/* ---- levels and sizes ---- */

/* Rows of 16 x 12 x 3 texels, level under level. */
static void use_volume_levels(image_rig_t *g)
{
    uint32_t *texels = (uint32_t *)(void *)g->memory;
    set_t(g->r, &(t_sharp_t){.type = IMG_3D,
                             .dfmt = 4,
                             .nfmt = UINT,
                             .width = 4,
                             .height = 4,
                             .depth = 4,
                             .levels = 2,
                             .last_level = 1});
    for (unsigned k = 0; k < 4096; k++)
        texels[k] = k;
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = 1;
        image_row(g, VADDR + 1)[l] = 0;
        image_row(g, VADDR + 2)[l] = 1;
        image_row(g, VADDR + 3)[l] = l & 1;
    }
    /* rows of 64, six of them in a slice */
    image_do(g, "image_load_mip v12, v[4:7], s[16:23] dmask:0x1 unorm da");
    assert_int_equal(image_row(g, VDATA)[0], 6 * 64 + 1);
    assert_int_equal(image_row(g, VDATA)[1], 6 * 64 + 4 * 64 + 1);
}

static void use_levels(image_rig_t *g)
{
    enum { PITCH = 64, ROWS = 12 + 6 + 3 };
    static const unsigned first_row[] = {0, 12, 18};
    uint32_t *texels = (uint32_t *)(void *)g->memory;
    set_t(g->r, &(t_sharp_t){.type = IMG_2D_ARRAY,
                             .dfmt = 4,
                             .nfmt = UINT,
                             .width = 16,
                             .height = 12,
                             .depth = 3,
                             .levels = 3,
                             .last_level = 2});
    for (unsigned k = 0; k < 3 * ROWS * PITCH; k++)
        texels[k] = k;
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = l % 4;
        image_row(g, VADDR + 1)[l] = l / 4 % 4;
        image_row(g, VADDR + 2)[l] = l / 16 % 3;
        image_row(g, VADDR + 3)[l] = l % 5 % 4;
    }
    image_do(g, "image_load_mip v12, v[4:7], s[16:23] dmask:0x1 unorm da");
    for (unsigned l = 0; l < 64; l++) {
        const unsigned x = l % 4, y = l / 4 % 4, z = l / 16 % 3, level = l % 5 % 4;
        const bool there = level < 3 && y < 12u >> level && x < 16u >> level;
        const uint32_t want = there ? z * ROWS * PITCH + (first_row[level] + y) * PITCH + x : 0;
        assert_int_equal(image_row(g, VDATA)[l], want);
    }
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VDATA)[l] = 0x80000000 + l;
    image_do(g, "image_store_mip v12, v[4:7], s[16:23] dmask:0x1 unorm da");
    assert_int_equal(texels[ROWS * PITCH + 12 * PITCH + 0], 0x80000000 + 16);
    for (unsigned l = 0; l < 64; l++)
        image_row(g, VADDR)[l] = l % 4;
    image_do(g, "image_get_resinfo v[12:15], v4, s[16:23] dmask:0xf unorm");
    for (unsigned l = 0; l < 64; l++) {
        const unsigned level = l % 4;
        assert_int_equal(image_row(g, VDATA)[l], level < 3 ? 16 >> level : 0);
        assert_int_equal(image_row(g, VDATA + 1)[l], level < 3 ? 12 >> level : 0);
        assert_int_equal(image_row(g, VDATA + 2)[l], level < 3 ? 3 : 0);
        assert_int_equal(image_row(g, VDATA + 3)[l], level < 3 ? 3 : 0);
    }
    set_t(g->r,
          &(t_sharp_t){
              .type = IMG_CUBE, .dfmt = 4, .nfmt = UINT, .width = 16, .height = 16, .depth = 12});
    image_do(g, "image_get_resinfo v[12:13], v4, s[16:23] dmask:0xc unorm");
    assert_int_equal(image_row(g, VDATA)[0], 2);
    assert_int_equal(image_row(g, VDATA + 1)[0], 1);
}

static void levels_have_their_own_texels(void **state)
{
    (void)state;
    on_every_core(use_levels);
    on_every_core(use_volume_levels);
}

/* ---- atomic operations ---- */

static const struct {
    const char *name;
    uint64_t data, compare, want; /* of memory with 100 */
} atomics[] = {
    {"swap", 7, 0, 7},
    {"add", 7, 0, 107},
    {"sub", 7, 0, 93},
    {"smin", UINT64_MAX, 0, UINT64_MAX},
    {"umin", 7, 0, 7},
    {"smax", 200, 0, 200},
    {"umax", UINT64_MAX, 0, UINT64_MAX},
    {"and", 0x60, 0, 0x60},
    {"or", 1, 0, 101},
    {"xor", 0x24, 0, 0x40},
    {"inc", 1000, 0, 101},
    {"dec", 1000, 0, 99},
    {"cmpswap", 5, 100, 5},
    {"cmpswap", 5, 99, 100},
};

static void use_atomic(image_rig_t *g, unsigned k, unsigned dwords)
{
    char text[128], data[16];
    const bool compares = !strcmp(atomics[k].name, "cmpswap");
    const unsigned n = dwords * (compares ? 2 : 1);
    if (n == 1)
        snprintf(data, sizeof data, "v12");
    else
        snprintf(data, sizeof data, "v[12:%u]", 11 + n);
    snprintf(text, sizeof text, "image_atomic_%s %s, v4, s[16:23] dmask:0x%x unorm glc",
             atomics[k].name, data, (1u << n) - 1);
    set_t(g->r,
          &(t_sharp_t){.type = IMG_1D, .dfmt = dwords == 1 ? 4 : 11, .nfmt = UINT, .width = 40});
    memset(g->memory, 0, 4096);
    for (unsigned l = 0; l < 64; l++) {
        g->memory[4 * dwords * l] = 100;
        image_row(g, VADDR)[l] = l;
        image_row(g, VDATA)[l] = (uint32_t)atomics[k].data;
        image_row(g, VDATA + 1)[l] = (uint32_t)(atomics[k].data >> 32);
        if (compares) image_row(g, VDATA + dwords)[l] = (uint32_t)atomics[k].compare;
        if (compares && dwords == 2) image_row(g, VDATA + 3)[l] = 0;
    }
    image_do(g, text);
    for (unsigned l = 0; l < 64; l++) {
        uint64_t now = 0, want = l < 40 ? atomics[k].want : 100;
        memcpy(&now, g->memory + 4 * dwords * l, 4 * dwords);
        if (dwords == 1) want = (uint32_t)want;
        if (now != want)
            fail_msg("%s: lane %u is 0x%llx, not 0x%llx", text, l, (unsigned long long)now,
                     (unsigned long long)want);
        assert_int_equal(image_row(g, VDATA)[l], l < 40 ? 100 : 0);
    }
}

static void use_atomics(image_rig_t *g)
{
    for (unsigned k = 0; k < sizeof atomics / sizeof *atomics; k++)
        for (unsigned dwords = 1; dwords <= 2; dwords++)
            use_atomic(g, k, dwords);
    set_t(g->r, &(t_sharp_t){.type = IMG_1D, .dfmt = 2, .nfmt = UINT, .width = 40});
    image_run(g, "image_atomic_add v12, v4, s[16:23] dmask:0x1 unorm");
    assert_int_equal(g->r->wave.stop, ISA_STOP_UNSUPPORTED);
}

static void atomic_operations_change_texels(void **state)
{
    (void)state;
    on_every_core(use_atomics);
}

static void all_of_them_were_met(void **state)
{
    (void)state;
    rig_check_coverage(1u << ISA_FMT_MIMG);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(elements_convert_as_their_formats_say),
        cmocka_unit_test(components_and_coordinates_are_packed),
        cmocka_unit_test(elements_go_as_they_are),
        cmocka_unit_test(nothing_is_read_or_written_out_of_range),
        cmocka_unit_test(what_is_not_defined_stops_the_wave),
        cmocka_unit_test(levels_have_their_own_texels),
        cmocka_unit_test(atomic_operations_change_texels),
        cmocka_unit_test(all_of_them_were_met),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
