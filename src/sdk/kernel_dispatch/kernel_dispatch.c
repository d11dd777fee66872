/* kernel_dispatch.c - kernel dispatches as callbacks (ENQUEUE, COMPLETE) and buffer records, and
 * those that are counted (sdk/counters).
 *
 * A client of src/hsa/queues.c. Everything but the completion runs on the thread that launches, so
 * begin() is the hot path of the GPU services: no lock, no allocation, one shared counter. */
#include "hsa/kernel_map.h"
#include "hsa/queues.h"
#include "sdk/agent/agent.h"
#include "sdk/core/service.h"
#include "sdk/counters/service.h"
#include "sdk/gpu/gpu.h"

#include <stdatomic.h>

typedef struct {
    rocprofiler_callback_tracing_kernel_dispatch_data_t data;
    sdk_operation_t complete, enqueue;
    sdk_reference_t *reference;
    struct sdk_block *counted; /* NULL: it is not */
} dispatch_t;

static atomic_uint_fast64_t last_dispatch_id;

static const sdk_plan_t *plan(int32_t operation)
{
    return sdk_plan(SDK_DOMAIN_KERNEL_DISPATCH, operation);
}

static bool wanted(void)
{
    return plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE) ||
           plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE) || sdk_counting_dispatches();
}

/* Kernels that run at the same time would be counted together. */
static bool serial(void)
{
    return sdk_counting_dispatches();
}

static void fill(dispatch_t *d, hsa_agent_t agent, uint64_t queue,
                 const hsa_kernel_dispatch_packet_t *packet)
{
    d->data = (rocprofiler_callback_tracing_kernel_dispatch_data_t){
        .size = sizeof d->data,
        .dispatch_info =
            {
                .size = sizeof d->data.dispatch_info,
                .agent_id = sdk_agent_of_hsa(agent),
                .queue_id = {queue},
                .kernel_id = hsax_kernel_id(packet->kernel_object),
                .dispatch_id = atomic_fetch_add(&last_dispatch_id, 1) + 1,
                .private_segment_size = packet->private_segment_size,
                .group_segment_size = packet->group_segment_size,
                .workgroup_size = {packet->workgroup_size_x, packet->workgroup_size_y,
                                   packet->workgroup_size_z},
                .grid_size = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z},
            },
    };
}

/* Counted, and followed by nobody: true if the tool wants it. */
static bool begin_counted(dispatch_t *d, const struct sdk_dispatch_service *counting,
                          hsax_item_t *item)
{
    sdk_operation_begin(&d->complete, &sdk_counting_plan);
    d->counted = sdk_counting_begin(counting, item, &d->data.dispatch_info, &d->complete);
    if (d->counted) d->reference = sdk_retirement_hold(&d->complete);
    d->complete.plan = d->enqueue.plan = NULL;
    return d->counted;
}

static bool begin(hsax_item_t *item, uint64_t queue, const hsa_kernel_dispatch_packet_t *packet)
{
    const struct sdk_dispatch_service *counting = item->special ? sdk_counting_dispatches() : NULL;
    const sdk_plan_t *enqueue = plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
    const sdk_plan_t *complete = plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
    if (enqueue && !enqueue->callback_count) enqueue = NULL; /* buffers get COMPLETE only */
    if (!enqueue && !complete && !counting) return false;
    dispatch_t *d = (dispatch_t *)item->client;
    fill(d, hsax_lane_agent(item->lane), queue, packet);
    d->counted = NULL;
    if (!enqueue && !complete) return begin_counted(d, counting, item);
    if (!enqueue) {
        d->enqueue.plan = NULL;
        sdk_operation_begin(&d->complete, complete);
        d->reference = sdk_retirement_hold(&d->complete);
        if (counting)
            d->counted = sdk_counting_begin(counting, item, &d->data.dispatch_info, &d->complete);
        return true;
    }
    sdk_operation_begin(&d->enqueue, enqueue);
    d->reference = sdk_retirement_hold(&d->enqueue);
    if (enqueue->callback_count)
        sdk_operation_callback(&d->enqueue, ROCPROFILER_CALLBACK_PHASE_ENTER, &d->data);
    if (counting)
        d->counted = sdk_counting_begin(counting, item, &d->data.dispatch_info, &d->enqueue);
    d->complete.plan = NULL;
    return true;
}

static void submitted(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (!d->enqueue.plan) return;
    if (d->enqueue.plan->callback_count)
        sdk_operation_callback(&d->enqueue, ROCPROFILER_CALLBACK_PHASE_EXIT, &d->data);
    const sdk_plan_t *complete = plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
    if (complete) sdk_operation_follow(&d->complete, complete, &d->enqueue);
}

static void record(dispatch_t *d)
{
    rocprofiler_buffer_tracing_kernel_dispatch_record_t r = {
        .size = sizeof r,
        .operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
        .correlation_id = {.internal = d->complete.internal},
        .thread_id = d->complete.thread_id,
        .start_timestamp = d->data.start_timestamp,
        .end_timestamp = d->data.end_timestamp,
        .dispatch_info = d->data.dispatch_info,
    };
    sdk_operation_record(&d->complete, &r, sizeof r, &r.correlation_id.external);
}

static void complete(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    const sdk_plan_t *p = d->complete.plan;
    d->data.start_timestamp = item->start_ns;
    d->data.end_timestamp = item->end_ns < item->start_ns ? item->start_ns : item->end_ns;
    if (d->counted)
        sdk_counting_complete(d->counted, d->data.start_timestamp, d->data.end_timestamp);
    if (!p) goto out;
    if (p->callback_count)
        sdk_operation_callback(&d->complete, ROCPROFILER_CALLBACK_PHASE_NONE, &d->data);
    if (p->buffer_count) record(d);
out:
    sdk_retirement_release(d->reference, d->data.end_timestamp);
}

/* Counted by the collector. */
static void lost(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (d->counted) sdk_counting_lost(d->counted);
    sdk_retirement_release(d->reference, 0);
}

void sdk_kernel_dispatch_hook(const hsax_api_table_t *table)
{
    static const hsax_dispatch_client_t clients[] = {
        {sizeof(dispatch_t), wanted, begin, submitted, complete, lost, NULL, false, true},
        {sizeof(dispatch_t), wanted, begin, submitted, complete, lost, serial, false, true},
    };
    hsax_queues_hook(table, &clients[sdk_counting_dispatches_configured()]);
}
