/* runtime.h - the life of the HSA runtime in this process: up, perhaps down, perhaps up again.
 *
 * The code that gets the runtime's table calls hsax_runtime_start() before everything else in
 * src/hsa. */
#ifndef CROCPROF_HSA_RUNTIME_H
#define CROCPROF_HSA_RUNTIME_H

#include "hsa/tables/tables.h"

/* Saves the table, lists the agents and watches for hsa_shut_down. Returns false if this table
 * carries our hooks already, or the runtime is unusable (then with a message).
 * `down` is called on the program's thread just before the runtime shuts down for good, while it
 * still works and all work in flight has been reported; it may be NULL. */
bool hsax_runtime_start(const hsax_api_table_t *table, void (*down)(void));

/* Returns false before the start and from the shut-down on. */
bool hsax_runtime_up(void);

#endif
