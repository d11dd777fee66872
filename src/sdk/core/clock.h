/* clock.h - cheap raw timestamps now, nanoseconds of CLOCK_BOOTTIME later.
 *
 * A traced call reads the raw counter; the thread that delivers the records converts the stamps.
 * The conversion is one continuous, increasing, piecewise linear function for the whole process, so
 * the order of raw stamps is that of the converted ones, whenever they are converted. */
#ifndef CROCPROF_SDK_CLOCK_H
#define CROCPROF_SDK_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

/* True if the TSC has the same constant rate on all cores; set before the first plan is published.
 * If false, raw stamps are nanoseconds already. */
extern bool sdk_clock_uses_tsc;

static inline uint64_t sdk_clock_boottime(void)
{
    return base_clock_ns(CLOCK_BOOTTIME);
}

/* Returns the raw stamp. The read is not serialising, because the measured call takes far longer
 * than the processor's window of reordering. */
static inline uint64_t sdk_clock_raw(void)
{
    if (__builtin_expect(sdk_clock_uses_tsc, 1)) return __builtin_ia32_rdtsc();
    return sdk_clock_boottime();
}

/* Decides whether to use the TSC and reads the first pair of both clocks. To be called once, before
 * the first raw stamp. */
void sdk_clock_init(void);

/* Converts a raw stamp to ns of CLOCK_BOOTTIME. Any thread may call this; it takes no lock. It
 * waits up to 2 ms if the process is so young that the counter's rate has not been measured. */
uint64_t sdk_clock_ns(uint64_t raw);

/* A segment of the conversion. From the raw stamp `begin` on, ns = base + (raw - begin) * rate. The
 * rate is a fixed-point number in units of 2^-32 ns. */
typedef struct {
    uint64_t begin, base, rate;
} sdk_clock_segment_t;

static inline uint64_t sdk_clock_scale(uint64_t ticks, uint64_t rate)
{
    return (uint64_t)(((unsigned __int128)ticks * rate) >> 32);
}

static inline uint64_t sdk_clock_since(const sdk_clock_segment_t *s, uint64_t raw)
{
    return s->base + sdk_clock_scale(raw - s->begin, s->rate);
}

/* The newest segment; NULL before the first rate is measured, and if the TSC is not used. */
extern const sdk_clock_segment_t *_Atomic sdk_clock_newest;

/* The same as sdk_clock_ns for both stamps of a record. */
static inline void sdk_clock_ns_both(uint64_t *start, uint64_t *end)
{
    const sdk_clock_segment_t *s = atomic_load_explicit(&sdk_clock_newest, memory_order_acquire);
    if (__builtin_expect(s && *start >= s->begin && *end >= s->begin, 1)) {
        *start = sdk_clock_since(s, *start);
        *end = sdk_clock_since(s, *end);
    } else {
        *start = sdk_clock_ns(*start);
        *end = sdk_clock_ns(*end);
    }
}

/* Begins a new segment of the conversion, if one is due, so that it follows the drift between the
 * clocks. Called by delivering threads; cheap if none is due. */
void sdk_clock_discipline(void);

/* Locks the clock while the process forks. The child continues with the same conversion. */
void sdk_clock_fork_prepare(void);
void sdk_clock_fork_done(void);

#endif
