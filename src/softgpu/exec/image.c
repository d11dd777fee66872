/* image.c - descriptors of images, and loads and stores of one texel per lane.
 *
 * A table has the places of a descriptor's fields. The tables here are those of gfx9; another
 * architecture needs tables of its own. */
#include "softgpu/exec/image.h"

#include "isa/table.h"

#include <string.h>

/* ---- descriptors ---- */

typedef struct {
    uint8_t bit, bits,
        plus; /* place in the descriptor's 256 bits; `plus` is added to the field's value */
} row_t;

static const row_t image_fields[ISA_T_COUNT] = {
    [ISA_T_BASE] = {0, 40, 0},          [ISA_T_MIN_LOD] = {40, 12, 0},
    [ISA_T_DATA_FORMAT] = {52, 6, 0},   [ISA_T_NUM_FORMAT] = {58, 4, 0},
    [ISA_T_WIDTH] = {64, 14, 1},        [ISA_T_HEIGHT] = {78, 14, 1},
    [ISA_T_SELECT_X] = {96, 3, 0},      [ISA_T_SELECT_Y] = {99, 3, 0},
    [ISA_T_SELECT_Z] = {102, 3, 0},     [ISA_T_SELECT_W] = {105, 3, 0},
    [ISA_T_BASE_LEVEL] = {108, 4, 0},   [ISA_T_LAST_LEVEL] = {112, 4, 0},
    [ISA_T_LAYOUT] = {116, 5, 0},       [ISA_T_TYPE] = {124, 4, 0},
    [ISA_T_LAST_SLICE] = {128, 13, 0},  [ISA_T_PITCH] = {141, 16, 1},
    [ISA_T_BORDER_ORDER] = {157, 3, 0}, [ISA_T_BASE_SLICE] = {160, 13, 0},
    [ISA_T_LEVELS] = {188, 4, 1},       [ISA_T_COMPRESSED] = {213, 1, 0},
};

static void read_fields(const row_t *rows, unsigned n, const uint32_t *words, uint64_t *field)
{
    for (unsigned k = 0; k < n; k++) {
        const unsigned word = rows[k].bit / 32, shift = rows[k].bit % 32;
        uint64_t two = words[word];
        if (shift + rows[k].bits > 32) two |= (uint64_t)words[word + 1] << 32;
        field[k] = (two >> shift & ((UINT64_C(1) << rows[k].bits) - 1)) + rows[k].plus;
    }
}

/* By the type of an image: how many coordinates a texel has, and whether there are slices. */
static const struct {
    uint8_t axes;
    bool sliced;
} types[16] = {
    [ISA_IMAGE_1D] = {1, false},      [ISA_IMAGE_2D] = {2, false},
    [ISA_IMAGE_3D] = {3, false},      [ISA_IMAGE_CUBE] = {2, true},
    [ISA_IMAGE_1D_ARRAY] = {1, true}, [ISA_IMAGE_2D_ARRAY] = {2, true},
};

static uint32_t count_slices(const isa_image_t *m)
{
    const uint64_t first = m->field[ISA_T_BASE_SLICE], last = m->field[ISA_T_LAST_SLICE];
    if (!m->sliced) return 1;
    return first > last ? 0 : (uint32_t)(last - first + 1);
}

const char *isa_image_decode(const uint32_t words[8], isa_image_t *m)
{
    uint8_t select[4];
    read_fields(image_fields, ISA_T_COUNT, words, m->field);
    m->type = (isa_image_type_t)m->field[ISA_T_TYPE];
    m->axes = types[m->type].axes;
    m->sliced = types[m->type].sliced;
    for (unsigned c = 0; c < 4; c++)
        select[c] = (uint8_t)m->field[ISA_T_SELECT_X + c];
    const bool defined = isa_format_find(&m->format, (unsigned)m->field[ISA_T_DATA_FORMAT],
                                         (unsigned)m->field[ISA_T_NUM_FORMAT], select);
    if (m->type == ISA_IMAGE_NONE && !m->field[ISA_T_DATA_FORMAT]) return NULL;
    if (!m->axes) return "undefined type of an image";
    if (!defined) return "undefined image format";
    if (m->field[ISA_T_COMPRESSED]) return "compressed image";
    m->slices = count_slices(m);
    return isa_image_lay_out(m) ? NULL : "undefined layout of an image";
}

