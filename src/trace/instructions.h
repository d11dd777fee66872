/* instructions.h - tables of a store with the counts of single instructions. */
#ifndef CROCPROF_TRACE_INSTRUCTIONS_H
#define CROCPROF_TRACE_INSTRUCTIONS_H

#include "softgpu/instruction_counts.h"

/* Columns of INSTRUCTIONS, whose owner is a code object: these, then the counts in the order of
 * SOFTGPU_INSTRUCTION_COUNTS, then how often it ran with which lanes. */
typedef enum {
    TRACE_INSTRUCTION_KERNEL,  /* id */
    TRACE_INSTRUCTION_ADDRESS, /* in the code object's file */
    TRACE_INSTRUCTION_WORDS,   /* 1 to 3 */
    TRACE_INSTRUCTION_CODE,    /* the first two of them */
    TRACE_INSTRUCTION_CODE_END,
    TRACE_INSTRUCTION_COUNTS,
    TRACE_INSTRUCTION_COLUMNS =
        TRACE_INSTRUCTION_COUNTS + sizeof(softgpu_instruction_counts_t) / sizeof(uint64_t)
} trace_instruction_column_t;

/* Columns of COUNTED_KERNELS; of rows of one kernel the last one counts. Kernel 0 stands for the
 * whole: a row of zeros when counting begins, one with a dispatch when all is written. */
typedef enum {
    TRACE_COUNTED_KERNEL,
    TRACE_COUNTED_DISPATCHES,
    TRACE_COUNTED_WAVES,
    TRACE_COUNTED_LOST,
    TRACE_COUNTED_COLUMNS
} trace_counted_column_t;

#endif
