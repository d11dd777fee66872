/* sdma.c - the packet processor of SDMA queues: copies, fills, fences, polls, atomics.
 *
 * A table has one row for each kind of packet. Each packet is finished before the next begins,
 * which is stricter than hardware and allowed. Read and write pointers are byte offsets that never
 * wrap. */
#include "softgpu/device/internal.h"

enum { PACKET_DWORDS_MAX = 13 };

typedef struct {
    sg_queue_t *q;
    sg_device_t *d;
    uint32_t dw[PACKET_DWORDS_MAX];
} packet_t;

typedef enum { DONE, AGAIN, FAILED } outcome_t;

static uint64_t pair(const packet_t *p, unsigned i)
{
    return p->dw[i] | (uint64_t)p->dw[i + 1] << 32;
}

static outcome_t fail(const packet_t *p, const char *what, uint64_t value)
{
    sg_queue_fail(p->q, SG_QUEUE_ERROR_PACKET, 0, "SDMA packet 0x%08x at offset %llu: %s 0x%llx",
                  p->dw[0], (unsigned long long)p->q->next, what, (unsigned long long)value);
    return FAILED;
}

static outcome_t fault(const packet_t *p, uint64_t va, bool write)
{
    sg_transfer_fault(p->q, va, write);
    return FAILED;
}

static void *word_at(const packet_t *p, uint64_t va, uint64_t bytes, bool write)
{
    return sg_memory_host(p->d->memory, va, bytes, write ? SG_MEM_WRITABLE : 0);
}

/* ---- packets ---- */

static outcome_t copy(const packet_t *p, uint64_t src, uint64_t dst, uint64_t bytes)
{
    return sg_transfer_copy(p->q, src, dst, bytes) ? DONE : FAILED;
}

static outcome_t do_nop(packet_t *p)
{
    (void)p;
    return DONE;
}

static outcome_t do_copy_linear(packet_t *p)
{
    enum { COUNT_MASK = 0x3fffffff }; /* 30 bits; senders of 22-bit counts leave the rest 0 */
    return copy(p, pair(p, 3), pair(p, 5), (uint64_t)(p->dw[1] & COUNT_MASK) + 1);
}

/* How many bits the numbers of a copy of a window have: offsets and sizes along x and y, along z,
 * and the distance of planes. That of rows has the bits of its dword from `pitch_at` on. */
typedef struct {
    uint8_t xy, z, pitch_at, slice;
} rect_form_t;

/* Indexed by isa_arch_t.wide_windows. */
static const rect_form_t rect_forms[] = {{14, 11, 13, 28}, {16, 14, 16, 32}};

static uint64_t low(uint32_t dword, unsigned bits)
{
    return dword & ((UINT64_C(1) << bits) - 1);
}

/* One side of the copy, of five dwords: address, offsets, pitch and slice, in elements. */
typedef struct {
    uint64_t first, pitch, slice;
} rect_side_t;

static rect_side_t rect_side(const packet_t *p, const rect_form_t *f, unsigned at)
{
    const uint32_t xy = p->dw[at + 2], z_pitch = p->dw[at + 3];
    rect_side_t s = {.pitch = (uint64_t)(z_pitch >> f->pitch_at) + 1,
                     .slice = low(p->dw[at + 4], f->slice) + 1};
    const uint64_t elements =
        low(xy, f->xy) + low(xy >> 16, f->xy) * s.pitch + low(z_pitch, f->z) * s.slice;
    s.first = pair(p, at) + (elements << (p->dw[0] >> 29));
    return s;
}

