/* retirement.c - reports when a correlation id will appear in no further record.
 *
 * It is apart so that only tools that follow retirement pay for it. Most ids retire when their call
 * returns, and nothing is allocated for them. For work that outlasts its call, an sdk_reference_t
 * is made, which is found through the calling thread while the call lasts. It counts its holders:
 * the call itself and each piece of work. The last holder to release it emits the record. */
#include "sdk/core/context.h"

#include <stdlib.h>

struct sdk_reference {
    uint64_t internal;
    _Atomic uint32_t count;
    _Atomic uint64_t end;        /* end of the latest record with this id */
    struct sdk_reference *outer; /* reference of the enclosing call on the same thread */
};

static const sdk_plan_t *plan(void)
{
    return sdk_plan(SDK_DOMAIN_RETIREMENT, 0);
}

/* Emits the record that retires an id which has no more holders. */
static void emit_retirement(uint64_t internal, uint64_t end)
{
    const sdk_plan_t *p = plan();
    if (!p) return;
    uint64_t now = sdk_now();
    rocprofiler_buffer_tracing_correlation_id_retirement_record_t record = {
        .size = sizeof record,
        .kind = ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT,
        .timestamp = now > end ? now : end + 1,
        .internal_correlation_id = internal,
    };
    for (unsigned i = 0; i < p->buffer_count; i++)
        sdk_buffer_emit(p->buffers[i].buffer, ROCPROFILER_BUFFER_CATEGORY_TRACING,
                        p->buffers[i].kind, &record, sizeof record);
}

sdk_reference_t *sdk_retirement_hold(const sdk_operation_t *operation)
{
    if (!operation->plan || !plan()) return NULL;
    sdk_thread_t *self = sdk_thread_self();
    if (!self) {
        sdk_operation_lost(plan());
        return NULL;
    }
    sdk_reference_t *innermost = self->references;
    if (innermost && innermost->internal == operation->internal) {
        atomic_fetch_add_explicit(&innermost->count, 1, memory_order_relaxed);
        return innermost;
    }
    sdk_reference_t *made = malloc(sizeof *made);
    bool in_call = self->current == operation->internal;
    if (!made) {
        /* During the call the loss is reported when the call ends. */
        if (!in_call) sdk_operation_lost(plan());
        return NULL;
    }
    *made = (sdk_reference_t){.internal = operation->internal, .count = in_call ? 2 : 1};
    if (!in_call) return made;
    made->outer = innermost;
    self->references = made;
    return made;
}

void sdk_retirement_release(sdk_reference_t *reference, uint64_t end)
{
    if (!reference) return;
    uint64_t latest = atomic_load_explicit(&reference->end, memory_order_relaxed);
    while (end > latest &&
           !atomic_compare_exchange_weak_explicit(&reference->end, &latest, end,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    if (atomic_fetch_sub_explicit(&reference->count, 1, memory_order_acq_rel) != 1) return;
    emit_retirement(reference->internal,
                    atomic_load_explicit(&reference->end, memory_order_relaxed));
    free(reference);
}

void sdk_retirement_call_ends(sdk_thread_t *self, uint64_t internal)
{
    sdk_reference_t *innermost = self->references;
    if (!innermost || innermost->internal != internal) {
        emit_retirement(internal, 0);
        return;
    }
    self->references = innermost->outer;
    sdk_retirement_release(innermost, 0);
}
