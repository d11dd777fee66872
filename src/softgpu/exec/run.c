/* run.c - the run loop and the core's entry points.
 *
 * There is one loop, loop(). The compiler makes several functions of it, each for a constant set of
 * observers: the plain one has no code for observers, each of the others only for those of its
 * set. */
#include "softgpu/exec/census.h"
#include "softgpu/exec/core.h"
#include "softgpu/exec/fpu.h"
#include "softgpu/exec/lds.h"
#include "softgpu/exec/translate.h"
#include "softgpu/exec/watch.h"

#include <xmmintrin.h>

#define ISA_STR_(x) #x
#define ISA_STR(x)  ISA_STR_(x)
#define INLINE      static inline __attribute__((always_inline))

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

/* The observers for which a loop can be made. */
enum {
    COUNTER = 1,
    CENSUS = 2,
    ONE = 4,  /* one subscriber */
    EACH = 8, /* one subscriber with isa_wants_each_issue */
    ANY = 16  /* all observers of the watch, tested at each instruction */
};

/* The state that a loop keeps while an instruction runs. */
typedef struct {
    uint64_t exec; /* EXEC and the budget before the instruction */
    int32_t budget;
    unsigned wants;          /* of all subscribers together */
    isa_census_line_t *line; /* NULL: not counted by the census, or not issued now */
} was_t;

/* The members of the watch that a loop uses: a copy, which the compiler keeps in registers, or
 * constants in a loop that is made for certain observers. */
typedef struct {
    isa_counter_t *counter;
    isa_census_t *census;
    unsigned n;
    isa_subscriber_t *one;
    const uint8_t *wants; /* of `one` */
} who_t;

INLINE bool has(unsigned kinds, unsigned kind, const void *watcher)
{
    return kinds == ANY ? watcher != NULL : kinds & kind;
}

INLINE who_t who(unsigned kinds, const isa_watch_t *watch)
{
    if (!kinds) return (who_t){.n = 0};
    return (who_t){.counter = watch->counter,
                   .census = watch->census,
                   .n = kinds == ANY ? watch->n_subscribers : (kinds & (ONE | EACH)) != 0,
                   .one = kinds & (ONE | EACH) ? watch->subscriber[0] : NULL,
                   .wants = kinds & ONE ? watch->subscriber[0]->wants : NULL};
}

/* The slot's instruction, which may be read while another wave decodes the slot. */
INLINE unsigned op_of(const isa_inst_t *i)
{
    return __atomic_load_n(&i->op, __ATOMIC_RELAXED);
}

/* Whether the slot is reported to the observers. Slots without an instruction have handlers that
 * lead to a slot with one: only the latter is counted and reported. Most instructions are none that
 * a subscriber wants, so that is tested first; while another wave decodes the slot, `op` may be the
 * old or the new one, and the handler, read before, says that there was no instruction. */
INLINE bool is_observed(unsigned kinds, const was_t *was, isa_handler_t *fn)
{
    if (!kinds || (kinds == ONE && __builtin_expect(!was->wants, 1))) return false;
    return __builtin_expect(fn != isa_slot_undecoded, 1) &&
           __builtin_expect(fn != isa_slot_behind, 1);
}

INLINE isa_subscriber_t *subscriber(unsigned kinds, const who_t *by, const isa_watch_t *watch,
                                    unsigned k)
{
    return kinds & (ONE | EACH) ? by->one : watch->subscriber[k];
}

INLINE unsigned wants_of(unsigned kinds, const who_t *by, const isa_subscriber_t *s,
                         const isa_inst_t *i, const was_t *was)
{
    if (kinds & EACH) return ISA_WANTS_ISSUE;
    if (kinds == ONE) return was->wants;
    return kinds & ONE ? by->wants[i->op] : s->wants[i->op];
}

/* Whether the instruction is about to do its work. A store to LDS that lets other waves run first
 * does nothing in its first try (lds.h): its work begins with the second one. The work of other
 * instructions that are tried again begins with the first try. */
static inline bool begins(isa_wave_t *w, const isa_inst_t *i)
{
    if (w->repeats) return w->lds_turn == ISA_LDS_WAITS;
    return w->lds_turn != ISA_LDS_READ || !isa_ds_lets_go_first(w, i);
}

INLINE void announce(unsigned kinds, const who_t *by, isa_watch_t *watch, isa_wave_t *w,
                     const isa_inst_t *i, was_t *was)
{
    const bool issues = !w->repeats;
    if (has(kinds, COUNTER, by->counter) && issues) isa_count(by->counter, w, i);
    if (kinds & (ANY | EACH) || kinds == (CENSUS | ONE)) watch->known = 0;
    if (has(kinds, CENSUS, by->census)) {
        was->exec = w->exec;
        was->budget = w->budget;
        if (issues) was->line = isa_census_issue(by->census, w, i);
        if (kinds & (ONE | EACH | ANY)) watch->line = was->line;
    }
    for (unsigned k = 0; k < by->n; k++) {
        isa_subscriber_t *s = subscriber(kinds, by, watch, k);
        const unsigned wants = wants_of(kinds, by, s, i, was);
        was->wants |= wants;
        if (!wants) continue;
        if (kinds == ONE) watch->known = 0;
        if (wants & (ISA_WANTS_ISSUE | ISA_WANTS_AFTER)) { /* one test: many want neither */
            if (wants & ISA_WANTS_AFTER) watch->exec = w->exec;
            if (wants & ISA_WANTS_ISSUE && issues) s->issue(s, watch, w, i);
        }
        if (wants & ISA_WANTS_BEFORE && begins(w, i)) s->before(s, watch, w, i);
    }
}

