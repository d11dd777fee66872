/* check.h - what is wrong with a program that runs on the software GPU: options, kinds, reports.
 *
 * The kinds are one table. Whoever finds something fills in a finding; equal ones are counted and
 * the first of them is reported at once. */
#ifndef SOFTGPU_CHECK_CHECK_H
#define SOFTGPU_CHECK_CHECK_H

#include "softgpu/check/places.h"

#include <stddef.h>

/* X(id, name): what can be asked for. */
#define CHK_FAMILIES(X)                                                                            \
    X(MEMORY, "memory")                                                                            \
    X(INIT, "init")                                                                                \
    X(RACE, "race")                                                                                \
    X(SYNC, "sync")                                                                                \
    X(HAZARD, "hazard")

enum {
#define X(id, name) CHK_BIT_OF_##id,
    CHK_FAMILIES(X)
#undef X
#define X(id, name) CHK_##id = 1 << CHK_BIT_OF_##id,
        CHK_FAMILIES(X)
#undef X
};

/* X(id, family, name, text, help): a name of a finding for scripts, what a report of it begins
 * with, and a sentence or two on what it means. A list for each family. */
#define CHK_MEMORY_KINDS(X)                                                                        \
    X(READ, MEMORY, "invalid-read", "invalid read",                                                \
      "Lanes read what is in no allocation: beyond its end, before its begin, or given back.")     \
    X(WRITE, MEMORY, "invalid-write", "invalid write",                                             \
      "Lanes write what is in no allocation: beyond its end, before its begin, or given back.")    \
    X(ATOMIC, MEMORY, "invalid-atomic", "invalid atomic access",                                   \
      "Lanes change what is in no allocation: beyond its end, before its begin, or given back.")   \
    X(MISALIGNED, MEMORY, "misaligned-atomic", "misaligned atomic access",                         \
      "The address of an atomic access has to be a multiple of its size.")                         \
    X(LDS_READ, MEMORY, "lds-read", "read beyond the LDS of the workgroup",                        \
      "The workgroup has the LDS that its dispatch asks for; what is beyond it reads as 0.")       \
    X(LDS_WRITE, MEMORY, "lds-write", "write beyond the LDS of the workgroup",                     \
      "The workgroup has the LDS that its dispatch asks for; writes beyond it are lost.")          \
    X(FREE, MEMORY, "invalid-free", "free of what has not been given out",                         \
      "No allocation begins at the address.")                                                      \
    X(DOUBLE_FREE, MEMORY, "double-free", "free of what has been taken back",                      \
      "The allocation that began at the address has been taken back already.")
#define CHK_INIT_KINDS(X)
#define CHK_RACE_KINDS(X)
#define CHK_SYNC_KINDS(X)                                                                          \
    X(BARRIER_EXIT, SYNC, "barrier-exit", "waves have ended while others wait at a barrier",       \
      "A barrier is for all waves of a workgroup; those that have ended do not come to it.")       \
    X(BARRIER_PLACE, SYNC, "barrier-place", "waves wait at different barriers",                    \
      "Each barrier counts for the other: waves are let go that have not met.")
#define CHK_HAZARD_KINDS(X)

#define CHK_KINDS(X)                                                                               \
    CHK_MEMORY_KINDS(X)                                                                            \
    CHK_INIT_KINDS(X)                                                                              \
    CHK_RACE_KINDS(X)                                                                              \
    CHK_SYNC_KINDS(X)                                                                              \
    CHK_HAZARD_KINDS(X)

typedef enum {
#define X(id, family, name, text, help) CHK_KIND_##id,
    CHK_KINDS(X)
#undef X
        CHK_KIND_COUNT
} chk_kind_t;

struct sg_memory;

/* Another access that a finding is about: the earlier one of a race, where a value comes from. */
typedef struct {
    const char *what; /* "earlier write"; NULL: there is none */
    uint64_t pc;      /* 0: not on the GPU */
    uint32_t words[3], n_words;
    uint64_t kernel_object, dispatch; /* dispatch: its serial */
    uint32_t group[3], wave, lane;
} chk_other_t;

/* One finding, at an instruction of a kernel or, where `pc` is 0, in a call of the program's. */
typedef struct {
    chk_kind_t kind;
    uint32_t bytes; /* of the access; 0: none */
    uint64_t pc;    /* of the instruction on the GPU */
    const struct sg_memory *memory;
    uint64_t kernel_object;
    uint32_t group[3], wave, lane; /* lane: the first */
    uint32_t lanes;                /* of this wave */
    const uint32_t *words;         /* the instruction's code, up to 3 */
    uint32_t n_words;
    bool at_address; /* there is one: */
    uint64_t va;     /* of the first lane's access */
    chk_other_t other;
    const char *more;         /* another line, or NULL */
    const char *call;         /* of the program's, or NULL, */
    const chk_stack_t *stack; /* and where it was */
} chk_finding_t;

/* CHK_MEMORY and others as the environment asks for; 0: nothing is checked. */
unsigned chk_wanted(void);
/* Part of the names of the kernels that are looked at; NULL: all are. */
const char *chk_kernels(void);

/* May be called from any thread; takes locks, reads debug information. */
void chk_report(const chk_finding_t *f);
/* What there was, at the end of the process. */
void chk_summary(void);

/* ---- where.c ---- */

/* An ELF file of a code object, of which the program has told; copied. */
void chk_code_add(const void *elf, size_t bytes);
/* " at FILE:LINE" of an instruction on the GPU, and the function it is in; "" what is not known. */
void chk_where_code(const struct sg_memory *m, uint64_t pc, char *function, size_t function_room,
                    char *line, size_t line_room);
/* "FILE:LINE" of the innermost frame that is the program's own, else its function or object. */
void chk_where_call(const chk_stack_t *s, char *text, size_t room);
/* The stack of the caller. */
void chk_stack_take(chk_stack_t *s);

#endif
