/* atomic.c - atomic operations on program memory as the host's own atomics.
 *
 * Apart because flat, global and buffer instructions share them. All are compare-and-swap loops
 * around atomic_ops.h but those that the host has an instruction for. */
#include "softgpu/isa/atomic.h"
#include "softgpu/isa/atomic_ops.h"

/* The L2 flushes f32 and f16 denormals whatever MODE says, and keeps those of f64. */
enum { DENORM_32 = ISA_DENORM_FLUSH, DENORM_64 = ISA_DENORM_KEEP };

#define LOOP(suffix, bits, op)                                                                     \
    uint##bits##_t isa_atomic_##suffix(uint##bits##_t *p, uint##bits##_t d0, uint##bits##_t d1)    \
    {                                                                                              \
        uint##bits##_t old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                            \
        do                                                                                         \
            new = isa_op_##op##_##bits(old, d0, d1, DENORM_##bits);                                \
        while (                                                                                    \
            !__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old;                                                                                \
    }

#define HOST(suffix, bits, builtin)                                                                \
    uint##bits##_t isa_atomic_##suffix(uint##bits##_t *p, uint##bits##_t d0, uint##bits##_t d1)    \
    {                                                                                              \
        (void)d1;                                                                                  \
        return builtin(p, d0, __ATOMIC_SEQ_CST);                                                   \
    }

HOST(swap, 32, __atomic_exchange_n)
HOST(add, 32, __atomic_fetch_add)
HOST(sub, 32, __atomic_fetch_sub)
HOST(and, 32, __atomic_fetch_and)
HOST(or, 32, __atomic_fetch_or)
HOST(xor, 32, __atomic_fetch_xor)
HOST(swap_x2, 64, __atomic_exchange_n)
HOST(add_x2, 64, __atomic_fetch_add)
HOST(sub_x2, 64, __atomic_fetch_sub)
HOST(and_x2, 64, __atomic_fetch_and)
HOST(or_x2, 64, __atomic_fetch_or)
HOST(xor_x2, 64, __atomic_fetch_xor)

LOOP(cmpswap, 32, cmpswap)
LOOP(smin, 32, smin)
LOOP(umin, 32, umin)
LOOP(smax, 32, smax)
LOOP(umax, 32, umax)
LOOP(inc, 32, inc)
LOOP(dec, 32, dec)
LOOP(cmpswap_x2, 64, cmpswap)
LOOP(smin_x2, 64, smin)
LOOP(umin_x2, 64, umin)
LOOP(smax_x2, 64, smax)
LOOP(umax_x2, 64, umax)
LOOP(inc_x2, 64, inc)
LOOP(dec_x2, 64, dec)
LOOP(add_f32, 32, fadd)
LOOP(pk_add_f16, 32, pk_fadd16)
LOOP(add_f64, 64, fadd)
LOOP(min_f64, 64, fmin)
LOOP(max_f64, 64, fmax)
