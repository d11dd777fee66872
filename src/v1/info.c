/* info.c - what can be collected: metrics, traces and their parameters.
 *
 * Metrics are those of the catalogue; the trace and its parameters are the two tables here. */
#include "v1/v1.h"

#include <string.h>

static const rocprofiler_trace_parameter_info_t parameters[] = {
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET, "THREAD_TRACE",
     "COMPUTE_UNIT_TARGET", "compute unit that is traced"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_VM_ID_MASK, "THREAD_TRACE", "VM_ID_MASK",
     "which virtual memory ids are traced"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_MASK, "THREAD_TRACE", "MASK",
     "trace mask register; with both token masks only"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK, "THREAD_TRACE", "TOKEN_MASK",
     "which tokens are written"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK2, "THREAD_TRACE", "TOKEN_MASK2",
     "which instruction tokens are written"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, "THREAD_TRACE", "SE_MASK",
     "which shader engines are traced"},
};
static const rocprofiler_trace_info_t traces[] = {
    {"THREAD_TRACE", "waves and instructions of a compute unit, by shader engine",
     sizeof parameters / sizeof *parameters},
};

enum {
    TRACES = sizeof traces / sizeof *traces,
    PARAMETERS = sizeof parameters / sizeof *parameters
};

/* Returns whether the kind stands for a number: in the enumeration, each kind of description is
 * followed by the kind for the number of such descriptions. */
static bool is_count(rocprofiler_info_kind_t kind)
{
    return kind <= ROCPROFILER_INFO_KIND_TRACE_PARAMETER_COUNT && kind % 2;
}

/* Returns whether a counter is a metric; constants are not, nor are instances that features have
 * named by NAME[i]. */
static bool is_metric(const ctr_counter_t *counter)
{
    return counter->kind != CTR_CONSTANT && !ctr_is_instance(counter);
}

static void describe(const v1_agent_t *agent, const ctr_counter_t *counter,
                     rocprofiler_metric_info_t *metric)
{
    const ctr_block_t *block = counter->kind == CTR_HARDWARE
                                   ? ctr_catalogue_find_block(agent->catalogue, counter->block)
                                   : NULL;
    *metric = (rocprofiler_metric_info_t){
        .name = counter->name,
        .instances = block ? block->instances : 1,
        .expr = counter->kind == CTR_DERIVED ? counter->expression : NULL,
        .description = counter->description,
        .block_name = block ? block->name : NULL,
        .block_counters = block ? ctr_block_slots(block, &agent->properties) : 0,
    };
}

/* ---- queries ---- */

typedef hsa_status_t (*callback_t)(const rocprofiler_info_data_t info, void *data);

typedef struct {
    const char *function;
    rocprofiler_info_kind_t kind;
    const rocprofiler_info_data_t *query; /* NULL: everything */
    callback_t callback;                  /* NULL: they are only counted */
    void *data;
    uint32_t count;
} visit_t;

static bool agrees(const char *wanted, const char *text)
{
    return !wanted || (text && !strcmp(wanted, text));
}

static bool agrees_number(uint32_t wanted, uint32_t number)
{
    return !wanted || wanted == number;
}

static bool matches(const rocprofiler_info_data_t *q, const rocprofiler_info_data_t *info)
{
    if (!q) return true;
    switch (info->kind) {
    case ROCPROFILER_INFO_KIND_METRIC:
        return agrees(q->metric.name, info->metric.name) &&
               agrees_number(q->metric.instances, info->metric.instances) &&
               agrees(q->metric.expr, info->metric.expr) &&
               agrees(q->metric.description, info->metric.description) &&
               agrees(q->metric.block_name, info->metric.block_name) &&
               agrees_number(q->metric.block_counters, info->metric.block_counters);
    case ROCPROFILER_INFO_KIND_TRACE:
        return agrees(q->trace.name, info->trace.name) &&
               agrees(q->trace.description, info->trace.description) &&
               agrees_number(q->trace.parameter_count, info->trace.parameter_count);
    default:
        return agrees_number(q->trace_parameter.code, info->trace_parameter.code) &&
               agrees(q->trace_parameter.trace_name, info->trace_parameter.trace_name) &&
               agrees(q->trace_parameter.parameter_name, info->trace_parameter.parameter_name);
    }
}

static hsa_status_t offer(visit_t *v, const rocprofiler_info_data_t *info)
{
    if (!matches(v->query, info)) return HSA_STATUS_SUCCESS;
    v->count++;
    hsa_status_t status = v->callback ? v->callback(*info, v->data) : HSA_STATUS_SUCCESS;
    if (status != HSA_STATUS_SUCCESS && status != HSA_STATUS_INFO_BREAK)
        v1_error(status, "%s: the callback returned status %d", v->function, (int)status);
    return status;
}

