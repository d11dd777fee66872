/* counted.h - queues whose waves the GPU counts, whoever has the counters run.
 *
 * The register that lets SQ count a wave is part of a queue's state, 0 in a new queue. Whoever
 * counts a dispatch sets it with packets around the dispatch; whoever counts all that an agent does
 * has to set it in every queue of the program. */
#ifndef CROCPROF_HSA_COUNTED_H
#define CROCPROF_HSA_COUNTED_H

#include "hsa/tables/tables.h"

/* Every queue that the program creates from now on is counted: a packet is its first. To be called
 * after all other hooks of queue creation are in, while the runtime is up. A queue that cannot be
 * counted is a warning. */
void hsax_counted_hook(const hsax_api_table_t *table);

#endif
