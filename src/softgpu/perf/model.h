/* model.h - the timing model: clocks of waves, of compute units and of the launcher.
 *
 * Apart because exact counts need none of it. The rules are those of docs/counters.md, written so
 * that a reader can work a kernel out by hand. All of it runs under the model lock. */
#ifndef SOFTGPU_PERF_MODEL_H
#define SOFTGPU_PERF_MODEL_H

#include "softgpu/perf/internal.h"
#include "softgpu/perf/sqtt.h"

/* What a wave waits for. ORDER: as in SOFTGPU_INSTRUCTION_MODEL. */
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

enum { SG_VM_FLIGHT = 63, SG_LGKM_FLIGHT = 15 }; /* what vmcnt and lgkmcnt can count */

/* Memory instructions in flight, oldest first; they return in order. */
typedef struct {
    uint64_t done[64];
    uint8_t wait[64];   /* sg_wait_t */
    uint16_t lines[64]; /* that each load has asked L2 for */
    uint32_t out, most; /* lines in flight: now, and at most so far */
    uint8_t first, n;
} sg_flight_t;

/* A wave by itself, in clocks since its workgroup started. */
typedef struct {
    uint64_t now;
    uint64_t code; /* what was fetched last, ~0: nothing */
    uint64_t matrix_free;
    uint64_t pipe[SG_PIPES]; /* clocks it occupies each */
    uint64_t waited;
    uint64_t asked;    /* when it issued its first vector memory instruction, ~0: never */
    uint64_t *by_wait; /* [SG_WAITS], where it is told what for, or NULL */
    uint64_t vmem_level, load_level, smem_level, lds_level, fetch_level, fetches;
    uint8_t simd;
    bool ended;
    sg_flight_t vm, lgkm;
} sg_wave_clock_t;

typedef struct {
    const sg_profile_t *profile;
    sgc_t *caches;
    const sgc_tallies_t *tallies;
    unsigned unit;
    uint64_t start; /* of the workgroup, since its dispatch began */
} sg_clock_of_t;

void sg_wave_clock_start(sg_wave_clock_t *c, uint8_t simd);
/* The same as the step below for what needs neither new code nor memory; false, and nothing is
 * done, for all else. */
static inline bool sg_wave_clock_quick(sg_wave_clock_t *c, const sg_traits_t *t, uint64_t pc)
{
    if (pc - c->code >= SGC_FETCH) return false;
    if (t->klass == ISA_CLASS_VALU)
        c->pipe[SG_PIPE_VALU] += t->issue;
    else if (t->klass == ISA_CLASS_SALU)
        c->pipe[SG_PIPE_SCALAR] += t->issue;
    else
        return false;
    c->now += t->issue;
    return true;
}
/* The wave is about to execute *i at `pc`. */
void sg_wave_clock_step(sg_wave_clock_t *c, const sg_clock_of_t *of, const isa_wave_t *w,
                        const isa_inst_t *i, const sg_traits_t *t, uint64_t pc);
/* Until `to`, if that is later. */
void sg_wave_clock_wait(sg_wave_clock_t *c, uint64_t to, sg_wait_t what);

/* account.c: the instruction that the wave's clock is about to step over comes to so much; its step
 * is between the two. */
typedef struct {
    uint64_t now, waited;
    bool more;   /* it uses pipes, caches or new code; the rest is set */
    bool memory; /* LDS among it */
    uint64_t pipe[SG_PIPES];
    uint64_t vmem_level, smem_level, lds_level;
    sgc_tallies_t caches;
} sg_account_t;

void sg_account_open(sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                     const sg_traits_t *t, uint64_t pc, isa_census_line_t *l);
void sg_account_close(const sg_account_t *a, sg_wave_clock_t *c, const sg_clock_of_t *of,
                      isa_census_line_t *l);

/* What the launcher needs of a workgroup that has run. */
typedef struct sg_ran {
    struct sg_ran *next; /* waiting for workgroups with smaller ids */
    uint64_t id;
    uint32_t unit, n_waves;
    bool counted;            /* by SQ */
    sgc_moved_t below;       /* what went below L2 while it ran */
    uint64_t asked;          /* when, since its start, the first of its waves asked for memory */
    uint64_t waited;         /* clocks of its waves, each by itself */
    sg_sqtt_group_t *traced; /* or NULL */
    struct {
        uint64_t clocks; /* by itself */
        uint64_t pipe[SG_PIPES];
        uint64_t vector, loads, scalar; /* clocks of memory instructions, added up */
        uint32_t lines;                 /* that its loads have asked L2 for at once, at most */
        uint8_t simd;
    } wave[ISA_GROUP_WAVES];
} sg_ran_t;

/* Where the workgroups of a dispatch run and when, in clocks since the dispatch began. */
typedef struct sg_schedule sg_schedule_t;
sg_schedule_t *sg_schedule_create(sg_perf_t *p, const sg_perf_launch_t *launch);
/* What traces the dispatch, or NULL. */
sg_sqtt_run_t *sg_schedule_trace(sg_schedule_t *s);
/* The first workgroup is about to run. */
void sg_schedule_begin(sg_schedule_t *s);
/* When a workgroup starts, of which id, unit, `counted`, n_waves and the SIMDs of the waves are
 * known. Once, before it is added; too early if some before it have not been added. */
uint64_t sg_schedule_start(sg_schedule_t *s, const sg_ran_t *ran);
/* In any order; adds the sums that follow to the units. */
void sg_schedule_add(sg_schedule_t *s, const sg_ran_t *ran);
/* The sums of what was added last are complete, those of the compute unit too. */
void sg_schedule_counted(sg_schedule_t *s);
/* Adds what is left, and what the dispatch comes to; frees the schedule. Clocks of its waves. */
uint64_t sg_schedule_end(sg_schedule_t *s, sg_perf_contention_t *contention);

#endif
