/* clock.h - the device clock, in nanoseconds of CLOCK_MONOTONIC_RAW.
 *
 * One clock for shader timestamps and packet timestamps. Thread-safe, never fails. */
#ifndef SOFTGPU_ISA_CLOCK_H
#define SOFTGPU_ISA_CLOCK_H

#include <stdint.h>

uint64_t isa_clock_ns(void);

#endif
