/* store_work.c - see store_state.h. It writes the work of GPUs and memory: kernels with their
 * counters' values, copies, memory, graphs and events of HIP. */
#include <stdio.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "db/schema.h"
#include "rocpd/columns.h"
#include "rocpd/store_state.h"
#include "trace/store.h"

/* ---- kernels and copies ---- */

static void put_values(rocpd_store_t *s, trace_counters_t *c, const trace_value_t *values)
{
    trace_head_t head = c->dispatch.head;
    size_t bytes = c->count * sizeof(*values);
    c->dispatch.head = trace_head(TRACE_COUNTERS, trace_kind(head), trace_operation(head),
                                  trace_thread(head), sizeof(*c) + bytes);
    rocpd_store_put(s, c, sizeof(*c), values, bytes);
    c->count = 0;
}

/* Writes a dispatch's values, in several records if they do not fit into one. */
static void write_values(rocpd_store_t *s, rocpd_beside_t *b, uint64_t event,
                         const trace_dispatch_t *d)
{
    static trace_value_t values[TRACE_VALUES_MAX];
    trace_counters_t c = {.dispatch = *d};
    uint64_t instance = 0;
    for (; rocpd_store_belongs(s, b, event); b->more = rocpd_store_next(s, &b->rows)) {
        if (c.count == TRACE_VALUES_MAX) put_values(s, &c, values);
        values[c.count] = (trace_value_t){
            .counter = db_uint(&b->rows, 1), .instance = instance++, .value = db_real(&b->rows, 2)};
        c.count++;
    }
    if (c.count) put_values(s, &c, values);
}

static void put_launched(rocpd_store_t *s, const void *record, size_t bytes, trace_node_t node)
{
    rocpd_store_put(s, record, bytes, &node, node.graph ? sizeof(node) : 0);
}

static size_t with_node(size_t bytes, trace_node_t node)
{
    return node.graph ? bytes + sizeof(node) : bytes;
}

static void write_kernels(rocpd_store_t *s)
{
    enum { KERNEL = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, COMPLETE = 2 };
    rocpd_beside_t values = {0};
    db_cursor_t rows;
    rocpd_store_begin_records(s, &rows, &rocpd_kernels);
    char *sql =
        sqlite3_mprintf("SELECT event_id, pmc_id, value FROM rocpd_pmc_event WHERE guid = ? "
                        "AND %s ORDER BY event_id, id",
                        db_values_of_dispatches(s->db));
    rocpd_store_begin_beside(s, &values, sql);
    sqlite3_free(sql);
    rocpd_store_put_kind(s, KERNEL);
    rocpd_store_put_name(s, trace_head(TRACE_OPERATION, KERNEL, COMPLETE, 0, 0),
                         "KERNEL_DISPATCH_COMPLETE");
    while (rocpd_store_next(s, &rows)) {
        const trace_node_t node = {db_uint(&rows, KERNEL_GRAPH), db_uint(&rows, KERNEL_NODE)};
        const uint64_t range = db_uint(&rows, KERNEL_RANGE);
        const char *text = rocpd_text(&s->names, range);
        if (!rocpd_text(&s->names, db_uint(&rows, KERNEL_CATEGORY))) continue; /* as in the views */
        trace_dispatch_t d = {
            .head = trace_head(TRACE_DISPATCH, KERNEL, COMPLETE, db_uint(&rows, KERNEL_TID),
                               with_node(sizeof(d), node)),
            .start = db_uint(&rows, KERNEL_START),
            .end = db_uint(&rows, KERNEL_END),
            .correlation = db_uint(&rows, KERNEL_STACK),
            .external = rocpd_store_range(s, text ? range : 0, text ? text : ""),
            .agent = rocpd_store_agent(s, &rows, KERNEL_AGENT),
            .queue = db_uint(&rows, KERNEL_QUEUE),
            .kernel = db_uint(&rows, KERNEL_KERNEL),
            .dispatch = db_uint(&rows, KERNEL_DISPATCH),
            .stream = db_uint(&rows, KERNEL_STREAM),
            .private_bytes = db_small(&rows, KERNEL_PRIVATE),
            .group_bytes = db_small(&rows, KERNEL_GROUP),
            .workgroup = {db_small(&rows, KERNEL_WORKGROUP_X), db_small(&rows, KERNEL_WORKGROUP_Y),
                          db_small(&rows, KERNEL_WORKGROUP_Z)},
            .grid = {db_small(&rows, KERNEL_GRID_X), db_small(&rows, KERNEL_GRID_Y),
                     db_small(&rows, KERNEL_GRID_Z)}};
        put_launched(s, &d, sizeof(d), node);
        write_values(s, &values, db_uint(&rows, KERNEL_EVENT), &d);
    }
    rocpd_store_finish(s, &rows);
    rocpd_store_finish(s, &values.rows);
}

