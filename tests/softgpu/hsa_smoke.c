/* hsa_smoke.c - the real HSA runtime on softgpu, without kernels: queues, packets, copies, limits.
 *
 * What it finds wrong lies below the instruction set: in the driver's interface, the packet
 * processors or the copy engine. Each check that fails prints a line. */
#include <dlfcn.h>
#include <hsa/hsa_ext_image.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "hsa_rig.h"

static hsa_amd_memory_pool_t system_memory;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static hsa_signal_t new_signal(hsa_signal_value_t value)
{
    hsa_signal_t s = {0};
    OK(hsa_signal_create(value, 0, NULL, &s));
    return s;
}

static bool wait_zero(hsa_signal_t s, hsa_wait_state_t how)
{
    return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 10000000000u, how) == 0;
}

/* ---- packets ---- */

static void send_barrier(hsa_queue_t *q, hsa_signal_t after, hsa_signal_t done, bool any)
{
    hsa_barrier_and_packet_t packet = {.dep_signal[0] = after, .completion_signal = done};
    uint16_t header = (uint16_t)((any ? HSA_PACKET_TYPE_BARRIER_OR : HSA_PACKET_TYPE_BARRIER_AND)
                                     << HSA_PACKET_HEADER_TYPE |
                                 1 << HSA_PACKET_HEADER_BARRIER);
    send(q, &packet, header);
}

static void check_barriers(void)
{
    enum { ROUNDS = 300 };
    hsa_queue_t *q;
    hsa_signal_t none = {0};
    OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &q));
    hsa_signal_t done = new_signal(1);
    for (int i = 0; i < ROUNDS; i++) { /* more than the ring holds */
        hsa_signal_store_relaxed(done, 1);
        send_barrier(q, none, done, false);
        CHECK(wait_zero(done, i % 2 ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED));
    }
    uint64_t begin = now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        hsa_signal_store_relaxed(done, 1);
        send_barrier(q, none, done, false);
        CHECK(wait_zero(done, HSA_WAIT_STATE_BLOCKED));
    }
    printf("barrier packet, round trip with a sleeping waiter: %.1f us\n",
           (double)(now_ns() - begin) / 1000 / (int)ROUNDS);

    /* a dependency that the host fulfils: it rings no doorbell */
    hsa_signal_t gate = new_signal(1);
    hsa_signal_store_relaxed(done, 1);
    send_barrier(q, gate, done, false);
    CHECK(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 50000000,
                                    HSA_WAIT_STATE_BLOCKED) == 1);
    hsa_signal_store_screlease(gate, 0);
    CHECK(wait_zero(done, HSA_WAIT_STATE_BLOCKED));

    /* a queue that waits for another one */
    hsa_queue_t *other;
    OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &other));
    hsa_signal_store_relaxed(gate, 1);
    hsa_signal_store_relaxed(done, 1);
    send_barrier(q, gate, done, true);
    send_barrier(other, none, gate, false);
    CHECK(wait_zero(done, HSA_WAIT_STATE_BLOCKED));
    OK(hsa_queue_destroy(other));
    OK(hsa_queue_destroy(q));
    OK(hsa_signal_destroy(gate));
    OK(hsa_signal_destroy(done));
}

/* ---- copies ---- */

static void copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent, size_t n)
{
    hsa_signal_t done = new_signal(1);
    OK(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, n, 0, NULL, done));
    CHECK(wait_zero(done, HSA_WAIT_STATE_BLOCKED));
    OK(hsa_signal_destroy(done));
}

static void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)((i * 2654435761u + seed) >> 13);
}

/* Locked memory has an address of its own on the device, or, where ROCr uses the driver's shared
 * virtual memory (from 6 on, unless HSA_USE_SVM is 0), the host's. */
static bool locked_is_shared(void)
{
#if HSA_AMD_INTERFACE_VERSION_MINOR >= 4
    const char *use = getenv("HSA_USE_SVM");
    return !use || strcmp(use, "0") != 0;
#else
    return false;
#endif
}

