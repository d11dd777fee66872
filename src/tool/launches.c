/* launches.c - see launches.h. Launches whose kernels have not begun are in one list, since there
 * are few of them at a time. */
#include "tool/launches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tool/origin.h"

typedef struct waiting {
    struct waiting *next;
    tool_launch_t of;
} waiting_t;

/* A queue of the SDK, and the number that the software GPU has for it. */
typedef struct bound {
    struct bound *next;
    uint64_t sdk, gpu;
} bound_t;

static struct {
    pthread_mutex_t lock;
    waiting_t *first, **last;
    bound_t *queues;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &state.first};

static void set_size(uint32_t to[3], rocprofiler_dim3_t size)
{
    to[0] = size.x;
    to[1] = size.y;
    to[2] = size.z;
}

/* Runs on the thread that launches the kernel, before the GPU gets it. */
static void on_launch(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                      void *data)
{
    const rocprofiler_callback_tracing_kernel_dispatch_data_t *d = record.payload;
    (void)user, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER || !d->dispatch_info.kernel_id) return;
    waiting_t *w = malloc(sizeof(*w));
    if (!w) {
        base_error("no memory: a dispatch's instructions are not counted");
        return;
    }
    *w = (waiting_t){.of = {.kernel = d->dispatch_info.kernel_id,
                            .dispatch = d->dispatch_info.dispatch_id,
                            .queue = d->dispatch_info.queue_id.handle,
                            .range = tool_origin_range_now()}};
    set_size(w->of.grid, d->dispatch_info.grid_size);
    set_size(w->of.workgroup, d->dispatch_info.workgroup_size);
    pthread_mutex_lock(&state.lock);
    *state.last = w;
    state.last = &w->next;
    pthread_mutex_unlock(&state.lock);
}

rocprofiler_status_t tool_launches_configure(rocprofiler_context_id_t always)
{
    rocprofiler_tracing_operation_t enqueue = ROCPROFILER_KERNEL_DISPATCH_ENQUEUE;
    return rocprofiler_configure_callback_tracing_service(
        always, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, &enqueue, 1, on_launch, NULL);
}

/* ---- queues ---- */

static bound_t **bound_to(uint64_t gpu)
{
    bound_t **at = &state.queues;
    while (*at && (*at)->gpu != gpu)
        at = &(*at)->next;
    return at;
}

static bool is_bound(uint64_t sdk)
{
    const bound_t *b = state.queues;
    while (b && b->sdk != sdk)
        b = b->next;
    return b != NULL;
}

static void bind(uint64_t sdk, uint64_t gpu)
{
    bound_t *b = malloc(sizeof(*b));
    if (!b) return; /* without memory, the queue of each launch has to be searched for again */
    *b = (bound_t){state.queues, sdk, gpu};
    state.queues = b;
}

static void unbind(bound_t **at)
{
    bound_t *gone = *at;
    *at = gone->next;
    free(gone);
}

/* ---- kernels that begin ---- */

static bool is_like(const tool_launch_t *a, const tool_launch_t *b)
{
    return a->kernel == b->kernel && memcmp(a->grid, b->grid, sizeof(a->grid)) == 0 &&
           memcmp(a->workgroup, b->workgroup, sizeof(a->workgroup)) == 0;
}

/* Returns the oldest launch of the same kernel and sizes on the SDK's queue `queue`, or, if that is
 * NULL, on any queue that is not bound. *one_queue says whether all such launches are on one
 * queue. */
static waiting_t **find(const tool_launch_t *launch, const uint64_t *queue, bool *one_queue)
{
    waiting_t **found = NULL;
    *one_queue = true;
    for (waiting_t **at = &state.first; *at; at = &(*at)->next) {
        const tool_launch_t *of = &(*at)->of;
        if (!is_like(of, launch) || (queue ? of->queue != *queue : is_bound(of->queue))) continue;
        if (!found) found = at;
        *one_queue &= of->queue == (*found)->of.queue;
        if (queue) break;
    }
    return found;
}

bool tool_launches_take(tool_launch_t *launch, uint64_t queue)
{
    bool one_queue;
    pthread_mutex_lock(&state.lock);
    bound_t **bound = bound_to(queue);
    waiting_t **at = *bound ? find(launch, &(*bound)->sdk, &one_queue) : NULL;
    if (!at && (at = find(launch, NULL, &one_queue)) != NULL) {
        /* the GPU's queue number was bound to a queue that was destroyed: a new queue has it now */
        if (*bound) unbind(bound);
        if (one_queue) bind((*at)->of.queue, queue);
    }
    waiting_t *w = at ? *at : NULL;
    if (w) {
        *at = w->next;
        if (state.last == &w->next) state.last = at;
        *launch = w->of;
    }
    pthread_mutex_unlock(&state.lock);
    free(w);
    return w != NULL;
}
