/* packets.h - a device whose packets and memory a fuzz target fills with any bytes at all.
 *
 * Included by the targets of the three languages: aql.c, pm4.c and sdma.c. The queue is a real one
 * with its thread: it ends what it was given, fails once and says why, or waits for something that
 * never comes; destroyed it always ends. Small addresses are mapped, so that mutations meet them.
 */
#ifndef TESTS_FUZZ_PACKETS_H
#define TESTS_FUZZ_PACKETS_H

#include "softgpu/device/internal.h"

#include <hsa/amd_hsa_queue.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* GPU memory: two extents side by side, a hole, and one that nothing may write. */
enum {
    FRONT = 0x10000, /* ring, descriptor, kernel, what the target puts there */
    FRONT_BYTES = 0x8000,
    BACK = FRONT + FRONT_BYTES,
    BACK_BYTES = 0x4000,
    FIXED = 0x20000,
    FIXED_BYTES = 0x1000
};

/* What is where in FRONT. */
enum {
    RING = FRONT,
    RING_BYTES = 0x1000,
    DESCRIPTOR = FRONT + 0x1000, /* amd_queue_t; of an SDMA queue both pointers */
    SIGNALS = FRONT + 0x1800,    /* the first is the queue's own */
    SIGNAL_BYTES = 64,
    KERNEL = FRONT + 0x2000, /* kernel descriptor, its code 256 bytes behind */
    CODE = KERNEL + 256,
    INPUT = FRONT + 0x3000,
    INPUT_BYTES = 0x2000
};

enum { PACKET_BYTES = 64, PATIENCE_NS = 2000000 };

typedef struct {
    sg_device_t *device;
    uint8_t *front, *back, *fixed;
    _Atomic uint32_t told; /* faults and errors of the queue */
} device_rig_t;

static void ignore_event(void *user, uint32_t id)
{
    (void)user;
    (void)id;
}

static void on_memory_fault(void *user, uint64_t va, uint32_t flags)
{
    (void)va;
    (void)flags;
    atomic_fetch_add(&((device_rig_t *)user)->told, 1);
}

static void on_queue_error(void *user, sg_queue_t *q, sg_queue_error_t what, uint64_t code,
                           const char *text)
{
    (void)code;
    (void)q;
    if (what > SG_QUEUE_ERROR_APERTURE || !*text) abort();
    atomic_fetch_add(&((device_rig_t *)user)->told, 1);
}

/* The GPUs, and the code of the kernel of each: s_load of an argument, a store of each lane to
 * BACK, a barrier. */
static const struct {
    uint32_t gpu, simds, waves; /* of a compute unit, and of each of these */
    uint32_t code[9];
} packets_gpus[] = {
    {90010,
     4,
     8,
     {0xc0060000, 0x00000000, /* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
      0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
      0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
      0xdc708000, 0x00000001, /* global_store_dword v1, v0, s[0:1] */
      0xbf8a0000,             /* s_barrier */
      0xbf810000}},           /* s_endpgm */
    /* the same with s_ttracedata */
    {100300,
     2,
     16,
     {0xf4040000, 0xfa000000, 0x34020082, 0xbf8cc07f, 0xdc708000, 0x00000001, 0xbf960000,
      0xbf8a0000, 0xbf810000}},
    {110000,
     2,
     16,
     {0xf4040000, 0xf8000000, 0x30020082, 0xbf89fc07, 0xdc6a0000, 0x00000001, 0xbfba0000,
      0xbfbd0000, 0xbfb00000}},
};
enum { PACKETS_GPUS = sizeof packets_gpus / sizeof *packets_gpus };

/* Few and small caches: making them anew for each input costs little. */
static const sg_profile_t *small_profile(unsigned gpu)
{
    static sg_profile_t p = {.name = "fuzz"};
#define SET_DEFAULT(key, def, lo, hi) p.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    p.gfx_target_version = packets_gpus[gpu].gpu;
    p.simds_per_cu = packets_gpus[gpu].simds;
    p.waves_per_simd = packets_gpus[gpu].waves;
    p.shader_engines = 2;
    p.cus_per_array = 2;
    p.l2_kb = 64;
    p.l2_channels = 4;
    return &p;
}

static uint8_t *map(const device_rig_t *r, uint64_t va, size_t bytes, uint32_t flags)
{
    uint8_t *host = aligned_alloc(4096, bytes);
    if (!host || sg_memory_map(sg_device_memory(r->device), va, bytes, host, flags) != 0) abort();
    return host;
}