/* Host to device to host through locked memory. */
static void check_copies(void)
{
    static const size_t sizes[] = {1, 3, 64, 4095, 4096, 4097, 1 << 20, (64 << 20) + 5};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = sizes[i];
        uint8_t *a = malloc(n), *b = malloc(n), *a_gpu, *b_gpu, *device;
        fill(a, n, (unsigned)i);
        memset(b, 0, n);
        OK(hsa_amd_memory_pool_allocate(vram, n, 0, (void **)&device));
        OK(hsa_amd_memory_lock(a, n, &gpu, 1, (void **)&a_gpu));
        OK(hsa_amd_memory_lock(b, n, &gpu, 1, (void **)&b_gpu));
        CHECK((a_gpu == a) == locked_is_shared());
        uint64_t begin = now_ns();
        copy(device, gpu, a_gpu, cpu, n);
        copy(b_gpu, cpu, device, gpu, n);
        if (n > 1 << 20)
            printf("64 MB to the device and back: %.0f ms\n", (double)(now_ns() - begin) / 1e6);
        CHECK(memcmp(a, b, n) == 0);
        OK(hsa_amd_memory_unlock(a));
        OK(hsa_amd_memory_unlock(b));
        OK(hsa_amd_memory_pool_free(device));
        free(a);
        free(b);
    }
}

/* ---- limits ---- */

static void check_limits(void)
{
    void *p = NULL;
    size_t all = 0;
    hsa_amd_ipc_memory_t handle;
    OK(hsa_amd_memory_pool_get_info(vram, HSA_AMD_MEMORY_POOL_INFO_SIZE, &all));
    CHECK(hsa_amd_memory_pool_allocate(vram, all + 4096, 0, &p) != HSA_STATUS_SUCCESS);
    OK(hsa_amd_memory_pool_allocate(vram, all / 2 + 4096, 0, &p));
    void *q = NULL;
    CHECK(hsa_amd_memory_pool_allocate(vram, all / 2, 0, &q) == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    CHECK(hsa_amd_ipc_memory_create(p, all / 2, &handle) != HSA_STATUS_SUCCESS);
    OK(hsa_amd_memory_pool_free(p));
    OK(hsa_amd_memory_pool_allocate(vram, all / 2, 0, &q));
    OK(hsa_amd_memory_pool_free(q));
}

static void check_clocks(void)
{
    uint64_t a, b, frequency;
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    CHECK(frequency == 1000000000);
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &a));
    uint64_t before = now_ns();
    while (now_ns() - before < 10000000)
        ;
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &b));
    CHECK(b - a > 9900000 && b - a < 1000000000);
}

/* ---- images ---- */

typedef hsa_status_t create_v2_t(hsa_agent_t, const void *, hsa_ext_sampler_t *);

/* Descriptors of images and samplers are the runtime's, from what the driver says of the GPU; ROCr
 * 6 has a second function, with an address mode for each dimension. */
static void check_images(void)
{
    const hsa_ext_sampler_descriptor_t first = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
    const uint32_t second[] = {first.coordinate_mode, first.filter_mode, first.address_mode,
                               HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT, first.address_mode};
    const hsa_ext_image_descriptor_t image = {
        .geometry = HSA_EXT_IMAGE_GEOMETRY_2D,
        .width = 64,
        .height = 32,
        .format = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R}};
    hsa_ext_sampler_t sampler = {0};
    hsa_ext_image_data_info_t room = {0};
    create_v2_t *create_v2;

    OK(hsa_ext_sampler_create(gpu, &first, &sampler));
    CHECK(sampler.handle);
    OK(hsa_ext_sampler_destroy(gpu, sampler));
    *(void **)&create_v2 = dlsym(RTLD_DEFAULT, "hsa_ext_sampler_create_v2");
    if (create_v2) {
        sampler.handle = 0;
        OK(create_v2(gpu, second, &sampler));
        CHECK(sampler.handle);
        OK(hsa_ext_sampler_destroy(gpu, sampler));
    }
    OK(hsa_ext_image_data_get_info(gpu, &image, HSA_ACCESS_PERMISSION_RW, &room));
    CHECK(room.size >= 64 * 32 * 4 && room.alignment);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    take_gpu();
    OK(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, &system_memory));
    CHECK(vram.handle && system_memory.handle);
    if (failures) return 1;
    check_clocks();
    check_limits();
    check_barriers();
    check_copies();
    check_images();
    OK(hsa_shut_down());
    return failures != 0;
}
