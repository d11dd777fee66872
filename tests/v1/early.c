/* early.c - a program that uses HSA itself and is linked to librocprofiler64; usage:
 * early KERNELS.co before|after
 *
 * before: queue callbacks are set before HSA starts, and HSA_TOOLS_LIB is not: all queues are
 * watched. after: they are set in a running HSA that loaded the library, with interception off:
 * only the queue that was made by rocprofiler_queue_create_profiled() is. */
#include "linked.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, WAVES = 4 * GROUPS }; /* of 256 work-items */

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

static void run(const char *name, hsa_queue_t *queue, uint64_t object)
{
    seen_on = NULL;
    dispatch(queue, object, GROUPS);
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
    uint64_t object = load_kernel(gpu, argv[1]);
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
