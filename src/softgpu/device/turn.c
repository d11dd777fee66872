/* turn.c - the turn of a workgroup: its waves run until they have to wait, end, or have used their
 * slices.
 *
 * Apart from group.c, which prepares workgroups and runs nothing. */
#include "softgpu/device/internal.h"
#include "softgpu/memory/guard.h"

enum {
    BARRIER_ROUNDS = 256, /* barriers that a workgroup passes in one turn, before another workgroup
                             gets a turn */
    LONG_NS = 50000,      /* if waves run for so long while workers are idle, these help */
    SHORT_NS = 20000, /* a round that takes less gains nothing by a team: to hand it over takes as
                         long, and registers go from one processor's caches to another's */
    WAIT_NS = 50000,  /* a wait for helpers that is longer than the owner's own part by more than
                         this says that one has lost its processor */
    PAUSE = 64,       /* behind such rounds so many of the workgroup go without the team */
    TRAP_ABORT = 2    /* llvm.trap; the runtime's trap handler ignores all other ids */
};

/* What a turn has and finds. */
typedef struct {
    sg_box_t *b;
    int32_t slice;
    isa_interrupt_t *interrupt; /* NULL: no PC sampling */
    bool watched;               /* observers see single instructions */
    bool yielded;               /* in this round: a wave is to go on in the next turn */
    bool worked;                /* in this round: a wave ran that can go on */
    uint64_t since;             /* when workers were first seen idle; 0: they have not been */
} turn_t;

static isa_stop_t run_wave(const turn_t *t, isa_wave_t *w, int32_t slice)
{
    sg_box_t *b = t->b;
    const isa_core_t *core = b->run->core;
    b->running = w;
    if (t->interrupt || w->privileged) return sg_sampling_run(b, w, slice, t->interrupt);
    if (t->watched) return core->run_watched(w, slice, &b->watch);
    return b->run->unwatched ? sg_observe_run(b, w, slice, sg_observe_ran(b)) : core->run(w, slice);
}

/* Notes why wave i of the box has stopped. False: it has stopped by an error, which ends the run.
 */
static bool stopped(turn_t *t, unsigned i, isa_stop_t why)
{
    sg_box_t *b = t->b;
    isa_wave_t *w = b->wave[i];
    if (why == ISA_STOP_END) {
        b->ended |= 1u << i;
    } else if (why == ISA_STOP_BARRIER) {
        b->sleeping |= 1u << i;
    } else if (why == ISA_STOP_YIELD || (why == ISA_STOP_TRAP && w->trap_id != TRAP_ABORT)) {
        t->yielded = true;
        t->worked |= w->budget < 0;
        const uint32_t nap = why == ISA_STOP_YIELD ? w->nap : 0;
        if (nap < b->nap_clocks) b->nap_clocks = nap;
    } else if (why == ISA_STOP_STEP) {
        t->worked |= sg_team_learn(b, w, why); /* the wave goes on in the next round */
    } else {
        b->failed = w;
        return false;
    }
    return true;
}

/* Whether a team is worth while: wakes of idle workers take as long as short workgroups. */
static bool wants_help(turn_t *t)
{
    const sg_box_t *b = t->b;
    if (b->submitting || !sg_pool_idle(b->run->pool)) return false;
    if (b->team.had_turn) return true;
    const uint64_t now = sg_device_clock();
    if (!t->since) t->since = now;
    return now - t->since >= LONG_NS;
}

/* Whether a team runs these waves of the round. PC sampling interrupts waves of one thread, and
 * runs their trap handlers. */
static bool by_team(turn_t *t, uint32_t todo)
{
    sg_box_t *b = t->b;
    if (!(todo & (todo - 1)) || b->team.refused || t->interrupt) return false;
    if (!b->team.open && !wants_help(t)) return false;
    if (!sg_team_allowed(b) || b->team.pause) return false;
    if (!b->team.open) sg_team_open(b);
    for (; todo; todo &= todo - 1)
        if (b->wave[__builtin_ctz(todo)]->privileged) return false;
    return true;
}

/* Whether the last round with the team would have been better without. */
static bool gained_nothing(const sg_team_t *t)
{
    const uint64_t waited = t->round_ns - t->own_ns;
    return t->round_ns < SHORT_NS || waited > t->own_ns + WAIT_NS;
}

