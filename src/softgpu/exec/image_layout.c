/* image_layout.c - computes the addresses of texels in an image's memory.
 *
 * An image is rows, or blocks of 256 bytes to 256 KiB in which each bit of a texel's offset
 * is a bit of one coordinate, some of them combined with higher bits by exclusive or, so that
 * neighbours spread over the memory's channels. Blocks follow one another by row and slice. Levels
 * share an image's blocks in a fixed pattern, and the smallest ones a single block, the tail. The
 * layouts are those of gfx9, as address libraries of its drivers make them; those of later GPUs are
 * lists of image_pattern.h. */
#include "softgpu/exec/image.h"
#include "softgpu/exec/image_pattern.h"

#include <pthread.h>
#include <string.h>

enum {
    LAYOUTS = 32,
    LINEAR_ALIGN = 256,
    SMALL_LOG2 = 8, /* blocks of 256 bytes, which volumes do not have */
    OFFSET_BITS = 28
};

typedef enum { NO_KIND, LINEAR, STANDARD, DISPLAY, ROTATED, Z_ORDER } kind_t;

/* Whether bits of the offset are mixed with bits above them. WITHIN: only with bits of the same
 * block. */
typedef enum { MIX_NONE, MIX_WITHIN, MIX_ALL } mix_t;

static const struct {
    uint8_t kind, block_log2, mix;
} layouts[LAYOUTS] = {
    {LINEAR, 0, 0},
    {STANDARD, 8, 0},
    {DISPLAY, 8, 0},
    {ROTATED, 8, 0},
    {Z_ORDER, 12, 0},
    {STANDARD, 12, 0},
    {DISPLAY, 12, 0},
    {ROTATED, 12, 0},
    {Z_ORDER, 16, 0},
    {STANDARD, 16, 0},
    {DISPLAY, 16, 0},
    {ROTATED, 16, 0},
    [16] = {Z_ORDER, 16, MIX_WITHIN},
    {STANDARD, 16, MIX_WITHIN},
    {DISPLAY, 16, MIX_WITHIN},
    {ROTATED, 16, MIX_WITHIN},
    {Z_ORDER, 12, MIX_ALL},
    {STANDARD, 12, MIX_ALL},
    {DISPLAY, 12, MIX_ALL},
    {ROTATED, 12, MIX_ALL},
    {Z_ORDER, 16, MIX_ALL},
    {STANDARD, 16, MIX_ALL},
    {DISPLAY, 16, MIX_ALL},
    {ROTATED, 16, MIX_ALL},
};

/* The coordinate's bit for each of the lowest bits of an offset within a block, by the logarithm of
 * an element's size. The first bit is the one above those within an element. `thick` is for blocks
 * of volumes. */
static const char *const thin[][ISA_PATTERN_SIZES] = {
    [STANDARD] = {"x0x1x2x3y0y1y2y3", "x0x1x2y0y1y2x3", "x0x1y0y1y2x2", "x0y0y1x1x2", "y0y1x0x1"},
    [DISPLAY] = {"x0x1x2y1y0y2x3y3", "x0x1x2y0y1y2x3", "x0x1y0x2y1y2", "x0y0x1x2y1", "x0y0x1y1"},
    [ROTATED] = {"y0y1y2x1x0x2x3y3", "y0y1y2x0x1x2x3", "y0y1x0y2x1x2", "y0x0y1x1x2", NULL},
    [Z_ORDER] = {"x0y0x1y1x2y2", "x0y0x1y1x2", "x0y0x1y1", "x0y0x1", NULL},
};
static const char *const thick[][ISA_PATTERN_SIZES] = {
    [STANDARD] = {"x0x1x2x3y0y1z0z1z2y2", "x0x1x2y0y1z0z1z2y2", "x0x1y0y1z0z1y2x2",
                  "x0y0y1z0z1x1x2", "y0y1z0z1x0x1"},
    [Z_ORDER] = {"x0y0x1y1z0z1x2z2y2x3", "x0y0x1y1z0z1z2y2x2", "x0y0x1z0y1z1y2x2", "x0y0z0x1z1y1x2",
                 "x0y0z0z1y1x1"},
};

