/* clock.h - the device clock, in nanoseconds of CLOCK_MONOTONIC_RAW, or of the system's clock.
 *
 * One clock for shader timestamps and packet timestamps. Thread-safe, never fails. */
#ifndef SOFTGPU_EXEC_CLOCK_H
#define SOFTGPU_EXEC_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t isa_clock_ns(void);
clockid_t isa_clock_id(void); /* the host's clock that serves as the device clock */
/* Makes CLOCK_BOOTTIME the device clock. Runtimes use that clock as the system's clock and convert
 * GPU timestamps to it: if both clocks are the same, the conversion is exact. To be called before
 * the first timestamp is taken. */
void isa_clock_use_system(void);

#endif
