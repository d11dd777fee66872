/* disasm.h - what the two files of the disassembler share.
 *
 * disasm.c lays out instructions by format, disasm_operand.c writes operands and the named
 * immediates. The text is LLVM 15's, character by character. */
#ifndef ISA_DISASM_H
#define ISA_DISASM_H

#include "isa/isa.h"
#include "isa/table.h"

/* Text that is being written. As with snprintf, `length` counts on when the buffer is full. */
typedef struct {
    const isa_arch_t *arch; /* of the instruction */
    char *buf;
    size_t size;
    size_t length;
} isa_text_t;

void isa_text(isa_text_t *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a register or a constant without modifiers. `type` is that of the row's field. */
void isa_text_operand(isa_text_t *t, const isa_operand_t *o, isa_type_t type);

/* The named immediates of scalar instructions. */
void isa_text_waitcnt(isa_text_t *t, unsigned imm);
void isa_text_depctr(isa_text_t *t, unsigned imm);
void isa_text_hwreg(isa_text_t *t, unsigned imm);
void isa_text_message(isa_text_t *t, unsigned imm);
void isa_text_gpr_idx(isa_text_t *t, unsigned imm);
void isa_text_delay(isa_text_t *t, unsigned imm);

void isa_text_dpp(isa_text_t *t, const isa_inst_t *i, bool wide);
void isa_text_swizzle(isa_text_t *t, unsigned offset);
void isa_text_buffer_format(isa_text_t *t, unsigned format);

#endif
