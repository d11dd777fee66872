/* mix.h - classes of instructions by their names.
 *
 * Equal names of instructions mean the same on all AMD GPUs, so code of a GPU whose encodings are
 * not in src/isa can be classified, too, once a disassembler has written it as text. */
#ifndef CROCPROF_CODE_MIX_H
#define CROCPROF_CODE_MIX_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, key, text): the key is for files and budgets, the text for terminals. */
#define CODE_CLASSES(X)                                                                            \
    X(VALU, "valu", "vector ALU")                                                                  \
    X(TRANS, "transcendental", "transcendental")                                                   \
    X(MATRIX, "matrix", "matrix")                                                                  \
    X(ACC_MOVE, "acc_move", "moves to and from AGPRs")                                             \
    X(SALU, "salu", "scalar ALU")                                                                  \
    X(SMEM, "smem", "scalar memory")                                                               \
    X(VMEM_LOAD, "vmem_load", "global loads")                                                      \
    X(VMEM_STORE, "vmem_store", "global stores")                                                   \
    X(VMEM_ATOMIC, "vmem_atomic", "global atomics")                                                \
    X(LDS_LOAD, "lds_load", "LDS loads")                                                           \
    X(LDS_STORE, "lds_store", "LDS stores")                                                        \
    X(LDS_ATOMIC, "lds_atomic", "LDS atomics")                                                     \
    X(LANE, "lane_exchange", "exchanges between lanes by LDS")                                     \
    X(SCRATCH_LOAD, "scratch_load", "scratch loads")                                               \
    X(SCRATCH_STORE, "scratch_store", "scratch stores")                                            \
    X(BRANCH, "branch", "branches")                                                                \
    X(WAIT, "wait", "waits")                                                                       \
    X(BARRIER, "barrier", "barriers")                                                              \
    X(OTHER, "other", "other")

typedef enum {
#define X(id, key, text) CODE_##id,
    CODE_CLASSES(X)
#undef X
        CODE_CLASS_COUNT
} code_class_t;

extern const char *const code_class_keys[CODE_CLASS_COUNT];
extern const char *const code_class_texts[CODE_CLASS_COUNT];

/* Returns the class of an instruction, by its name or by a text that begins with its name. Accesses
 * to scratch by buffer instructions count as global ones here, since the name is the same. */
code_class_t code_class_of(const char *text);

/* Returns whether the class reads or writes memory: global, LDS or scratch. */
bool code_class_is_memory(code_class_t c);

/* The effect of an instruction on the flow of control. */
typedef enum {
    CODE_RUNS_ON, /* continues with the next instruction */
    CODE_JUMPS,   /* jumps to the address in its low 16 bits, never to the next instruction */
    CODE_MAY_JUMP,
    CODE_LEAVES, /* jumps to an address in registers, or ends the wave */
    CODE_CALLS   /* calls a function, which returns */
} code_flow_t;
code_flow_t code_flow_of(const char *text);

/* Copies a word of an instruction's text; words are separated by commas and blanks. It is "" if
 * there are not as many. The name is word 0. */
enum { CODE_WORD_BYTES = 48 };
const char *code_word(const char *text, unsigned index, char word[CODE_WORD_BYTES]);

#endif
