/* kernel_dispatch.c - kernel dispatches as callbacks (ENQUEUE, COMPLETE) and buffer records. It
 * also calls the probes of services that measure dispatches, and passes barriers to the service
 * that follows them (gpu/dispatch.h).
 *
 * It is a client of src/hsa/queues.c. Everything but the completion runs on the thread that
 * launches, so begin() is the hot path of the GPU services: no lock, no allocation, one shared
 * counter. */
#include "hsa/kernel_map.h"
#include "hsa/queues.h"
#include "sdk/agent/agent.h"
#include "sdk/core/services.h"
#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <stdatomic.h>
#include <string.h>

typedef struct {
    sdk_dispatch_t measured; /* the part of it that probes get */
    sdk_operation_t complete, enqueue;
    bool has_probes; /* at least one probe measures it */
    void *barrier;   /* the item is this barrier packet; NULL: a dispatch */
} dispatch_t;

static atomic_uint_fast64_t last_dispatch_id;

static const sdk_plan_t *plan(int32_t operation)
{
    return sdk_plan(SDK_DOMAIN_KERNEL_DISPATCH, operation);
}

static bool wanted(void)
{
    return plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE) ||
           plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE) || sdk_probes_running() || sdk_launch ||
           (sdk_barriers && sdk_domain_followed(sdk_barriers->domain));
}

