/* instructions.h - the tables of a store that hold how often each instruction was executed. */
#ifndef CROCPROF_TRACE_INSTRUCTIONS_H
#define CROCPROF_TRACE_INSTRUCTIONS_H

#include "softgpu/instruction_counts.h"

/* Columns of INSTRUCTIONS, whose owner is a code object: first these, then the members of
 * softgpu_instruction_counts_t. A new member is added at the end of that struct, so older columns
 * keep their places. */
typedef enum {
    TRACE_INSTRUCTION_KERNEL,   /* id of the kernel */
    TRACE_INSTRUCTION_ADDRESS,  /* in the code object's file */
    TRACE_INSTRUCTION_WORDS,    /* number of dwords of the instruction: 1 to 3 */
    TRACE_INSTRUCTION_CODE,     /* its first two dwords */
    TRACE_INSTRUCTION_CODE_END, /* its third dword */
    TRACE_INSTRUCTION_GROUP,    /* what the group means depends on the column TRACE_COUNTED_BY */
    TRACE_INSTRUCTION_COUNTS,
    TRACE_INSTRUCTION_COLUMNS =
        TRACE_INSTRUCTION_COUNTS + sizeof(softgpu_instruction_counts_t) / sizeof(uint64_t)
} trace_instruction_column_t;

/* By what the counts are summed: the meaning of a group. */
typedef enum {
    TRACE_COUNTED_BY_KERNEL,   /* all groups are 0 */
    TRACE_COUNTED_BY_DISPATCH, /* a group is the id of a dispatch */
    TRACE_COUNTED_BY_RANGE     /* a group is the id of the TEXT of the innermost ROCTx range; 0: no
                                * range */
} trace_counted_by_t;

/* Columns of COUNTED_KERNELS. If several rows have the same kernel and group, the last of them is
 * valid. A row is written after all instructions of its kernel and group. Rows of kernel 0 are
 * about the whole run: a row with 0 dispatches is written when counting begins, a row with 1
 * dispatch when all counts have been written. */
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
