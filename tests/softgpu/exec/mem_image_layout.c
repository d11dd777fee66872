/* mem_image_layout.c - where texels are in an image's memory, for every layout, size and level.
 *
 * The reference goes from coordinates to an address by interleaving and folding numbers, as driver
 * libraries describe it; the executor goes by tables of address bits. Levels are checked by known
 * offsets, and no two texels of an image may be at one place. */
#include "image_rig.h"

#include "softgpu/exec/image.h"

enum { LINEAR, S, D, R, Z };
enum { NO_MIX, T, X };

static const struct {
    unsigned kind, log2, mix;
} layouts[32] = {
    [1] = {S, 8, 0},   [2] = {D, 8, 0},   [3] = {R, 8, 0},   [4] = {Z, 12, 0},  [5] = {S, 12, 0},
    [6] = {D, 12, 0},  [7] = {R, 12, 0},  [8] = {Z, 16, 0},  [9] = {S, 16, 0},  [10] = {D, 16, 0},
    [11] = {R, 16, 0}, [16] = {Z, 16, T}, [17] = {S, 16, T}, [18] = {D, 16, T}, [19] = {R, 16, T},
    [20] = {Z, 12, X}, [21] = {S, 12, X}, [22] = {D, 12, X}, [23] = {R, 12, X}, [24] = {Z, 16, X},
    [25] = {S, 16, X}, [26] = {D, 16, X}, [27] = {R, 16, X},
};

static const unsigned data_formats[] = {1, 2, 4, 11, 14}; /* 1 to 16 bytes */

static unsigned bit(unsigned x, unsigned n)
{
    return x >> n & 1;
}

static uint64_t interleave2(unsigned low, unsigned high)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < 13; k++)
        r |= (uint64_t)bit(low, k) << 2 * k | (uint64_t)bit(high, k) << (2 * k + 1);
    return r;
}

static unsigned reversed(uint64_t v, unsigned n)
{
    unsigned r = 0;
    for (unsigned k = 0; k < n; k++)
        r |= (unsigned)(v >> k & 1) << (n - 1 - k);
    return r;
}

/* Every second bit. */
static uint64_t halved(uint64_t v)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < 16; k++)
        r |= (v >> 2 * k & 1) << k;
    return r;
}

static uint64_t micro_2d(unsigned kind, unsigned e, unsigned x, unsigned y)
{
    const unsigned xb = x << e;
    uint64_t m;
    if (kind == S) {
        m = (xb & 15) | (y & 3) << 4;
        if (e >= 3) return m | (xb & 0x30) << 2;
        m |= (y & 4) << 4;
        return m | (e ? (xb & 16) << 3 : (y & 8) << 4);
    }
    if (kind == D && e == 4)
        return bit(x, 0) << 4 | bit(y, 0) << 5 | bit(x, 1) << 6 | bit(y, 1) << 7;
    const unsigned first = kind == R ? y : x, second = kind == R ? x : y;
    m = ((first & 7) | (second >> 1 & 3) << 3 | bit(x, 3) << 5 | (uint64_t)bit(y, 3) << 6) << e;
    m = (m & 15) | bit(second, 0) << 4 | (m >> 4 & 7) << 5;
    if (kind == R && e == 3) m = (m & 63) | (x >> 1 & 3) << 6;
    return m;
}

static uint64_t fold(uint64_t offset, unsigned log2, bool solid)
{
    uint64_t low = offset & 255, v = offset >> 8, parts[2];
    const unsigned n[2] = {2, log2 - 10 < 4 ? log2 - 10 : 4};
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t mask = (1u << n[k]) - 1;
        parts[k] = v & mask;
        if (solid)
            parts[k] ^= reversed(halved(v >> n[k]), n[k]) ^ reversed(halved(v >> (n[k] + 1)), n[k]);
        else
            parts[k] ^= reversed(v >> n[k], n[k]);
        v >>= n[k];
    }
    return ((v << n[1] | parts[1]) << 2 | parts[0]) << 8 | low;
}

