/* image_pattern.h - the layouts of images since gfx10, as lists of the coordinates' bits.
 *
 * A list has a string for each size of an element. From the bit above those within an element on,
 * it names for each bit of the offset in a block the bits of the coordinates of which that bit is
 * the exclusive or: "y3x6" is bit 3 of y with bit 6 of x, "xa" is bit 10 of x. */
#ifndef SOFTGPU_EXEC_IMAGE_PATTERN_H
#define SOFTGPU_EXEC_IMAGE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { ISA_PATTERN_SIZES = 5 }; /* sizes of an element: 1, 2, 4, 8 or 16 bytes */

typedef struct {
    uint8_t number;          /* ISA_T_LAYOUT; 0 ends a table */
    bool volume;             /* the row is for volumes; otherwise for all other images */
    bool solid;              /* a block holds texels of several slices */
    uint8_t block_log2;      /* a block takes so many bits of a list, which may be longer */
    bool mixed;              /* the address of the image is mixed into the offset, too */
    const char *const *bits; /* by the logarithm of an element's size */
} isa_pattern_t;

/* image_gfx10.c, image_gfx11.c, image_gfx12.c */
extern const isa_pattern_t isa_patterns_of_gfx10[], isa_patterns_of_gfx11[],
    isa_patterns_of_gfx12[];

#endif
