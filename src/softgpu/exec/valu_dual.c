/* valu_dual.c - two operations in one instruction (VOPD).
 *
 * Each is an instruction of its own, decoded once (isa_dual_t), and its handler executes it. Both
 * read their sources before either writes its result: code.c has found an order of execution for
 * which that holds, or has decided that one result is stored aside first. */
#include "softgpu/exec/core.h"
#include "softgpu/exec/valu.h"

static void run_half(isa_wave_t *w, const isa_inst_t *half)
{
    if (!w->stop) atomic_load_explicit(&half->fn, memory_order_relaxed)(w, half);
}

void isa_core_dual(isa_wave_t *w, const isa_inst_t *i)
{
    const isa_dual_t *pair = (const isa_dual_t *)(uintptr_t)i->dst.k;
    uint32_t *const result = w->vgpr[i->dst.reg], *const aside = w->vgpr[ISA_DUAL_ROW];
    const bool swapped = pair->order == ISA_DUAL_SECOND_FIRST;
    if (pair->order == ISA_DUAL_ASIDE) valu_copy(aside, result, 1);
    run_half(w, &pair->half[swapped]);
    run_half(w, &pair->half[!swapped]);
    if (pair->order == ISA_DUAL_ASIDE && !w->stop) valu_copy(result, aside, 1);
}
