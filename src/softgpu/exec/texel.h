/* texel.h - elements of typed memory: how components are packed, and how they are converted.
 *
 * A file of its own because buffers with a format and images have the same elements. A data format
 * is a row in the table of layouts, first those of buffers, then those that only images have.
 * Addresses of elements are in address.h and image.h. */
#ifndef SOFTGPU_EXEC_TEXEL_H
#define SOFTGPU_EXEC_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

/* Number formats, by their numbers in descriptors. */
typedef enum {
    ISA_NUM_UNORM,
    ISA_NUM_SNORM,
    ISA_NUM_USCALED,
    ISA_NUM_SSCALED,
    ISA_NUM_UINT,
    ISA_NUM_SINT,
    ISA_NUM_RESERVED,
    ISA_NUM_FLOAT,
    ISA_NUM_RESERVED_8,
    ISA_NUM_SRGB /* images only: the first three components are in sRGB's non-linear scale */
} isa_num_format_t;

/* The source of a loaded register: 0, 1, or a component of the element, from COMPONENT on. */
enum { ISA_SELECT_ZERO, ISA_SELECT_ONE, ISA_SELECT_COMPONENT = 4 };

typedef struct {
    uint8_t n;       /* components; 0: no such format */
    uint8_t bits[4]; /* bits of each component, from the low end of the element; after the last one,
                        the unused bits */
    bool small;      /* floats of 11 and 10 bits */
} isa_layout_t;

typedef struct {
    isa_layout_t layout;
    isa_num_format_t num;
    uint8_t select[4]; /* ISA_SELECT_* of each loaded component */
    uint32_t bytes;    /* size of an element */
} isa_format_t;

/* `data` is the number of the data format. False: the combination is undefined on hardware. */
bool isa_format_find(isa_format_t *f, unsigned data, unsigned num, const uint8_t select[4]);

static inline bool isa_format_is_integer(const isa_format_t *f)
{
    return f->num == ISA_NUM_UINT || f->num == ISA_NUM_SINT;
}

/* The number 1 in this format: an integer or a float. */
uint32_t isa_format_one(const isa_format_t *f);

/* Unpacks an element into four components of 32 bits, before the descriptor's selection. `raw` has
 * its bytes, low end first. Components that the format lacks are 0; the fourth is 1. */
void isa_texel_components(const isa_format_t *f, const uint32_t raw[4], uint32_t have[4]);
void isa_texel_select(const isa_format_t *f, const uint32_t have[4], uint32_t out[4]);
/* The result of a load out of range: 0, but 1 where the descriptor selects ISA_SELECT_ONE. */
void isa_texel_missing(const isa_format_t *f, uint32_t out[4]);

/* For stores, the reverse of the descriptor's selection: component c of the element comes from the
 * first register that a load would fill from c. If the descriptor selects no component of the
 * element, the registers are taken in order. */
void isa_texel_unselect(const isa_format_t *f, const uint32_t value[4], uint32_t have[4]);
/* The reverse of isa_texel_components(): packs components into an element. */
void isa_texel_pack(const isa_format_t *f, const uint32_t in[4], uint32_t raw[4]);

/* Convert 16-bit components of the d16 instructions: integers, and f16 for all other formats. */
uint32_t isa_texel_to_d16(const isa_format_t *f, uint32_t value);
uint32_t isa_texel_from_d16(const isa_format_t *f, uint32_t half);

#endif