static device_rig_t *packets_rig(unsigned gpu)
{
    static device_rig_t rigs[PACKETS_GPUS];
    device_rig_t *rig = &rigs[gpu];
    if (rig->device) return rig;
    const sg_host_ops_t ops = {.user = rig,
                               .raise_event = ignore_event,
                               .memory_fault = on_memory_fault,
                               .queue_error = on_queue_error};
    rig->device = sg_device_create(small_profile(gpu), &ops);
    if (!rig->device) abort();
    rig->front = map(rig, FRONT, FRONT_BYTES, SG_MEM_WRITABLE | SG_MEM_EXECUTABLE);
    rig->back = map(rig, BACK, BACK_BYTES, SG_MEM_WRITABLE);
    rig->fixed = map(rig, FIXED, FIXED_BYTES, 0);
    return rig;
}

static void *at(const device_rig_t *r, uint64_t va)
{
    return r->front + (va - FRONT);
}

static void put_kernel(const device_rig_t *r, unsigned gpu)
{
    uint32_t *descriptor = at(r, KERNEL);
    enum { KERNARG_POINTER = 1 << 3, WORKGROUP_IDS = 7 << 7 };
    descriptor[4] = CODE - KERNEL;
    descriptor[12] = 3 | 0xc0u << 12; /* 32 registers, denormals kept */
    descriptor[13] = WORKGROUP_IDS | 2 << 1;
    descriptor[14] = KERNARG_POINTER;
    memcpy(at(r, CODE), packets_gpus[gpu].code, sizeof packets_gpus[gpu].code);
}

static void *trace_memory(void *memory, uint64_t va, uint64_t bytes)
{
    return sg_memory_host(memory, va, bytes, SG_MEM_WRITABLE);
}

/* Everything as before the first input, on one of the GPUs. No wave is in flight. */
static device_rig_t *packets_reset(unsigned gpu)
{
    device_rig_t *r = packets_rig(gpu);
    sg_device_t *d = r->device;
    const uint64_t back = BACK;
    memset(r->front, 0, FRONT_BYTES);
    memset(r->back, 0, BACK_BYTES);
    put_kernel(r, gpu);
    memcpy(at(r, INPUT), &back, sizeof(back)); /* an argument */
    memcpy(r->fixed, &back, sizeof(back));
    memset(d->registers, 0, SG_REGISTERS * sizeof(*d->registers));
    sg_perf_destroy(d->perf);
    d->perf = sg_perf_create(&d->profile, sgc_page_of_memory, d->memory);
    if (!d->perf) abort();
    sg_perf_set_trace_memory(d->perf, trace_memory, d->memory);
    isa_code_invalidate(d->code);
    isa_code_quiesce(d->code);
    atomic_store(&r->told, 0);
    return r;
}

/* Has the queue work until `read` says that it has done all, it has failed, or it only waits. */
static void packets_run(device_rig_t *r, const sg_queue_params_t *params, uint64_t end)
{
    sg_queue_t *q;
    if (sg_queue_create(r->device, params, r, &q) != 0) abort();
    const uint64_t since = sg_device_clock();
    const uint64_t *read = at(r, params->read_ptr_va);
    while (__atomic_load_n(read, __ATOMIC_ACQUIRE) < end && !atomic_load(&r->told) &&
           sg_device_clock() - since < PATIENCE_NS)
        sched_yield();
    sg_queue_destroy(q);
    if (atomic_load(&r->told) > 1) abort();
}

/* The packets of the ring are there; works through `n` of them. */
__attribute__((unused)) static void packets_run_aql(device_rig_t *r, uint64_t n)
{
    amd_queue_t *descriptor = at(r, DESCRIPTOR);
    descriptor->write_dispatch_id = n;
    descriptor->queue_inactive_signal.handle = SIGNALS;
    const sg_queue_params_t params = {
        .kind = SG_QUEUE_AQL,
        .ring_va = RING,
        .ring_bytes = RING_BYTES,
        .read_ptr_va = DESCRIPTOR + offsetof(amd_queue_t, read_dispatch_id),
        .write_ptr_va = DESCRIPTOR + offsetof(amd_queue_t, write_dispatch_id),
        .percent = 100};
    packets_run(r, &params, n);
}

#endif
