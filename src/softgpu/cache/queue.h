/* queue.h - how long requests to a busy unit wait for each other.
 *
 * The models do not keep the time of every request. For the waiting time of a whole dispatch they
 * assume that its requests came at random times: the Pollaczek-Khinchine formula for a constant
 * service time. Both the cache model and the timing model use this file. */
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

#endif
