/* events.c - the domain ACTIVITY_DOMAIN_HSA_EVT: allocations and releases of memory, access of
 * agents to memory, copies, kernels that are submitted to a queue, code objects and their kernels.
 *
 * It is apart because its events come from three services of the SDK and have structures of their
 * own. Properties of memory are queried by HSA's public functions; these calls are not reported. */
#include "roctracer/internal.h"

#include <dlfcn.h>

enum { NODES = 256 };

/* Agents, indexed by the driver's node number. */
static struct {
    hsa_device_type_t type;
    uint32_t index; /* index among the agents of the type */
    uint64_t agent;
} nodes[NODES];

static __thread bool asking; /* this thread is calling HSA on behalf of this library */

bool rtr_asking(void)
{
    return asking;
}

void rtr_events_agent(const rocprofiler_agent_v0_t *agent)
{
    if (agent->node_id >= NODES) return;
    bool gpu = agent->type == ROCPROFILER_AGENT_TYPE_GPU;
    nodes[agent->node_id].type = gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
    nodes[agent->node_id].index = (uint32_t)agent->logical_node_type_id;
    nodes[agent->node_id].agent = agent->id.handle;
}

/* ---- queries of HSA ---- */

typedef hsa_status_t (*pool_info_t)(hsa_amd_memory_pool_t, hsa_amd_memory_pool_info_t, void *);
typedef hsa_status_t (*region_info_t)(hsa_region_t, hsa_region_info_t, void *);
typedef hsa_status_t (*agent_info_t)(hsa_agent_t, hsa_agent_info_t, void *);

static void *hsa_function(const char *name)
{
    void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *function = hsa ? dlsym(hsa, name) : NULL;
    if (hsa) dlclose(hsa);
    return function;
}

static void describe_pool(hsa_evt_data_t *data, hsa_amd_memory_pool_t pool)
{
    pool_info_t info = (pool_info_t)(uintptr_t)hsa_function("hsa_amd_memory_pool_get_info");
    if (!info) return;
    asking = true;
    info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &data->allocate.segment);
    info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &data->allocate.global_flag);
    asking = false;
}

static void describe_region(hsa_evt_data_t *data, hsa_region_t region)
{
    region_info_t info = (region_info_t)(uintptr_t)hsa_function("hsa_region_get_info");
    if (!info) return;
    asking = true;
    info(region, HSA_REGION_INFO_SEGMENT, &data->allocate.segment);
    info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &data->allocate.global_flag);
    asking = false;
}

static uint32_t node_of(hsa_agent_t agent)
{
    uint32_t node = NODES;
    agent_info_t info = (agent_info_t)(uintptr_t)hsa_function("hsa_agent_get_info");
    if (!info) return node;
    asking = true;
    info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, &node);
    asking = false;
    return node;
}

/* ---- reporting events ---- */

/* Returns whether a callback is set for the event; only then data is gathered. */
static bool wanted(uint32_t id)
{
    return rtr_hook(rtr_operation(ACTIVITY_DOMAIN_HSA_EVT, id));
}

static void tell(uint32_t id, const hsa_evt_data_t *data)
{
    const rtr_hook_t *hook = rtr_hook(rtr_operation(ACTIVITY_DOMAIN_HSA_EVT, id));
    if (hook) hook->callback(ACTIVITY_DOMAIN_HSA_EVT, id, data, hook->arg);
}

static void tell_release(const void *ptr)
{
    hsa_evt_data_t data = {.allocate = {.ptr = ptr}};
    if (ptr) tell(HSA_EVT_ID_ALLOCATE, &data);
}

static void tell_copy(const void *dst, const void *src, size_t size)
{
    hsa_evt_data_t data = {.memcopy = {dst, src, size}};
    tell(HSA_EVT_ID_MEMCOPY, &data);
}

static void tell_access(uint32_t count, const hsa_agent_t *agents, const void *ptr)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = node_of(agents[i]);
        if (node >= NODES) continue;
        hsa_evt_data_t data = {.device = {nodes[node].type, nodes[node].index, agents[i], ptr}};
        tell(HSA_EVT_ID_DEVICE, &data);
    }
}

/* Reports a call before it is made: what it frees or is about to do. */
static void begins_core(int32_t operation, const rocprofiler_hsa_api_args_t *args)
{
    if (operation == ROCPROFILER_HSA_CORE_API_ID_hsa_memory_free)
        tell_release(args->hsa_memory_free.ptr);
    else if (operation == ROCPROFILER_HSA_CORE_API_ID_hsa_memory_copy)
        tell_copy(args->hsa_memory_copy.dst, args->hsa_memory_copy.src, args->hsa_memory_copy.size);
}

