/* pm4.c - PM4 packets inside AQL vendor packets: cache control, memory writes, waits, registers.
 *
 * A table has one row for each opcode. Registers are plain words that packets set and read back,
 * except those of the performance counters. An unknown opcode or a body that is too short fails the
 * queue: no packet is skipped silently. */
#include "softgpu/device/internal.h"

#include <string.h>

enum {
    TYPE2 = 2,
    TYPE3 = 3,
    NOP_ONE_DWORD = 0x3fff, /* COUNT of a NOP that is only its header */
    DEPTH_MAX = 8,          /* depth of nested indirect buffers */
    ERROR_VENDOR = 0x100,   /* queue_inactive_signal: bad vendor packet */
    COMPUTE_PERFCOUNT_ENABLE = 0x2e0b,
    COMPUTE_THREAD_TRACE_ENABLE = 0x2e1e
};

/* One PM4 packet, and the queue that executes it. */
typedef struct {
    sg_queue_t *q;
    sg_device_t *d;
    const uint32_t *dw; /* dw[0] is the header */
    uint32_t n;         /* dwords with the header */
    uint32_t window;    /* first register of a SET_*_REG */
    uint32_t xccs;      /* bit n: XCC n executes it */
    uint32_t *pred;     /* of the packet's list: the XCCs of the last PRED_EXEC, which apply ... */
    uint32_t *pred_end; /* ... up to this dword of the list */
    uint32_t at;        /* dword of the list at which the packet is */
    unsigned depth;
} command_t;

enum { ALL_XCCS = 0xff };

static bool run_words(sg_queue_t *q, uint64_t va, uint32_t dwords, uint32_t xccs, unsigned depth);

static bool fail(const command_t *c, const char *what, uint64_t value)
{
    sg_queue_fail(c->q, SG_QUEUE_ERROR_PACKET, ERROR_VENDOR, "PM4 packet 0x%08x: %s 0x%llx",
                  c->dw[0], what, (unsigned long long)value);
    return false;
}

/* Fails the queue: softgpu has no model of `what`, and zeros would be a wrong result. */
static bool refuse(const command_t *c, const char *what)
{
    sg_queue_fail(c->q, SG_QUEUE_ERROR_PACKET, ERROR_VENDOR, "softgpu has no model of %s of %s",
                  what, c->d->arch->name);
    return false;
}

static uint64_t pair(const command_t *c, unsigned i)
{
    return c->dw[i] | (uint64_t)c->dw[i + 1] << 32;
}

/* Host address of GPU memory, or NULL after the queue has reported the fault. */
static void *memory(const command_t *c, uint64_t va, uint64_t bytes, bool write)
{
    void *p = sg_memory_host(c->d->memory, va, bytes, write ? SG_MEM_WRITABLE : 0);
    if (!p) sg_queue_fault(c->q, va, write ? ISA_FAULT_WRITE : ISA_FAULT_READ);
    return p;
}

/* Whether thread traces have to be refused. Each GPU of isa_archs has one: this is for GPUs to
 * come, whose tokens nobody has written yet. */
static bool is_untraced(const command_t *c)
{
    return c->d->arch->trace == ISA_TRACE_NONE;
}

/* Only registers of performance counters have an effect; all other registers are words that can be
 * read back. COMPUTE_PERFCOUNT_ENABLE is part of the launch state, of which each queue has its
 * own. */
static bool write_register(const command_t *c, uint32_t number, uint32_t value)
{
    const char *uncounted = sg_perf_refused(c->d->perf, number, value);
    if (number == COMPUTE_THREAD_TRACE_ENABLE && value && is_untraced(c))
        return refuse(c, "thread traces");
    if (number == COMPUTE_PERFCOUNT_ENABLE)
        sg_perf_enable(c->d->perf, &c->q->counting, value);
    else if (uncounted)
        return refuse(c, uncounted);
    else if (sg_perf_owns(c->d->perf, number))
        sg_perf_write(c->d->perf, c->xccs, number, value);
    else if (number < SG_REGISTERS)
        atomic_store(&c->d->registers[number], value);
    else
        return fail(c, "register beyond 0xffff:", number);
    return true;
}

