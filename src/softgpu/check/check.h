/* check.h - what is wrong with a program that runs on the software GPU: findings and their reports.
 *
 * Whoever finds something fills in a finding. Equal ones are counted; they are reported when the
 * dispatch has ended, or a while later where it does not end. */
#ifndef SOFTGPU_CHECK_CHECK_H
#define SOFTGPU_CHECK_CHECK_H

#include "softgpu/check/kinds.h"
#include "softgpu/check/places.h"

#include <stddef.h>

struct sg_memory;

/* Another access that a finding is about: the earlier one of a race, where a value comes from. */
typedef struct {
    const char *what; /* "earlier write"; NULL: there is none */
    uint64_t pc;      /* 0: not on the GPU */
    uint32_t words[3], n_words;
    uint64_t kernel_object, dispatch; /* dispatch: its serial */
    uint64_t asked; /* number of the program's call that has asked for that (asked.h), or 0 */
    uint32_t group[3], wave, lane;
    bool whole_wave;          /* no lane of it */
    const char *call;         /* of the program's, or NULL, */
    const chk_stack_t *stack; /* and where it was */
} chk_other_t;

/* One finding, at an instruction of a kernel or, where `pc` is 0, in a call of the program's. */
typedef struct {
    chk_kind_t kind;
    uint64_t bytes; /* of the access; 0: none */
    uint64_t pc;    /* of the instruction on the GPU */
    const struct sg_memory *memory;
    uint64_t kernel_object;
    uint32_t group[3], wave, lane; /* lane: the first */
    uint32_t lanes;                /* of this wave */
    const uint32_t *words;         /* the instruction's code, up to 3 */
    uint32_t n_words;
    bool at_address; /* there is one: */
    uint64_t va;     /* of the first lane's access */
    bool behind;     /* it is where that ends in which it should be */
    chk_other_t other;
    const char *more;         /* another line, or NULL */
    const char *call;         /* of the program's, or NULL, */
    const chk_stack_t *stack; /* and where it was */
} chk_finding_t;

/* CHK_MEMORY and others as the environment asks for; 0: nothing is checked. */
unsigned chk_wanted(void);
/* Of CHK_INIT, CHK_HAZARD or CHK_API what is no error by itself is wanted, too; only where
 * something is checked. */
bool chk_strict(unsigned family);
/* False: the environment asks for what there is not, which has been told. */
bool chk_ready(void);
/* Whether kernels are chosen by name, and whether one of this name is looked at, as the source
 * writes it; only where something is checked. */
bool chk_chooses(void);
bool chk_chosen(const char *kernel);

/* May be called from any thread; takes locks. At once, or when the dispatch has ended: reads debug
 * information, writes. */
void chk_report(const chk_finding_t *f);
/* Writes what has not been written yet: a dispatch has ended, or the process may. */
void chk_flush(void);
/* What there was, at the end of the process. */
void chk_summary(void);
/* What the summary is to say of how the process ends: with a status, or by abort. */
void chk_ends(int status, bool aborts);

/* ---- code.c ---- */

/* An ELF file of a code object, of which the program has told; copied. */
void chk_code_add(const void *elf, size_t bytes);

/* Lines of an instruction on the GPU: its own, then where its function was inlined, and so on; the
 * last is in the function of the symbol. Texts stay as long as the process. */
enum { CHK_FRAMES_OF_CODE = 9 };
typedef struct {
    const char *symbol; /* or NULL */
    uint64_t offset;    /* of the instruction in it */
    uint32_t n;         /* 0: no line is known */
    uint32_t own;       /* the first that is not in a header of the system's, 0 if all are */
    const char *file[CHK_FRAMES_OF_CODE];
    uint32_t line[CHK_FRAMES_OF_CODE];
    const char *function[CHK_FRAMES_OF_CODE]; /* that `file[k]` is in; NULL for the last */
} chk_code_t;
/* False: no line is known. */
bool chk_where_code(const struct sg_memory *m, uint64_t pc, chk_code_t *at);

/* ---- where.c ---- */

/* Headers of the system and of ROCm: what is inlined from them was called by the program. */
bool chk_is_system(const char *file);

/* The program's own frames of a stack, innermost first: lines; if the first has none, functions of
 * its object, or where in the object it is. */
enum { CHK_CALLS = 8 };
typedef struct {
    char *file; /* NULL: */
    uint32_t line;
    char *place; /* "function+0x12 in libx.so" */
} chk_call_t;
typedef struct {
    uint32_t n;
    chk_call_t call[CHK_CALLS];
} chk_calls_t;
void chk_where_calls(const chk_stack_t *s, chk_calls_t *calls);
void chk_calls_free(chk_calls_t *calls);
/* Whether what stands in front of the runtimes was called by neither of them. */
bool chk_called_by_program(const chk_stack_t *s);
/* Whether the program has asked for the place, and not a runtime for itself. */
bool chk_made_by_program(const chk_place_t *p);
/* The stack of the caller. */
void chk_stack_take(chk_stack_t *s);

#endif
