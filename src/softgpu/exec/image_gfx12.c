/* image_gfx12.c - layouts of images on gfx12: the coordinates' bits of each bit of an offset.
 *
 * image_pattern.h says how to read the lists. They are those of the address libraries of AMD's
 * drivers, and the same for any number of pipes: no bit of an offset mixes several others. */
#include "softgpu/exec/image_pattern.h"

#include <stddef.h>

static const char *const flat[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7 y8 x8",
    "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8",
    "x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6 y7 x7",
    "x0 y0 x1 x2 y1 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
    "x0 y0 x1 y1 y2 x2 y3 x3 y4 x4 y5 x5 y6 x6",
};
static const char *const solid[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2 x3 z3 y3 x4 z4 y4 x5 z5 y5",
    "x0 z0 y0 x1 z1 y1 z2 y2 x2 z3 y3 x3 z4 y4 x4 z5 y5",
    "x0 y0 x1 z0 y1 z1 y2 x2 z2 y3 x3 z3 y4 x4 z4 y5",
    "x0 y0 z0 x1 z1 y1 x2 z2 y2 x3 z3 y3 x4 z4 y4",
    "x0 z0 y0 z1 y1 x1 z2 y2 x2 z3 y3 x3 z4 y4",
};

/* A volume can have slices in blocks of their own, too, as drivers mostly choose. */
const isa_pattern_t isa_patterns_of_gfx12[] = {
    {1, false, false, 8, false, flat}, {2, false, false, 12, true, flat},
    {2, true, false, 12, true, flat},  {3, false, false, 16, true, flat},
    {3, true, false, 16, true, flat},  {4, false, false, 18, true, flat},
    {4, true, false, 18, true, flat},  {5, true, true, 12, true, solid},
    {6, true, true, 16, true, solid},  {7, true, true, 18, true, solid},
    {0, false, false, 0, false, NULL},
};
