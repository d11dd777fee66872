/* code.h - instructions of the code objects that a store has kept: text and source line by place.
 *
 * What samples show. Each place is disassembled once; objects are opened when they are first met.
 */
#ifndef CROCPROF_MODEL_CODE_H
#define CROCPROF_MODEL_CODE_H

#include "disasm/disasm.h"
#include "model/model.h"

/* What stands for the instruction of a place that is not known, before its address. */
#define OUT_CODE_UNKNOWN "Unrecognized code object id, physical virtual address of PC:"

typedef struct out_code out_code_t;

/* An instruction; lives as long as the code. */
typedef struct {
    const char *text;
    const char *line; /* file:line that it was compiled from, "" where nothing says */
    int64_t index;    /* whoever writes lists of instructions, one thread: -1 at first */
} out_instruction_t;

/* Never fails for want of objects: places are not found then. NULL without memory. */
out_code_t *out_code_open(const out_model_t *model, const char *store);
void out_code_close(out_code_t *c);

/* The instruction at an offset of a code object, counted from where it was loaded; NULL: the object
 * is not known or not kept, or nothing is there. `c` may be NULL. Any thread. */
out_instruction_t *out_code_at(out_code_t *c, uint64_t object, uint64_t offset);

/* A code object that a store has kept; NULL: it has not, or it cannot be read. */
dis_object_t *out_code_object_open(const char *store, uint64_t id);

#endif