/* The packet has sizes in elements; pitches, slices and sizes minus one. */
static outcome_t do_copy_rect(packet_t *p)
{
    const rect_form_t *f = &rect_forms[p->d->arch->wide_windows];
    const uint32_t shift = p->dw[0] >> 29;
    const rect_side_t src = rect_side(p, f, 1), dst = rect_side(p, f, 6);
    const uint64_t width = low(p->dw[11], f->xy) + 1, rows = low(p->dw[11] >> 16, f->xy) + 1;
    const uint64_t planes = low(p->dw[12], f->z) + 1;
    if (shift > 4) return fail(p, "element size is 2 to the power of", shift);
    for (uint64_t z = 0; z < planes; z++) {
        for (uint64_t y = 0; y < rows; y++) {
            outcome_t o =
                copy(p, src.first + ((z * src.slice + y * src.pitch) << shift),
                     dst.first + ((z * dst.slice + y * dst.pitch) << shift), width << shift);
            if (o != DONE) return o;
        }
    }
    return DONE;
}

static outcome_t do_fill(packet_t *p)
{
    enum { SIZE_DWORD = 2, COUNT_MASK = 0x3fffff };
    uint32_t size = p->dw[0] >> 30, value = p->dw[3];
    uint64_t dst = pair(p, 1), bytes = ((uint64_t)(p->dw[4] & COUNT_MASK) & ~UINT64_C(3)) + 4;
    if (size != SIZE_DWORD) return fail(p, "fill of elements of 2 to the power of", size);
    if (dst & 3) return fail(p, "fill of an unaligned address", dst);
    sg_transfer_begin(p->q, 0, dst, bytes);
    while (bytes) {
        uint64_t n = bytes;
        uint32_t *to = (uint32_t *)sg_transfer_piece(p->d, dst, &n, true);
        if (!to) return fault(p, dst, true);
        for (uint64_t i = 0; i < n / 4; i++)
            to[i] = value;
        dst += n;
        bytes -= n;
    }
    return DONE;
}

static outcome_t do_fence(packet_t *p)
{
    uint64_t va = pair(p, 1) & ~UINT64_C(3);
    uint32_t *to = word_at(p, va, 4, true);
    if (!to) return fault(p, va, true);
    sg_transfer_change_begin(p->q, va);
    __atomic_store_n(to, p->dw[3], __ATOMIC_SEQ_CST);
    sg_transfer_change_end(p->q, va);
    sg_device_stir(p->d);
    return DONE;
}

static outcome_t do_trap(packet_t *p)
{
    enum { CONTEXT_MASK = 0xfffffff };
    uint32_t event = p->dw[1] & CONTEXT_MASK;
    p->d->ops.raise_event(p->d->ops.user, event);
    return DONE;
}

static outcome_t do_poll(packet_t *p)
{
    enum { MEMORY = 31 };
    uint32_t function = p->dw[0] >> 28 & 7;
    uint64_t va = pair(p, 1) & ~UINT64_C(3);
    if (!function) return DONE; /* 0: always true; a flush of the host data path is such a packet */
    if (!(p->dw[0] >> MEMORY)) return fail(p, "poll of a register", p->dw[1]);
    const uint32_t *from = word_at(p, va, 4, false);
    if (!from) return fault(p, va, false);
    uint32_t value = __atomic_load_n(from, __ATOMIC_ACQUIRE);
    if (!sg_holds(function, value & p->dw[4], p->dw[3])) return AGAIN;
    sg_transfer_waited(p->q, va);
    return DONE;
}

static outcome_t do_atomic(packet_t *p)
{
    uint32_t code = p->dw[0] >> 25;
    uint64_t va = pair(p, 1), old, bytes = code & SG_ATOMIC_WIDE ? 8 : 4;
    void *at = word_at(p, va, bytes, true);
    if (va & (bytes - 1)) return fail(p, "atomic on an unaligned address", va);
    if (!at) return fault(p, va, true);
    sg_transfer_change_begin(p->q, va);
    if (!sg_transfer_atomic(code, at, pair(p, 3), pair(p, 5), &old))
        return fail(p, "atomic operation", code);
    sg_transfer_change_end(p->q, va);
    sg_device_stir(p->d);
    return DONE;
}

