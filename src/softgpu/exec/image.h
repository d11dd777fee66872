/* image.h - computes the texels that an image instruction accesses: descriptors, coordinates,
 * filters, addresses.
 *
 * A file of its own, as address.h is, because the executor, the cache model and the checker have to
 * agree on addresses. No function here reads memory. image.c has tables of a descriptor's fields,
 * image_address.c the parts of an address, image_layout.c and image_gfx*.c tables of the bits of
 * coordinates from which each bit of an address is made, image_sample.c the filters. */
#ifndef SOFTGPU_EXEC_IMAGE_H
#define SOFTGPU_EXEC_IMAGE_H

#include "isa/table.h"
#include "softgpu/exec/texel_rows.h"
#include "softgpu/exec/wave.h"

/* Fields of gfx90a's gb_addr_config (arch.c): 4 pipes, 16 banks, an interleave of 256 bytes.
 * Layouts that spread textures over memory channels depend on it. */
enum { ISA_IMAGE_INTERLEAVE_LOG2 = 8, ISA_IMAGE_PIPES_LOG2 = 2, ISA_IMAGE_BANKS_LOG2 = 4 };

/* Fields of an image's descriptor (T#). ORDER: image.c. */
typedef enum {
    ISA_T_BASE, /* address / 256 */
    ISA_T_MIN_LOD,
    ISA_T_DATA_FORMAT,
    ISA_T_NUM_FORMAT,
    ISA_T_WIDTH,
    ISA_T_HEIGHT,
    ISA_T_SELECT_X,
    ISA_T_SELECT_Y,
    ISA_T_SELECT_Z,
    ISA_T_SELECT_W,
    ISA_T_BASE_LEVEL,
    ISA_T_LAST_LEVEL,
    ISA_T_LAYOUT,
    ISA_T_TYPE,
    ISA_T_LAST_SLICE, /* depth - 1 */
    ISA_T_PITCH,      /* texels from row to row; only images without levels have it, since gfx10
                         those alone that have no slices */
    ISA_T_BORDER_ORDER,
    ISA_T_BASE_SLICE,
    ISA_T_LEVELS,
    ISA_T_COMPRESSED,
    /* since gfx12: coordinates beyond the edge are not limited; a volume of some slices; samples at
     * the corners of texels */
    ISA_T_NO_EDGE_CLAMP,
    ISA_T_UAV3D,
    ISA_T_CORNER_SAMPLES,
    ISA_T_COUNT
} isa_image_field_t;

/* Fields of a sampler (S#). ORDER: image.c. */
typedef enum {
    ISA_S_CLAMP_X,
    ISA_S_CLAMP_Y,
    ISA_S_CLAMP_Z,
    ISA_S_COMPARE, /* isa_compare_t */
    ISA_S_UNNORMALIZED,
    ISA_S_DEGAMMA,
    ISA_S_SKIP_DEGAMMA, /* where isa_image_t.skips_degamma: elements of sRGB images are not made
                           linear */
    ISA_S_TRUNCATE,
    ISA_S_NO_CUBE_WRAP,
    ISA_S_REDUCTION,
    ISA_S_MIN_LOD,
    ISA_S_MAX_LOD,
    ISA_S_LOD_BIAS,
    ISA_S_MAG_FILTER,
    ISA_S_MIN_FILTER,
    ISA_S_Z_FILTER,
    ISA_S_MIP_FILTER,
    ISA_S_BORDER,
    ISA_S_COUNT
} isa_sampler_field_t;

/* ISA_S_COMPARE: bit 0: the reference is less than the texel, bit 1: equal to it, bit 2: greater.
 */
typedef enum { ISA_COMPARE_LESS = 1, ISA_COMPARE_EQUAL = 2, ISA_COMPARE_GREATER = 4 } isa_compare_t;

/* ISA_T_TYPE. */
typedef enum {
    ISA_IMAGE_NONE = 0, /* a descriptor of zeros: every access is out of range */
    ISA_IMAGE_1D = 8,
    ISA_IMAGE_2D,
    ISA_IMAGE_3D,
    ISA_IMAGE_CUBE,
    ISA_IMAGE_1D_ARRAY,
    ISA_IMAGE_2D_ARRAY
} isa_image_type_t;

enum { ISA_IMAGE_AXES = 3, ISA_IMAGE_LEVELS = 16, ISA_IMAGE_AXIS_BITS = 16 };

/* The layout of texels in an image's memory, which consists of rows (linear) or of blocks. `mixed`:
 * bits of the offset in a block depend on higher bits of the address, too. */
typedef struct {
    bool linear, mixed;
    uint32_t block_log2;               /* logarithm of a block's bytes */
    uint32_t dim_log2[ISA_IMAGE_AXES]; /* logarithms of its sides in texels */
    uint32_t levels;
    uint64_t pitch, slice; /* size of a row and of a slice: in bytes if linear, else in blocks */
    /* The bits of the offset in a block that each bit of a coordinate flips. */
    uint32_t flips[ISA_IMAGE_AXES][ISA_IMAGE_AXIS_BITS];
} isa_layout_of_t;

