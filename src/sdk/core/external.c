/* external.c - stacks of external correlation ids, one per context and thread.
 *
 * It is apart because a tool may push an id for a thread that has no thread entry yet. The top is
 * copied to the thread's entry, where the hot path reads it. */
#include "sdk/core/context.h"
#include "sdk/core/registration.h"

#include <rocprofiler-sdk/external_correlation.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/grow.h"

typedef struct external_stack {
    struct external_stack *next;
    uint64_t tid;
    uint32_t slot;
    size_t depth, room;
    uint64_t *values;
} external_stack_t;

static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static external_stack_t *stacks;
static _Atomic bool any; /* false: no id was ever pushed, and new threads need not search here */

static external_stack_t **find(uint64_t tid, uint32_t slot)
{
    external_stack_t **link = &stacks;
    while (*link && ((*link)->tid != tid || (*link)->slot != slot))
        link = &(*link)->next;
    return link;
}

static uint64_t top(uint64_t tid, uint32_t slot, bool *has)
{
    const external_stack_t *stack = *find(tid, slot);
    *has = stack && stack->depth;
    return *has ? stack->values[stack->depth - 1] : 0;
}

/* Returns the id for a thread and context: a thread without a stack uses that of the main
 * thread. */
static uint64_t carried(uint64_t tid, uint32_t slot)
{
    bool has;
    uint64_t value = top(tid, slot, &has);
    return has ? value : top((uint64_t)getpid(), slot, &has);
}

static void mirror_one(sdk_thread_t *thread, void *slot)
{
    atomic_store_explicit(&thread->external[*(uint32_t *)slot],
                          carried(thread->tid, *(uint32_t *)slot), memory_order_relaxed);
}

static void mirror(uint64_t tid, uint32_t slot)
{
    if (tid == (uint64_t)getpid()) {
        sdk_threads_each(mirror_one, &slot);
        return;
    }
    sdk_thread_t *thread = sdk_thread_find(tid);
    if (thread) mirror_one(thread, &slot);
}

static void forget(external_stack_t **link)
{
    external_stack_t *gone = *link;
    *link = gone->next;
    free(gone->values);
    free(gone);
}

static bool thread_exists(uint64_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%llu", (unsigned long long)tid);
    return access(path, F_OK) == 0;
}

static rocprofiler_status_t push(uint64_t tid, uint32_t slot, uint64_t value)
{
    external_stack_t **link = find(tid, slot);
    external_stack_t *stack = *link;
    if (!stack) {
        stack = calloc(1, sizeof *stack);
        if (!stack) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
        stack->tid = tid;
        stack->slot = slot;
        *link = stack;
    }
    if (!BASE_GROW(stack->values, stack->depth, &stack->room))
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    stack->values[stack->depth++] = value;
    mirror(tid, slot);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_push_external_correlation_id(rocprofiler_context_id_t context_id,
                                         rocprofiler_thread_id_t tid,
                                         rocprofiler_user_data_t external_correlation_id)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (sdk_is_forked_child()) return ROCPROFILER_STATUS_SUCCESS;
    /* the calling thread exists, which needs no check in /proc */
    if (tid != sdk_thread_id() && !thread_exists(tid))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&stacks_lock);
    atomic_store_explicit(&any, true, memory_order_relaxed);
    rocprofiler_status_t status = push(tid, context->slot, external_correlation_id.value);
    pthread_mutex_unlock(&stacks_lock);
    return status;
}

rocprofiler_status_t
rocprofiler_pop_external_correlation_id(rocprofiler_context_id_t context_id,
                                        rocprofiler_thread_id_t tid,
                                        rocprofiler_user_data_t *external_correlation_id)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (sdk_is_forked_child()) return ROCPROFILER_STATUS_SUCCESS;
    if (tid != sdk_thread_id() && !thread_exists(tid))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (external_correlation_id) external_correlation_id->value = 0;
    pthread_mutex_lock(&stacks_lock);
    external_stack_t **link = find(tid, context->slot);
    if (*link && (*link)->depth) {
        external_stack_t *stack = *link;
        uint64_t value = stack->values[--stack->depth];
        if (external_correlation_id) external_correlation_id->value = value;
        if (!stack->depth) forget(link);
        mirror(tid, context->slot);
    }
    pthread_mutex_unlock(&stacks_lock);
    return ROCPROFILER_STATUS_SUCCESS;
}

