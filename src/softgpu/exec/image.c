/* image.c - descriptors of images, and loads and stores of one texel per lane.
 *
 * A family of GPUs is a row of a table with the places of a descriptor's fields; image_sample.c has
 * those of samplers. */
#include "softgpu/exec/image.h"
#include "softgpu/exec/image_address.h"

#include "isa/format.h"
#include "isa/table.h"

#include <string.h>

/* ---- descriptors ---- */

typedef struct {
    uint8_t bit, bits,
        plus; /* place in the descriptor's 256 bits; `plus` is added to the field's value */
} row_t;

/* Fields that all families have in the same place. */
#define COMMON_FIELDS                                                                              \
    [ISA_T_BASE] = {0, 40, 0}, [ISA_T_SELECT_X] = {96, 3, 0}, [ISA_T_SELECT_Y] = {99, 3, 0},       \
    [ISA_T_SELECT_Z] = {102, 3, 0}, [ISA_T_SELECT_W] = {105, 3, 0}, [ISA_T_LAYOUT] = {116, 5, 0},  \
    [ISA_T_TYPE] = {124, 4, 0}, [ISA_T_COMPRESSED] = {213, 1, 0}
#define FIELDS_BEFORE_GFX12                                                                        \
    COMMON_FIELDS, [ISA_T_HEIGHT] = {78, 14, 1}, [ISA_T_BASE_LEVEL] = {108, 4, 0},                 \
                   [ISA_T_LAST_LEVEL] = {112, 4, 0}, [ISA_T_LAST_SLICE] = {128, 13, 0}
/* Since gfx10.3, an image without slices has its pitch in the place of the last slice. */
#define FIELDS_OF_GFX10_AND_11                                                                     \
    FIELDS_BEFORE_GFX12, [ISA_T_WIDTH] = {62, 14, 1}, [ISA_T_PITCH] = {128, 14, 1},                \
                         [ISA_T_BORDER_ORDER] = {121, 3, 0}, [ISA_T_BASE_SLICE] = {144, 13, 0}

typedef struct {
    row_t fields[ISA_T_COUNT];
    /* the formats; NULL: the layout and the type of elements have a field each, with gfx9's
     * numbers */
    const isa_image_formats_t *formats;
    uint32_t addr_config; /* the GB_ADDR_CONFIG for which layouts are known; 0: image.h has it, or
                             they do not depend on it */
    bool one_level;       /* layouts are known of images with one level alone */
    uint8_t row_log2, lod_bits; /* as in isa_image_t */
    bool skips_degamma;
} family_t;

static const family_t families[] = {
    [ISA_IMAGES_GFX9] =
        {.fields =
             {FIELDS_BEFORE_GFX12, [ISA_T_MIN_LOD] = {40, 12, 0}, [ISA_T_DATA_FORMAT] = {52, 6, 0},
              [ISA_T_NUM_FORMAT] = {58, 4, 0}, [ISA_T_WIDTH] = {64, 14, 1},
              [ISA_T_PITCH] = {141, 16, 1}, [ISA_T_BORDER_ORDER] = {157, 3, 0},
              [ISA_T_BASE_SLICE] = {160, 13, 0}, [ISA_T_LEVELS] = {188, 4, 1}},
         .lod_bits = 12},
    [ISA_IMAGES_GFX10] =
        {.fields = {FIELDS_OF_GFX10_AND_11, [ISA_T_MIN_LOD] = {40, 12, 0},
                    [ISA_T_DATA_FORMAT] = {52, 9, 0}, [ISA_T_LEVELS] = {164, 4, 1}},
         .formats = &isa_image_formats_of_gfx10,
         .addr_config = 0x444,
         .one_level = true,
         .row_log2 = 8,
         .lod_bits = 12,
         .skips_degamma = true},
    [ISA_IMAGES_GFX11] = {.fields = {FIELDS_OF_GFX10_AND_11, [ISA_T_MIN_LOD] = {187, 12, 0},
                                     [ISA_T_DATA_FORMAT] = {52, 8, 0}, [ISA_T_LEVELS] = {48, 4, 1}},
                          .formats = &isa_image_formats_of_gfx11,
                          .addr_config = 0x545,
                          .one_level = true,
                          .row_log2 = 8,
                          .lod_bits = 12,
                          .skips_degamma = true},
    [ISA_IMAGES_GFX12] =
        {.fields = {COMMON_FIELDS, [ISA_T_LEVELS] = {44, 5, 1}, [ISA_T_DATA_FORMAT] = {49, 8, 0},
                    [ISA_T_BASE_LEVEL] = {57, 5, 0}, [ISA_T_WIDTH] = {62, 16, 1},
                    [ISA_T_HEIGHT] = {78, 16, 1}, [ISA_T_LAST_LEVEL] = {111, 5, 0},
                    [ISA_T_BORDER_ORDER] = {121, 3, 0}, [ISA_T_LAST_SLICE] = {128, 14, 0},
                    [ISA_T_PITCH] = {128, 16, 1}, [ISA_T_BASE_SLICE] = {144, 14, 0},
                    [ISA_T_MIN_LOD] = {186, 13, 0}, [ISA_T_NO_EDGE_CLAMP] = {108, 1, 0},
                    [ISA_T_UAV3D] = {164, 1, 0}, [ISA_T_CORNER_SAMPLES] = {183, 1, 0}},
         .formats = &isa_image_formats_of_gfx11,
         .one_level = true,
         .row_log2 = 7,
         .lod_bits = 13,
         .skips_degamma = true},
};

