/* blocks.h - basic blocks and loops of the code that was executed.
 *
 * They are found from the executed instructions alone, without the code object and its line tables;
 * code that was never executed is not included. */
#ifndef CROCPROF_INSIGHT_BLOCKS_H
#define CROCPROF_INSIGHT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_arch;

typedef struct {
    uint64_t address;
    uint32_t bytes;
    bool branches, falls; /* it may branch to `target`; it may continue with the next instruction */
    uint64_t target;
    /* found by ins_blocks_find(): address at which the basic block begins and, if the depth is not
     * 0, the innermost loop */
    uint64_t block, loop;
    uint32_t depth; /* number of loops around the instruction */
} ins_step_t;

/* Sets `branches`, `falls` and `target` from the words of the instruction of the GPU `arch`
 * (isa/arch.h); for an unknown GPU, NULL, no instruction branches. */
void ins_step_decode(ins_step_t *step, const struct isa_arch *arch, const uint32_t *words,
                     uint32_t n_words);

/* Finds the blocks and loops of one function, whose instructions are sorted by address. Its entries
 * are the first instruction and the blocks that no other block leads to. Returns false without
 * memory: then nothing is found. If the function has too many blocks, loops are not found. */
bool ins_blocks_find(ins_step_t *steps, size_t count);

#endif
