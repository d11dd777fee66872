/* clock.c - the device clock, from which s_memrealtime and s_memtime are derived.
 *
 * Here and not in device/ so that the executor depends on no room above it. Programs compare the
 * timestamps of signals and packets with those registers: code that writes any takes
 * isa_clock_ns(). */
#include "softgpu/exec/clock.h"

#include <time.h>

static clockid_t clock_id = CLOCK_MONOTONIC_RAW;

void isa_clock_use_system(void)
{
    clock_id = CLOCK_BOOTTIME;
}

clockid_t isa_clock_id(void)
{
    return clock_id;
}

uint64_t isa_clock_ns(void)
{
    struct timespec t;
    clock_gettime(clock_id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
