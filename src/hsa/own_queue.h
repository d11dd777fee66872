/* own_queue.h - packets in a queue to which only one thread of this library writes.
 *
 * That thread waits for the completion of the last packets before it writes more, so there is
 * always room. */
#ifndef CROCPROF_HSA_OWN_QUEUE_H
#define CROCPROF_HSA_OWN_QUEUE_H

#include "hsa/tables/tables.h"

#include <stdbool.h>

enum { HSAX_PACKET_BYTES = 64, HSAX_ANSWER_SECONDS = 10 };

/* Writes `count` packets and `last`, unless that is NULL, and rings the doorbell once. A header
 * becomes visible after the rest of its packet. */
void hsax_own_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                           const void *last);

/* Waits until the signal is 0 or less. Returns false after HSAX_ANSWER_SECONDS: then the agent has
 * failed. */
bool hsax_own_queue_wait(hsa_signal_t signal);

#endif
