/* waits.h - which operations an instruction such as s_waitcnt waits for, on any GPU, and for how
 * long s_nop and s_sleep wait.
 *
 * gfx9 has s_waitcnt alone. gfx10 counts stores apart, and has an instruction for each counter.
 * gfx12 counts LDS and scalar memory apart, too, and samples of images and tests of rays apart from
 * other loads; an s_waitcnt, which compilers no longer write, waits for all that earlier GPUs count
 * together.
 */
#ifndef ISA_WAITS_H
#define ISA_WAITS_H

#include "isa/arch.h"
#include "isa/inst.h"
#include "isa/table.h"

/* Marks of SOPP and SOPK (isa_row_desc_t.marks), in bits that table.h uses for images: the counters
 * of outstanding operations for which the instruction waits. SCALAR counts scalar memory and GDS,
 * which return in any order. */
enum {
    ISA_IS_WAITS_RAYS = 1 << 24,
    ISA_IS_WAITS_SAMPLES = 1 << 25,
    ISA_IS_WAITS_LOADS = 1 << 26,
    ISA_IS_WAITS_STORES = 1 << 27,
    ISA_IS_WAITS_LDS = 1 << 28,
    ISA_IS_WAITS_SCALAR = 1 << 29,
    ISA_IS_WAITS_EXP = 1 << 30,
    ISA_IS_WAIT = ISA_IS_WAITS_SAMPLES | ISA_IS_WAITS_LOADS | ISA_IS_WAITS_STORES |
                  ISA_IS_WAITS_LDS | ISA_IS_WAITS_SCALAR | ISA_IS_WAITS_EXP | ISA_IS_WAITS_RAYS
};

/* How many operations of each counter may still be outstanding behind the instruction, or of
 * v_interp_* before it reads its sources: where it does not wait, as many as the counter can count.
 */
typedef struct {
    uint8_t loads, stores, lds, scalar, exp, samples, rays;
} isa_wait_limits_t;

/* Which counters an instruction waits for, as ISA_IS_WAITS_*; 0: it is none that waits. An
 * s_waitcnt waits for stores, too, where loads and stores share a counter. */
static inline uint32_t isa_waited_for(unsigned op)
{
    const isa_row_desc_t *row = &isa_table[op];
    return isa_has_simm16(row) ? row->marks & ISA_IS_WAIT : 0;
}

static inline bool isa_is_wait(unsigned op)
{
    return isa_waited_for(op);
}

static inline void isa_wait_at_most(uint8_t *left, uint32_t n)
{
    if (n < *left) *left = (uint8_t)n;
}

/* Of an instruction that waits for two counters, the second one is in the immediate's lower six
 * bits. */
static inline isa_wait_limits_t isa_wait_limits(const isa_arch_t *arch, const isa_inst_t *i)
{
    const isa_waits_t *most = &arch->waits_most;
    const isa_bits_t first = {8, 6}, second = {0, 6};
    const uint32_t n = (uint32_t)i->imm;
    isa_wait_limits_t w = {(uint8_t)most->vm,   (uint8_t)most->vm,  (uint8_t)most->lgkm,
                           (uint8_t)most->lgkm, (uint8_t)most->exp, (uint8_t)most->vm,
                           (uint8_t)most->vm};
    if (i->op == ISA_OP_s_waitcnt) {
        const isa_waits_t all = isa_waits(arch, n);
        w.loads = (uint8_t)all.vm;
        if (!arch->stores_apart) w.stores = (uint8_t)all.vm;
        w.samples = w.rays = (uint8_t)all.vm;
        w.lds = w.scalar = (uint8_t)all.lgkm;
        w.exp = (uint8_t)all.exp;
        return w;
    }
    const uint32_t which = isa_waited_for(i->op);
    const bool pair =
        which & ISA_IS_WAITS_LDS && which & (ISA_IS_WAITS_LOADS | ISA_IS_WAITS_STORES);
    const uint32_t of_memory = pair ? isa_bits_get(first, n) : n,
                   of_lds = pair ? isa_bits_get(second, n) : n;
    if (which & ISA_IS_WAITS_LOADS) isa_wait_at_most(&w.loads, of_memory);
    if (which & ISA_IS_WAITS_STORES) isa_wait_at_most(&w.stores, of_memory);
    if (which & ISA_IS_WAITS_SAMPLES) isa_wait_at_most(&w.samples, n);
    if (which & ISA_IS_WAITS_RAYS) isa_wait_at_most(&w.rays, n);
    if (which & ISA_IS_WAITS_LDS) isa_wait_at_most(&w.lds, of_lds);
    if (which & ISA_IS_WAITS_SCALAR) isa_wait_at_most(&w.scalar, n);
    if (which & ISA_IS_WAITS_EXP || i->fmt == ISA_FMT_VINTERP) isa_wait_at_most(&w.exp, n);
    return w;
}

/* How often s_nop issues nothing after itself. */
static inline unsigned isa_nop_count(const isa_inst_t *i)
{
    return (unsigned)i->imm & 15;
}

/* The clocks for which a wave sleeps by the operand of s_sleep. */
static inline uint32_t isa_sleep_clocks(uint32_t operand)
{
    return 64 * (operand & 127);
}

#endif
