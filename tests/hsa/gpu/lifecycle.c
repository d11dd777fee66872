/* lifecycle.c - the HSA runtime up, used, down, and up again; a copy and a barrier each time.
 *
 * No kernel: what is checked is that the profiler goes down before the runtime does and comes back,
 * and that the program's own question for the copy's time is answered. */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>

#define BYTES (1 << 20)
#define CHECK(call)                                                                                \
    do {                                                                                           \
        hsa_status_t status_ = (call);                                                             \
        if (status_ != HSA_STATUS_SUCCESS) {                                                       \
            printf("line %d: HSA status 0x%x\n", __LINE__, status_);                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static hsa_agent_t gpu, cpu;

static hsa_status_t find_agent(hsa_agent_t agent, void *data)
{
    (void)data;
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
    hsa_amd_memory_pool_t *found = data;
    hsa_amd_segment_t segment;
    bool usable = false;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &usable);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && usable && !found->handle) *found = pool;
    return HSA_STATUS_SUCCESS;
}

static int copy_and_ask(void *device, void *host, hsa_signal_t signal)
{
    hsa_amd_profiling_async_copy_time_t time = {0, 0};
    CHECK(hsa_amd_profiling_async_copy_enable(true));
    CHECK(hsa_amd_memory_async_copy(device, gpu, host, cpu, BYTES, 0, NULL, signal));
    hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
    CHECK(hsa_amd_profiling_get_async_copy_time(signal, &time));
    printf("copy: %s\n", time.start && time.end > time.start ? "timed" : "no time");
    return 0;
}

static int pass_barrier(hsa_queue_t *queue, hsa_signal_t signal)
{
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    hsa_barrier_and_packet_t *packet =
        (hsa_barrier_and_packet_t *)queue->base_address + (index & (queue->size - 1));
    packet->completion_signal = signal;
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER,
                     __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
    hsa_signal_value_t value = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1,
                                                         UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    printf("barrier: signal %lld\n", (long long)value);
    return 0;
}

static int once(void)
{
    hsa_amd_memory_pool_t device_pool = {0}, host_pool = {0};
    void *device, *host;
    hsa_queue_t *queue;
    hsa_signal_t signal;
    CHECK(hsa_init());
    CHECK(hsa_iterate_agents(find_agent, NULL));
    CHECK(hsa_amd_agent_iterate_memory_pools(gpu, find_pool, &device_pool));
    CHECK(hsa_amd_agent_iterate_memory_pools(cpu, find_pool, &host_pool));
    CHECK(hsa_amd_memory_pool_allocate(device_pool, BYTES, 0, &device));
    CHECK(hsa_amd_memory_pool_allocate(host_pool, BYTES, 0, &host));
    CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, host));
    CHECK(hsa_queue_create(gpu, 1024, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    CHECK(hsa_signal_create(1, 0, NULL, &signal));
    if (copy_and_ask(device, host, signal)) return 1;
    hsa_signal_store_relaxed(signal, 1);
    if (pass_barrier(queue, signal)) return 1;
    CHECK(hsa_signal_destroy(signal));
    CHECK(hsa_queue_destroy(queue));
    CHECK(hsa_amd_memory_pool_free(device));
    CHECK(hsa_amd_memory_pool_free(host));
    CHECK(hsa_shut_down());
    return 0;
}

int main(void)
{
    return once() || once();
}
