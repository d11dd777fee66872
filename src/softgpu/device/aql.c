/* aql.c - the packet processor of AQL queues, by the HSA specification: order, barriers, fences,
 * completion, read index.
 *
 * Packets start in order; dispatches without the barrier bit run at the same time. A packet keeps
 * its slot until it and all packets before it are complete, since kernels read their packet; then
 * the slot is made INVALID and the read index moves on. */
#include "softgpu/device/futex.h"
#include "softgpu/device/census.h"

#include "base/round.h"

#include <errno.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    PACKET_BYTES = 64,
    HEADER_BARRIER = 1 << HSA_PACKET_HEADER_BARRIER,
    VENDOR_PM4_IB = 1,
    VENDOR_BARRIER_VALUE = 2,
    /* values of queue_inactive_signal that are no errors (SG_CODE_*) */
    INACTIVE_SCRATCH = 1,       /* waves of 64 lanes need more scratch than the queue has */
    INACTIVE_SCRATCH_32 = 1024, /* waves of 32 lanes need more scratch than the queue has */
    INACTIVE_SCRATCH_RECLAIM =
        512 /* the runtime may reclaim scratch that it gave for one dispatch */
};

/* Vendor packet that waits until a condition holds for the value of a signal under a mask. */
typedef struct {
    uint16_t header;
    uint8_t format, reserved0;
    uint32_t reserved1;
    uint64_t signal;
    int64_t value, mask;
    uint32_t condition; /* 0 ==, 1 !=, 2 <, 3 >= */
    uint32_t reserved2;
    uint64_t reserved3, reserved4, completion;
} barrier_value_t;
_Static_assert(sizeof(barrier_value_t) == PACKET_BYTES, "an AQL packet has 64 bytes");

typedef union {
    struct {
        uint16_t header;
        uint8_t format;
    };
    hsa_kernel_dispatch_packet_t dispatch;
    hsa_barrier_and_packet_t barrier;
    barrier_value_t barrier_value;
    uint64_t words[8]; /* words[7] is the completion signal of every type */
} packet_t;

typedef enum { DEPS_MET, DEPS_OPEN, DEPS_BAD } deps_t;

uint64_t sg_aql_descriptor(const sg_queue_t *q)
{
    return q->params.read_ptr_va - offsetof(amd_queue_t, read_dispatch_id);
}

static amd_queue_t *descriptor(const sg_queue_t *q)
{
    return SG_OBJECT_AT(q->device, sg_aql_descriptor(q), amd_queue_t, SG_MEM_WRITABLE);
}

bool sg_aql_ring_fits(const sg_device_t *d, uint64_t va, uint64_t bytes)
{
    const uint64_t slots = bytes / PACKET_BYTES;
    return slots && !(slots & (slots - 1)) &&
           sg_object_at(d, va, bytes, PACKET_BYTES, SG_MEM_WRITABLE);
}

int sg_aql_init(sg_queue_t *q)
{
    size_t runs_bytes = base_round_up(SG_IN_FLIGHT * sizeof(sg_run_t), 64);
    size_t ids_bytes = SG_IN_FLIGHT * ISA_ID_ROWS * sizeof *q->runs->ids;
    const uint64_t *read =
        SG_OBJECT_AT(q->device, q->params.read_ptr_va, uint64_t, SG_MEM_WRITABLE);
    if (!read || !descriptor(q) || !SG_OBJECT_AT(q->device, q->params.write_ptr_va, uint64_t, 0))
        return -EINVAL;
    q->runs = aligned_alloc(64, runs_bytes + ids_bytes);
    if (!q->runs) return -ENOMEM;
    memset(q->runs, 0, runs_bytes);
    for (unsigned i = 0; i < SG_IN_FLIGHT; i++)
        q->runs[i].ids =
            (isa_row_t(*)[ISA_GROUP_WAVES])((uint8_t *)q->runs + runs_bytes) + i * ISA_ID_ROWS;
    q->next = q->retired = *read;
    return 0;
}

void sg_aql_free(sg_queue_t *q)
{
    for (unsigned i = 0; q->runs && i < SG_IN_FLIGHT; i++) {
        sg_observed_free(q->runs[i].observed);
        sg_census_run_free(q->runs[i].census_kept);
    }
    free(q->runs);
}

static sg_run_t *run_of(const sg_queue_t *q, uint64_t id)
{
    return &q->runs[id % SG_IN_FLIGHT];
}