static void read_fields(const family_t *family, const uint32_t *words, uint64_t *field)
{
    for (unsigned k = 0; k < ISA_T_COUNT; k++) {
        const row_t *row = &family->fields[k];
        const unsigned word = row->bit / 32, shift = row->bit % 32;
        uint64_t two = words[word];
        if (shift + row->bits > 32) two |= (uint64_t)words[word + 1] << 32;
        field[k] = (two >> shift & ((UINT64_C(1) << row->bits) - 1)) + row->plus;
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

/* Sets m->format, also if the descriptor has an undefined one: a descriptor of zeros can be used.
 */
static bool find_format(const family_t *family, isa_image_t *m)
{
    unsigned data = (unsigned)m->field[ISA_T_DATA_FORMAT];
    unsigned number = (unsigned)m->field[ISA_T_NUM_FORMAT];
    uint8_t select[4];
    m->format = (isa_format_t){.bytes = 0};
    for (unsigned c = 0; c < 4; c++)
        select[c] = (uint8_t)m->field[ISA_T_SELECT_X + c];
    const bool split =
        !family->formats || isa_image_format_split(family->formats, data, &data, &number);
    if (!split) data = number = 0;
    return isa_format_find(&m->format, data, number, select) && split;
}

static void read_descriptor(const isa_arch_t *arch, const uint32_t *words, isa_image_t *m)
{
    m->family = arch->formats->images;
    read_fields(&families[m->family], words, m->field);
    m->row_log2 = families[m->family].row_log2;
    m->lod_bits = families[m->family].lod_bits;
    m->skips_degamma = families[m->family].skips_degamma;
    m->type = (isa_image_type_t)m->field[ISA_T_TYPE];
    m->axes = types[m->type].axes;
    m->sliced = types[m->type].sliced;
}

/* The reason for refusing all of the GPU's images, or NULL. */
static const char *refuse_images(const isa_arch_t *arch)
{
    const family_t *family = &families[arch->formats->images];
    if (arch->formats->images == ISA_IMAGES_NONE) return "the images of this GPU are not known";
    return family->addr_config && family->addr_config != arch->gb_addr_config
               ? "the layouts of this GPU's images are not known"
               : NULL;
}

/* The reason for refusing an image for one of its bits, or NULL. */
static const char *refuse_bits(const isa_image_t *m)
{
    static const struct {
        isa_image_field_t field;
        const char *why;
    } bits[] = {{ISA_T_COMPRESSED, "compressed image"},
                {ISA_T_NO_EDGE_CLAMP, "image whose edges do not limit coordinates"},
                {ISA_T_UAV3D, "volume of some slices"},
                {ISA_T_CORNER_SAMPLES, "image with samples at the corners of texels"}};
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
        if (m->field[bits[k].field]) return bits[k].why;
    return NULL;
}

const char *isa_image_decode(const isa_arch_t *arch, const uint32_t words[8], isa_image_t *m)
{
    const char *why = refuse_images(arch);
    if (why) return why;
    read_descriptor(arch, words, m);
    const family_t *family = &families[m->family];
    const bool defined = find_format(family, m);
    if (m->type == ISA_IMAGE_NONE && !m->field[ISA_T_DATA_FORMAT]) return NULL;
    if (!m->axes) return "undefined type of an image";
    if (!defined) return "undefined image format";
    why = refuse_bits(m);
    if (why) return why;
    if (family->one_level &&
        (m->field[ISA_T_LEVELS] > 1 || m->field[ISA_T_LAST_LEVEL] || m->field[ISA_T_BASE_LEVEL]))
        return "image with levels";
    /* the pitch of rows of such elements is not known */
    if (family->one_level && m->format.bytes == 12) return "image with elements of 12 bytes";
    m->slices = count_slices(m);
    return isa_image_lay_out(m) ? NULL : "undefined layout of an image";
}

unsigned isa_image_address_dwords(const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_arch_t *arch = w->group->dispatch->arch;
    isa_image_t m;
    if (isa_tests_rays(&isa_table[i->op])) return isa_operand_dwords(&i->src[0]);
    if (refuse_images(arch)) return 1;
    read_descriptor(arch, &w->sgpr[i->src[2].reg], &m);
    return isa_image_parts(&m, i).dwords;
}

/* ---- loads, stores, atomic operations: integers ---- */

static uint32_t coordinate(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                           uint8_t which, unsigned lane)
{
    return which == ISA_IMAGE_ABSENT ? 0 : isa_image_part(w, i, p, which, lane);
}

static void load_lane(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                      isa_image_access_t *x, unsigned l)
{
    const isa_image_t *m = &x->image;
    uint32_t at[ISA_IMAGE_AXES] = {isa_image_part(w, i, p, 0, l), 0, 0};
    const uint32_t third = coordinate(w, i, p, p->third, l);
    const uint64_t level = m->field[ISA_T_BASE_LEVEL] + coordinate(w, i, p, p->level, l);
    isa_level_t size;
    if (m->type == ISA_IMAGE_NONE) return;
    if (m->axes > 1) at[1] = coordinate(w, i, p, p->y, l);
    if (m->axes == ISA_IMAGE_AXES) at[2] = third;
    if (level > m->field[ISA_T_LAST_LEVEL] || level >= m->field[ISA_T_LEVELS]) return;
    isa_image_level(m, (unsigned)level, &size);
    for (unsigned k = 0; k < m->axes; k++)
        if (at[k] >= size.size[k]) return;
    const uint32_t slice = m->sliced ? third : 0;
    if (slice >= m->slices) return;
    if (m->axes < ISA_IMAGE_AXES) at[2] = slice + (uint32_t)m->field[ISA_T_BASE_SLICE];
    x->texel[0].va[l] = isa_image_address(m, &size, at);
    x->texel[0].lanes |= UINT64_C(1) << l;
}

static void load(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    const isa_image_parts_t p = isa_image_parts(&x->image, i);
    x->n = 1;
    x->texel[0].lanes = x->texel[0].border = 0;
    for (uint64_t left = w->exec; left; left &= left - 1)
        load_lane(w, i, &p, x, (unsigned)__builtin_ctzll(left));
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

/* The reason why the instruction's own fields cannot be executed, or NULL. */
static const char *refuse_fields(const isa_inst_t *i)
{
    const unsigned dim = i->image >> ISA_IMAGE_DIM_SHIFT & 7;
    if (i->image & ISA_IMAGE_R128) return "descriptor of 128 bits";
    if (i->image & ISA_IMAGE_LWE) return "status of levels of detail (LWE)";
    return i->image & ISA_IMAGE_HAS_DIM && dim >= ISA_DIM_2D_MSAA ? "image of several samples"
                                                                  : NULL;
}

static const char *decode(const isa_wave_t *w, const isa_inst_t *i, isa_image_t *m)
{
    const char *why = refuse_fields(i);
    return why ? why : isa_image_decode(w->group->dispatch->arch, &w->sgpr[i->src[2].reg], m);
}

const char *isa_image_access(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    const char *why = decode(w, i, &x->image);
    x->n = 0;
    x->reduce = ISA_REDUCE_BLEND;
    x->compares = x->gathers = false;
    if (why || isa_table[i->op].marks & (ISA_IS_SIZE | ISA_IS_LOD)) return why;
    const bool samples = isa_field(&isa_table[i->op], ISA_ROLE_SSAMP);
    if (samples && x->image.type != ISA_IMAGE_NONE) return isa_image_sample(w, i, x);
    load(w, i, x);
    return NULL;
}

const char *isa_image_lod(const isa_wave_t *w, const isa_inst_t *i, float clamped[ISA_ROW],
                          float raw[ISA_ROW])
{
    isa_image_access_t x;
    const char *why = decode(w, i, &x.image);
    memset(clamped, 0, ISA_ROW * sizeof *clamped);
    memset(raw, 0, ISA_ROW * sizeof *raw);
    return why || x.image.type == ISA_IMAGE_NONE ? why
                                                 : isa_image_sample_lod(w, i, &x, clamped, raw);
}

const char *isa_image_size(const isa_wave_t *w, const isa_inst_t *i, unsigned lane,
                           uint32_t size[4])
{
    isa_image_t m;
    isa_level_t level;
    const char *why = decode(w, i, &m);
    memset(size, 0, 4 * sizeof *size);
    if (why || m.type == ISA_IMAGE_NONE) return why;
    const isa_image_parts_t p = isa_image_parts(&m, i);
    const uint64_t first = m.field[ISA_T_BASE_LEVEL], last = m.field[ISA_T_LAST_LEVEL];
    const uint64_t asked = first + isa_image_part(w, i, &p, p.level, lane);
    if (asked > last || asked >= ISA_IMAGE_LEVELS) return NULL;
    isa_image_level(&m, (unsigned)asked, &level);
    for (unsigned k = 0; k < m.axes; k++)
        size[k] = level.size[k];
    if (m.sliced) size[m.axes] = m.type == ISA_IMAGE_CUBE ? m.slices / 6 : m.slices;
    size[3] = (uint32_t)(last - first + 1);
    return NULL;
}
