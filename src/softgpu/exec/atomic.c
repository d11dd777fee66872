/* atomic.c - atomic operations on program memory, by the host's own atomics.
 *
 * A file of its own because flat, buffer, image and scalar instructions share them. An operation of
 * atomic_ops.h for which the host has no instruction is a compare-and-swap loop. */
#include "softgpu/exec/atomic.h"
#include "softgpu/exec/atomic_ops.h"

/* The L2 flushes f32 and f16 denormals whatever MODE says, and keeps those of f64 and bf16. */
enum { DENORM_32 = ISA_DENORM_FLUSH, DENORM_64 = ISA_DENORM_KEEP };

#define LOOP(suffix, bits, op) LOOP_WITH(suffix, bits, op, DENORM_##bits)
#define LOOP_WITH(suffix, bits, op, denorm)                                                        \
    uint##bits##_t isa_atomic_##suffix(uint##bits##_t *p, uint##bits##_t d0, uint##bits##_t d1)    \
    {                                                                                              \
        uint##bits##_t old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                            \
        do                                                                                         \
            new = isa_op_##op##_##bits(old, d0, d1, denorm);                                       \
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
LOOP_WITH(pk_add_bf16, 32, pk_fadd_bf16, ISA_DENORM_KEEP)
LOOP(add_f64, 64, fadd)
LOOP(fmin, 32, fmin)
LOOP(fmax, 32, fmax)
LOOP(fcmpswap, 32, fcmpswap)
LOOP(fmin_x2, 64, fmin)
LOOP(fmax_x2, 64, fmax)
LOOP(fcmpswap_x2, 64, fcmpswap)
LOOP(csub, 32, csub)
LOOP(sub_clamp_u32, 32, csub)
LOOP(cond_sub_u32, 32, cond_sub)
LOOP(min_f64, 64, fmin)
LOOP(max_f64, 64, fmax)

/* ---- the lanes of a wave: templates, from which the list makes a function for each operation
 * ---- */

#define INLINE static inline __attribute__((always_inline))

/* Host address of one lane's aligned operand, or NULL after a fault. */
static void *atomic_place(isa_wave_t *w, const isa_lanes_t *a, unsigned l, uint32_t bytes)
{
    const uint64_t va = a->va[l];
    if (va & (bytes - 1)) {
        isa_mem_fault(w, a->lds ? w->group->dispatch->shared_base + va : va,
                      ISA_FAULT_READ | ISA_FAULT_WRITE);
        return NULL;
    }
    if (a->lds) return w->group->lds + va;
    return isa_mem_ptr(w, va, bytes, ISA_FAULT_WRITE);
}

/* Whether atomics are ignored on the lane's memory, which is known to be mapped. */
static bool is_ignored(isa_wave_t *w, const isa_lanes_t *a, unsigned l, uint32_t ignored)
{
    if (!ignored || a->lds || w->group->dispatch->arch->float_atomics) return false;
    const sg_extent_t *e = isa_mem_extent(w, a->va[l]);
    return e && e->flags & ignored;
}

/* Prefetches the operands of lanes that are far apart. An atomic of the host begins when those
 * before it are done, so that without this the host would wait for one lane's memory after the
 * other's. Prefetching never faults: a lane in another extent than the first one is of no
 * consequence. */
static void prefetch_places(isa_wave_t *w, const isa_lanes_t *a)
{
    enum { LINE = 64 };
    if (a->lds || !(a->exec & (a->exec - 1))) return;
    const uint64_t first = a->va[__builtin_ctzll(a->exec)];
    const uint64_t last = a->va[63 - __builtin_clzll(a->exec)];
    const sg_extent_t *e = (first ^ last) < LINE ? NULL : isa_mem_extent(w, first);
    if (!e) return;
    const uintptr_t host = (uintptr_t)e->host - (uintptr_t)e->begin;
    for (uint64_t left = a->exec; left; left &= left - 1)
        __builtin_prefetch((const void *)(host + a->va[__builtin_ctzll(left)]), 1, 3);
}

INLINE void lanes_32(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *data, isa_row_t *dst,
                     isa_atomic32_t *op, uint32_t ignored)
{
    prefetch_places(w, a);
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t *p = atomic_place(w, a, l, 4);
        if (!p) return;
        const uint32_t old = is_ignored(w, a, l, ignored) ? 0 : op(p, data[0][l], data[1][l]);
        if (dst) dst[0][l] = old;
    }
}

INLINE void lanes_64(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *data, isa_row_t *dst,
                     isa_atomic64_t *op, uint32_t ignored)
{
    prefetch_places(w, a);
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint64_t apart, *p = &apart;
        const bool swizzled = a->dword_step != 4;
        if (swizzled) {
            /* Only this lane uses its swizzled memory, so the access need not be atomic; nor could
             * it be, since the halves are not adjacent. */
            if (!isa_lane_bytes(w, a, l, (uint8_t *)p, 8, false)) return;
        } else {
            p = atomic_place(w, a, l, 8);
            if (!p) return;
        }
        const uint64_t d0 = data[0][l] | (uint64_t)data[1][l] << 32,
                       d1 = data[2][l] | (uint64_t)data[3][l] << 32;
        const uint64_t old = is_ignored(w, a, l, ignored) ? 0 : op(p, d0, d1);
        if (swizzled && !isa_lane_bytes(w, a, l, (uint8_t *)p, 8, true)) return;
        if (!dst) continue;
        dst[0][l] = (uint32_t)old;
        dst[1][l] = (uint32_t)(old >> 32);
    }
}

#define LANES(suffix, bits, op, ignored)                                                           \
    void isa_lanes_atomic_##suffix(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *data,           \
                                   isa_row_t *dst)                                                 \
    {                                                                                              \
        lanes_##bits(w, a, data, dst, isa_atomic_##suffix, ignored);                               \
    }

ISA_ATOMICS(LANES)
ISA_ATOMICS_FLOAT(LANES)
ISA_ATOMICS_NOT_FLAT(LANES)
ISA_ATOMICS_LATER(LANES)
