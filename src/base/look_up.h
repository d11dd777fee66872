/* look_up.h - for a library that defines dlsym, dlvsym or dlopen in front of the loader's.
 *
 * The result of these functions may depend on the address of their caller: with RTLD_NEXT and
 * RTLD_DEFAULT, and by the folders that dlopen() searches. So where the library has no result of
 * its own, it must not call the next dlsym but jump to it with the stack unchanged, as if the
 * program had called the next dlsym directly. */
#ifndef CROCPROF_BASE_LOOK_UP_H
#define CROCPROF_BASE_LOOK_UP_H

#include <dlfcn.h>
#include <stdatomic.h>

typedef struct {
    void *answer;
    void *onward; /* the function to jump to; NULL: `answer` is the result */
} base_looked_up_t;

/* Returns the calling library's own definition of a function; NULL if it has none or hides it
 * (hide.h). Does not call the loader. */
void *base_own_definition(const char *name);

/* Returns the definition of `name` in the first library behind the calling one, or else in any
 * other library; NULL if there is none. `slot` caches the result. */
void *base_next_definition(_Atomic(void *) *slot, const char *name);

/* Defines the function `name` (dlsym, dlvsym or dlopen) in assembly. It first calls the hidden
 * function base_looked_up_t look_up(first, second, third, const void *caller) with the
 * function's arguments and the address of its caller. For dlsym and dlopen, which have two
 * arguments, the value of `third` is undefined. */
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
            "    movq 24(%rsp), %rcx\n"                                                            \
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
