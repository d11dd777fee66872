/* agent_queue.h - packets on a queue of the library's own, for services that count or trace a whole
 * agent.
 *
 * Such a service submits packets one call at a time and waits for their completion. */
#ifndef CROCPROF_SDK_AGENT_QUEUE_H
#define CROCPROF_SDK_AGENT_QUEUE_H

#include <hsa/hsa.h>
#include <stdbool.h>

enum { SDK_AGENT_QUEUE_SIZE = 64 /* number of packets */ };

/* Makes the queue. NULL, with a message that includes `what`, if the runtime cannot make one. */
hsa_queue_t *sdk_agent_queue_create(hsa_agent_t agent, const char *what);

/* Writes packets of 64 bytes, at most SDK_AGENT_QUEUE_SIZE - 1, and a barrier that completes
 * `signal`. The queue always has room, because callers wait for the completion before they submit
 * again, or have at most one submission in flight. */
void sdk_agent_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                            hsa_signal_t signal);

/* Submits packets and waits for their completion. The signal must have the value 1, and has it
 * again after success. Returns false, with a message, if the agent does not answer for ten
 * seconds. */
bool sdk_agent_queue_run(hsa_queue_t *queue, const void *packets, unsigned count,
                         hsa_signal_t signal);

#endif
