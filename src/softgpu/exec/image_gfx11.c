/* image_gfx11.c - layouts of images on gfx11: the coordinates' bits of each bit of an offset.
 *
 * image_pattern.h says how to read the lists. They are those of the address libraries of AMD's
 * drivers for a GB_ADDR_CONFIG with 32 pipes and as many packers: another one needs other lists. */
#include "softgpu/exec/image_pattern.h"

#include <stddef.h>

static const char *const standard_solid[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2 x3 z3 y3 x4 z4 y4 x5",
    "x0 z0 y0 x1 z1 y1 z2 y2 x2 z3 y3 x3 z4 y4 x4",
    "x0 y0 x1 z0 y1 z1 y2 x2 z2 y3 x3 z3 y4 x4",
    "x0 y0 z0 x1 z1 y1 x2 z2 y2 x3 z3 y3 x4",
    "x0 z0 y0 z1 y1 x1 z2 y2 x2 z3 y3 x3",
};
static const char *const display[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4 x4 y5 x5 y6 x6 y7 x7",
    "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7",
    "x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6",
    "x0 y0 x1 x2 y1 y2 x3 y3 x4 y4 x5 y5 x6",
    "x0 y0 x1 y1 y2 x2 y3 x3 y4 x4 y5 x5",
};
static const char *const standard_solid_mixed_within[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2 x3 z3 y3x5 x4y4z4 z4 y4 x5",
    "x0 z0 y0 x1 z1 y1 z2 y2 x2 z3 y3x4 x3y4z4 z4 y4 x4",
    "x0 y0 x1 z0 y1 z1 y2 x2 z2 y3x4 x3z3y4 z3 y4 x4",
    "x0 y0 z0 x1 z1 y1 x2 z2 y2x4 x3y3z3 z3 y3 x4",
    "x0 z0 y0 z1 y1 x1 z2 y2x3 x2y3z3 z3 y3 x3",
};
static const char *const display_mixed_within[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4 x4 y5x7 x5y7 x6y6 x6 y7 x7",
    "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4x7 x5y6 y5x6 x6 y6 x7",
    "x0 y0 x1 y1 x2 y2 y3 x3 y4x6 x4y6 x5y5 x5 y6 x6",
    "x0 y0 x1 x2 y1 y2 x3 y3x6 x4y5 y4x5 x5 y5 x6",
    "x0 y0 x1 y1 y2 x2 y3x5 x3y5 x4y4 x4 y5 x5",
};
static const char *const standard_solid_mixed_4k[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2x6z6 x3y5z5 z3y4x5 y3x4z4",
    "x0 z0 y0 x1 z1 y1 z2 y2x5z6 x2y5z5 z3x4y4 x3y3z4",
    "x0 y0 x1 z0 y1 z1 y2x5z5 x2z4y5 z2x4y4 x3y3z3",
    "x0 y0 z0 x1 z1 y1x5z5 x2y4z4 z2y3x4 y2x3z3",
    "x0 z0 y0 z1 y1x4z5 x1y4z4 z2x3y3 x2y2z3",
};
static const char *const display_mixed_4k[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 z3y4x7 z2x4y7 z1y5x6 z0x5y6",
    "x0 y0 x1 y1 x2 y2 x3 y3z3x7 z2x4y6 z1y4x6 z0x5y5",
    "x0 y0 x1 y1 x2 y2 y3z3x6 z2x3y6 z1y4x5 z0x4y5",
    "x0 y0 x1 x2 y1 y2z3x6 z2x3y5 z1y3x5 z0x4y4",
    "x0 y0 x1 y1 y2z3x5 x2z2y5 z1y3x4 z0x3y4",
};
static const char *const render_mixed_64k[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 x7 y7 x6y7",
    "x0 y0 x1 y1 x2 y2 x3 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 y3 x7 x6y7",
    "x0 y0 x1 y1 x2 y2 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 x3 y3 x6y7",
    "x0 y0 x1 x2 y1 y4x9y9 z3x4y4 z2y5x8 z1x5y8 y2y6x7 x3 y3 z0x6y7",
    "x0 y0 x1 y1 y4x9y9 z2x4y4 z1y5x8 z0x5y8 y2y6x7 x3 y3 x2x6y7",
};
static const char *const display_solid_mixed[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y4x9y9 x4y4 y2y5x8 x5y8 y3y6x7 x3 z4 z3x6y7",
    "x0 z0 y0 x1 z1 y1 z2 y4x9y9 x4y4 y2y5x8 z3x5y8 y3y6x7 z4 x3 x2x6y7",
    "x0 y0 x1 z0 y1 z1 y4x9y9 x4y4 y2y5x8 z2x5y8 y3y6x7 z3 x3 x2x6y7",
    "x0 y0 z0 x1 z1 z3y4x9y9 x4y4 y1y5x8 z2x5y8 y2y6x7 y3 x3 x2x6y7",
    "x0 z0 y0 z1 z3y4x9y9 y1x4y4 x1y5x8 z2x5y8 y2y6x7 y3 x3 x2x6y7",
};
static const char *const render_mixed_256k[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 x7 y7 x8y9 y8x9 x6y7",
    "x0 y0 x1 y1 x2 y2 x3 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 y3 x7 x8y8 y7x9 x6y7",
    "x0 y0 x1 y1 x2 y2 y4x9y9 z1x4y4 z0y5x8 x5y8 y6x7 x3 y3 x7y8 y7x8 x6y7",
    "x0 y0 x1 x2 y1 y4x9y9 x4y4z4 z3y5x8 z2x5y8 z1y6x7 y2 x3 y3x8 x7y7 z0x6y7",
    "x0 y0 x1 y1 y4x9y9 x4y4z4 z3y5x8 z2x5y8 z1y6x7 x2 y2 y3x7 x3y7 z0x6y7",
};
static const char *const standard_solid_mixed_256k[ISA_PATTERN_SIZES] = {
    "x0 x1 z0 y0 y1 z1 x2 z2 y2x7z7 x3y6z6 z3y5x6 y3x5z5 x4y4z4 z4 y4 x5 z5 y5",
    "x0 z0 y0 x1 z1 y1 z2 y2x6z7 x2y6z6 z3x5y5 y3x4z5 x3y4z4 z4 y4 x4 z5 y5",
    "x0 y0 x1 z0 y1 z1 y2x6z6 x2z5y6 z2x5y5 y3x4z4 x3z3y4 z3 y4 x4 z4 y5",
    "x0 y0 z0 x1 z1 y1x6z6 x2y5z5 z2y4x5 y2x4z4 x3y3z3 z3 y3 x4 z4 y4",
    "x0 z0 y0 z1 y1x5z6 x1y5z5 z2x4y4 y2x3z4 x2y3z3 z3 y3 x3 z4 y4",
};
static const char *const display_mixed_256k[ISA_PATTERN_SIZES] = {
    "x0 x1 y0 x2 y1 y2 x3 y3 y4z4x8 z3x4y8 z2y5x7 z1x5y7 z0x6y6 x6 y7 x7 y8 x8",
    "x0 y0 x1 y1 x2 y2 x3 y3z4x8 z3x4y7 z2y4x7 z1x5y6 z0y5x6 x6 y6 x7 y7 x8",
    "x0 y0 x1 y1 x2 y2 y3z4x7 x3z3y7 z2y4x6 z1x4y6 z0x5y5 x5 y6 x6 y7 x7",
    "x0 y0 x1 x2 y1 y2z4x7 x3z3y6 z2y3x6 z1x4y5 z0y4x5 x5 y5 x6 y6 x7",
    "x0 y0 x1 y1 y2z4x6 x2z3y6 z2y3x5 z1x3y5 z0x4y4 x4 y5 x5 y6 x6",
};

