/* api.c - what happens before and after a traced API call.
 *
 * It is apart because this is the hot path, which takes no lock, allocates nothing, formats nothing
 * and stores to no cache line that another thread stores to. Whatever is rare stands in a function
 * of its own. */
#include "sdk/api/api.h"
#include "sdk/core/buffer.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"

#include <string.h>

/* The record types of the API kinds differ in name only: all are written through this one. */
typedef rocprofiler_buffer_tracing_hip_api_record_t api_record_t;
typedef rocprofiler_buffer_tracing_hip_api_ext_record_t ext_record_t;
_Static_assert(sizeof(api_record_t) == sizeof(rocprofiler_buffer_tracing_hsa_api_record_t) &&
                   offsetof(ext_record_t, args) == sizeof(api_record_t),
               "API records differ");

/* An EXT record ends with the payload without its size: arguments and result. */
typedef rocprofiler_callback_tracing_hip_api_data_t payload_t;
_Static_assert(sizeof(payload_t) - offsetof(payload_t, args) ==
                       sizeof(ext_record_t) - offsetof(ext_record_t, args) &&
                   offsetof(payload_t, args) == sizeof(uint64_t),
               "payload and EXT record differ");

/* Returns the external id for a context: what its tool has supplied when the call began, or else
 * the top of the thread's stack. */
static inline uint64_t external_of(const sdk_frame_t *frame, const sdk_context_t *context,
                                   const rocprofiler_user_data_t *answers, unsigned i)
{
    if (__builtin_expect(frame->plan->requests, 0) && sdk_external_asks(context, frame->plan))
        return answers[i].value;
    return sdk_external(frame->thread, context);
}

static void run_callbacks(sdk_frame_t *frame, rocprofiler_callback_phase_t phase, void *payload)
{
    const sdk_plan_t *plan = frame->plan;
    sdk_thread_t *self = frame->thread;
    sdk_emit_begin(self);
    for (unsigned i = 0; i < plan->callback_count; i++) {
        const sdk_callback_service_t *service = &plan->callbacks[i];
        if (!sdk_context_accepts(service->context)) continue;
        const rocprofiler_correlation_id_t id = {
            .internal = frame->internal,
            .external.value = external_of(frame, service->context, frame->callback_external, i),
            .ancestor = frame->ancestor};
        sdk_service_call(plan, service, self->tid, id, phase, payload, &frame->user[i]);
    }
    sdk_emit_end(self);
}

void sdk_api_enter(sdk_frame_t *frame, const sdk_plan_t *plan, void *payload)
{
    sdk_thread_t *self = sdk_thread_self();
    frame->plan = plan;
    frame->thread = self;
    if (__builtin_expect(!self, 0)) return;
    sdk_call_begin(self);
    frame->internal = sdk_thread_next_id(self);
    frame->ancestor = self->current;
    frame->outer = self->outer;
    self->outer = self->current;
    self->current = frame->internal;
    if (__builtin_expect(plan->requests, 0))
        sdk_external_ask_all(self, plan, frame->internal, frame->callback_external,
                             frame->buffer_external);
    if (plan->callback_count) {
        for (unsigned i = 0; i < plan->callback_count; i++)
            frame->user[i].value = 0;
        run_callbacks(frame, ROCPROFILER_CALLBACK_PHASE_ENTER, payload);
    }
    if (plan->buffer_count) frame->begin = sdk_clock_raw();
}

static inline void fill(api_record_t *record, const sdk_frame_t *frame,
                        const sdk_buffer_service_t *service, uint64_t external, size_t size)
{
    record->size = size;
    record->kind = (rocprofiler_buffer_tracing_kind_t)service->kind;
    record->operation = frame->plan->operation;
    record->correlation_id.internal = frame->internal;
    record->correlation_id.external.value = external;
    record->correlation_id.ancestor = frame->ancestor;
    record->thread_id = frame->thread->tid;
}

static void write_record(const sdk_frame_t *frame, unsigned i, uint64_t end, const void *payload)
{
    const sdk_buffer_service_t *service = &frame->plan->buffers[i];
    sdk_thread_t *self = frame->thread;
    uint64_t payload_bytes = 0;
    size_t size = sizeof(api_record_t);
    if (__builtin_expect(service->with_payload, 0)) {
        memcpy(&payload_bytes, payload, sizeof payload_bytes);
        size += payload_bytes - offsetof(payload_t, args);
    }
    api_record_t *record = sdk_buffer_reserve(self, service->buffer, size);
    if (__builtin_expect(!record, 0)) return;
    fill(record, frame, service, external_of(frame, service->context, frame->buffer_external, i),
         size);
    record->start_timestamp = frame->begin;
    record->end_timestamp = end;
    if (__builtin_expect(payload_bytes != 0, 0)) {
        void *args = &((ext_record_t *)record)->args;
        memcpy(args, &((const payload_t *)payload)->args, size - sizeof(api_record_t));
        sdk_args_keep_strings(frame->plan->domain, frame->plan->operation, args);
    }
    sdk_buffer_commit(self, service->buffer,
                      sdk_record_word(size, ROCPROFILER_BUFFER_CATEGORY_TRACING, service->kind,
                                      sdk_clock_uses_tsc));
}

static __attribute__((noinline)) void write_records(const sdk_frame_t *frame, uint64_t end,
                                                    const void *payload)
{
    const sdk_plan_t *plan = frame->plan;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (sdk_context_accepts(plan->buffers[i].context)) write_record(frame, i, end, payload);
}

/* write_records() for a plan whose only follower is a direct buffer, without a payload: the usual
 * case of a tool that stores the records itself. */
static inline void write_one(const sdk_frame_t *frame, uint64_t end)
{
    const sdk_buffer_service_t *service = frame->plan->buffers;
    if (!sdk_context_accepts(service->context)) return;
    api_record_t *record = sdk_buffer_reserve(frame->thread, service->buffer, sizeof(api_record_t));
    if (__builtin_expect(!record, 0)) return;
    uint64_t start = frame->begin;
    sdk_clock_ns_both(&start, &end);
    fill(record, frame, service, external_of(frame, service->context, frame->buffer_external, 0),
         sizeof(api_record_t));
    record->start_timestamp = start;
    record->end_timestamp = end;
    sdk_buffer_hand_over(frame->thread, service->buffer,
                         sdk_record_word(sizeof(api_record_t), ROCPROFILER_BUFFER_CATEGORY_TRACING,
                                         service->kind, false));
}

void sdk_api_exit(sdk_frame_t *frame, void *payload)
{
    sdk_thread_t *self = frame->thread;
    if (__builtin_expect(!self, 0)) {
        sdk_operation_lost(frame->plan);
        return;
    }
    const sdk_plan_t *plan = frame->plan;
    uint64_t end = plan->buffer_count ? sdk_clock_raw() : 0;
    if (plan->callback_count) run_callbacks(frame, ROCPROFILER_CALLBACK_PHASE_EXIT, payload);
    self->current = frame->ancestor;
    self->outer = frame->outer;
    if (plan->buffer_count) {
        sdk_emit_begin(self);
        if (__builtin_expect(plan->one_direct, 1))
            write_one(frame, end);
        else
            write_records(frame, end, payload);
        sdk_emit_end(self);
    }
    if (__builtin_expect(self->references || sdk_plan(SDK_DOMAIN_RETIREMENT, 0), 0))
        sdk_retirement_call_ends(self, frame->internal);
    sdk_call_end(self);
}
