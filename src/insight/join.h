/* join.h - finds out what the instructions of a set are. Only for this room's files that fill in a
 * set. */
#ifndef CROCPROF_INSIGHT_JOIN_H
#define CROCPROF_INSIGHT_JOIN_H

#include "insight/instructions.h"

/* Fills in texts, lines, inlined functions, blocks and loops of the instructions, and the kernels'
 * facts. False without memory. */
bool ins_join(ins_set_t *set, const out_model_t *model, const char *store);

/* Frees what ins_join() has made. */
void ins_join_free(ins_set_t *set);

#endif
