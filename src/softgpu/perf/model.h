/* model.h - the timing model: clocks of waves, of compute units and of engines' launchers.
 *
 * A file of its own because exact counts need none of it. docs/counters.md has its rules, by which
 * a reader can compute the clocks of a kernel by hand. All functions are called under the model's
 * lock. */
#ifndef SOFTGPU_PERF_MODEL_H
#define SOFTGPU_PERF_MODEL_H

#include "softgpu/perf/internal.h"
#include "softgpu/perf/sqtt.h"

/* The reasons for which a wave waits. ORDER: as in SOFTGPU_INSTRUCTION_MODEL. */
typedef enum {
    SG_WAIT_CODE,
    SG_WAIT_VECTOR,
    SG_WAIT_SCALAR,
    SG_WAIT_LDS,
    SG_WAIT_BARRIER,
    SG_WAIT_MATRIX,
    SG_WAIT_SLEEP,
    SG_WAITS
} sg_wait_t;

enum { SG_FLIGHTS = 64 }; /* more than s_waitcnt of any GPU can count (isa_arch_t.waits_most) */

/* Memory instructions of a wave in flight, oldest first; they return in order. */
typedef struct {
    uint64_t done[SG_FLIGHTS];
    uint8_t wait[SG_FLIGHTS];   /* sg_wait_t */
    uint16_t lines[SG_FLIGHTS]; /* lines that each load has requested from L2 */
    uint8_t first, n;
} sg_flight_t;

/* The clock of a wave as if it were alone on its compute unit, since its workgroup started. */
typedef struct {
    uint64_t now;
    uint64_t code; /* address of the piece of code that was fetched last, ~0: none */
    uint64_t matrix_free;
    uint64_t pipe[SG_PIPES]; /* clocks for which it has occupied each pipe */
    uint64_t waited;
    uint64_t asked;    /* when it issued its first vector memory instruction, ~0: never */
    uint64_t *by_wait; /* [SG_WAITS], sums of the clocks waited by sg_wait_t, or NULL */
    uint64_t vmem_level, load_level, smem_level, lds_level, fetch_level, fetches;
    uint32_t lines, most_lines; /* lines that its loads have in flight: now, and the most so far */
    /* of vector memory; returning atomics are loads, others stores */
    uint64_t loads, loads_first; /* all, and those before the first store */
    bool stored;
    unsigned unit; /* compute unit */
    uint8_t simd;
    bool ended;
    /* The wave has issued s_barrier_wait. Until its next instruction, `code` is ~0, so that this is
     * not taken for a quick one, and `held` is what `code` was. */
    bool parked;
    uint64_t held;
    /* vs: stores, where a counter of their own counts them (isa_arch_t.stores_apart). km: scalar
     * memory, where LDS has another counter (isa_arch_t.lds_apart). samples and rays: samples of
     * images and tests of rays, where each kind has its counter (isa_arch_t.samples_apart). direct:
     * direct loads from LDS, which expcnt counts. */
    sg_flight_t vm, vs, lgkm, km, samples, rays, direct;
} sg_wave_clock_t;

typedef struct {
    const sg_profile_t *profile;
    const isa_arch_t *arch;
    sgc_t *caches;
    const sgc_tallies_t *tallies;
    uint64_t start; /* when the workgroup started, in clocks since its dispatch began */
} sg_clock_of_t;

/* The barrier of a workgroup at which waves signal and wait apart, in clocks of the workgroup. */
typedef struct {
    uint64_t signalled; /* when the last wave so far has signalled in this turn */
    uint64_t completed; /* when the last turn completed */
} sg_barrier_clock_t;

void sg_wave_clock_start(sg_wave_clock_t *c, unsigned unit, uint8_t simd);
/* As sg_wave_clock_step(), for ALU instructions that wait for nothing and whose code has been
 * fetched already. For other instructions it does nothing and returns false. */
