/* join.h - what the instructions of a set are: inside this room, for who fills one. */
#ifndef CROCPROF_INSIGHT_JOIN_H
#define CROCPROF_INSIGHT_JOIN_H

#include "insight/instructions.h"

/* Texts, lines, inlined functions, blocks and loops of the instructions, and the kernels' facts.
 * False without memory. */
bool ins_join(ins_set_t *set, const out_model_t *model, const char *store);

/* Frees what was made for it. */
void ins_join_free(ins_set_t *set);

#endif
