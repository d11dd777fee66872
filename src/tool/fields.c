/* fields.c - see fields.h. The fields of a kind (KIND_EVENT in trace/kinds.def) are rows of
 * `fields`. Their names are those of rocprofv3's databases. */
#include "tool/fields.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum { NUMBER_32, SIGNED_32, NUMBER_64, NODE } form_t;

typedef struct {
    rocprofiler_buffer_tracing_kind_t kind;
    size_t operation, thread, start, end;
    bool thread_is_pid; /* the field has 32 bits and holds a process id, since the driver knows no
                         * threads */
    size_t correlation; /* offset of the correlation id; 0: there is none */
} kind_row_t;

enum { ANY = -1 };

typedef struct {
    rocprofiler_buffer_tracing_kind_t kind;
    int32_t operation; /* the only operation that has the field, or ANY */
    form_t form;
    size_t offset;
    const char *name;
} field_row_t;

#define TIMES_call(type)                                                                           \
    offsetof(type, thread_id), offsetof(type, start_timestamp), offsetof(type, end_timestamp),     \
        false, offsetof(type, correlation_id)
#define TIMES_moment(type)                                                                         \
    offsetof(type, pid), offsetof(type, timestamp), offsetof(type, timestamp), true, 0
#define TIMES_span(type)                                                                           \
    offsetof(type, pid), offsetof(type, start_timestamp), offsetof(type, end_timestamp), true, 0

static const kind_row_t kinds[] = {
#define KIND_EVENT(id, domain, option, structure, times, text)                                     \
    {ROCPROFILER_BUFFER_TRACING_##id, offsetof(rocprofiler_buffer_tracing_##structure, operation), \
     TIMES_##times(rocprofiler_buffer_tracing_##structure)},
#include "trace/kinds.def"
};

#define FIELD(KIND, type, form, member, name)                                                      \
    {ROCPROFILER_BUFFER_TRACING_##KIND, ANY, form,                                                 \
     offsetof(rocprofiler_buffer_tracing_##type, member), name},
#define OMPT(operation, form, part, member)                                                        \
    {ROCPROFILER_BUFFER_TRACING_OMPT, ROCPROFILER_OMPT_ID_##operation, form,                       \
     offsetof(rocprofiler_buffer_tracing_ompt_record_t, part.member), #member},
#define PAGES(KIND, type)                                                                          \
    FIELD(KIND, type, NUMBER_64, start_address, "start_address")                                   \
    FIELD(KIND, type, NUMBER_64, end_address, "end_address")
#define MIGRATION(KIND, type)                                                                      \
    PAGES(KIND, type)                                                                              \
    FIELD(KIND, type, NODE, src_agent, "src_agent_id")                                             \
    FIELD(KIND, type, NODE, dst_agent, "dst_agent_id")                                             \
    FIELD(KIND, type, NODE, prefetch_agent, "prefetch_agent_id")                                   \
    FIELD(KIND, type, NODE, preferred_agent, "preferred_agent_id")                                 \
    FIELD(KIND, type, SIGNED_32, error_code, "error_code")
#define ON_AGENT(KIND, type) FIELD(KIND, type, NODE, agent_id, "agent_id")
#define FAULT(KIND, type)                                                                          \
    ON_AGENT(KIND, type)                                                                           \
    FIELD(KIND, type, NUMBER_64, address, "address")

/* clang-format off */
static const field_row_t fields[] = {
    OMPT(target_emi, SIGNED_32, target, kind)
    OMPT(target_emi, SIGNED_32, target, device_num)
    OMPT(target_emi, NUMBER_64, target, task_id)
    OMPT(target_emi, NUMBER_64, target, target_id)
    OMPT(target_emi, NUMBER_64, target, codeptr_ra)
    OMPT(target_data_op_emi, NUMBER_64, target_data_op, host_op_id)
    OMPT(target_data_op_emi, SIGNED_32, target_data_op, optype)
    OMPT(target_data_op_emi, SIGNED_32, target_data_op, src_device_num)
    OMPT(target_data_op_emi, SIGNED_32, target_data_op, dst_device_num)
    OMPT(target_data_op_emi, NUMBER_64, target_data_op, bytes)
    OMPT(target_data_op_emi, NUMBER_64, target_data_op, codeptr_ra)
    OMPT(target_submit_emi, NUMBER_64, target_kernel, host_op_id)
    OMPT(target_submit_emi, SIGNED_32, target_kernel, device_num)
    OMPT(target_submit_emi, NUMBER_32, target_kernel, requested_num_teams)
    MIGRATION(KFD_EVENT_PAGE_MIGRATE, kfd_event_page_migrate_record_t)
    FAULT(KFD_EVENT_PAGE_FAULT, kfd_event_page_fault_record_t)
    ON_AGENT(KFD_EVENT_QUEUE, kfd_event_queue_record_t)
    ON_AGENT(KFD_EVENT_UNMAP_FROM_GPU, kfd_event_unmap_from_gpu_record_t)
    PAGES(KFD_EVENT_UNMAP_FROM_GPU, kfd_event_unmap_from_gpu_record_t)
    FIELD(KFD_EVENT_DROPPED_EVENTS, kfd_event_dropped_events_record_t, NUMBER_32, count, "count")
    MIGRATION(KFD_PAGE_MIGRATE, kfd_page_migrate_record_t)
    FAULT(KFD_PAGE_FAULT, kfd_page_fault_record_t)
    ON_AGENT(KFD_QUEUE, kfd_queue_record_t)
};
/* clang-format on */

enum {
    KINDS = sizeof(kinds) / sizeof(*kinds),
    FIELDS = sizeof(fields) / sizeof(*fields),
    AGENTS_MAX = 256
};

static struct {
    uint64_t id;
    uint32_t node;
} agents[AGENTS_MAX];
static size_t agent_count;

void tool_fields_agent(const rocprofiler_agent_v0_t *agent)
{
    for (size_t i = 0; i < agent_count; i++)
        if (agents[i].id == agent->id.handle) return;
    if (agent_count == AGENTS_MAX) return;
    agents[agent_count].node = agent->node_id;
    agents[agent_count++].id = agent->id.handle;
}

static const kind_row_t *row_of(uint32_t kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if ((uint32_t)kinds[i].kind == kind) return &kinds[i];
    return NULL;
}

static uint32_t number_32(const void *payload, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)payload + offset, sizeof(value));
    return value;
}

static uint64_t number_64(const void *payload, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)payload + offset, sizeof(value));
    return value;
}

