/* atomic.h - the atomic instructions of flat, global and buffer memory, as one list.
 *
 * X(suffix of the mnemonic, bits, operation of atomic_ops.h). A row makes flat_atomic_<suffix>,
 * global_atomic_<suffix> and buffer_atomic_<suffix>. */
#ifndef SOFTGPU_ISA_ATOMIC_H
#define SOFTGPU_ISA_ATOMIC_H

#include "softgpu/isa/mem_lanes.h"

#define ISA_ATOMICS(X)                                                                             \
    X(swap, 32, swap)                                                                              \
    X(cmpswap, 32, cmpswap)                                                                        \
    X(add, 32, add)                                                                                \
    X(sub, 32, sub)                                                                                \
    X(smin, 32, smin)                                                                              \
    X(umin, 32, umin)                                                                              \
    X(smax, 32, smax)                                                                              \
    X(umax, 32, umax)                                                                              \
    X(and, 32, and)                                                                                \
    X(or, 32, or)                                                                                  \
    X(xor, 32, xor)                                                                                \
    X(inc, 32, inc)                                                                                \
    X(dec, 32, dec)                                                                                \
    X(swap_x2, 64, swap)                                                                           \
    X(cmpswap_x2, 64, cmpswap)                                                                     \
    X(add_x2, 64, add)                                                                             \
    X(sub_x2, 64, sub)                                                                             \
    X(smin_x2, 64, smin)                                                                           \
    X(umin_x2, 64, umin)                                                                           \
    X(smax_x2, 64, smax)                                                                           \
    X(umax_x2, 64, umax)                                                                           \
    X(and_x2, 64, and)                                                                             \
    X(or_x2, 64, or)                                                                               \
    X(xor_x2, 64, xor)                                                                             \
    X(inc_x2, 64, inc)                                                                             \
    X(dec_x2, 64, dec)                                                                             \
    X(add_f64, 64, fadd)                                                                           \
    X(min_f64, 64, fmin)                                                                           \
    X(max_f64, 64, fmax)

/* Not with flat addresses. */
#define ISA_ATOMICS_NOT_FLAT(X)                                                                    \
    X(add_f32, 32, fadd)                                                                           \
    X(pk_add_f16, 32, pk_fadd16)

/* The operation on program memory: sequentially consistent, one host atomic each, so that
 * workgroups, queues and the host see them in one order. */
#define ISA_DECLARE_ATOMIC(suffix, bits, op) isa_atomic##bits##_t isa_atomic_##suffix;
ISA_ATOMICS(ISA_DECLARE_ATOMIC)
ISA_ATOMICS_NOT_FLAT(ISA_DECLARE_ATOMIC)
#undef ISA_DECLARE_ATOMIC

#endif
