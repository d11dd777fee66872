/* kfd_test.c - the ioctls as a program issues them, on a stand-in device: memory, queues, events.
 */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <libdrm/amdgpu_drm.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static kfd_process_t *process;

static int call(unsigned long request, void *argument)
{
    return kfd_ioctl(process, request, argument);
}

static uint64_t reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    return (uintptr_t)p;
}

static struct kfd_ioctl_alloc_memory_of_gpu_args alloc(uint64_t va, uint64_t size, uint32_t flags,
                                                       uint64_t cpu, int expected)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {
        .va_addr = va, .size = size, .flags = flags, .mmap_offset = cpu, .gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), expected);
    return args;
}

static int map_gpu(uint64_t handle)
{
    uint32_t id = kfd_gpu_id(0);
    struct kfd_ioctl_map_memory_to_gpu_args args = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    int error = call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
    assert_int_equal(args.n_success, error == 0);
    return error;
}

static int unmap_gpu(uint64_t handle)
{
    uint32_t id = kfd_gpu_id(0);
    struct kfd_ioctl_unmap_memory_from_gpu_args args = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    return call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
}

static int free_buffer(uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args args = {.handle = handle};
    return call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

static uint64_t available(void)
{
    struct kfd_ioctl_get_available_memory_args args = {.gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(AMDKFD_IOC_AVAILABLE_MEMORY, &args), 0);
    return args.available;
}

enum { MB = 1 << 20 };
#define RW (1u << 31) /* KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, without overflow */

/* What the program writes through its mmap is what the device reads at the GPU address. */
static void program_and_device_share_memory(void **state)
{
    (void)state;
    sg_memory_t *memory = process->gpus[0].memory;
    uint64_t va = reserve(4 * MB), before = available();
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(va, 4 * MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, 0);
    assert_int_equal(before - available(), 4 * MB);
    assert_null(sg_memory_find(memory, va));
    assert_int_equal(map_gpu(b.handle), 0);

    uint32_t *p = mmap((void *)va, 4 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                       process->gpus[0].pages.fd, (off_t)b.mmap_offset);
    assert_ptr_equal(p, (void *)va);
    p[77] = 1234567;
    uint32_t *device = sg_memory_host(memory, va + 77 * 4, 4, SG_MEM_WRITABLE);
    assert_non_null(device);
    assert_ptr_not_equal(device, &p[77]);
    assert_int_equal(*device, 1234567);
    *device = 7;
    assert_int_equal(p[77], 7);
    munmap(p, 4 * MB);

    assert_int_equal(free_buffer(b.handle), -EBUSY);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_null(sg_memory_find(memory, va));
    assert_int_equal(free_buffer(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), -EINVAL);
    assert_int_equal(available(), before);

    /* the next owner finds zeros */
    b = alloc(va, 4 * MB, KFD_IOC_ALLOC_MEM_FLAGS_GTT | RW, 0, 0);
    assert_int_equal(map_gpu(b.handle), 0);
    device = sg_memory_host(memory, va + 77 * 4, 4, SG_MEM_WRITABLE | SG_MEM_HOST);
    assert_non_null(device);
    assert_int_equal(*device, 0);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), 0);
}

static void registered_memory_has_another_address(void **state)
{
    (void)state;
    static _Alignas(4096) uint32_t data[1024];
    uint64_t va = reserve(4096);
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(va, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | RW, (uintptr_t)data, 0);
    assert_int_equal(map_gpu(b.handle), 0);
    assert_int_equal(map_gpu(b.handle), 0); /* again: nothing changes */
    assert_ptr_equal(sg_memory_host(process->gpus[0].memory, va + 16, 4, 0), &data[4]);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), 0);
    alloc(va, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | RW, 0, -EINVAL);
}

