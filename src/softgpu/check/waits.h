/* waits.h - which operations an instruction such as s_waitcnt waits for, on any GPU.
 *
 * gfx9 has one instruction, s_waitcnt. Later GPUs have a counter of its own for stores, and
 * instructions for single counters. */
#ifndef SOFTGPU_CHECK_WAITS_H
#define SOFTGPU_CHECK_WAITS_H

#include "isa/arch.h"
#include "isa/inst.h"
#include "isa/table.h"

/* How many operations of each counter may still be outstanding after the instruction: the counter's
 * maximum if the instruction does not wait for it. */
typedef struct {
    uint32_t loads, stores, lgkm, exp;
} chk_waits_t;

static inline bool chk_is_wait(unsigned op)
{
    return op == ISA_OP_s_waitcnt || op == ISA_OP_s_waitcnt_vmcnt || op == ISA_OP_s_waitcnt_vscnt ||
           op == ISA_OP_s_waitcnt_lgkmcnt || op == ISA_OP_s_waitcnt_expcnt;
}

static inline chk_waits_t chk_waits(const isa_arch_t *arch, const isa_inst_t *i)
{
    const isa_waits_t *most = &arch->waits_most;
    const uint32_t n = (uint32_t)i->imm;
    chk_waits_t w = {most->vm, most->vm, most->lgkm, most->exp};
    if (i->op == ISA_OP_s_waitcnt) {
        const isa_waits_t all = isa_waits(arch, n);
        w.loads = all.vm;
        if (!arch->stores_apart) w.stores = all.vm;
        w.lgkm = all.lgkm;
        w.exp = all.exp;
    } else {
        uint32_t *one = i->op == ISA_OP_s_waitcnt_vmcnt    ? &w.loads
                        : i->op == ISA_OP_s_waitcnt_vscnt  ? &w.stores
                        : i->op == ISA_OP_s_waitcnt_expcnt ? &w.exp
                                                           : &w.lgkm;
        if (n < *one) *one = n;
    }
    return w;
}

#endif
