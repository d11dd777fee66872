/* avail.c - see avail.h. It queries the SDK; rocprofv3-avail.c prints the results. */
#include "cli/avail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/registration.h>

#include "base/grow.h"
#include "cli/gpu.h"
#include "trace/selection.h"

static int by_id(const void *a, const void *b)
{
    const rocprofiler_counter_info_v1_t *x = *(rocprofiler_counter_info_v1_t *const *)a;
    const rocprofiler_counter_info_v1_t *y = *(rocprofiler_counter_info_v1_t *const *)b;
    return x->id.handle < y->id.handle ? -1 : x->id.handle > y->id.handle;
}

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t *ids,
                                        size_t count, void *data)
{
    avail_gpu_t *gpu = data;
    (void)agent;
    if (!base_resize(&gpu->counters, gpu->count + count + 1, sizeof(*gpu->counters)))
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v1_t *info = calloc(1, sizeof(*info));
        if (!info) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
        info->size = sizeof(*info);
        rocprofiler_status_t status =
            rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_1, info);
        if (status != ROCPROFILER_STATUS_SUCCESS) {
            free(info);
            return status;
        }
        gpu->counters[gpu->count++] = info;
    }
    if (count) qsort(gpu->counters, gpu->count, sizeof(*gpu->counters), by_id);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Collects the streaming counters. If the list cannot be read, no counter counts as streaming. */
static rocprofiler_status_t on_streams(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t *ids,
                                       size_t count, void *data)
{
    avail_gpu_t *gpu = data;
    (void)agent;
    if (!base_resize(&gpu->streams, gpu->stream_count + count + 1, sizeof(*gpu->streams)))
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    memcpy(gpu->streams + gpu->stream_count, ids, count * sizeof(*ids));
    gpu->stream_count += count;
    return ROCPROFILER_STATUS_SUCCESS;
}

bool avail_streams(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *counter)
{
    for (size_t i = 0; i < gpu->stream_count; i++)
        if (gpu->streams[i].handle == counter->id.handle) return true;
    return false;
}

static int by_index(const void *a, const void *b)
{
    const avail_gpu_t *x = a, *y = b;
    return x->agent->logical_node_type_id - y->agent->logical_node_type_id;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    avail_t *a = data;
    (void)version;
    a->gpus = calloc(count ? count : 1, sizeof(*a->gpus));
    if (!a->gpus) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_v0_t *agent = agents[i];
        if (agent->type == ROCPROFILER_AGENT_TYPE_GPU) a->gpus[a->count++].agent = agent;
    }
    if (a->count) qsort(a->gpus, a->count, sizeof(*a->gpus), by_index);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Reads the classes of counters. If that fails, lists are printed without them. */
static void read_classes(avail_gpu_t *gpu)
{
    ctr_error_t error;
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (!definitions) return;
    if (ctr_definitions_add_builtin(definitions) != CTR_OK ||
        ctr_catalogue_create(definitions, gpu->agent->name, CTR_GENERATION_SDK, 1, NULL, NULL,
                             &gpu->classes, &error) != CTR_OK)
        gpu->classes = NULL;
    ctr_definitions_destroy(definitions);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    return 0;
}

static rocprofiler_tool_configure_result_t *configure(uint32_t version, const char *runtime_version,
                                                      uint32_t priority,
                                                      rocprofiler_client_id_t *client_id)
{
    static rocprofiler_tool_configure_result_t result = {.size = sizeof(result),
                                                         .initialize = initialize};
    (void)version, (void)runtime_version, (void)priority;
    client_id->name = "rocprofv3-avail";
    return &result;
}