static inline bool sg_wave_clock_quick(sg_wave_clock_t *c, const sg_traits_t *t, uint64_t pc)
{
    if (pc - c->code >= SGC_FETCH) return false;
    if (t->klass == ISA_CLASS_VALU && t->flow == SG_FLOW_PLAIN)
        c->pipe[SG_PIPE_VALU] += t->issue;
    else if (t->klass == ISA_CLASS_SALU)
        c->pipe[SG_PIPE_SCALAR] += t->issue;
    else
        return false;
    c->now += t->issue;
    return true;
}
/* The wave issues *i. */
void sg_wave_clock_step(sg_wave_clock_t *c, const sg_clock_of_t *of, isa_watch_t *watch,
                        const isa_wave_t *w, const isa_inst_t *i, const sg_traits_t *t);
/* The wave, which is parked, goes on at `to`, or now if that is later. */
void sg_wave_clock_unpark(sg_wave_clock_t *c, uint64_t to);
/* The wave waits until `to`; nothing happens if that is not later than now. */
void sg_wave_clock_wait(sg_wave_clock_t *c, uint64_t to, sg_wait_t what);

/* account.c: the cost of one instruction, for its line in the census. sg_account_open() is called
 * before the wave's clock steps over the instruction, sg_account_close() after. */
typedef struct {
    uint64_t now, waited;
    bool more;   /* it uses pipes, caches or new code: only then the members below are set */
    bool memory; /* it accesses memory or LDS */
    uint64_t pipe[SG_PIPES];
    uint64_t vmem_level, smem_level, lds_level;
    sgc_tallies_t caches;
} sg_account_t;

void sg_account_open(sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                     const sg_traits_t *t, uint64_t pc, isa_census_line_t *l);
void sg_account_close(const sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                      isa_census_line_t *l);

/* The facts about a workgroup that has run, for sg_schedule_add(). */
typedef struct sg_ran {
    struct sg_ran
        *next; /* in the list of workgroups that wait to be placed after those with smaller ids */
    uint64_t id;
    uint32_t unit, n_waves;
    bool counted;            /* SQ counts its waves */
    sgc_moved_t below;       /* bytes moved below L2 while it ran */
    uint64_t asked;          /* when the first of its waves accessed memory, since its start */
    uint64_t waited;         /* clocks that its waves waited, each as if it were alone */
    sg_sqtt_group_t *traced; /* or NULL */
    struct {
        uint64_t clocks; /* its duration, as if it were alone */
        uint64_t pipe[SG_PIPES];
        uint64_t vector, loads, scalar; /* clocks of memory instructions, added up */
        uint64_t n_loads, n_first;      /* its loads, and those before its first store */
        uint32_t lines;                 /* the most lines that its loads had in flight */
        uint8_t simd;
    } wave[ISA_GROUP_WAVES];
} sg_ran_t;

/* The places and times of a dispatch's workgroups; times are in clocks since the dispatch began. */
typedef struct sg_schedule sg_schedule_t;
sg_schedule_t *sg_schedule_create(sg_perf_t *p, const sg_perf_launch_t *launch);
/* The thread trace of the dispatch, or NULL. */
sg_sqtt_run_t *sg_schedule_trace(sg_schedule_t *s);
/* The first workgroup is about to run. */
void sg_schedule_begin(sg_schedule_t *s);
/* When a workgroup starts. Only the members id, unit, counted, n_waves and the waves' SIMDs of *ran
 * have to be set. To be called once, before the workgroup is added; the result is too early if
 * workgroups before it have not been added yet. */
uint64_t sg_schedule_start(sg_schedule_t *s, const sg_ran_t *ran);
/* Places a workgroup that has run, and adds its clocks to the sums of the units. Workgroups may be
 * added in any order. */
void sg_schedule_add(sg_schedule_t *s, const sg_ran_t *ran);
/* The sums of the workgroup that was added last have been added to its compute unit: streamed
 * counters and thread traces sample the difference. */
void sg_schedule_counted(sg_schedule_t *s);
/* Adds the remaining sums and those of the dispatch as a whole, and frees the schedule. Returns the
 * clocks in which the dispatch had waves. */
uint64_t sg_schedule_end(sg_schedule_t *s, sg_perf_contention_t *contention);

#endif
