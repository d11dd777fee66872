/* clock.h - the host's clocks in nanoseconds, and the difference between two of them.
 *
 * Two clocks cannot be read at one moment, and a thread may be descheduled for milliseconds between
 * the two readings. All code that converts times of one clock to another uses this difference. */
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

/* Returns what must be added, modulo 2^64, to a time of clock `from` to get the time of clock `to`
 * at the same moment. *error_ns (may be NULL) becomes the number of nanoseconds by which the result
 * may be off; both are exactly 0 if the clocks are the same. */
uint64_t base_clock_difference(clockid_t from, clockid_t to, uint64_t *error_ns);

#endif
