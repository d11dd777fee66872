/* marker.c - ranges of ROCTx as operations: from push to pop, from start to stop.
 *
 * They are apart from the wrappers of single functions because a range lasts beyond a call and may
 * end on another thread. Contexts, external ids and thread are those of its begin. A range of a
 * thread (push, pop) is the ancestor of the calls that the thread makes inside it. A range of the
 * process (start, stop) is no ancestor, because such ranges overlap. Ranges that never end are not
 * reported. */
#include "base/intern.h"
#include "base/log.h"
#include "sdk/api/api.h"
#include "sdk/core/context.h"
#include "sdk/core/services.h"
#include "sdk/marker/ranges.h"

#include <rocprofiler-sdk-roctx/api_trace.h>

#include <stddef.h>
#include <string.h>

typedef rocprofiler_callback_tracing_marker_api_data_t payload_t;

static roctxCoreApiTable_t saved; /* the functions that the table had before these wrappers */

static const sdk_plan_t *plan_of(rocprofiler_marker_core_range_api_id_t operation)
{
    return sdk_plan(SDK_DOMAIN_MARKER_CORE_RANGE, (int32_t)operation);
}

/* ---- Operations of one call ---- */

static __attribute__((noinline)) void traced_mark(const sdk_plan_t *plan, const char *message)
{
    sdk_frame_t frame;
    payload_t payload = {.size = sizeof payload, .args.roctxMarkA.message = message};
    sdk_api_enter(&frame, plan, &payload);
    saved.roctxMarkA_fn(message);
    sdk_api_exit(&frame, &payload);
}

static void wrap_mark(const char *message)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA);
    if (__builtin_expect(!plan, 1))
        saved.roctxMarkA_fn(message);
    else
        traced_mark(plan, message);
}

static __attribute__((noinline)) int traced_get_thread_id(const sdk_plan_t *plan,
                                                          roctx_thread_id_t *tid)
{
    sdk_frame_t frame;
    payload_t payload = {.size = sizeof payload, .args.roctxGetThreadId.tid = tid};
    sdk_api_enter(&frame, plan, &payload);
    payload.retval.int32_t_retval = saved.roctxGetThreadId_fn(tid);
    sdk_api_exit(&frame, &payload);
    return payload.retval.int32_t_retval;
}

static int wrap_get_thread_id(roctx_thread_id_t *tid)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId);
    return __builtin_expect(!plan, 1) ? saved.roctxGetThreadId_fn(tid)
                                      : traced_get_thread_id(plan, tid);
}

/* ---- Ranges ---- */

/* Begins the range's operation with a new correlation id. An operation takes the id of the call
 * that the thread is in, so the thread is treated as if it were in a call that lasts as long as the
 * range. */
static void begin_operation(sdk_thread_t *self, sdk_operation_t *operation, const sdk_plan_t *plan)
{
    uint64_t current = self->current, outer = self->outer;
    self->outer = current;
    self->current = sdk_thread_next_id(self);
    sdk_operation_begin(operation, plan);
    self->current = current;
    self->outer = outer;
}

/* Begins a range that is followed; NULL, counted as lost, when out of memory. The payload has the
 * message in the same place for both kinds of range. */
static sdk_range_t *begin(sdk_thread_t *self, const sdk_plan_t *plan, const char *message)
{
    _Static_assert(offsetof(payload_t, args.roctxThreadRangeA.message) ==
                       offsetof(payload_t, args.roctxProcessRangeA.message),
                   "messages of ranges");
    sdk_range_t *range = sdk_range_new(self);
    if (!range) {
        sdk_operation_lost(plan);
        return NULL;
    }
    begin_operation(self, &range->operation, plan);
    range->payload = (payload_t){.size = sizeof range->payload};
    if (plan->callback_count) {
        range->payload.args.roctxThreadRangeA.message = base_intern(message);
        sdk_operation_callback(&range->operation, ROCPROFILER_CALLBACK_PHASE_ENTER,
                               &range->payload);
    }
    range->begin = plan->buffer_count ? sdk_now() : 0;
    return range;
}

static void end(sdk_thread_t *self, sdk_range_t *range)
{
    const sdk_plan_t *plan = range->operation.plan;
    uint64_t now = plan->buffer_count ? sdk_now() : 0;
    if (!sdk_finalizing()) {
        sdk_operation_callback(&range->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &range->payload);
        rocprofiler_buffer_tracing_marker_api_record_t record = {
            .size = sizeof record,
            .operation = plan->operation,
            .correlation_id = {.internal = range->operation.internal,
                               .ancestor = range->operation.ancestor},
            .start_timestamp = range->begin,
            .end_timestamp = now,
            .thread_id = range->operation.thread_id,
        };
        sdk_operation_record(&range->operation, &record, sizeof record,
                             &record.correlation_id.external);
        sdk_retirement_call_ends(self, range->operation.internal);
    }
    sdk_range_recycle(self, range);
}

