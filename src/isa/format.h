/* format.h - formats of elements in buffers: one number, or one of the layout and one of the type.
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
    ISA_NUMBER_FLOAT = 7
} isa_number_format_t;

/* Which number formats each data format of a family has, bit n for number format n, in the order of
 * gfx9's data formats from 1 on: the numbers that stand for both count these, from 1 on. */
enum { ISA_DATA_FORMATS = 14 };
extern const uint8_t isa_formats_of_gfx10[ISA_DATA_FORMATS], isa_formats_of_gfx11[ISA_DATA_FORMATS];

/* What a number that stands for both means in a family with these `formats`: the data format, of
 * the numbers that gfx9 has for them, and the number format. False: no format of buffers has this
 * number. */
bool isa_format_split(const uint8_t *formats, unsigned unified, unsigned *data, unsigned *number);

#endif