static uint64_t thin(unsigned layout, unsigned e, unsigned x, unsigned y, unsigned slice, bool flat)
{
    static const unsigned width[] = {16, 16, 8, 8, 4}, height[] = {16, 8, 8, 4, 4};
    const unsigned log2 = layouts[layout].log2, kind = layouts[layout].kind;
    uint64_t offset;
    if (kind == Z && (e == 0 || e == 2)) {
        const unsigned half = (6 - e) / 2, mask = (1u << half) - 1;
        offset = (interleave2(x & mask, y & mask) | interleave2(y >> half, x >> half) << 2 * half)
                 << e;
    } else if (kind == Z) {
        offset = interleave2(x, y) << e;
    } else {
        offset = micro_2d(flat ? kind : S, e, x, y) | interleave2(y / height[e], x / width[e]) << 8;
    }
    if (layouts[layout].mix) {
        if (layouts[layout].mix == T) offset &= (1u << log2) - 1;
        offset = fold(offset, log2, false);
    }
    if (layouts[layout].mix == X)
        offset ^= (uint64_t)reversed(slice, 2) << 8 |
                  (uint64_t)reversed(slice >> 2, log2 - 10 < 4 ? log2 - 10 : 4) << 10;
    return offset & ((1u << log2) - 1);
}

static uint64_t micro_3d(unsigned kind, unsigned e, unsigned x, unsigned y, unsigned z)
{
    const unsigned xb = x << e;
    unsigned top, xh, yh, zh, m;
    if (kind == S) {
        top = e < 2    ? bit(z, 2) | bit(y, 2) << 1
              : e == 2 ? bit(y, 2) | bit(x, 2) << 1
              : e == 3 ? x >> 1 & 3
                       : x & 3;
        return top << 8 | (xb & 15) | (y & 3) << 4 | (z & 3) << 6;
    }
    const unsigned four = bit(x, 0) | bit(y, 0) << 1 | bit(x, 1) << 2 | bit(y, 1) << 3;
    switch (e) {
    case 0:
        m = four | (z & 3) << 4 | bit(x, 2) << 6;
        xh = x >> 3, yh = y >> 2, zh = z >> 2;
        break;
    case 1:
        m = four << 1 | (z & 3) << 5;
        xh = x >> 2, yh = y >> 2, zh = z >> 2;
        break;
    case 2:
        m = ((four & 7) | bit(z, 0) << 3) << 2 | bit(y, 1) << 6;
        xh = x >> 2, yh = y >> 2, zh = z >> 1;
        break;
    case 3:
        m = ((four & 3) | bit(z, 0) << 2 | bit(x, 1) << 3) << 3;
        xh = x >> 2, yh = y >> 1, zh = z >> 1;
        break;
    default:
        m = ((four & 3) | bit(z, 0) << 2) << 4;
        xh = x >> 1, yh = y >> 1, zh = z >> 1;
        break;
    }
    /* the next bits: x, y, z of what is left, by the library's order of interleaving */
    return m | (bit(zh, 0) << 7 | bit(yh, 0) << 8 | bit(xh, 0) << 9);
}

static uint64_t thick(unsigned layout, unsigned e, unsigned x, unsigned y, unsigned z)
{
    static const unsigned side[][3] = {{16, 8, 8}, {8, 8, 8}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}};
    const unsigned log2 = layouts[layout].log2;
    uint64_t offset = micro_3d(layouts[layout].kind, e, x, y, z);
    const unsigned v[3] = {z / side[e][2], y / side[e][1], x / side[e][0]};
    for (unsigned k = 0; k < 24; k++)
        offset |= (uint64_t)bit(v[k % 3], k / 3) << (10 + k);
    if (layouts[layout].mix) {
        if (layouts[layout].mix == T) offset &= (1u << log2) - 1;
        offset = fold(offset, log2, true);
    }
    return offset & ((1u << log2) - 1);
}

/* ---- one level: every layout and size ---- */

static bool is_thick(unsigned type, unsigned layout)
{
    return type == IMG_3D && (layouts[layout].kind == S || layouts[layout].kind == Z);
}

