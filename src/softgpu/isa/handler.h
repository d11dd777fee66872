/* handler.h - how to write an instruction: one function named with ISA_INST().
 *
 *     ISA_INST(s_mov_b32)
 *     {
 *         w->sgpr[i->dst.reg] = isa_read32(w, &i->src[0]);
 *     }
 *
 * Nothing else needs to be told: the core's table takes every function it finds. An instruction
 * of gfx90a without one stops its wave with ISA_STOP_UNSUPPORTED. Core sources are compiled once
 * per variant and all their names stay inside it, helpers with external linkage included. */
#ifndef SOFTGPU_ISA_HANDLER_H
#define SOFTGPU_ISA_HANDLER_H

#include "softgpu/isa/code.h"
#include "softgpu/isa/table.h"
#include "softgpu/isa/wave.h"

#include <string.h>

#ifndef ISA_VARIANT
#define ISA_VARIANT base
#endif

#define ISA_PASTE_(variant, name) isa_##variant##_##name
#define ISA_PASTE(variant, name)  ISA_PASTE_(variant, name)
#define ISA_HANDLER(name)         ISA_PASTE(ISA_VARIANT, name)

/* The host's float mode while handlers run: round to nearest, denormals kept, no exception
 * unmasked. One that needs another sets this again; nobody reads the mode back, which would have
 * the host wait for all its sums. A thread inherits the program's, which fast-math start-up code
 * may have changed: the run loop sets it, and leaves it so. */
enum { ISA_HOST_FLOAT_MODE = 0x1f80, ISA_HOST_DENORMALS_ZERO = 0x40, ISA_HOST_ROUND_SHIFT = 13 };

/* Head of a handler. w->ip already points behind the instruction *i. */
#define ISA_INST(name)                                                                             \
    void ISA_HANDLER(name)(isa_wave_t * w __attribute__((unused)),                                 \
                           const isa_inst_t *i __attribute__((unused)))

/* Prototypes of all of them. */
#define ISA_OP(name, ...) isa_handler_t ISA_HANDLER(name);
#include "isa/isa_ops.inc"
#undef ISA_OP

/* Codes 235..239 and 251..254 of a source operand; bits above 31 are 0 except for apertures. */
uint64_t isa_read_special(isa_wave_t *w, const isa_operand_t *o);

/* A scalar source: SGPR, constant or special. 64-bit sources read the pair. */
static inline uint32_t isa_read32(isa_wave_t *w, const isa_operand_t *o)
{
    if (__builtin_expect(o->kind == ISA_OPK_SGPR, 1)) return w->sgpr[o->reg];
    if (__builtin_expect(o->kind == ISA_OPK_CONST, 1)) return (uint32_t)o->k;
    return (uint32_t)isa_read_special(w, o);
}

static inline uint64_t isa_sgpr64(const isa_wave_t *w, unsigned reg)
{
    return w->sgpr[reg] | (uint64_t)w->sgpr[reg + 1] << 32;
}

/* One store: a load of EXEC or VCC as a whole could not be served from two stores that are still on
 * their way to memory, and would wait for all stores before them. */
static inline void isa_set_sgpr64(isa_wave_t *w, unsigned reg, uint64_t value)
{
    memcpy(&w->sgpr[reg], &value, sizeof value);
}

static inline uint64_t isa_read64(isa_wave_t *w, const isa_operand_t *o)
{
    if (__builtin_expect(o->kind == ISA_OPK_SGPR, 1)) return isa_sgpr64(w, o->reg);
    if (__builtin_expect(o->kind == ISA_OPK_CONST, 1)) return o->k;
    return isa_read_special(w, o);
}

#endif
