/* dispatch.c - calls the tool for each kernel that is dispatched, and counts the group it chooses.
 *
 * src/hsa handles queues and packets. Here the callback is called, the dispatch gets the packets of
 * the group that the callback has chosen, and its end is reported. */
#include "v1/v1.h"

#include "base/clock.h"
#include "base/log.h"
#include "hsa/counted.h"
#include "hsa/lane.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A kernel is no longer held back after this time without a completion. */
#define PATIENCE_NS 1000000000u

enum {
    QUEUES = 256, /* number of rows of counted_in[]; queues with equal remainders share a row */
    SHARE = 16,   /* one counted kernel may be in flight for this many packets of a queue's size */
};

typedef struct {
    v1_group_t *group;
    rocprofiler_dispatch_record_t *record;
    uint64_t queue_id;
} dispatch_t;

/* Guarded by v1_lock, except `active`: whether dispatches need any work at all. */
static rocprofiler_queue_callbacks_t callbacks;
static void *callback_data;
static bool set, stopped;
static atomic_bool active;
static unsigned running; /* number of callbacks that have not returned */
static _Thread_local unsigned depth;

static atomic_uint counted_in[QUEUES]; /* number of counted kernels in flight */
static atomic_ulong landed;            /* number of counted kernels that have completed */
static atomic_uint uncounted;          /* number of kernels whose group was refused */

/* ---- callbacks of the tool ---- */

/* To be called before a callback, so that its removal can wait for it. Returns false if no callback
 * is set. */
static bool enter(rocprofiler_queue_callbacks_t *which, void **data)
{
    pthread_mutex_lock(&v1_lock);
    bool ok = set;
    if (ok) {
        *which = callbacks;
        *data = callback_data;
        running++;
        depth++;
    }
    pthread_mutex_unlock(&v1_lock);
    return ok;
}

static void leave(void)
{
    pthread_mutex_lock(&v1_lock);
    depth--;
    if (--running == 0) pthread_cond_broadcast(&v1_changed);
    pthread_mutex_unlock(&v1_lock);
}

static void update_active(void)
{
    atomic_store(&active, set && !stopped && callbacks.dispatch);
}

static hsa_status_t set_callbacks(const char *function, const rocprofiler_queue_callbacks_t *which,
                                  void *data)
{
    if (!v1_hooked()) v1_ask_for_table(&v1_wants_dispatches);
    pthread_mutex_lock(&v1_lock);
    bool taken = set;
    if (!taken) {
        callbacks = *which;
        callback_data = data;
        set = true;
        update_active();
    }
    pthread_mutex_unlock(&v1_lock);
    if (!taken) return HSA_STATUS_SUCCESS;
    return v1_failed("%s: callbacks are set already: remove them first", function);
}

hsa_status_t rocprofiler_set_queue_callbacks(rocprofiler_queue_callbacks_t which, void *data)
{
    return set_callbacks(__func__, &which, data);
}

hsa_status_t rocprofiler_set_intercepting(rocprofiler_intercepting_t which, void *data)
{
    return set_callbacks(__func__, &which, data);
}

hsa_status_t rocprofiler_add_dispatch_callback(rocprofiler_callback_t callback, void *data)
{
    rocprofiler_queue_callbacks_t which = {.dispatch = callback};
    return set_callbacks(__func__, &which, data);
}

hsa_status_t rocprofiler_set_dispatch_callback(rocprofiler_callback_t callback, void *data)
{
    rocprofiler_queue_callbacks_t which = {.dispatch = callback};
    return set_callbacks(__func__, &which, data);
}

hsa_status_t rocprofiler_remove_queue_callbacks(void)
{
    pthread_mutex_lock(&v1_lock);
    bool there = set;
    set = stopped = false;
    update_active();
    while (running > depth && v1_wait(UINT64_MAX)) {
    }
    pthread_mutex_unlock(&v1_lock);
    if (there) return HSA_STATUS_SUCCESS;
    return v1_failed("%s: none are set", __func__);
}

hsa_status_t rocprofiler_remove_intercepting(void)
    __attribute__((alias("rocprofiler_remove_queue_callbacks")));
hsa_status_t rocprofiler_remove_dispatch_callback(void)
    __attribute__((alias("rocprofiler_remove_queue_callbacks")));

static hsa_status_t stop(const char *function, bool stopping)
{
    pthread_mutex_lock(&v1_lock);
    bool there = set;
    if (there) stopped = stopping;
    update_active();
    pthread_mutex_unlock(&v1_lock);
    return there ? HSA_STATUS_SUCCESS : v1_failed("%s: no callbacks are set", function);
}