static void block_of(unsigned type, unsigned layout, unsigned e, unsigned side[3])
{
    static const unsigned flat[][2] = {{16, 16}, {16, 8}, {8, 8}, {8, 4}, {4, 4}};
    static const unsigned solid[][3] = {{16, 8, 8}, {8, 8, 8}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}};
    const unsigned log2 = layouts[layout].log2, more = (log2 - 8) / 2;
    if (!is_thick(type, layout)) {
        side[0] = flat[e][0] << more, side[1] = flat[e][1] << (log2 - 8 - more), side[2] = 1;
        return;
    }
    const unsigned third = (log2 - 10) / 3, rest = (log2 - 10) % 3;
    side[0] = solid[e][0] << third;
    side[1] = solid[e][1] << (third + rest / 2);
    side[2] = solid[e][2] << (third + (rest ? 1 : 0));
}

static bool is_allowed(unsigned type, unsigned layout, unsigned e)
{
    const unsigned kind = layouts[layout].kind;
    if (!kind) return false;
    if (type == IMG_3D) return kind != R && layouts[layout].log2 > 8;
    return e < 4 || (kind != R && kind != Z);
}

static void one_level(rig_t *r, unsigned type, unsigned layout, unsigned e)
{
    const t_sharp_t t = {.type = type,
                         .dfmt = data_formats[e],
                         .nfmt = UINT,
                         .layout = layout,
                         .width = 1000,
                         .height = 700,
                         .depth = 40,
                         .pitch = 4096};
    isa_image_t m;
    isa_level_t level;
    unsigned side[3];
    set_t(r, &t);
    const char *why = isa_image_decode(ASM_ARCH, &r->wave.sgpr[SRSRC], &m);
    if (!is_allowed(type, layout, e)) {
        if (layout) assert_non_null(why);
        return;
    }
    if (why) fail_msg("type %u, layout %u, 2^%u bytes: %s", type, layout, e, why);
    block_of(type, layout, e, side);
    isa_image_level(&m, 0, &level);
    for (unsigned k = 0; k < 2000; k++) {
        const uint32_t at[3] = {rig_random(r) % 1000, rig_random(r) % 700, rig_random(r) % 40};
        const uint64_t pitch = 4096 / side[0], rows = (700 + side[1] - 1) / side[1];
        const uint64_t block = (at[2] / side[2] * rows + at[1] / side[1]) * pitch + at[0] / side[0];
        const uint64_t in = is_thick(type, layout)
                                ? thick(layout, e, at[0], at[1], at[2])
                                : thin(layout, e, at[0], at[1], at[2], type != IMG_3D);
        const uint64_t want = IMAGE_VA + (block << layouts[layout].log2) + in;
        const uint64_t have = isa_image_address(&m, &level, at);
        if (want != have)
            fail_msg("type %u, layout %u, 2^%u bytes, %u %u %u: 0x%llx, not 0x%llx", type, layout,
                     e, at[0], at[1], at[2], (unsigned long long)have, (unsigned long long)want);
    }
}

static void texels_are_where_drivers_put_them(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    for (unsigned layout = 1; layout < 32; layout++)
        for (unsigned e = 0; e < 5; e++) {
            one_level(r, IMG_2D_ARRAY, layout, e);
            one_level(r, IMG_3D, layout, e);
        }
    rig_destroy(r);
}

static void rows_follow_one_another(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    const t_sharp_t t = {.type = IMG_3D,
                         .dfmt = 13,
                         .nfmt = FLOAT,
                         .width = 10,
                         .height = 7,
                         .depth = 3,
                         .pitch = 64};
    isa_image_t m;
    isa_level_t level;
    set_t(r, &t);
    assert_null(isa_image_decode(ASM_ARCH, &r->wave.sgpr[SRSRC], &m));
    isa_image_level(&m, 0, &level);
    assert_int_equal(isa_image_address(&m, &level, (uint32_t[3]){9, 6, 2}),
                     IMAGE_VA + 12 * (9 + 64 * (6 + 7 * 2)));
    rig_destroy(r);
}

