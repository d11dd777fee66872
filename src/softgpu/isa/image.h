/* image.h - which texels an image instruction means: descriptors, coordinates, filters, addresses.
 *
 * Apart because two read it, as with address.h: the executor, which accesses the texels, and the
 * cache model and the checks, which look at their addresses. Functions of registers alone: nothing
 * here looks at memory. image.c has a table of a descriptor's fields, image_layout.c a table that
 * says for each bit of an address which bit of which coordinate it is, image_sample.c the filters.
 */
#ifndef SOFTGPU_ISA_IMAGE_H
#define SOFTGPU_ISA_IMAGE_H

#include "softgpu/isa/texel_rows.h"
#include "softgpu/isa/wave.h"

/* GB_ADDR_CONFIG of gfx90a, which the driver tells: 4 pipes, 16 banks, 256 bytes in each in turn.
 * Layouts that spread textures over the memory's channels depend on it. */
enum {
    ISA_GB_ADDR_CONFIG = 0x22014042,
    ISA_IMAGE_INTERLEAVE_LOG2 = 8,
    ISA_IMAGE_PIPES_LOG2 = 2,
    ISA_IMAGE_BANKS_LOG2 = 4
};

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
    ISA_T_PITCH,      /* texels from row to row; not of images with levels */
    ISA_T_BORDER_ORDER,
    ISA_T_BASE_SLICE,
    ISA_T_LEVELS,
    ISA_T_COMPRESSED,
    ISA_T_COUNT
} isa_image_field_t;

/* Fields of a sampler (S#). ORDER: image.c. */
typedef enum {
    ISA_S_CLAMP_X,
    ISA_S_CLAMP_Y,
    ISA_S_CLAMP_Z,
    ISA_S_UNNORMALIZED,
    ISA_S_DEGAMMA,
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

/* ISA_T_TYPE. */
typedef enum {
    ISA_IMAGE_NONE = 0, /* a descriptor of zeros: nothing is in range */
    ISA_IMAGE_1D = 8,
    ISA_IMAGE_2D,
    ISA_IMAGE_3D,
    ISA_IMAGE_CUBE,
    ISA_IMAGE_1D_ARRAY,
    ISA_IMAGE_2D_ARRAY
} isa_image_type_t;

enum { ISA_IMAGE_AXES = 3, ISA_IMAGE_LEVELS = 16, ISA_IMAGE_AXIS_BITS = 16 };

/* Where texels are in an image's memory. */
typedef struct {
    bool linear, mixed;
    uint32_t block_log2;               /* bytes of a block */
    uint32_t dim_log2[ISA_IMAGE_AXES]; /* of its sides in texels */
    uint32_t levels;
    uint64_t pitch, slice; /* linear: bytes of a row, of a slice; else blocks of these */
    /* What each bit of a coordinate changes of the offset in the block. */
    uint32_t flips[ISA_IMAGE_AXES][ISA_IMAGE_AXIS_BITS];
} isa_layout_of_t;

/* A level of an image. */
typedef struct {
    uint32_t size[ISA_IMAGE_AXES]; /* texels */
    uint32_t at[ISA_IMAGE_AXES];   /* first block */
    uint64_t offset;               /* linear: in bytes; else in the block that it shares */
} isa_level_t;

typedef struct {
    uint64_t field[ISA_T_COUNT];
    isa_image_type_t type;
    isa_format_t format;
    isa_layout_of_t layout;
    unsigned axes;   /* coordinates that have texels: 1 to 3 */
    bool sliced;     /* slices beside them */
    uint32_t slices; /* that the view has */
} isa_image_t;

/* One texel of each lane. */
typedef struct {
    _Alignas(64) uint64_t va[ISA_LANES];
    uint64_t lanes;  /* that have one in memory */
    uint64_t border; /* whose texel is the border */
    float weight[ISA_LANES];
} isa_texels_t;

enum { ISA_TEXELS_MAX = 16 }; /* two levels of a volume, two on each axis */

typedef enum { ISA_REDUCE_BLEND, ISA_REDUCE_MIN, ISA_REDUCE_MAX } isa_reduce_t;

/* What an instruction accesses. */
typedef struct {
    isa_image_t image;
    uint32_t border[4]; /* components of an element of the border */
    isa_reduce_t reduce;
    unsigned n; /* texels: 0 for those that access none */
    isa_texels_t texel[ISA_TEXELS_MAX];
} isa_image_access_t;

/* Of *i with the wave's registers and EXEC, which is not 0. NULL, or why hardware does not define
 * it or it is not modelled. */
const char *isa_image_access(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x);

/* Dwords of the address that *i takes. */
unsigned isa_image_address_dwords(const isa_wave_t *w, const isa_inst_t *i);

/* image_get_resinfo: size and number of levels, for the level in each lane's address. False: why
 * is as above. */
const char *isa_image_size(const isa_wave_t *w, const isa_inst_t *i, unsigned lane,
                           uint32_t size[4]);

/* Of components: which there are in registers, and how. */
static inline unsigned isa_image_mask(const isa_inst_t *i)
{
    return i->image & ISA_IMAGE_DMASK ? i->image & ISA_IMAGE_DMASK : 1u;
}

static inline isa_packing_t isa_image_packing(const isa_inst_t *i)
{
    return i->image & ISA_IMAGE_D16 ? ISA_PACK_D16 : ISA_PACK_WHOLE;
}

/* Elements are in registers as in memory. */
bool isa_image_is_packed(const isa_inst_t *i);
/* What a store puts into memory for a lane: low end first. */
void isa_image_element(const isa_wave_t *w, const isa_inst_t *i, const isa_image_t *m,
                       unsigned lane, uint32_t raw[4]);

/* ---- parts, for each other ---- */

/* image.c. `image` is NULL or why not. */
const char *isa_image_decode(const uint32_t words[8], isa_image_t *m);
bool isa_image_has_level(const isa_inst_t *i);

/* image_layout.c: false: no such layout. */
bool isa_image_lay_out(isa_image_t *m);
void isa_image_level(const isa_image_t *m, unsigned level, isa_level_t *out);
/* Of a texel that is there. */
uint64_t isa_image_address(const isa_image_t *m, const isa_level_t *level,
                           const uint32_t at[ISA_IMAGE_AXES]);

/* image_sample.c: `part` is a coordinate, or slice, of each lane, as floats. */
const char *isa_image_sample(const isa_wave_t *w, const isa_inst_t *i, float part[][ISA_LANES],
                             isa_image_access_t *x);

#endif