static bool read_register(const command_t *c, uint32_t number, uint32_t *value)
{
    if (number == COMPUTE_PERFCOUNT_ENABLE)
        *value = c->q->counting.enable;
    else if (sg_perf_owns(c->d->perf, number))
        *value = sg_perf_read(c->d->perf, c->xccs, number);
    else if (number < SG_REGISTERS)
        *value = atomic_load(&c->d->registers[number]);
    else
        return fail(c, "register beyond 0xffff:", number);
    return true;
}

static bool write_words(const command_t *c, uint64_t va, const uint32_t *words, uint32_t n)
{
    uint32_t *p = memory(c, va, 4ull * n, true);
    if (!p) return false;
    sg_transfer_change_begin(c->q, va);
    if (n == 2 && !(va & 7))
        __atomic_store_n((uint64_t *)p, words[0] | (uint64_t)words[1] << 32, __ATOMIC_RELEASE);
    else
        for (uint32_t i = 0; i < n; i++)
            __atomic_store_n(&p[i], words[i], __ATOMIC_RELEASE);
    sg_transfer_change_end(c->q, va);
    return true;
}

/* ---- opcodes ---- */

static bool op_nothing(const command_t *c)
{
    (void)c;
    return true;
}

/* ACQUIRE_MEM of gfx10 and later: GCR_CNTL, the last dword, says which caches are invalidated. */
static bool acquire_gcr(const command_t *c)
{
    enum { GCR_DWORDS = 8, GLI_INV = 3 };
    if (c->n < GCR_DWORDS) return fail(c, "too short, dwords:", c->n);
    if (c->dw[7] & GLI_INV) sg_device_invalidate_code(c->d);
    sg_perf_acquire_mem(c->d->perf, &c->q->counting, c->dw[7], pair(c, 2) & UINT64_C(0xffffffffff));
    sg_perf_trace_sync(c->d->perf);
    return true;
}

static bool op_acquire_mem(const command_t *c)
{
    enum { COHER_SH_ICACHE = 1 << 29 };
    if (c->d->arch->gcr) return acquire_gcr(c);
    if (c->dw[1] & COHER_SH_ICACHE) sg_device_invalidate_code(c->d);
    sg_perf_acquire_mem(c->d->perf, &c->q->counting, c->dw[1], pair(c, 2) & UINT64_C(0xffffffffff));
    sg_perf_trace_sync(c->d->perf);
    return true;
}

static bool op_event_write(const command_t *c)
{
    enum { EVENT_MASK = 0x3f, CS_PARTIAL_FLUSH = 7, TRACE_START = 0x33 };
    const uint32_t event = c->dw[1] & EVENT_MASK;
    if (event == TRACE_START && is_untraced(c)) return refuse(c, "thread traces");
    if (event == CS_PARTIAL_FLUSH && !sg_aql_drain(c->q)) return false;
    sg_perf_trace_event(c->d->perf, event);
    return true;
}

static bool op_release_mem(const command_t *c)
{
    enum {
        EVENT_MASK = 0x3f,
        DATA_LOW = 1,
        DATA_64 = 2,
        DATA_GPU_CLOCK = 3,
        DATA_SYSTEM_CLOCK = 4
    };
    uint32_t data_sel = c->dw[2] >> 29, int_sel = c->dw[2] >> 24 & 7;
    uint64_t va = pair(c, 3) & ~UINT64_C(3), value = pair(c, 5);
    uint32_t n = data_sel == DATA_LOW ? 1 : 2;
    if (data_sel > DATA_SYSTEM_CLOCK) return fail(c, "data select", data_sel);
    if (!sg_aql_drain(c->q)) return false;
    sg_perf_release_mem(c->d->perf, &c->q->counting, c->dw[1]);
    sg_perf_trace_event(c->d->perf, c->dw[1] & EVENT_MASK);
    if (data_sel == DATA_GPU_CLOCK || data_sel == DATA_SYSTEM_CLOCK) value = sg_device_clock();
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    if (data_sel && !write_words(c, va, words, n)) return false;
    if (int_sel) sg_signal_interrupt(c->d, c->dw[7]);
    sg_device_stir(c->d);
    return true;
}