static outcome_t do_timestamp(packet_t *p)
{
    uint64_t va = pair(p, 1) & ~UINT64_C(7);
    uint64_t *to = word_at(p, va, 8, true);
    if (!to) return fault(p, va, true);
    __atomic_store_n(to, sg_device_clock(), __ATOMIC_RELEASE);
    return DONE;
}

/* The packet invalidates or writes back caches. It has no effect, since the memory that SDMA uses
 * is coherent here. */
static outcome_t do_gcr(packet_t *p)
{
    return p->d->arch->gcr ? DONE : fail(p, "unknown operation and sub-operation", 17 | 1 << 8);
}

enum { OP_NOP = 0 };

static const struct {
    uint8_t op, sub_op, dwords;
    outcome_t (*execute)(packet_t *p);
} kinds[] = {
    {OP_NOP, 0, 1, do_nop}, {1, 0, 7, do_copy_linear}, {1, 4, 13, do_copy_rect},
    {5, 0, 4, do_fence},    {6, 0, 2, do_trap},        {8, 0, 6, do_poll},
    {10, 0, 8, do_atomic},  {11, 0, 5, do_fill},       {13, 2, 3, do_timestamp},
    {17, 1, 5, do_gcr},
};

/* ---- the ring ---- */

static bool read_ring(packet_t *p, uint64_t at, uint32_t first, uint32_t n)
{
    uint64_t ring = atomic_load_explicit(&p->q->ring_va, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&p->q->ring_bytes, memory_order_relaxed);
    for (uint32_t i = first; i < n; i++) {
        const uint32_t *word = word_at(p, ring + (at + 4ull * i) % bytes, 4, false);
        if (!word) return false;
        p->dw[i] = *word;
    }
    return true;
}

/* Reads and executes the packet at `next`; *bytes is its length. */
static outcome_t process(packet_t *p, uint64_t available, uint64_t *bytes)
{
    enum { NOP_COUNT_MASK = 0x3fff };
    uint64_t at = p->q->next;
    if (!read_ring(p, at, 0, 1)) return fault(p, atomic_load(&p->q->ring_va), false);
    uint32_t op = p->dw[0] & 0xff, sub_op = p->dw[0] >> 8 & 0xff;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].op != op || kinds[i].sub_op != sub_op) continue;
        *bytes = 4ull * kinds[i].dwords;
        if (op == OP_NOP) *bytes += 4ull * (p->dw[0] >> 16 & NOP_COUNT_MASK);
        if (*bytes > available) return fail(p, "not all written, bytes there:", available);
        if (!read_ring(p, at, 1, kinds[i].dwords))
            return fault(p, atomic_load(&p->q->ring_va), false);
        return kinds[i].execute(p);
    }
    return fail(p, "unknown operation and sub-operation", op | sub_op << 8);
}

sg_step_t sg_sdma_step(sg_queue_t *q)
{
    packet_t p = {.q = q, .d = q->device};
    if (sg_queue_stopping(q) || !atomic_load_explicit(&q->percent, memory_order_relaxed))
        return SG_STEP_DEAD;
    const uint64_t *write = word_at(&p, q->params.write_ptr_va, 8, false);
    uint64_t *read = word_at(&p, q->params.read_ptr_va, 8, true);
    if (!write || !read) {
        fault(&p, write ? q->params.read_ptr_va : q->params.write_ptr_va, !read);
        return SG_STEP_DEAD;
    }
    uint64_t end = __atomic_load_n(write, __ATOMIC_ACQUIRE), bytes = 0;
    if (q->next >= end) return SG_STEP_IDLE;
    outcome_t outcome = process(&p, end - q->next, &bytes);
    if (outcome == FAILED) return SG_STEP_DEAD;
    if (outcome == AGAIN) return SG_STEP_POLL;
    q->next += bytes;
    __atomic_store_n(read, q->next, __ATOMIC_RELEASE);
    return SG_STEP_WORKED;
}
