/* round.h - sizes and places in memory, rounded to a unit.
 *
 * The unit is a power of two. */
#ifndef CROCPROF_BASE_ROUND_H
#define CROCPROF_BASE_ROUND_H

#include <stdint.h>

static inline uint64_t base_round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

#endif