/* All of it is mapped, or none of it can be registered. */
static void only_what_is_mapped_can_be_registered(void **state)
{
    (void)state;
    enum { PAGES = 8, PAGE = 4096 };
    const uint64_t own = (uintptr_t)mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t va = reserve(MB), huge = UINT64_C(100) << 30;
    const struct {
        uint64_t at, bytes;
        int error;
    } rows[] = {
        {own, PAGES * PAGE, 0},
        {own + PAGE, 2 * PAGE, 0},
        {own + PAGE + 16, PAGE, 0},             /* from there on */
        {own, PAGES * PAGE, -EFAULT},           /* a hole within, */
        {own + 4 * PAGE, 2 * PAGE, -EFAULT},    /* at the beginning, */
        {own + 3 * PAGE, 2 * PAGE, -EFAULT},    /* at the end */
        {own + 3 * PAGE + 16, PAGE, -EFAULT},   /* which only its last bytes reach */
        {own, huge, -EFAULT},                   /* far more than there is */
        {PAGE, PAGE, -EFAULT},                  /* where nothing ever is */
        {UINT64_MAX - PAGE + 1, PAGE, -EFAULT}, /* nor can be */
        {own, UINT64_MAX - PAGE + 1, -EFAULT},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (k == 3) munmap((void *)(uintptr_t)(own + 4 * PAGE), PAGE);
        const struct kfd_ioctl_alloc_memory_of_gpu_args b = alloc(
            va, rows[k].bytes, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | RW, rows[k].at, rows[k].error);
        if (!rows[k].error) assert_int_equal(free_buffer(b.handle), 0);
    }
    munmap((void *)(uintptr_t)own, PAGES * PAGE);
}

static void memory_runs_out_at_the_profiles_limit(void **state)
{
    (void)state;
    uint64_t all = available(), va = 1ull << 40;
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(va, all, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, 0);
    assert_int_equal(available(), 0);
    alloc(va + all, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, -ENOMEM);
    assert_int_equal(free_buffer(b.handle), 0);
    assert_int_equal(available(), all);
    alloc(va, 0, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, 0, -EINVAL);
    alloc(va, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT, 0, -EINVAL);
}

static struct kfd_ioctl_create_queue_args queue_args(uint32_t type)
{
    return (struct kfd_ioctl_create_queue_args){.ring_base_address = 0x10000,
                                                .ring_size = 4096,
                                                .gpu_id = kfd_gpu_id(0),
                                                .queue_type = type,
                                                .queue_percentage = 100,
                                                .queue_priority = 7,
                                                .read_pointer_address = 0x20080,
                                                .write_pointer_address = 0x20038};
}