int avail_read(avail_t *a, const char *extra, char *why, size_t why_bytes)
{
    *a = (avail_t){.soft = cli_on_soft_gpu()};
    const char *what = "starting the SDK";
    rocprofiler_status_t status = rocprofiler_force_configure(configure);
    if (status != ROCPROFILER_STATUS_SUCCESS) goto fail;
    what = "extra counters";
    if (extra)
        status = rocprofiler_load_counter_definition(extra, strlen(extra),
                                                     ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION);
    why[0] = 0;
    if (status == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT) return -1;
    if (status != ROCPROFILER_STATUS_SUCCESS) goto fail;
    what = "agents";
    status = rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                                sizeof(rocprofiler_agent_v0_t), a);
    if (status != ROCPROFILER_STATUS_SUCCESS) goto fail;
    for (size_t i = 0; i < a->count; i++) {
        avail_gpu_t *gpu = &a->gpus[i];
        what = gpu->agent->name;
        status = rocprofiler_iterate_agent_supported_counters(gpu->agent->id, on_counters, gpu);
        if (status == ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED) continue;
        if (status != ROCPROFILER_STATUS_SUCCESS) goto fail;
        rocprofiler_spm_iterate_agent_supported_counters(gpu->agent->id, on_streams, gpu);
        if (a->soft) read_classes(gpu);
    }
    return 0;
fail:
    snprintf(why, why_bytes, "%s: %s", what, rocprofiler_get_status_string(status));
    return -1;
}

void avail_free(avail_t *a)
{
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < a->gpus[i].count; j++)
            free(a->gpus[i].counters[j]);
        free(a->gpus[i].counters);
        free(a->gpus[i].streams);
        ctr_catalogue_destroy(a->gpus[i].classes);
        ctr_catalogue_destroy(a->gpus[i].own);
        free(a->gpus[i].made);
    }
    free(a->gpus);
    *a = (avail_t){0};
}

const avail_gpu_t *avail_gpu(const avail_t *a, int index)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->gpus[i].agent->logical_node_type_id == index) return &a->gpus[i];
    return NULL;
}

static const rocprofiler_counter_info_v1_t *find(const avail_gpu_t *gpu, const char *name)
{
    for (size_t i = 0; i < gpu->count; i++)
        if (strcmp(gpu->counters[i]->name, name) == 0) return gpu->counters[i];
    return NULL;
}

const rocprofiler_counter_info_v1_t *avail_find(avail_gpu_t *gpu, const char *name)
{
    rocprofiler_counter_id_t id;
    const rocprofiler_counter_info_v1_t *found = find(gpu, name);
    char *expression = found ? NULL : trace_instance_expression(name);
    if (expression && gpu->own) {
        if (avail_add_instance(gpu, name, expression)) found = find(gpu, name);
    } else if (expression &&
               rocprofiler_create_counter(name, strlen(name), expression, strlen(expression), NULL,
                                          0, gpu->agent->id, &id) == ROCPROFILER_STATUS_SUCCESS &&
               on_counters(gpu->agent->id, &id, 1, gpu) == ROCPROFILER_STATUS_SUCCESS)
        found = find(gpu, name);
    free(expression);
    return found;
}

const char *avail_class(const avail_gpu_t *gpu, const char *name)
{
    const ctr_counter_t *counter =
        gpu->classes ? ctr_catalogue_find(gpu->classes, name, strlen(name)) : NULL;
    return counter ? ctr_class_name(counter->value_class) : "";
}

/* Returns true for equal letters in another case, and for one letter added, dropped or changed. */
static bool almost(const char *a, const char *b)
{
    while (*a && strncasecmp(a, b, 1) == 0)
        a++, b++;
    if (!*a && !*b) return true;
    bool other = *a && *b && strcasecmp(a + 1, b + 1) == 0;
    return other || (*a && strcasecmp(a + 1, b) == 0) || (*b && strcasecmp(a, b + 1) == 0);
}

const char *avail_similar(const avail_gpu_t *gpu, const char *name)
{
    for (size_t i = 0; i < gpu->count; i++)
        if (almost(name, gpu->counters[i]->name)) return gpu->counters[i]->name;
    return NULL;
}