/* ---- addresses in registers ---- */

static bool has_level(const isa_inst_t *i)
{
    return isa_table[i->op].marks & ISA_IS_LEVEL;
}

static bool is_size_query(const isa_inst_t *i)
{
    return i->op == ISA_OP_image_get_resinfo;
}

/* Number of the address's parts without the level: coordinates, then the slice. With DA set, a
 * volume's third coordinate is in the place of the slice: the runtime's copy kernels access all
 * images as arrays. */
static unsigned coordinates(const isa_image_t *m, const isa_inst_t *i)
{
    const bool slice =
        (i->image & ISA_IMAGE_DA && m->axes < ISA_IMAGE_AXES) || m->type == ISA_IMAGE_CUBE;
    return m->axes + (slice ? 1 : 0);
}

unsigned isa_image_address_dwords(const isa_wave_t *w, const isa_inst_t *i)
{
    isa_image_t m;
    read_fields(image_fields, ISA_T_COUNT, &w->sgpr[i->src[2].reg], m.field);
    m.type = (isa_image_type_t)m.field[ISA_T_TYPE];
    m.axes = types[m.type].axes;
    const unsigned n = is_size_query(i) ? 1 : coordinates(&m, i) + has_level(i);
    const unsigned dwords = i->image & ISA_IMAGE_A16 ? (n + 1) / 2 : n;
    return dwords ? dwords : 1;
}

static uint32_t part(const isa_wave_t *w, const isa_inst_t *i, unsigned k, unsigned lane)
{
    const isa_row_t *rows = w->vgpr + i->src[0].reg;
    if (!(i->image & ISA_IMAGE_A16)) return rows[k][lane];
    return rows[k / 2][lane] >> 16 * (k & 1) & 0xffff;
}

/* ---- loads, stores, atomic operations: integers ---- */

static void load_lane(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x, unsigned l)
{
    const isa_image_t *m = &x->image;
    const unsigned n = coordinates(m, i);
    uint32_t at[ISA_IMAGE_AXES] = {0, 0, 0}, slice = 0;
    uint64_t level = m->field[ISA_T_BASE_LEVEL];
    isa_level_t size;
    if (m->type == ISA_IMAGE_NONE) return;
    for (unsigned k = 0; k < m->axes; k++)
        at[k] = part(w, i, k, l);
    if (n > m->axes && m->sliced) slice = part(w, i, m->axes, l);
    if (has_level(i)) level += part(w, i, n, l);
    if (level > m->field[ISA_T_LAST_LEVEL] || level >= m->field[ISA_T_LEVELS]) return;
    isa_image_level(m, (unsigned)level, &size);
    for (unsigned k = 0; k < m->axes; k++)
        if (at[k] >= size.size[k]) return;
    if (slice >= m->slices) return;
    if (m->axes < ISA_IMAGE_AXES) at[2] = slice + (uint32_t)m->field[ISA_T_BASE_SLICE];
    x->texel[0].va[l] = isa_image_address(m, &size, at);
    x->texel[0].lanes |= UINT64_C(1) << l;
}

static void load(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    x->n = 1;
    x->texel[0].lanes = x->texel[0].border = 0;
    for (uint64_t left = w->exec; left; left &= left - 1)
        load_lane(w, i, x, (unsigned)__builtin_ctzll(left));
}

/* ---- elements of stores ---- */

bool isa_image_is_packed(const isa_inst_t *i)
{
    return isa_table[i->op].marks & ISA_IS_RAW;
}

