/* hip_graph.c - executable graphs of HIP: their creation, destruction and launches.
 *
 * The runtime dispatches the kernels of a graph on the thread that launches it, during the call:
 * they are counted where all dispatches are seen (gpu/dispatch.h). */
#include "sdk/agent/agent.h"
#include "sdk/api/api.h"
#include "sdk/core/context.h"
#include "sdk/core/handles.h"
#include "sdk/core/services.h"
#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <hip/hip_runtime_api.h>
#include <rocprofiler-sdk/hip.h>

#include <string.h>

static sdk_handles_t graphs;

static const sdk_plan_t *plan(rocprofiler_hip_graph_operation_t operation)
{
    return sdk_plan(SDK_DOMAIN_HIP_GRAPH, (int32_t)operation);
}

/* ---- reporting ---- */

static void tell(rocprofiler_hip_graph_operation_t operation, hipGraphExec_t graph, uint64_t id)
{
    const sdk_plan_t *p = plan(operation);
    if (!p) return;
    sdk_operation_t o;
    rocprofiler_callback_tracing_hip_graph_data_t data = {
        .size = sizeof data, .graph_exec_id = {id}, .graph_exec_value = {.ptr = graph}};
    sdk_operation_begin(&o, p);
    sdk_operation_callback(&o, ROCPROFILER_CALLBACK_PHASE_NONE, &data);
}

/* The graph gets a number even if no context is running: one may start later. */
static void created(hipGraphExec_t graph)
{
    bool made;
    uint64_t id = sdk_handle_add(&graphs, graph, true, &made);
    tell(ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_CREATE, graph, id);
}

static uint64_t id_of(hipGraphExec_t graph)
{
    bool made;
    uint64_t id = sdk_handle_find(&graphs, graph);
    if (id) return id;
    id = sdk_handle_add(&graphs, graph, false, &made);
    if (made) tell(ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_CREATE, graph, id);
    return id;
}

/* ---- the agent of a launch without kernels ---- */

static hipError_t (*get_device)(int *device);
static hipError_t (*get_stream_device)(hipStream_t stream, hipDevice_t *device);

/* Returns the agent of the GPU with this number in HIP. */
static rocprofiler_agent_id_t agent_of(int device)
{
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    for (size_t i = 0; i < count; i++)
        if (agents[i]->type == ROCPROFILER_AGENT_TYPE_GPU && agents[i]->runtime_visibility.hip &&
            device-- == 0)
            return agents[i]->id;
    return (rocprofiler_agent_id_t){0};
}

static rocprofiler_agent_id_t agent_of_stream(hipStream_t stream)
{
    int device = -1;
    bool own = stream && stream != hipStreamPerThread;
    if (own && get_stream_device && get_stream_device(stream, &device) != hipSuccess) device = -1;
    if (device < 0 && (!get_device || get_device(&device) != hipSuccess)) device = -1;
    return agent_of(device);
}

/* ---- the wrappers ---- */

typedef hipError_t (*launch_fn_t)(hipGraphExec_t graph, hipStream_t stream);

static void record(const sdk_operation_t *o, const sdk_launch_t *l, hipStream_t stream, uint64_t id,
                   uint64_t start)
{
    rocprofiler_buffer_tracing_hip_graph_record_t r = {
        .size = sizeof r,
        .operation = ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH,
        .correlation_id = {.internal = o->internal, .ancestor = o->ancestor},
        .thread_id = o->thread_id,
        .start_timestamp = start,
        .end_timestamp = sdk_now(),
        .agent_id = l->kernels ? l->agent : agent_of_stream(stream),
        .graph_exec_id = {id},
        .kernel_dispatch_count = l->kernels,
    };
    sdk_operation_record(o, &r, sizeof r, &r.correlation_id.external);
}

/* If no traced call encloses it, the launch itself stands for the call: the launched work has the
 * launch's correlation id. */
static hipError_t launch(hipGraphExec_t graph, hipStream_t stream, launch_fn_t next)
{
    const sdk_plan_t *p = plan(ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH);
    sdk_thread_t *self = p ? sdk_thread_self() : NULL;
    if (!self) {
        if (p) sdk_operation_lost(p);
        return next(graph, stream);
    }
    sdk_operation_t o;
    sdk_launch_t l = {.outer = sdk_launch};
    rocprofiler_callback_tracing_hip_graph_data_t data = {
        .size = sizeof data, .graph_exec_id = {id_of(graph)}, .graph_exec_value = {.ptr = graph}};
    sdk_operation_begin(&o, p);
    const bool alone = !self->current;
    if (alone) self->current = o.internal;
    const uint64_t start = p->buffer_count ? sdk_now() : 0;
    sdk_operation_callback(&o, ROCPROFILER_CALLBACK_PHASE_ENTER, &data);
    sdk_launch = p->buffer_count ? &l : NULL; /* without a buffer the number of kernels is not
                                               * needed */
    const hipError_t result = next(graph, stream);
    sdk_launch = l.outer;
    sdk_operation_callback(&o, ROCPROFILER_CALLBACK_PHASE_EXIT, &data);
    if (p->buffer_count && result == hipSuccess)
        record(&o, &l, stream, data.graph_exec_id.handle, start);
    if (!alone) return result;
    self->current = 0;
    if (self->references || sdk_plan(SDK_DOMAIN_RETIREMENT, 0))
        sdk_retirement_call_ends(self, o.internal);
    return result;
}

