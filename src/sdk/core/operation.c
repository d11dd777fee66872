/* operation.c - operations that have begun: callbacks and records of services that are not API
 * wrappers.
 *
 * It is apart because such an operation may be passed from one thread to another. API calls stay on
 * their thread's stack and have a shorter path in api/api.c. */
#include "base/log.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"
#include "sdk/core/registration.h"
#include "sdk/core/service.h"

#include <string.h>

uint64_t sdk_now(void)
{
    sdk_clock_discipline();
    return sdk_clock_ns(sdk_clock_raw());
}

/* Copies the external ids that the thread has at the operation's begin. */
static void take_externals(sdk_operation_t *operation, const sdk_thread_t *self)
{
    const sdk_plan_t *plan = operation->plan;
    for (unsigned i = 0; i < plan->callback_count; i++)
        operation->callback_external[i].value =
            self ? sdk_external(self, plan->callbacks[i].context) : 0;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        operation->buffer_external[i].value =
            self ? sdk_external(self, plan->buffers[i].context) : 0;
}

void sdk_operation_begin_apart(sdk_operation_t *operation, const sdk_plan_t *plan)
{
    operation->plan = plan;
    if (!plan) return;
    sdk_thread_t *self = sdk_thread_self();
    operation->internal = operation->ancestor = 0;
    operation->thread_id = sdk_thread_id();
    for (unsigned i = 0; i < plan->callback_count; i++)
        operation->user[i].value = 0;
    take_externals(operation, self);
}

void sdk_operation_begin(sdk_operation_t *operation, const sdk_plan_t *plan)
{
    sdk_operation_begin_apart(operation, plan);
    if (!plan) return;
    sdk_thread_t *self = sdk_thread_self();
    if (self && self->current) {
        operation->internal = self->current;
        operation->ancestor = self->outer;
    } else {
        operation->internal = sdk_correlation_new();
    }
    if (plan->requests && self)
        sdk_external_ask_all(self, plan, operation->internal, operation->callback_external,
                             operation->buffer_external);
}

/* Returns the external id that the context has supplied for the first operation of the same work;
 * if it was not asked then, it is asked now. */
static uint64_t asked_before(const sdk_operation_t *from, const sdk_context_t *context,
                             const sdk_plan_t *plan, sdk_thread_t *self)
{
    for (unsigned i = 0; i < from->plan->callback_count; i++)
        if (from->plan->callbacks[i].context == context) return from->callback_external[i].value;
    for (unsigned i = 0; i < from->plan->buffer_count; i++)
        if (from->plan->buffers[i].context == context) return from->buffer_external[i].value;
    return self ? sdk_external_ask(self, context, plan, from->internal) : 0;
}

static void follow_requests(sdk_operation_t *operation, const sdk_operation_t *from)
{
    const sdk_plan_t *plan = operation->plan;
    sdk_thread_t *self = sdk_thread_self();
    for (unsigned i = 0; i < plan->callback_count; i++)
        if (sdk_external_asks(plan->callbacks[i].context, plan))
            operation->callback_external[i].value =
                asked_before(from, plan->callbacks[i].context, plan, self);
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (sdk_external_asks(plan->buffers[i].context, plan))
            operation->buffer_external[i].value =
                asked_before(from, plan->buffers[i].context, plan, self);
}

void sdk_operation_follow(sdk_operation_t *operation, const sdk_plan_t *plan,
                          const sdk_operation_t *from)
{
    if (!from->plan) {
        sdk_operation_begin(operation, plan);
        return;
    }
    operation->plan = plan;
    if (!plan) return;
    operation->internal = from->internal;
    operation->ancestor = from->ancestor;
    operation->thread_id = from->thread_id;
    take_externals(operation, sdk_thread_self());
    for (unsigned i = 0; i < plan->callback_count; i++) {
        operation->user[i].value = 0;
        for (unsigned j = 0; j < from->plan->callback_count; j++)
            if (from->plan->callbacks[j].context == plan->callbacks[i].context)
                operation->user[i] = from->user[j];
    }
    if (plan->requests) follow_requests(operation, from);
}

static void tell_lost(void)
{
    static atomic_bool told;
    if (sdk_is_forked_child()) return; /* nothing is traced in such a child */
    if (atomic_exchange_explicit(&told, true, memory_order_relaxed)) return;
    base_error("no memory for an operation that is traced: buffers count it as dropped, callbacks "
               "miss it");
}

void sdk_operation_callback(sdk_operation_t *operation, rocprofiler_callback_phase_t phase,
                            void *payload)
{
    const sdk_plan_t *plan = operation->plan;
    if (!plan || !plan->callback_count) return;
    sdk_thread_t *self = sdk_thread_self();
    if (!self) {
        tell_lost();
        return;
    }
    sdk_emit_begin(self);
    for (unsigned i = 0; i < plan->callback_count; i++) {
        const sdk_callback_service_t *service = &plan->callbacks[i];
        if (!sdk_context_accepts(service->context)) continue;
        const rocprofiler_correlation_id_t id = {.internal = operation->internal,
                                                 .external = operation->callback_external[i],
                                                 .ancestor = operation->ancestor};
        sdk_service_call(plan, service, operation->thread_id, id, phase, payload,
                         &operation->user[i]);
    }
    sdk_emit_end(self);
}

void sdk_operation_lost(const sdk_plan_t *plan)
{
    if (sdk_is_forked_child()) return;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (sdk_context_accepts(plan->buffers[i].context))
            atomic_fetch_add_explicit(&plan->buffers[i].buffer->unringed_drops, 1,
                                      memory_order_relaxed);
    tell_lost();
}

void sdk_operation_record(const sdk_operation_t *operation, void *record, size_t size,
                          rocprofiler_user_data_t *external)
{
    const sdk_plan_t *plan = operation->plan;
    if (!plan || !plan->buffer_count) return;
    sdk_thread_t *self = sdk_thread_self();
    if (!self) {
        sdk_operation_lost(plan);
        return;
    }
    sdk_emit_begin(self);
    for (unsigned i = 0; i < plan->buffer_count; i++) {
        const sdk_buffer_service_t *service = &plan->buffers[i];
        if (!sdk_context_accepts(service->context)) continue;
        *external = operation->buffer_external[i];
        memcpy((char *)record + 8, &service->kind, sizeof service->kind);
        void *room = sdk_buffer_reserve(self, service->buffer, size);
        if (!room) continue;
        memcpy(room, record, size);
        sdk_buffer_commit(
            self, service->buffer,
            sdk_record_word(size, ROCPROFILER_BUFFER_CATEGORY_TRACING, service->kind, false));
    }
    sdk_emit_end(self);
}
