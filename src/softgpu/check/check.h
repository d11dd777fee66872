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
    X(SYNC, "sync")

enum {
#define X(id, name) CHK_BIT_OF_##id,
    CHK_FAMILIES(X)
#undef X
#define X(id, name) CHK_##id = 1 << CHK_BIT_OF_##id,
        CHK_FAMILIES(X)
#undef X
};

/* X(id, family, name, text): a name of a finding for scripts, and for people. */
#define CHK_KINDS(X)                                                                               \
    X(READ, MEMORY, "invalid-read", "invalid read")                                                \
    X(WRITE, MEMORY, "invalid-write", "invalid write")                                             \
    X(ATOMIC, MEMORY, "invalid-atomic", "invalid atomic access")                                   \
    X(MISALIGNED, MEMORY, "misaligned-atomic", "misaligned atomic access")                         \
    X(LDS_READ, MEMORY, "lds-read", "read beyond the LDS of the workgroup")                        \
    X(LDS_WRITE, MEMORY, "lds-write", "write beyond the LDS of the workgroup")                     \
    X(FREE, MEMORY, "invalid-free", "free of what has not been given out")                         \
    X(DOUBLE_FREE, MEMORY, "double-free", "free of what has been taken back")                      \
    X(BARRIER_EXIT, SYNC, "barrier-exit", "waves have ended while others wait at a barrier")       \
    X(BARRIER_PLACE, SYNC, "barrier-place", "waves wait at different barriers")

typedef enum {
#define X(id, family, name, text) CHK_KIND_##id,
    CHK_KINDS(X)
#undef X
        CHK_KIND_COUNT
} chk_kind_t;

struct sg_memory;

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
    bool at_address;          /* there is one: */
    uint64_t va;              /* of the first lane's access */
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
