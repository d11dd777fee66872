/* watch.h - the observers of the instructions that a wave runs: counts, subscribers, interruptions.
 *
 * Statistics, traces, the models of caches and time, and the checker are subscribers. Only the run
 * loop (run.c) decides when an instruction is issued, when it is about to run and when it has run,
 * so that each subscriber sees the same events, whatever other subscribers there are. A wave
 * without observers has no cost. */
#ifndef SOFTGPU_EXEC_WATCH_H
#define SOFTGPU_EXEC_WATCH_H

#include "isa/table.h"
#include "softgpu/exec/wave.h"

/* ---- counting by buckets ---- */

enum {
    /* Instructions that no counter distinguishes share a bucket, so that the sums are few: they fit
     * into the host's L1 cache and take little time to add up. Bucket b is at index b, and at
     * ISA_BUCKETS + b for instructions that run with EXEC 0. */
    ISA_BUCKETS = 192,
    /* Groups of instructions in one translation, at most: each has an instruction of its own
     * (translate_sums.c). */
    ISA_GROUPS = 512,
    /* A group has one number for its active lanes and for its runs with EXEC 0: the runs are the
     * bits from here on. */
    ISA_IDLE_SHIFT = 40,
    /* When a group may have run more often than this, isa_counter_settle() is called at the end of
     * the wave's turn. */
    ISA_SETTLE_AFTER = 1 << 20,
    /* The longest slice of a counted wave. The wave takes one branch more than that at most in a
     * turn; a group runs once at most in front of the first, and once behind each. */
    ISA_SLICE_MOST = 1 << 20,
    ISA_GROUP_RUNS_MOST = ISA_SETTLE_AFTER + ISA_SLICE_MOST + 2
};
_Static_assert(ISA_GROUP_RUNS_MOST < 1 << (64 - ISA_IDLE_SHIFT), "runs with EXEC 0 need more bits");
_Static_assert(UINT64_C(64) * ISA_GROUP_RUNS_MOST < UINT64_C(1) << ISA_IDLE_SHIFT,
               "active lanes need more bits");

typedef struct isa_counter {
    /* by ISA_OP_*; it never changes, and stays as long as the code that waves have run with it:
       translated code has its numbers */
    const uint8_t *bucket;
    uint64_t runs[2 * ISA_BUCKETS];
    uint64_t lanes[2 * ISA_BUCKETS]; /* lanes that were active, summed over the runs */
    uint64_t flat_lds_only;          /* FLAT instructions whose lanes were all in LDS */
    uint64_t buffer_returns;         /* atomic operations on buffers and images that return data */
    /* What translated code has counted by groups of instructions, and isa_counter_settle() adds to
     * the sums: the translated code (NULL: there is nothing to add), its table of groups, how often
     * each group has run and with how many lanes, and, from bit ISA_IDLE_SHIFT on, how often
     * without any. `at_most`: no group has run more often. */
    const void *code;
    const uint16_t *groups;
    uint32_t at_most;
    uint32_t times[ISA_GROUPS];
    uint64_t active[ISA_GROUPS];
} isa_counter_t;

/* translate_sums.c: brings the sums up to date. Called before they are read, while the code that
 * the waves have run is still there. */
void isa_counter_settle(isa_counter_t *c);

/* watch.c: whether the active lanes of a FLAT instruction, one at least, are all in LDS. */
bool isa_flat_is_lds(const isa_wave_t *w, const isa_inst_t *i);

/* Whether the instruction is of a buffer or an image, with the bit by which atomic operations
 * return data. */
static inline bool isa_is_buffer_glc(const isa_inst_t *i)
{
    return i->fmt >= ISA_FMT_MUBUF && i->fmt <= ISA_FMT_MIMG && i->flags & ISA_F_GLC;
}

/* Whether isa_count_run() is all that there is to count of *i. Most instructions access no memory,
 * and are told by one test: FLAT is the first of the formats of vector memory. */
static inline bool isa_count_is_plain(const isa_inst_t *i)
{
    return __builtin_expect(i->fmt < ISA_FMT_FLAT, 1) ||
           (i->fmt != ISA_FMT_FLAT && !isa_is_buffer_glc(i));
}

/* Adds so many runs of *i and their lanes, modulo 2^64. Returns the bucket. */
static inline unsigned isa_add_run(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i,
                                   uint64_t times)
{
    const uint64_t exec = w->exec;
    const unsigned bucket = c->bucket[i->op], at = bucket + (exec ? 0 : ISA_BUCKETS);
    c->runs[at] += times;
    c->lanes[at] += times * isa_lane_count(exec);
    return bucket;
}

/* Adds what there is to count of so many runs of *i besides isa_add_run(): only accesses to memory
 * have it. */
static inline void isa_add_access(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i,
                                  uint64_t times)
{
    if (isa_count_is_plain(i)) return;
    if (i->fmt == ISA_FMT_FLAT)
        c->flat_lds_only += isa_flat_is_lds(w, i) ? times : 0;
    else
        c->buffer_returns += isa_table[i->op].klass == ISA_CLASS_VMEM_AT ? times : 0;
}

