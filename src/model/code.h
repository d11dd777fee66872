/* code.h - instructions of the code objects that a store has kept: text and source line by offset.
 *
 * Samples of program counters are shown as these instructions. Each instruction is disassembled
 * once; a code object is opened when it is first needed. */
#ifndef CROCPROF_MODEL_CODE_H
#define CROCPROF_MODEL_CODE_H

#include "disasm/disasm.h"
#include "model/model.h"

/* Written before its address, in place of an instruction that is not known. */
#define OUT_CODE_UNKNOWN "Unrecognized code object id, physical virtual address of PC:"

typedef struct out_code out_code_t;

/* An instruction; valid until out_code_close(). */
typedef struct {
    const char *text;
    const char *line; /* file:line from which it was compiled, "" if unknown */
    int64_t index;    /* for a writer of a list of instructions, which uses it in one thread only;
                       * -1 at first */
} out_instruction_t;

/* Returns NULL only when out of memory. Instructions of code objects that are missing in the store
 * are not found later. */
out_code_t *out_code_open(const out_model_t *model, const char *store);
void out_code_close(out_code_t *c);

/* Returns the instruction at an offset from where the code object was loaded; NULL if the object is
 * unknown or not kept, or has no instruction there. `c` may be NULL. Any thread may call this. */
out_instruction_t *out_code_at(out_code_t *c, uint64_t object, uint64_t offset);

/* Opens a code object that the store has kept; NULL if it is missing or cannot be read. */
dis_object_t *out_code_object_open(const char *store, uint64_t id);

#endif
