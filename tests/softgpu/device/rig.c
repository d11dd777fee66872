/* rig.c - see rig.h. */
#include "rig.h"

#include "asm.h"

#include <hsa/hsa.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, DOORBELL_BYTES = 8192 };

static void on_event(void *user, uint32_t id)
{
    rig_t *r = user;
    if (r->on_event) r->on_event(r->on_event_user);
    if (id < RIG_EVENTS) atomic_fetch_add(&r->raised[id], 1);
}

static void on_fault(void *user, uint64_t va, uint32_t flags)
{
    rig_t *r = user;
    r->fault_va = va;
    r->fault_flags = flags;
    atomic_fetch_add(&r->faults, 1);
}

static void on_error(void *user, sg_queue_t *q, sg_queue_error_t what, uint64_t code,
                     const char *text)
{
    (void)code;
    rig_t *r = user;
    (void)q;
    r->error = what;
    snprintf(r->error_text, sizeof r->error_text, "%s", text);
    atomic_fetch_add(&r->errors, 1);
}

bool rig_model_time;
uint32_t rig_xccs = 1;

static sg_profile_t profile_of(uint32_t engines, uint32_t cus)
{
    sg_profile_t p = {.name = "test"};
#define SET_DEFAULT(key, def, lo, hi) p.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    p.num_xcc = rig_xccs;
    p.shader_engines = engines;
    p.arrays_per_engine = 1;
    p.cus_per_array = cus;
    p.model_time = rig_model_time;
    return p;
}

rig_t *rig_create(uint32_t cus)
{
    return rig_create_shaped(1, cus);
}

rig_t *rig_create_gpu(uint32_t gfx_target_version, uint32_t engines, uint32_t cus)
{
    sg_profile_t profile = profile_of(engines, cus);
    profile.gfx_target_version = gfx_target_version;
    return rig_create_profile(&profile);
}

rig_t *rig_create_shaped(uint32_t engines, uint32_t cus)
{
    const sg_profile_t profile = profile_of(engines, cus);
    return rig_create_profile(&profile);
}

rig_t *rig_create_profile(const sg_profile_t *profile)
{
    rig_t *r = calloc(1, sizeof *r);
    sg_host_ops_t ops = {
        .user = r, .raise_event = on_event, .memory_fault = on_fault, .queue_error = on_error};
    r->device = sg_device_create(profile, &ops);
    r->memory = sg_device_memory(r->device);
    r->host = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    /* two extents, so that ranges across their border are met */
    for (unsigned half = 0; half < 2; half++)
        sg_memory_map(r->memory, RIG_VA + half * (MEMORY_BYTES / 2), MEMORY_BYTES / 2,
                      r->host + half * (MEMORY_BYTES / 2), SG_MEM_WRITABLE | SG_MEM_EXECUTABLE);
    r->doorbell_fd = memfd_create("doorbells", MFD_CLOEXEC);
    if (ftruncate(r->doorbell_fd, DOORBELL_BYTES)) perror("ftruncate");
    void *alias = mmap(NULL, DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->doorbell_fd, 0);
    r->doorbells =
        mmap(NULL, DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->doorbell_fd, 0);
    sg_device_set_doorbells(r->device, alias, DOORBELL_BYTES, r->doorbell_fd, 0);
    return r;
}

/* The device and its memory stay: its threads live as long as the process. */
void rig_destroy(rig_t *r)
{
    (void)r;
}

uint64_t rig_alloc(rig_t *r, uint64_t bytes)
{
    uint64_t va = RIG_VA + r->used;
    r->used = (r->used + bytes + 255) & ~UINT64_C(255);
    if (r->used > MEMORY_BYTES) {
        fprintf(stderr, "rig: out of memory\n");
        exit(1);
    }
    return va;
}

void *rig_ptr(const rig_t *r, uint64_t va)
{
    return r->host + (va - RIG_VA);
}

/* ---- signals ---- */

uint64_t rig_signal(rig_t *r, int64_t value)
{
    uint64_t va = rig_alloc(r, sizeof(amd_signal_t));
    amd_signal_t *s = rig_ptr(r, va);
    s->kind = AMD_SIGNAL_KIND_USER;
    s->value = value;
    return va;
}