static packet_t *slot_of(const sg_queue_t *q, uint64_t id)
{
    uint64_t ring = atomic_load_explicit(&q->ring_va, memory_order_relaxed);
    uint64_t slots = atomic_load_explicit(&q->ring_bytes, memory_order_relaxed) / PACKET_BYTES;
    return sg_memory_host(q->device->memory, ring + id % slots * PACKET_BYTES, PACKET_BYTES,
                          SG_MEM_WRITABLE);
}

static bool is_done(const sg_queue_t *q, uint64_t id)
{
    return atomic_load_explicit(&run_of(q, id)->done, memory_order_acquire);
}

/* Frees the slots of complete packets, in order. True if it freed one. */
static bool retire(sg_queue_t *q)
{
    uint64_t from = q->retired;
    while (q->retired < q->next && is_done(q, q->retired)) {
        packet_t *slot = slot_of(q, q->retired);
        if (slot)
            __atomic_store_n(&slot->header, (uint16_t)HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
        q->retired++;
    }
    if (q->retired == from) return false;
    uint64_t *read = sg_memory_host(q->device->memory, q->params.read_ptr_va, 8, SG_MEM_WRITABLE);
    if (read) __atomic_store_n(read, q->retired, __ATOMIC_RELEASE);
    return true;
}

static bool all_done(const sg_queue_t *q)
{
    for (uint64_t id = q->retired; id < q->next; id++)
        if (!is_done(q, id)) return false;
    return true;
}

bool sg_aql_drain(sg_queue_t *q)
{
    for (;;) {
        uint32_t seen = atomic_load(&q->wake);
        if (all_done(q)) break;
        if (sg_queue_stopping(q)) return false;
        sg_futex_wait(&q->wake, seen, 0);
    }
    chk_line_drained(q->order);
    return !sg_queue_stopping(q);
}

void sg_aql_stop(sg_queue_t *q)
{
    for (uint64_t id = q->retired; id < q->next; id++)
        if (!is_done(q, id)) sg_run_cancel(run_of(q, id));
    for (;;) {
        uint32_t seen = atomic_load(&q->wake);
        if (all_done(q)) return;
        sg_futex_wait(&q->wake, seen, 0);
    }
}

/* ---- packets that are complete as soon as they have been processed ---- */

static bool profiling(const sg_queue_t *q)
{
    const amd_queue_t *aq = descriptor(q);
    return aq && aq->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
}

static sg_step_t finish_packet(sg_queue_t *q, uint64_t signal)
{
    sg_perf_packet(
        q->device->perf,
        &q->counting); /* before the signal: a program that sees the signal may read counters */
    if (signal &&
        !sg_signal_complete(q, NULL, signal, profiling(q), q->head_start, sg_device_clock())) {
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_PACKET,
                      "AQL packet %llu: completion signal 0x%llx is not mapped, or not aligned",
                      (unsigned long long)q->next, (unsigned long long)signal);
        return SG_STEP_DEAD;
    }
    atomic_store_explicit(&run_of(q, q->next)->done, 1, memory_order_release);
    q->head_start = 0;
    q->next++;
    retire(q);
    return SG_STEP_WORKED;
}

static void order_packet(const sg_queue_t *q, const packet_t *p)
{
    chk_line_packet(q->order, q->next, p->header & HEADER_BARRIER);
}

/* Reports to the checker that the head packet has waited for this signal. */
static void report_wait(const sg_queue_t *q, uint64_t signal, int64_t value)
{
    chk_line_waited(q->order, signal + offsetof(amd_signal_t, value), value);
}

/* Completes a barrier packet, whose only effect is its fences. */
static sg_step_t finish_barrier(sg_queue_t *q, const packet_t *p)
{
    sg_perf_fence(q->device->perf, &q->counting,
                  p->header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3,
                  p->header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3);
    return finish_packet(q, p->words[7]);
}

static sg_step_t bad_signal(sg_queue_t *q, uint64_t signal)
{
    sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_PACKET,
                  "AQL packet %llu: dependency signal 0x%llx is not mapped, or not aligned",
                  (unsigned long long)q->next, (unsigned long long)signal);
    return SG_STEP_DEAD;
}

/* Whether the dependencies of a barrier packet are met: one of them if `any`, else all. DEPS_BAD:
 * the signal *bad cannot be read. */