/* Runs these waves, of which none has run in this round, by the box's team. False: one has failed.
 *
 * A wave that has come to an atomic operation gets the rest of its slice afterwards, before the
 * next one gets its own: so each round has the atomic operations that it has on one thread, in that
 * order. */
static bool take_by_team(turn_t *t, uint32_t todo)
{
    sg_box_t *b = t->b;
    sg_team_round(b, todo, t->slice);
    if (gained_nothing(&b->team)) b->team.pause = PAUSE + 1;
    for (; todo; todo &= todo - 1) {
        const unsigned i = (unsigned)__builtin_ctz(todo);
        isa_wave_t *w = b->wave[i];
        isa_stop_t why = (isa_stop_t)b->team.why[i];
        if (why == ISA_STOP_ALONE) {
            sg_team_learn(b, w, why);
            why = run_wave(t, w, w->budget);
        }
        if (!stopped(t, i, why)) return false;
    }
    return true;
}

/* Runs each wave of `todo` once. False: one of them has failed. */
static bool take_round(turn_t *t, uint32_t todo)
{
    sg_box_t *b = t->b;
    t->yielded = t->worked = false;
    if (b->team.pause) b->team.pause--;
    b->nap_clocks = UINT32_MAX;
    for (; todo; todo &= todo - 1) {
        const unsigned i = (unsigned)__builtin_ctz(todo);
        if (by_team(t, todo)) return take_by_team(t, todo);
        if (!stopped(t, i, run_wave(t, b->wave[i], t->slice))) return false;
    }
    return true;
}

static sg_box_result_t take_turn(sg_box_t *b, int32_t slice)
{
    const uint32_t all = (uint32_t)((UINT64_C(1) << b->group.n_waves) - 1);
    isa_interrupt_t own;
    turn_t t = {.b = b, .slice = slice, .interrupt = sg_sampling_turn(b->run->device, &own)};
    t.watched = sg_instrument_watch(b, t.interrupt);
    /* so many long rounds without helpers would cost more than to lose a processor once more */
    if (b->team.round_ns >= SHORT_NS) b->team.pause = 0;

    if (b->failed) return SG_BOX_FAILED;
    for (unsigned round = 0; round < BARRIER_ROUNDS; round++) {
        if (!take_round(&t, all & ~b->ended & ~b->sleeping)) return SG_BOX_FAILED;
        if (b->ended == all || atomic_load_explicit(&b->run->cancelled, memory_order_relaxed))
            return SG_BOX_DONE;
        if ((b->ended | b->sleeping) == all) {
            if (b->run->instrumented) sg_instrument_barrier(b);
            b->sleeping = 0;
        } else if (t.yielded) {
            b->team.had_turn |= t.worked;
            return t.worked ? SG_BOX_YIELDED : SG_BOX_SLEEPY;
        }
    }
    return SG_BOX_YIELDED;
}

bool sg_box_guarded(const sg_box_t *b, isa_wave_t *const *wave, void (*body)(void *), void *arg)
{
    sg_guard_t g;
    if (!sg_guard_enter(&g, b->run->device->memory)) {
        body(arg);
        return true;
    }
    if (sigsetjmp(g.back, 0)) {
        isa_mem_fault(*wave, g.va, g.write ? ISA_FAULT_WRITE : ISA_FAULT_READ);
        return false;
    }
    body(arg);
    sg_guard_leave(&g);
    return true;
}

typedef struct {
    sg_box_t *b;
    int32_t slice;
    sg_box_result_t result;
} guarded_t;

static void take_guarded(void *arg)
{
    guarded_t *turn = arg;
    turn->result = take_turn(turn->b, turn->slice);
}

sg_box_result_t sg_box_turn(sg_box_t *b, int32_t slice)
{
    guarded_t turn = {b, slice, SG_BOX_FAILED};
    if (!sg_box_guarded(b, &b->running, take_guarded, &turn)) b->failed = b->running;
    return turn.result;
}

sg_box_result_t sg_box_run(sg_box_t *b, int32_t slice)
{
    return b->run->instrumented ? sg_instrument_turn(b, slice) : sg_box_turn(b, slice);
}
