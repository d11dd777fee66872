/* transfer.c - copies and atomic operations, which both SDMA and PM4 packets ask for.
 *
 * Both name byte ranges, which may cross extents, and both have the L2 cache's numbers for atomic
 * operations. The atomic instructions of waves are in isa/atomic.c. */
#include "softgpu/device/internal.h"

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

/* The aligned 8 bytes around the address: a packet often writes one half of a signal's value. */
static int64_t whole_word(const sg_queue_t *q, uint64_t va)
{
    const int64_t *word = sg_memory_host(q->device->memory, va & ~UINT64_C(7), 8, 0);
    return word ? __atomic_load_n(word, __ATOMIC_SEQ_CST) : 0;
}

void sg_transfer_tell(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_order_tell(q->order, 0, va, whole_word(q, va));
}

void sg_transfer_told(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_order_told(q->order, va, whole_word(q, va));
}

void sg_transfer_met(sg_queue_t *q, uint64_t va)
{
    if (q->order) chk_line_met(q->order, va, whole_word(q, va));
}

void sg_transfer_begin(sg_queue_t *q, uint64_t from, uint64_t to, uint64_t bytes)
{
    chk_line_copy(q->order);
    chk_transfer(q->device->memory, from, to, bytes);
}

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

/* Codes of the operations that return the old value; SG_ATOMIC_WIDE is added for 64 bits. */
enum {
    SWAP = 7,
    COMPARE_SWAP = 8,
    ADD = 15,
    SUB,
    SIGNED_MIN,
    UNSIGNED_MIN,
    SIGNED_MAX,
    UNSIGNED_MAX,
    AND,
    OR,
    XOR,
    INCREMENT,
    DECREMENT
};

/* What memory holds next; `old` and `source` are sign-extended in the signed copies. */
static bool result(uint32_t operation, uint64_t old, uint64_t source, uint64_t compare,
                   int64_t signed_old, int64_t signed_source, uint64_t *next)
{
    switch (operation) {
    case SWAP: *next = source; return true;
    case COMPARE_SWAP: *next = old == compare ? source : old; return true;
    case ADD: *next = old + source; return true;
    case SUB: *next = old - source; return true;
    case SIGNED_MIN: *next = signed_source < signed_old ? source : old; return true;
    case UNSIGNED_MIN: *next = source < old ? source : old; return true;
    case SIGNED_MAX: *next = signed_source > signed_old ? source : old; return true;
    case UNSIGNED_MAX: *next = source > old ? source : old; return true;
    case AND: *next = old & source; return true;
    case OR: *next = old | source; return true;
    case XOR: *next = old ^ source; return true;
    case INCREMENT: *next = old >= source ? 0 : old + 1; return true;
    case DECREMENT: *next = old == 0 || old > source ? source : old - 1; return true;
    default: return false;
    }
}

bool sg_transfer_atomic(uint32_t code, void *at, uint64_t source, uint64_t compare, uint64_t *old)
{
    const uint32_t operation = code & ~(uint32_t)SG_ATOMIC_WIDE;
    uint64_t next;
    if (code & SG_ATOMIC_WIDE) {
        uint64_t *p = at, seen = __atomic_load_n(p, __ATOMIC_SEQ_CST);
        do {
            if (!result(operation, seen, source, compare, (int64_t)seen, (int64_t)source, &next))
                return false;
        } while (!__atomic_compare_exchange_n(p, &seen, next, false, __ATOMIC_SEQ_CST,
                                              __ATOMIC_SEQ_CST));
        *old = seen;
        return true;
    }
    const uint32_t low = (uint32_t)source;
    uint32_t *p = at, seen = __atomic_load_n(p, __ATOMIC_SEQ_CST);
    do {
        if (!result(operation, seen, low, (uint32_t)compare, (int32_t)seen, (int32_t)low, &next))
            return false;
    } while (!__atomic_compare_exchange_n(p, &seen, (uint32_t)next, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    *old = seen;
    return true;
}
