/* format.h - formats of elements in buffers and images: one number, or one of the layout and one of
 * the type.
 *
 * gfx9 has a data format (how many components of how many bits) and a number format (what the bits
 * mean); later GPUs have one number for both. */
#ifndef ISA_FORMAT_H
#define ISA_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* Number formats as gfx9 counts them. */
typedef enum {
    ISA_NUMBER_UNORM,
    ISA_NUMBER_SNORM,
    ISA_NUMBER_USCALED,
    ISA_NUMBER_SSCALED,
    ISA_NUMBER_UINT,
    ISA_NUMBER_SINT,
    ISA_NUMBER_FLOAT = 7,
    ISA_NUMBER_SRGB = 9 /* images only */
} isa_number_format_t;

/* The number formats that a family has with each data format: a byte for each of gfx9's data
 * formats, from data format 1 on, in which bit n is number format n. Families that have one number
 * for both formats number the set bits in this order, from 1 on. */
enum { ISA_DATA_FORMATS = 14 };
extern const uint8_t isa_formats_of_gfx10[ISA_DATA_FORMATS], isa_formats_of_gfx11[ISA_DATA_FORMATS];

/* Splits the one number for both formats, of a family whose table is `formats`, into the number
 * that gfx9 has for the data format and the number format. False: no format has this number. */
bool isa_format_split(const uint8_t *formats, unsigned unified, unsigned *data, unsigned *number);

/* A format as gfx9 has it. A data format of 0 stands for one that gfx9 does not have, or that
 * softgpu does not. */
typedef struct {
    uint8_t data, number;
} isa_format_pair_t;

/* The formats of a family's images: those of its buffers, and others from the number `first` on. */
typedef struct {
    const uint8_t *buffers;
    uint16_t first, n;
    const isa_format_pair_t *others;
} isa_image_formats_t;
extern const isa_image_formats_t isa_image_formats_of_gfx10, isa_image_formats_of_gfx11;

/* As isa_format_split(), for images. */
bool isa_image_format_split(const isa_image_formats_t *f, unsigned unified, unsigned *data,
                            unsigned *number);

#endif
