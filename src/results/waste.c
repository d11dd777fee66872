/* waste.c - see waste.h. */
#include "results/waste.h"

#include <string.h>

#include "base/text.h"

uint64_t res_waste_lines(uint64_t issued, uint64_t lines, uint64_t needed)
{
    if (!needed || lines / 2 < needed) return 0;
    return (lines - needed) / 2 >= issued ? lines - needed : 0;
}

uint64_t res_waste_clocks(uint64_t clocks, uint64_t needed)
{
    if (!needed || clocks <= needed) return 0;
    return clocks - needed >= (needed + 1) / 2 ? clocks - needed : 0;
}

bool res_waste_spill(uint64_t spills, uint64_t loop_depth, const char *text)
{
    if (!spills || !loop_depth) return false;
    return base_begins_with(text, "scratch_") ||
           (base_begins_with(text, "buffer_") && strstr(text, " off, s["));
}
