/* code.h - instructions of the code objects that a store has kept: text and source line by offset.
 *
 * For samples of program counters, which are shown as instructions. Each instruction is
 * disassembled once; a code object is opened when it is first needed. */
#ifndef CROCPROF_MODEL_CODE_H
#define CROCPROF_MODEL_CODE_H

#include "disasm/disasm.h"
#include "model/model.h"

/* Written before its address, in place of an instruction that is not known. */
#define OUT_CODE_UNKNOWN "Unrecognized code object id, physical virtual address of PC:"

typedef struct out_code out_code_t;

/* An instruction; valid until out_code_close. */
typedef struct {
    const char *text;
    const char *line; /* file:line from which it was compiled, "" if unknown */
    int64_t index;    /* for the writer of a list of instructions, in one thread; -1 at first */
} out_instruction_t;

/* NULL only when out of memory. If code objects are missing, their instructions are not found
 * later. */
out_code_t *out_code_open(const out_model_t *model, const char *store);
void out_code_close(out_code_t *c);

/* The instruction at an offset from where the code object was loaded. NULL: the object is unknown
 * or not kept, or there is no instruction. `c` may be NULL. Any thread. */
out_instruction_t *out_code_at(out_code_t *c, uint64_t object, uint64_t offset);

/* Opens a code object that the store has kept; NULL: it is not there, or cannot be read. */
dis_object_t *out_code_object_open(const char *store, uint64_t id);

#endif