/* The texts of a catalogue are never moved, but it grows when another thread looks up an instance.
 * The callback must not run under the lock, so each metric is copied before the call. */
static hsa_status_t visit_metrics(visit_t *v, v1_agent_t *agent)
{
    ctr_catalogue_t *catalogue = v1_catalogue(agent);
    if (!catalogue) return HSA_STATUS_ERROR;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (size_t i = 0; status == HSA_STATUS_SUCCESS; i++) {
        rocprofiler_info_data_t info = {.agent_index = agent->index, .kind = v->kind};
        pthread_mutex_lock(&v1_catalogue_lock);
        const ctr_counter_t *counter = ctr_catalogue_at(catalogue, i);
        if (counter) describe(agent, counter, &info.metric);
        pthread_mutex_unlock(&v1_catalogue_lock);
        if (!counter) break;
        if (is_metric(counter)) status = offer(v, &info);
    }
    return status;
}

static hsa_status_t visit_agent(visit_t *v, v1_agent_t *agent)
{
    rocprofiler_info_data_t info = {.agent_index = agent->index, .kind = v->kind};
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (v->kind == ROCPROFILER_INFO_KIND_METRIC) return visit_metrics(v, agent);
    if (v->kind == ROCPROFILER_INFO_KIND_TRACE)
        for (unsigned i = 0; i < TRACES && !status; i++) {
            info.trace = traces[i];
            status = offer(v, &info);
        }
    else
        for (unsigned i = 0; i < PARAMETERS && !status; i++) {
            info.trace_parameter = parameters[i];
            status = offer(v, &info);
        }
    return status;
}

static hsa_status_t visit(visit_t *v, const hsa_agent_t *one)
{
    hsa_status_t status = v1_runtime();
    if (status) return status;
    const v1_agent_t *only = one ? v1_agent_find(*one) : NULL;
    if (one && !only) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (only && !only->gpu)
        return v1_error(HSA_STATUS_ERROR_INVALID_AGENT, "%s: agent 0x%llx is no GPU", v->function,
                        (unsigned long long)one->handle);
    for (unsigned i = 0, n = v1_agent_count(); i < n && !status; i++) {
        v1_agent_t *agent = v1_agent_at(i);
        if (agent->gpu && (!only || only == agent)) status = visit_agent(v, agent);
    }
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

/* ---- functions ---- */

hsa_status_t rocprofiler_get_info(const hsa_agent_t *agent, rocprofiler_info_kind_t kind,
                                  void *data)
{
    visit_t v = {.function = __func__, .kind = kind - 1};
    if (!is_count(kind)) return v1_invalid("%s: kind %u is no count (1, 3 and 5)", __func__, kind);
    if (!data) return v1_null(__func__, "data");
    hsa_status_t status = visit(&v, agent);
    if (!status) *(uint32_t *)data = v.count;
    return status;
}

static hsa_status_t iterate(visit_t *v, const hsa_agent_t *agent)
{
    if (is_count(v->kind) || v->kind > ROCPROFILER_INFO_KIND_TRACE_PARAMETER_COUNT)
        return v1_invalid("%s: kind %u cannot be iterated (0, 2 and 4 can)", v->function, v->kind);
    if (!v->callback) return v1_null(v->function, "callback");
    return visit(v, agent);
}

hsa_status_t rocprofiler_iterate_info(const hsa_agent_t *agent, rocprofiler_info_kind_t kind,
                                      callback_t callback, void *data)
{
    visit_t v = {__func__, kind, NULL, callback, data, 0};
    return iterate(&v, agent);
}

hsa_status_t(rocprofiler_query_info)(const hsa_agent_t *agent, rocprofiler_info_query_t query,
                                     callback_t callback, void *data)
{
    rocprofiler_info_data_t wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.trace_parameter.trace_name = query.trace_parameter.trace_name;
    visit_t v = {__func__, ROCPROFILER_INFO_KIND_TRACE_PARAMETER, &wanted, callback, data, 0};
    return iterate(&v, agent);
}

hsa_status_t rocprofiler_query_info_data(const hsa_agent_t *agent, rocprofiler_info_kind_t kind,
                                         rocprofiler_info_data_t query, callback_t callback,
                                         void *data)
{
    visit_t v = {"rocprofiler_query_info", kind, &query, callback, data, 0};
    return iterate(&v, agent);
}
