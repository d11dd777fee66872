/* hip_event.h - events of HIP as the barriers of the GPU that they are.
 *
 * hipEventRecord writes a barrier packet; hipStreamWaitEvent makes a later barrier of another queue
 * wait for that one's signal. The wrappers here say what a call is about, and a client of
 * src/hsa/queues.c says which packets go by (kernel_dispatch.c, whose items also are barriers).
 *
 *   hipEventRecord(e, s)        the barrier that is written meanwhile is RECORD of e
 *     none is written           the runtime has found that the last one of s is as good: that one
 *   hipStreamWaitEvent(s, e)    the barrier that is written meanwhile is WAIT for e
 *     none is written           the next one anywhere that waits for the signal of e's RECORD, if
 *                               there is one: the runtime leaves it out where e is over by then
 */
#ifndef CROCPROF_SDK_HIP_EVENT_H
#define CROCPROF_SDK_HIP_EVENT_H

#include <hsa/hsa.h>
#include <rocprofiler-sdk/agent.h>
#include <stdbool.h>

typedef struct sdk_barrier sdk_barrier_t;

/* Puts the wrappers into the HIP runtime's table if a context asks for events. Before those of the
 * API. */
void sdk_event_install(void *table);

/* Do contexts follow events now? */
bool sdk_event_followed(void);

/* On the thread that writes a packet. Is this barrier an event's? */
bool sdk_event_wants(const void *packet);
/* If so: what it tells of; NULL without memory. */
sdk_barrier_t *sdk_event_barrier(const void *packet, rocprofiler_agent_id_t agent, uint64_t queue);
void sdk_event_submitted(sdk_barrier_t *barrier);
/* Another packet drops this signal: who waits for an event by it will not any more. */
void sdk_event_signal_used(hsa_signal_t signal);

/* On the collector thread: the GPU is through it, or it will not be told of. */
void sdk_event_complete(sdk_barrier_t *barrier, uint64_t start, uint64_t end);
void sdk_event_lost(sdk_barrier_t *barrier);

#endif