/* Each offset bit above these is the next bit of a coordinate, in turn. */
static const char thin_turns[] = "yx", thick_turns[] = "xzy";

typedef struct {
    uint8_t axis, bit;
} source_t;

/* ---- layouts ---- */

static unsigned log2_of(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}

static bool is_thick(const isa_image_t *m, kind_t kind)
{
    return m->axes == 3 && (kind == STANDARD || kind == Z_ORDER);
}

/* Finds the coordinate's bit of each bit of the offset, before mixing. Bits above the block are
 * found, too, since mix_bits() uses them. */
static bool find_sources(const isa_image_t *m, kind_t kind, source_t source[OFFSET_BITS])
{
    const unsigned element = log2_of(m->format.bytes);
    const bool solid = is_thick(m, kind);
    /* a volume in a display layout is stored as slices in the standard layout */
    if (m->axes == 3 && kind == DISPLAY) kind = STANDARD;
    if (solid && kind != STANDARD && kind != Z_ORDER) return false;
    const char *low = solid ? thick[kind][element] : thin[kind][element];
    const char *turns = solid ? thick_turns : thin_turns;
    unsigned next[ISA_IMAGE_AXES] = {0, 0, 0}, at = element;
    if (!low) return false;
    for (; *low; low += 2, at++) {
        source[at] = (source_t){(uint8_t)(low[0] - 'x'), (uint8_t)(low[1] - '0')};
        next[source[at].axis]++;
    }
    for (; at < OFFSET_BITS; at++) {
        const unsigned axis = (unsigned)(turns[at % (solid ? 3 : 2)] - 'x');
        source[at] = (source_t){(uint8_t)axis, (uint8_t)next[axis]++};
    }
    return true;
}

static void flip(isa_layout_of_t *y, source_t s, unsigned offset_bit)
{
    if (s.bit < ISA_IMAGE_AXIS_BITS) y->flips[s.axis][s.bit] ^= UINT32_C(1) << offset_bit;
}

/* Mixes each of the `n` bits of the offset from `first` on with one bit above them, or in a volume
 * with two. The order is reversed: the highest of the n bits gets the nearest. */
static void mix_bits(isa_layout_of_t *y, const source_t *source, unsigned first, unsigned n,
                     bool solid, mix_t mix)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned more = 0; more < (solid ? 2u : 1u); more++) {
            const unsigned from = solid ? first + 3 * n - 1 - more - 2 * k : first + 2 * n - 1 - k;
            if (mix == MIX_ALL || from < y->block_log2) flip(y, source[from], first + k);
        }
}

