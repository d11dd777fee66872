/* format.c - formats of elements in buffers, see format.h.
 *
 * The numbers are those of LLVM's names BUF_FMT_*. A table has, for each data format in the order
 * of gfx9's numbers, the number formats that exist with it. */
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
