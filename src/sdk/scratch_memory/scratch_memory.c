/* scratch_memory.c - scratch memory that the HSA runtime gives to queues, as callbacks (ENTER,
 * EXIT) and buffer records.
 *
 * The runtime reports it through its table for tools: a start and an end, on one thread. Runtimes
 * without that table (ROCr 5) report nothing, and nothing is recorded. */
#include "hsa/agents.h"
#include "hsa/queues.h"
#include "sdk/agent/agent.h"
#include "sdk/core/services.h"
#include "sdk/gpu/gpu.h"

#include <rocprofiler-sdk/hsa/scratch_memory_args.h>

#include <stddef.h>
#include <stdlib.h>

/* An event of hsa_amd_tool.h; some kinds of events are shorter and end after the flags. */
typedef struct {
    hsa_amd_tool_event_kind_t kind;
    const hsa_queue_t *queue;
    uint32_t flags;
    uint64_t dispatch_id;   /* valid only if memory is allocated */
    size_t size, num_slots; /* valid only at the end of an allocation */
} event_t;
_Static_assert(offsetof(event_t, dispatch_id) == 24 && offsetof(event_t, num_slots) == 40,
               "scratch events");

/* An event of this thread that has started and not ended. Events may be nested: a runtime that is
 * short of scratch memory first takes some back from other queues. */
typedef struct scratch {
    struct scratch *outer;
    rocprofiler_callback_tracing_scratch_memory_data_t data;
    sdk_operation_t operation;
    sdk_reference_t *reference;
    uint64_t begin;
} scratch_t;

static _Thread_local scratch_t *innermost __attribute__((tls_model("initial-exec")));

/* Returns the only GPU; handle 0 if there are several. */
static rocprofiler_agent_id_t only_gpu(void)
{
    rocprofiler_agent_id_t found = {.handle = 0};
    for (unsigned i = 0; i < hsax_agent_count(); i++) {
        if (!hsax_agent_at(i)->gpu) continue;
        if (found.handle) return (rocprofiler_agent_id_t){.handle = 0};
        found = sdk_agent_of_hsa(hsax_agent_at(i)->agent);
    }
    return found;
}

static void set_queue(scratch_t *s, const hsa_queue_t *queue)
{
    hsa_agent_t agent;
    if (!queue) return;
    if (hsax_queue_find(queue, &s->data.queue_id.handle, &agent)) {
        s->data.agent_id = sdk_agent_of_hsa(agent);
    } else {
        s->data.queue_id.handle = queue->id;
        s->data.agent_id = only_gpu();
    }
}

static void start(const event_t *event, rocprofiler_scratch_memory_operation_t operation)
{
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_SCRATCH_MEMORY, (int32_t)operation);
    if (!plan) return;
    scratch_t *s = calloc(1, sizeof *s);
    if (!s) {
        sdk_operation_lost(plan);
        return;
    }
    s->data.size = sizeof s->data;
    s->data.flags = (rocprofiler_scratch_alloc_flag_t)event->flags;
    s->data.args_kind = event->kind;
    set_queue(s, event->queue);
    if (operation == ROCPROFILER_SCRATCH_MEMORY_ALLOC)
        s->data.args.alloc_start.dispatch_id = event->dispatch_id;
    sdk_operation_begin(&s->operation, plan);
    s->reference = sdk_retirement_hold(&s->operation);
    sdk_operation_callback(&s->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &s->data);
    s->begin = sdk_now();
    s->outer = innermost;
    innermost = s;
}

static void end(const event_t *event, rocprofiler_scratch_memory_operation_t operation)
{
    scratch_t *s = innermost;
    if (!s || s->operation.plan->operation != (int32_t)operation) return;
    innermost = s->outer;
    uint64_t now = sdk_now();
    uint64_t size = 0;
    s->data.args_kind = event->kind;
    s->data.flags = (rocprofiler_scratch_alloc_flag_t)event->flags;
    if (operation == ROCPROFILER_SCRATCH_MEMORY_ALLOC) {
        s->data.args.alloc_end.dispatch_id = event->dispatch_id;
        s->data.args.alloc_end.size = size = event->size;
        s->data.args.alloc_end.num_slots = event->num_slots;
    }
    sdk_operation_callback(&s->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &s->data);
    rocprofiler_buffer_tracing_scratch_memory_record_t record = {
        .size = sizeof record,
        .operation = operation,
        .correlation_id = {.internal = s->operation.internal, .ancestor = s->operation.ancestor},
        .agent_id = s->data.agent_id,
        .queue_id = s->data.queue_id,
        .thread_id = s->operation.thread_id,
        .start_timestamp = s->begin,
        .end_timestamp = now,
        .flags = s->data.flags,
        .allocation_size = size,
    };
    sdk_operation_record(&s->operation, &record, sizeof record, &record.correlation_id.external);
    sdk_retirement_release(s->reference, now);
    free(s);
}

/* ---- Hooks: the runtime passes a pointer to the event ---- */

#define EVENT(function, handler, name)                                                             \
    static hsa_status_t function(hsax_handle_t event)                                              \
    {                                                                                              \
        const void *at = (const void *)(uintptr_t)event.handle;                                    \
        if (at) handler(at, ROCPROFILER_SCRATCH_MEMORY_##name);                                    \
        return HSA_STATUS_SUCCESS;                                                                 \
    }
EVENT(alloc_start, start, ALLOC)
EVENT(alloc_end, end, ALLOC)
EVENT(free_start, start, FREE)
EVENT(free_end, end, FREE)
EVENT(async_reclaim_start, start, ASYNC_RECLAIM)
EVENT(async_reclaim_end, end, ASYNC_RECLAIM)

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_SCRATCH_MEMORY) ? SDK_GPU_SCRATCH : 0;
}

static void hook(const hsax_api_table_t *table, unsigned all_needs)
{
    (void)all_needs;
    if (table->version.minor_id < offsetof(hsax_api_table_t, tools) + sizeof table->tools ||
        !table->tools || table->tools->version.minor_id < sizeof *table->tools)
        return;
    table->tools->hsa_amd_tool_scratch_event_alloc_start_fn = alloc_start;
    table->tools->hsa_amd_tool_scratch_event_alloc_end_fn = alloc_end;
    table->tools->hsa_amd_tool_scratch_event_free_start_fn = free_start;
    table->tools->hsa_amd_tool_scratch_event_free_end_fn = free_end;
    table->tools->hsa_amd_tool_scratch_event_async_reclaim_start_fn = async_reclaim_start;
    table->tools->hsa_amd_tool_scratch_event_async_reclaim_end_fn = async_reclaim_end;
}

SDK_SERVICE(scratch_memory) = {
    .gpu = &(const sdk_gpu_part_t){.needs = needs, .serves = SDK_GPU_SCRATCH, .hook = hook}};
