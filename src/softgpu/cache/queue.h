/* queue.h - how long requests to a busy unit wait for each other, and how long any is under way.
 *
 * The models do not keep the time of every request. For a whole dispatch they assume that its
 * requests came at random times: the Pollaczek-Khinchine formula for a constant service time, and
 * Poisson's distribution. Both the cache model and the timing model use this file. */
#ifndef SOFTGPU_CACHE_QUEUE_H
#define SOFTGPU_CACHE_QUEUE_H

#include <stdint.h>

/* Clocks that all requests together waited, if they came during `clocks` and their service took
 * `work` clocks in sum. With utilisation u = work / clocks a request waits on average
 * u / (2 (1 - u)) services, which makes work * u / (2 (1 - u)) for all. At most `clocks`. */
static inline uint64_t sgc_queue(uint64_t work, uint64_t clocks)
{
    if (work >= clocks) return clocks;
    const double waited = (double)work * (double)work / (2 * (double)(clocks - work));
    return waited < (double)clocks ? (uint64_t)waited : clocks;
}

/* The share of time in which at least one of some transactions is under way, if these begin at
 * random times and `mean` of them are under way on average: 1 - exp(-mean), as Poisson's
 * distribution says that none is with the probability exp(-mean). The C library's exp() may differ
 * from host to host in the last digit; + - * / do not. The series is exact to double precision for
 * a 1024th of `mean`, and each doubling follows from 1 - (1 - f) * (1 - f) = f * (2 - f). */
static inline double sgc_any_share(double mean)
{
    enum { HALVINGS = 10, TERMS = 8, ALWAYS = 64 };
    if (mean >= ALWAYS) return 1;
    const double part = mean / (1 << HALVINGS);
    double f = 1;
    for (unsigned n = TERMS; n > 1; n--)
        f = 1 - part / n * f;
    f *= part;
    for (unsigned n = 0; n < HALVINGS; n++)
        f = f * (2 - f);
    return f;
}

/* The clocks of `clocks`, rounded to the nearest, in which at least one of the transactions is
 * under way, if these take `sum` clocks together. */
static inline uint64_t sgc_any(uint64_t sum, uint64_t clocks)
{
    if (!clocks) return 0;
    return (uint64_t)((double)clocks * sgc_any_share((double)sum / (double)clocks) + 0.5);
}

#endif
