/* hsa_callbacks.c - calls the tool for allocations, copies, submissions and code objects.
 *
 * Hooks run on the program's thread; a callback that is not set costs one load. */
#include "v1/v1.h"

#include "hsa/agents.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rocprofiler_hsa_callbacks_t functions;
    void *arg;
} set_t;

/* replaced sets are not freed, since a thread may still read one */
static _Atomic(const set_t *) current;

hsa_status_t rocprofiler_set_hsa_callbacks(const rocprofiler_hsa_callbacks_t callbacks, void *arg)
{
    set_t *fresh = malloc(sizeof *fresh);
    if (!fresh) return v1_no_memory("rocprofiler_set_hsa_callbacks: no memory");
    if (!v1_hooked()) v1_ask_for_table(&v1_wants_hsa);
    *fresh = (set_t){callbacks, arg};
    atomic_store(&current, fresh);
    return HSA_STATUS_SUCCESS;
}

#define REPORT(id, member, ...)                                                                    \
    do {                                                                                           \
        const set_t *set_ = atomic_load_explicit(&current, memory_order_acquire);                  \
        if (set_ && set_->functions.member && !hsax_forked()) {                                    \
            rocprofiler_hsa_callback_data_t data_;                                                 \
            memset(&data_, 0, sizeof data_);                                                       \
            __VA_ARGS__;                                                                           \
            set_->functions.member(id, &data_, set_->arg);                                         \
        }                                                                                          \
    } while (0)

/* ---- code objects, kernels, submissions ---- */

void v1_report_code_object(const hsax_code_object_t *o, bool unload)
{
    if (!v1_settings.code_obj_tracking) return;
    REPORT(ROCPROFILER_HSA_CB_ID_CODEOBJ, codeobj, {
        data_.codeobj.storage_type = o->storage;
        data_.codeobj.storage_file = o->file;
        data_.codeobj.memory_base = o->memory_base;
        data_.codeobj.memory_size = o->memory_size;
        data_.codeobj.load_base = o->load_base;
        data_.codeobj.load_size = o->load_size;
        data_.codeobj.load_delta = (uint64_t)o->load_delta;
        data_.codeobj.uri_length = (uint32_t)strlen(o->uri);
        data_.codeobj.uri = (char *)(uintptr_t)o->uri;
        data_.codeobj.unload = unload;
    });
    if (!unload)
        REPORT(ROCPROFILER_HSA_CB_ID_ALLOCATE, allocate, {
            data_.allocate.ptr = (const void *)(uintptr_t)o->load_base;
            data_.allocate.size = o->load_size;
            data_.allocate.segment = HSA_AMD_SEGMENT_GLOBAL;
            data_.allocate.is_code = 1;
        });
}

void v1_report_kernel(const hsax_kernel_t *kernel, bool unload)
{
    if (!v1_settings.code_obj_tracking) return;
    REPORT(ROCPROFILER_HSA_CB_ID_KSYMBOL, ksymbol, {
        data_.ksymbol.object = kernel->object;
        data_.ksymbol.name = kernel->name;
        data_.ksymbol.name_length = (uint32_t)strlen(kernel->name);
        data_.ksymbol.unload = unload;
    });
}

void v1_report_submit(const hsa_queue_t *queue, const v1_agent_t *agent, const void *packet,
                      const char *kernel_name)
{
    if (!v1_settings.hsa_intercepting || !agent) return;
    REPORT(ROCPROFILER_HSA_CB_ID_SUBMIT, submit, {
        data_.submit.packet = packet;
        data_.submit.kernel_name = kernel_name;
        data_.submit.queue = (hsa_queue_t *)(uintptr_t)queue;
        data_.submit.device_type = HSA_DEVICE_TYPE_GPU;
        data_.submit.device_id = agent->index;
    });
}

/* ---- memory and copies ---- */

static __typeof__(hsax.amd_ext) next; /* the table before these hooks */

static hsa_status_t allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void **ptr)
{
    hsa_status_t status = next.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
    if (status == HSA_STATUS_SUCCESS)
        REPORT(ROCPROFILER_HSA_CB_ID_ALLOCATE, allocate, {
            data_.allocate.ptr = *ptr;
            data_.allocate.size = size;
            hsax.amd_ext.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                                         &data_.allocate.segment);
            hsax.amd_ext.hsa_amd_memory_pool_get_info_fn(
                pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &data_.allocate.global_flag);
        });
    return status;
}

static hsa_status_t release(void *ptr)
{
    REPORT(ROCPROFILER_HSA_CB_ID_ALLOCATE, allocate, { data_.allocate.ptr = ptr; });
    return next.hsa_amd_memory_pool_free_fn(ptr);
}

static hsa_status_t allow_access(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
                                 const void *ptr)
{
    hsa_status_t status = next.hsa_amd_agents_allow_access_fn(count, agents, flags, ptr);
    for (uint32_t i = 0; i < count && status == HSA_STATUS_SUCCESS; i++) {
        const v1_agent_t *agent = v1_agent_find(agents[i]);
        if (!agent) continue;
        REPORT(ROCPROFILER_HSA_CB_ID_DEVICE, device, {
            data_.device.type = agent->gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
            data_.device.id = agent->index;
            data_.device.agent = agent->hsa;
            data_.device.ptr = ptr;
        });
    }
    return status;
}

static void report_copy(const void *dst, const void *src, size_t size)
{
    REPORT(ROCPROFILER_HSA_CB_ID_MEMCOPY, memcopy, {
        data_.memcopy.dst = dst;
        data_.memcopy.src = src;
        data_.memcopy.size = size;
    });
}

static hsa_status_t copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
                         size_t size, uint32_t count, const hsa_signal_t *dependencies,
                         hsa_signal_t completion)
{
    report_copy(dst, src, size);
    return next.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent, size, count,
                                             dependencies, completion);
}

/* HIP of ROCm 6 copies by this function. */
static hsa_status_t copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
                                   hsa_agent_t src_agent, size_t size, uint32_t count,
                                   const hsa_signal_t *dependencies, hsa_signal_t completion,
                                   int engine, bool force)
{
    report_copy(dst, src, size);
    return next.hsa_amd_memory_async_copy_on_engine_fn(dst, dst_agent, src, src_agent, size, count,
                                                       dependencies, completion, engine, force);
}

static hsa_status_t copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
                              const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
                              const hsa_dim3_t *range, hsa_agent_t agent,
                              hsa_amd_copy_direction_t direction, uint32_t count,
                              const hsa_signal_t *dependencies, hsa_signal_t completion)
{
    if (dst && src && range)
        report_copy(dst->base, src->base, (size_t)range->x * range->y * range->z);
    return next.hsa_amd_memory_async_copy_rect_fn(dst, dst_offset, src, src_offset, range, agent,
                                                  direction, count, dependencies, completion);
}

void v1_hsa_callbacks_hook(const hsax_api_table_t *table)
{
    next = hsax.amd_ext;
    if (v1_settings.hsa_intercepting) {
        HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_pool_allocate, allocate);
        HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_pool_free, release);
        HSAX_HOOK_AMD_EXT(table, hsa_amd_agents_allow_access, allow_access);
    }
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy, copy);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy_on_engine, copy_on_engine);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy_rect, copy_rect);
}
