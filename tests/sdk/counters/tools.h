/* tools.h - what the tools of this folder share: checks of answers, the search for GPUs and for
 * counters by name. */
#ifndef CROCPROF_TESTS_SDK_COUNTERS_TOOLS_H
#define CROCPROF_TESTS_SDK_COUNTERS_TOOLS_H

#include "../../tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- checks, which print what is wrong ---- */

static atomic_int checks, failures;

static inline void check(int line, const char *what, long long got, long long wanted)
{
    checks++;
    if (got == wanted) return;
    failures++;
    printf("line %d: %s is %lld, expected %lld\n", line, what, got, wanted);
}
#define IS(value, wanted)     check(__LINE__, #value, (long long)(value), (long long)(wanted))
#define ANSWERS(call, status) IS(call, ROCPROFILER_STATUS_##status)
#define REFUSES(call, status) IS(call, ROCPROFILER_STATUS_ERROR_##status)

/* The context of a tool that acts when the program loads its kernels: HSA is up then. */
static inline void watch_code_objects(rocprofiler_context_id_t context,
                                      rocprofiler_callback_tracing_cb_t on_code_object)
{
    ANSWERS(rocprofiler_configure_callback_tracing_service(
                context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0, on_code_object, NULL),
            SUCCESS);
    ANSWERS(rocprofiler_start_context(context), SUCCESS);
}

/* ---- finding ---- */

enum { GPUS_MAX = 8 };

typedef struct {
    rocprofiler_agent_id_t gpus[GPUS_MAX];
    unsigned count;
} found_gpus_t;

static rocprofiler_status_t find_on_agents(rocprofiler_agent_version_t version, const void **agents,
                                           size_t count, void *data)
{
    found_gpus_t *found = data;
    (void)version;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_t *agent = agents[i];
        if (agent->type == ROCPROFILER_AGENT_TYPE_GPU && found->count < GPUS_MAX)
            found->gpus[found->count++] = agent->id;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static inline rocprofiler_status_t find_gpus(found_gpus_t *found)
{
    *found = (found_gpus_t){0};
    return rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, find_on_agents,
                                              sizeof(rocprofiler_agent_t), found);
}

typedef struct {
    const char *name;
    rocprofiler_counter_info_v1_t info; /* handle 0: not found */
} found_counter_t;

static rocprofiler_status_t find_on_counters(rocprofiler_agent_id_t agent,
                                             rocprofiler_counter_id_t *counters, size_t count,
                                             void *data)
{
    found_counter_t *found = data;
    (void)agent;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v1_t info;
        rocprofiler_status_t status =
            rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &info);
        if (status != ROCPROFILER_STATUS_SUCCESS) return status;
        if (!strcmp(info.name, found->name)) found->info = info;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* All infos are asked for on the way: the first that is refused ends the search. */
static inline rocprofiler_status_t find_counter(rocprofiler_agent_id_t agent, const char *name,
                                                rocprofiler_counter_info_v1_t *info)
{
    found_counter_t found = {.name = name};
    rocprofiler_status_t status =
        rocprofiler_iterate_agent_supported_counters(agent, find_on_counters, &found);
    *info = found.info;
    return status            ? status
           : info->id.handle ? ROCPROFILER_STATUS_SUCCESS
                             : ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
}

/* ---- what is known of a dispatch ---- */

/* Waves of a dispatch: a workgroup at the end of a dimension may be smaller. */
static inline double expected_waves(const rocprofiler_kernel_dispatch_info_t *d)
{
    double sum = 0;
    for (uint32_t z = 0; z < d->grid_size.z; z += d->workgroup_size.z)
        for (uint32_t y = 0; y < d->grid_size.y; y += d->workgroup_size.y)
            for (uint32_t x = 0; x < d->grid_size.x; x += d->workgroup_size.x) {
#define PART(at, dim)                                                                              \
    (d->grid_size.dim - at < d->workgroup_size.dim ? d->grid_size.dim - at : d->workgroup_size.dim)
                uint32_t items = PART(x, x) * PART(y, y) * PART(z, z);
                sum += (items + 63) / 64;
            }
    return sum;
}

#endif
