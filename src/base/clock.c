/* clock.c - see clock.h. */
#include "base/clock.h"

#include <stddef.h>

/* The two clocks are read this many times, and the closest pair is used: a thread is unlikely to be
 * descheduled within each pair. */
enum { TRIES = 8 };

uint64_t base_clock_difference(clockid_t from, clockid_t to, uint64_t *error_ns)
{
    uint64_t difference = 0, error = from == to ? 0 : UINT64_MAX;
    for (int i = 0; i < TRIES && error; i++) {
        uint64_t before = base_clock_ns(from), there = base_clock_ns(to);
        uint64_t width = base_clock_ns(from) - before;
        if (width >= error) continue;
        error = width;
        difference = there - (before + width / 2);
    }
    if (error_ns) *error_ns = error;
    return difference;
}
