/* held_up.h - clocks of a thread that is held up now and then while it reads them.
 *
 * For programs linked with --wrap=clock_gettime. Each reading takes 25 ns, and every fourth is
 * followed by 5 ms: the thread was not on a CPU. All clocks run alike, each with its own start. */
#ifndef TESTS_BASE_HELD_UP_H
#define TESTS_BASE_HELD_UP_H

#include <stdint.h>
#include <time.h>

enum { HELD_UP_EACH = 4, READING_NS = 25 };

static uint64_t held_up_now; /* 0: the clocks are the host's */
static unsigned held_up_readings;

static inline uint64_t held_up_start(clockid_t clock)
{
    return clock == CLOCK_BOOTTIME ? 900000000000 : (uint64_t)clock * 1000000000;
}

/* The clocks from now on; `phase`, below HELD_UP_EACH, is how many readings were made. */
static inline void held_up_begin(unsigned phase)
{
    held_up_now = 10000000000;
    held_up_readings = phase;
}

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!held_up_now) return __real_clock_gettime(clock, t);
    const uint64_t ns = (held_up_now += READING_NS) + held_up_start(clock);
    if (++held_up_readings % HELD_UP_EACH == 0) held_up_now += 5000000;
    t->tv_sec = (time_t)(ns / 1000000000);
    t->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

#endif