static void fill(sdk_dispatch_t *d, const hsa_kernel_dispatch_packet_t *packet)
{
    d->data = (rocprofiler_callback_tracing_kernel_dispatch_data_t){
        .size = sizeof d->data,
        .dispatch_info =
            {
                .size = sizeof d->data.dispatch_info,
                .agent_id = sdk_agent_of_hsa(hsax_lane_agent(d->item->lane)),
                .queue_id = {d->queue},
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

/* For a dispatch that no context follows: returns true if a tool wants it to be measured. */
static bool begin_measured(dispatch_t *d, void *const services[SDK_PROBES])
{
    sdk_operation_begin(&d->complete, &sdk_measured_plan);
    const bool wants = sdk_probes_begin(services, &d->measured, &d->complete);
    if (wants) d->measured.reference = sdk_retirement_hold(&d->complete);
    d->complete.plan = d->enqueue.plan = NULL;
    return wants;
}

/* Passes a dispatch to the services that only observe it: counts it in the launch that it belongs
 * to, and notes the signal that it will complete. */
static inline void show(const hsax_item_t *item, const hsa_kernel_dispatch_packet_t *packet)
{
    if (sdk_launch && !sdk_launch->kernels++)
        sdk_launch->agent = sdk_agent_of_hsa(hsax_lane_agent(item->lane));
    if (sdk_signal_awaited(packet->completion_signal))
        sdk_barriers->signal_used(packet->completion_signal);
}

static bool begin(hsax_item_t *item, uint64_t queue, const hsa_kernel_dispatch_packet_t *packet)
{
    void *services[SDK_PROBES];
    const bool probes = sdk_probes_running() && sdk_probes_choose(item, services);
    const sdk_plan_t *enqueue = plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
    const sdk_plan_t *complete = plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
    if (enqueue && !enqueue->callback_count) enqueue = NULL; /* buffers get only COMPLETE */
    show(item, packet);
    if (!enqueue && !complete && !probes) return false;
    dispatch_t *d = (dispatch_t *)item->client;
    d->barrier = NULL;
    d->has_probes = probes;
    d->measured.item = item;
    d->measured.queue = queue;
    fill(&d->measured, packet);
    if (probes) memset(d->measured.held, 0, sizeof d->measured.held);
    if (!enqueue && !complete) return begin_measured(d, services);
    sdk_operation_t *first = enqueue ? &d->enqueue : &d->complete;
    if (!enqueue) d->enqueue.plan = NULL;
    sdk_operation_begin(first, enqueue ? enqueue : complete);
    d->measured.reference = sdk_retirement_hold(first);
    if (enqueue) sdk_operation_callback(first, ROCPROFILER_CALLBACK_PHASE_ENTER, &d->measured.data);
    if (probes) sdk_probes_begin(services, &d->measured, first);
    if (enqueue) d->complete.plan = NULL;
    return true;
}

/* Begins a barrier packet, which is only followed for the service of barriers. */
static bool begin_barrier(hsax_item_t *item, uint64_t queue, const void *packet)
{
    dispatch_t *d = (dispatch_t *)item->client;
    d->barrier = sdk_barriers->begin(packet, sdk_agent_of_hsa(hsax_lane_agent(item->lane)), queue);
    return d->barrier;
}

static void submitted(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (d->barrier) {
        sdk_barriers->submitted(d->barrier);
        return;
    }
    if (!d->enqueue.plan) return;
    if (d->enqueue.plan->callback_count)
        sdk_operation_callback(&d->enqueue, ROCPROFILER_CALLBACK_PHASE_EXIT, &d->measured.data);
    const sdk_plan_t *complete = plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
    if (complete) sdk_operation_follow(&d->complete, complete, &d->enqueue);
}

static void record(dispatch_t *d)
{
    const rocprofiler_callback_tracing_kernel_dispatch_data_t *data = &d->measured.data;
    rocprofiler_buffer_tracing_kernel_dispatch_record_t r = {
        .size = sizeof r,
        .operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
        .correlation_id = {.internal = d->complete.internal},
        .thread_id = d->complete.thread_id,
        .start_timestamp = data->start_timestamp,
        .end_timestamp = data->end_timestamp,
        .dispatch_info = data->dispatch_info,
    };
    sdk_operation_record(&d->complete, &r, sizeof r, &r.correlation_id.external);
}

static void complete(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    sdk_dispatch_t *m = &d->measured;
    const sdk_plan_t *p = d->complete.plan;
    if (d->barrier) {
        sdk_barriers->complete(d->barrier, item->start_ns, item->end_ns);
        return;
    }
    m->data.start_timestamp = item->start_ns;
    m->data.end_timestamp = item->end_ns < item->start_ns ? item->start_ns : item->end_ns;
    if (d->has_probes) sdk_probes_complete(m);
    if (p && p->callback_count)
        sdk_operation_callback(&d->complete, ROCPROFILER_CALLBACK_PHASE_NONE, &m->data);
    if (p && p->buffer_count) record(d);
    if (d->has_probes) sdk_probes_over(m);
    sdk_retirement_release(m->reference, m->data.end_timestamp);
}

/* Called if the completion will never be seen; the collector counts such items. */
static void lost(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (d->barrier) {
        sdk_barriers->lost(d->barrier);
        return;
    }
    if (d->has_probes) sdk_probes_lost(&d->measured);
    sdk_retirement_release(d->measured.reference, 0);
}

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_KERNEL_DISPATCH) ? SDK_GPU_DISPATCHES : 0;
}

static void hook(const hsax_api_table_t *table, unsigned all_needs)
{
    static hsax_dispatch_client_t client = {.client_size = sizeof(dispatch_t),
                                            .wanted = wanted,
                                            .begin = begin,
                                            .begin_barrier = begin_barrier,
                                            .submitted = submitted,
                                            .complete = complete,
                                            .lost = lost,
                                            .told_first = true};
    const sdk_probe_t *marks = sdk_probes[SDK_PROBE_MARK];
    client.barrier_wanted = sdk_barriers ? sdk_barriers->wants : NULL;
    client.placed = marks ? marks->placed : NULL;
    client.serial = all_needs & SDK_GPU_TURNS ? sdk_probes_wrap : NULL;
    client.begin_waits = all_needs & SDK_GPU_WAITS;
    hsax_queues_hook(table, &client);
}

SDK_SERVICE(kernel_dispatch) = {
    .gpu = &(const sdk_gpu_part_t){.needs = needs, .serves = SDK_GPU_DISPATCHES, .hook = hook}};
