/* observe.h - observing the instructions that a wave runs: counts, interruptions, hooks.
 *
 * A core has several run loops (run.c). The plain one observes nothing and costs nothing; the
 * counting one adds to a few sums; the observed one calls hooks. The observed loop also calls the
 * checker and the census itself. Hooks could not do it: an instruction that waits is tried several
 * times, and only the loop knows which try begins it and which completes it. */
#ifndef SOFTGPU_ISA_OBSERVE_H
#define SOFTGPU_ISA_OBSERVE_H

#include "softgpu/isa/table.h"
#include "softgpu/isa/wave.h"

/* Counts by instruction. Whoever wants sums by class adds them up with the help of isa_table. */
typedef struct {
    uint64_t runs[ISA_OP_COUNT];  /* how often waves have executed it */
    uint64_t lanes[ISA_OP_COUNT]; /* lanes that were active right before, summed over the runs */
} isa_tally_t;

/* ---- counting ---- */

/* Instructions that no counter tells apart share a bucket, so that the sums are few: they fit into
 * the host's L1 cache and take little time to add up. Bucket b is at index b, and at
 * ISA_BUCKETS + b for instructions that run with EXEC 0. */
enum { ISA_BUCKETS = 128 };

typedef struct isa_counter {
    const uint8_t *bucket; /* by ISA_OP_* */
    uint64_t runs[2 * ISA_BUCKETS];
    uint64_t lanes[2 * ISA_BUCKETS];
} isa_counter_t;

static inline void isa_count(isa_counter_t *c, uint64_t exec, const isa_inst_t *i)
{
    const unsigned at = c->bucket[i->op] + (exec ? 0 : ISA_BUCKETS);
    c->runs[at]++;
    c->lanes[at] += exec == ~UINT64_C(0) ? ISA_LANES : (unsigned)__builtin_popcountll(exec);
}

/* ---- interruptions ---- */

/* Asks waves to stop between two instructions: as soon as *tick differs from `seen`, or whenever a
 * wave has run `period` more instructions. One thread uses this structure; all share the tick. */
typedef struct {
    _Atomic(uint32_t) *tick; /* or NULL */
    uint32_t seen;
    uint64_t period; /* 0: only the tick counts */
} isa_interrupt_t;

static inline bool isa_interrupted(const isa_interrupt_t *t, isa_wave_t *w)
{
    if (!t->period) return atomic_load_explicit(t->tick, memory_order_relaxed) != t->seen;
    if (--w->until_interrupt) return false;
    w->until_interrupt = t->period;
    return true;
}

/* ---- hooks ---- */

typedef struct isa_observer isa_observer_t;

/* Called on the thread that runs the wave, right before or right after it executes *i at `pc`. The
 * hook may read the wave's whole state. It is also called for an instruction that stops the wave,
 * but not after one that will be tried again. */
typedef void isa_observe_fn_t(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, uint64_t pc);

/* Used by one wave at a time. The observers of one thread may share a tally. A trap handler is run
 * by the plain loop: its instructions are neither reported nor interrupted. The check and the
 * census are called when run_checked() and run_census() would call them. */
struct isa_observer {
    struct isa_check *check;   /* or NULL */
    struct isa_census *census; /* or NULL */
    isa_tally_t *tally;        /* or NULL */
    isa_observe_fn_t *before;  /* or NULL; uses `before_user`: `after` may be someone else's */
    isa_observe_fn_t *after;   /* or NULL */
    void *before_user;
    const isa_interrupt_t *interrupt; /* or NULL */
};

#endif