/* Counts a run of *i and its lanes. Returns the bucket. */
static inline unsigned isa_count_run(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i)
{
    return isa_add_run(c, w, i, 1);
}

/* Counts what there is to count of *i besides isa_count_run(). */
static inline void isa_count_access(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_add_access(c, w, i, 1);
}

/* Counts *i, which the wave is about to run for the first time. */
static inline void isa_count(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_count_run(c, w, i);
    isa_count_access(c, w, i);
}

/* Takes back what isa_count() has counted of *i. EXEC and registers are as they were then. */
static inline void isa_uncount(isa_counter_t *c, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_add_run(c, w, i, UINT64_MAX);
    isa_add_access(c, w, i, UINT64_MAX);
}

/* The buckets by which the wave is counted, if nothing else observes it; else NULL. */
static inline const uint8_t *isa_buckets_of(const isa_wave_t *w)
{
    return w->counter ? w->counter->bucket : NULL;
}

/* ---- interruptions ---- */

/* When waves stop between two instructions: as soon as *tick differs from `seen`, or whenever a
 * wave has run `period` more instructions; with `snapshots`, as soon as a snapshot of the wave is
 * due. One thread uses this structure; all threads share the tick. */
typedef struct {
    _Atomic(uint32_t) *tick; /* or NULL */
    uint32_t seen;
    uint64_t period; /* 0: only the tick counts */
    bool snapshots;
} isa_interrupt_t;

static inline bool isa_interrupted(const isa_interrupt_t *t, isa_wave_t *w)
{
    if (t->snapshots && w->snapshot.due) return true;
    if (!t->period) return atomic_load_explicit(t->tick, memory_order_relaxed) != t->seen;
    if (--w->until_interrupt) return false;
    w->until_interrupt = t->period;
    return true;
}

/* ---- subscribers ----
 *
 * A row of `clients` in device/count.c adds its subscriber to the watch of each workgroup.
 * Subscribers are called in the order in which they were added, after the counter and the
 * census. */

typedef struct isa_watch isa_watch_t;
typedef struct isa_subscriber isa_subscriber_t;

/* The events of an instruction that a subscriber can want. */
enum {
    /* the wave issues the instruction. An instruction that waits is tried several times but issued
       once */
    ISA_WANTS_ISSUE = 1,
    /* the instruction is about to do its work. This event comes right after ISSUE, except for a
       store to LDS that lets other waves run first (lds.h): the subscriber sees LDS as those waves
       have left it */
    ISA_WANTS_BEFORE = 2,
    /* the instruction has run, or has stopped the wave for good. This event does not come if the
       program unmaps memory while the instruction accesses it, or if the run is cancelled before
       its last try */
    ISA_WANTS_AFTER = 4
};

/* Called on the thread that runs the wave. The function may read the wave's whole state. */
typedef void isa_event_fn_t(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w,
                            const isa_inst_t *i);

struct isa_subscriber {
    const uint8_t *wants;                   /* by ISA_OP_*: ISA_WANTS_* */
    isa_event_fn_t *issue, *before, *after; /* the functions for the wanted events */
};

/* watch.c: `wants` of a subscriber that wants ISA_WANTS_ISSUE of every instruction. A loop is made
 * for subscribers that have this array. */
extern const uint8_t isa_wants_each_issue[ISA_OP_COUNT];

enum {
    ISA_SUBSCRIBERS_MAX = 4
}; /* statistics, checker, the checker's search for stalls, counters */

/* The observers of the waves of one workgroup; one thread at a time uses it. A trap handler runs
 * without observers. */
struct isa_watch {
    isa_counter_t *counter;    /* counts by buckets, or NULL */
    struct isa_census *census; /* counts each instruction of the code (census.h), or NULL */
    unsigned n_subscribers;
    isa_subscriber_t *subscriber[ISA_SUBSCRIBERS_MAX];
    const isa_interrupt_t *interrupt; /* or NULL */

    /* For subscribers: EXEC before the instruction, if AFTER is wanted, and the line of the
     * instruction if the census counts it. Valid while subscribers are called. */
    uint64_t exec;
    struct isa_census_line *line;
    /* Addresses of the instruction that subscribers have computed and share (cache/reach.h). The
     * loop sets `known` to 0 before each instruction. */
    struct sgc_seen *seen;
    unsigned known;
};

static inline void isa_watch_add(isa_watch_t *watch, isa_subscriber_t *s)
{
    if (watch->n_subscribers < ISA_SUBSCRIBERS_MAX) watch->subscriber[watch->n_subscribers++] = s;
}

/* Whether there is an observer. If not, the plain loop can run the waves. */
static inline bool isa_watched(const isa_watch_t *watch)
{
    return watch->n_subscribers || watch->counter || watch->census || watch->interrupt;
}

#endif