static void write_copies(rocpd_store_t *s)
{
    enum { COPY = ROCPROFILER_BUFFER_TRACING_MEMORY_COPY };
    bool first;
    db_cursor_t rows;
    for (rocpd_store_begin_records(s, &rows, &rocpd_copies); rocpd_store_next(s, &rows);) {
        const uint64_t name_id = db_uint(&rows, COPY_NAME);
        const char *name = rocpd_text(&s->names, name_id);
        if (!name || !rocpd_text(&s->names, db_uint(&rows, COPY_CATEGORY)))
            continue; /* as in the views */
        uint32_t operation = rocpd_store_operation(s, COPY, name_id, name, &first);
        if (operation == ROCPD_NO_OPERATION) continue;
        const trace_node_t node = {db_uint(&rows, COPY_GRAPH), db_uint(&rows, COPY_NODE)};
        trace_copy_t c = {.head = trace_head(TRACE_COPY, COPY, operation, db_uint(&rows, COPY_TID),
                                             with_node(sizeof(c), node)),
                          .start = db_uint(&rows, COPY_START),
                          .end = db_uint(&rows, COPY_END),
                          .correlation = db_uint(&rows, COPY_STACK),
                          .source = rocpd_store_agent(s, &rows, COPY_SOURCE),
                          .destination = rocpd_store_agent(s, &rows, COPY_DESTINATION),
                          .bytes = db_uint(&rows, COPY_SIZE),
                          .source_address = db_uint(&rows, COPY_SOURCE_ADDRESS),
                          .destination_address = db_uint(&rows, COPY_DESTINATION_ADDRESS),
                          .stream = db_uint(&rows, COPY_STREAM)};
        put_launched(s, &c, sizeof(c), node);
    }
    rocpd_store_finish(s, &rows);
}

/* ---- memory ---- */

/* The SDK's operations for allocating and freeing, by type and level. */
static const struct {
    const char *type, *level, *name;
    uint32_t kind, operation;
    bool given;
} memory_rows[] = {
    {"ALLOC", "REAL", "MEMORY_ALLOCATION_ALLOCATE", ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION, 1,
     true},
    {"ALLOC", "VIRTUAL", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
     ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION, 2, true},
    {"FREE", "REAL", "MEMORY_ALLOCATION_FREE", ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION, 3,
     false},
    {"FREE", "VIRTUAL", "MEMORY_ALLOCATION_VMEM_FREE", ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION,
     4, false},
    {"ALLOC", "SCRATCH", "SCRATCH_MEMORY_ALLOC", ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY, 1,
     true},
    {"FREE", "SCRATCH", "SCRATCH_MEMORY_FREE", ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY, 2, false},
    {"RECLAIM", "SCRATCH", "SCRATCH_MEMORY_ASYNC_RECLAIM",
     ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY, 3, false},
};

enum { MEMORY_ROWS = sizeof(memory_rows) / sizeof(*memory_rows) };

static void put_memory(rocpd_store_t *s, const db_cursor_t *rows, int row)
{
    uint32_t kind = memory_rows[row].kind, operation = memory_rows[row].operation;
    if (kind == ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY) {
        trace_scratch_t x = {
            .head = trace_head(TRACE_SCRATCH, kind, operation, db_uint(rows, 1), sizeof(x)),
            .start = db_uint(rows, 2),
            .end = db_uint(rows, 3),
            .correlation = db_uint(rows, 0),
            .agent = rocpd_store_agent(s, rows, 4),
            .queue = db_uint(rows, 9),
            .flags = db_uint(rows, 10),
            .bytes = db_uint(rows, 8)};
        rocpd_store_put(s, &x, sizeof(x), NULL, 0);
        return;
    }
    trace_allocation_t a = {
        .head = trace_head(TRACE_ALLOCATION, kind, operation, db_uint(rows, 1), sizeof(a)),
        .start = db_uint(rows, 2),
        .end = db_uint(rows, 3),
        .correlation = db_uint(rows, 0),
        .agent = memory_rows[row].given ? rocpd_store_agent(s, rows, 4) : 0,
        .address = db_uint(rows, 7),
        .bytes = db_uint(rows, 8)};
    rocpd_store_put(s, &a, sizeof(a), NULL, 0);
}