static int wrap_push(const char *message)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA);
    sdk_thread_t *self = sdk_thread_self();
    if (!self) {
        if (plan) sdk_operation_lost(plan);
        return saved.roctxRangePushA_fn(message);
    }
    size_t place = sdk_ranges_push(self);
    if (plan && !place) sdk_operation_lost(plan);
    sdk_range_t *range = plan && place ? begin(self, plan, message) : NULL;
    int level = saved.roctxRangePushA_fn(message);
    if (!range) return level;
    range->payload.retval.int32_t_retval = level;
    range->outer = self->outer;
    self->outer = self->current;
    self->current = range->operation.internal;
    sdk_ranges_set(self, place, range);
    return level;
}

static int wrap_pop(void)
{
    sdk_thread_t *self = sdk_thread_self();
    sdk_range_t *range = self ? sdk_ranges_pop(self) : NULL;
    int level = saved.roctxRangePop_fn();
    if (!range) return level;
    /* this is false if a tool's callback ends a range that the program began */
    if (self->current == range->operation.internal) {
        self->current = range->operation.ancestor;
        self->outer = range->outer;
    }
    end(self, range);
    return level;
}

static roctx_range_id_t wrap_start(const char *message)
{
    const sdk_plan_t *plan = plan_of(ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA);
    sdk_thread_t *self = plan ? sdk_thread_self() : NULL;
    sdk_range_t *range = self ? begin(self, plan, message) : NULL;
    if (plan && !self) sdk_operation_lost(plan);
    roctx_range_id_t id = saved.roctxRangeStartA_fn(message);
    if (!range) return id;
    range->payload.retval.roctx_range_id_t_retval = id;
    sdk_ranges_put(self, id, range);
    return id;
}

static void wrap_stop(roctx_range_id_t id)
{
    sdk_thread_t *self = sdk_thread_self();
    sdk_range_t *range = self ? sdk_ranges_take(self, id) : NULL;
    saved.roctxRangeStop_fn(id);
    if (range) end(self, range);
}

/* ---- Installation ---- */

typedef void (*entry_t)(void);

static const struct {
    rocprofiler_marker_core_range_api_id_t operation;
    size_t offset;
    entry_t wrapper;
} entries[] = {
#define ENTRY(operation, member, wrapper)                                                          \
    {                                                                                              \
        ROCPROFILER_MARKER_CORE_RANGE_API_ID_##operation,                                          \
            offsetof(roctxCoreApiTable_t, member##_fn), (entry_t)(wrapper)                         \
    }
    ENTRY(roctxMarkA, roctxMarkA, wrap_mark),
    ENTRY(roctxThreadRangeA, roctxRangePushA, wrap_push),
    ENTRY(roctxThreadRangeA, roctxRangePop, wrap_pop),
    ENTRY(roctxProcessRangeA, roctxRangeStartA, wrap_start),
    ENTRY(roctxProcessRangeA, roctxRangeStop, wrap_stop),
    ENTRY(roctxGetThreadId, roctxGetThreadId, wrap_get_thread_id),
#undef ENTRY
};

enum { ENTRY_COUNT = sizeof entries / sizeof *entries };

static void install(void *core_table)
{
    static void *wrapped;
    uint64_t size;
    memcpy(&size, core_table, sizeof size);
    if (!sdk_domain_configured(SDK_DOMAIN_MARKER_CORE_RANGE) || wrapped == core_table) return;
    if (wrapped) {
        base_warning("a second runtime has registered a table of ROCTx: its ranges are not traced");
        return;
    }
    wrapped = core_table;
    memcpy(&saved, core_table, size < sizeof saved ? size : sizeof saved);
    for (int i = 0; i < ENTRY_COUNT; i++) {
        entry_t *entry = (entry_t *)(void *)((char *)core_table + entries[i].offset);
        if (entries[i].offset + sizeof(entry_t) > size || !*entry) continue;
        if (!sdk_operation_configured(SDK_DOMAIN_MARKER_CORE_RANGE, entries[i].operation)) continue;
        /* `saved` is complete before other threads can call the wrappers */
        __atomic_store_n(entry, entries[i].wrapper, __ATOMIC_RELEASE);
    }
}

/* The functions are around the wrappers of single functions, so that the calls are inside the
 * range. */
SDK_SERVICE(marker) = {.around = {ROCPROFILER_MARKER_CORE_TABLE, install},
                       .thread_ends = sdk_ranges_close};