static void queues_get_doorbells_of_their_own(void **state)
{
    (void)state;
    struct kfd_ioctl_create_queue_args a = queue_args(KFD_IOC_QUEUE_TYPE_COMPUTE_AQL),
                                       b = queue_args(KFD_IOC_QUEUE_TYPE_SDMA);
    assert_int_equal(call(AMDKFD_IOC_CREATE_QUEUE, &a), 0);
    assert_int_equal(fake.last_queue->params.kind, SG_QUEUE_AQL);
    assert_int_equal(fake.last_queue->params.read_ptr_va, 0x20080);
    assert_int_equal(call(AMDKFD_IOC_CREATE_QUEUE, &b), 0);
    assert_int_equal(fake.last_queue->params.kind, SG_QUEUE_SDMA);
    assert_int_not_equal(a.queue_id, b.queue_id);
    assert_int_not_equal(a.doorbell_offset, b.doorbell_offset);
    /* the thunk maps the page at the upper half of the offset */
    assert_int_equal((uint32_t)a.doorbell_offset & ~(KFD_DOORBELL_BYTES - 1), 0);
    uint64_t *page = mmap(NULL, KFD_DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                          process->pages.fd, (off_t)(a.doorbell_offset >> 32 << 32));
    assert_ptr_not_equal(page, MAP_FAILED);
    page[(uint32_t)b.doorbell_offset / 8] = 99;
    assert_int_equal(fake.doorbells[fake.last_queue->params.doorbell_slot], 99);
    munmap(page, KFD_DOORBELL_BYTES);

    struct kfd_ioctl_update_queue_args update = {.queue_id = b.queue_id, .queue_percentage = 101};
    assert_int_equal(call(AMDKFD_IOC_UPDATE_QUEUE, &update), -EINVAL);
    update.queue_percentage = 50;
    assert_int_equal(call(AMDKFD_IOC_UPDATE_QUEUE, &update), 0);
    assert_int_equal(fake.last_queue->params.percent, 0); /* no ring: stopped */
    uint32_t mask = 0x55;
    struct kfd_ioctl_set_cu_mask_args cu = {
        .queue_id = b.queue_id, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)&mask};
    assert_int_equal(call(AMDKFD_IOC_SET_CU_MASK, &cu), 0);
    assert_int_equal(fake.last_queue->mask, 0x55);

    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = a.queue_id};
    assert_int_equal(call(AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
    assert_int_equal(call(AMDKFD_IOC_DESTROY_QUEUE, &destroy), -EINVAL);
    destroy.queue_id = b.queue_id;
    assert_int_equal(call(AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
    assert_int_equal(fake.n_queues, 0);
    b.ring_size = 3000;
    assert_int_equal(call(AMDKFD_IOC_CREATE_QUEUE, &b), -EINVAL);
    b = queue_args(17);
    assert_int_equal(call(AMDKFD_IOC_CREATE_QUEUE, &b), -EINVAL);
}

/* The page of mailboxes is named by the first event; the device's interrupt clears the slot. */
static void interrupts_raise_events(void **state)
{
    (void)state;
    uint64_t bytes = KFD_SIGNAL_EVENT_LIMIT * 8, va = reserve(bytes);
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(va, bytes, KFD_IOC_ALLOC_MEM_FLAGS_GTT | RW, 0, 0);
    struct kfd_ioctl_create_event_args create = {
        .event_page_offset = b.handle, .event_type = KFD_IOC_EVENT_SIGNAL, .auto_reset = 1};
    assert_int_equal(map_gpu(b.handle), 0);
    assert_int_equal(call(AMDKFD_IOC_CREATE_EVENT, &create), 0);
    uint64_t *page = sg_memory_host(process->gpus[0].memory, va, bytes, 0);
    assert_true(page[create.event_slot_index] == UINT64_MAX);
    assert_true(sg_memory_find(process->gpus[0].memory, va)->flags & SG_MEM_MAILBOXES);
    page[create.event_slot_index] = create.event_trigger_data;
    fake.ops.raise_event(fake.ops.user, create.event_trigger_data);
    assert_true(page[create.event_slot_index] == UINT64_MAX);

    struct kfd_event_data data = {.event_id = create.event_id};
    struct kfd_ioctl_wait_events_args wait = {.events_ptr = (uintptr_t)&data, .num_events = 1};
    assert_int_equal(call(AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
    assert_int_equal(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);

    struct kfd_ioctl_create_event_args memory = {.event_type = KFD_IOC_EVENT_MEMORY};
    assert_int_equal(call(AMDKFD_IOC_CREATE_EVENT, &memory), 0);
    fake.ops.memory_fault(fake.ops.user, 0x123456, 2);
    data.event_id = memory.event_id;
    assert_int_equal(call(AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
    assert_int_equal(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(data.memory_exception_data.va, 0x123000);
    assert_int_equal(data.memory_exception_data.gpu_id, kfd_gpu_id(0));

    /* events still write to the page; there is one for the process */
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(map_gpu(b.handle), 0);
    assert_true(sg_memory_find(process->gpus[0].memory, va)->flags & SG_MEM_MAILBOXES);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), -EPERM);
    page[create.event_slot_index] = create.event_trigger_data;
    fake.ops.raise_event(fake.ops.user, create.event_trigger_data);
    assert_true(page[create.event_slot_index] == UINT64_MAX);
    create.event_page_offset = b.handle;
    assert_int_equal(call(AMDKFD_IOC_CREATE_EVENT, &create), -EINVAL);
}

/* The program may unmap its own memory at any time, and device pages hold something else. */
static void mailboxes_are_in_the_drivers_memory(void **state)
{
    (void)state;
    static _Alignas(4096) uint64_t own[KFD_SIGNAL_EVENT_LIMIT];
    const struct kfd_ioctl_alloc_memory_of_gpu_args bad[] = {
        alloc(reserve(sizeof own), sizeof own, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | RW, (uintptr_t)own,
              0),
        alloc(reserve(KFD_DOORBELL_BYTES), KFD_DOORBELL_BYTES,
              KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | RW, 0, 0),
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct kfd_ioctl_create_event_args create = {.event_page_offset = bad[k].handle,
                                                     .event_type = KFD_IOC_EVENT_SIGNAL};
        assert_int_equal(call(AMDKFD_IOC_CREATE_EVENT, &create), -EINVAL);
        assert_int_equal(free_buffer(bad[k].handle), 0);
    }
}

/* As the driver shows gfx9 with more engines than rows: those from the fifth on are further arrays
 * of the first four. All units are there once. */
static void all_units_are_in_the_bitmap(void **state)
{
    (void)state;
    static const struct {
        uint32_t engines, arrays;
        uint32_t bitmap[4][4];
    } rows[] = {
        {1, 1, {{7}}},
        {4, 1, {{7}, {7}, {7}, {7}}},
        {2, 2, {{7, 7}, {7, 7}}},
        {8, 1, {{7, 7}, {7, 7}, {7, 7}, {7, 7}}},
        {6, 1, {{7, 7}, {7, 7}, {7}, {7}}},
        {8, 2, {{7, 7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7, 7}}},
        {16, 1, {{7, 7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7, 7}}},
    };
    sg_profile_t *profile = (sg_profile_t *)(uintptr_t)&process->config->profile;
    const sg_profile_t before = *profile;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct drm_amdgpu_info_device d = {0};
        struct drm_amdgpu_info info = {.query = AMDGPU_INFO_DEV_INFO,
                                       .return_pointer = (uintptr_t)&d,
                                       .return_size = sizeof(d)};
        profile->shader_engines = rows[k].engines;
        profile->arrays_per_engine = rows[k].arrays;
        profile->cus_per_array = 3;
        assert_int_equal(kfd_drm_ioctl(&process->gpus[0], DRM_IOCTL_AMDGPU_INFO, &info), 0);
        assert_int_equal(d.cu_active_number, rows[k].engines * rows[k].arrays * 3);
        assert_memory_equal(d.cu_bitmap, rows[k].bitmap, sizeof(rows[k].bitmap));
    }
    *profile = before;
}

/* A program built for an older, shorter structure gets no byte written behind it. */
static void structures_may_be_shorter(void **state)
{
    (void)state;
    struct {
        uint64_t gpu, guard;
    } shorter = {0, 0x5a5a5a5a};
    assert_int_equal(call(_IOWR(AMDKFD_IOCTL_BASE, 0x05, uint64_t), &shorter), 0);
    assert_int_equal(shorter.guard, 0x5a5a5a5a);
    assert_int_equal(call(_IOWR(AMDKFD_IOCTL_BASE, 0x82, uint64_t), &shorter), -EINVAL);
}

static void apertures_are_the_drivers(void **state)
{
    (void)state;
    struct kfd_process_device_apertures a;
    struct kfd_ioctl_get_process_apertures_new_args args = {.kfd_process_device_apertures_ptr =
                                                                (uintptr_t)&a};
    assert_int_equal(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), 0);
    assert_int_equal(args.num_of_nodes, 1);
    assert_int_equal(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), 0);
    assert_int_equal(a.gpu_id, kfd_gpu_id(0));
    assert_true(a.lds_base == 1ull << 48 && a.lds_limit == (1ull << 48) + 0xffffffff);
    assert_true(a.gpuvm_limit == 0x7fffffffffff);
}

static void shared_memory_is_one_for_two_gpus(void **state)
{
    (void)state;
    uint32_t ids[2] = {kfd_gpu_id(0), kfd_gpu_id(1)};
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(1ull << 41, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, 0);
    struct kfd_ioctl_map_memory_to_gpu_args args = {
        .handle = b.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 2};
    assert_int_equal(call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args), -EINVAL); /* there is one GPU */
    assert_int_equal(args.n_success, 1);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), 0);
}

