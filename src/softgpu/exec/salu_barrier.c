/* salu_barrier.c - barriers of gfx12, at which a wave signals and waits by separate instructions.
 *
 * The workgroup's barrier has the number -1. The barrier of trap handlers (-2), and named barriers,
 * which a wave has to join, are refused.
 *
 * What a wave learns of the other waves depends on their order, so it asks while it is alone
 * (isa_alone()). */
#include "softgpu/exec/barrier.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/lds.h"

enum { WORKGROUP = -1, NUMBER_BITS = 6 };

/* Whether the instruction is about the workgroup's barrier, whose number is in the low bits of M0
 * or is a constant. */
static bool is_workgroup(isa_wave_t *w, const isa_inst_t *i, int32_t number)
{
    if (number == WORKGROUP) return true;
    isa_stop_unsupported(w, i, "named barrier, or that of trap handlers");
    return false;
}

static int32_t number_of(isa_wave_t *w, const isa_inst_t *i)
{
    const uint32_t x = isa_read32(w, &i->src[0]);
    const unsigned unused = 32 - NUMBER_BITS;
    return i->src[0].kind == ISA_OPK_CONST ? (int32_t)x : (int32_t)(x << unused) >> unused;
}

ISA_INST(s_barrier_signal)
{
    if (is_workgroup(w, i, number_of(w, i))) isa_barrier_signal(w);
}

ISA_INST(s_barrier_signal_isfirst)
{
    if (is_workgroup(w, i, number_of(w, i)) && isa_alone(w, i)) w->scc = isa_barrier_signal(w);
}

/* How many waves have signalled in this turn, how many there are, and whether there is a barrier: a
 * single wave needs none. A wave that has ended is no member, even if it had signalled before. */
ISA_INST(s_get_barrier_state)
{
    enum { VALID = 1, MEMBERS = 4, SIGNALLED = 16 };
    const isa_group_t *g = w->group;
    if (!is_workgroup(w, i, number_of(w, i)) || !isa_alone(w, i)) return;
    const uint32_t members = g->n_waves - (uint32_t)__builtin_popcount(g->barrier.ended);
    const uint32_t signalled =
        (uint32_t)__builtin_popcount(g->barrier.signalled & ~g->barrier.ended);
    w->sgpr[i->dst.reg] = g->n_waves > 1 ? VALID | members << MEMBERS | signalled << SIGNALLED : 0;
}

ISA_INST(s_barrier_wait)
{
    if (!is_workgroup(w, i, i->imm)) return;
    if (!isa_barrier_passed(w)) {
        isa_retry(w, i, ISA_STOP_STEP);
        return;
    }
    isa_retried(w);
    isa_ds_barrier(w);
}
