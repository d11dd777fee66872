/* waits.h - which operations an instruction such as s_waitcnt waits for, on any GPU.
 *
 * gfx9 has s_waitcnt alone. gfx10 counts stores apart, and has an instruction for each counter.
 * gfx12 has no s_waitcnt, and counts LDS and scalar memory apart, too.
 */
#ifndef ISA_WAITS_H
#define ISA_WAITS_H

#include "isa/arch.h"
#include "isa/inst.h"
#include "isa/table.h"

/* Counters that can be waited for. SCALAR counts scalar memory and GDS, which return in any order.
 */
enum {
    ISA_WAITS_LOADS = 1 << 0,
    ISA_WAITS_STORES = 1 << 1,
    ISA_WAITS_LDS = 1 << 2,
    ISA_WAITS_SCALAR = 1 << 3,
    ISA_WAITS_EXP = 1 << 4
};

/* How many operations of each counter may still be outstanding behind the instruction: where it
 * does not wait, as many as the counter can count. */
typedef struct {
    uint8_t loads, stores, lds, scalar, exp;
} isa_wait_limits_t;

/* Which counters an instruction other than s_waitcnt waits for; 0: it is none that waits. The
 * second of two counters is in the immediate's lower six bits. */
static inline unsigned isa_waited_for(unsigned op)
{
    switch (op) {
    case ISA_OP_s_waitcnt_vmcnt:
    case ISA_OP_s_wait_loadcnt: return ISA_WAITS_LOADS;
    case ISA_OP_s_waitcnt_vscnt:
    case ISA_OP_s_wait_storecnt: return ISA_WAITS_STORES;
    case ISA_OP_s_waitcnt_lgkmcnt: return ISA_WAITS_LDS | ISA_WAITS_SCALAR;
    case ISA_OP_s_waitcnt_expcnt:
    case ISA_OP_s_wait_expcnt: return ISA_WAITS_EXP;
    case ISA_OP_s_wait_dscnt: return ISA_WAITS_LDS;
    case ISA_OP_s_wait_kmcnt: return ISA_WAITS_SCALAR;
    case ISA_OP_s_wait_loadcnt_dscnt: return ISA_WAITS_LOADS | ISA_WAITS_LDS;
    case ISA_OP_s_wait_storecnt_dscnt: return ISA_WAITS_STORES | ISA_WAITS_LDS;
    default: return 0;
    }
}

/* Whether LDS and scalar memory have counters of their own: there is no s_waitcnt then. */
static inline bool isa_waits_apart(const isa_arch_t *arch)
{
    return !arch->waitcnt.lgkm.bits;
}

static inline bool isa_is_wait(unsigned op)
{
    return op == ISA_OP_s_waitcnt || isa_waited_for(op);
}

static inline void isa_wait_at_most(uint8_t *left, uint32_t n)
{
    if (n < *left) *left = (uint8_t)n;
}

static inline isa_wait_limits_t isa_wait_limits(const isa_arch_t *arch, const isa_inst_t *i)
{
    const isa_waits_t *most = &arch->waits_most;
    const isa_bits_t first = {8, 6}, second = {0, 6};
    const uint32_t n = (uint32_t)i->imm;
    isa_wait_limits_t w = {(uint8_t)most->vm, (uint8_t)most->vm, (uint8_t)most->lgkm,
                           (uint8_t)most->lgkm, (uint8_t)most->exp};
    if (i->op == ISA_OP_s_waitcnt) {
        const isa_waits_t all = isa_waits(arch, n);
        w.loads = (uint8_t)all.vm;
        if (!arch->stores_apart) w.stores = (uint8_t)all.vm;
        w.lds = w.scalar = (uint8_t)all.lgkm;
        w.exp = (uint8_t)all.exp;
        return w;
    }
    const unsigned which = isa_waited_for(i->op);
    const bool pair = which & ISA_WAITS_LDS && which & (ISA_WAITS_LOADS | ISA_WAITS_STORES);
    const uint32_t of_memory = pair ? isa_bits_get(first, n) : n,
                   of_lds = pair ? isa_bits_get(second, n) : n;
    if (which & ISA_WAITS_LOADS) isa_wait_at_most(&w.loads, of_memory);
    if (which & ISA_WAITS_STORES) isa_wait_at_most(&w.stores, of_memory);
    if (which & ISA_WAITS_LDS) isa_wait_at_most(&w.lds, of_lds);
    if (which & ISA_WAITS_SCALAR) isa_wait_at_most(&w.scalar, n);
    if (which & ISA_WAITS_EXP) isa_wait_at_most(&w.exp, n);
    return w;
}

#endif
