/* context.h - contexts, the services that they ask for, and the tables that find objects by handle.
 *
 * All objects are created during initialisation and never freed; only `active` and `accepts` change
 * afterwards. */
#ifndef CROCPROF_SDK_CONTEXT_H_INTERNAL
#define CROCPROF_SDK_CONTEXT_H_INTERNAL

#include "sdk/core/buffer.h"
#include "sdk/core/thread.h"

#include <rocprofiler-sdk/external_correlation.h>

typedef struct {
    rocprofiler_callback_tracing_cb_t callback; /* NULL: the context lacks the kind */
    void *data;
    uint64_t *operations; /* one bit each */
} sdk_callback_request_t;

typedef struct {
    sdk_buffer_t *buffer; /* NULL: the context lacks the kind */
    uint64_t *operations;
} sdk_buffer_request_t;

struct sdk_context {
    uint32_t slot;
    uint32_t client; /* position of its tool */
    uint64_t handle;
    bool active;          /* under the contexts' lock */
    _Atomic bool accepts; /* false once its tool is finalised: nothing may be
                           * delivered any more */
    /* for external ids, NULL: the topmost of the thread's stack; kinds by bit */
    rocprofiler_external_correlation_id_request_cb_t request;
    void *request_data;
    uint32_t request_kinds;
    /* what it counts, see sdk/counters; NULL: nothing */
    struct sdk_dispatch_service *dispatch_counting;
    struct sdk_device_service *device_counting;
    struct sdk_trace_service *thread_trace; /* see sdk/thread_trace; NULL: nothing */
    sdk_callback_request_t callbacks[ROCPROFILER_CALLBACK_TRACING_LAST];
    sdk_buffer_request_t buffers[ROCPROFILER_BUFFER_TRACING_LAST];
};

/* Reads of `accepts` stand between sdk_emit_begin and sdk_emit_end. */
static inline bool sdk_context_accepts(const sdk_context_t *context)
{
    return atomic_load_explicit(&context->accepts, memory_order_relaxed);
}

static inline rocprofiler_context_id_t sdk_context_id(const sdk_context_t *context)
{
    return (rocprofiler_context_id_t){.handle = context->handle};
}

/* By handle; NULL if there is none. */
sdk_context_t *sdk_context_find(rocprofiler_context_id_t id);
sdk_buffer_t *sdk_buffer_find(rocprofiler_buffer_id_t id);

/* By slot; NULL beyond the last. */
sdk_context_t *sdk_context_at(uint32_t slot);
sdk_buffer_t *sdk_buffer_at(uint32_t slot);

/* Stops all contexts of a client, then refuses everything of theirs and waits until nobody is in
 * between. Its buffers are delivered a last time. */
void sdk_contexts_end(uint32_t client);

/* The contexts of a client that run now; `ids` has room for SDK_CONTEXTS_MAX. */
size_t sdk_contexts_running(uint32_t client, rocprofiler_context_id_t *ids);

/* Stops those for a while: waits until what they have seen is reported, delivers the client's
 * buffers. */
size_t sdk_contexts_pause(uint32_t client, rocprofiler_context_id_t *ids);

/* All plans to NULL, without a lock: for the child of a fork. */
void sdk_plans_clear(void);

/* Holds contexts still while the process forks, see fork.c. */
void sdk_contexts_fork_prepare(void);
void sdk_contexts_fork_done(void);

/* ---- External correlation ids: external.c ---- */

void sdk_external_fork_prepare(void);
void sdk_external_fork_done(bool in_child, uint64_t parent_tid, uint64_t tid);

/* What records of the context about the thread carry. */
static inline uint64_t sdk_external(const sdk_thread_t *self, const sdk_context_t *context)
{
    return atomic_load_explicit(&self->external[context->slot], memory_order_relaxed);
}

/* True if the context wants to be asked for the ids of the plan's operation. */
static inline bool sdk_external_asks(const sdk_context_t *context, const sdk_plan_t *plan)
{
    return context->request_kinds >> plan->request_kind & 1;
}

/* Asks the context, runs tool code: the id for the operation that has got this internal id. */
uint64_t sdk_external_ask(sdk_thread_t *self, const sdk_context_t *context, const sdk_plan_t *plan,
                          uint64_t internal);

/* Asks all contexts of the plan that want to be asked, each once; writes the answers to the places
 * of its services, leaves other places alone. */
void sdk_external_ask_all(sdk_thread_t *self, const sdk_plan_t *plan, uint64_t internal,
                          rocprofiler_user_data_t *callbacks, rocprofiler_user_data_t *buffers);

/* Plans after the context has got its request callback: under no lock of the caller. */
void sdk_contexts_set_request(sdk_context_t *context,
                              rocprofiler_external_correlation_id_request_cb_t request, void *data,
                              uint32_t kinds);

/* ---- The end of a traced call for correlation ids: retirement.c ---- */

void sdk_retirement_call_ends(sdk_thread_t *self, uint64_t internal);

void sdk_external_thread_begins(sdk_thread_t *self);
void sdk_external_thread_ends(sdk_thread_t *self);

#endif