/* A level of an image (a mipmap). */
typedef struct {
    uint32_t size[ISA_IMAGE_AXES]; /* texels */
    uint32_t at[ISA_IMAGE_AXES];   /* its first block */
    uint64_t offset; /* first byte of the level: from the image's begin if linear, else in a block
                        that levels share */
} isa_level_t;

typedef struct {
    uint64_t field[ISA_T_COUNT];
    isa_images_t family;
    uint8_t row_log2;   /* logarithm of the bytes at whose multiples rows begin, since gfx10 */
    uint8_t lod_bits;   /* bits of each of a sampler's two limits of levels */
    bool skips_degamma; /* samplers have ISA_S_SKIP_DEGAMMA: before gfx10 the bit means something
                           else */
    isa_image_type_t type;
    isa_format_t format;
    isa_layout_of_t layout;
    unsigned axes;   /* coordinates of a texel: 1 to 3 */
    bool sliced;     /* it has slices (an array's or a cube's), too */
    uint32_t slices; /* number of slices in the view */
} isa_image_t;

/* One texel of each lane. */
typedef struct {
    _Alignas(64) uint64_t va[ISA_ROW];
    uint64_t lanes;  /* lanes whose texel is in memory */
    uint64_t border; /* lanes that get the border color instead */
    float weight[ISA_ROW];
} isa_texels_t;

enum { ISA_TEXELS_MAX = 16 }; /* two levels of a volume, two on each axis */

typedef enum { ISA_REDUCE_BLEND, ISA_REDUCE_MIN, ISA_REDUCE_MAX } isa_reduce_t;

/* The accesses of one instruction. */
typedef struct {
    isa_image_t image;
    uint32_t border[4]; /* components of the border color */
    isa_reduce_t reduce;
    bool gathers; /* the result is a component of each of the first four texels */
    bool
        compares; /* a texel counts as 1 if the reference and it are as `compare` says, else as 0 */
    unsigned compare; /* isa_compare_t */
    float reference[ISA_ROW];
    unsigned n; /* texels of each lane; 0: the instruction accesses none */
    isa_texels_t texel[ISA_TEXELS_MAX];
} isa_image_access_t;

/* Computes the accesses of *i from the wave's registers and EXEC, which is not 0. Returns NULL, or
 * the reason why the instruction cannot be executed: its result is undefined on hardware, or it is
 * not implemented. */
const char *isa_image_access(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x);

/* Number of VGPRs that the address of *i takes. */
unsigned isa_image_address_dwords(const isa_wave_t *w, const isa_inst_t *i);

/* The result of image_get_resinfo: size and number of levels, for the level in the lane's address.
 * Returns NULL, or the reason as above. */
const char *isa_image_size(const isa_wave_t *w, const isa_inst_t *i, unsigned lane,
                           uint32_t size[4]);

/* The result of image_get_lod: the level of detail with and without its limits.
 * Returns NULL, or the reason as above. */
const char *isa_image_lod(const isa_wave_t *w, const isa_inst_t *i, float clamped[ISA_ROW],
                          float raw[ISA_ROW]);

/* The components of a texel that are in registers. */
static inline unsigned isa_image_mask(const isa_inst_t *i)
{
    if (isa_table[i->op].marks & ISA_IS_GATHER) return ISA_IMAGE_DMASK;
    return i->image & ISA_IMAGE_DMASK ? i->image & ISA_IMAGE_DMASK : 1u;
}

static inline isa_packing_t isa_image_packing(const isa_inst_t *i)
{
    return i->image & ISA_IMAGE_D16 ? ISA_PACK_D16 : ISA_PACK_WHOLE;
}

/* Whether registers hold elements in the form of memory, without conversion. */
bool isa_image_is_packed(const isa_inst_t *i);
/* The element that a store writes for a lane; low dword first. */
void isa_image_element(const isa_wave_t *w, const isa_inst_t *i, const isa_image_t *m,
                       unsigned lane, uint32_t raw[4]);

/* ---- functions that the image files share ---- */

/* image.c: extracts the fields of a descriptor. Returns NULL, or the reason why it cannot be
 * used. */
const char *isa_image_decode(const isa_arch_t *arch, const uint32_t words[8], isa_image_t *m);

/* image_layout.c: finds the image's layout; false if the layout is not implemented. */
bool isa_image_lay_out(isa_image_t *m);
void isa_image_level(const isa_image_t *m, unsigned level, isa_level_t *out);
/* Address of a texel that is inside the level. */
uint64_t isa_image_address(const isa_image_t *m, const isa_level_t *level,
                           const uint32_t at[ISA_IMAGE_AXES]);

/* image_sample.c: the texels of a sample, and its level of detail, for the image x->image. Both
 * read the coordinates of inactive lanes, too: levels of detail follow from differences between
 * lanes, unless the address has one or has gradients. */
const char *isa_image_sample(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x);
const char *isa_image_sample_lod(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x,
                                 float clamped[ISA_ROW], float raw[ISA_ROW]);

#endif
