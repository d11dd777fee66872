/* atomic.h - the atomic instructions of flat, global and buffer memory, as one list.
 *
 * X(suffix of the mnemonic, bits, operation of atomic_ops.h, ignored). A row makes the instructions
 * flat_atomic_<suffix>, global_atomic_<suffix> and buffer_atomic_<suffix>. `ignored` is a flag of
 * memory (SG_MEM_*): on such memory the instruction changes nothing and returns 0, unless the GPU
 * has isa_arch_t.float_atomics. GPUs without it execute floating-point atomics in L2 only, which
 * does not cache fine-grained memory. */
#ifndef SOFTGPU_EXEC_ATOMIC_H
#define SOFTGPU_EXEC_ATOMIC_H

#include "softgpu/exec/mem_lanes.h"

#define ISA_ATOMICS(X)                                                                             \
    X(swap, 32, swap, 0)                                                                           \
    X(cmpswap, 32, cmpswap, 0)                                                                     \
    X(add, 32, add, 0)                                                                             \
    X(sub, 32, sub, 0)                                                                             \
    X(smin, 32, smin, 0)                                                                           \
    X(umin, 32, umin, 0)                                                                           \
    X(smax, 32, smax, 0)                                                                           \
    X(umax, 32, umax, 0)                                                                           \
    X(and, 32, and, 0)                                                                             \
    X(or, 32, or, 0)                                                                               \
    X(xor, 32, xor, 0)                                                                             \
    X(inc, 32, inc, 0)                                                                             \
    X(dec, 32, dec, 0)                                                                             \
    X(swap_x2, 64, swap, 0)                                                                        \
    X(cmpswap_x2, 64, cmpswap, 0)                                                                  \
    X(add_x2, 64, add, 0)                                                                          \
    X(sub_x2, 64, sub, 0)                                                                          \
    X(smin_x2, 64, smin, 0)                                                                        \
    X(umin_x2, 64, umin, 0)                                                                        \
    X(smax_x2, 64, smax, 0)                                                                        \
    X(umax_x2, 64, umax, 0)                                                                        \
    X(and_x2, 64, and, 0)                                                                          \
    X(or_x2, 64, or, 0)                                                                            \
    X(xor_x2, 64, xor, 0)                                                                          \
    X(inc_x2, 64, inc, 0)                                                                          \
    X(dec_x2, 64, dec, 0)                                                                          \
    X(add_f64, 64, fadd, SG_MEM_COHERENT)                                                          \
    X(min_f64, 64, fmin, SG_MEM_COHERENT)                                                          \
    X(max_f64, 64, fmax, SG_MEM_COHERENT)                                                          \
    X(fmin, 32, fmin, SG_MEM_COHERENT)                                                             \
    X(fmax, 32, fmax, SG_MEM_COHERENT)                                                             \
    X(fcmpswap, 32, fcmpswap, SG_MEM_COHERENT)                                                     \
    X(fmin_x2, 64, fmin, SG_MEM_COHERENT)                                                          \
    X(fmax_x2, 64, fmax, SG_MEM_COHERENT)                                                          \
    X(fcmpswap_x2, 64, fcmpswap, SG_MEM_COHERENT)

/* Floating-point operations, whose flat form earlier GPUs do not have. */
#define ISA_ATOMICS_FLOAT(X)                                                                       \
    X(add_f32, 32, fadd, SG_MEM_COHERENT)                                                          \
    X(pk_add_f16, 32, pk_fadd16, SG_MEM_COHERENT)                                                  \
    X(pk_add_bf16, 32, pk_fadd_bf16, SG_MEM_COHERENT)

/* Operations that had no flat form before gfx12, which has them under another name. */
#define ISA_ATOMICS_NOT_FLAT(X) X(csub, 32, csub, 0)

/* Operations of gfx12. */
#define ISA_ATOMICS_LATER(X)                                                                       \
    X(sub_clamp_u32, 32, csub, 0)                                                                  \
    X(cond_sub_u32, 32, cond_sub, 0)

/* One operation on program memory; returns the old value. Each is one sequentially consistent
 * atomic of the host, so that workgroups, queues and the program on the host see them in the same
 * order. */
typedef uint32_t isa_atomic32_t(uint32_t *p, uint32_t d0, uint32_t d1);
typedef uint64_t isa_atomic64_t(uint64_t *p, uint64_t d0, uint64_t d1);

/* isa_lanes_atomic_<suffix>: for each active lane in turn, old = operation(address, data[0],
 * data[1]), and dst = old unless dst is NULL. Operations of 64 bits take pairs of rows. A
 * misaligned address is a memory fault, as on hardware. */
#define ISA_DECLARE_ATOMIC(suffix, bits, op, ignored)                                              \
    isa_atomic##bits##_t isa_atomic_##suffix;                                                      \
    void isa_lanes_atomic_##suffix(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *data,           \
                                   isa_row_t *dst);
ISA_ATOMICS(ISA_DECLARE_ATOMIC)
ISA_ATOMICS_FLOAT(ISA_DECLARE_ATOMIC)
ISA_ATOMICS_NOT_FLAT(ISA_DECLARE_ATOMIC)
ISA_ATOMICS_LATER(ISA_DECLARE_ATOMIC)
#undef ISA_DECLARE_ATOMIC

#endif
