/* sampling.c - PC sampling by host traps: at every interval running waves branch to the runtime's
 * trap handler, which records where they were.
 *
 * On hardware the driver sends the trap to one wave slot of every compute unit at a time. Here the
 * wave that a worker thread is running takes it. If nobody samples, a turn of a workgroup costs one
 * load more. */
#include "softgpu/device/futex.h"
#include "softgpu/device/internal.h"
#include "softgpu/exec/trap.h"

enum {
    /* In model time: clocks of an instruction of a wave that has its SIMD to itself. */
    INSTRUCTION_CLOCKS = 4,
    NS_PER_US = 1000
};

void sg_device_set_trap_handler(sg_device_t *d, uint64_t tba, uint64_t tma)
{
    atomic_store(&d->sampling.tma, tma);
    atomic_store(&d->sampling.tba, tba);
}

static void *ticking(void *arg)
{
    sg_sampling_t *s = arg;
    uint64_t due = sg_device_clock();
    while (!atomic_load(&s->stop)) {
        const uint64_t now = sg_device_clock();
        if (now < due) {
            sg_futex_wait(&s->stop, 0, due - now);
            continue;
        }
        atomic_fetch_add_explicit(&s->tick, 1, memory_order_relaxed);
        /* intervals that passed while this thread did not run are not made up for */
        due = now - due < s->interval_ns ? due + s->interval_ns : now + s->interval_ns;
    }
    return NULL;
}

/* Instructions of a wave between its traps. The driver gets to the same wave slot again after as
 * many intervals as a compute unit has slots. */
static uint64_t period_of(const sg_profile_t *p, uint64_t microseconds)
{
    const uint64_t slots = p->simds_per_cu * p->waves_per_simd;
    const uint64_t instructions = slots * p->engine_clock_mhz / INSTRUCTION_CLOCKS;
    uint64_t period;
    if (__builtin_mul_overflow(microseconds, instructions, &period)) return UINT64_MAX;
    return period | 1; /* odd: not in step with loops */
}

int sg_device_set_host_traps(sg_device_t *d, uint64_t microseconds)
{
    sg_sampling_t *s = &d->sampling;
    const bool modelled = d->profile.model_time;
    if (atomic_exchange(&s->on, false) && !modelled) {
        atomic_store(&s->stop, 1);
        sg_futex_wake(&s->stop, SG_FUTEX_ALL);
        pthread_join(s->thread, NULL);
    }
    if (!microseconds) return 0;
    if (modelled) {
        atomic_store(&s->period, period_of(&d->profile, microseconds));
    } else {
        atomic_store(&s->stop, 0);
        if (__builtin_mul_overflow(microseconds, (uint64_t)NS_PER_US, &s->interval_ns))
            s->interval_ns = INT64_MAX;
        const int error = sg_thread_start(&s->thread, "sg-sampling", ticking, s);
        if (error) return -error;
    }
    atomic_store(&s->on, true);
    return 0;
}

isa_interrupt_t *sg_sampling_turn(sg_device_t *d, isa_interrupt_t *own)
{
    sg_sampling_t *s = &d->sampling;
    if (!atomic_load_explicit(&s->on, memory_order_relaxed)) return NULL;
    own->tick = &s->tick;
    own->seen = atomic_load_explicit(&s->tick, memory_order_relaxed);
    own->period =
        d->profile.model_time ? atomic_load_explicit(&s->period, memory_order_relaxed) : 0;
    return own;
}

/* When a wave's first trap is due. A hash of the wave's position in the grid spreads waves over the
 * period, neighbours far apart, and in the same way in every run. */
static uint64_t phase(const isa_wave_t *w, uint64_t period)
{
    const uint32_t *id = w->group->id;
    uint64_t h = id[0] + UINT64_C(0x10001) * id[1] + UINT64_C(0x100000001) * id[2];
    h = (h * ISA_LANES + w->index_in_group + 1) * UINT64_C(0x9e3779b97f4a7c15); /* golden ratio */
    return 1 + (uint64_t)((unsigned __int128)h * period >> 64);
}

/* The driver's part of a trap. Without a handler, or when sampling has ended, nothing happens.
 * False: the trap handler is not mapped. */
static bool take_trap(const sg_box_t *b, isa_wave_t *w)
{
    const sg_run_t *run = b->run;
    sg_sampling_t *s = &run->device->sampling;
    const isa_trap_t trap = {
        .tba = atomic_load(&s->tba), .tma = atomic_load(&s->tma), .packet = run->packet};
    return !atomic_load(&s->on) || !trap.tba || isa_trap_host(w, run->core, &trap);
}

isa_stop_t sg_sampling_run(sg_box_t *b, isa_wave_t *w, int32_t slice, isa_interrupt_t *interrupt)
{
    const isa_core_t *core = b->run->core;
    if (interrupt && !w->until_interrupt) w->until_interrupt = phase(w, interrupt->period);
    for (;;) {
        const isa_stop_t why =
            w->privileged ? core->run(w, slice) : core->run_watched(w, slice, &b->watch);
        if (why == ISA_STOP_INTERRUPT) {
            if (!take_trap(b, w)) return ISA_STOP_MEMORY;
            interrupt->seen = atomic_load_explicit(interrupt->tick, memory_order_relaxed);
        } else if (why != ISA_STOP_RETURN) {
            return why;
        }
        slice = w->budget;
    }
}
