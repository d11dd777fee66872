/* memory_copy.c - asynchronous copies as callbacks (ENTER at the call, EXIT when the data has
 * arrived) and buffer records.
 *
 * It is a client of src/hsa/copies.c. The direction follows from the types of the two agents. */
#include "hsa/copies.h"
#include "sdk/agent/agent.h"
#include "sdk/core/services.h"
#include "sdk/gpu/gpu.h"

typedef struct {
    rocprofiler_callback_tracing_memory_copy_data_t data;
    sdk_operation_t operation;
    rocprofiler_memory_copy_operation_t direction;
    sdk_reference_t *reference;
} copy_t;

static bool wanted(void)
{
    return sdk_domain_followed(SDK_DOMAIN_MEMORY_COPY);
}

static rocprofiler_memory_copy_operation_t direction_of(const hsax_copy_t *copy)
{
    if (copy->src_gpu)
        return copy->dst_gpu ? ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE
                             : ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST;
    return copy->dst_gpu ? ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE
                         : ROCPROFILER_MEMORY_COPY_HOST_TO_HOST;
}

static bool begin(hsax_item_t *item, const hsax_copy_t *copy)
{
    copy_t *c = (copy_t *)item->client;
    c->direction = direction_of(copy);
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_MEMORY_COPY, (int32_t)c->direction);
    if (!plan) return false;
    c->data = (rocprofiler_callback_tracing_memory_copy_data_t){
        .size = sizeof c->data,
        .dst_agent_id = sdk_agent_of_hsa(copy->dst_agent),
        .src_agent_id = sdk_agent_of_hsa(copy->src_agent),
        .bytes = copy->bytes,
        .dst_address = {.ptr = copy->dst},
        .src_address = {.ptr = copy->src},
    };
    sdk_operation_begin(&c->operation, plan);
    c->reference = sdk_retirement_hold(&c->operation);
    if (plan->callback_count)
        sdk_operation_callback(&c->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &c->data);
    return true;
}

static void submitted(hsax_item_t *item)
{
    (void)item;
}

/* Called if the program's call has failed. Every ENTER is followed by an EXIT, in this case without
 * times. */
static void refused(hsax_item_t *item)
{
    copy_t *c = (copy_t *)item->client;
    if (c->operation.plan->callback_count)
        sdk_operation_callback(&c->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &c->data);
    sdk_retirement_release(c->reference, 0);
}

static void record(copy_t *c)
{
    rocprofiler_buffer_tracing_memory_copy_record_t r = {
        .size = sizeof r,
        .operation = c->direction,
        .correlation_id = {.internal = c->operation.internal},
        .thread_id = c->operation.thread_id,
        .start_timestamp = c->data.start_timestamp,
        .end_timestamp = c->data.end_timestamp,
        .dst_agent_id = c->data.dst_agent_id,
        .src_agent_id = c->data.src_agent_id,
        .bytes = c->data.bytes,
        .dst_address = c->data.dst_address,
        .src_address = c->data.src_address,
    };
    sdk_operation_record(&c->operation, &r, sizeof r, &r.correlation_id.external);
}

static void complete(hsax_item_t *item)
{
    copy_t *c = (copy_t *)item->client;
    c->data.start_timestamp = item->start_ns;
    c->data.end_timestamp = item->end_ns < item->start_ns ? item->start_ns : item->end_ns;
    if (c->operation.plan->callback_count)
        sdk_operation_callback(&c->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &c->data);
    if (c->operation.plan->buffer_count) record(c);
    sdk_retirement_release(c->reference, c->data.end_timestamp);
}

/* Called if the completion will never be seen; the collector counts such items. */
static void lost(hsax_item_t *item)
{
    sdk_retirement_release(((copy_t *)item->client)->reference, 0);
}

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_MEMORY_COPY) ? SDK_GPU_COPIES : 0;
}

static void hook(const hsax_api_table_t *table, unsigned all_needs)
{
    (void)all_needs;
    static const hsax_copy_client_t client = {sizeof(copy_t), wanted, begin,  submitted,
                                              complete,       lost,   refused};
    hsax_copies_hook(table, &client);
}

SDK_SERVICE(memory_copy) = {
    .gpu = &(const sdk_gpu_part_t){.needs = needs, .serves = SDK_GPU_COPIES, .hook = hook}};