/* In a thin layout, bits of the slice's number are mixed in, too, in reverse order. */
static void mix_slices(isa_layout_of_t *y, unsigned first, unsigned n, unsigned slice_bit)
{
    for (unsigned k = 0; k < n; k++)
        flip(y, (source_t){2, (uint8_t)(slice_bit + n - 1 - k)}, first + k);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void mix_channels(isa_layout_of_t *y, const source_t *source, bool solid, mix_t mix)
{
    const unsigned room = y->block_log2 - ISA_IMAGE_INTERLEAVE_LOG2;
    const unsigned pipes = least(room, ISA_IMAGE_PIPES_LOG2);
    const unsigned banks = least(room - pipes, ISA_IMAGE_BANKS_LOG2);
    const unsigned bank = ISA_IMAGE_INTERLEAVE_LOG2 + pipes;
    mix_bits(y, source, ISA_IMAGE_INTERLEAVE_LOG2, pipes, solid, mix);
    mix_bits(y, source, bank, banks, solid, mix);
    if (solid || mix != MIX_ALL) return;
    mix_slices(y, ISA_IMAGE_INTERLEAVE_LOG2, pipes, 0);
    mix_slices(y, bank, banks, pipes);
}

static uint64_t rounded(uint64_t n, unsigned log2)
{
    return (n + (UINT64_C(1) << log2) - 1) >> log2;
}

/* ---- levels ---- */

/* How an image's levels are placed, in blocks: each level follows the one before along one axis. */
typedef struct {
    uint32_t size[ISA_IMAGE_AXES]; /* of level 0 */
    unsigned side;                 /* the axis of levels 1 and 3: 0 to the right, 1 below */
    unsigned other;                /* the axis of the other levels */
    bool all_in_tail;
} chain_t;

static uint64_t size_of(const isa_image_t *m, unsigned axis)
{
    const uint64_t sizes[] = {m->field[ISA_T_WIDTH], m->field[ISA_T_HEIGHT],
                              m->field[ISA_T_LAST_SLICE] + 1};
    return axis < m->axes ? sizes[axis] : 1;
}

static bool layout_is_thick(const isa_image_t *m)
{
    return m->layout.dim_log2[2] != 0;
}

/* The axis along which a level has to fit half a block, not a whole one, to be in the tail. */
static unsigned tail_side(const isa_layout_of_t *y, bool solid)
{
    static const uint8_t sides[] = {1, 0, 2};
    return solid ? sides[y->block_log2 % 3] : 0;
}

static bool fits_tail(const isa_image_t *m, const uint64_t size[ISA_IMAGE_AXES])
{
    const isa_layout_of_t *y = &m->layout;
    const bool solid = layout_is_thick(m);
    for (unsigned k = 0; k < (solid ? 3u : 2u); k++)
        if (size[k] > (UINT64_C(1) << y->dim_log2[k]) >> (k == tail_side(y, solid))) return false;
    return true;
}

static chain_t chain_of(const isa_image_t *m)
{
    const bool solid = layout_is_thick(m);
    chain_t c = {.side = 1};
    uint64_t size[ISA_IMAGE_AXES];
    for (unsigned k = 0; k < ISA_IMAGE_AXES; k++) {
        size[k] = size_of(m, k);
        c.size[k] = (uint32_t)rounded(size[k], m->layout.dim_log2[k]);
    }
    c.all_in_tail = fits_tail(m, size);
    const bool tall = c.size[0] < c.size[1];
    const bool deep = solid && (tall ? c.size[1] : c.size[0]) < c.size[2];
    c.side = tall && !deep ? 0 : 1;
    c.other = deep ? 2 : tall ? 1 : 0;
    return c;
}

/* Number of the first level in the tail; of the last level if none is in it. */
static unsigned last_own_level(const isa_image_t *m)
{
    uint64_t size[ISA_IMAGE_AXES];
    for (unsigned k = 0; k < ISA_IMAGE_AXES; k++)
        size[k] = size_of(m, k);
    for (unsigned level = 0; level + 1 < m->layout.levels; level++) {
        if (fits_tail(m, size)) return level;
        for (unsigned k = 0; k < ISA_IMAGE_AXES; k++) {
            size[k] = rounded(size[k], m->layout.dim_log2[k]) << m->layout.dim_log2[k];
            if (k < 2 || m->axes == 3) size[k] = size[k] > 1 ? size[k] / 2 : 1;
        }
    }
    return m->layout.levels - 1;
}

/* Sets the pitch and the slice of an image with several levels, with room for level 1 next to level
 * 0. */
static void lay_out_chain(isa_layout_of_t *y, const isa_image_t *m)
{
    const chain_t c = chain_of(m);
    uint64_t room[2] = {c.size[0], c.size[1]};
    const unsigned last = last_own_level(m);
    if (last > 0) {
        uint64_t half = (room[c.side] + 1) / 2;
        if (half == 1 && last > 2) half++;
        room[c.side] += half;
    }
    y->pitch = room[0];
    y->slice = room[0] * room[1];
}

/* Adds to `at` the block in which the level begins. True if the level is in the tail: `tail` is
 * then its number there. */
static bool find_level(const isa_image_t *m, unsigned level, uint32_t at[ISA_IMAGE_AXES],
                       unsigned *tail)
{
    const bool solid = layout_is_thick(m);
    const unsigned narrow = tail_side(&m->layout, solid);
    chain_t c = chain_of(m);
    *tail = level;
    if (m->layout.levels == 1) return false;
    if (c.all_in_tail) return true;
    for (unsigned k = 1; k <= level; k++) {
        const unsigned side = k == 1 || k == 3 ? c.side : c.other;
        at[side] += c.size[side];
        /* if half of the level before fits in the tail, that level was the last one with blocks of
         * its own */
        bool fits = c.size[narrow] == 1;
        for (unsigned axis = 0; axis < (solid ? 3u : 2u); axis++)
            if (axis != narrow && c.size[axis] > 2) fits = false;
        *tail = level - k;
        if (fits) return true;
        for (unsigned axis = 0; axis < ISA_IMAGE_AXES; axis++)
            c.size[axis] = (c.size[axis] + 1) / 2;
    }
    return false;
}

/* ---- layout of an image, place of a level, address of a texel ---- */

static void lay_out_rows(isa_layout_of_t *y, const isa_image_t *m)
{
    const uint64_t width = size_of(m, 0), bytes = m->format.bytes;
    uint64_t rows = size_of(m, 1);
    y->linear = true;
    if (y->levels == 1) {
        y->pitch = m->field[ISA_T_PITCH] * bytes;
    } else {
        y->pitch = (width * bytes + LINEAR_ALIGN - 1) / LINEAR_ALIGN * LINEAR_ALIGN;
        for (uint64_t level = 1, height = rows; level < y->levels; level++) {
            height = height > 1 ? (height + 1) / 2 : 1;
            rows += height;
        }
    }
    y->slice = y->pitch * rows;
}

static bool has_whole_elements(const isa_image_t *m)
{
    return m->axes > 1 && !(m->format.bytes & (m->format.bytes - 1));
}

static bool lay_out_gfx9(isa_image_t *m)
{
    isa_layout_of_t *y = &m->layout;
    source_t source[OFFSET_BITS] = {{0, 0}};
    const unsigned number = (unsigned)m->field[ISA_T_LAYOUT];
    const kind_t kind = (kind_t)layouts[number].kind;
    const mix_t mix = (mix_t)layouts[number].mix;
    y->block_log2 = layouts[number].block_log2;
    y->levels = (uint32_t)m->field[ISA_T_LEVELS];
    if (kind == LINEAR) {
        lay_out_rows(y, m);
        return true;
    }
    if (kind == NO_KIND || !has_whole_elements(m)) return false;
    if (m->axes == 3 && (kind == ROTATED || y->block_log2 == SMALL_LOG2)) return false;
    if (!find_sources(m, kind, source)) return false;
    for (unsigned bit = log2_of(m->format.bytes); bit < y->block_log2; bit++) {
        flip(y, source[bit], bit);
        y->dim_log2[source[bit].axis]++;
    }
    y->mixed = mix != MIX_NONE;
    if (y->mixed) mix_channels(y, source, is_thick(m, kind), mix);
    y->pitch = rounded(m->field[ISA_T_PITCH], y->dim_log2[0]);
    y->slice = y->pitch * rounded(size_of(m, 1), y->dim_log2[1]);
    if (y->levels > 1) lay_out_chain(y, m);
    return true;
}

/* ---- GPUs since gfx10, images of one level ---- */

enum { PATTERNS = 32 }; /* the most rows of a family's table that are looked at */

/* What the lists of image_pattern.h say, read once: by family, row and size of an element as
 * isa_layout_of_t's flips. */
typedef uint32_t flips_t[ISA_IMAGE_AXES][ISA_IMAGE_AXIS_BITS];
static flips_t flips_of[ISA_IMAGES_GFX12 + 1][PATTERNS][ISA_PATTERN_SIZES];
static pthread_once_t patterns_are_read = PTHREAD_ONCE_INIT;

static const isa_pattern_t *const patterns_of[] = {[ISA_IMAGES_GFX10] = isa_patterns_of_gfx10,
                                                   [ISA_IMAGES_GFX11] = isa_patterns_of_gfx11,
                                                   [ISA_IMAGES_GFX12] = isa_patterns_of_gfx12};

/* Reads a list for the bits of an offset below the block's size. */
static void read_pattern(flips_t flips, const char *list, unsigned bit, unsigned block_log2)
{
    for (; *list && bit < block_log2; bit++) {
        for (; *list && *list != ' '; list += 2) {
            const int digit = list[1] >= 'a' ? list[1] - 'a' + 10 : list[1] - '0';
            flips[list[0] - 'x'][digit] ^= UINT32_C(1) << bit;
        }
        if (*list) list++;
    }
}

static void read_patterns(void)
{
    for (isa_images_t family = ISA_IMAGES_GFX10; family <= ISA_IMAGES_GFX12; family++) {
        const isa_pattern_t *row = patterns_of[family];
        for (unsigned k = 0; k < PATTERNS && row[k].number; k++)
            for (unsigned e = 0; e < ISA_PATTERN_SIZES; e++)
                read_pattern(flips_of[family][k][e], row[k].bits[e], e, row[k].block_log2);
    }
}

/* The sides of a block are those of the smallest one, of 256 bytes or of 1 KiB if it is solid,
 * doubled in turn. */
static void block_sides(isa_layout_of_t *y, unsigned element, bool solid)
{
    static const uint8_t flat_sides[ISA_PATTERN_SIZES][2] = {
        {4, 4}, {4, 3}, {3, 3}, {3, 2}, {2, 2}};
    static const uint8_t solid_sides[ISA_PATTERN_SIZES][3] = {
        {4, 3, 3}, {3, 3, 3}, {3, 3, 2}, {3, 2, 2}, {2, 2, 2}};
    enum { SOLID_LOG2 = 10 };
    const unsigned more = y->block_log2 - (solid ? (unsigned)SOLID_LOG2 : (unsigned)SMALL_LOG2);
    if (!solid) {
        y->dim_log2[0] = flat_sides[element][0] + more / 2;
        y->dim_log2[1] = flat_sides[element][1] + more - more / 2;
        return;
    }
    y->dim_log2[0] = solid_sides[element][0] + more / 3;
    y->dim_log2[1] = solid_sides[element][1] + more / 3 + (more % 3 == 2);
    y->dim_log2[2] = solid_sides[element][2] + more / 3 + (more % 3 != 0);
}

/* Rows begin at multiples of 256 bytes; since gfx12 at those of 128, but slices have room for rows
 * of multiples of 256. A descriptor without slices can have longer rows. */
static bool lay_out_later_rows(isa_image_t *m)
{
    isa_layout_of_t *y = &m->layout;
    const uint64_t bytes = m->format.bytes, width = size_of(m, 0) * bytes;
    const uint64_t row = rounded(width, m->row_log2) << m->row_log2;
    const uint64_t said = m->sliced || m->axes == 3 ? 0 : m->field[ISA_T_PITCH] * bytes;
    const uint64_t room = rounded(width, SMALL_LOG2) << SMALL_LOG2;
    y->linear = true;
    y->pitch = said > row ? said : row;
    y->slice = (said > room ? said : room) * size_of(m, 1);
    return !(bytes & (bytes - 1));
}

static bool lay_out_pattern(isa_image_t *m)
{
    isa_layout_of_t *y = &m->layout;
    const isa_pattern_t *row = patterns_of[m->family];
    unsigned k = 0;
    if (!m->field[ISA_T_LAYOUT]) return lay_out_later_rows(m);
    for (; row->number; row++, k++)
        if (row->number == m->field[ISA_T_LAYOUT] && row->volume == (m->axes == 3)) break;
    if (!row->number || k >= PATTERNS || !has_whole_elements(m)) return false;
    const unsigned element = log2_of(m->format.bytes);
    y->block_log2 = row->block_log2;
    y->mixed = row->mixed;
    pthread_once(&patterns_are_read, read_patterns);
    memcpy(y->flips, flips_of[m->family][k][element], sizeof y->flips);
    block_sides(y, element, row->solid);
    y->pitch = rounded(size_of(m, 0), y->dim_log2[0]);
    y->slice = y->pitch * rounded(size_of(m, 1), y->dim_log2[1]);
    return true;
}

bool isa_image_lay_out(isa_image_t *m)
{
    memset(&m->layout, 0, sizeof m->layout);
    m->layout.levels = 1;
    switch (m->family) {
    case ISA_IMAGES_GFX9: return lay_out_gfx9(m);
    case ISA_IMAGES_GFX10:
    case ISA_IMAGES_GFX11:
    case ISA_IMAGES_GFX12: return lay_out_pattern(m);
    default: return false;
    }
}

static uint64_t rows_before(const isa_image_t *m, unsigned level)
{
    uint64_t rows = 0, height = size_of(m, 1);
    for (unsigned k = 0; k < level; k++) {
        rows += height;
        height = height > 1 ? (height + 1) / 2 : 1;
    }
    return rows;
}

void isa_image_level(const isa_image_t *m, unsigned level, isa_level_t *out)
{
    /* offsets of the levels in a tail, in units of 256 bytes, for a block of 1 MiB; the tail of a
     * smaller block uses the last of these */
    static const uint16_t tails[] = {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0};
    enum { TAILS = sizeof tails / sizeof *tails, LARGEST_LOG2 = 20 };
    unsigned tail;
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; k < ISA_IMAGE_AXES; k++) {
        const uint64_t size = size_of(m, k) >> level;
        out->size[k] = size ? (uint32_t)size : 1;
    }
    if (m->layout.linear) {
        out->offset = rows_before(m, level) * m->layout.pitch;
    } else if (find_level(m, level, out->at, &tail)) {
        const unsigned row = tail + LARGEST_LOG2 - m->layout.block_log2;
        out->offset = row < TAILS ? (uint64_t)tails[row] << ISA_IMAGE_INTERLEAVE_LOG2 : 0;
    }
}

uint64_t isa_image_address(const isa_image_t *m, const isa_level_t *level,
                           const uint32_t at[ISA_IMAGE_AXES])
{
    const isa_layout_of_t *y = &m->layout;
    const uint64_t base = m->field[ISA_T_BASE] << 8;
    if (y->linear)
        return base + level->offset + at[0] * (uint64_t)m->format.bytes + at[1] * y->pitch +
               at[2] * y->slice;
    /* the base's bits within a block are mixed into the offset, too: drivers set them so that
     * images which are used together spread over the memory's channels */
    const uint64_t in_block = y->mixed ? (UINT64_C(1) << y->block_log2) - 1 : 0;
    uint64_t offset = level->offset ^ (base & in_block), block[ISA_IMAGE_AXES];
    for (unsigned k = 0; k < ISA_IMAGE_AXES; k++) {
        block[k] = level->at[k] + (uint64_t)(at[k] >> y->dim_log2[k]);
        for (uint32_t left = at[k] & 0xffff; left; left &= left - 1)
            offset ^= y->flips[k][__builtin_ctz(left)];
    }
    return (base & ~in_block) +
           ((block[0] + block[1] * y->pitch + block[2] * y->slice) << y->block_log2) + offset;
}