static deps_t dependencies(const sg_queue_t *q, const packet_t *p, bool any, uint64_t *bad)
{
    unsigned named = 0, met = 0;
    for (unsigned i = 0; i < 5; i++) {
        int64_t value;
        uint64_t signal = p->barrier.dep_signal[i].handle;
        if (!signal) continue;
        named++;
        *bad = signal;
        if (!sg_signal_load(q->device, signal, &value)) return DEPS_BAD;
        met += value == 0;
    }
    if (!named) return DEPS_MET;
    return (any ? met > 0 : met == named) ? DEPS_MET : DEPS_OPEN;
}

static sg_step_t barrier(sg_queue_t *q, const packet_t *p, bool any)
{
    uint64_t bad = 0;
    deps_t deps = dependencies(q, p, any, &bad);
    if (deps == DEPS_BAD) return bad_signal(q, bad);
    if (deps == DEPS_OPEN) return SG_STEP_POLL;
    order_packet(q, p);
    for (unsigned i = 0; q->order && i < 5; i++) {
        const uint64_t signal = p->barrier.dep_signal[i].handle;
        int64_t value;
        if (signal && sg_signal_load(q->device, signal, &value) && (!value || !any))
            report_wait(q, signal, value);
    }
    return finish_barrier(q, p);
}

static sg_step_t barrier_value(sg_queue_t *q, const packet_t *p)
{
    const barrier_value_t *b = &p->barrier_value;
    int64_t value;
    if (!b->signal) { /* satisfied, like a null dependency */
        order_packet(q, p);
        return finish_barrier(q, p);
    }
    if (b->condition > 3) {
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_VENDOR_PACKET,
                      "AQL packet %llu: barrier-value condition %u, known are 0 to 3",
                      (unsigned long long)q->next, b->condition);
        return SG_STEP_DEAD;
    }
    if (!sg_signal_load(q->device, b->signal, &value)) return bad_signal(q, b->signal);
    const int64_t part = value & b->mask;
    const bool met = b->condition == 0   ? part == b->value
                     : b->condition == 1 ? part != b->value
                     : b->condition == 2 ? part < b->value
                                         : part >= b->value;
    if (!met) return SG_STEP_POLL;
    order_packet(q, p);
    report_wait(q, b->signal, value);
    return finish_barrier(q, p);
}

static sg_step_t vendor(sg_queue_t *q, const packet_t *p)
{
    if (p->format == VENDOR_BARRIER_VALUE) return barrier_value(q, p);
    if (p->format != VENDOR_PM4_IB) {
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_VENDOR_PACKET,
                      "AQL packet %llu: vendor format %u, known are 1 and 2",
                      (unsigned long long)q->next, p->format);
        return SG_STEP_DEAD;
    }
    uint64_t slots = atomic_load_explicit(&q->ring_bytes, memory_order_relaxed) / PACKET_BYTES;
    uint64_t va =
        atomic_load_explicit(&q->ring_va, memory_order_relaxed) + q->next % slots * PACKET_BYTES;
    enum { IB_OFFSET = 4, IB_DWORDS = 4 };
    order_packet(q, p);
    if (!sg_pm4_run(q, va + IB_OFFSET, IB_DWORDS)) return SG_STEP_DEAD;
    return finish_packet(q, p->words[7]);
}

/* ---- dispatches ---- */

/* Requests from the runtime, by the inactive signal, that it provide or reclaim scratch. The queue
 * executes nothing until the runtime has answered. */
static sg_step_t request_from_runtime(sg_queue_t *q, int64_t code)
{
    const amd_queue_t *aq = descriptor(q);
    q->inactive_wait = true;
    if (!aq || !sg_signal_store(q->device, aq->queue_inactive_signal.handle, code)) {
        sg_queue_fail(q, SG_QUEUE_ERROR_RESOURCES, 0,
                      "the queue needs scratch memory and has no signal to ask for it");
        return SG_STEP_DEAD;
    }
    return SG_STEP_POLL;
}

static sg_step_t runtime_answer(sg_queue_t *q)
{
    const amd_queue_t *aq = descriptor(q);
    int64_t value;
    if (!aq || !sg_signal_load(q->device, aq->queue_inactive_signal.handle, &value))
        return SG_STEP_DEAD;
    if (value == 0) {
        q->inactive_wait = false;
        return SG_STEP_WORKED;
    }
    /* -1: refused, and already reported by the runtime */
    return value == -1 ? SG_STEP_DEAD : SG_STEP_POLL;
}

