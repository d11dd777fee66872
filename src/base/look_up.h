/* look_up.h - a library that stands before the loader's dlsym and dlvsym.
 *
 * What these answer depends for RTLD_NEXT and RTLD_DEFAULT on who calls: where a library has
 * nothing of its own to answer, the next such function goes on with the caller's own return
 * address, as if nobody stood before it. */
#ifndef CROCPROF_BASE_LOOK_UP_H
#define CROCPROF_BASE_LOOK_UP_H

#include <dlfcn.h>
#include <stdatomic.h>

typedef struct {
    void *answer;
    void *onward; /* the function to go on in; NULL: `answer` is the answer */
} base_looked_up_t;

/* The calling library's own definition of a function; NULL: it has none, or hides it. The loader is
 * not asked. */
void *base_own_definition(const char *name);

/* The first of the libraries behind the calling one, or else of any others, that has such a
 * function; `slot` keeps it. */
void *base_next_definition(_Atomic(void *) *slot, const char *name);

/* Defines `name`, dlsym or dlvsym, which asks the hidden function base_looked_up_t
 * look_up(void *handle, const char *name[, const char *version]) first. */
#define BASE_LOOK_UP_FIRST(name, look_up)                                                          \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n"                                             \
            "    .cfi_startproc\n"                                                                 \
            "    endbr64\n"                                                                        \
            "    pushq %rdi\n"                                                                     \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    pushq %rsi\n"                                                                     \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    pushq %rdx\n"                                                                     \
            "    .cfi_adjust_cfa_offset 8\n"                                                       \
            "    call " #look_up "\n"                                                              \
            "    movq %rdx, %r11\n"                                                                \
            "    popq %rdx\n"                                                                      \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    popq %rsi\n"                                                                      \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    popq %rdi\n"                                                                      \
            "    .cfi_adjust_cfa_offset -8\n"                                                      \
            "    testq %r11, %r11\n"                                                               \
            "    jne 1f\n"                                                                         \
            "    ret\n"                                                                            \
            "1:  jmpq *%r11\n"                                                                     \
            "    .cfi_endproc\n"                                                                   \
            ".size " #name ", . - " #name "\n"                                                     \
            ".popsection")

#endif
