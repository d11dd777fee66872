/* transfer.c - copies and atomic operations of SDMA and PM4 packets.
 *
 * Both kinds of packet name byte ranges, which may cross extents, and use the L2 cache's numbers
 * for atomic operations. The atomic instructions of waves are in exec/atomic.c. */
#include "softgpu/device/internal.h"
#include "softgpu/exec/atomic_ops.h"

#include <string.h>

void sg_transfer_fault(sg_queue_t *q, uint64_t va, bool write)
{
    const sg_extent_t *e = sg_memory_find(q->device->memory, va);
    sg_queue_fault(q, va, (write ? ISA_FAULT_WRITE : ISA_FAULT_READ) | (e ? ISA_FAULT_RDONLY : 0));
}

uint8_t *sg_transfer_piece(const sg_device_t *d, uint64_t va, uint64_t *bytes, bool write)
{
    const sg_extent_t *e = sg_memory_prove(d->memory, va);
    if (!e || (write && !(e->flags & SG_MEM_WRITABLE))) return NULL;
    if (*bytes > e->end - va) *bytes = e->end - va;
    return e->host + (va - e->begin);
}

/* Reads the aligned 8 bytes around the address, since a packet often writes one half of a signal's
 * value. */
static int64_t whole_word(const sg_queue_t *q, uint64_t va)
{
    const int64_t *word = sg_memory_host(q->device->memory, va & ~UINT64_C(7), 8, 0);
    return word ? __atomic_load_n(word, __ATOMIC_SEQ_CST) : 0;
}

void sg_transfer_change_begin(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_order_change_begin(q->order, 0, va, whole_word(q, va));
}

void sg_transfer_change_end(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_order_change_end(q->order, va, whole_word(q, va));
}

void sg_transfer_waited(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_line_waited(q->order, va, whole_word(q, va));
}

void sg_transfer_begin(sg_queue_t *q, uint64_t from, uint64_t to, uint64_t bytes)
{
    chk_line_copy(q->order);
    chk_transfer(q->device->memory, from, to, bytes);
}

/* Copies forward, extent by extent. If the ranges overlap, the result may depend on where extents
 * end: HSA leaves it undefined (hsa_amd_memory_async_copy). */
bool sg_transfer_copy(sg_queue_t *q, uint64_t src, uint64_t dst, uint64_t bytes)
{
    sg_transfer_begin(q, src, dst, bytes);
    while (bytes) {
        uint64_t n = bytes;
        const uint8_t *from = sg_transfer_piece(q->device, src, &n, false);
        uint8_t *to = from ? sg_transfer_piece(q->device, dst, &n, true) : NULL;
        if (!to) {
            sg_transfer_fault(q, from ? dst : src, from != NULL);
            return false;
        }
        memmove(to, from, n);
        src += n;
        dst += n;
        bytes -= n;
    }
    return true;
}

/* Operations that return the old value: their codes, without SG_ATOMIC_WIDE, and the operation of
 * exec/atomic_ops.h. */
#define OPERATIONS(X)                                                                              \
    X(7, swap)                                                                                     \
    X(8, cmpswap)                                                                                  \
    X(15, add)                                                                                     \
    X(16, sub)                                                                                     \
    X(17, smin)                                                                                    \
    X(18, umin)                                                                                    \
    X(19, smax)                                                                                    \
    X(20, umax)                                                                                    \
    X(21, and)                                                                                     \
    X(22, or)                                                                                      \
    X(23, xor)                                                                                     \
    X(24, inc)                                                                                     \
    X(25, dec)

#define CASE_32(code, op)                                                                          \
    case code:                                                                                     \
        next = isa_op_##op##_32(seen, source, compare, ISA_DENORM_KEEP);                           \
        break;
#define CASE_64(code, op)                                                                          \
    case code:                                                                                     \
        next = isa_op_##op##_64(seen, source, compare, ISA_DENORM_KEEP);                           \
        break;

#define ATOMIC(bits)                                                                               \
    static bool atomic_##bits(uint32_t operation, uint##bits##_t *p, uint##bits##_t source,        \
                              uint##bits##_t compare, uint64_t *old)                               \
    {                                                                                              \
        uint##bits##_t next, seen = __atomic_load_n(p, __ATOMIC_SEQ_CST);                          \
        do                                                                                         \
            switch (operation) {                                                                   \
                OPERATIONS(CASE_##bits)                                                            \
            default: return false;                                                                 \
            }                                                                                      \
        while (!__atomic_compare_exchange_n(p, &seen, next, false, __ATOMIC_SEQ_CST,               \
                                            __ATOMIC_SEQ_CST));                                    \
        *old = seen;                                                                               \
        return true;                                                                               \
    }

ATOMIC(32)
ATOMIC(64)

bool sg_transfer_atomic(uint32_t code, void *at, uint64_t source, uint64_t compare, uint64_t *old)
{
    const uint32_t operation = code & ~(uint32_t)SG_ATOMIC_WIDE;
    return code & SG_ATOMIC_WIDE
               ? atomic_64(operation, at, source, compare, old)
               : atomic_32(operation, at, (uint32_t)source, (uint32_t)compare, old);
}