static bool op_write_data(const command_t *c)
{
    enum { DST_REGISTER = 0, DST_L2 = 2, DST_MEMORY = 5, KEEP_ADDRESS = 1 << 16 };
    uint32_t dst = c->dw[1] >> 8 & 15, n = c->n - 4;
    bool keep = c->dw[1] & KEEP_ADDRESS;
    if (dst == DST_REGISTER) {
        for (uint32_t i = 0; i < n; i++)
            if (!write_register(c, (c->dw[2] & 0x3ffff) + (keep ? 0 : i), c->dw[4 + i]))
                return false;
        return true;
    }
    if (dst != DST_L2 && dst != DST_MEMORY) return fail(c, "WRITE_DATA destination", dst);
    if (!n) return true;
    bool good =
        write_words(c, pair(c, 2) & ~UINT64_C(3), c->dw + 4 + (keep ? n - 1 : 0), keep ? 1 : n);
    sg_device_stir(c->d);
    return good;
}

static bool copy_source(const command_t *c, uint32_t n, uint32_t out[2])
{
    enum {
        SRC_REGISTER = 0,
        SRC_MEMORY = 1,
        SRC_L2 = 2,
        SRC_PERF = 4,
        SRC_IMMEDIATE = 5,
        SRC_ATOMIC = 6, /* the old value that the last ATOMIC_MEM returned */
        SRC_CLOCK = 9
    };
    uint32_t source = c->dw[1] & 15;
    uint64_t clock = sg_device_clock();
    switch (source) {
    case SRC_REGISTER:
    case SRC_PERF:
        for (uint32_t i = 0; i < n; i++)
            if (!read_register(c, c->dw[2] + i, &out[i])) return false;
        return true;
    case SRC_MEMORY:
    case SRC_L2: {
        const uint32_t *p = memory(c, pair(c, 2) & ~UINT64_C(3), 4 * n, false);
        for (uint32_t i = 0; p && i < n; i++)
            out[i] = __atomic_load_n(&p[i], __ATOMIC_ACQUIRE);
        return p;
    }
    case SRC_IMMEDIATE: memcpy(out, c->dw + 2, 8); return true;
    case SRC_ATOMIC: memcpy(out, &c->q->pm4_returned, 8); return true;
    case SRC_CLOCK: memcpy(out, &clock, 8); return true;
    default: return fail(c, "COPY_DATA source", source);
    }
}

static bool op_copy_data(const command_t *c)
{
    enum { DST_REGISTER = 0, DST_L2 = 2, DST_PERF = 4, DST_MEMORY = 5, DST_REGISTER_DC = 6 };
    uint32_t n = c->dw[1] >> 16 & 1 ? 2 : 1, dst = c->dw[1] >> 8 & 15, words[2] = {0, 0};
    if (!copy_source(c, n, words)) return false;
    switch (dst) {
    case DST_REGISTER:
    case DST_PERF:
    case DST_REGISTER_DC:
        for (uint32_t i = 0; i < n; i++)
            if (!write_register(c, c->dw[4] + i, words[i])) return false;
        return true;
    case DST_L2:
    case DST_MEMORY: return write_words(c, pair(c, 4) & ~UINT64_C(3), words, n);
    default: return fail(c, "COPY_DATA destination", dst);
    }
}

