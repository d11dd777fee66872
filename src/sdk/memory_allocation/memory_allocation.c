/* memory_allocation.c - allocation and release of memory by HSA's functions, by the program or its
 * runtime, as callbacks (ENTER, EXIT) and buffer records.
 *
 * An allocation's agent is that of its region or pool; a release has neither agent nor size. The
 * wrappers are inside those of API tracing, so the correlation id is that of the traced call. */
#include "hsa/agents.h"
#include "sdk/agent/agent.h"
#include "sdk/core/services.h"
#include "sdk/gpu/gpu.h"

#include <string.h>

/* ---- The agent of a region or pool ---- */

enum { OWNERS_MAX = 1024 }; /* a machine has a few for each agent */

typedef struct {
    uint64_t handle;
    rocprofiler_agent_id_t agent;
} owner_t;

typedef struct {
    owner_t rows[OWNERS_MAX];
    _Atomic unsigned count;
    hsa_agent_t agent; /* set only while the list is made */
} owners_t;

static owners_t regions, pools;

static hsa_status_t add_owner(owners_t *owners, uint64_t handle)
{
    unsigned n = atomic_load_explicit(&owners->count, memory_order_relaxed);
    if (n == OWNERS_MAX) return HSA_STATUS_INFO_BREAK;
    owners->rows[n] = (owner_t){.handle = handle, .agent = sdk_agent_of_hsa(owners->agent)};
    atomic_store_explicit(&owners->count, n + 1, memory_order_release);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_region(hsa_region_t region, void *owners)
{
    return add_owner(owners, region.handle);
}

static hsa_status_t add_pool(hsa_amd_memory_pool_t pool, void *owners)
{
    return add_owner(owners, pool.handle);
}

/* The list is made at each start of the runtime, since handles differ. */
static void list_owners(void)
{
    atomic_store(&regions.count, 0);
    atomic_store(&pools.count, 0);
    for (unsigned i = 0; i < hsax_agent_count(); i++) {
        regions.agent = pools.agent = hsax_agent_at(i)->agent;
        if (hsax.core.hsa_agent_iterate_regions_fn)
            hsax.core.hsa_agent_iterate_regions_fn(regions.agent, add_region, &regions);
        if (hsax.amd_ext.hsa_amd_agent_iterate_memory_pools_fn)
            hsax.amd_ext.hsa_amd_agent_iterate_memory_pools_fn(pools.agent, add_pool, &pools);
    }
}

static rocprofiler_agent_id_t owner_of(const owners_t *owners, uint64_t handle)
{
    unsigned n = atomic_load_explicit(&owners->count, memory_order_acquire);
    for (unsigned i = 0; i < n; i++)
        if (owners->rows[i].handle == handle) return owners->rows[i].agent;
    return (rocprofiler_agent_id_t){.handle = 0};
}

/* ---- The operation around a call ---- */

typedef struct {
    rocprofiler_callback_tracing_memory_allocation_data_t data;
    sdk_operation_t operation;
    sdk_reference_t *reference;
} allocation_t;

static const sdk_plan_t *plan_of(rocprofiler_memory_allocation_operation_t operation)
{
    return sdk_plan(SDK_DOMAIN_MEMORY_ALLOCATION, (int32_t)operation);
}

static void begin(allocation_t *a, const sdk_plan_t *plan, rocprofiler_agent_id_t agent,
                  uint64_t address, size_t size)
{
    a->data = (rocprofiler_callback_tracing_memory_allocation_data_t){
        .size = sizeof a->data,
        .agent_id = agent,
        .address = {.value = address},
        .allocation_size = size,
    };
    sdk_operation_begin(&a->operation, plan);
    a->reference = sdk_retirement_hold(&a->operation);
    sdk_operation_callback(&a->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &a->data);
    a->data.start_timestamp = sdk_now();
}

static void end(allocation_t *a, uint64_t address)
{
    a->data.end_timestamp = sdk_now();
    a->data.address.value = address;
    sdk_operation_callback(&a->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &a->data);
    rocprofiler_buffer_tracing_memory_allocation_record_t record = {
        .size = sizeof record,
        .operation = a->operation.plan->operation,
        .correlation_id = {.internal = a->operation.internal, .ancestor = a->operation.ancestor},
        .thread_id = a->operation.thread_id,
        .start_timestamp = a->data.start_timestamp,
        .end_timestamp = a->data.end_timestamp,
        .agent_id = a->data.agent_id,
        .address = a->data.address,
        .allocation_size = a->data.allocation_size,
    };
    sdk_operation_record(&a->operation, &record, sizeof record, &record.correlation_id.external);
    sdk_retirement_release(a->reference, a->data.end_timestamp);
}

/* ---- Hooks ---- */

/* Returns the address that the call has stored; 0 if the call failed, because the variable may have
 * any value then. */
static uint64_t written(hsa_status_t status, const void *at)
{
    uint64_t value = 0;
    if (status == HSA_STATUS_SUCCESS && at) memcpy(&value, at, sizeof value);
    return value;
}

static hsa_status_t memory_allocate(hsa_region_t region, size_t size, void **ptr)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE);
    if (!plan) return hsax.core.hsa_memory_allocate_fn(region, size, ptr);
    allocation_t a;
    begin(&a, plan, owner_of(&regions, region.handle), 0, size);
    hsa_status_t status = hsax.core.hsa_memory_allocate_fn(region, size, ptr);
    end(&a, written(status, ptr));
    return status;
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                  void **ptr)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE);
    if (!plan) return hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
    allocation_t a;
    begin(&a, plan, owner_of(&pools, pool.handle), 0, size);
    hsa_status_t status = hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
    end(&a, written(status, ptr));
    return status;
}