static void write_memory(rocpd_store_t *s)
{
    for (int i = 0; i < MEMORY_ROWS; i++) {
        const uint32_t kind = memory_rows[i].kind;
        rocpd_store_put_kind(s, kind);
        rocpd_store_put_name(s, trace_head(TRACE_OPERATION, kind, memory_rows[i].operation, 0, 0),
                             memory_rows[i].name);
    }
    db_cursor_t rows;
    rocpd_store_begin(s, &rows,
                      "SELECT E.stack_id, M.tid, M.start, M.\"end\", M.agent_id, M.type, M.level, "
                      "M.address, M.size, M.queue_id, JSON_EXTRACT(M.extdata, '$.flags') FROM "
                      "rocpd_memory_allocate M " ROCPD_EVENT_OF("M") "WHERE M.guid = ?");
    while (rocpd_store_next(s, &rows)) {
        int row = 0;
        while (row < MEMORY_ROWS && (strcmp(memory_rows[row].type, db_text(&rows, 5)) != 0 ||
                                     strcmp(memory_rows[row].level, db_text(&rows, 6)) != 0))
            row++;
        if (row < MEMORY_ROWS)
            put_memory(s, &rows, row);
        else
            s->p->left_out++;
    }
    rocpd_store_finish(s, &rows);
}

/* ---- graphs and events of HIP, which older schemas do not have ---- */

static void write_graphs(rocpd_store_t *s)
{
    enum {
        GRAPH = ROCPROFILER_BUFFER_TRACING_HIP_GRAPH,
        LAUNCH = ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH
    };
    if (!db_holds(s->db, DB_GRAPHS)) return;
    rocpd_store_put_kind(s, GRAPH);
    rocpd_store_put_name(s, trace_head(TRACE_OPERATION, GRAPH, LAUNCH, 0, 0),
                         "HIP_GRAPH_OPERATION_EXEC_LAUNCH");
    db_cursor_t rows;
    rocpd_store_begin(
        s, &rows,
        "SELECT E.stack_id, E.parent_stack_id, E.correlation_id, G.tid, G.start, G.\"end\", "
        "G.agent_id, G.queue_id, G.graph_exec_id, G.kernel_dispatch_count FROM "
        "rocpd_graph_launch G " ROCPD_EVENT_OF("G") "WHERE G.guid = ?");
    while (rocpd_store_next(s, &rows)) {
        trace_graph_t g = {.head =
                               trace_head(TRACE_GRAPH, GRAPH, LAUNCH, db_uint(&rows, 3), sizeof(g)),
                           .start = db_uint(&rows, 4),
                           .end = db_uint(&rows, 5),
                           .correlation = db_uint(&rows, 0),
                           .ancestor = db_uint(&rows, 1),
                           .external = db_uint(&rows, 2),
                           .agent = rocpd_store_agent(s, &rows, 6),
                           .queue = db_uint(&rows, 7),
                           .graph = db_uint(&rows, 8),
                           .kernels = db_uint(&rows, 9)};
        rocpd_store_put(s, &g, sizeof(g), NULL, 0);
    }
    rocpd_store_finish(s, &rows);
}

static void write_barriers(rocpd_store_t *s)
{
    enum { EVENT = ROCPROFILER_BUFFER_TRACING_HIP_EVENT };
    static const char *const names[ROCPROFILER_HIP_EVENT_LAST] = {
        "HIP_EVENT_NONE", "HIP_EVENT_RECORD", "HIP_EVENT_WAIT"};
    if (!db_holds(s->db, DB_HIP_EVENTS)) return;
    rocpd_store_put_kind(s, EVENT);
    for (uint32_t i = 0; i < ROCPROFILER_HIP_EVENT_LAST; i++)
        rocpd_store_put_name(s, trace_head(TRACE_OPERATION, EVENT, i, 0, 0), names[i]);
    db_cursor_t rows;
    rocpd_store_begin(
        s, &rows,
        "SELECT E.stack_id, H.tid, H.start, H.\"end\", H.agent_id, H.queue_id, H.stream_id, "
        "H.hip_event_handle, H.source_queue_id, N.string FROM rocpd_hip_event H " ROCPD_EVENT_OF(
            "H") "JOIN rocpd_string N ON N.id = H.name_id AND N.guid = H.guid WHERE H.guid "
                 "= ?");
    while (rocpd_store_next(s, &rows)) {
        uint32_t operation = ROCPROFILER_HIP_EVENT_LAST - 1;
        while (operation && strcmp(names[operation], db_text(&rows, 9)) != 0)
            operation--;
        trace_barrier_t b = {
            .head = trace_head(TRACE_BARRIER, EVENT, operation, db_uint(&rows, 1), sizeof(b)),
            .start = db_uint(&rows, 2),
            .end = db_uint(&rows, 3),
            .correlation = db_uint(&rows, 0),
            .agent = rocpd_store_agent(s, &rows, 4),
            .queue = db_uint(&rows, 5),
            .stream = db_uint(&rows, 6),
            .event = db_uint(&rows, 7),
            .source = db_uint(&rows, 8)};
        rocpd_store_put(s, &b, sizeof(b), NULL, 0);
    }
    rocpd_store_finish(s, &rows);
}

void rocpd_store_write_work(rocpd_store_t *s)
{
    write_kernels(s);
    write_copies(s);
    write_memory(s);
    write_graphs(s);
    write_barriers(s);
}
