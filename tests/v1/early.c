/* early.c - a program that uses HSA itself and is linked to librocprofiler64; usage:
 * early KERNELS.co before|after
 *
 * before: queue callbacks are set before HSA starts, and HSA_TOOLS_LIB is not: all queues are
 * watched. after: they are set in a running HSA that loaded the library, with interception off:
 * only the queue that was made by rocprofiler_queue_create_profiled() is. */
#include "linked.h"

#include <hsa/hsa_ext_amd.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, WAVES = 4 * GROUPS }; /* of 256 work-items */

static void must(bool ok, const char *what)
{
    const char *text = "";
    if (ok) return;
    rocprofiler_error_string(&text);
    printf("failed: %s %s\n", what, text);
    exit(1);
}
#define MUST(call) must((call) == HSA_STATUS_SUCCESS, #call)

static hsa_agent_t gpu;
static hsa_queue_t *seen_on;
static rocprofiler_feature_t feature = {.name = "SQ_WAVES"};
static rocprofiler_t *context;
static unsigned created, destroyed;

static hsa_status_t on_dispatch(const rocprofiler_callback_data_t *data, void *user,
                                rocprofiler_group_t *group)
{
    (void)user;
    seen_on = (hsa_queue_t *)(uintptr_t)data->queue;
    MUST(rocprofiler_open(data->agent, &feature, 1, &context, 0, NULL));
    return rocprofiler_get_group(context, 0, group);
}

static hsa_status_t on_create(hsa_queue_t *queue, void *user)
{
    (void)user;
    created += queue != NULL;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_destroy(hsa_queue_t *queue, void *user)
{
    (void)user;
    destroyed += queue != NULL;
    return HSA_STATUS_SUCCESS;
}

/* The code object lies behind the header of the compiler's bundle. */
static uint64_t load_kernel(const char *path)
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

static void run(const char *name, hsa_queue_t *queue, uint64_t object)
{
    hsa_kernel_dispatch_packet_t packet = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
                                           .setup = 1,
                                           .workgroup_size_x = 256,
                                           .workgroup_size_y = 1,
                                           .workgroup_size_z = 1,
                                           .grid_size_x = 256 * GROUPS,
                                           .grid_size_y = 1,
                                           .grid_size_z = 1,
                                           .kernel_object = object};
    MUST(hsa_signal_create(1, 0, NULL, &packet.completion_signal));
    uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    hsa_kernel_dispatch_packet_t *slot = queue->base_address;
    slot += index % queue->size;
    memcpy((char *)slot + 4, (char *)&packet + 4, sizeof packet - 4);
    __atomic_store_n((uint32_t *)(void *)slot, *(uint32_t *)(void *)&packet, __ATOMIC_RELEASE);
    seen_on = NULL;
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
    hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
    hsa_signal_destroy(packet.completion_signal);
    if (!seen_on) {
        printf("%s queue: not seen\n", name);
        return;
    }
    MUST(rocprofiler_get_data(context, 0));
    printf("%s queue: %s, %s\n", name, seen_on == queue ? "seen" : "taken for another",
           feature.data.result_int64 == WAVES ? "counted" : "not counted");
    MUST(rocprofiler_close(context));
}

int main(int argc, char **argv)
{
    hsa_queue_t *ordinary, *profiled;
    rocprofiler_queue_callbacks_t callbacks = {on_dispatch, on_create, on_destroy};
    if (argc < 3) return 2;
    bool before = !strcmp(argv[2], "before");
    if (before) MUST(rocprofiler_set_queue_callbacks(callbacks, NULL));
    MUST(hsa_init());
    if (!before) MUST(rocprofiler_set_queue_callbacks(callbacks, NULL));
    printf("HSA_TOOLS_LIB is %s\n", getenv("HSA_TOOLS_LIB") ? "set" : "not set");
    MUST(hsa_iterate_agents(take_gpu, &gpu));
    uint64_t object = load_kernel(argv[1]);
    MUST(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                          &ordinary));
    MUST(rocprofiler_queue_create_profiled(gpu, 128, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX,
                                           UINT32_MAX, &profiled));
    printf("%u told of, size %u\n", created, profiled->size);
    run("ordinary", ordinary, object);
    run("profiled", profiled, object);
    if (rocprofiler_queue_create_profiled(gpu, 100, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX,
                                          UINT32_MAX, &profiled)) {
        const char *text;
        rocprofiler_error_string(&text);
        puts(text);
    }
    MUST(hsa_queue_destroy(profiled));
    MUST(hsa_queue_destroy(ordinary));
    printf("%u gone\n", destroyed);
    MUST(rocprofiler_remove_queue_callbacks());
    return hsa_shut_down();
}