hsa_status_t rocprofiler_start_queue_callbacks(void)
{
    return stop(__func__, false);
}

hsa_status_t rocprofiler_stop_queue_callbacks(void)
{
    return stop(__func__, true);
}

/* ---- a dispatch ---- */

static bool wanted(void)
{
    return atomic_load_explicit(&active, memory_order_relaxed);
}

/* Holds a counted kernel back before such kernels, which take several packets each, fill a queue: a
 * callback may wait for one of them, and the runtime passes on no packets meanwhile. */
static void hold_back(uint64_t queue_id, const hsa_queue_t *queue)
{
    unsigned limit = queue->size / SHARE ? queue->size / SHARE : 1;
    unsigned long seen = atomic_load(&landed);
    uint64_t since = base_clock_ns(CLOCK_MONOTONIC);
    while (atomic_load(&counted_in[queue_id % QUEUES]) >= limit) {
        hsax_collector_kick();
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        if (atomic_load(&landed) != seen) since = base_clock_ns(CLOCK_MONOTONIC);
        seen = atomic_load(&landed);
        if (base_clock_ns(CLOCK_MONOTONIC) - since > PATIENCE_NS) return;
    }
}

static const amd_kernel_code_t *kernel_code(uint64_t kernel_object)
{
    const void *host = NULL, *device = (const void *)(uintptr_t)kernel_object;
    if (hsax_loader_load() && !hsax.loader.hsa_ven_amd_loader_query_host_address(device, &host))
        return host;
    return device;
}

/* Returns the group that the tool has chosen, if it is a valid one. */
static v1_group_t *chosen(const rocprofiler_group_t *group, const v1_agent_t *agent)
{
    if (!group->context) return NULL;
    v1_group_t *g = v1_group_find("dispatch callback", group->context, group->index);
    if (g && v1_group_fly(g, agent)) return g;
    const char *text = "";
    rocprofiler_error_string(&text);
    if (!atomic_fetch_add(&uncounted, 1)) base_warning("a kernel is not counted: %s", text);
    return NULL;
}

static v1_group_t *call(hsax_item_t *item, dispatch_t *d,
                        const hsa_kernel_dispatch_packet_t *packet, const hsa_queue_t *queue,
                        uint64_t index)
{
    static _Thread_local uint32_t thread;
    rocprofiler_queue_callbacks_t which;
    void *data;
    rocprofiler_group_t group = {0};
    const v1_agent_t *agent = v1_agent_find(hsax_lane_agent(item->lane));
    if (!agent || !enter(&which, &data)) return NULL;
    if (!thread) thread = (uint32_t)syscall(SYS_gettid);
    rocprofiler_callback_data_t info = {
        .agent = agent->hsa,
        .agent_index = agent->index,
        .queue = queue,
        .queue_index = index,
        .queue_id = (uint32_t)d->queue_id - 1,
        .completion_signal = packet->completion_signal,
        .packet = packet,
        .kernel_name = v1_kernel_name(packet->kernel_object),
        .kernel_object = packet->kernel_object,
        .kernel_code = kernel_code(packet->kernel_object),
        .thread_id = thread,
        .record = d->record,
    };
    hsa_status_t status = which.dispatch ? which.dispatch(&info, data, &group) : HSA_STATUS_ERROR;
    /* before leave(): as soon as the removal of callbacks has returned, the program may close the
     * group's context */
    v1_group_t *g = status == HSA_STATUS_SUCCESS ? chosen(&group, agent) : NULL;
    leave();
    return g;
}

static bool begin(hsax_item_t *item, uint64_t queue_id, const hsa_kernel_dispatch_packet_t *packet)
{
    uint64_t index;
    const hsa_queue_t *queue = hsax_queues_current(&index);
    dispatch_t *d = (dispatch_t *)(void *)item->client;
    /* a kernel that is not special was submitted before callbacks were set; they get the next
     * dispatches */
    if (!wanted() || !item->special) return false;
    *d = (dispatch_t){.queue_id = queue_id};
    hold_back(queue_id, queue);
    if (v1_settings.timestamp_on) {
        d->record = calloc(1, sizeof *d->record);
        if (d->record)
            d->record->dispatch = base_clock_ns(CLOCK_BOOTTIME);
        else
            base_warning("a kernel has no times: no memory");
    }
    v1_report_submit(queue, v1_agent_find(hsax_lane_agent(item->lane)), packet,
                     v1_kernel_name(packet->kernel_object));
    d->group = call(item, d, packet, queue, index);
    if (!d->group) return true;
    item->wrap = &d->group->wrap;
    atomic_fetch_add(&counted_in[queue_id % QUEUES], 1);
    return true;
}

