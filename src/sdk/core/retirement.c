/* retirement.c - reports when a correlation id will appear in no further record.
 *
 * A file of its own, so that only tools that ask for retirement pay for it. Most ids retire when
 * their call returns, and nothing is allocated for them. Work that outlasts the call holds a
 * reference, which is found through the calling thread while the call lasts. The call and each
 * piece of work hold it once; whoever releases it last emits the record. */
#include "sdk/core/context.h"

#include <stdlib.h>

struct sdk_reference {
    uint64_t internal;
    _Atomic uint32_t count;
    _Atomic uint64_t end;        /* end of the latest record with this id */
    struct sdk_reference *outer; /* that of the call around this one, on the same thread */
};

static const sdk_plan_t *plan(void)
{
    return sdk_plan(SDK_DOMAIN_RETIREMENT, 0);
}

/* Emits the record for an id that nothing refers to any more. */
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
        /* In a call: the id is reported when the call ends. */
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
