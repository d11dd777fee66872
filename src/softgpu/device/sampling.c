/* sampling.c - PC sampling: waves branch to the runtime's trap handler, which records their program
 * counters.
 *
 * The interval of host traps is a time. On hardware the driver sends such a trap to one wave slot
 * of every compute unit at a time; here the wave that a worker thread is running takes it. For
 * stochastic sampling the timing model chooses the wave that a unit samples, and the state that it
 * records (perf/snapshot.h). Without sampling, a turn of a workgroup costs two more loads. */
#include "base/golden.h"
#include "softgpu/device/futex.h"
#include "softgpu/device/internal.h"
#include "softgpu/exec/trap.h"

#include <string.h>

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
        /* intervals that passed while this thread did not run are skipped */
        due = now - due < s->interval_ns ? due + s->interval_ns : now + s->interval_ns;
    }
    return NULL;
}

/* Instructions of a wave between its traps. The driver samples the same wave slot again after as
 * many intervals as a compute unit has slots. */
static uint64_t period_of(const sg_profile_t *p, uint64_t microseconds)
{
    const uint64_t slots = p->simds_per_cu * p->waves_per_simd;
    const uint64_t per_us = slots * p->engine_clock_mhz / INSTRUCTION_CLOCKS;
    uint64_t period;
    if (__builtin_mul_overflow(microseconds, per_us, &period)) return UINT64_MAX;
    return period | 1; /* odd, so that it is not a multiple of the length of most loops */
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
    const bool traps = atomic_load_explicit(&s->on, memory_order_relaxed);
    own->snapshots = atomic_load_explicit(&s->clocks, memory_order_relaxed);
    if (!traps && !own->snapshots) return NULL;
    own->tick = &s->tick;
    own->seen = atomic_load_explicit(&s->tick, memory_order_relaxed);
    own->period =
        traps && d->profile.model_time ? atomic_load_explicit(&s->period, memory_order_relaxed) : 0;
    return own;
}

uint64_t sg_sampling_clocks(sg_device_t *d)
{
    return atomic_load_explicit(&d->sampling.clocks, memory_order_relaxed);
}

/* Whether an instruction of a trap handler is the one that a caller looks for. */
typedef bool sampling_sign_t(const isa_arch_t *arch, const isa_inst_t *i);

static uint32_t hwreg_of(const isa_arch_t *arch, const isa_inst_t *i)
{
    return arch->formats->hwregs[isa_hwreg((uint32_t)i->imm).id].id;
}

/* Decodes the instruction of the handler at `va`; returns its dwords, 0 if it is none that the GPU
 * knows, -1 if the handler is not mapped there. */
static int handler_inst(const sg_device_t *d, uint64_t va, isa_inst_t *i)
{
    uint32_t words[ISA_MAX_DWORDS];
    unsigned n = 0;
    for (; n < ISA_MAX_DWORDS; n++) {
        const void *code = sg_memory_host(d->memory, va + 4 * n, sizeof *words, 0);
        if (!code) break;
        memcpy(&words[n], code, sizeof *words);
    }
    if (!n) return -1;
    const int size = isa_decode(d->arch, words, n, i);
    return size > 0 ? size : 0;
}

/* Whether an instruction of the trap handler has the sign. Without a handler no wave takes a trap,
 * so the answer does not matter: it is true then. */
static bool handler_has(const sg_device_t *d, sampling_sign_t *sign)
{
    /* No runtime has a handler of more pages. Only a padding behind its end says where that is, and
     * only of GPUs that have s_code_end. */
    enum { PAGE = 4096, PAGES = 4 };
    const uint64_t tba = atomic_load(&d->sampling.tba);
    for (uint64_t va = tba - tba % 4; tba && va < tba + PAGES * PAGE;) {
        isa_inst_t i;
        const int size = handler_inst(d, va, &i);
        if (size < 0 || (size && i.op == ISA_OP_s_code_end)) break;
        if (size && sign(d->arch, &i)) return true;
        va += 4 * (size ? (uint64_t)size : 1);
    }
    return !tba;
}

