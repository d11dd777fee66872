/* blocks.h - basic blocks and loops of the code that was executed.
 *
 * Found in the instructions alone: what was never executed has no part in it, so it needs neither
 * the code object nor line tables. */
#ifndef CROCPROF_INSIGHT_BLOCKS_H
#define CROCPROF_INSIGHT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t address;
    uint32_t bytes;
    bool branches, falls; /* may go to `target`; may go on behind it */
    uint64_t target;
    /* found: addresses of the block's first instruction and of that of the innermost loop, if the
     * depth is not 0 */
    uint64_t block, loop;
    uint32_t depth; /* loops that it is in */
} ins_step_t;

/* Where the words of an instruction lead. */
void ins_step_decode(ins_step_t *step, const uint32_t *words, uint32_t n_words);

/* Finds the blocks and loops of one function, whose instructions are sorted by address; it is
 * entered at the first, and wherever nothing leads to. False without memory, nothing is found then.
 * Of functions with too many blocks to look at, the loops are not found. */
bool ins_blocks_find(ins_step_t *steps, size_t count);

#endif
