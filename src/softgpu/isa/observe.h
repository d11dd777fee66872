/* observe.h - observing every instruction a wave runs: exact counts, and hooks for a trace.
 *
 * A core has several versions of its run loop (run.c, run_loop.h). The plain one does none of this
 * and costs nothing; the counting one adds to a few sums; the observed one calls hooks. A check or
 * a census that works beside an observer is called by the observed loop itself, never from a hook:
 * only the loops know when an instruction begins and when it has run, which depends on its
 * handler. */
#ifndef SOFTGPU_ISA_OBSERVE_H
#define SOFTGPU_ISA_OBSERVE_H

#include "softgpu/isa/table.h"
#include "softgpu/isa/wave.h"

/* Indexed by ISA_OP_*: classes and all else that counters group by are columns of isa_table. */
typedef struct {
    uint64_t runs[ISA_OP_COUNT];  /* wave instructions */
    uint64_t lanes[ISA_OP_COUNT]; /* the sum of their active lanes, before each of them */
} isa_tally_t;

/* ---- counting ---- */

/* Instructions that no counter tells apart share a bucket: the sums stay in the nearest cache and
 * are soon added up. Those without a lane enabled count in the upper half. */
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

/* Asks waves to stop between two instructions: when *tick is another than `seen`, or each has run
 * `period` more instructions. Belongs to one thread; the tick to all. */
typedef struct {
    _Atomic(uint32_t) *tick; /* or NULL */
    uint32_t seen;
    uint64_t period; /* 0: the tick decides */
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

/* Called on the wave's thread right before or after instruction *i at `pc`; it may read everything.
 * An instruction that stops the wave is reported too. */
typedef void isa_observe_fn_t(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, uint64_t pc);

/* Used by one wave at a time. A tally may be shared by the observers of one thread. A trap handler
 * is neither reported nor interrupted: it is run by the plain loop. The check and the census are
 * called as their own loops call them. */
struct isa_observer {
    struct isa_check *check;   /* or NULL */
    struct isa_census *census; /* or NULL */
    isa_tally_t *tally;        /* or NULL */
    isa_observe_fn_t *before; /* or NULL; for `before_user`, since `after` may have another owner */
    isa_observe_fn_t *after;  /* or NULL */
    void *before_user;
    const isa_interrupt_t *interrupt; /* or NULL */
};

#endif
