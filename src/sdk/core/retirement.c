/* retirement.c - tells when a correlation id will appear in no further record.
 *
 * Apart because only who follows it pays for it. Most ids end with their call, and nothing is kept
 * for them. Work that outlasts the call makes a reference, found from the thread while the call
 * lasts; the call and each piece of work count as one, and whoever is last tells. */
#include "sdk/core/context.h"

#include <stdlib.h>

struct sdk_reference {
    uint64_t internal;
    _Atomic uint32_t count;
    _Atomic uint64_t end;        /* the latest of its records' */
    struct sdk_reference *outer; /* of the same thread */
};

static const sdk_plan_t *plan(void)
{
    return sdk_plan(SDK_DOMAIN_RETIREMENT, 0);
}

/* An id that nothing refers to any more. */
static void tell(uint64_t internal, uint64_t end)
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
        if (!in_call) sdk_operation_lost(plan()); /* else it is told of with the call's end */
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
    tell(reference->internal, atomic_load_explicit(&reference->end, memory_order_relaxed));
    free(reference);
}

void sdk_retirement_call_ends(sdk_thread_t *self, uint64_t internal)
{
    sdk_reference_t *innermost = self->references;
    if (!innermost || innermost->internal != internal) {
        tell(internal, 0);
        return;
    }
    self->references = innermost->outer;
    sdk_retirement_release(innermost, 0);
}
