/* records.h - translates the SDK's records into those of the store (trace/format.h). */
#ifndef CROCPROF_TOOL_RECORDS_H
#define CROCPROF_TOOL_RECORDS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

typedef union {
    trace_head_t head;
    trace_timed_t timed; /* the beginning of each of the forms */
    trace_api_full_t api;
    trace_call_t call;
    trace_dispatch_t dispatch;
    trace_copy_t copy;
    trace_allocation_t allocation;
    trace_scratch_t scratch;
    trace_sample_t sample;
    trace_snapshot_t snapshot;
    trace_graph_t graph;
    trace_barrier_t barrier;
    struct {
        trace_dispatch_t dispatch;
        trace_node_t node;
    } launched; /* a kernel that a graph has launched */
    struct {
        trace_copy_t copy;
        trace_node_t node;
    } moved; /* a copy that a graph has launched */
} tool_record_t;
_Static_assert(sizeof(((tool_record_t *)0)->launched) ==
                       sizeof(trace_dispatch_t) + sizeof(trace_node_t) &&
                   sizeof(((tool_record_t *)0)->moved) ==
                       sizeof(trace_copy_t) + sizeof(trace_node_t),
               "a node is right behind its record");

/* Values of a call's arguments, which follow its record. */
typedef struct {
    size_t bytes;        /* a multiple of 8; 0: there are no values */
    uint64_t count, cut; /* `cut`: number of values that were too long */
    _Alignas(8) char text[16384];
} tool_values_t;

/* Appends a value, which is cut if it is too long. Returns true if no further value fits. */
bool tool_values_add(tool_values_t *v, const char *value);
/* To be called after the last value. */
void tool_values_end(tool_values_t *v);

/* Returns whether records of this kind are calls without arguments. */
static inline bool tool_record_is_call(const rocprofiler_record_header_t *from)
{
    _Static_assert(ROCPROFILER_BUFFER_TRACING_LAST <= 64, "a kind is a bit of `calls`");
    static const uint64_t calls =
#define BIT(id)                UINT64_C(1) << ROCPROFILER_BUFFER_TRACING_##id |
#define KIND_PLAIN(id, ...)    BIT(id)
#define KIND_SEEN(id, ...)     BIT(id)
#define KIND_EXTENDED(id, ...) BIT(id)
#include "trace/kinds.def"
#undef BIT
        0;
    return from->category == ROCPROFILER_BUFFER_CATEGORY_TRACING && from->kind < 64 &&
           calls >> from->kind & 1;
}

/* Makes the record of such a call. */
static inline void tool_record_call(trace_api_full_t *to, const rocprofiler_record_header_t *from)
{
    /* HIP's record has the same layout as HSA's, and the extended one begins with it */
    const rocprofiler_buffer_tracing_hsa_api_record_t *r = from->payload;
    uint64_t external = r->correlation_id.external.value, ancestor = r->correlation_id.ancestor;
    size_t bytes = external | ancestor ? sizeof(trace_api_full_t) : sizeof(trace_api_t);
    *to = (trace_api_full_t){
        .head = trace_head(TRACE_API, from->kind, (uint32_t)r->operation, r->thread_id, bytes),
        .start = r->start_timestamp,
        .end = r->end_timestamp,
        .correlation = r->correlation_id.internal,
        .ancestor = ancestor,
        .external = external};
}

/* Returns false for records that the store has no form for. It takes no lock and allocates nothing.
 * The size in the record's head is that of both parts. */
bool tool_record_translate(tool_record_t *to, tool_values_t *values,
                           rocprofiler_record_header_t *from);
/* Returns the size of the record without the values, in bytes. */
size_t tool_record_bytes(const tool_record_t *r, const tool_values_t *values);

#endif
