/* check.h - findings (mistakes of a program on the software GPU) and their reports; also the source
 * lines that reports name.
 *
 * A check fills in a finding and calls chk_report(). Equal findings are counted and reported once:
 * when their dispatch has ended, or about a second later if it does not end. */
#ifndef SOFTGPU_CHECK_CHECK_H
#define SOFTGPU_CHECK_CHECK_H

#include "softgpu/check/kinds.h"
#include "softgpu/check/places.h"

#include <stddef.h>

struct sg_memory;

/* The other access of a finding: the earlier one of a race, or the load that read an undefined
 * value. */
typedef struct {
    const char *what; /* such as "earlier write"; NULL: there is no other access */
    uint64_t pc;      /* 0: it was not made by an instruction on the GPU */
    uint32_t words[3], n_words;
    uint64_t kernel_object, dispatch; /* dispatch: the serial */
    uint64_t request; /* number of the program's call for which the access was made (request.h) */
    uint32_t group[3], wave, lane;
    bool whole_wave;          /* the access belongs to the wave, not to one lane */
    const char *call;         /* name of the program's call, or NULL, */
    const chk_stack_t *stack; /* and where it was made */
} chk_other_t;

/* One finding: at an instruction of a kernel, or, if `pc` is 0, in a call by the program. */
typedef struct {
    chk_kind_t kind;
    uint64_t bytes; /* of the access; 0: not given */
    uint64_t pc;    /* of the instruction on the GPU */
    const struct sg_memory *memory;
    uint64_t kernel_object;
    uint32_t group[3], wave, lane; /* lane: the first one concerned */
    uint32_t lanes;                /* how many lanes of this wave */
    const uint32_t *words;         /* the instruction's code, up to 3 dwords */
    uint32_t n_words;
    bool at_address; /* `va` is valid */
    uint64_t va;     /* address of the first lane's access */
    bool behind;     /* the access should have stayed in the allocation that ends at `va` */
    chk_other_t other;
    const char *more;         /* one more line of text, or NULL */
    const char *call;         /* name of the program's call, or NULL, */
    const chk_stack_t *stack; /* and where it was made */
} chk_finding_t;

/* The families (CHK_MEMORY ...) that the environment enables; 0: nothing is checked. */
unsigned chk_wanted(void);
/* Whether strict mode is on for a family (CHK_INIT, CHK_HAZARD or CHK_API): it then also reports
 * what is not necessarily an error. Only valid if something is checked. */
bool chk_strict(unsigned family);
/* False: the environment has an invalid option, and that has been reported. */
bool chk_ready(void);
/* chk_chooses(): only kernels with certain names are checked. chk_chosen(): whether `kernel`, a
 * name as in the source, is one of them. Only valid if something is checked. */
bool chk_chooses(void);
bool chk_chosen(const char *kernel);

/* Records a finding, from any thread; takes locks. The report is written now or when the dispatch
 * has ended; writing it reads debug information and writes files. */
void chk_report(const chk_finding_t *f);
/* Writes all findings that are not written yet. Called when a dispatch has ended, and before the
 * process may end. */
void chk_flush(void);
/* Writes the summary at the end of the process. */
void chk_summary(void);
/* Records how the process ends, for the summary: with an exit status, or by abort. */
void chk_ends(int status, bool aborts);

/* ---- code.c ---- */

/* Copies the ELF file of a code object that the program has loaded. */
void chk_code_add(const void *elf, size_t bytes);

/* Source lines of an instruction on the GPU: its own, then where its function was inlined, and so
 * on outwards; the last is in the function `symbol`. Strings live as long as the process. */
enum { CHK_FRAMES_OF_CODE = 9 };
typedef struct {
    const char *symbol; /* or NULL */
    uint64_t offset;    /* of the instruction in it */
    uint32_t n;         /* 0: no line is known */
    uint32_t own;       /* the first line that is in no system header; 0 if all are */
    const char *file[CHK_FRAMES_OF_CODE];
    uint32_t line[CHK_FRAMES_OF_CODE];
    const char *function[CHK_FRAMES_OF_CODE]; /* function of `file[k]`; NULL for the last one */
} chk_code_t;
/* False: no line is known. */
bool chk_where_code(const struct sg_memory *m, uint64_t pc, chk_code_t *at);

/* ---- where.c ---- */

/* Whether the file is a header of the system or of ROCm: code inlined from it was called by the
 * program. */
bool chk_is_system(const char *file);

/* The program's own frames of a stack, innermost first, as source lines. If the first frame has no
 * line: functions of its object, or offsets in the object. */
enum { CHK_CALLS = 8 };
typedef struct {
    char *file; /* NULL: `place` is set instead */
    uint32_t line;
    char *place; /* "function+0x12 in libx.so" */
} chk_call_t;
typedef struct {
    uint32_t n;
    chk_call_t call[CHK_CALLS];
} chk_calls_t;
void chk_where_calls(const chk_stack_t *s, chk_calls_t *calls);
void chk_calls_free(chk_calls_t *calls);
/* Whether the function that called the checker's preloaded library belongs to the program, and not
 * to a runtime or a profiler. */
bool chk_called_by_program(const chk_stack_t *s);
/* Whether the allocation was made at the program's request, and not by a runtime for itself. */
bool chk_made_by_program(const chk_place_t *p);
/* Takes the stack of the calling thread. */
void chk_stack_take(chk_stack_t *s);

#endif
