/* trap.h - sends a wave into a trap handler: the trap registers and their values.
 *
 * On hardware a first handler, which the driver installs, prepares these registers and then jumps
 * to the handler that the runtime has set. The functions here do the work of the first handler. The
 * runtime's handler is executed like other code, in privileged mode, until s_rfe_b64. */
#ifndef SOFTGPU_EXEC_TRAP_H
#define SOFTGPU_EXEC_TRAP_H

#include "softgpu/exec/exec.h"

#define ISA_PC_MASK UINT64_C(0xffffffffffff)

/* The wave's STATUS. */
static inline uint32_t isa_status(const isa_wave_t *w)
{
    return w->scc | (w->privileged ? ISA_STATUS_PRIV : 0) | ISA_STATUS_TRAP_EN |
           (w->exec ? 0 : ISA_STATUS_EXECZ) |
           ((w->group->dispatch->narrow ? (uint32_t)w->vcc : w->vcc) ? 0 : ISA_STATUS_VCCZ) |
           (w->group->n_waves > 1 ? ISA_STATUS_IN_TG : 0) | ISA_STATUS_VALID;
}

typedef struct {
    uint64_t tba, tma; /* address of the runtime's handler, and of its data */
    uint32_t packet;   /* index of the dispatch in its queue's ring */
} isa_trap_t;

/* Sends the wave, which has stopped between two instructions, into the handler on behalf of the
 * driver (a host trap). False, with the fault fields set, if no code is mapped there. */
bool isa_trap_host(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap);
/* The same, because a snapshot of the wave was taken: the trap has no number, and a bit of TRAPSTS
 * is its reason. */
bool isa_trap_snapshot(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap);

#endif
