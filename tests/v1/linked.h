/* linked.h - what programs that call the library themselves share: the GPU, a kernel on a queue of
 * their own, and calls shown with their answers. */
#ifndef TESTS_V1_LINKED_H
#define TESTS_V1_LINKED_H

#include <rocprofiler/rocprofiler.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For hsa_iterate_agents: the last GPU goes to *data. */
static inline hsa_status_t take_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU) *(hsa_agent_t *)data = agent;
    return HSA_STATUS_SUCCESS;
}

static inline void show(hsa_status_t status, const char *call)
{
    const char *text = "";
    rocprofiler_error_string(&text);
    if (status)
        printf("%s\n    0x%x %s\n", call, status, text);
    else
        printf("%s\n    succeeds\n", call);
}
#define SHOW(call) show(call, #call)

static inline void must(bool ok, const char *what)
{
    const char *text = "";
    if (ok) return;
    rocprofiler_error_string(&text);
    printf("failed: %s %s\n", what, text);
    exit(1);
}
#define MUST(call) must((call) == HSA_STATUS_SUCCESS, #call)

/* "wait_a_little" of a compiler's bundle: the code object lies behind the bundle's header. */
static inline uint64_t load_kernel(hsa_agent_t gpu, const char *path)
{
    static char bundle[1 << 18];
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    hsa_executable_symbol_t symbol;
    uint64_t object;
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(bundle, 1, sizeof bundle, file) : 0;
    char *elf = memmem(bundle, size, "\177ELF", 4);
    must(elf, path);
    fclose(file);
    MUST(hsa_code_object_reader_create_from_memory(elf, (size_t)(bundle + size - elf), &reader));
    MUST(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                   &executable));
    MUST(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    MUST(hsa_executable_freeze(executable, NULL));
    MUST(hsa_executable_get_symbol_by_name(executable, "wait_a_little.kd", &gpu, &symbol));
    MUST(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
}

/* Runs the kernel with so many groups of 256 work-items and waits for its end. */
static inline void dispatch(hsa_queue_t *queue, uint64_t object, uint32_t groups)
{
    hsa_kernel_dispatch_packet_t packet = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
                                           .setup = 1,
                                           .workgroup_size_x = 256,
                                           .workgroup_size_y = 1,
                                           .workgroup_size_z = 1,
                                           .grid_size_x = 256 * groups,
                                           .grid_size_y = 1,
                                           .grid_size_z = 1,
                                           .kernel_object = object};
    MUST(hsa_signal_create(1, 0, NULL, &packet.completion_signal));
    uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    hsa_kernel_dispatch_packet_t *slot = queue->base_address;
    slot += index % queue->size;
    memcpy((char *)slot + 4, (char *)&packet + 4, sizeof packet - 4);
    __atomic_store_n((uint32_t *)(void *)slot, *(uint32_t *)(void *)&packet, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
    hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
    hsa_signal_destroy(packet.completion_signal);
}

#endif
