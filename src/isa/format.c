/* format.c - formats of elements in buffers, see format.h.
 *
 * The numbers are those of LLVM's names BUF_FMT_*: of each data format, in the order of gfx9's
 * numbers, the number formats that it has. */
#include "isa/format.h"

#include <stddef.h>
#include <stdint.h>

/* Which number formats a data format has: bit n, number format n. */
enum { NORMAL = 0x3f, WHOLE = 0xb0, ALL = NORMAL | WHOLE };

/* ORDER: data formats from 1 on. */
static const struct {
    uint8_t first, numbers;
} formats[] = {
    {1, NORMAL},  /* 8 */
    {7, ALL},     /* 16 */
    {14, NORMAL}, /* 8_8 */
    {20, WHOLE},  /* 32 */
    {23, ALL},    /* 16_16 */
    {30, ALL},    /* 10_11_11 */
    {37, ALL},    /* 11_11_10 */
    {44, NORMAL}, /* 10_10_10_2 */
    {50, NORMAL}, /* 2_10_10_10 */
    {56, NORMAL}, /* 8_8_8_8 */
    {62, WHOLE},  /* 32_32 */
    {65, ALL},    /* 16_16_16_16 */
    {72, WHOLE},  /* 32_32_32 */
    {75, WHOLE},  /* 32_32_32_32 */
};

bool isa_format_split(unsigned unified, unsigned *data, unsigned *number)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        unsigned n = unified - formats[k].first, type = 0;
        if (unified < formats[k].first || n >= (unsigned)__builtin_popcount(formats[k].numbers))
            continue;
        while (!(formats[k].numbers >> type & 1) || n--)
            type++;
        *data = (unsigned)k + 1;
        *number = type;
        return true;
    }
    return false;
}
