/* instructions.h - tables of a store with the counts of single instructions. */
#ifndef CROCPROF_TRACE_INSTRUCTIONS_H
#define CROCPROF_TRACE_INSTRUCTIONS_H

#include "softgpu/instruction_counts.h"

/* Columns of INSTRUCTIONS, whose owner is a code object: first these, then the numbers of
 * softgpu_instruction_counts_t, to which new ones are added at the end. */
typedef enum {
    TRACE_INSTRUCTION_KERNEL,   /* id */
    TRACE_INSTRUCTION_ADDRESS,  /* in the code object's file */
    TRACE_INSTRUCTION_WORDS,    /* size of the instruction: 1 to 3 */
    TRACE_INSTRUCTION_CODE,     /* its first two words */
    TRACE_INSTRUCTION_CODE_END, /* the third */
    TRACE_INSTRUCTION_GROUP,    /* trace_counted_by_t says what it is */
    TRACE_INSTRUCTION_COUNTS,
    TRACE_INSTRUCTION_COLUMNS =
        TRACE_INSTRUCTION_COUNTS + sizeof(softgpu_instruction_counts_t) / sizeof(uint64_t)
} trace_instruction_column_t;

/* What counts are summed by. */
typedef enum {
    TRACE_COUNTED_BY_KERNEL,   /* groups are 0 */
    TRACE_COUNTED_BY_DISPATCH, /* groups are ids of dispatches */
    TRACE_COUNTED_BY_RANGE     /* groups are the TEXT of the innermost ROCTx range, 0: none */
} trace_counted_by_t;

/* Columns of COUNTED_KERNELS; of several rows for the same kernel and group, the last one counts.
 * Rows of kernel 0 are about the whole: one with 0 dispatches is written when counting begins, one
 * with 1 dispatch when all counts have been written. */
typedef enum {
    TRACE_COUNTED_KERNEL,
    TRACE_COUNTED_DISPATCHES,
    TRACE_COUNTED_WAVES,
    TRACE_COUNTED_LOST,
    TRACE_COUNTED_GROUP,
    TRACE_COUNTED_LEVEL, /* SOFTGPU_INSTRUCTION_*_LEVEL; only in rows of kernel 0 */
    TRACE_COUNTED_BY,    /* trace_counted_by_t; only in rows of kernel 0 */
    TRACE_COUNTED_COLUMNS
} trace_counted_column_t;

#endif
