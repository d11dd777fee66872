/* smem.c - scalar memory: loads, stores, atomics, clocks, cache operations.
 *
 * A dword, or an aligned tuple of two or four, is read by one access of the host, so that programs
 * can exchange values through memory. A tuple is read completely before the first register is
 * written, so that a load that faults changes no register. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/atomic.h"
#include "softgpu/exec/clock.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_quad.h"

enum { MAX_DWORDS = 16 };

typedef isa_scalar_place_t place_t;

static inline place_t plain(const isa_wave_t *w, const isa_inst_t *i)
{
    return isa_address_scalar(w, i, 1);
}

static inline place_t scratch(const isa_wave_t *w, const isa_inst_t *i)
{
    return isa_address_scalar(w, i, ISA_SCALAR_SCRATCH_UNIT);
}

static inline place_t buffer(const isa_wave_t *w, const isa_inst_t *i)
{
    return isa_address_scalar_buffer(w, i);
}

/* Scalar instructions ignore the low two bits of an address, and GPU pages are pages of the host,
 * so that a dword is aligned on the host, too. */
typedef uint32_t dword_t __attribute__((may_alias));

/* Reads n dwords: four at once if they are aligned, else pairs, else single ones. */
ISA_NO_TSAN static void read_dwords(uint32_t *value, const uint8_t *host, unsigned n)
{
    unsigned k = 0, step;
    for (; k < n; k += step) {
        const uint8_t *p = host + 4 * k;
        step = n - k >= 4 && (uintptr_t)p % 16 == 0  ? 4
               : n - k >= 2 && (uintptr_t)p % 8 == 0 ? 2
                                                     : 1;
        if (step == 4) {
            _mm_storeu_si128((__m128i_u *)(value + k), isa_quad_load(p));
        } else if (step == 2) {
            const uint64_t pair = *(const isa_pair_t *)p;
            value[k] = (uint32_t)pair;
            value[k + 1] = (uint32_t)(pair >> 32);
        } else {
            value[k] = *(const isa_dword_t *)p;
        }
    }
}

/* Not inlined, so that load() needs no registers that it would have to save. */
ISA_NO_TSAN static __attribute__((noinline)) void load_any(isa_wave_t *w, const isa_inst_t *i,
                                                           place_t p, unsigned n)
{
    uint32_t value[MAX_DWORDS];
    uint64_t va = p.base + p.offset;
    if (p.limit == UINT64_MAX ||
        (isa_scalar_inside(&p, p.offset) && isa_scalar_inside(&p, p.offset + 4 * (n - 1)))) {
        const uint64_t page_left = 4096 - va % 4096;
        const uint8_t *host = 4 * n <= page_left ? isa_mem_ptr(w, va, 4 * n, ISA_FAULT_READ) : NULL;
        if (host) {
            read_dwords(value, host, n);
            goto write;
        }
        if (w->stop) return;
    }
    for (unsigned k = 0; k < n; k++) {
        value[k] = 0;
        if (p.limit != UINT64_MAX && !isa_scalar_inside(&p, p.offset + 4 * k)) continue;
        const uint8_t *host = isa_mem_ptr(w, va + 4 * k, 4, ISA_FAULT_READ);
        if (!host) return;
        value[k] = __atomic_load_n((const dword_t *)host, __ATOMIC_RELAXED);
    }
write:
    for (unsigned k = 0; k < n; k++)
        w->sgpr[i->dst.reg + k] = value[k];
}

/* Most loads are of one, two or four dwords that are aligned to their size, so that they are in one
 * page, in memory that the wave remembers. Three dwords at a multiple of their size may lie in two
 * pages. */
ISA_NO_TSAN static inline __attribute__((always_inline)) void
load(isa_wave_t *w, const isa_inst_t *i, place_t p, const unsigned n)
{
    const uint64_t va = p.base + p.offset;
    const sg_extent_t *e = NULL;
    uint32_t *to = &w->sgpr[i->dst.reg];
    if ((n == 1 || n == 2 || n == 4) && p.limit == UINT64_MAX && va % (4 * n) == 0)
        e = isa_mem_remembered(w, va, sg_memory_epoch(w->group->dispatch->memory));
    if (!e) {
        load_any(w, i, p, n);
        return;
    }
    const uint8_t *host = e->host + (va - e->begin);
    if (n == 4) {
        _mm_storeu_si128((__m128i_u *)to, isa_quad_load(host));
    } else if (n == 2) {
        const uint64_t pair = *(const isa_pair_t *)host;
        memcpy(to, &pair, sizeof pair);
    } else {
        *to = *(const isa_dword_t *)host;
    }
}

