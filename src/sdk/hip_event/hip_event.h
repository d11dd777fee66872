/* hip_event.h - HIP events, traced as the barriers that they are on the GPU.
 *
 * hipEventRecord writes a barrier packet; hipStreamWaitEvent makes a later barrier of another queue
 * wait for that packet's signal. The wrappers here note what a call is about, and
 * kernel_dispatch.c, a client of src/hsa/queues.c, passes the packets on that it sees:
 *
 *   hipEventRecord(e, s)        the barrier that is written during the call is RECORD of e
 *     none is written           the runtime lets the last barrier of s stand for e, and so does
 * this hipStreamWaitEvent(s, e)    the barrier that is written during the call is WAIT for e none
 * is written           the next barrier anywhere that waits for the signal of e's RECORD; there is
 * none if e is over by then
 * */
#ifndef CROCPROF_SDK_HIP_EVENT_H
#define CROCPROF_SDK_HIP_EVENT_H

#include <hsa/hsa.h>
#include <rocprofiler-sdk/agent.h>
#include <stdbool.h>

typedef struct sdk_barrier sdk_barrier_t;

/* Puts the wrappers into the HIP runtime's table if a context asks for events. To be called before
 * API tracing installs its wrappers. */
void sdk_event_install(void *table);

/* Does a running context follow events? */
bool sdk_event_followed(void);

/* On the thread that writes a packet: does this barrier belong to an event? */
bool sdk_event_wants(const void *packet);
/* If so: begins its operations; NULL when out of memory. */
sdk_barrier_t *sdk_event_barrier(const void *packet, rocprofiler_agent_id_t agent, uint64_t queue);
void sdk_event_submitted(sdk_barrier_t *barrier);
/* Another packet will complete this signal: waits for an event that uses it are dropped. */
void sdk_event_signal_used(hsa_signal_t signal);

/* On the collector's thread: the GPU has processed the barrier, or its end will never be seen. */
void sdk_event_complete(sdk_barrier_t *barrier, uint64_t start, uint64_t end);
void sdk_event_lost(sdk_barrier_t *barrier);

#endif
