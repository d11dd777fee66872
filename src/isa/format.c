/* format.c - formats of elements in buffers and images, see format.h.
 *
 * The numbers are those of LLVM's names BUF_FMT_*; those that only images have are of the headers
 * of ROCr's image library. A table has, for each data format in the order of gfx9's numbers, the
 * number formats that exist with it. */
#include "isa/format.h"

#include <stddef.h>
#include <stdint.h>

enum {
    NORMAL = 0x3f,
    WHOLE = 0xb0, /* UINT, SINT, FLOAT */
    ALL = NORMAL | WHOLE,
    FLOAT = 0x80,
    NO_SCALED = 0x33 /* UNORM, SNORM, UINT, SINT */
};

/* ORDER: 8; 16; 8_8; 32; 16_16; 10_11_11; 11_11_10; 10_10_10_2; 2_10_10_10; 8_8_8_8; 32_32;
 * 16_16_16_16; 32_32_32; 32_32_32_32. */
const uint8_t isa_formats_of_gfx10[ISA_DATA_FORMATS] = {
    NORMAL, ALL, NORMAL, WHOLE, ALL, ALL, ALL, NORMAL, NORMAL, NORMAL, WHOLE, ALL, WHOLE, WHOLE};
const uint8_t isa_formats_of_gfx11[ISA_DATA_FORMATS] = {NORMAL, ALL,   NORMAL,    WHOLE,  ALL,
                                                        FLOAT,  FLOAT, NO_SCALED, NORMAL, NORMAL,
                                                        WHOLE,  ALL,   WHOLE,     WHOLE};

bool isa_format_split(const uint8_t *formats, unsigned unified, unsigned *data, unsigned *number)
{
    unsigned n = unified - 1, type = 0;
    for (unsigned k = 0; unified && k < ISA_DATA_FORMATS; k++) {
        const unsigned has = (unsigned)__builtin_popcount(formats[k]);
        if (n >= has) {
            n -= has;
            continue;
        }
        while (!(formats[k] >> type & 1) || n--)
            type++;
        *data = k + 1;
        *number = type;
        return true;
    }
    return false;
}

/* Images. ORDER of the numbers: 8, 8_8, 8_8_8_8 as sRGB; shared exponents; 5_6_5; 1_5_5_5; 5_5_5_1;
 * 4_4_4_4; 4_4; 1; 1 in reverse; 32 clamped; 8_24; 24_8; X24_8_32. */
#define SRGB                                                                                       \
    {1, ISA_NUMBER_SRGB}, {3, ISA_NUMBER_SRGB},                                                    \
    {                                                                                              \
        10, ISA_NUMBER_SRGB                                                                        \
    }
#define NONE                                                                                       \
    {                                                                                              \
        0, 0                                                                                       \
    }
#define PACKED                                                                                     \
    {16, ISA_NUMBER_UNORM}, {17, ISA_NUMBER_UNORM}, {18, ISA_NUMBER_UNORM},                        \
        {19, ISA_NUMBER_UNORM}, NONE, NONE, NONE, NONE, {20, ISA_NUMBER_UNORM},                    \
        {20, ISA_NUMBER_UINT}, {21, ISA_NUMBER_UNORM}, {21, ISA_NUMBER_UINT},                      \
        {22, ISA_NUMBER_UINT},                                                                     \
    {                                                                                              \
        22, ISA_NUMBER_FLOAT                                                                       \
    }

static const isa_format_pair_t images_of_gfx10[] = {SRGB, NONE, NONE, PACKED};
static const isa_format_pair_t images_of_gfx11[] = {SRGB, NONE, PACKED};

#define IMAGES(family, from)                                                                       \
    {                                                                                              \
        isa_formats_of_##family, from, sizeof images_of_##family / sizeof *images_of_##family,     \
            images_of_##family                                                                     \
    }
const isa_image_formats_t isa_image_formats_of_gfx10 = IMAGES(gfx10, 128);
const isa_image_formats_t isa_image_formats_of_gfx11 = IMAGES(gfx11, 64);

bool isa_image_format_split(const isa_image_formats_t *f, unsigned unified, unsigned *data,
                            unsigned *number)
{
    if (unified < f->first) return isa_format_split(f->buffers, unified, data, number);
    if (unified >= (unsigned)f->first + f->n || !f->others[unified - f->first].data) return false;
    *data = f->others[unified - f->first].data;
    *number = f->others[unified - f->first].number;
    return true;
}