ISA_NO_TSAN static void store(isa_wave_t *w, const isa_inst_t *i, place_t p, unsigned n)
{
    const uint32_t *data = &w->sgpr[i->src[2].reg];
    const bool limited = p.limit != UINT64_MAX;
    if (!limited && (p.base + p.offset) % (4 * n) == 0) { /* aligned, so in one page */
        uint8_t *host = isa_mem_ptr(w, p.base + p.offset, 4 * n, ISA_FAULT_WRITE);
        isa_row_t rows[4];
        for (unsigned k = 0; k < n; k++)
            rows[k][0] = data[k];
        if (host) isa_lane_store(host, rows, 0, n);
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        if (limited && !isa_scalar_inside(&p, p.offset + 4 * k)) continue;
        uint8_t *host = isa_mem_ptr(w, p.base + p.offset + 4 * k, 4, ISA_FAULT_WRITE);
        if (!host) return;
        __atomic_store_n((dword_t *)host, data[k], __ATOMIC_RELAXED);
    }
}

/* load() is part of the handler, which therefore needs the mark, too. */
#define TRANSFER(name, where, operation, n)                                                        \
    ISA_NO_TSAN ISA_INST(name)                                                                     \
    {                                                                                              \
        operation(w, i, where(w, i), n);                                                           \
    }
TRANSFER(s_load_dword, plain, load, 1)
TRANSFER(s_load_dwordx2, plain, load, 2)
TRANSFER(s_load_dwordx4, plain, load, 4)
TRANSFER(s_load_dwordx8, plain, load, 8)
TRANSFER(s_load_dwordx16, plain, load, 16)
TRANSFER(s_scratch_load_dword, scratch, load, 1)
TRANSFER(s_scratch_load_dwordx2, scratch, load, 2)
TRANSFER(s_scratch_load_dwordx4, scratch, load, 4)
TRANSFER(s_buffer_load_dword, buffer, load, 1)
TRANSFER(s_buffer_load_dwordx2, buffer, load, 2)
TRANSFER(s_buffer_load_dwordx4, buffer, load, 4)
TRANSFER(s_buffer_load_dwordx8, buffer, load, 8)
TRANSFER(s_buffer_load_dwordx16, buffer, load, 16)
TRANSFER(s_store_dword, plain, store, 1)
TRANSFER(s_store_dwordx2, plain, store, 2)
TRANSFER(s_store_dwordx4, plain, store, 4)
TRANSFER(s_scratch_store_dword, scratch, store, 1)
TRANSFER(s_scratch_store_dwordx2, scratch, store, 2)
TRANSFER(s_scratch_store_dwordx4, scratch, store, 4)
TRANSFER(s_buffer_store_dword, buffer, store, 1)
TRANSFER(s_buffer_store_dwordx2, buffer, store, 2)
TRANSFER(s_buffer_store_dwordx4, buffer, store, 4)

/* ---- less than a dword, at any address, and three dwords ---- */

ISA_NO_TSAN static void load_part(isa_wave_t *w, const isa_inst_t *i, bool is_buffer, unsigned n,
                                  bool is_signed)
{
    const isa_scalar_bytes_t p = isa_address_scalar_bytes(w, i, is_buffer);
    uint32_t value = 0;
    if (p.offset < p.limit && p.limit - p.offset >= n)
        for (unsigned k = 0; k < n; k++) {
            const uint8_t *host = isa_mem_ptr(w, p.base + p.offset + k, 1, ISA_FAULT_READ);
            if (!host) return;
            value |= (uint32_t)*host << 8 * k;
        }
    const unsigned unused = 32 - 8 * n;
    w->sgpr[i->dst.reg] = is_signed ? (uint32_t)((int32_t)(value << unused) >> unused) : value;
}

