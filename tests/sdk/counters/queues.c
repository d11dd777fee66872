/* queues.c - an HSA program with two queues; usage: queues CODE_OBJECT cross|fail|parts
 *
 * cross: all packets of queue A are written before those of queue B, and each of A's kernels waits,
 * by a barrier, for a kernel of B, which waits for A's kernel before it. fail: the kernel on A
 * traps; those on B must not wait for it. parts: grids that end within a workgroup, which HIP does
 * not launch. */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20, ITEMS = 200, GROUP = 100 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hsa_status_t s_ = (call);                                                                  \
        if (s_ != HSA_STATUS_SUCCESS) {                                                            \
            printf("%s: 0x%x\n", #call, s_);                                                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t kernarg_pool;
static atomic_int failures;

static hsa_status_t on_agent(hsa_agent_t agent, void *data)
{
    (void)data;
    hsa_device_type_t type;
    CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_pool(hsa_amd_memory_pool_t pool, void *data)
{
    (void)data;
    uint32_t flags = 0;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) kernarg_pool = pool;
    return HSA_STATUS_SUCCESS;
}

static uint64_t load_kernel(const char *path, const char *name)
{
    static hsa_executable_t executable;
    if (!executable.handle) {
        hsa_code_object_reader_t reader;
        static char bundle[1 << 20]; /* the code object lies behind the bundle's header */
        int file = open(path, O_RDONLY);
        ssize_t size = read(file, bundle, sizeof bundle);
        char *object = size > 0 ? memmem(bundle, (size_t)size, "\177ELF", 4) : NULL;
        if (!object) exit(2);
        CHECK(hsa_code_object_reader_create_from_memory(object, (size_t)(bundle + size - object),
                                                        &reader));
        CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                        NULL, &executable));
        CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
        CHECK(hsa_executable_freeze(executable, NULL));
    }
    hsa_executable_symbol_t symbol;
    uint64_t object;
    CHECK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    CHECK(
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
}

static void write_packet(hsa_queue_t *queue, const void *packet)
{
    uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
    char *slot = (char *)queue->base_address + index % queue->size * 64;
    memcpy(slot + 4, (const char *)packet + 4, 60);
    __atomic_store_n((uint32_t *)(void *)slot, *(const uint32_t *)packet, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static void barrier(hsa_queue_t *queue, hsa_signal_t wait_for)
{
    hsa_barrier_and_packet_t p = {.header =
                                      HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER};
    p.dep_signal[0] = wait_for;
    write_packet(queue, &p);
}

static void *arguments;

typedef struct {
    uint32_t grid[3];
    uint16_t group[3];
} shape_t;

static void dispatch_shape(hsa_queue_t *queue, uint64_t object, hsa_signal_t done,
                           const shape_t *shape)
{
    hsa_kernel_dispatch_packet_t p = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = 3,
        .workgroup_size_x = shape->group[0],
        .workgroup_size_y = shape->group[1],
        .workgroup_size_z = shape->group[2],
        .grid_size_x = shape->grid[0],
        .grid_size_y = shape->grid[1],
        .grid_size_z = shape->grid[2],
        .kernel_object = object,
        .kernarg_address = arguments,
        .completion_signal = done};
    write_packet(queue, &p);
}

static void dispatch(hsa_queue_t *queue, uint64_t object, hsa_signal_t done)
{
    static const shape_t usual = {{ITEMS, 1, 1}, {GROUP, 1, 1}};
    dispatch_shape(queue, object, done, &usual);
}

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    (void)queue;
    if (status != HSA_STATUS_SUCCESS && data == &failures) failures++;
}

static bool wait_for(hsa_signal_t signal)
{
    for (int i = 0; i < 20000; i++) {
        if (hsa_signal_load_scacquire(signal) == 0) return true;
        usleep(1000);
    }
    return false;
}

static hsa_signal_t signal_of_one(void)
{
    hsa_signal_t s;
    CHECK(hsa_signal_create(1, 0, NULL, &s));
    return s;
}

static int cross(hsa_queue_t *a, hsa_queue_t *b, uint64_t spin)
{
    hsa_signal_t of_a[ROUNDS], of_b[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        of_a[i] = signal_of_one();
        of_b[i] = signal_of_one();
    }
    for (int i = 0; i < ROUNDS; i++) {
        barrier(a, of_b[i]);
        dispatch(a, spin, of_a[i]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (i) barrier(b, of_a[i - 1]);
        dispatch(b, spin, of_b[i]);
    }
    int done = 0;
    for (int i = 0; i < ROUNDS; i++)
        done += wait_for(of_b[i]) && wait_for(of_a[i]);
    printf("%d of %d rounds\n", done, ROUNDS);
    return done != ROUNDS;
}

static int fail(hsa_queue_t *a, hsa_queue_t *b, uint64_t spin, uint64_t trap)
{
    dispatch(a, trap, signal_of_one());
    int done = 0;
    for (int i = 0; i < ROUNDS; i++) {
        hsa_signal_t s = signal_of_one();
        dispatch(b, spin, s);
        done += wait_for(s);
    }
    printf("%d of %d kernels, %d failure\n", done, ROUNDS, (int)failures);
    return done != ROUNDS;
}

static int parts(hsa_queue_t *queue, uint64_t spin)
{
    static const shape_t shapes[] = {{{1000, 1, 1}, {256, 1, 1}}, {{65, 1, 1}, {64, 1, 1}},
                                     {{1, 1, 1}, {1024, 1, 1}},   {{70, 5, 3}, {32, 4, 2}},
                                     {{63, 65, 1}, {16, 16, 1}},  {{129, 2, 2}, {128, 1, 2}}};
    enum { COUNT = sizeof shapes / sizeof *shapes };
    int done = 0;
    for (int i = 0; i < COUNT; i++) {
        hsa_signal_t s = signal_of_one();
        dispatch_shape(queue, spin, s, &shapes[i]);
        done += wait_for(s);
    }
    printf("%d of %d shapes\n", done, COUNT);
    return done != COUNT;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    CHECK(hsa_init());
    CHECK(hsa_iterate_agents(on_agent, NULL));
    CHECK(hsa_amd_agent_iterate_memory_pools(cpu, on_pool, NULL));
    CHECK(hsa_amd_memory_pool_allocate(kernarg_pool, 4096, 0, &arguments));
    CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, arguments));
    *(int *)arguments = 100;
    uint64_t spin = load_kernel(argv[1], "spin.kd"), trap = load_kernel(argv[1], "trap.kd");
    hsa_queue_t *a, *b;
    CHECK(hsa_queue_create(gpu, 256, HSA_QUEUE_TYPE_MULTI, on_error, &failures, 0, 0, &a));
    CHECK(hsa_queue_create(gpu, 256, HSA_QUEUE_TYPE_MULTI, on_error, &failures, 0, 0, &b));
    int status = !strcmp(argv[2], "fail")    ? fail(a, b, spin, trap)
                 : !strcmp(argv[2], "parts") ? parts(a, spin)
                                             : cross(a, b, spin);
    fflush(stdout);
    CHECK(hsa_queue_destroy(a));
    CHECK(hsa_queue_destroy(b));
    CHECK(hsa_shut_down());
    return status;
}