void sdk_external_thread_begins(sdk_thread_t *self)
{
    for (int slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        atomic_store_explicit(&self->external[slot], 0, memory_order_relaxed);
    if (!atomic_load_explicit(&any, memory_order_relaxed)) return;
    pthread_mutex_lock(&stacks_lock);
    for (external_stack_t *s = stacks; s; s = s->next)
        if (s->tid == self->tid || s->tid == (uint64_t)getpid())
            atomic_store_explicit(&self->external[s->slot], carried(self->tid, s->slot),
                                  memory_order_relaxed);
    pthread_mutex_unlock(&stacks_lock);
}

void sdk_external_thread_ends(sdk_thread_t *self)
{
    if (!atomic_load_explicit(&any, memory_order_relaxed)) return;
    pthread_mutex_lock(&stacks_lock);
    for (external_stack_t **link = &stacks; *link;)
        if ((*link)->tid == self->tid)
            forget(link);
        else
            link = &(*link)->next;
    pthread_mutex_unlock(&stacks_lock);
}

/* ---- Requests ---- */

uint64_t sdk_external_ask(sdk_thread_t *self, const sdk_context_t *context, const sdk_plan_t *plan,
                          uint64_t internal)
{
    rocprofiler_user_data_t value = {.value = 0};
    int declined = 1;
    sdk_emit_begin(self);
    /* Tools are always asked about the operation DISPATCH of a kernel launch, even if they follow
     * only COMPLETE. */
    int32_t operation = plan->domain == SDK_DOMAIN_KERNEL_DISPATCH
                            ? (int32_t)ROCPROFILER_KERNEL_DISPATCH_ENQUEUE
                            : plan->operation;
    if (sdk_context_accepts(context))
        declined =
            context->request(self->tid, sdk_context_id(context),
                             (rocprofiler_external_correlation_id_request_kind_t)plan->request_kind,
                             operation, internal, &value, context->request_data);
    sdk_emit_end(self);
    return declined ? sdk_external(self, context) : value.value;
}

void sdk_external_ask_all(sdk_thread_t *self, const sdk_plan_t *plan, uint64_t internal,
                          rocprofiler_user_data_t *callbacks, rocprofiler_user_data_t *buffers)
{
    const sdk_context_t *asked[2 * SDK_SERVICES_MAX];
    uint64_t answers[2 * SDK_SERVICES_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < plan->callback_count + plan->buffer_count; i++) {
        bool record = i >= plan->callback_count;
        unsigned place = record ? i - plan->callback_count : i;
        const sdk_context_t *context =
            record ? plan->buffers[place].context : plan->callbacks[place].context;
        if (!sdk_external_asks(context, plan)) continue;
        unsigned known = 0;
        while (known < count && asked[known] != context)
            known++;
        if (known == count) {
            asked[count] = context;
            answers[count++] = sdk_external_ask(self, context, plan, internal);
        }
        (record ? buffers : callbacks)[place].value = answers[known];
    }
}

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context_id,
    const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t kinds_count,
    rocprofiler_external_correlation_id_request_cb_t callback, void *callback_args)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (!callback || (kinds && !kinds_count)) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (context->request) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    uint32_t bits = 0;
    for (size_t i = 0; kinds && i < kinds_count; i++) {
        if (kinds[i] <= ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE ||
            kinds[i] >= ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST)
            return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
        bits |= (uint32_t)1 << kinds[i];
    }
    if (!kinds) bits = ((uint32_t)1 << ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST) - 2;
    sdk_contexts_set_request(context, callback, callback_args, bits);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* ---- Fork ---- */

void sdk_external_fork_prepare(void)
{
    pthread_mutex_lock(&stacks_lock);
}

/* In the child the forking thread keeps its stacks, under its new thread id. */
void sdk_external_fork_done(bool in_child, uint64_t parent_tid, uint64_t tid)
{
    for (external_stack_t **link = &stacks; *link && in_child;) {
        if ((*link)->tid != parent_tid) {
            forget(link);
            continue;
        }
        (*link)->tid = tid;
        link = &(*link)->next;
    }
    pthread_mutex_unlock(&stacks_lock);
}
