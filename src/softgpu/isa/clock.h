/* clock.h - the device clock, in nanoseconds of CLOCK_MONOTONIC_RAW, or of the system's clock.
 *
 * One clock for shader timestamps and packet timestamps. Thread-safe, never fails. */
#ifndef SOFTGPU_ISA_CLOCK_H
#define SOFTGPU_ISA_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t isa_clock_ns(void);
clockid_t isa_clock_id(void); /* which of the host's */
/* From now on it is CLOCK_BOOTTIME, which runtimes call the system's: they convert timestamps then
 * without a loss. Before any is taken. */
void isa_clock_use_system(void);

#endif
