/* asm.h - assembly text to words, for tests: of gfx90a, unless a test says another GPU.
 *
 * Runs llvm-mc (15 if it is there, LLVM_MC names another) on a whole text at once: one process for
 * many instructions. Programs that need it are skipped where it is not installed. */
#ifndef TESTS_ISA_ASM_H
#define TESTS_ISA_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The GPU of the texts, for the functions of src/isa. */
#define ASM_ARCH (&isa_archs[ISA_ARCH_gfx90a])

/* Says on stderr what is missing. A program that needs the assembler then ends with status 77. */
bool asm_available(void);

/* The GPU whose text and words the functions below take from here on, options of llvm-mc behind its
 * name: gfx940 where the assembler has that and no gfx942. Whether there is one or the other, and
 * whether the assembler knows the very name. */
void asm_set_gpu(const char *name);
bool asm_takes_gpu(const char *name);
bool asm_knows_gpu(const char *name);

/* Assembles `text` (lines; labels allowed). *words is malloc'ed, the caller frees it. Returns the
 * number of dwords, 0 with a message on stderr if the text does not assemble. */
size_t asm_words(const char *text, uint32_t **words);

/* Disassembles n dwords: one line of LLVM's text per instruction, leading blanks removed, in a
 * malloc'ed string. NULL with a message on stderr on failure. Lines of what is no instruction are
 * absent. */
char *asm_disassemble(const uint32_t *words, size_t n);

enum { ASM_DWORDS = 5 }; /* of an instruction at most */

/* As asm_disassemble, but each row is decoded on its own and gives exactly one line, empty where it
 * is no instruction: rows[k] has size[k] dwords. */
char *asm_disassemble_rows(const uint32_t (*rows)[ASM_DWORDS], const unsigned *size, size_t n_rows);

/* LLVM's version that does all this, 0 if it does not tell. */
unsigned asm_version(void);

#endif