static sg_step_t dispatch(sg_queue_t *q, const packet_t *p)
{
    sg_pool_t *pool = sg_pool_of(q->device);
    sg_run_t *run = run_of(q, q->next);
    if (!pool) {
        sg_queue_fail(q, SG_QUEUE_ERROR_RESOURCES, SG_CODE_PACKET, "no memory for worker threads");
        return SG_STEP_DEAD;
    }
    switch (sg_run_setup(run, q, q->next, p)) {
    case SG_SETUP_ERROR: return SG_STEP_DEAD;
    case SG_SETUP_SCRATCH:
        if (q->next != q->retired) return SG_STEP_BUSY; /* scratch in use cannot be replaced */
        if (q->scratch_asked) {
            sg_queue_fail(q, SG_QUEUE_ERROR_RESOURCES, SG_CODE_GROUP_MEMORY,
                          "dispatch %llu: %u bytes of scratch per work-item and %u waves in a "
                          "workgroup are more than the runtime provides",
                          (unsigned long long)q->next, p->dispatch.private_segment_size,
                          run->waves);
            return SG_STEP_DEAD;
        }
        q->scratch_asked = true;
        return request_from_runtime(q, run->isa.narrow ? INACTIVE_SCRATCH_32 : INACTIVE_SCRATCH);
    case SG_SETUP_OK: break;
    }
    sg_perf_packet(q->device->perf, &q->counting);
    bool once = run->scratch_once;
    q->scratch_asked = false;
    q->head_start = 0;
    q->next++;
    atomic_fetch_add_explicit(&q->refs, 1, memory_order_relaxed); /* dropped by sg_run_complete() */
    sg_pool_submit(run->modelled ? sg_pool_of_model(q->device) : pool, &q->worker, run);
    if (once && sg_aql_drain(q)) {
        retire(q);
        return request_from_runtime(q, INACTIVE_SCRATCH_RECLAIM);
    }
    return SG_STEP_WORKED;
}

/* ---- the step ---- */

static sg_step_t process(sg_queue_t *q, const packet_t *p, uint16_t header)
{
    unsigned type = header >> HSA_PACKET_HEADER_TYPE & 0xff;
    if (!q->head_start) q->head_start = sg_device_clock();
    switch (type) {
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: return vendor(q, p);
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: return dispatch(q, p);
    case HSA_PACKET_TYPE_BARRIER_AND: return barrier(q, p, false);
    case HSA_PACKET_TYPE_BARRIER_OR: return barrier(q, p, true);
    default:
        sg_queue_fail(q, SG_QUEUE_ERROR_PACKET, SG_CODE_PACKET,
                      "AQL packet %llu: header 0x%04x has type %u, which a GPU does not execute",
                      (unsigned long long)q->next, header, type);
        return SG_STEP_DEAD;
    }
}

sg_step_t sg_aql_step(sg_queue_t *q)
{
    bool moved = retire(q);
    uint64_t in_flight = q->next - q->retired;
    uint64_t slots = atomic_load_explicit(&q->ring_bytes, memory_order_relaxed) / PACKET_BYTES;
    sg_step_t otherwise = moved ? SG_STEP_WORKED : in_flight ? SG_STEP_BUSY : SG_STEP_IDLE;

    if (sg_queue_stopping(q)) return SG_STEP_DEAD;
    if (!atomic_load_explicit(&q->percent, memory_order_relaxed)) return SG_STEP_DEAD;
    if (q->inactive_wait) return runtime_answer(q);
    if (in_flight >= SG_IN_FLIGHT || in_flight >= slots) return otherwise;

    const uint64_t *write = sg_memory_host(q->device->memory, q->params.write_ptr_va, 8, 0);
    const packet_t *p = slot_of(q, q->next);
    if (!write || !p) {
        sg_queue_fault(q, write ? atomic_load(&q->ring_va) : q->params.write_ptr_va,
                       ISA_FAULT_READ);
        return SG_STEP_DEAD;
    }
    if (q->next >= __atomic_load_n(write, __ATOMIC_ACQUIRE)) return otherwise;
    uint16_t header = __atomic_load_n(&p->header, __ATOMIC_ACQUIRE);
    if ((header & 0xff) == HSA_PACKET_TYPE_INVALID) return otherwise;
    if (header & HEADER_BARRIER && in_flight) return otherwise;
    return process(q, p, header);
}
