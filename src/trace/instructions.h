/* instructions.h - tables of a store with the counts of single instructions. */
#ifndef CROCPROF_TRACE_INSTRUCTIONS_H
#define CROCPROF_TRACE_INSTRUCTIONS_H

#include "softgpu/instruction_counts.h"

/* Columns of INSTRUCTIONS, whose owner is a code object: these, then the numbers of
 * softgpu_instruction_counts_t, which grows at its end. */
typedef enum {
    TRACE_INSTRUCTION_KERNEL,  /* id */
    TRACE_INSTRUCTION_ADDRESS, /* in the code object's file */
    TRACE_INSTRUCTION_WORDS,   /* 1 to 3 */
    TRACE_INSTRUCTION_CODE,    /* the first two of them */
    TRACE_INSTRUCTION_CODE_END,
    TRACE_INSTRUCTION_GROUP, /* as below */
    TRACE_INSTRUCTION_COUNTS,
    TRACE_INSTRUCTION_COLUMNS =
        TRACE_INSTRUCTION_COUNTS + sizeof(softgpu_instruction_counts_t) / sizeof(uint64_t)
} trace_instruction_column_t;

/* What counts are summed by. */
typedef enum {
    TRACE_COUNTED_BY_KERNEL,   /* groups are 0 */
    TRACE_COUNTED_BY_DISPATCH, /* their ids */
    TRACE_COUNTED_BY_RANGE     /* the TEXT of the innermost ROCTx range, 0: none */
} trace_counted_by_t;

/* Columns of COUNTED_KERNELS; of rows of one kernel and group the last one counts. Kernel 0 stands
 * for the whole: a row without dispatches when counting begins, one with a dispatch when all is
 * written. */
typedef enum {
    TRACE_COUNTED_KERNEL,
    TRACE_COUNTED_DISPATCHES,
    TRACE_COUNTED_WAVES,
    TRACE_COUNTED_LOST,
    TRACE_COUNTED_GROUP,
    TRACE_COUNTED_LEVEL, /* SOFTGPU_INSTRUCTION_*_LEVEL; of kernel 0, as is the next */
    TRACE_COUNTED_BY,
    TRACE_COUNTED_COLUMNS
} trace_counted_column_t;

#endif