/* Reports to the subscribers that the instruction has run. One that will be tried again is reported
 * after its last try. */
INLINE void report(unsigned kinds, const who_t *by, isa_watch_t *watch, isa_wave_t *w,
                   const isa_inst_t *i, const was_t *was)
{
    for (unsigned k = 0; k < by->n && was->wants & ISA_WANTS_AFTER; k++) {
        isa_subscriber_t *s = subscriber(kinds, by, watch, k);
        if ((kinds & ONE || s->wants[i->op] & ISA_WANTS_AFTER) && !w->repeats)
            s->after(s, watch, w, i);
    }
    if (kinds == ANY && watch->interrupt && !w->stop && isa_interrupted(watch->interrupt, w))
        w->stop = ISA_STOP_INTERRUPT;
}

/* The loop is as small as possible, since it runs for every instruction: work that only some
 * instructions need is in their handlers. */
INLINE isa_stop_t loop(unsigned kinds, isa_wave_t *w, int32_t slice, isa_watch_t *watch)
{
    const who_t by = who(kinds, watch);
    w->stop = ISA_RUN;
    w->budget = slice;
    w->watched = kinds != 0 && kinds != COUNTER;
    w->counter = kinds == COUNTER ? by.counter : NULL;
    _mm_setcsr(ISA_HOST_FLOAT_MODE);
    do {
        const isa_inst_t *i = w->ip;
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        /* if another wave is decoding this slot, the size read here may be 0 or the right one.
         * Either is fine: isa_slot_undecoded(), the handler until then, sets ip back to *i */
        w->ip = i + __atomic_load_n(&i->dwords, __ATOMIC_RELAXED);
        was_t was = {.wants = kinds == ONE ? by.wants[op_of(i)] : 0, .line = NULL};
        if (!is_observed(kinds, &was, fn)) {
            fn(w, i);
            continue;
        }
        announce(kinds, &by, watch, w, i, &was);
        fn(w, i);
        if (kinds & (CENSUS | ANY) && was.line) isa_census_after(was.line, w, was.exec, was.budget);
        if (kinds & (ONE | ANY)) report(kinds, &by, watch, w, i, &was);
    } while (__builtin_expect(!w->stop, 1));
    return w->stop;
}

/* A loop for each frequent set of observers, and one for all other sets. */
#define RUN(name, kinds)                                                                           \
    static isa_stop_t name(isa_wave_t *w, int32_t slice, isa_watch_t *watch)                       \
    {                                                                                              \
        return loop(kinds, w, slice, watch);                                                       \
    }
RUN(run_unwatched, 0)
RUN(run_census, CENSUS)
RUN(run_one, ONE)
RUN(run_each, EACH)
RUN(run_census_one, CENSUS | ONE)
RUN(run_census_each, CENSUS | EACH)
RUN(run_any, ANY)

static isa_stop_t run_counter(isa_wave_t *w, int32_t slice, isa_watch_t *watch)
{
    isa_counter_t *c = watch->counter;
    const isa_stop_t why = loop(COUNTER, w, slice, watch);
    c->at_most += (uint32_t)(slice - w->budget) + 1;
    if (c->at_most > ISA_SETTLE_AFTER) isa_counter_settle(c);
    return why;
}

static isa_stop_t run(isa_wave_t *w, int32_t slice)
{
    return run_unwatched(w, slice, NULL);
}

static isa_stop_t run_watched(isa_wave_t *w, int32_t slice, isa_watch_t *watch)
{
    typedef isa_stop_t run_t(isa_wave_t *, int32_t, isa_watch_t *);
    static run_t *const made[] = {[0] = run_unwatched,
                                  [COUNTER] = run_counter,
                                  [CENSUS] = run_census,
                                  [ONE] = run_one,
                                  [EACH] = run_each,
                                  [CENSUS | ONE] = run_census_one,
                                  [CENSUS | EACH] = run_census_each,
                                  [ANY] = run_any};
    const isa_subscriber_t *one = watch->n_subscribers == 1 ? watch->subscriber[0] : NULL;
    unsigned kinds = (watch->counter ? COUNTER : 0) | (watch->census ? CENSUS : 0);
    if (one) kinds |= one->wants == isa_wants_each_issue ? EACH : ONE;
    const bool special = !watch->interrupt && (one || !watch->n_subscribers) && made[kinds];
    return made[special ? kinds : ANY](w, slice, watch);
}

static void count_access(isa_wave_t *w, const isa_inst_t *i)
{
    isa_count_access(w->counter, w, i);
}

const isa_core_t ISA_THIS_CORE = {
    .name = ISA_STR(ISA_VARIANT),
    .lanes = ISA_LANES,
    .set_pc = isa_go_to,
    .run = run,
    .run_watched = run_watched,
    .handlers = isa_core_handlers,
    .dual = isa_core_dual,
    .count_access = count_access,
};
