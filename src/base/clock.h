/* clock.h - the host's clocks in nanoseconds, and what lies between two of them.
 *
 * Two clocks cannot be read at one moment, and a thread may be held up for milliseconds between the
 * readings. Who converts times of one to the other takes the difference from here. */
#ifndef CROCPROF_BASE_CLOCK_H
#define CROCPROF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t base_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What to add, modulo 2^64, to a time of `from` to have it in `to`; *error_ns (may be NULL): how
 * many nanoseconds it may be off. Of a clock to itself exactly 0. */
uint64_t base_clock_difference(clockid_t from, clockid_t to, uint64_t *error_ns);

#endif