static int spm(uint32_t op, void *buffer, uint32_t bytes, uint32_t timeout,
               struct kfd_spm_args *args)
{
    *args = (struct kfd_spm_args){.dest_buf = (uintptr_t)buffer,
                                  .buf_size = bytes,
                                  .op = op,
                                  .timeout = timeout,
                                  .gpu_id = kfd_gpu_id(0)};
    return call(_IOWR(AMDKFD_IOCTL_BASE, KFD_NR_RLC_SPM, struct kfd_spm_args), args);
}

/* A buffer comes back when the next one is named, with a header in front; what it had no room for
 * comes in the next. */
static void samples_come_in_buffers(void **state)
{
    enum { HEADER = 32, ROOM = 64 };
    static uint8_t buffer[2][HEADER + ROOM];
    const struct kfd_spm_header *header = (const void *)buffer[0];
    struct kfd_spm_args args;
    (void)state;
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer[0], sizeof(buffer[0]), 0, &args), -EINVAL);
    assert_int_equal(spm(KFD_SPM_RELEASE, NULL, 0, 0, &args), -EINVAL);
    assert_int_equal(spm(3, NULL, 0, 0, &args), -EINVAL);
    assert_int_equal(spm(KFD_SPM_ACQUIRE, NULL, 0, 0, &args), 0);
    assert_int_equal(spm(KFD_SPM_ACQUIRE, NULL, 0, 0, &args), -EBUSY);
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer[0], HEADER + 31, 0, &args), -EINVAL);
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer[0], sizeof(buffer[0]), 0, &args), 0);
    assert_int_equal(args.bytes_copied, 0);
    fake.spm[0].waiting = 100;
    fake.spm[0].next = 0;
    fake.spm[0].lost = true;
    /* full: it does not wait */
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, buffer[1], sizeof(buffer[1]), 60000, &args), 0);
    assert_int_equal(args.timeout, 60000);
    assert_int_equal(args.bytes_copied, ROOM);
    assert_int_equal(args.has_data_loss, 1);
    assert_int_equal(header->version, 4);
    assert_int_equal(header->bytes_copied, ROOM);
    assert_int_equal(header->has_data_loss, 1);
    for (unsigned i = 0; i < ROOM; i++)
        assert_int_equal(buffer[0][HEADER + i], i);
    /* the rest, which is waited for to grow */
    assert_int_equal(spm(KFD_SPM_SET_BUFFER, NULL, sizeof(buffer[0]), 2, &args), 0);
    assert_int_equal(args.timeout, 0);
    assert_int_equal(args.bytes_copied, 100 - ROOM);
    assert_int_equal(args.has_data_loss, 0);
    assert_int_equal(buffer[1][HEADER], ROOM);
    assert_int_equal(spm(KFD_SPM_RELEASE, NULL, 0, 0, &args), 0);
    assert_false(fake.spm_open);
    args.gpu_id = 1;
    assert_int_equal(call(_IOWR(AMDKFD_IOCTL_BASE, KFD_NR_RLC_SPM, struct kfd_spm_args), &args),
                     -EINVAL);
}

