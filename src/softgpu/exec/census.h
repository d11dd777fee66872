/* census.h - the census: for each instruction of the code, how often and with how many lanes it
 * ran.
 *
 * The run loop counts (run.c). Every thread has an isa_census_t for the dispatch that it works for.
 * Its functions meet() and more() belong to src/softgpu/perf/census.c: they find places for counts,
 * and count the cache lines that instructions access. */
#ifndef SOFTGPU_EXEC_CENSUS_H
#define SOFTGPU_EXEC_CENSUS_H

#include "softgpu/instruction_counts.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/watch.h"

/* The counts of an instruction besides its runs and its lanes. */
typedef enum {
    ISA_CENSUS_PLAIN,
    ISA_CENSUS_MASK,   /* it may change EXEC: compared after it has run */
    ISA_CENSUS_BRANCH, /* a branch, which was taken if the wave's budget has changed */
    ISA_CENSUS_MORE    /* isa_census_t.more() is called before it */
} isa_census_kind_t;

typedef struct isa_census_line {
    softgpu_instruction_counts_t n; /* runs with all lanes active are in `full` only */
    uint64_t full;                  /* runs with all lanes active */
    uint64_t pipe[6];               /* clocks for which it holds each pipe of the timing model */
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
    isa_census_page_t *page; /* page of the last instruction; never NULL */
    isa_census_line_t *line; /* [0] counts instructions for which there was no memory */
    /* Called when the census has no place for *i on `page`: it is the instruction's first run, or
     * the instruction is on another page than the last one. Returns its place in `line` and makes
     * its page the present one. 0: out of memory. */
    uint32_t (*meet)(isa_census_t *c, const isa_wave_t *w, const isa_inst_t *i);
    void (*more)(isa_census_t *c, isa_census_line_t *l, const isa_wave_t *w, const isa_inst_t *i);
    isa_watch_t *watch; /* the watch that uses the census at present */
    bool costs;         /* the timing model adds the clocks of instructions to their lines */
    unsigned lanes;     /* of the waves that are counted */
};

static inline isa_census_line_t *isa_census_line(isa_census_t *c, const isa_wave_t *w,
                                                 const isa_inst_t *i)
{
    const isa_census_page_t *p = c->page;
    uint32_t at = p->page == w->page ? p->at[i - w->page->slots] : 0;
    if (__builtin_expect(!at, 0)) at = c->meet(c, w, i);
    return &c->line[at];
}

static inline void isa_watch_census(isa_watch_t *watch, isa_census_t *c)
{
    watch->census = c;
    if (c) c->watch = watch;
}

/* Counts *i, which the wave issues. Returns its line. */
static inline isa_census_line_t *isa_census_issue(isa_census_t *c, const isa_wave_t *w,
                                                  const isa_inst_t *i)
{
    isa_census_line_t *l = isa_census_line(c, w, i);
    if (__builtin_expect(w->exec == ISA_ALL_LANES, 1)) {
        l->full++;
    } else {
        const unsigned lanes = isa_lane_count(w->exec);
        l->n.issued++;
        l->n.lanes += lanes;
        l->n.by_lanes[(lanes + 7) / 8]++;
    }
    if (__builtin_expect(l->kind == ISA_CENSUS_MORE, 0)) {
        c->watch->known = 0;
        c->more(c, l, w, i);
    }
    return l;
}

/* Called after the instruction has run. `exec` and `budget` are EXEC and w->budget before it. */
static inline void isa_census_after(isa_census_line_t *l, const isa_wave_t *w, uint64_t exec,
                                    int32_t budget)
{
    if (__builtin_expect(l->kind == ISA_CENSUS_PLAIN, 1)) return;
    if (l->kind == ISA_CENSUS_MASK)
        l->n.divergent += w->exec && w->exec != exec && !(w->exec & ~exec);
    else if (l->kind == ISA_CENSUS_BRANCH)
        *(w->budget != budget ? &l->n.taken : &l->n.not_taken) += 1;
}

#endif
