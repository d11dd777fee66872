/* queue.h - what those who come at random wait for each other.
 *
 * Apart because both models ask, of whole dispatches: nobody keeps the moments at which requests
 * came. Pollaczek and Khinchine's formula for services that all take the same time. */
#ifndef SOFTGPU_CACHE_QUEUE_H
#define SOFTGPU_CACHE_QUEUE_H

#include <stdint.h>

/* `work` clocks of service, asked for during `clocks`: so long have all of them waited together.
 * Who comes to a server that is at work a share of the time, finds that share of half a service,
 * and what came before: work * share / 2 (1 - share). Never more than there are clocks. */
static inline uint64_t sgc_queue(uint64_t work, uint64_t clocks)
{
    if (work >= clocks) return clocks;
    const double waited = (double)work * (double)work / (2 * (double)(clocks - work));
    return waited < (double)clocks ? (uint64_t)waited : clocks;
}

#endif
