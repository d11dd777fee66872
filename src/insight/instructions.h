/* instructions.h - the instructions that were counted: their text, function, source line, counts.
 *
 * They are read whole from a process's model, whose size depends on the code that ran, not on the
 * length of the run. Source lines come from the code object's line tables. */
#ifndef CROCPROF_INSIGHT_INSTRUCTIONS_H
#define CROCPROF_INSIGHT_INSTRUCTIONS_H

#include "disasm/disasm.h"
#include "model/model.h"
#include "softgpu/instruction_counts.h"

enum { INS_TEXT_BYTES = 96, INS_INLINED_MAX = 256 /* INS_INLINED_MAX: most nested functions */ };

/* Columns of by_lanes: X(name) */
#define INS_BY_LANES(X)                                                                            \
    X(lanes_0)                                                                                     \
    X(lanes_1_8)                                                                                   \
    X(lanes_9_16)                                                                                  \
    X(lanes_17_24)                                                                                 \
    X(lanes_25_32) X(lanes_33_40) X(lanes_41_48) X(lanes_49_56) X(lanes_57_64)

typedef struct {
    uint64_t kernel, object, address; /* `kernel`, `object`: ids; `address`: in the code object's
                                       * file */
    uint64_t group;                   /* its meaning depends on ins_set_t.by */
    const char *range;                /* the ROCTx range, if `group` stands for one; else "" */
    uint32_t words[3], n_words;
    const struct isa_arch *arch; /* of the GPU (isa/arch.h); NULL: an unknown GPU */
    softgpu_instruction_counts_t counts;
    char text[INS_TEXT_BYTES];   /* in LLVM's syntax */
    const char *function, *file; /* "" if not known; valid as long as the set */
    uint32_t line;               /* 0: not known */
    /* the functions that it was inlined from, as dis_object_inlined has them */
    const dis_inlined_t *inlined;
    size_t inlined_count;
    size_t user_level; /* level of the user's line: frames.h */
    /* addresses where its basic block and, if the depth is not 0, its innermost loop begin */
    uint64_t block, loop;
    uint32_t depth;
} ins_instruction_t;

typedef struct {
    uint64_t kernel, dispatches, waves, lost, group;
    const char *range;
} ins_kernel_t;

/* Facts about the code of a kernel whose instructions were counted. */
typedef struct {
    uint64_t kernel, object;
    const char *gpu, *file; /* "" if not known */
    uint32_t line;
    bool noted; /* the compiler's notes about the kernel were found */
    dis_kernel_t notes;
} ins_code_facts_t;

typedef struct ins_code ins_code_t; /* a code object that was opened */

typedef struct {
    ins_instruction_t *items; /* sorted by kernel, group, object and address */
    size_t count;
    ins_kernel_t *kernels; /* sorted by id and group */
    size_t kernel_count;
    uint64_t lost;  /* number of dispatches without complete counts */
    uint64_t level; /* SOFTGPU_INSTRUCTION_*_LEVEL: whether the model's numbers were counted */
    uint64_t by;    /* trace_counted_by_t: the kind of sums */
    ins_code_facts_t *facts; /* sorted by kernel */
    size_t fact_count;
    ins_code_t *codes; /* the code objects that own texts and lists of inlined functions; used by
                        * join.c */
    size_t code_count;
    void **kept;
    size_t kept_count;
} ins_set_t;

/* Reads the counted instructions of a store, possibly none; not those of a dispatch during whose
 * end the process was killed. Returns 0, or -1 with a line in `why`. */
int ins_load(const out_model_t *model, const char *store, ins_set_t *set, char *why,
             size_t why_bytes);
void ins_free(ins_set_t *set);

/* Returns the facts about a kernel; NULL if there are none. */
const ins_code_facts_t *ins_facts_of(const ins_set_t *set, uint64_t kernel);

/* Returns the model's clocks of the waves that executed the instruction: issue, waits and
 * stalls. */
uint64_t ins_clocks(const softgpu_instruction_counts_t *n);

/* Returns a copy of the data that lives as long as the set; NULL without memory. */
void *ins_keep(ins_set_t *set, const void *data, size_t bytes);

/* Returns whether the store has counted instructions. */
bool ins_any(const out_model_t *model);
/* Returns whether the process has not written its counts, as when it was killed: sums by kernel or
 * by range are written at its end. False for counts by dispatch, which are whole for each dispatch
 * that had ended. */
bool ins_unfinished(const out_model_t *model);

#endif
