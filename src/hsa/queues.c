/* queues.c - hooks of queue creation and destruction (queues.h): makes the program's queues
 * intercept queues.
 *
 * packets.c handles their packets. */
#include "hsa/queues.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/packets.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD            64   /* items that are ready when a queue is created */
#define LIMIT_FACTOR     4    /* the limit of items is this factor times the queue's size, */
#define LIMIT_LEAST      4096 /* but not less than this */
#define QUEUE_SIZE_LEAST 4    /* an intercept queue needs room for its own retry packet */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hsax_queue_t *queues;
static atomic_uint_fast64_t last_queue_id;
static bool others; /* another tool has hooked the runtime's hsa_queue_create */

static bool read_times(hsax_item_t *item)
{
    hsa_amd_profiling_dispatch_time_t time;
    hsa_status_t status = hsax.amd_ext.hsa_amd_profiling_get_dispatch_time_fn(
        hsax_lane_agent(item->lane), item->signal, &time);
    if (status != HSA_STATUS_SUCCESS) {
        base_warning("no timestamps of a kernel dispatch (HSA status 0x%x)", status);
        return false;
    }
    item->start_ns = hsax_clock_ns(time.start);
    item->end_ns = hsax_clock_ns(time.end);
    return true;
}

bool hsax_queue_find(const hsa_queue_t *hsa, uint64_t *id, hsa_agent_t *agent)
{
    pthread_mutex_lock(&lock);
    const hsax_queue_t *queue = queues;
    while (queue && queue->hsa != hsa)
        queue = queue->next;
    if (queue) {
        *id = queue->id;
        *agent = hsax_lane_agent(queue->lane);
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

static void remember(hsax_queue_t *queue)
{
    pthread_mutex_lock(&lock);
    queue->next = queues;
    queues = queue;
    pthread_mutex_unlock(&lock);
}

static hsax_queue_t *forget(const hsa_queue_t *hsa)
{
    hsax_queue_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (hsax_queue_t **link = &queues; *link && !found; link = &(*link)->next) {
        if ((*link)->hsa != hsa) continue;
        found = *link;
        *link = found->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Called by the runtime when a queue has failed: ends the waits for it, and calls the program's own
 * callback. */
static void on_failure(hsa_status_t status, hsa_queue_t *hsa, void *data)
{
    hsax_queue_t *queue = data;
    hsax_lane_t *lane = __atomic_load_n(&queue->lane, __ATOMIC_ACQUIRE);
    if (status != HSA_STATUS_SUCCESS && lane && !hsax_forked()) hsax_lane_fail(lane);
    queue->failed(status, hsa, queue->failed_data);
}

/* Adds the handler to a new intercept queue. On failure the queue works, but is not traced. */
static bool attach(hsax_queue_t *queue, hsa_agent_t agent, hsa_queue_t *hsa)
{
    hsax_lane_ops_t ops = {hsax_queue_client->client_size, read_times, hsax_queue_client->complete,
                           hsax_queue_client->lost};
    unsigned limit = hsa->size * LIMIT_FACTOR;
    queue->hsa = hsa;
    hsax_packets_begin(queue);
    queue->id = atomic_fetch_add(&last_queue_id, 1) + 1;
    hsax_lane_t *lane =
        hsax_lane_open(&ops, agent, AHEAD, limit < LIMIT_LEAST ? LIMIT_LEAST : limit);
    if (!lane) return false;
    __atomic_store_n(&queue->lane, lane, __ATOMIC_RELEASE);
    if (hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, 1) ||
        hsax.amd_ext.hsa_amd_queue_intercept_register_fn(hsa, hsax_packets_handle, queue))
        goto fail;
    remember(queue);
    return true;
fail:
    __atomic_store_n(&queue->lane, NULL, __ATOMIC_RELEASE);
    hsax_lane_close(lane);
    return false;
}

/* Lets another tool's hook create the queue, and adds the handler if it is an intercept queue. */
static hsa_status_t share_queue(hsax_queue_t *made, hsa_agent_t agent, uint32_t size,
                                hsa_queue_type32_t type, uint32_t private_size, uint32_t group_size,
                                hsa_queue_t **queue)
{
    hsa_status_t status = hsax.core.hsa_queue_create_fn(
        agent, size, type, made->failed ? on_failure : NULL, made, private_size, group_size, queue);
    if (status != HSA_STATUS_SUCCESS || attach(made, agent, *queue)) return status;
    hsax.core.hsa_queue_destroy_fn(*queue);
    return HSA_STATUS_ERROR;
}

static hsax_queue_t *new_queue(void)
{
    hsax_queue_t *made = calloc(1, sizeof *made);
    if (!made) base_warning("dispatches of one queue are not recorded: no memory");
    return made;
}

static hsa_status_t make_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                               void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                               uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    hsax_queue_t *made =
        hsax_collecting() && queue && size >= QUEUE_SIZE_LEAST ? new_queue() : NULL;
    if (made) {
        made->failed = callback; /* it may be NULL: then the runtime's default ends the process */
        made->failed_data = data;
        if (others && share_queue(made, agent, size, type, private_size, group_size, queue) ==
                          HSA_STATUS_SUCCESS)
            return HSA_STATUS_SUCCESS;
        hsa_status_t status = hsax.amd_ext.hsa_amd_queue_intercept_create_fn(
            agent, size, type, callback ? on_failure : NULL, made, private_size, group_size, queue);
        if (status == HSA_STATUS_SUCCESS) {
            /* `made` is not freed, since on_failure() may get it */
            if (!attach(made, agent, *queue))
                base_warning("dispatches of one queue are not recorded: it cannot be intercepted");
            return status;
        }
        free(made);
        base_info("no intercept queue of size %u (HSA status 0x%x)", size, status);
    }
    return hsax.core.hsa_queue_create_fn(agent, size, type, callback, data, private_size,
                                         group_size, queue);
}

/* ---- queues for cooperative launches ----
 *
 * The runtime has one such queue for each agent and counts references to it: all users get the same
 * queue, and it is freed with the last reference. An intercept queue over it breaks this.
 * Destroyed, it frees the agent's queue, which the runtime frees again at its end (ROCr 6). Kept,
 * it keeps the agent's queue alive until the end, which is too late for ROCr 7. So all users get
 * one intercept queue, which is never destroyed. When its last user is gone, two references to the
 * agent's queue are dropped by that queue's own handle: the one of the intercept queue, and the one
 * by which the handle was obtained. */

typedef struct shared {
    struct shared *next;
    hsa_agent_t agent;
    hsa_queue_t *hsa;
    hsa_queue_t *agents; /* the agent's queue below this one, with a reference; NULL: not known */
    unsigned users;
} shared_t;

/* also held while a queue is made */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static shared_t *shared;

/* Returns whether the queue is a shared one: then it loses a user. If that was the last, *last
 * becomes the row, which is removed from the list; else last->agents becomes NULL. */
static bool release_shared(const hsa_queue_t *hsa, shared_t *last)
{
    last->agents = NULL;
    pthread_mutex_lock(&shared_lock);
    shared_t **at = &shared, *s;
    while ((s = *at) && s->hsa != hsa)
        at = &s->next;
    const bool found = s != NULL;
    if (found && --s->users == 0 && s->agents) {
        *last = *s;
        *at = s->next;
        free(s);
    }
    pthread_mutex_unlock(&shared_lock);
    return found;
}

static void forget_shared(void)
{
    pthread_mutex_lock(&shared_lock);
    while (shared) {
        shared_t *s = shared;
        shared = s->next;
        free(s);
    }
    pthread_mutex_unlock(&shared_lock);
}

static hsa_status_t get_shared(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                               void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                               uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&shared_lock);
    shared_t *s = shared;
    while (s && s->agent.handle != agent.handle)
        s = s->next;
    if (s) {
        *queue = s->hsa;
        s->users++;
    } else if ((s = calloc(1, sizeof *s)) == NULL) { /* the program gets the agent's own queue */
        base_warning("cooperative launches of one agent are not recorded: no memory");
        status = hsax.core.hsa_queue_create_fn(agent, size, type, callback, data, private_size,
                                               group_size, queue);
    } else {
        status = make_queue(agent, size, type, callback, data, private_size, group_size, queue);
        if (status == HSA_STATUS_SUCCESS) {
            *s = (shared_t){.next = shared, .agent = agent, .hsa = *queue, .users = 1};
            shared = s;
            /* if another tool makes the queues, the one below is that tool's intercept queue */
            if (!others &&
                hsax.core.hsa_queue_create_fn(agent, size, type, NULL, NULL, private_size,
                                              group_size, &s->agents) != HSA_STATUS_SUCCESS)
                s->agents = NULL;
        } else {
            free(s);
        }
    }
    pthread_mutex_unlock(&shared_lock);
    return status;
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    if (type & HSA_QUEUE_TYPE_COOPERATIVE && hsax_collecting() && queue)
        return get_shared(agent, size, type, callback, data, private_size, group_size, queue);
    return make_queue(agent, size, type, callback, data, private_size, group_size, queue);
}

/* Called when the program, or a tool with later hooks, creates an intercept queue itself. */
static hsa_status_t create_intercepted(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                       void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                                       void *data, uint32_t private_size, uint32_t group_size,
                                       hsa_queue_t **queue)
{
    hsax_queue_t *made = hsax_collecting() && queue ? new_queue() : NULL;
    if (!made)
        return hsax.amd_ext.hsa_amd_queue_intercept_create_fn(agent, size, type, callback, data,
                                                              private_size, group_size, queue);
    made->failed = callback;
    made->failed_data = data;
    hsa_status_t status = hsax.amd_ext.hsa_amd_queue_intercept_create_fn(
        agent, size, type, callback ? on_failure : NULL, made, private_size, group_size, queue);
    if (status != HSA_STATUS_SUCCESS)
        free(made);
    else if (!attach(made, agent, *queue))
        base_warning("dispatches of one queue are not recorded: it cannot be intercepted");
    return status;
}

/* Returns whether two functions are in the same library. */
static bool is_of(void (*function)(void), void (*other)(void))
{
    Dl_info a, b;
    return dladdr((void *)function, &a) && dladdr((void *)other, &b) && a.dli_fbase == b.dli_fbase;
}

static void free_queue(hsax_queue_t *queue)
{
    hsax_lane_close(queue->lane);
    hsax_packets_end(queue);
    free(queue);
}

/* The runtime destroys its queue first: then the GPU does not use the one here, and no handler
 * runs. */
static hsa_status_t destroy_queue(hsa_queue_t *hsa)
{
    shared_t last;
    const bool is_shared = !hsax_forked() && release_shared(hsa, &last);
    if (is_shared && !last.agents) return HSA_STATUS_SUCCESS;
    hsax_queue_t *queue = hsax_forked() ? NULL : forget(hsa);
    hsa_status_t status = hsax.core.hsa_queue_destroy_fn(is_shared ? last.agents : hsa);
    if (is_shared && status == HSA_STATUS_SUCCESS)
        status = hsax.core.hsa_queue_destroy_fn(last.agents);
    if (!queue) return status;
    if (status != HSA_STATUS_SUCCESS)
        remember(queue);
    else
        free_queue(queue);
    return status;
}

/* Keeps the queue's profiling on, even if the program turns it off, since the times of dispatches
 * need it. */
static hsa_status_t set_profiler_enabled(hsa_queue_t *hsa, int enable)
{
    uint64_t id;
    hsa_agent_t agent;
    if (!enable && !hsax_forked() && hsax_queue_find(hsa, &id, &agent)) return HSA_STATUS_SUCCESS;
    return hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, enable);
}

bool hsax_queues_hook(const hsax_api_table_t *table, const hsax_dispatch_client_t *who)
{
    if (!hsax.amd_ext.hsa_amd_queue_intercept_create_fn ||
        !hsax.amd_ext.hsa_amd_queue_intercept_register_fn) {
        base_error("the HSA runtime has no intercept queues: kernel dispatches cannot be traced");
        return false;
    }
    hsax_queue_client = who;
    others = !is_of((void (*)(void))hsax.core.hsa_queue_create_fn,
                    (void (*)(void))hsax.amd_ext.hsa_amd_queue_intercept_register_fn);
    queues = NULL; /* the queues of a runtime that was shut down are gone, with their lanes */
    forget_shared();
    HSAX_HOOK_CORE(table, hsa_queue_create, create_queue);
    HSAX_HOOK_CORE(table, hsa_queue_destroy, destroy_queue);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_queue_intercept_create, create_intercepted);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_profiling_set_profiler_enabled, set_profiler_enabled);
    return true;
}