amd_signal_t *rig_signal_at(const rig_t *r, uint64_t va)
{
    return rig_ptr(r, va);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool rig_wait(const rig_t *r, uint64_t signal, int64_t value)
{
    int64_t *at = (int64_t *)&rig_signal_at(r, signal)->value;
    for (uint64_t start = now_ms(); __atomic_load_n(at, __ATOMIC_ACQUIRE) > value; sched_yield())
        if (now_ms() - start > RIG_TIMEOUT_MS) return false;
    return true;
}

bool rig_wait_word(_Atomic uint32_t *word, uint32_t at_least)
{
    for (uint64_t start = now_ms(); atomic_load(word) < at_least; sched_yield())
        if (now_ms() - start > RIG_TIMEOUT_MS) return false;
    return true;
}

/* ---- kernels ---- */

uint64_t rig_kernel(rig_t *r, const char *text, const rig_kernel_t *how)
{
    static const rig_kernel_t plain;
    enum { CODE_OFFSET = 256, PAGE = 4096, WORKGROUP_IDS = 7 << 7, KERNARG_PTR = 1 << 3 };
    uint32_t *words;
    size_t n = asm_words(text, &words);
    if (!n) exit(1);
    if (!how) how = &plain;
    /* pages of its own: the device reads whole pages of code */
    r->used = (r->used + PAGE - 1) & ~UINT64_C(4095);
    uint64_t va = rig_alloc(r, (CODE_OFFSET + 4 * n + 2 * PAGE - 1) & ~(size_t)(PAGE - 1));
    uint32_t *d = rig_ptr(r, va);
    uint32_t vgprs = how->vgprs ? how->vgprs : 32, axes = how->id_axes ? how->id_axes : 3;
    d[4] = CODE_OFFSET;                    /* entry offset */
    d[11] = 0;                             /* rsrc3: AGPRs from row 4 */
    d[12] = (vgprs / 8 - 1) | 0xc0u << 12; /* denormals kept */
    d[13] = WORKGROUP_IDS | (how->user_sgprs ? how->user_sgprs : 2) << 1 | (axes - 1) << 11 |
            how->rsrc2;
    d[14] = KERNARG_PTR | how->properties;
    memcpy((uint8_t *)rig_ptr(r, va) + CODE_OFFSET, words, 4 * n);
    free(words);
    sg_device_invalidate_code(r->device); /* the page may have been looked at before */
    return va;
}

/* ---- queues ---- */

static bool create(rig_queue_t *q, sg_queue_params_t *p)
{
    q->slot = q->rig->next_slot++;
    p->doorbell_slot = q->slot;
    p->percent = 100;
    return sg_queue_create(q->rig->device, p, q, &q->queue) == 0;
}

bool rig_aql(rig_t *r, rig_queue_t *q)
{
    enum { PACKET = 64 };
    *q = (rig_queue_t){.rig = r};
    q->ring_va = rig_alloc(r, RIG_SLOTS * PACKET);
    q->descriptor_va = rig_alloc(r, sizeof(amd_queue_t));
    q->descriptor = rig_ptr(r, q->descriptor_va);
    q->descriptor->queue_inactive_signal.handle = rig_signal(r, 0);
    for (unsigned i = 0; i < RIG_SLOTS; i++)
        *(uint16_t *)rig_ptr(r, q->ring_va + i * PACKET) = HSA_PACKET_TYPE_INVALID;
    sg_queue_params_t p = {
        .kind = SG_QUEUE_AQL,
        .ring_va = q->ring_va,
        .ring_bytes = RIG_SLOTS * PACKET,
        .read_ptr_va = q->descriptor_va + offsetof(amd_queue_t, read_dispatch_id),
        .write_ptr_va = q->descriptor_va + offsetof(amd_queue_t, write_dispatch_id)};
    return create(q, &p);
}

bool rig_sdma(rig_t *r, rig_queue_t *q)
{
    *q = (rig_queue_t){.rig = r};
    q->ring_va = rig_alloc(r, RIG_SDMA_BYTES);
    q->sdma_pointers_va = rig_alloc(r, 16);
    sg_queue_params_t p = {.kind = SG_QUEUE_SDMA,
                           .ring_va = q->ring_va,
                           .ring_bytes = RIG_SDMA_BYTES,
                           .read_ptr_va = q->sdma_pointers_va,
                           .write_ptr_va = q->sdma_pointers_va + 8};
    return create(q, &p);
}

void rig_close(rig_queue_t *q)
{
    sg_queue_destroy(q->queue);
}

void rig_submit(rig_queue_t *q, const void *packet)
{
    uint64_t *read = (uint64_t *)&q->descriptor->read_dispatch_id;
    uint64_t id = q->write++;
    while (id - __atomic_load_n(read, __ATOMIC_ACQUIRE) >= RIG_SLOTS)
        sched_yield();
    uint8_t *slot = rig_ptr(q->rig, q->ring_va + id % RIG_SLOTS * 64);
    memcpy(slot + 4, (const uint8_t *)packet + 4, 60);
    __atomic_store_n((uint64_t *)&q->descriptor->write_dispatch_id, id + 1, __ATOMIC_RELEASE);
    __atomic_store_n((uint16_t *)(slot + 2), ((const uint16_t *)packet)[1], __ATOMIC_RELAXED);
    __atomic_store_n((uint16_t *)slot, *(const uint16_t *)packet, __ATOMIC_RELEASE);
    atomic_store(&q->rig->doorbells[q->slot], id);
}

static uint16_t one(uint32_t size)
{
    return (uint16_t)(size ? size : 1);
}

void rig_dispatch(rig_queue_t *q, const rig_dispatch_t *d)
{
    hsa_kernel_dispatch_packet_t p = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH |
                                                (d->barrier ? 1 << HSA_PACKET_HEADER_BARRIER : 0),
                                      .setup = 3,
                                      .workgroup_size_x = one(d->group[0]),
                                      .workgroup_size_y = one(d->group[1]),
                                      .workgroup_size_z = one(d->group[2]),
                                      .grid_size_x = d->grid[0] ? d->grid[0] : 1,
                                      .grid_size_y = d->grid[1] ? d->grid[1] : 1,
                                      .grid_size_z = d->grid[2] ? d->grid[2] : 1,
                                      .private_segment_size = d->scratch,
                                      .group_segment_size = d->lds,
                                      .kernel_object = d->kernel,
                                      .kernarg_address = (void *)(uintptr_t)d->args,
                                      .completion_signal = {d->signal}};
    rig_submit(q, &p);
}

void rig_sdma_write(rig_queue_t *q, const uint32_t *dwords, uint32_t n)
{
    uint64_t *pointers = rig_ptr(q->rig, q->sdma_pointers_va);
    while (q->write + 4ull * n - __atomic_load_n(&pointers[0], __ATOMIC_ACQUIRE) > RIG_SDMA_BYTES)
        sched_yield();
    for (uint32_t i = 0; i < n; i++, q->write += 4)
        *(uint32_t *)rig_ptr(q->rig, q->ring_va + q->write % RIG_SDMA_BYTES) = dwords[i];
    __atomic_store_n(&pointers[1], q->write, __ATOMIC_RELEASE);
    atomic_store(&q->rig->doorbells[q->slot], q->write);
}
