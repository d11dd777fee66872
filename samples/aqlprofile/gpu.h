/* gpu.h - what every sample of this folder needs of the HSA runtime: an agent, memory, a queue, a
 * kernel. Header only, so that each sample is one file to compile. */
#ifndef SAMPLES_AQLPROFILE_GPU_H
#define SAMPLES_AQLPROFILE_GPU_H

#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                   \
    do {                                                                                           \
        hsa_status_t status_ = (call);                                                             \
        if (status_ != HSA_STATUS_SUCCESS) {                                                       \
            fprintf(stderr, "%s: status 0x%x\n", #call, status_);                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t pool; /* system memory that the GPU may use */
static hsa_queue_t *queue;
static hsa_signal_t finished;

static inline hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
    (void)data;
    hsa_device_type_t type;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    hsa_agent_t *place = type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu;
    if (!place->handle) *place = agent;
    return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t take_pool(hsa_amd_memory_pool_t candidate, void *data)
{
    (void)data;
    uint32_t flags = 0;
    OK(hsa_amd_memory_pool_get_info(candidate, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) pool = candidate;
    return HSA_STATUS_SUCCESS;
}

static inline void *allocate(size_t bytes)
{
    static void *memory; /* static: gcc 12 warns of a pointer to it otherwise, wrongly */
    OK(hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory));
    OK(hsa_amd_agents_allow_access(1, &gpu, NULL, memory));
    return memset(memory, 0, bytes);
}

static inline void open_gpu(void)
{
    OK(hsa_init());
    OK(hsa_iterate_agents(take_agent, NULL));
    if (!gpu.handle) {
        fprintf(stderr, "there is no GPU\n");
        exit(1);
    }
    OK(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, NULL));
    OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                        &queue));
    OK(hsa_signal_create(0, 0, NULL, &finished));
}

static inline void close_gpu(void)
{
    OK(hsa_signal_destroy(finished));
    OK(hsa_queue_destroy(queue));
    OK(hsa_shut_down());
}

/* Puts a packet into the queue; its header, which is written last, gives it to the GPU. */
static inline void submit(const void *packet, uint16_t type, uint16_t second)
{
    const uint32_t fences = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE;
    uint32_t header = type | 1u << HSA_PACKET_HEADER_BARRIER | fences | (uint32_t)second << 16;
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    char *slot = (char *)queue->base_address + index % queue->size * 64;
    memcpy(slot + 4, (const char *)packet + 4, 60);
    __atomic_store_n((uint32_t *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static inline void submit_commands(hsa_ext_amd_aql_pm4_packet_t *packet, hsa_signal_t signal)
{
    packet->completion_signal = signal;
    submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC, packet->pm4_command[0]);
}

static inline void wait_for(hsa_signal_t signal)
{
    while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                     HSA_WAIT_STATE_BLOCKED) > 0)
        ;
}

/* Loading may run kernels of the runtime's own, so it comes before what is to be observed. */
static inline hsa_kernel_dispatch_packet_t load_kernel(const char *file, const char *name)
{
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    hsa_executable_symbol_t symbol;
    hsa_kernel_dispatch_packet_t packet = {.setup = 1 /* dimension */};
    int code = open(file, O_RDONLY);
    if (code < 0) {
        perror(file);
        exit(1);
    }
    OK(hsa_code_object_reader_create_from_file(code, &reader));
    OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                 &executable));
    OK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    OK(hsa_executable_freeze(executable, NULL));
    OK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                      &packet.kernel_object));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                      &packet.group_segment_size));
    OK(hsa_executable_symbol_get_info(symbol,
                                      HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                      &packet.private_segment_size));
    return packet;
}

/* What fill.cl takes. */
typedef struct {
    uint32_t *out;
    uint32_t group_size;
} fill_arguments_t;

static inline fill_arguments_t *fill_arguments(uint32_t groups, uint32_t group_size)
{
    fill_arguments_t *arguments = allocate(sizeof *arguments);
    arguments->out = allocate(groups * group_size * sizeof *arguments->out);
    arguments->group_size = group_size;
    return arguments;
}

static inline void submit_kernel(hsa_kernel_dispatch_packet_t *kernel, uint32_t groups,
                                 uint16_t group_size, void *arguments)
{
    kernel->workgroup_size_x = group_size;
    kernel->grid_size_x = groups * group_size;
    kernel->workgroup_size_y = kernel->workgroup_size_z = 1;
    kernel->grid_size_y = kernel->grid_size_z = 1;
    kernel->kernarg_address = arguments;
    submit(kernel, HSA_PACKET_TYPE_KERNEL_DISPATCH, kernel->setup);
}

#endif
