/* trap.c - sends a wave into the runtime's trap handler for PC sampling: sets the registers that
 * the handler reads.
 *
 * Not part of the core because it runs only once for each trap, on behalf of the driver or of the
 * hardware's sampling. */
#include "softgpu/exec/trap.h"

enum { TRAP_ID_HOST = 1 }; /* any number except 0, which for a handler means no trap */

static bool enter(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap, uint32_t why)
{
    const isa_arch_t *a = w->group->dispatch->arch;
    const uint64_t pc = isa_wave_pc(w);
    if (!core->set_pc(w, trap->tba)) return false;
    w->privileged = true;
    w->tba = trap->tba;
    w->tma = trap->tma;
    /* temporaries that are not set here keep their values */
    w->ttmp[a->ttmp.pc] = (uint32_t)pc;
    w->ttmp[a->ttmp.pc + 1] = isa_bits_put(a->ttmp.pc_high, (uint32_t)(pc >> 32)) | why;
    for (unsigned axis = 0; axis < 3 && !a->launch.ids_in_ttmp; axis++)
        w->ttmp[a->ttmp.group + axis] = w->group->id[axis];
    w->ttmp[a->ttmp.packet] = 0;
    w->ttmp[a->ttmp.wave] = isa_bits_put(a->ttmp.wave_in_group, w->index_in_group) |
                            isa_bits_put(a->ttmp.no_scratch, !w->scratch_bytes);
    w->ttmp[a->ttmp.packet] |= isa_bits_put(a->ttmp.packet_index, trap->packet);
    w->ttmp[a->ttmp.status] =
        a->ttmp.host.bits ? isa_status(w) : w->scc << ISA_STATE_PRIV_SCC_SHIFT;
    w->ttmp[a->ttmp.tma] = (uint32_t)trap->tma;
    w->ttmp[a->ttmp.tma + 1] = (uint32_t)(trap->tma >> 32);
    return true;
}

bool isa_trap_host(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap)
{
    const isa_arch_t *a = w->group->dispatch->arch;
    const uint32_t why =
        isa_bits_put(a->ttmp.trap_id, TRAP_ID_HOST) | isa_bits_put(a->ttmp.host, 1);
    if (!enter(w, core, trap, why)) return false;
    w->host_trapped = !a->ttmp.host.bits;
    return true;
}

bool isa_trap_snapshot(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap)
{
    if (!enter(w, core, trap, 0)) return false;
    w->snapshot.trapped = true;
    return true;
}
