/* mix.h - classes of instructions, told by their names.
 *
 * Names of instructions say what they do, on all AMD GPUs alike: so code of a GPU whose encodings
 * we have no table of can be classed once a disassembler has written it as text. */
#ifndef CROCPROF_CODE_MIX_H
#define CROCPROF_CODE_MIX_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, key, text): the key in files and budgets, the text for people. */
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

/* The class of an instruction, by its name or by a text that begins with its name. Accesses to
 * scratch by buffer instructions count as global ones here: the name does not tell them apart. */
code_class_t code_class_of(const char *text);

/* Whether the class reads or writes memory: global, LDS or scratch. */
bool code_class_is_memory(code_class_t c);

/* What an instruction does to the flow of control. */
typedef enum {
    CODE_RUNS_ON, /* to the instruction behind it */
    CODE_JUMPS,   /* to the place in its low 16 bits, never to the one behind */
    CODE_MAY_JUMP,
    CODE_LEAVES, /* to a place in registers, or it ends the wave */
    CODE_CALLS   /* and comes back */
} code_flow_t;
code_flow_t code_flow_of(const char *text);

/* Words of an instruction's text, separated by commas and blanks; "" if there are not so many. The
 * name is word 0. */
enum { CODE_WORD_BYTES = 48 };
const char *code_word(const char *text, unsigned index, char word[CODE_WORD_BYTES]);

#endif