/* ---- levels ---- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* No two texels of an image at one place. */
static void all_apart(rig_t *r, const t_sharp_t *t)
{
    static uint64_t at[1 << 20];
    size_t n = 0;
    isa_image_t m;
    set_t(r, t);
    const char *why = isa_image_decode(ASM_ARCH, &r->wave.sgpr[SRSRC], &m);
    if (why) fail_msg("layout %u: %s", t->layout, why);
    for (unsigned k = 0; k < t->levels; k++) {
        isa_level_t level;
        isa_image_level(&m, k, &level);
        const unsigned depth = t->type == IMG_3D ? level.size[2] : t->depth;
        for (unsigned z = 0; z < depth; z++)
            for (unsigned y = 0; y < level.size[1]; y++)
                for (unsigned x = 0; x < level.size[0]; x++)
                    at[n++] = isa_image_address(&m, &level, (uint32_t[3]){x, y, z});
    }
    qsort(at, n, sizeof *at, by_number);
    for (size_t k = 1; k < n; k++)
        if (at[k] - at[k - 1] < m.format.bytes)
            fail_msg("type %u, layout %u, %ux%ux%u: two texels at 0x%llx", t->type, t->layout,
                     t->width, t->height, t->depth, (unsigned long long)at[k]);
}

static void levels_lie_apart(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = {{1, 1, 1},    {5, 3, 2},   {64, 64, 3},  {200, 90, 2},
                                        {90, 200, 2}, {300, 2, 1}, {2, 300, 1},  {65, 129, 1},
                                        {20, 30, 70}, {40, 9, 33}, {128, 64, 4}, {257, 1, 1}};
    rig_t *r = rig_create(NULL);
    for (unsigned layout = 0; layout < 32; layout++)
        for (unsigned e = 0; e < 5; e += 2)
            for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
                for (unsigned type = IMG_3D; type <= IMG_2D_ARRAY; type += IMG_2D_ARRAY - IMG_3D) {
                    const unsigned *s = sizes[k], depth = type == IMG_3D ? s[2] : 1;
                    unsigned most = s[0] > s[1] ? s[0] : s[1], levels = 1;
                    if (depth > most) most = depth;
                    while (most >> levels)
                        levels++;
                    if ((layout && !is_allowed(type, layout, e)) || layouts[layout].log2 == 8)
                        continue;
                    /* slices with levels in a volume's display layouts are none of hardware's */
                    if (type == IMG_3D && layouts[layout].kind == D) continue;
                    all_apart(r, &(t_sharp_t){.type = type,
                                              .dfmt = data_formats[e],
                                              .nfmt = UINT,
                                              .layout = layout,
                                              .width = s[0],
                                              .height = s[1],
                                              .depth = s[2],
                                              .last_level = levels - 1,
                                              .levels = levels});
                }
    rig_destroy(r);
}

/* 256 x 256 texels of 4 bytes are 2 x 2 blocks of 64 KiB; level 1 lies below, level 2 and up are in
 * the block to its right. */
static void levels_are_where_drivers_put_them(void **state)
{
    (void)state;
    static const uint64_t places[] = {0,
                                      4u << 16,
                                      (5u << 16) + 0x8000,
                                      (5u << 16) + 0x4000,
                                      (5u << 16) + 0x2000,
                                      (5u << 16) + 0x1000,
                                      (5u << 16) + 0x800,
                                      (5u << 16) + 0x600,
                                      (5u << 16) + 0x500};
    rig_t *r = rig_create(NULL);
    const t_sharp_t t = {.type = IMG_2D_ARRAY,
                         .dfmt = 4,
                         .nfmt = UINT,
                         .layout = 10,
                         .width = 256,
                         .height = 256,
                         .depth = 2,
                         .last_level = 8,
                         .levels = 9};
    isa_image_t m;
    set_t(r, &t);
    assert_null(isa_image_decode(ASM_ARCH, &r->wave.sgpr[SRSRC], &m));
    for (unsigned k = 0; k < 9; k++) {
        isa_level_t level;
        isa_image_level(&m, k, &level);
        assert_int_equal(level.size[0], 256 >> k);
        assert_int_equal(isa_image_address(&m, &level, (uint32_t[3]){0, 0, 0}) - IMAGE_VA,
                         places[k]);
        /* a slice is three rows of two blocks */
        assert_int_equal(isa_image_address(&m, &level, (uint32_t[3]){0, 0, 1}) - IMAGE_VA,
                         places[k] + (6u << 16));
    }
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(texels_are_where_drivers_put_them),
        cmocka_unit_test(rows_follow_one_another),
        cmocka_unit_test(levels_lie_apart),
        cmocka_unit_test(levels_are_where_drivers_put_them),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