void v1_dispatch_finish(uint64_t unfinished)
{
    static atomic_bool told;
    uint64_t missed = hsax_queues_missed();
    if (unfinished)
        base_warning("%llu kernels had not finished at the end: not reported",
                     (unsigned long long)unfinished);
    if (atomic_exchange(&told, true)) return;
    if (uncounted > 1) base_warning("%u kernels in all were not counted", uncounted);
    if (missed) base_warning("%llu kernels were not seen", (unsigned long long)missed);
}

static void submitted(hsax_item_t *item)
{
    (void)item;
}

static void finish(dispatch_t *d, uint64_t begin_ns, uint64_t end_ns, bool lost)
{
    if (d->record) {
        d->record->begin = begin_ns;
        d->record->end = end_ns;
        __atomic_store_n(&d->record->complete, base_clock_ns(CLOCK_BOOTTIME), __ATOMIC_RELEASE);
    }
    if (!d->group) return;
    atomic_fetch_sub(&counted_in[d->queue_id % QUEUES], 1);
    atomic_fetch_add(&landed, 1);
    v1_group_land(d->group, lost);
}

static void complete(hsax_item_t *item)
{
    finish((dispatch_t *)(void *)item->client, item->start_ns, item->end_ns, false);
}

static void lost(hsax_item_t *item)
{
    finish((dispatch_t *)(void *)item->client, 0, 0, true);
}

static const hsax_dispatch_client_t client = {
    .client_size = sizeof(dispatch_t),
    .wanted = wanted,
    .begin = begin,
    .submitted = submitted,
    .complete = complete,
    .lost = lost,
    .serial = wanted,
    .begin_waits = true,
    .told_first = true,
};

/* ---- queues ---- */

static hsa_status_t (*next_create)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
                                   void (*)(hsa_status_t, hsa_queue_t *, void *), void *, uint32_t,
                                   uint32_t, hsa_queue_t **);
static hsa_status_t (*next_destroy)(hsa_queue_t *);

static void tell(hsa_queue_t *queue, bool created)
{
    rocprofiler_queue_callbacks_t which;
    void *data;
    if (!enter(&which, &data)) return;
    hsa_status_t (*callback)(hsa_queue_t *, void *) = created ? which.create : which.destroy;
    if (callback) callback(queue, data);
    leave();
}

static hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                           void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                           uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    hsa_status_t status =
        next_create(agent, size, type, callback, data, private_size, group_size, queue);
    if (status == HSA_STATUS_SUCCESS && !hsax_forked()) tell(*queue, true);
    return status;
}

static hsa_status_t destroy(hsa_queue_t *queue)
{
    uint64_t id;
    hsa_agent_t agent;
    if (!hsax_forked() && hsax_queue_find(queue, &id, &agent)) tell(queue, false);
    return next_destroy(queue);
}

hsa_status_t rocprofiler_queue_create_profiled(
    hsa_agent_t agent_handle, uint32_t size, hsa_queue_type32_t type,
    void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data), void *data,
    uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t **queue)
{
    hsa_status_t status = v1_runtime();
    if (status) return status;
    if (!next_create)
        return v1_failed("%s: HSA has not loaded this library: set HSA_TOOLS_LIB", __func__);
    status = create(agent_handle, size, type, callback, data, private_segment_size,
                    group_segment_size, queue);
    if (status)
        v1_error(status, "%s: no queue of size %u (HSA status 0x%x)", __func__, size, status);
    return status;
}

bool v1_dispatch_hooked(void)
{
    return next_create;
}

void v1_dispatch_hook(const hsax_api_table_t *table, bool intercept)
{
    __typeof__(table->core->hsa_queue_create_fn) before = table->core->hsa_queue_create_fn;
    if (!hsax_queues_hook(table, &client)) return;
    next_create = table->core->hsa_queue_create_fn;
    next_destroy = table->core->hsa_queue_destroy_fn;
    HSAX_HOOK_CORE(table, hsa_queue_destroy, destroy);
    /* without interception only queues of rocprofiler_queue_create_profiled() are followed */
    HSAX_HOOK_CORE(table, hsa_queue_create, intercept ? create : before);
    /* for sampling, and for concurrent kernels, which are counted all the time */
    hsax_counted_hook(table);
}