/* A forked child has a GPU of its own and no way to the parent's. */
static void a_forked_child_starts_anew(void **state)
{
    (void)state;
    uint64_t va = reserve(4096);
    struct kfd_ioctl_alloc_memory_of_gpu_args b =
        alloc(va, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, 0);
    assert_int_equal(map_gpu(b.handle), 0);
    uint32_t *bytes = sg_memory_host(process->gpus[0].memory, va, 4, 0);
    *bytes = 42;
    uint64_t before = available();
    pid_t child = fork();
    if (child == 0) {
        kfd_process_forget();
        kfd_process_t *mine = kfd_process_get();
        if (!mine || mine == process || sg_memory_find(mine->gpus[0].memory, va)) _exit(1);
        process = mine;
        if (available() != mine->gpus[0].vram_bytes || free_buffer(b.handle) != -EINVAL) _exit(2);
        b = alloc(va, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW, 0, 0);
        if (map_gpu(b.handle) != 0) _exit(3);
        *(uint32_t *)sg_memory_host(mine->gpus[0].memory, va, 4, 0) = 43;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(*bytes, 42);
    assert_int_equal(available(), before);
    assert_int_equal(unmap_gpu(b.handle), 0);
    assert_int_equal(free_buffer(b.handle), 0);
}

static int set_up(void **state)
{
    (void)state;
    process = kfd_process_get();
    return process ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_and_device_share_memory),
        cmocka_unit_test(registered_memory_has_another_address),
        cmocka_unit_test(only_what_is_mapped_can_be_registered),
        cmocka_unit_test(memory_runs_out_at_the_profiles_limit),
        cmocka_unit_test(queues_get_doorbells_of_their_own),
        cmocka_unit_test(mailboxes_are_in_the_drivers_memory),
        cmocka_unit_test(interrupts_raise_events),
        cmocka_unit_test(structures_may_be_shorter),
        cmocka_unit_test(all_units_are_in_the_bitmap),
        cmocka_unit_test(apertures_are_the_drivers),
        cmocka_unit_test(shared_memory_is_one_for_two_gpus),
        cmocka_unit_test(samples_come_in_buffers),
        cmocka_unit_test(a_forked_child_starts_anew),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