static bool op_wait_reg_mem(const command_t *c)
{
    uint32_t function = c->dw[1] & 7, space = c->dw[1] >> 4 & 3, operation = c->dw[1] >> 6 & 3;
    sg_patience_t patience = {0};
    if (operation) return fail(c, "WAIT_REG_MEM operation", operation);
    do {
        uint32_t value;
        if (space) {
            const uint32_t *p = memory(c, pair(c, 2) & ~UINT64_C(3), 4, false);
            if (!p) return false;
            value = __atomic_load_n(p, __ATOMIC_ACQUIRE);
        } else {
            if (!read_register(c, c->dw[2], &value)) return false;
        }
        if (sg_holds(function, value & c->dw[5], c->dw[4])) {
            if (space) sg_transfer_waited(c->q, pair(c, 2) & ~UINT64_C(3));
            return true;
        }
    } while (sg_queue_pause(c->q, &patience));
    return false;
}

static bool op_atomic_mem(const command_t *c)
{
    enum { CODE_MASK = 0x7f, COMPARE_SWAP = 8, LOOP = 1 };
    uint32_t code = c->dw[1] & CODE_MASK;
    bool wide = code & SG_ATOMIC_WIDE, loop = (c->dw[1] >> 8 & 15) == LOOP;
    uint64_t va = pair(c, 2) & ~(wide ? UINT64_C(7) : UINT64_C(3));
    uint64_t compare = wide ? pair(c, 6) : c->dw[6];
    sg_patience_t patience = {0};
    void *p = memory(c, va, wide ? 8 : 4, true);
    if (!p) return false;
    do {
        sg_transfer_change_begin(c->q, va);
        if (!sg_transfer_atomic(code, p, pair(c, 4), compare, &c->q->pm4_returned))
            return fail(c, "ATOMIC_MEM operation", code);
        sg_transfer_change_end(c->q, va);
        if (!loop || (code & ~(uint32_t)SG_ATOMIC_WIDE) != COMPARE_SWAP ||
            c->q->pm4_returned == compare) {
            sg_device_stir(c->d);
            return true;
        }
    } while (sg_queue_pause(c->q, &patience));
    return false;
}

/* Copies memory, or fills it with a word, with or without the L2 cache. */
static bool op_dma_data(const command_t *c)
{
    enum { ADDRESS = 0, DATA = 2, ADDRESS_L2 = 3, BYTES_MASK = 0x3ffffff };
    uint32_t from = c->dw[1] >> 29 & 3, to = c->dw[1] >> 20 & 3;
    uint64_t dst = pair(c, 4), bytes = c->dw[6] & BYTES_MASK;
    if (to != ADDRESS && to != ADDRESS_L2) return fail(c, "DMA_DATA destination", to);
    if (from == ADDRESS || from == ADDRESS_L2) {
        if (!sg_transfer_copy(c->q, pair(c, 2), dst, bytes)) return false;
    } else if (from == DATA) {
        const uint32_t word =
            c->dw[2]; /* a copy, since the packet may be in the memory that is filled */
        for (uint64_t at = 0; at < bytes; at += 4) {
            const uint64_t n = bytes - at < 4 ? bytes - at : 4;
            uint8_t *p = memory(c, dst + at, n, true);
            if (!p) return false;
            memcpy(p, &word, n);
        }
    } else {
        return fail(c, "DMA_DATA source", from);
    }
    sg_device_stir(c->d);
    return true;
}

static bool op_indirect_buffer(const command_t *c)
{
    enum { SIZE_MASK = 0xfffff };
    if (c->depth >= DEPTH_MAX) return fail(c, "indirect buffers nested deeper than", DEPTH_MAX);
    return run_words(c->q, pair(c, 1) & ~UINT64_C(3), c->dw[3] & SIZE_MASK, c->xccs, c->depth + 1);
}

static bool op_set_reg(const command_t *c)
{
    uint32_t first = c->window + (c->dw[1] & 0xffff);
    for (uint32_t i = 2; i < c->n; i++)
        if (!write_register(c, first + i - 2, c->dw[i])) return false;
    return true;
}

