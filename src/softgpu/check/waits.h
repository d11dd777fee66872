/* waits.h - what an instruction that waits for memory waits for, whatever instructions a GPU has
 * for it.
 *
 * gfx9 has s_waitcnt alone. gfx10 counts stores apart, and has an instruction for each counter.
 */
#ifndef SOFTGPU_CHECK_WAITS_H
#define SOFTGPU_CHECK_WAITS_H

#include "isa/arch.h"
#include "isa/inst.h"
#include "isa/table.h"

/* How many operations of each counter may still be outstanding behind the instruction: where it
 * does not wait, as many as the counter can count. */
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
