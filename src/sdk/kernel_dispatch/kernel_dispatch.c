/* kernel_dispatch.c - kernel dispatches as callbacks (ENQUEUE, COMPLETE) and buffer records. Also
 * counts, traces and samples dispatches for tools (sdk/counters, sdk/thread_trace,
 * sdk/pc_sampling).
 *
 * A client of src/hsa/queues.c. Everything but the completion runs on the thread that launches, so
 * begin() is the hot path of the GPU services: no lock, no allocation, one shared counter. */
#include "hsa/kernel_map.h"
#include "hsa/queues.h"
#include "sdk/agent/agent.h"
#include "sdk/core/service.h"
#include "sdk/counters/service.h"
#include "sdk/gpu/gpu.h"
#include "sdk/hip_event/hip_event.h"
#include "sdk/hip_graph/hip_graph.h"
#include "sdk/pc_sampling/sampling.h"
#include "sdk/thread_trace/trace.h"

#include <stdatomic.h>

typedef struct {
    rocprofiler_callback_tracing_kernel_dispatch_data_t data;
    sdk_operation_t complete, enqueue;
    sdk_reference_t *reference;
    struct sdk_block *counted; /* NULL: not counted */
    sdk_trace_block_t *traced; /* NULL: not traced */
    bool sampled;
    hsax_mark_t mark;       /* if it is sampled */
    sdk_barrier_t *barrier; /* the item is this barrier; NULL: a dispatch */
} dispatch_t;

static atomic_uint_fast64_t last_dispatch_id;

static const sdk_plan_t *plan(int32_t operation)
{
    return sdk_plan(SDK_DOMAIN_KERNEL_DISPATCH, operation);
}

static bool wanted(void)
{
    return plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE) ||
           plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE) || sdk_counting_dispatches() ||
           sdk_trace_dispatches() || sdk_pcs_running() || sdk_event_followed() ||
           sdk_graph_counts();
}