trace_api_full_t tool_fields_times(const rocprofiler_record_header_t *from)
{
    const kind_row_t *row = row_of(from->kind);
    uint64_t thread = row->thread_is_pid ? number_32(from->payload, row->thread)
                                         : number_64(from->payload, row->thread);
    trace_api_full_t t = {.head = trace_head(TRACE_API, from->kind,
                                             number_32(from->payload, row->operation), thread, 0),
                          .start = number_64(from->payload, row->start),
                          .end = number_64(from->payload, row->end)};
    rocprofiler_correlation_id_t id = {0};
    if (row->correlation) memcpy(&id, (const char *)from->payload + row->correlation, sizeof(id));
    t.correlation = id.internal;
    t.ancestor = id.ancestor;
    t.external = id.external.value;
    return t;
}

/* Returns the node of the agent with this id; -1 if there is none. */
static int64_t node_of(uint64_t agent)
{
    for (size_t i = 0; i < agent_count; i++)
        if (agents[i].id == agent) return agents[i].node;
    return -1;
}

static const char *write_field(const field_row_t *f, const void *payload, char *text, size_t room)
{
    static const char *const types[] = {"uint32_t", "int32_t", "uint64_t", "int64_t"};
    switch (f->form) {
    case NUMBER_32: snprintf(text, room, "%" PRIu32, number_32(payload, f->offset)); break;
    case SIGNED_32: snprintf(text, room, "%" PRId32, (int32_t)number_32(payload, f->offset)); break;
    case NUMBER_64: snprintf(text, room, "%" PRIu64, number_64(payload, f->offset)); break;
    case NODE: snprintf(text, room, "%" PRId64, node_of(number_64(payload, f->offset))); break;
    }
    return types[f->form];
}

void tool_fields_each(const rocprofiler_record_header_t *from,
                      rocprofiler_buffer_tracing_operation_args_cb_t callback, void *data)
{
    const kind_row_t *row = row_of(from->kind);
    char text[32];
    if (!row) {
        rocprofiler_iterate_buffer_tracing_record_args(*from, callback, data);
        return;
    }
    rocprofiler_tracing_operation_t operation =
        (rocprofiler_tracing_operation_t)number_32(from->payload, row->operation);
    uint32_t number = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        const field_row_t *f = &fields[i];
        if (f->kind != row->kind || (f->operation != ANY && f->operation != operation)) continue;
        const char *type = write_field(f, from->payload, text, sizeof(text));
        const char *at = (const char *)from->payload + f->offset;
        if (callback(f->kind, operation, number++, at, 0, type, f->name, text, data) != 0) return;
    }
}
