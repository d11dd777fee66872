/* agent_queue.h - packets on a queue of the library's own, for services that count or trace a whole
 * agent.
 *
 * These services submit packets one call at a time and wait for them. */
#ifndef CROCPROF_SDK_AGENT_QUEUE_H
#define CROCPROF_SDK_AGENT_QUEUE_H

#include <hsa/hsa.h>
#include <stdbool.h>

enum { SDK_AGENT_QUEUE_SIZE = 64 /* packets */ };

/* NULL, with a message that includes `what`, if the runtime cannot make a queue. */
hsa_queue_t *sdk_agent_queue_create(hsa_agent_t agent, const char *what);

/* Writes packets of 64 bytes, at most SDK_AGENT_QUEUE_SIZE - 1, and a barrier that completes
 * `signal`. The queue always has room, because callers wait for the end before they submit again,
 * or have at most one such submission in flight. */
void sdk_agent_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                            hsa_signal_t signal);

/* Submits and waits. The signal must have the value 1, and has it again afterwards on success.
 * False, with a message, if the agent does not answer for ten seconds. */
bool sdk_agent_queue_run(hsa_queue_t *queue, const void *packets, unsigned count,
                         hsa_signal_t signal);

#endif