/* True if kernels must run one at a time, since counters and traces do not tell them apart. */
static bool serial(void)
{
    return sdk_counting_dispatches() || sdk_trace_dispatches();
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

/* What is wanted in addition to records: counters or a trace of the dispatch, samples of its
 * agent. */
typedef struct {
    const struct sdk_dispatch_service *counting;
    sdk_trace_service_t *tracing;
    sdk_pcs_session_t *sampling;
} measures_t;

/* Asks the tools of those services; true if one wants the dispatch. */
static bool measure(dispatch_t *d, const measures_t *m, hsax_item_t *item, uint64_t queue,
                    const sdk_operation_t *operation)
{
    const rocprofiler_kernel_dispatch_info_t *info = &d->data.dispatch_info;
    if (m->counting) d->counted = sdk_counting_begin(m->counting, item, info, operation);
    if (m->tracing) item->alone = m->tracing->serialize;
    if (m->tracing) d->traced = sdk_trace_begin(m->tracing, item, queue, info, operation);
    if (m->sampling) {
        d->sampled = true;
        d->mark = sdk_pcs_mark(m->sampling, info->dispatch_id, operation);
        item->special = true;
        item->mark = &d->mark;
    }
    return d->counted || d->traced || m->sampling;
}

/* For a dispatch that nobody follows: true if a tool wants it to be measured. */
static bool begin_measured(dispatch_t *d, const measures_t *m, hsax_item_t *item, uint64_t queue)
{
    sdk_operation_begin(&d->complete, &sdk_counting_plan);
    const bool wanted_ = measure(d, m, item, queue, &d->complete);
    if (wanted_) d->reference = sdk_retirement_hold(&d->complete);
    d->complete.plan = d->enqueue.plan = NULL;
    return wanted_;
}

static bool begin(hsax_item_t *item, uint64_t queue, const hsa_kernel_dispatch_packet_t *packet)
{
    const measures_t measures = {item->special ? sdk_counting_dispatches() : NULL,
                                 item->special ? sdk_trace_dispatches() : NULL,
                                 sdk_pcs_session(hsax_lane_agent(item->lane))};
    const sdk_plan_t *enqueue = plan(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
    const sdk_plan_t *complete = plan(ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
    if (enqueue && !enqueue->callback_count) enqueue = NULL; /* buffers get only COMPLETE */
    const bool measured = measures.counting || measures.tracing || measures.sampling;
    if (sdk_graph_counts()) sdk_graph_dispatches(sdk_agent_of_hsa(hsax_lane_agent(item->lane)));
    sdk_event_signal_used(packet->completion_signal);
    if (!enqueue && !complete && !measured) return false;
    dispatch_t *d = (dispatch_t *)item->client;
    d->barrier = NULL;
    fill(d, hsax_lane_agent(item->lane), queue, packet);
    d->counted = NULL;
    d->traced = NULL;
    d->sampled = false;
    if (!enqueue && !complete) return begin_measured(d, &measures, item, queue);
    if (!enqueue) {
        d->enqueue.plan = NULL;
        sdk_operation_begin(&d->complete, complete);
        d->reference = sdk_retirement_hold(&d->complete);
        measure(d, &measures, item, queue, &d->complete);
        return true;
    }
    sdk_operation_begin(&d->enqueue, enqueue);
    d->reference = sdk_retirement_hold(&d->enqueue);
    if (enqueue->callback_count)
        sdk_operation_callback(&d->enqueue, ROCPROFILER_CALLBACK_PHASE_ENTER, &d->data);
    measure(d, &measures, item, queue, &d->enqueue);
    d->complete.plan = NULL;
    return true;
}

/* For a barrier packet: it is only followed as an event's. */
static bool begin_barrier(hsax_item_t *item, uint64_t queue, const void *packet)
{
    dispatch_t *d = (dispatch_t *)item->client;
    d->barrier = sdk_event_barrier(packet, sdk_agent_of_hsa(hsax_lane_agent(item->lane)), queue);
    return d->barrier;
}

static void submitted(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (d->barrier) {
        sdk_event_submitted(d->barrier);
        return;
    }
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
    if (d->barrier) {
        sdk_event_complete(d->barrier, item->start_ns, item->end_ns);
        return;
    }
    d->data.start_timestamp = item->start_ns;
    d->data.end_timestamp = item->end_ns < item->start_ns ? item->start_ns : item->end_ns;
    if (d->counted)
        sdk_counting_complete(d->counted, d->data.start_timestamp, d->data.end_timestamp);
    if (d->traced) sdk_trace_complete(d->traced);
    if (!p) goto out;
    if (p->callback_count)
        sdk_operation_callback(&d->complete, ROCPROFILER_CALLBACK_PHASE_NONE, &d->data);
    if (p->buffer_count) record(d);
out:
    if (d->sampled)
        sdk_pcs_over(&d->mark, d->reference, d->data.end_timestamp);
    else
        sdk_retirement_release(d->reference, d->data.end_timestamp);
}

/* The completion will never be seen; the collector counts such items. */
static void lost(hsax_item_t *item)
{
    dispatch_t *d = (dispatch_t *)item->client;
    if (d->barrier) {
        sdk_event_lost(d->barrier);
        return;
    }
    if (d->counted) sdk_counting_lost(d->counted);
    if (d->traced) sdk_trace_lost(d->traced);
    sdk_retirement_release(d->reference, 0);
}

void sdk_kernel_dispatch_hook(const hsax_api_table_t *table)
{
    static hsax_dispatch_client_t client = {.client_size = sizeof(dispatch_t),
                                            .wanted = wanted,
                                            .begin = begin,
                                            .barrier_wanted = sdk_event_wants,
                                            .begin_barrier = begin_barrier,
                                            .placed = sdk_pcs_placed,
                                            .submitted = submitted,
                                            .complete = complete,
                                            .lost = lost,
                                            .told_first = true};
    const bool traces = sdk_trace_dispatches_configured();
    client.serial = sdk_counting_dispatches_configured() || traces ? serial : NULL;
    client.begin_waits = traces; /* begin() may wait for the buffer of the trace before */
    hsax_queues_hook(table, &client);
}
