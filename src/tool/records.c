/* records.c - see records.h. There is one function for each form of record, which copies field by
 * field, and no state. */
#include "tool/records.h"

#include <stddef.h>
#include <string.h>

#include "tool/fields.h"
#include "tool/origin.h"
#include "trace/writer.h"

#define BEGINS_SO(type)                                                                            \
    _Static_assert(offsetof(type, start) == offsetof(trace_timed_t, start), #type)
BEGINS_SO(trace_api_full_t);
BEGINS_SO(trace_dispatch_t);
BEGINS_SO(trace_copy_t);
BEGINS_SO(trace_allocation_t);
BEGINS_SO(trace_scratch_t);
_Static_assert(offsetof(trace_call_t, call) == 0, "trace_call_t");

bool tool_values_add(tool_values_t *v, const char *value)
{
    /* leaves room for the mark of a cut text for each argument that may follow */
    size_t marks = (TRACE_ARGUMENTS_MAX - 1 - v->count) * sizeof(TRACE_CUT);
    v->bytes +=
        trace_text_fit(v->text + v->bytes, sizeof(v->text) - v->bytes - marks, value, &v->cut);
    return ++v->count == TRACE_ARGUMENTS_MAX;
}

void tool_values_end(tool_values_t *v)
{
    while (v->bytes % sizeof(uint64_t))
        v->text[v->bytes++] = 0;
}

static int add_value(rocprofiler_buffer_tracing_kind_t kind,
                     rocprofiler_tracing_operation_t operation, uint32_t number,
                     const void *const address, int32_t indirections, const char *type,
                     const char *name, const char *value, void *data)
{
    (void)kind, (void)operation, (void)number, (void)address, (void)indirections, (void)type,
        (void)name;
    return tool_values_add(data, value);
}

_Static_assert(offsetof(rocprofiler_buffer_tracing_hip_api_ext_record_t, args) ==
                   offsetof(rocprofiler_buffer_tracing_rocdecode_api_ext_record_t, args),
               "records with arguments begin alike");

static void gather_values(tool_values_t *values, const rocprofiler_record_header_t *from)
{
    values->count = 0;
    tool_fields_each(from, add_value, values);
    tool_values_end(values);
}

/* Translates an event that is no call into the form of a call with arguments. */
static bool from_event(tool_record_t *to, tool_values_t *values,
                       const rocprofiler_record_header_t *from)
{
    trace_api_full_t t = tool_fields_times(from);
    gather_values(values, from);
    t.head = trace_head(TRACE_API, from->kind, trace_operation(t.head), trace_thread(t.head),
                        sizeof(to->call) + values->bytes);
    to->call = (trace_call_t){.call = t, .count = (uint32_t)values->count};
    return true;
}

/* Offset of the 8 bytes with a call's result in records of the extended kinds; 0: the functions
 * return nothing. */
#define RESULT_retval(structure)  offsetof(rocprofiler_buffer_tracing_##structure, retval)
#define RESULT_nothing(structure) 0
static const size_t results[ROCPROFILER_BUFFER_TRACING_LAST] = {
#define KIND_EXTENDED(id, domain, option, structure, result)                                       \
    [ROCPROFILER_BUFFER_TRACING_##id##_EXT] = RESULT_##result(structure),
#include "trace/kinds.def"
};

/* Translates a call with its arguments and its result. */
static bool from_call(tool_record_t *to, tool_values_t *values,
                      const rocprofiler_record_header_t *from)
{
    const rocprofiler_buffer_tracing_hip_api_ext_record_t *r = from->payload;
    const size_t result = results[from->kind];
    gather_values(values, from);
    to->call =
        (trace_call_t){.call = {.head = trace_head(TRACE_API, from->kind, (uint32_t)r->operation,
                                                   r->thread_id, sizeof(to->call) + values->bytes),
                                .start = r->start_timestamp,
                                .end = r->end_timestamp,
                                .correlation = r->correlation_id.internal,
                                .ancestor = r->correlation_id.ancestor,
                                .external = r->correlation_id.external.value},
                       .count = (uint32_t)values->count,
                       .has_result = result != 0};
    if (result) memcpy(&to->call.result, (const char *)r + result, sizeof(to->call.result));
    return true;
}

static bool from_dispatch(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_kernel_dispatch_record_t *from = payload;
    const rocprofiler_kernel_dispatch_info_t *info = &from->dispatch_info;
    const tool_origin_t origin = tool_origin_of(from->correlation_id.external.value);
    const size_t bytes = origin.graph ? sizeof(to->launched) : sizeof(to->dispatch);
    to->dispatch = (trace_dispatch_t){
        .head = trace_head(TRACE_DISPATCH, kind, (uint32_t)from->operation, from->thread_id, bytes),
        .start = from->start_timestamp,
        .end = from->end_timestamp,
        .correlation = from->correlation_id.internal,
        .external = origin.range,
        .stream = origin.stream,
        .agent = info->agent_id.handle,
        .queue = info->queue_id.handle,
        .kernel = info->kernel_id,
        .dispatch = info->dispatch_id,
        .private_bytes = info->private_segment_size,
        .group_bytes = info->group_segment_size,
        .workgroup = {info->workgroup_size.x, info->workgroup_size.y, info->workgroup_size.z},
        .grid = {info->grid_size.x, info->grid_size.y, info->grid_size.z}};
    if (origin.graph) to->launched.node = (trace_node_t){origin.graph, origin.node};
    return true;
}

static bool from_copy(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_memory_copy_record_t *from = payload;
    const tool_origin_t origin = tool_origin_of(from->correlation_id.external.value);
    const size_t bytes = origin.graph ? sizeof(to->moved) : sizeof(to->copy);
    to->copy = (trace_copy_t){
        .head = trace_head(TRACE_COPY, kind, (uint32_t)from->operation, from->thread_id, bytes),
        .start = from->start_timestamp,
        .end = from->end_timestamp,
        .correlation = from->correlation_id.internal,
        .external = origin.range,
        .stream = origin.stream,
        .source = from->src_agent_id.handle,
        .destination = from->dst_agent_id.handle,
        .bytes = from->bytes,
        .source_address = from->src_address.handle,
        .destination_address = from->dst_address.handle};
    if (origin.graph) to->moved.node = (trace_node_t){origin.graph, origin.node};
    return true;
}

static bool from_graph(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_hip_graph_record_t *from = payload;
    to->graph = (trace_graph_t){
        .head = trace_head(TRACE_GRAPH, kind, from->operation, from->thread_id, sizeof(to->graph)),
        .start = from->start_timestamp,
        .end = from->end_timestamp,
        .correlation = from->correlation_id.internal,
        .external = from->correlation_id.external.value,
        .ancestor = from->correlation_id.ancestor,
        .agent = from->agent_id.handle,
        .queue = from->queue_id.handle,
        .graph = from->graph_exec_id.handle,
        .kernels = from->kernel_dispatch_count};
    return true;
}

static bool from_barrier(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_hip_event_record_t *from = payload;
    const tool_origin_t origin = tool_origin_of(from->correlation_id.external.value);
    to->barrier =
        (trace_barrier_t){.head = trace_head(TRACE_BARRIER, kind, (uint32_t)from->operation,
                                             from->thread_id, sizeof(to->barrier)),
                          .start = from->start_timestamp,
                          .end = from->end_timestamp,
                          .correlation = from->correlation_id.internal,
                          .external = origin.range,
                          .stream = origin.stream,
                          .agent = from->agent_id.handle,
                          .queue = from->queue_id.handle,
                          .event = from->hip_event_handle,
                          .source = from->source_queue_id.handle};
    return true;
}

static bool from_allocation(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_memory_allocation_record_t *from = payload;
    bool given = from->operation == ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE ||
                 from->operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE;
    to->allocation =
        (trace_allocation_t){.head = trace_head(TRACE_ALLOCATION, kind, (uint32_t)from->operation,
                                                from->thread_id, sizeof(to->allocation)),
                             .start = from->start_timestamp,
                             .end = from->end_timestamp,
                             .correlation = from->correlation_id.internal,
                             .external = from->correlation_id.external.value,
                             .agent = given ? from->agent_id.handle : 0,
                             .address = from->address.handle,
                             .bytes = from->allocation_size};
    return true;
}

static bool from_scratch(tool_record_t *to, uint32_t kind, const void *payload)
{
    const rocprofiler_buffer_tracing_scratch_memory_record_t *from = payload;
    to->scratch =
        (trace_scratch_t){.head = trace_head(TRACE_SCRATCH, kind, (uint32_t)from->operation,
                                             from->thread_id, sizeof(to->scratch)),
                          .start = from->start_timestamp,
                          .end = from->end_timestamp,
                          .correlation = from->correlation_id.internal,
                          .external = from->correlation_id.external.value,
                          .agent = from->agent_id.handle,
                          .queue = from->queue_id.handle,
                          .flags = (uint64_t)from->flags,
                          .bytes = from->allocation_size};
    return true;
}

/* Translates PC samples. Their kind and operation are those of a dispatch. The members that are
 * copied here are in the records of both methods. */
#define SAMPLE_OF(type, from, bytes)                                                               \
    ((trace_sample_t){                                                                             \
        .head = trace_head(type, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,                       \
                           ROCPROFILER_KERNEL_DISPATCH_COMPLETE, 0, bytes),                        \
        .start = (from)->timestamp,                                                                \
        .end = (from)->timestamp,                                                                  \
        .correlation = (from)->correlation_id.internal,                                            \
        .external = (from)->correlation_id.external.value,                                         \
        .dispatch = (from)->dispatch_id,                                                           \
        .code_object = (from)->pc.code_object_id,                                                  \
        .offset = (from)->pc.code_object_offset,                                                   \
        .exec = (from)->exec_mask,                                                                 \
        .workgroup = {(from)->workgroup_id.x, (from)->workgroup_id.y, (from)->workgroup_id.z},     \
        .wave = (from)->wave_in_group,                                                             \
    })

static void from_host_trap(tool_record_t *to,
                           const rocprofiler_pc_sampling_record_host_trap_v0_t *from)
{
    to->sample = SAMPLE_OF(TRACE_SAMPLE, from, sizeof(to->sample));
    memcpy(&to->sample.place, &from->hw_id, sizeof(to->sample.place));
}

static void from_stochastic(tool_record_t *to,
                            const rocprofiler_pc_sampling_record_stochastic_v0_t *from)
{
    to->snapshot =
        (trace_snapshot_t){.sample = SAMPLE_OF(TRACE_SNAPSHOT, from, sizeof(to->snapshot)),
                           .waves = from->wave_count,
                           .issued = from->wave_issued,
                           .instruction = from->inst_type};
    memcpy(&to->snapshot.sample.place, &from->hw_id, sizeof(to->snapshot.sample.place));
    memcpy(&to->snapshot.snapshot, &from->snapshot, sizeof(to->snapshot.snapshot));
}

static bool from_sample(tool_record_t *to, const rocprofiler_record_header_t *header)
{
    switch (header->kind) {
    case ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE:
        from_host_trap(to, header->payload);
        return true;
    case ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE:
        from_stochastic(to, header->payload);
        return true;
    default: return false; /* the hardware itself marks the sample as invalid */
    }
}

typedef bool (*from_call_t)(tool_record_t *to, tool_values_t *values,
                            const rocprofiler_record_header_t *from);
typedef bool (*from_work_t)(tool_record_t *to, uint32_t kind, const void *payload);

static const struct {
    from_call_t call; /* makes the record of a call with arguments */
    from_work_t work;
} forms[ROCPROFILER_BUFFER_TRACING_LAST] = {
#define KIND_EXTENDED(id, ...) [ROCPROFILER_BUFFER_TRACING_##id##_EXT] = {.call = from_call},
#define KIND_EVENT(id, ...)    [ROCPROFILER_BUFFER_TRACING_##id] = {.call = from_event},
#define KIND_WORK(id, domain, option, form)                                                        \
    [ROCPROFILER_BUFFER_TRACING_##id] = {.work = from_##form},
#include "trace/kinds.def"
};

size_t tool_record_bytes(const tool_record_t *r, const tool_values_t *values)
{
    return trace_words(r->head) * 8u - values->bytes;
}

bool tool_record_translate(tool_record_t *to, tool_values_t *values,
                           rocprofiler_record_header_t *from)
{
    values->bytes = values->cut = 0;
    if (from->category == ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING) return from_sample(to, from);
    if (from->category != ROCPROFILER_BUFFER_CATEGORY_TRACING) return false;
    if (tool_record_is_call(from)) {
        tool_record_call(&to->api, from);
        return true;
    }
    if (from->kind >= ROCPROFILER_BUFFER_TRACING_LAST) return false;
    if (forms[from->kind].work) return forms[from->kind].work(to, from->kind, from->payload);
    return forms[from->kind].call && forms[from->kind].call(to, values, from);
}
