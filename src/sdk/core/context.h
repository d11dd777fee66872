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
    rocprofiler_callback_tracing_cb_t callback; /* NULL: the context does not follow the kind */
    void *data;
    uint64_t *operations; /* one bit for each operation that the context follows */
} sdk_callback_request_t;

typedef struct {
    sdk_buffer_t *buffer; /* NULL: the context does not follow the kind */
    uint64_t *operations;
} sdk_buffer_request_t;

struct sdk_context {
    uint32_t slot;
    uint32_t client; /* index of the tool that has made the context */
    uint64_t handle;
    _Atomic bool active;  /* written under the contexts' lock */
    _Atomic bool accepts; /* false once its tool is finalised: it gets no records
                           * or callbacks any more */
    /* The callback that supplies external ids, and the kinds for which it does so, by bit. If it is
     * NULL, the external id is the top of the thread's stack. */
    rocprofiler_external_correlation_id_request_cb_t request;
    void *request_data;
    uint32_t request_kinds;
    sdk_callback_request_t callbacks[ROCPROFILER_CALLBACK_TRACING_LAST];
    sdk_buffer_request_t buffers[ROCPROFILER_BUFFER_TRACING_LAST];
};

/* To be read between sdk_emit_begin and sdk_emit_end. */
static inline bool sdk_context_accepts(const sdk_context_t *context)
{
    return atomic_load_explicit(&context->accepts, memory_order_relaxed);
}

static inline rocprofiler_context_id_t sdk_context_id(const sdk_context_t *context)
{
    return (rocprofiler_context_id_t){.handle = context->handle};
}

/* Calls a callback service's tool for an operation of the plan. */
static inline void sdk_service_call(const sdk_plan_t *plan, const sdk_callback_service_t *service,
                                    uint64_t thread, rocprofiler_correlation_id_t id,
                                    rocprofiler_callback_phase_t phase, void *payload,
                                    rocprofiler_user_data_t *user)
{
    const rocprofiler_callback_tracing_record_t record = {
        .context_id = sdk_context_id(service->context),
        .thread_id = thread,
        .correlation_id = id,
        .kind = (rocprofiler_callback_tracing_kind_t)plan->callback_kind,
        .operation = plan->operation,
        .phase = phase,
        .payload = payload,
    };
    service->callback(record, user, service->data);
}

/* Return the object with this handle; NULL if there is none. */
sdk_context_t *sdk_context_find(rocprofiler_context_id_t id);
sdk_buffer_t *sdk_buffer_find(rocprofiler_buffer_id_t id);

/* Return the object with this index; NULL beyond the last. */
sdk_context_t *sdk_context_at(uint32_t slot);
sdk_buffer_t *sdk_buffer_at(uint32_t slot);

/* Returns true if the context has started and not stopped. Takes the contexts' lock, because
 * services rely on its order: a thread that stops a context and finds a service's own lock taken
 * leaves the rest to the holder, who asks here after giving that lock back. Either the holder sees
 * that the context has stopped, or the other thread has found the lock free. */
bool sdk_context_active(const sdk_context_t *context);

/* Ends all contexts of a client: stops them, makes them refuse records and callbacks, waits until
 * no thread is between sdk_emit_begin and sdk_emit_end, and delivers the client's buffers a last
 * time. */
void sdk_contexts_end(uint32_t client);

/* Lists the contexts of a client that are running; `ids` has room for SDK_CONTEXTS_MAX. */
size_t sdk_contexts_running(uint32_t client, rocprofiler_context_id_t *ids);

/* Stops the running contexts of a client for a while: waits until the operations that they have
 * seen are reported, then delivers the client's buffers. `ids` becomes the list of the contexts
 * that it has stopped. */
size_t sdk_contexts_pause(uint32_t client, rocprofiler_context_id_t *ids);

/* Sets all plans to NULL, without a lock: for the child of a fork. */
void sdk_plans_clear(void);

/* Lock the contexts while the process forks, see fork.c. */
void sdk_contexts_fork_prepare(void);
void sdk_contexts_fork_done(void);

/* ---- External correlation ids: external.c ---- */

void sdk_external_fork_prepare(void);
void sdk_external_fork_done(bool in_child, uint64_t parent_tid, uint64_t tid);

/* Returns the top of the thread's stack of external ids for the context. */
static inline uint64_t sdk_external(const sdk_thread_t *self, const sdk_context_t *context)
{
    return atomic_load_explicit(&self->external[context->slot], memory_order_relaxed);
}

/* Returns whether the context supplies the external ids of the plan's operation. */
static inline bool sdk_external_asks(const sdk_context_t *context, const sdk_plan_t *plan)
{
    return context->request_kinds >> plan->request_kind & 1;
}

/* Requests the external id of an operation with this internal id from the context. Runs tool
 * code. */
uint64_t sdk_external_ask(sdk_thread_t *self, const sdk_context_t *context, const sdk_plan_t *plan,
                          uint64_t internal);

/* Requests the external id from each context of the plan that supplies external ids, once per
 * context. The ids are written to the elements of these contexts' services; other elements are not
 * written. */
void sdk_external_ask_all(sdk_thread_t *self, const sdk_plan_t *plan, uint64_t internal,
                          rocprofiler_user_data_t *callbacks, rocprofiler_user_data_t *buffers);

/* Sets the context's callback for external ids, and updates its plans. To be called without a
 * lock. */
void sdk_contexts_set_request(sdk_context_t *context,
                              rocprofiler_external_correlation_id_request_cb_t request, void *data,
                              uint32_t kinds);

/* ---- Called at the end of a traced call: retires its correlation id (retirement.c) ---- */

void sdk_retirement_call_ends(sdk_thread_t *self, uint64_t internal);

void sdk_external_thread_begins(sdk_thread_t *self);
void sdk_external_thread_ends(sdk_thread_t *self);

#endif