#define LOAD_PART(type, n, is_signed)                                                              \
    ISA_INST(s_load_##type)                                                                        \
    {                                                                                              \
        load_part(w, i, false, n, is_signed);                                                      \
    }                                                                                              \
    ISA_INST(s_buffer_load_##type)                                                                 \
    {                                                                                              \
        load_part(w, i, true, n, is_signed);                                                       \
    }
LOAD_PART(i8, 1, true)
LOAD_PART(u8, 1, false)
LOAD_PART(i16, 2, true)
LOAD_PART(u16, 2, false)
TRANSFER(s_load_b96, plain, load, 3)
TRANSFER(s_buffer_load_b96, buffer, load, 3)

/* ---- atomics: one operation for the wave; the old value comes back with GLC ---- */

#define ATOMIC_BODY(suffix, size, where)                                                           \
    if (!isa_alone(w, i)) return;                                                                  \
    place_t p = where(w, i);                                                                       \
    const uint32_t *data = &w->sgpr[i->src[2].reg];                                                \
    uint64_t va = p.base + p.offset;                                                               \
    uint##size##_t old = 0;                                                                        \
    if (p.limit == UINT64_MAX || isa_scalar_inside(&p, p.offset + size / 8 - 4)) {                 \
        uint##size##_t *host;                                                                      \
        if (va % (size / 8)) {                                                                     \
            isa_mem_fault(w, va, ISA_FAULT_READ | ISA_FAULT_WRITE);                                \
            return;                                                                                \
        }                                                                                          \
        host = (void *)isa_mem_ptr(w, va, size / 8, ISA_FAULT_READ | ISA_FAULT_WRITE);             \
        if (!host) return;                                                                         \
        old = isa_atomic_##suffix(host, value_##size(data, 0),                                     \
                                  value_##size(data, i->src[2].bits / size - 1));                  \
    }                                                                                              \
    if (i->flags & ISA_F_GLC) set_##size(w, i->dst.reg, old);

static inline uint32_t value_32(const uint32_t *data, unsigned k)
{
    return data[k];
}

static inline uint64_t value_64(const uint32_t *data, unsigned k)
{
    return data[2 * k] | (uint64_t)data[2 * k + 1] << 32;
}

static inline void set_32(isa_wave_t *w, unsigned reg, uint32_t value)
{
    w->sgpr[reg] = value;
}

static inline void set_64(isa_wave_t *w, unsigned reg, uint64_t value)
{
    isa_set_sgpr64(w, reg, value);
}

#define ATOMIC(suffix, bits)                                                                       \
    ISA_INST(s_atomic_##suffix){ATOMIC_BODY(suffix, bits, plain)} ISA_INST(                        \
        s_buffer_atomic_##suffix)                                                                  \
    {                                                                                              \
        ATOMIC_BODY(suffix, bits, buffer)                                                          \
    }
#define ATOMIC_BOTH(name) ATOMIC(name, 32) ATOMIC(name##_x2, 64)
ATOMIC_BOTH(swap)
ATOMIC_BOTH(cmpswap)
ATOMIC_BOTH(add)
ATOMIC_BOTH(sub)
ATOMIC_BOTH(smin)
ATOMIC_BOTH(umin)
ATOMIC_BOTH(smax)
ATOMIC_BOTH(umax)
ATOMIC_BOTH(and)
ATOMIC_BOTH(or)
ATOMIC_BOTH(xor)
ATOMIC_BOTH(inc)
ATOMIC_BOTH(dec)

/* ---- clocks and caches ---- */

/* The shader clock. Its rate is the one that the driver reports, whatever the kernel does. */
ISA_INST(s_memtime)
{
    const uint64_t ns = isa_clock_ns(), mhz = w->group->dispatch->engine_clock_mhz;
    isa_set_sgpr64(w, i->dst.reg, ns / 1000 * mhz + ns % 1000 * mhz / 1000);
}

/* The device clock counts nanoseconds, which is the rate that the driver reports. */
ISA_INST(s_memrealtime)
{
    isa_set_sgpr64(w, i->dst.reg, isa_clock_ns());
}

/* These have no effect, since the executor has no data caches that a program would have to
 * invalidate or write back. */
#define NO_EFFECT(name)                                                                            \
    ISA_INST(name) {}
NO_EFFECT(s_dcache_inv)
NO_EFFECT(s_gl1_inv)
NO_EFFECT(s_dcache_wb)
NO_EFFECT(s_dcache_inv_vol)
NO_EFFECT(s_dcache_wb_vol)
NO_EFFECT(s_dcache_discard)
NO_EFFECT(s_dcache_discard_x2)
NO_EFFECT(s_atc_probe)
NO_EFFECT(s_atc_probe_buffer)
NO_EFFECT(s_prefetch_inst)
NO_EFFECT(s_prefetch_inst_pc_rel)
NO_EFFECT(s_prefetch_data)
NO_EFFECT(s_prefetch_data_pc_rel)
NO_EFFECT(s_buffer_prefetch_data)