/* Only the XCCs whose bits are set execute the dwords that follow. */
static bool op_pred_exec(const command_t *c)
{
    enum { COUNT_MASK = 0x3fff, XCC_SHIFT = 24 };
    *c->pred = c->dw[1] >> XCC_SHIFT;
    *c->pred_end = c->at + c->n + (c->dw[1] & COUNT_MASK);
    return true;
}

static const struct {
    uint8_t opcode, min_dwords;
    uint16_t window;
    bool (*execute)(const command_t *c);
} opcodes[] = {
    {0x10, 1, 0, op_nothing}, /* NOP */
    {0x1e, 9, 0, op_atomic_mem},   {0x23, 2, 0, op_pred_exec},       {0x37, 4, 0, op_write_data},
    {0x3c, 7, 0, op_wait_reg_mem}, {0x3f, 4, 0, op_indirect_buffer}, {0x40, 6, 0, op_copy_data},
    {0x46, 2, 0, op_event_write},  {0x49, 8, 0, op_release_mem},     {0x50, 7, 0, op_dma_data},
    {0x58, 7, 0, op_acquire_mem},  {0x68, 2, 0x2000, op_set_reg}, /* SET_CONFIG_REG */
    {0x69, 2, 0xa000, op_set_reg},                                /* SET_CONTEXT_REG */
    {0x76, 2, 0x2c00, op_set_reg},                                /* SET_SH_REG */
    {0x79, 2, 0xc000, op_set_reg},                                /* SET_UCONFIG_REG */
};

static bool execute(command_t *c)
{
    uint32_t opcode = c->dw[0] >> 8 & 0xff;
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (opcodes[i].opcode != opcode) continue;
        if (c->n < opcodes[i].min_dwords) return fail(c, "too short, dwords:", c->n);
        c->window = opcodes[i].window;
        return opcodes[i].execute(c);
    }
    return fail(c, "unknown opcode", opcode);
}

/* `xccs`: the XCCs that execute the list. Here they execute each packet together: a packet that
 * none of the GPU's XCCs executes is skipped, and a packet for several XCCs acts on memory once. */
static bool run_words(sg_queue_t *q, uint64_t va, uint32_t dwords, uint32_t xccs, unsigned depth)
{
    enum { NOP = 0x10 };
    const uint32_t there = (1u << q->device->profile.num_xcc) - 1;
    uint32_t pred = ALL_XCCS, pred_end = 0;
    if (!dwords) return true;
    const uint32_t *dw = sg_memory_host(q->device->memory, va, 4ull * dwords, 0);
    if (!dw) {
        sg_queue_fault(q, va, ISA_FAULT_READ);
        return false;
    }
    for (uint32_t at = 0; at < dwords && !sg_queue_stopping(q);) {
        command_t c = {.q = q,
                       .d = q->device,
                       .dw = dw + at,
                       .xccs = xccs & (at < pred_end ? pred : ALL_XCCS),
                       .pred = &pred,
                       .pred_end = &pred_end,
                       .at = at,
                       .depth = depth};
        uint32_t type = dw[at] >> 30, count = dw[at] >> 16 & 0x3fff;
        bool lone_nop = type == TYPE3 && (dw[at] >> 8 & 0xff) == NOP && count == NOP_ONE_DWORD;
        c.n = type == TYPE2 || lone_nop ? 1 : count + 2;
        if (type != TYPE2 && type != TYPE3) return fail(&c, "packet type", type);
        if (c.n > dwords - at) return fail(&c, "longer than its buffer, dwords:", c.n);
        if (type == TYPE3 && c.xccs & there && !execute(&c)) return false;
        at += c.n;
    }
    return !sg_queue_stopping(q);
}

bool sg_pm4_run(sg_queue_t *q, uint64_t va, uint32_t dwords)
{
    return run_words(q, va, dwords, ALL_XCCS, 0);
}
