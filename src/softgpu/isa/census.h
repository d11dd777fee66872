/* census.h - counts of single instructions: where in the code, how often, with how many lanes.
 *
 * A core has a run loop for it (run_loop.h). Every thread has a census of its own for each dispatch
 * that it works for; what goes beyond sums is done by whoever gives it its two functions. */
#ifndef SOFTGPU_ISA_CENSUS_H
#define SOFTGPU_ISA_CENSUS_H

#include "softgpu/instruction_counts.h"
#include "softgpu/isa/code.h"
#include "softgpu/isa/wave.h"

/* What is looked at besides EXEC. */
typedef enum {
    ISA_CENSUS_PLAIN,
    ISA_CENSUS_MASK,   /* may change EXEC: compared behind it */
    ISA_CENSUS_BRANCH, /* takes from the slice when it is taken */
    ISA_CENSUS_MORE    /* isa_census_t.more() is called before it */
} isa_census_kind_t;

typedef struct {
    softgpu_instruction_counts_t n; /* but for what `full` adds */
    uint64_t full;                  /* times with every lane active */
    uint64_t pipe[6];               /* clocks that it holds each pipe of the timing model */
    uint64_t pc;
    uint32_t words[3];
    uint8_t n_words, kind;
} isa_census_line_t;

typedef struct isa_census_page {
    struct isa_census_page *next;
    const isa_page_t *page;
    uint32_t at[ISA_PAGE_SLOTS + ISA_PAGE_TAIL]; /* place in isa_census_t.line, 0: none yet */
} isa_census_page_t;

typedef struct isa_census isa_census_t;
struct isa_census {
    isa_census_page_t *page; /* of the last instruction; never NULL */
    isa_census_line_t *line; /* [0] is of those that there is no memory for */
    /* The instruction is met for the first time, or on another page than the last: its place in
     * `line`, whose page is then the present one; 0: out of memory. */
    uint32_t (*meet)(isa_census_t *c, const isa_wave_t *w, const isa_inst_t *i);
    void (*more)(isa_census_t *c, isa_census_line_t *l, const isa_wave_t *w, const isa_inst_t *i);
    /* Called before each instruction, to step the clock of the wave; NULL: nothing is modelled. */
    void (*step)(isa_census_t *c, isa_census_line_t *l, isa_wave_t *w, const isa_inst_t *i);
    void *step_user;
};

static inline isa_census_line_t *isa_census_line(isa_census_t *c, const isa_wave_t *w,
                                                 const isa_inst_t *i)
{
    const isa_census_page_t *p = c->page;
    uint32_t at = p->page == w->page ? p->at[i - w->page->slots] : 0;
    if (__builtin_expect(!at, 0)) at = c->meet(c, w, i);
    return &c->line[at];
}

/* The line of *i, which `exec` of the wave's lanes are about to execute. */
static inline isa_census_line_t *isa_census_enter(isa_census_t *c, isa_wave_t *w,
                                                  const isa_inst_t *i)
{
    isa_census_line_t *l = isa_census_line(c, w, i);
    if (w->exec == ~UINT64_C(0)) {
        l->full++;
    } else {
        const unsigned lanes = (unsigned)__builtin_popcountll(w->exec);
        l->n.issued++;
        l->n.lanes += lanes;
        l->n.by_lanes[(lanes + 7) / 8]++;
    }
    if (l->kind == ISA_CENSUS_MORE) c->more(c, l, w, i);
    if (c->step) c->step(c, l, w, i);
    return l;
}

/* Behind it: EXEC and the rest of the slice were these before. */
static inline void isa_census_leave(isa_census_line_t *l, const isa_wave_t *w, uint64_t exec,
                                    int32_t budget)
{
    if (!l || l->kind == ISA_CENSUS_PLAIN) return;
    if (l->kind == ISA_CENSUS_MASK)
        l->n.divergent += w->exec && w->exec != exec && !(w->exec & ~exec);
    else if (l->kind == ISA_CENSUS_BRANCH)
        *(w->budget != budget ? &l->n.taken : &l->n.not_taken) += 1;
}

#endif
