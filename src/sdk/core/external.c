/* external.c - stacks of external correlation ids, one per context and thread.
 *
 * Apart because a stack may belong to a thread that the library has not met: then it waits here for
 * the thread's entry. The top is mirrored in the entry, where the hot path reads it. */
#include "sdk/core/context.h"
#include "sdk/core/registration.h"

#include <rocprofiler-sdk/external_correlation.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct external_stack {
    struct external_stack *next;
    uint64_t tid;
    uint32_t slot;
    size_t depth, room;
    uint64_t *values;
} external_stack_t;

static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static external_stack_t *stacks;
static _Atomic bool any; /* false: nobody has ever pushed, and threads need not look */

static external_stack_t **find(uint64_t tid, uint32_t slot)
{
    external_stack_t **link = &stacks;
    while (*link && ((*link)->tid != tid || (*link)->slot != slot))
        link = &(*link)->next;
    return link;
}

static void mirror(uint64_t tid, uint32_t slot, uint64_t value)
{
    sdk_thread_t *thread = sdk_thread_find(tid);
    if (thread) atomic_store_explicit(&thread->external[slot], value, memory_order_relaxed);
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
    if (stack->depth == stack->room) {
        size_t room = stack->room ? stack->room * 2 : 8;
        uint64_t *values = realloc(stack->values, room * sizeof *values);
        if (!values) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
        stack->values = values;
        stack->room = room;
    }
    stack->values[stack->depth++] = value;
    mirror(tid, slot, value);
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
    /* the caller itself needs no look into the file system */
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
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&stacks_lock);
    external_stack_t **link = find(tid, context->slot);
    if (*link && (*link)->depth) {
        external_stack_t *stack = *link;
        uint64_t value = stack->values[--stack->depth];
        if (external_correlation_id) external_correlation_id->value = value;
        mirror(tid, context->slot, stack->depth ? stack->values[stack->depth - 1] : 0);
        if (!stack->depth) forget(link);
        status = ROCPROFILER_STATUS_SUCCESS;
    }
    pthread_mutex_unlock(&stacks_lock);
    return status;
}

void sdk_external_thread_begins(sdk_thread_t *self)
{
    for (int slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        atomic_store_explicit(&self->external[slot], 0, memory_order_relaxed);
    if (!atomic_load_explicit(&any, memory_order_relaxed)) return;
    pthread_mutex_lock(&stacks_lock);
    for (external_stack_t *s = stacks; s; s = s->next)
        if (s->tid == self->tid && s->depth)
            atomic_store_explicit(&self->external[s->slot], s->values[s->depth - 1],
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

/* ---- Fork ---- */

void sdk_external_fork_prepare(void)
{
    pthread_mutex_lock(&stacks_lock);
}

/* The forking thread keeps its stacks in the child, under its new id. */
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
