/* handler.h - how to write an instruction: one function named with ISA_INST().
 *
 *     ISA_INST(s_mov_b32)
 *     {
 *         w->sgpr[i->dst.reg] = isa_read32(w, &i->src[0]);
 *     }
 *
 * The linker puts every such function into the core's table (handlers.c). An instruction
 * without a handler stops its wave with ISA_STOP_UNSUPPORTED. Sources of handlers are compiled once
 * for each executor core (core.h). docs/softgpu.md, "What a handler may do", has the contract. */
#ifndef SOFTGPU_EXEC_HANDLER_H
#define SOFTGPU_EXEC_HANDLER_H

#include "softgpu/exec/code.h"
#include "isa/table.h"
#include "softgpu/exec/wave.h"

#include <string.h>

#ifndef ISA_VARIANT
#error "a source of handlers has a name that CMakeLists.txt lists for the core"
#endif

#define ISA_PASTE_(variant, name) isa_##variant##_##name
#define ISA_PASTE(variant, name)  ISA_PASTE_(variant, name)
#define ISA_HANDLER(name)         ISA_PASTE(ISA_VARIANT, name)

#ifdef ISA_CHUNK
#include "softgpu/exec/chunk.h"
#else
/* Head of a handler. When it is called, w->ip already points at the instruction after *i. */
#define ISA_INST(name)                                                                             \
    void ISA_HANDLER(name)(isa_wave_t * w __attribute__((unused)),                                 \
                           const isa_inst_t *i __attribute__((unused)))

/* Prototypes of the handlers of all instructions. */
#define ISA_OP(name, ...) isa_handler_t ISA_HANDLER(name);
#include "isa/isa_ops.inc"
#undef ISA_OP
#endif

/* Value of a source operand of the kind ISA_OPK_SPECIAL: isa_special(), or from LDS. */
uint64_t isa_read_special(isa_wave_t *w, const isa_operand_t *o);

/* Every atomic operation, on memory or on LDS, calls this before it does anything. Those of one
 * workgroup take place in the order of its waves, so that sums of floats and the values that they
 * return do not depend on the host; and the host does those on LDS without atomics of its own.
 * False: the workgroup runs on several threads, the wave has been stopped, and the instruction has
 * to return; it will be tried again while no other wave of the workgroup runs. */
static inline bool isa_alone(isa_wave_t *w, const isa_inst_t *i)
{
    if (__builtin_expect(w->group->spread, 0)) {
        isa_retry(w, i, ISA_STOP_ALONE);
        return false;
    }
    isa_retried(w);
    return true;
}

/* The value of a scalar source: SGPR, constant or special. 64-bit sources read the pair. */
static inline uint32_t isa_read32(isa_wave_t *w, const isa_operand_t *o)
{
    if (__builtin_expect(o->kind == ISA_OPK_SGPR, 1)) return w->sgpr[o->reg];
    if (__builtin_expect(o->kind == ISA_OPK_CONST, 1)) return (uint32_t)o->k;
    return (uint32_t)isa_read_special(w, o);
}

/* In a wave of 32 lanes the high half of EXEC is a register like any other, and has another place
 * in the wave (code.c), so that isa_wave_t.exec has no more bits than lanes. */
static inline bool isa_is_split_exec(unsigned reg)
{
    return ISA_LANES == 32 && reg == ISA_CODE_EXEC;
}

static inline uint64_t isa_sgpr64(const isa_wave_t *w, unsigned reg)
{
    if (isa_is_split_exec(reg)) return w->sgpr[reg] | (uint64_t)w->sgpr[ISA_EXEC_HI_32] << 32;
    return w->sgpr[reg] | (uint64_t)w->sgpr[reg + 1] << 32;
}

/* One store of 64 bits, not two of 32: the host could not forward two stores to a load of all 64
 * bits of EXEC or VCC, and the load would wait until both are in the cache. */
static inline void isa_set_sgpr64(isa_wave_t *w, unsigned reg, uint64_t value)
{
    if (isa_is_split_exec(reg)) {
        w->sgpr[reg] = (uint32_t)value;
        w->sgpr[ISA_EXEC_HI_32] = (uint32_t)(value >> 32);
        return;
    }
    memcpy(&w->sgpr[reg], &value, sizeof value);
}

static inline uint64_t isa_read64(isa_wave_t *w, const isa_operand_t *o)
{
    if (__builtin_expect(o->kind == ISA_OPK_SGPR, 1)) return isa_sgpr64(w, o->reg);
    if (__builtin_expect(o->kind == ISA_OPK_CONST, 1)) return o->k;
    return isa_read_special(w, o);
}

/* ---- sets of lanes in SGPRs: a pair, or one in waves of 32 lanes ---- */

static inline uint64_t isa_vcc(const isa_wave_t *w)
{
    return ISA_LANES == 32 ? (uint32_t)w->vcc : w->vcc;
}

static inline uint64_t isa_read_mask(isa_wave_t *w, const isa_operand_t *o)
{
    return ISA_LANES == 32 ? isa_read32(w, o) : isa_read64(w, o);
}

static inline void isa_set_mask(isa_wave_t *w, unsigned reg, uint64_t lanes)
{
    if (ISA_LANES == 32)
        w->sgpr[reg] = (uint32_t)lanes;
    else
        isa_set_sgpr64(w, reg, lanes);
}

#endif
