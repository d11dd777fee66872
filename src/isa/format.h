/* format.h - formats of elements in buffers: one number, or one of the layout and one of the type.
 *
 * gfx9 has a data format (how many components of how many bits) and a number format (what the bits
 * mean); later GPUs have one number for both. */
#ifndef ISA_FORMAT_H
#define ISA_FORMAT_H

#include <stdbool.h>

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

/* What a number that stands for both means: the data format, of the numbers that gfx9 has for them,
 * and the number format. False: no format of buffers has this number. */
bool isa_format_split(unsigned unified, unsigned *data, unsigned *number);

#endif