/* Components that the instruction does not supply are 0. */
void isa_image_element(const isa_wave_t *w, const isa_inst_t *i, const isa_image_t *m,
                       unsigned lane, uint32_t raw[4])
{
    const isa_operand_t *o = &i->src[1];
    const isa_row_t *rows = isa_row_of(w, o);
    const unsigned mask = isa_image_mask(i);
    uint32_t some[4], value[4], have[4];
    unsigned n = 0;
    isa_take_components(&m->format, rows, lane, some, (unsigned)__builtin_popcount(mask),
                        isa_image_packing(i));
    for (unsigned c = 0; c < 4; c++)
        value[c] = mask >> c & 1 ? some[n++] : 0;
    if (isa_image_is_packed(i)) {
        memcpy(raw, value, sizeof value);
        return;
    }
    isa_texel_unselect(&m->format, value, have);
    isa_texel_pack(&m->format, have, raw);
}

/* ---- all instructions ---- */

static float as_float(uint32_t bits, bool half)
{
    float f;
    if (half) bits = isa_texel_from_d16(&(isa_format_t){.num = ISA_NUM_FLOAT}, bits);
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Reads the coordinates of inactive lanes, too: levels of detail follow from differences between
 * lanes, unless the address ends with one or the instruction takes level 0. */
static const char *sample(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    float parts[ISA_IMAGE_AXES + 1][ISA_LANES] = {{0}}, level[ISA_LANES] = {0};
    const unsigned n = coordinates(&x->image, i);
    for (unsigned l = 0; has_level(i) && l < ISA_LANES; l++)
        level[l] = as_float(part(w, i, n, l), i->image & ISA_IMAGE_A16);
    for (unsigned k = 0; k < n && k <= ISA_IMAGE_AXES; k++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            parts[k][l] = as_float(part(w, i, k, l), i->image & ISA_IMAGE_A16);
    return isa_image_sample(w, i, parts, i->op == ISA_OP_image_sample ? NULL : level, x);
}

/* The reason for refusing the image instruction, or NULL: only the descriptors and layouts of gfx9
 * are implemented. */
static const char *refuse_images(const isa_wave_t *w)
{
    return w->group->dispatch->arch->formats->image_dim ? "the images of this GPU are not known"
                                                        : NULL;
}

const char *isa_image_access(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    const char *why = refuse_images(w);
    if (!why) why = isa_image_decode(&w->sgpr[i->src[2].reg], &x->image);
    x->n = 0;
    x->reduce = ISA_REDUCE_BLEND;
    if (why || is_size_query(i)) return why;
    const bool samples = isa_field(&isa_table[i->op], ISA_ROLE_SSAMP);
    if (samples && x->image.type != ISA_IMAGE_NONE) return sample(w, i, x);
    load(w, i, x);
    return NULL;
}

const char *isa_image_size(const isa_wave_t *w, const isa_inst_t *i, unsigned lane,
                           uint32_t size[4])
{
    isa_image_t m;
    isa_level_t level;
    const char *why = refuse_images(w);
    if (!why) why = isa_image_decode(&w->sgpr[i->src[2].reg], &m);
    memset(size, 0, 4 * sizeof *size);
    if (why || m.type == ISA_IMAGE_NONE) return why;
    const uint64_t first = m.field[ISA_T_BASE_LEVEL], last = m.field[ISA_T_LAST_LEVEL];
    const uint64_t asked = first + part(w, i, 0, lane);
    if (asked > last || asked >= ISA_IMAGE_LEVELS) return NULL;
    isa_image_level(&m, (unsigned)asked, &level);
    for (unsigned k = 0; k < m.axes; k++)
        size[k] = level.size[k];
    if (m.sliced) size[m.axes] = m.type == ISA_IMAGE_CUBE ? m.slices / 6 : m.slices;
    size[3] = (uint32_t)(last - first + 1);
    return NULL;
}
