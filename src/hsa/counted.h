/* counted.h - lets the counters of a whole agent see the waves of every queue of the program.
 *
 * The register that lets SQ count a wave is part of a queue's state, and 0 in a new queue. To count
 * a dispatch, packets around the dispatch set it; to count all work of an agent, it has to be set
 * in every queue of the program. */
#ifndef CROCPROF_HSA_COUNTED_H
#define CROCPROF_HSA_COUNTED_H

#include "hsa/tables/tables.h"

/* Makes each new queue of the program get a first packet that sets the register. To be called after
 * all other hooks of queue creation are installed, while the runtime is up. If it fails for a
 * queue, there is a warning. */
void hsax_counted_hook(const hsax_api_table_t *table);

#endif
