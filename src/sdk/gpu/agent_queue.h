/* agent_queue.h - packets on a queue of the library's own: what counts or traces a whole agent.
 *
 * Shared by the services that do, which wait for their packets one call at a time. */
#ifndef CROCPROF_SDK_AGENT_QUEUE_H
#define CROCPROF_SDK_AGENT_QUEUE_H

#include <hsa/hsa.h>
#include <stdbool.h>

enum { SDK_AGENT_QUEUE_SIZE = 64 /* packets */ };

/* NULL, with a message that says what they are for, if the runtime has none. */
hsa_queue_t *sdk_agent_queue_create(hsa_agent_t agent, const char *what);

/* Writes packets of 64 bytes, at most SDK_AGENT_QUEUE_SIZE - 1, and a barrier that completes
 * `signal`. The queue has room: one call at a time waits for its end, or is the only one of its
 * kind. */
void sdk_agent_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                            hsa_signal_t signal);

/* Submits and waits; the signal is of value 1 before and, if all went well, after. False with a
 * message if the agent has not answered for ten seconds. */
bool sdk_agent_queue_run(hsa_queue_t *queue, const void *packets, unsigned count,
                         hsa_signal_t signal);

#endif
