/* join.h - adds texts, lines and functions to the instructions of a set. Only the files of this
 * room that fill in a set include it. */
#ifndef CROCPROF_INSIGHT_JOIN_H
#define CROCPROF_INSIGHT_JOIN_H

#include "insight/instructions.h"

/* Fills in texts, lines, inlined functions, blocks and loops of the instructions, and the facts
 * about kernels. Returns false without memory. */
bool ins_join(ins_set_t *set, const out_model_t *model, const char *store);

/* Frees the memory that ins_join() has allocated. */
void ins_join_free(ins_set_t *set);

#endif