static hipError_t destroy(hipGraphExec_t graph, hipError_t (*next)(hipGraphExec_t))
{
    const uint64_t id = sdk_handle_find(&graphs, graph);
    const hipError_t result = next(graph);
    if (result == hipSuccess) tell(ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_DESTROY, graph, id);
    return result;
}

#define SAVED(name, ...) static hipError_t (*saved_##name[SDK_INSTANCES])(__VA_ARGS__);
#define MAKES(name, instance, parameters, arguments)                                               \
    static hipError_t graph##instance##_##name parameters                                          \
    {                                                                                              \
        const hipError_t result = saved_##name[instance] arguments;                                \
        if (result == hipSuccess && out && *out) created(*out);                                    \
        return result;                                                                             \
    }
#define CALLS(name, instance, parameters, arguments)                                               \
    static hipError_t graph##instance##_##name parameters                                          \
    {                                                                                              \
        return arguments;                                                                          \
    }
#define ROW(name)                                                                                  \
    {                                                                                              \
#name, {(void *)graph0_##name, (void *)graph1_##name }, (void **)(void *)saved_##name, 0,  \
                0                                                                                  \
    }

SAVED(hipGraphInstantiate, hipGraphExec_t *, hipGraph_t, hipGraphNode_t *, char *, size_t)
SAVED(hipGraphInstantiateWithFlags, hipGraphExec_t *, hipGraph_t, unsigned long long)
SAVED(hipGraphInstantiateWithParams, hipGraphExec_t *, hipGraph_t, void *)
SAVED(hipGraphExecDestroy, hipGraphExec_t)
SAVED(hipGraphLaunch, hipGraphExec_t, hipStream_t)
SAVED(hipGraphLaunch_spt, hipGraphExec_t, hipStream_t)

#define WRAPPERS(i)                                                                                \
    MAKES(                                                                                         \
        hipGraphInstantiate, i,                                                                    \
        (hipGraphExec_t * out, hipGraph_t graph, hipGraphNode_t * node, char *text, size_t size),  \
        (out, graph, node, text, size))                                                            \
    MAKES(hipGraphInstantiateWithFlags, i,                                                         \
          (hipGraphExec_t * out, hipGraph_t graph, unsigned long long flags), (out, graph, flags)) \
    MAKES(hipGraphInstantiateWithParams, i, (hipGraphExec_t * out, hipGraph_t graph, void *how),   \
          (out, graph, how))                                                                       \
    CALLS(hipGraphExecDestroy, i, (hipGraphExec_t graph),                                          \
          destroy(graph, saved_hipGraphExecDestroy[i]))                                            \
    CALLS(hipGraphLaunch, i, (hipGraphExec_t graph, hipStream_t stream),                           \
          launch(graph, stream, saved_hipGraphLaunch[i]))                                          \
    CALLS(hipGraphLaunch_spt, i, (hipGraphExec_t graph, hipStream_t stream),                       \
          launch(graph, stream, saved_hipGraphLaunch_spt[i]))
WRAPPERS(0)
WRAPPERS(1)
_Static_assert(SDK_INSTANCES == 2, "a set of wrappers for each");

static const sdk_api_row_t rows[] = {ROW(hipGraphInstantiate),
                                     ROW(hipGraphInstantiateWithFlags),
                                     ROW(hipGraphInstantiateWithParams),
                                     ROW(hipGraphExecDestroy),
                                     ROW(hipGraphLaunch),
                                     ROW(hipGraphLaunch_spt)};

static void install(void *table)
{
    static void *wrapped[SDK_INSTANCES];
    if (!sdk_domain_configured(SDK_DOMAIN_HIP_GRAPH)) return;
    const int instance = sdk_api_place(wrapped, table, "hipGraphExec_t");
    if (instance < 0) return;
    sdk_api_hip_function(table, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDevice, &get_device);
    sdk_api_hip_function(table, ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamGetDevice,
                         &get_stream_device);
    sdk_api_wrap_hip(rows, sizeof rows / sizeof *rows, table, instance);
}

/* Dispatches are needed because a launch's record has the number of its kernels. */
static unsigned needs(void)
{
    return sdk_domain_buffered(SDK_DOMAIN_HIP_GRAPH) ? SDK_GPU_DISPATCHES : 0;
}

/* The wrappers are inside those of API tracing, so that a launch has the correlation id of its
 * call. */
SDK_SERVICE(hip_graph) = {.inside = {ROCPROFILER_HIP_RUNTIME_TABLE, install},
                          .gpu = &(const sdk_gpu_part_t){.needs = needs}};