static hsa_status_t handle_create(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                                  hsax_handle_t *handle)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE);
    if (!plan) return hsax.amd_ext.hsa_amd_vmem_handle_create_fn(pool, size, type, flags, handle);
    allocation_t a;
    begin(&a, plan, owner_of(&pools, pool.handle), 0, size);
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_vmem_handle_create_fn(pool, size, type, flags, handle);
    end(&a, written(status, handle));
    return status;
}

static const rocprofiler_agent_id_t no_agent = {.handle = 0};

static hsa_status_t memory_free(void *ptr)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_FREE);
    if (!plan) return hsax.core.hsa_memory_free_fn(ptr);
    allocation_t a;
    begin(&a, plan, no_agent, (uintptr_t)ptr, 0);
    hsa_status_t status = hsax.core.hsa_memory_free_fn(ptr);
    end(&a, (uintptr_t)ptr);
    return status;
}

static hsa_status_t pool_free(void *ptr)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_FREE);
    if (!plan) return hsax.amd_ext.hsa_amd_memory_pool_free_fn(ptr);
    allocation_t a;
    begin(&a, plan, no_agent, (uintptr_t)ptr, 0);
    hsa_status_t status = hsax.amd_ext.hsa_amd_memory_pool_free_fn(ptr);
    end(&a, (uintptr_t)ptr);
    return status;
}

static hsa_status_t handle_release(hsax_handle_t handle)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE);
    if (!plan) return hsax.amd_ext.hsa_amd_vmem_handle_release_fn(handle);
    allocation_t a;
    begin(&a, plan, no_agent, handle.handle, 0);
    hsa_status_t status = hsax.amd_ext.hsa_amd_vmem_handle_release_fn(handle);
    end(&a, handle.handle);
    return status;
}

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_MEMORY_ALLOCATION) ? SDK_GPU_ALLOCATIONS : 0;
}

static void hook(const hsax_api_table_t *table, unsigned all_needs)
{
    (void)all_needs;
    list_owners();
    HSAX_HOOK_CORE(table, hsa_memory_allocate, memory_allocate);
    HSAX_HOOK_CORE(table, hsa_memory_free, memory_free);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_pool_allocate, pool_allocate);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_pool_free, pool_free);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_vmem_handle_create, handle_create);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_vmem_handle_release, handle_release);
}

SDK_SERVICE(memory_allocation) = {
    .gpu = &(const sdk_gpu_part_t){.needs = needs, .serves = SDK_GPU_ALLOCATIONS, .hook = hook}};
