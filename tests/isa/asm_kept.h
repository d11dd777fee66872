/* asm_kept.h - what asm.c asks the assembler that it keeps, over a socket of whole messages.
 *
 * The assembler says a status, as of waitpid(), when it is ready and after each question. A file of
 * its own, because the two are different processes. */
#ifndef TESTS_ISA_ASM_KEPT_H
#define TESTS_ISA_ASM_KEPT_H

#include <stdbool.h>

#define ASM_KEPT_SOCKET "CROCPROF_ASM_SOCKET" /* the variable that has the descriptor's number */

typedef struct {
    char words[512];            /* options, with blanks between them */
    char input[64], output[64]; /* paths of files that exist */
    bool quiet;                 /* nothing on standard error */
} asm_question_t;

#endif