static void begins_ext(int32_t operation, const rocprofiler_hsa_api_args_t *args)
{
    switch (operation) {
    case ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_pool_free:
        tell_release(args->hsa_amd_memory_pool_free.ptr);
        break;
    case ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_async_copy:
        tell_copy(args->hsa_amd_memory_async_copy.dst, args->hsa_amd_memory_async_copy.src,
                  args->hsa_amd_memory_async_copy.size);
        break;
    case ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_async_copy_on_engine:
        tell_copy(args->hsa_amd_memory_async_copy_on_engine.dst,
                  args->hsa_amd_memory_async_copy_on_engine.src,
                  args->hsa_amd_memory_async_copy_on_engine.size);
        break;
    case ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_async_copy_rect: {
        __typeof__(args->hsa_amd_memory_async_copy_rect) const *copy =
            &args->hsa_amd_memory_async_copy_rect;
        if (copy->dst && copy->src && copy->range)
            tell_copy(copy->dst->base, copy->src->base,
                      (size_t)copy->range->x * copy->range->y * copy->range->z);
        break;
    }
    }
}

/* Reports a call that has succeeded: what it has made. */
static void done_core(int32_t operation, const rocprofiler_hsa_api_args_t *args)
{
    if (operation != ROCPROFILER_HSA_CORE_API_ID_hsa_memory_allocate ||
        !wanted(HSA_EVT_ID_ALLOCATE))
        return;
    hsa_evt_data_t data = {.allocate = {.ptr = *args->hsa_memory_allocate.ptr,
                                        .size = args->hsa_memory_allocate.size}};
    describe_region(&data, args->hsa_memory_allocate.region);
    tell(HSA_EVT_ID_ALLOCATE, &data);
}

static void done_ext(int32_t operation, const rocprofiler_hsa_api_args_t *args)
{
    if (operation == ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_pool_allocate &&
        wanted(HSA_EVT_ID_ALLOCATE)) {
        hsa_evt_data_t data = {.allocate = {.ptr = *args->hsa_amd_memory_pool_allocate.ptr,
                                            .size = args->hsa_amd_memory_pool_allocate.size}};
        describe_pool(&data, args->hsa_amd_memory_pool_allocate.memory_pool);
        tell(HSA_EVT_ID_ALLOCATE, &data);
    } else if (operation == ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_agents_allow_access &&
               wanted(HSA_EVT_ID_DEVICE)) {
        tell_access(args->hsa_amd_agents_allow_access.num_agents,
                    args->hsa_amd_agents_allow_access.agents,
                    args->hsa_amd_agents_allow_access.ptr);
    }
}

void rtr_events_call(const rocprofiler_callback_tracing_record_t *record)
{
    const rocprofiler_callback_tracing_hsa_api_data_t *call = record->payload;
    bool core = record->kind == ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API;
    bool ext = record->kind == ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API;
    bool begins = record->phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    if ((!core && !ext) || (!begins && call->retval.hsa_status_t_retval != HSA_STATUS_SUCCESS))
        return;
    if (begins)
        (core ? begins_core : begins_ext)(record->operation, &call->args);
    else
        (core ? done_core : done_ext)(record->operation, &call->args);
}

/* Reports HSA_EVT_ID_SUBMIT, without the packet, which the SDK does not pass to tools. */
void rtr_on_submit(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
                   void *unused)
{
    (void)user_data, (void)unused;
    const rocprofiler_callback_tracing_kernel_dispatch_data_t *dispatch = record.payload;
    if (record.operation != ROCPROFILER_KERNEL_DISPATCH_ENQUEUE ||
        record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER)
        return;
    hsa_evt_data_t data = {
        .submit = {.kernel_name = rtr_kernel_name(dispatch->dispatch_info.kernel_id),
                   .device_type = HSA_DEVICE_TYPE_GPU}};
    for (unsigned i = 0; i < NODES; i++)
        if (nodes[i].agent == dispatch->dispatch_info.agent_id.handle)
            data.submit.device_id = nodes[i].index;
    tell(HSA_EVT_ID_SUBMIT, &data);
}

/* ---- code objects and kernels ---- */

void rtr_events_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel,
    bool unload)
{
    hsa_evt_data_t data = {.ksymbol = {.object = kernel->kernel_object,
                                       .name = kernel->kernel_name,
                                       .name_length = (uint32_t)strlen(kernel->kernel_name),
                                       .unload = unload}};
    tell(HSA_EVT_ID_KSYMBOL, &data);
}

void rtr_events_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object,
                            bool unload)
{
    bool file = object->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE;
    hsa_evt_data_t data = {.codeobj = {.storage_type = (uint32_t)object->storage_type,
                                       .storage_file = file ? object->storage_file : -1,
                                       .memory_base = file ? 0 : object->memory_base,
                                       .memory_size = file ? 0 : object->memory_size,
                                       .load_base = object->load_base,
                                       .load_size = object->load_size,
                                       .load_delta = (uint64_t)object->load_delta,
                                       .uri_length = (uint32_t)strlen(object->uri),
                                       .uri = object->uri,
                                       .unload = unload}};
    tell(HSA_EVT_ID_CODEOBJ, &data);
    hsa_evt_data_t memory = {.allocate = {.ptr = (const void *)(uintptr_t)object->load_base,
                                          .size = unload ? 0 : object->load_size,
                                          .segment = HSA_AMD_SEGMENT_GLOBAL,
                                          .is_code = 1}};
    tell(HSA_EVT_ID_ALLOCATE, &memory);
}