static bool reads_snapshot(const isa_arch_t *arch, const isa_inst_t *i)
{
    if (i->op != ISA_OP_s_getreg_b32) return false;
    const uint32_t id = hwreg_of(arch, i);
    return id >= ISA_HWREG_SQ_PERF_SNAPSHOT_DATA && id <= ISA_HWREG_SQ_PERF_SNAPSHOT_PC_HI;
}

/* A handler that samples acknowledges the driver's trap: it clears that bit of EXCP_FLAG_PRIV, and
 * no other bit with it. */
static bool clears_host_trap(const isa_arch_t *arch, const isa_inst_t *i)
{
    const isa_hwreg_t r = isa_hwreg((uint32_t)i->imm);
    return i->op == ISA_OP_s_setreg_imm32_b32 && !i->src[0].k &&
           hwreg_of(arch, i) == ISA_HWREG_WAVE_EXCP_FLAG_PRIV &&
           r.mask << r.shift == ISA_EXCP_FLAG_HOST_TRAP;
}

bool sg_device_reads_snapshots(sg_device_t *d)
{
    return handler_has(d, reads_snapshot);
}

bool sg_device_takes_host_traps(sg_device_t *d)
{
    /* of GPUs whose trap says that it is a host trap in the PC, every handler samples */
    return d->arch->ttmp.host.bits || handler_has(d, clears_host_trap);
}

void sg_device_set_snapshots(sg_device_t *d, uint64_t clocks)
{
    atomic_store(&d->sampling.clocks, clocks);
}

/* When a wave's first trap is due. A hash of the wave's position in the grid spreads waves over the
 * period, neighbours far apart, and in the same way in every run. */
static uint64_t phase(const isa_wave_t *w, uint64_t period)
{
    const uint32_t *id = w->group->id;
    enum { WAVES = 64 }; /* at least as many as a workgroup has */
    uint64_t h = id[0] + UINT64_C(0x10001) * id[1] + UINT64_C(0x100000001) * id[2];
    h = (h * WAVES + w->index_in_group + 1) * BASE_GOLDEN;
    return 1 + (uint64_t)((unsigned __int128)h * period >> 64);
}

/* Sets the registers as the driver's trap does, and branches to the handler. Without a handler, or
 * when sampling has ended, nothing happens. False: the trap handler is not mapped. */
static bool take_trap(const sg_box_t *b, isa_wave_t *w)
{
    const sg_run_t *run = b->run;
    sg_sampling_t *s = &run->device->sampling;
    const isa_core_t *core = run->core;
    const isa_trap_t trap = {
        .tba = atomic_load(&s->tba), .tma = atomic_load(&s->tma), .packet = run->packet};
    if (w->snapshot.due) {
        const bool wanted = sg_perf_group_snapshot(b->counting, w) && atomic_load(&s->clocks);
        return !wanted || !trap.tba || isa_trap_snapshot(w, core, &trap);
    }
    return !atomic_load(&s->on) || !trap.tba || isa_trap_host(w, core, &trap);
}

isa_stop_t sg_sampling_run(sg_box_t *b, isa_wave_t *w, int32_t slice, isa_interrupt_t *interrupt)
{
    const isa_core_t *core = b->run->core;
    if (interrupt && !w->until_interrupt) w->until_interrupt = phase(w, interrupt->period);
    for (;;) {
        while (w->snapshot.due && !w->privileged)
            if (!take_trap(b, w)) return ISA_STOP_MEMORY;
        /* without an interrupt, sampling has ended: nobody watches a run that is only counted */
        const isa_stop_t why = w->privileged ? core->run(w, slice)
                               : b->run->unwatched && !interrupt
                                   ? sg_observe_run(b, w, slice, sg_observe_ran(b))
                                   : core->run_watched(w, slice, &b->watch);
        if (why == ISA_STOP_INTERRUPT && !w->snapshot.due) {
            if (!take_trap(b, w)) return ISA_STOP_MEMORY;
            interrupt->seen = atomic_load_explicit(interrupt->tick, memory_order_relaxed);
        } else if (why != ISA_STOP_INTERRUPT && why != ISA_STOP_RETURN) {
            return why;
        }
        slice = w->budget;
    }
}
