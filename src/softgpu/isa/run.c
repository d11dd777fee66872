/* run.c - the run loops and the core's entry points.
 *
 * The body of the loops is run_loop.h, from which five functions are made: a plain one, one that
 * counts by buckets, one for the census, one for the checker, and one for an observer. */
#include "softgpu/isa/census.h"
#include "softgpu/isa/check.h"
#include "softgpu/isa/core.h"
#include "softgpu/isa/lds.h"
#include "softgpu/isa/observe.h"

#include <xmmintrin.h>

#define ISA_STR_(x) #x
#define ISA_STR(x)  ISA_STR_(x)

bool isa_go_to(isa_wave_t *w, uint64_t pc)
{
    isa_page_t *page = NULL;
    if (!(pc & 3)) page = isa_code_page(w->group->dispatch->code, &ISA_THIS_CORE, pc);
    if (!page) {
        w->stop = ISA_STOP_MEMORY;
        w->fault_addr = pc;
        w->fault_flags = ISA_FAULT_READ | ISA_FAULT_EXEC;
        return false;
    }
    w->page = page;
    w->ip = &page->slots[pc % ISA_PAGE_BYTES / 4];
    return true;
}

#define ISA_LOOP_HEAD   static isa_stop_t run(isa_wave_t *w, int32_t slice)
#define ISA_LOOP_BEFORE ((void)0)
#define ISA_LOOP_AFTER  ((void)0)
#include "softgpu/isa/run_loop.h"

/* Whether the slot has an instruction. The handlers of slots without one lead to a slot that has:
 * only that is counted and reported. */
#define REAL(fn) ((fn) != isa_slot_undecoded && (fn) != isa_slot_behind)

/* Instructions are counted before they run, so that no state is needed across the handler's call.
 */
#define ISA_LOOP_HEAD static isa_stop_t run_counted(isa_wave_t *w, int32_t slice, isa_counter_t *c)
#define ISA_LOOP_BEFORE                                                                            \
    if (REAL(fn) && !w->repeats) isa_count(c, w->exec, i)
#define ISA_LOOP_AFTER ((void)0)
#include "softgpu/isa/run_loop.h"

#define ISA_LOOP_HEAD static isa_stop_t run_census(isa_wave_t *w, int32_t slice, isa_census_t *c)
#define ISA_LOOP_BEFORE                                                                            \
    const uint64_t exec = w->exec;                                                                 \
    const int32_t budget = w->budget;                                                              \
    isa_census_line_t *line = REAL(fn) && !w->repeats ? isa_census_enter(c, w, i) : NULL
#define ISA_LOOP_AFTER isa_census_leave(line, w, exec, budget)
#include "softgpu/isa/run_loop.h"

/* Whether the checker's `before` is to be called for this try of the instruction. A store to LDS
 * that lets other waves run first (lds.h) does nothing in its first try: the checker has to see the
 * LDS that those waves leave, so its `before` comes with the second try. For other instructions
 * that are tried again, it comes with the first. */
static inline bool begins(isa_wave_t *w, const isa_inst_t *i)
{
    if (w->repeats) return w->lds_turn == ISA_LDS_WAITS;
    return w->lds_turn != ISA_LDS_READ || !isa_ds_lets_go_first(w, i);
}

static inline void check_before(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i)
{
    if (c->looks[i->op] & ISA_CHECK_BEFORE && begins(w, i)) c->before(c, w, i);
}

static inline void check_after(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i)
{
    if (c->looks[i->op] & ISA_CHECK_AFTER && !w->repeats) c->after(c, w, i);
}

/* An instruction that waits and is tried again gets one `before`, and one `after` at its last try.
 */
#define ISA_LOOP_HEAD static isa_stop_t run_checked(isa_wave_t *w, int32_t slice, isa_check_t *c)
#define ISA_LOOP_BEFORE                                                                            \
    const bool real = REAL(fn);                                                                    \
    if (real) check_before(c, w, i)
#define ISA_LOOP_AFTER                                                                             \
    if (real) check_after(c, w, i)
#include "softgpu/isa/run_loop.h"

/* The wave's state before the instruction. */
typedef struct {
    uint64_t exec, pc;
    int32_t budget;
    isa_census_line_t *line; /* or NULL */
} was_t;

static inline void announce(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, was_t *was)
{
    if (o->check) check_before(o->check, w, i);
    if (w->repeats) return;
    if (o->census) was->line = isa_census_enter(o->census, w, i);
    if (o->before) o->before(o, w, i, was->pc);
}

/* An instruction that is going to be tried again is not reported: its last try is. */
static inline void report(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, const was_t *was)
{
    if (o->check) check_after(o->check, w, i);
    isa_census_leave(was->line, w, was->exec, was->budget);
    if (w->repeats) return;
    if (o->tally) {
        o->tally->runs[i->op]++;
        o->tally->lanes[i->op] += (uint64_t)__builtin_popcountll(was->exec);
    }
    if (o->after) o->after(o, w, i, was->pc);
}

#define ISA_LOOP_HEAD                                                                              \
    static isa_stop_t run_observed(isa_wave_t *w, int32_t slice, isa_observer_t *o)
#define ISA_LOOP_BEFORE                                                                            \
    const bool real = REAL(fn);                                                                    \
    was_t was = {.exec = w->exec, .pc = i->pc, .budget = w->budget};                               \
    if (real) announce(o, w, i, &was)
#define ISA_LOOP_AFTER                                                                             \
    if (real) report(o, w, i, &was);                                                               \
    if (real && o->interrupt && !w->stop && isa_interrupted(o->interrupt, w))                      \
    w->stop = ISA_STOP_INTERRUPT
#include "softgpu/isa/run_loop.h"

const isa_core_t ISA_THIS_CORE = {
    .name = ISA_STR(ISA_VARIANT),
    .set_pc = isa_go_to,
    .run = run,
    .run_counted = run_counted,
    .run_census = run_census,
    .run_checked = run_checked,
    .run_observed = run_observed,
    .handlers = isa_core_handlers,
};