const isa_pattern_t isa_patterns_of_gfx11[] = {
    {2, false, false, 8, false, display},
    {5, true, true, 12, false, standard_solid},
    {6, false, false, 12, false, display},
    {9, true, true, 16, false, standard_solid},
    {10, false, false, 16, false, display},
    {17, true, true, 16, true, standard_solid_mixed_within},
    {18, false, false, 16, true, display_mixed_within},
    {21, true, true, 12, true, standard_solid_mixed_4k},
    {22, false, false, 12, true, display_mixed_4k},
    {24, false, false, 16, true, render_mixed_64k},
    {24, true, false, 16, true, render_mixed_64k},
    {25, true, true, 16, true, standard_solid_mixed_256k},
    {26, false, false, 16, true, display_mixed_256k},
    {26, true, true, 16, true, display_solid_mixed},
    {27, false, false, 16, true, render_mixed_64k},
    {27, true, false, 16, true, render_mixed_64k},
    {28, false, false, 18, true, render_mixed_256k},
    {28, true, false, 18, true, render_mixed_256k},
    {29, true, true, 18, true, standard_solid_mixed_256k},
    {30, false, false, 18, true, display_mixed_256k},
    {31, false, false, 18, true, render_mixed_256k},
    {31, true, false, 18, true, render_mixed_256k},
    {0, false, false, 0, false, NULL},
};
