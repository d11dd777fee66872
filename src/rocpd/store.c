/* store.c - see store.h. One function for each table; which columns it reads of a table with many
 * rows is in columns.h. */
#include "rocpd/store.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "base/grow.h"
#include "base/log.h"
#include "output/domain.h"
#include "model/numbers.h"
#include "rocpd/base.h"
#include "rocpd/columns.h"
#include "rocpd/message.h"
#include "rocpd/texts.h"
#include "trace/agent-fields.h"
#include "trace/mpi.h"
#include "trace/store.h"
#include "trace/writer.h"

/* The kinds, by number, and what the rows of a region or a sample of that kind become. */
static const struct {
    const char *name;
    enum { NOTHING, MARKER, CALL, CALL_WITH_ARGUMENTS, MPI } becomes;
} kinds[] = {
#define ROW(id, becomes)         [ROCPROFILER_BUFFER_TRACING_##id] = {#id, becomes},
#define KIND(id, domain, option) ROW(id, CALL)
#define KIND_MARKER(id)          ROW(id, MARKER)
#define KIND_EXTENDED(id, ...)   ROW(id, CALL) ROW(id##_EXT, CALL_WITH_ARGUMENTS)
#define KIND_WORK(id, ...)       ROW(id, NOTHING)
#define KIND_OWN(id, ...)        [TRACE_KIND_##id] = {#id, MPI},
#include "trace/kinds.def"
#undef ROW
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

typedef struct {
    const db_t *db;
    rocpd_process_t *p;
    trace_writer_t *meta, *records;
    rocpd_texts_t names;
    rocpd_message_t message;
    out_numbers_t agents;     /* by id: handle + 1 */
    out_numbers_t operations; /* by kind and id of the name: number of the operation + 1 */
    uint32_t operation_counts[TRACE_KIND_MAX + 1];
    bool too_many; /* no_operation() has printed its message */
    bool kind_written[TRACE_KIND_MAX + 1];
    uint32_t last; /* kind of the last row, which is mostly that of the next */
    uint64_t texts;
    out_numbers_t ranges; /* texts of ranges, by their ids */
    bool rename, failed;
} state_t;

/* Begins a statement about the process; after a failure it has no rows. */
static void begin(state_t *s, db_cursor_t *rows, const char *sql)
{
    *rows = (db_cursor_t){0};
    if (!s->failed) db_rows(rows, s->db, sql, "t", s->p->guid);
}

/* The same for records. */
static void begin_records(state_t *s, db_cursor_t *rows, const db_records_t *which)
{
    *rows = (db_cursor_t){0};
    if (!s->failed) db_records(rows, s->db, which, s->p->guid);
}

static bool next(const state_t *s, db_cursor_t *rows)
{
    return !s->failed && db_next(rows);
}

static void finish(state_t *s, db_cursor_t *rows)
{
    if (db_end(rows, "reading rows") != 0) s->failed = true;
}

static void tell_failure(state_t *s, const trace_writer_t *w)
{
    if (!s->failed) base_error("temporary store: %s", trace_writer_failure(w));
    s->failed = true;
}

static void put_meta(state_t *s, const void *record, size_t bytes, const char *const *texts,
                     size_t count)
{
    if (!trace_writer_put_texts(s->meta, record, bytes, texts, count)) tell_failure(s, s->meta);
}

static void put_name(state_t *s, trace_head_t head, const char *name)
{
    put_meta(s, &head, sizeof(head), &name, 1);
}

/* Puts the record with the times of the clock that all processes of the conversion have. */
static void put_record(state_t *s, const void *record, size_t bytes, const void *rest, size_t more)
{
    union {
        trace_timed_t timed;
        char bytes[512];
    } changed;
    if (s->p->clock.source != TRACE_CLOCK_SAME && bytes <= sizeof(changed)) {
        memcpy(&changed, record, bytes);
        changed.timed.start = trace_clock_map(&s->p->clock, changed.timed.start);
        changed.timed.end = trace_clock_map(&s->p->clock, changed.timed.end);
        record = &changed;
    }
    if (!trace_writer_put_parts(s->records, record, bytes, rest, more)) tell_failure(s, s->records);
    trace_writer_count(s->records, 1, 0, 0);
}

/* ---- what things are called ---- */

/* The kind of the row of a region or a sample; 0: there is no record for it. */
static uint32_t kind_of(state_t *s, const char *category)
{
    if (s->last && strcmp(kinds[s->last].name, category) == 0) return s->last;
    for (uint32_t i = 0; i < KINDS; i++)
        if (kinds[i].becomes != NOTHING && kinds[i].name && strcmp(kinds[i].name, category) == 0)
            return s->last = i;
    return 0;
}

static void put_kind(state_t *s, uint32_t kind)
{
    if (!s->kind_written[kind])
        put_name(s, trace_head(TRACE_KIND, kind, 0, 0, 0), kinds[kind].name);
    s->kind_written[kind] = true;
}

enum { NO_OPERATION = UINT32_MAX };

/* A record can tell TRACE_OPERATION_MAX + 1 operations of a kind apart: rows of others are left
 * out, with a message. */
static uint32_t no_operation(state_t *s, uint32_t kind)
{
    if (!s->too_many)
        base_error(
            "%s: more than %u names of calls in one category, which is what a record can tell "
            "apart: the calls of all others are left out",
            kinds[kind].name, TRACE_OPERATION_MAX + 1);
    s->too_many = true;
    s->p->left_out++;
    return NO_OPERATION;
}

/* Number of an operation, by the id of its name; operations of each kind are numbered as they
 * come, but for functions of MPI, which have numbers of their own. */
static uint32_t operation_of(state_t *s, uint32_t kind, uint64_t name_id, const char *name,
                             bool *first)
{
    uint64_t key = out_mix(name_id) ^ kind, found = out_numbers_get(&s->operations, key);
    *first = !found;
    if (found) return (uint32_t)found - 1;
    if (s->operation_counts[kind] > TRACE_OPERATION_MAX) return no_operation(s, kind);
    uint32_t operation = s->operation_counts[kind]++;
    if (kinds[kind].becomes == MPI) {
        const trace_mpi_function_t *f = trace_mpi_find(name);
        if (!f) {
            s->p->left_out++;
            return NO_OPERATION;
        }
        operation = trace_mpi_number(f);
    }
    put_kind(s, kind);
    put_name(s, trace_head(TRACE_OPERATION, kind, operation, 0, 0), name);
    if (!out_numbers_set(&s->operations, key, operation + 1u)) s->failed = true;
    return operation;
}

static uint64_t put_text(state_t *s, const char *value)
{
    trace_text_t t = {.head = trace_head(TRACE_TEXT, 0, 0, 0, sizeof(t)), .id = ++s->texts};
    put_meta(s, &t, sizeof(t), &value, 1);
    return t.id;
}

/* The number of the range that a kernel is named after; 0 if kernels keep their names. */
static uint64_t range_of(state_t *s, uint64_t text_id, const char *value)
{
    if (!s->rename || !*value) return 0;
    uint64_t id = out_numbers_get(&s->ranges, text_id);
    if (id) return id;
    id = put_text(s, value);
    if (!out_numbers_set(&s->ranges, text_id, id)) s->failed = true;
    return id;
}

static uint64_t agent_of(const state_t *s, const db_cursor_t *rows, int column)
{
    if (db_null(rows, column)) return 0;
    uint64_t id = db_uint(rows, column), found = out_numbers_get(&s->agents, id);
    return found ? found - 1 : id + 1;
}

/* ---- things ---- */

static void put_info(state_t *s, const char *key, const char *value)
{
    trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    const char *texts[] = {key, value};
    put_meta(s, &head, sizeof(head), texts, 2);
}

static void write_process(state_t *s, const char *name)
{
    static const char *const keys[] = {TRACE_INFO_COMMAND, TRACE_INFO_PARENT,   TRACE_INFO_MACHINE,
                                       TRACE_INFO_SYSTEM,  TRACE_INFO_HOST,     TRACE_INFO_RELEASE,
                                       TRACE_INFO_VERSION, TRACE_INFO_HARDWARE, TRACE_INFO_DOMAIN};
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT P.command, P.ppid, N.machine_id, N.system_name, N.hostname, N.release, "
          "N.version, N.hardware_name, N.domain_name FROM rocpd_info_process P JOIN "
          "rocpd_info_node N ON N.id = P.nid AND N.guid = P.guid WHERE P.guid = ?");
    put_info(s, TRACE_INFO_DIRECTORY, "/");
    put_info(s, TRACE_INFO_NAME, name);
    while (next(s, &rows))
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            put_info(s, keys[i], db_text(&rows, (int)i));
    finish(s, &rows);
    begin(s, &rows,
          "SELECT V.key || '=' || V.value FROM rocpd_info_process P, "
          "json_each(P.environment) V WHERE P.guid = ?");
    while (next(s, &rows))
        put_info(s, TRACE_INFO_VARIABLE, db_text(&rows, 0));
    finish(s, &rows);
    for (begin(s, &rows, "SELECT tid, name FROM rocpd_info_thread WHERE guid = ? AND name <> ''");
         next(s, &rows);)
        put_name(s, trace_head(TRACE_THREAD, 0, 0, db_uint(&rows, 0), 0), db_text(&rows, 1));
    finish(s, &rows);
}

static void write_agents(state_t *s)
{
#define X(column, member, form) ", JSON_EXTRACT(extdata, '$." #member "')"
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT id, COALESCE(JSON_EXTRACT(extdata, '$.id.handle'), id + 1), type, "
          "type_index, absolute_index, logical_index, name, vendor_name, product_name, "
          "model_name" TRACE_AGENT_FIELDS(X) " FROM rocpd_info_agent WHERE guid = ?");
#undef X
    while (next(s, &rows)) {
        bool gpu = strcmp(db_text(&rows, 2), "GPU") == 0;
        struct {
            trace_agent_t agent;
            uint64_t values[TRACE_AGENT_FIELD_COUNT];
        } record = {.agent = {.head = trace_head(TRACE_AGENT, 0, 0, 0, sizeof(record)),
                              .id = db_uint(&rows, 1),
                              .type = gpu ? TRACE_AGENT_GPU : TRACE_AGENT_CPU,
                              .fields = TRACE_AGENT_FIELD_COUNT,
                              .type_index = (int32_t)db_int(&rows, 3),
                              .text_offset = sizeof(record)}};
        for (int i = 0; i < TRACE_AGENT_FIELD_COUNT; i++)
            record.values[i] = db_uint(&rows, 10 + i);
        record.values[TRACE_AGENT_Node_Id] = db_uint(&rows, 4);
        record.values[TRACE_AGENT_Logical_Node_Id] = db_uint(&rows, 5);
        const char *texts[] = {db_text(&rows, 6), db_text(&rows, 7), db_text(&rows, 8),
                               db_text(&rows, 9)};
        put_meta(s, &record, sizeof(record), texts, TRACE_AGENT_TEXT_COUNT);
        if (!out_numbers_set(&s->agents, db_uint(&rows, 0), record.agent.id + 1)) s->failed = true;
    }
    finish(s, &rows);
}

static void write_code(state_t *s)
{
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT id, agent_id, load_base, load_size, load_delta, JSON_EXTRACT(extdata, "
          "'$.memory_base'), JSON_EXTRACT(extdata, '$.memory_size'), uri FROM "
          "rocpd_info_code_object WHERE guid = ?");
    while (next(s, &rows)) {
        trace_code_object_t c = {.head = trace_head(TRACE_CODE_OBJECT, 0, 0, 0, sizeof(c)),
                                 .id = db_uint(&rows, 0),
                                 .agent = agent_of(s, &rows, 1),
                                 .load_base = db_uint(&rows, 2),
                                 .load_size = db_uint(&rows, 3),
                                 .load_delta = db_int(&rows, 4),
                                 .memory_base = db_uint(&rows, 5),
                                 .memory_size = db_uint(&rows, 6)};
        const char *uri = db_text(&rows, 7);
        put_meta(s, &c, sizeof(c), &uri, 1);
    }
    finish(s, &rows);
    begin(s, &rows,
          "SELECT id, code_object_id, kernel_object, kernarg_segment_size, "
          "kernarg_segment_alignment, group_segment_size, private_segment_size, sgpr_count, "
          "arch_vgpr_count, accum_vgpr_count, JSON_EXTRACT(extdata, "
          "'$.kernel_code_entry_byte_offset'), JSON_EXTRACT(extdata, "
          "'$.kernel_address.handle'), "
          "kernel_name FROM rocpd_info_kernel_symbol WHERE guid = ?");
    while (next(s, &rows)) {
        trace_kernel_t k = {.head = trace_head(TRACE_KERNEL, 0, 0, 0, sizeof(k)),
                            .id = db_uint(&rows, 0),
                            .code_object = db_uint(&rows, 1),
                            .object = db_uint(&rows, 2),
                            .kernarg_bytes = db_small(&rows, 3),
                            .kernarg_alignment = db_small(&rows, 4),
                            .group_bytes = db_small(&rows, 5),
                            .private_bytes = db_small(&rows, 6),
                            .sgprs = db_small(&rows, 7),
                            .vgprs = db_small(&rows, 8),
                            .agprs = db_small(&rows, 9),
                            .entry_offset = db_int(&rows, 10),
                            .address = db_uint(&rows, 11)};
        const char *name = db_text(&rows, 12);
        put_meta(s, &k, sizeof(k), &name, 1);
    }
    finish(s, &rows);
    begin(s, &rows,
          "SELECT id, agent_id, is_derived, is_constant, name, description, block, "
          "expression FROM rocpd_info_pmc WHERE guid = ?");
    while (next(s, &rows)) {
        trace_counter_t c = {.head = trace_head(TRACE_COUNTER, 0, 0, 0, sizeof(c)),
                             .id = db_uint(&rows, 0),
                             .agent = agent_of(s, &rows, 1),
                             .derived = db_small(&rows, 2),
                             .constant = (uint16_t)db_small(&rows, 3)};
        const char *texts[] = {db_text(&rows, 4), db_text(&rows, 5), db_text(&rows, 6),
                               db_text(&rows, 7)};
        put_meta(s, &c, sizeof(c), texts, 4);
    }
    finish(s, &rows);
}

/* ---- calls ---- */

/* Rows that are read in parallel with those of another statement; both are in the order of
 * events. */
typedef struct {
    db_cursor_t rows;
    bool more;
} beside_t;

static void begin_beside(state_t *s, beside_t *b, const char *sql)
{
    begin(s, &b->rows, sql);
    b->more = next(s, &b->rows);
}

/* True while the next row belongs to the event. */
static bool belongs(state_t *s, beside_t *b, uint64_t event)
{
    while (b->more && db_uint(&b->rows, 0) < event)
        b->more = next(s, &b->rows);
    return b->more && db_uint(&b->rows, 0) == event;
}

typedef struct {
    uint64_t count;
    size_t bytes;
    /* as large as the part of a record behind the call itself */
    _Alignas(8) char values[(TRACE_WORDS_MAX - sizeof(trace_call_t) / 8) * 8];
    char **signature; /* type and name of each */
    size_t room;      /* of `signature`, in arguments */
} arguments_t;

static bool sign_argument(arguments_t *a, const char *type, const char *name)
{
    if (!base_grow(&a->signature, a->count, &a->room, 2 * sizeof(*a->signature))) return false;
    a->signature[2 * a->count] = strdup(type);
    a->signature[2 * a->count + 1] = strdup(name);
    return a->signature[2 * a->count] && a->signature[2 * a->count + 1];
}

static void read_arguments(state_t *s, beside_t *b, uint64_t event, arguments_t *a, bool sign)
{
    uint64_t cut = 0;
    a->count = a->bytes = 0;
    for (; belongs(s, b, event) && !s->failed; b->more = next(s, &b->rows)) {
        size_t left = sizeof(a->values) - a->bytes,
               most = left - left / 8; /* leaves room for others */
        size_t bytes = trace_text_fit(a->values + a->bytes, most, db_text(&b->rows, 3), &cut);
        if (!bytes) s->p->left_out++;
        if (!bytes) continue;
        a->bytes += bytes;
        if (sign && !sign_argument(a, db_text(&b->rows, 1), db_text(&b->rows, 2))) s->failed = true;
        a->count++;
    }
    trace_writer_cut(s->records, cut);
    while (a->bytes % 8)
        a->values[a->bytes++] = 0;
}

static void put_signature(state_t *s, uint32_t kind, uint32_t operation, arguments_t *a)
{
    trace_signature_t record = {
        .head = trace_head(TRACE_SIGNATURE, kind, operation, 0, sizeof(record)), .count = a->count};
    if (a->count && !s->failed)
        put_meta(s, &record, sizeof(record), (const char *const *)a->signature, 2 * a->count);
    for (uint64_t i = 0; i < 2 * a->count; i++)
        free(a->signature[i]);
}

static void put_marker(state_t *s, const db_cursor_t *rows, uint32_t kind, uint32_t operation,
                       const char *text)
{
    trace_marker_t m = {
        .head = trace_head(TRACE_MARKER, kind, operation, db_uint(rows, CALL_TID), sizeof(m)),
        .start = db_uint(rows, CALL_START),
        .end = db_uint(rows, CALL_END),
        .correlation = db_uint(rows, CALL_STACK),
        .ancestor = db_uint(rows, CALL_PARENT),
        .external = db_uint(rows, CALL_CORRELATION),
        .text = text ? put_text(s, text) : 0};
    put_record(s, &m, sizeof(m), NULL, 0);
}

/* What records of all calls begin with; `bytes`: of the whole record. */
static trace_api_full_t call_of(const db_cursor_t *rows, uint32_t type, uint32_t kind,
                                uint32_t operation, size_t bytes)
{
    return (trace_api_full_t){.head =
                                  trace_head(type, kind, operation, db_uint(rows, CALL_TID), bytes),
                              .start = db_uint(rows, CALL_START),
                              .end = db_uint(rows, CALL_END),
                              .correlation = db_uint(rows, CALL_STACK),
                              .ancestor = db_uint(rows, CALL_PARENT),
                              .external = db_uint(rows, CALL_CORRELATION)};
}

static void put_call(state_t *s, const db_cursor_t *rows, uint32_t kind, uint32_t operation,
                     const arguments_t *a)
{
    const bool full = a->count || kinds[kind].becomes == CALL_WITH_ARGUMENTS;
    size_t bytes = full ? sizeof(trace_call_t) : sizeof(trace_api_full_t);
    trace_call_t c = {.call = call_of(rows, TRACE_API, kind, operation, bytes + a->bytes),
                      .count = (uint32_t)a->count};
    if (out_domain_of(c.call.head) < 0)
        s->p->left_out++;
    else
        put_record(s, &c, bytes, a->values, a->bytes);
}

/* A call of MPI, whose values are its arguments; `a` is room for what stands behind the record. */
static void put_mpi(state_t *s, const db_cursor_t *rows, beside_t *b, uint32_t kind,
                    uint32_t operation, arguments_t *a)
{
    trace_mpi_t r = {.call = call_of(rows, TRACE_MPI, kind, operation, sizeof(r)),
                     TRACE_MPI_NO_NUMBERS};
    const size_t room = TRACE_WORDS_MAX * 8 - sizeof(r);
    _Static_assert(sizeof(r) > sizeof(trace_call_t), "a->values has room");
    for (; belongs(s, b, db_uint(rows, CALL_EVENT)) && !s->failed; b->more = next(s, &b->rows))
        if (!trace_mpi_set(&r, db_text(&b->rows, 2), db_text(&b->rows, 3), a->values, room))
            s->p->left_out++;
    const size_t rest = trace_mpi_rest_bytes(&r);
    r.call = call_of(rows, TRACE_MPI, kind, operation, sizeof(r) + rest);
    put_record(s, &r, sizeof(r), a->values, rest);
}

/* Only events of a category that there is, of the same process, as in the views. */
#define EVENT_OF(row)                                                                              \
    "JOIN rocpd_event E ON E.id = " row ".event_id AND E.guid = " row ".guid JOIN rocpd_string C " \
    "ON C.id = E.category_id AND C.guid = E.guid "

/* Makes records of rows that have the columns CALL_*, and ends them. */
static void write_calls(state_t *s, db_cursor_t *rows)
{
    beside_t beside = {0};
    arguments_t *a = calloc(1, sizeof(*a));
    begin_beside(s, &beside,
                 "SELECT event_id, type, name, value FROM rocpd_arg WHERE guid = ? ORDER BY "
                 "event_id, position");
    s->failed |= !a;
    while (next(s, rows)) {
        const char *message, *category = rocpd_text(&s->names, db_uint(rows, CALL_CATEGORY));
        const char *name = rocpd_text(&s->names, db_uint(rows, CALL_NAME));
        if (!rocpd_message(&s->message, s->db, rows, CALL_EXTDATA, &message)) s->failed = true;
        if (s->failed || !category || !name) continue; /* as in the views */
        const uint32_t kind = kind_of(s, category);
        bool first;
        if (!kind) {
            s->p->left_out++;
            continue;
        }
        const uint32_t operation = operation_of(s, kind, db_uint(rows, CALL_NAME), name, &first);
        if (operation == NO_OPERATION) continue;
        if (kinds[kind].becomes == MPI) {
            put_mpi(s, rows, &beside, kind, operation, a);
            continue;
        }
        read_arguments(s, &beside, db_uint(rows, CALL_EVENT), a, first);
        if (first) put_signature(s, kind, operation, a);
        if (kinds[kind].becomes == MARKER)
            put_marker(s, rows, kind, operation, message);
        else
            put_call(s, rows, kind, operation, a);
    }
    finish(s, rows);
    finish(s, &beside.rows);
    if (a) free(a->signature);
    free(a);
}

static void write_regions(state_t *s)
{
    db_cursor_t rows;
    begin_records(s, &rows, &rocpd_calls);
    write_calls(s, &rows);
}

/* Samples of a thread's track are calls that have taken no time. */
static void write_samples(state_t *s)
{
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT S.guid, S.event_id, T.tid, S.timestamp, S.timestamp, T.name_id, E.guid, "
          "E.stack_id, E.category_id, E.parent_stack_id, E.correlation_id, E.extdata FROM "
          "rocpd_sample S JOIN rocpd_track T ON T.id = S.track_id AND T.guid = S.guid " EVENT_OF(
              "S") "JOIN rocpd_string N ON N.id = T.name_id AND N.guid = T.guid WHERE S.guid = ? "
                   "AND T.tid IS NOT NULL AND N.string <> 'SPM' ORDER BY E.id");
    write_calls(s, &rows);
}

/* ---- kernels and memory ---- */

static void put_values(state_t *s, trace_counters_t *c, const trace_value_t *values)
{
    trace_head_t head = c->dispatch.head;
    size_t bytes = c->count * sizeof(*values);
    c->dispatch.head = trace_head(TRACE_COUNTERS, trace_kind(head), trace_operation(head),
                                  trace_thread(head), sizeof(*c) + bytes);
    put_record(s, c, sizeof(*c), values, bytes);
    c->count = 0;
}

/* Writes a dispatch's values, to several records if one cannot hold them. */
static void write_values(state_t *s, beside_t *b, uint64_t event, const trace_dispatch_t *d)
{
    static trace_value_t values[TRACE_VALUES_MAX];
    trace_counters_t c = {.dispatch = *d};
    uint64_t instance = 0;
    for (; belongs(s, b, event); b->more = next(s, &b->rows)) {
        if (c.count == TRACE_VALUES_MAX) put_values(s, &c, values);
        values[c.count] = (trace_value_t){
            .counter = db_uint(&b->rows, 1), .instance = instance++, .value = db_real(&b->rows, 2)};
        c.count++;
    }
    if (c.count) put_values(s, &c, values);
}

static void put_launched(state_t *s, const void *record, size_t bytes, trace_node_t node)
{
    put_record(s, record, bytes, &node, node.graph ? sizeof(node) : 0);
}

static size_t with_node(size_t bytes, trace_node_t node)
{
    return node.graph ? bytes + sizeof(node) : bytes;
}

static void write_kernels(state_t *s)
{
    enum { KERNEL = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, COMPLETE = 2 };
    beside_t values = {0};
    db_cursor_t rows;
    begin_records(s, &rows, &rocpd_kernels);
    char *sql =
        sqlite3_mprintf("SELECT event_id, pmc_id, value FROM rocpd_pmc_event WHERE guid = ? "
                        "AND %s ORDER BY event_id, id",
                        db_values_of_dispatches(s->db));
    begin_beside(s, &values, sql);
    sqlite3_free(sql);
    put_kind(s, KERNEL);
    put_name(s, trace_head(TRACE_OPERATION, KERNEL, COMPLETE, 0, 0), "KERNEL_DISPATCH_COMPLETE");
    while (next(s, &rows)) {
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
            .external = range_of(s, text ? range : 0, text ? text : ""),
            .agent = agent_of(s, &rows, KERNEL_AGENT),
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
    finish(s, &rows);
    finish(s, &values.rows);
}

static void write_copies(state_t *s)
{
    enum { COPY = ROCPROFILER_BUFFER_TRACING_MEMORY_COPY };
    bool first;
    db_cursor_t rows;
    for (begin_records(s, &rows, &rocpd_copies); next(s, &rows);) {
        const uint64_t name_id = db_uint(&rows, COPY_NAME);
        const char *name = rocpd_text(&s->names, name_id);
        if (!name || !rocpd_text(&s->names, db_uint(&rows, COPY_CATEGORY)))
            continue; /* as in the views */
        uint32_t operation = operation_of(s, COPY, name_id, name, &first);
        if (operation == NO_OPERATION) continue;
        const trace_node_t node = {db_uint(&rows, COPY_GRAPH), db_uint(&rows, COPY_NODE)};
        trace_copy_t c = {.head = trace_head(TRACE_COPY, COPY, operation, db_uint(&rows, COPY_TID),
                                             with_node(sizeof(c), node)),
                          .start = db_uint(&rows, COPY_START),
                          .end = db_uint(&rows, COPY_END),
                          .correlation = db_uint(&rows, COPY_STACK),
                          .source = agent_of(s, &rows, COPY_SOURCE),
                          .destination = agent_of(s, &rows, COPY_DESTINATION),
                          .bytes = db_uint(&rows, COPY_SIZE),
                          .source_address = db_uint(&rows, COPY_SOURCE_ADDRESS),
                          .destination_address = db_uint(&rows, COPY_DESTINATION_ADDRESS),
                          .stream = db_uint(&rows, COPY_STREAM)};
        put_launched(s, &c, sizeof(c), node);
    }
    finish(s, &rows);
}

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

static void put_memory(state_t *s, const db_cursor_t *rows, int row)
{
    uint32_t kind = memory_rows[row].kind, operation = memory_rows[row].operation;
    if (kind == ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY) {
        trace_scratch_t x = {
            .head = trace_head(TRACE_SCRATCH, kind, operation, db_uint(rows, 1), sizeof(x)),
            .start = db_uint(rows, 2),
            .end = db_uint(rows, 3),
            .correlation = db_uint(rows, 0),
            .agent = agent_of(s, rows, 4),
            .queue = db_uint(rows, 9),
            .flags = db_uint(rows, 10),
            .bytes = db_uint(rows, 8)};
        put_record(s, &x, sizeof(x), NULL, 0);
        return;
    }
    trace_allocation_t a = {
        .head = trace_head(TRACE_ALLOCATION, kind, operation, db_uint(rows, 1), sizeof(a)),
        .start = db_uint(rows, 2),
        .end = db_uint(rows, 3),
        .correlation = db_uint(rows, 0),
        .agent = memory_rows[row].given ? agent_of(s, rows, 4) : 0,
        .address = db_uint(rows, 7),
        .bytes = db_uint(rows, 8)};
    put_record(s, &a, sizeof(a), NULL, 0);
}

static void write_memory(state_t *s)
{
    for (int i = 0; i < MEMORY_ROWS; i++) {
        const uint32_t kind = memory_rows[i].kind;
        put_kind(s, kind);
        put_name(s, trace_head(TRACE_OPERATION, kind, memory_rows[i].operation, 0, 0),
                 memory_rows[i].name);
    }
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT E.stack_id, M.tid, M.start, M.\"end\", M.agent_id, M.type, M.level, "
          "M.address, M.size, M.queue_id, JSON_EXTRACT(M.extdata, '$.flags') FROM "
          "rocpd_memory_allocate M " EVENT_OF("M") "WHERE M.guid = ?");
    while (next(s, &rows)) {
        int row = 0;
        while (row < MEMORY_ROWS && (strcmp(memory_rows[row].type, db_text(&rows, 5)) != 0 ||
                                     strcmp(memory_rows[row].level, db_text(&rows, 6)) != 0))
            row++;
        if (row < MEMORY_ROWS)
            put_memory(s, &rows, row);
        else
            s->p->left_out++;
    }
    finish(s, &rows);
}

/* ---- graphs and events of HIP, which older schemas do not have ---- */

static void write_graphs(state_t *s)
{
    enum {
        GRAPH = ROCPROFILER_BUFFER_TRACING_HIP_GRAPH,
        LAUNCH = ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH
    };
    if (!db_holds(s->db, DB_GRAPHS)) return;
    put_kind(s, GRAPH);
    put_name(s, trace_head(TRACE_OPERATION, GRAPH, LAUNCH, 0, 0),
             "HIP_GRAPH_OPERATION_EXEC_LAUNCH");
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT E.stack_id, E.parent_stack_id, E.correlation_id, G.tid, G.start, G.\"end\", "
          "G.agent_id, G.queue_id, G.graph_exec_id, G.kernel_dispatch_count FROM "
          "rocpd_graph_launch G " EVENT_OF("G") "WHERE G.guid = ?");
    while (next(s, &rows)) {
        trace_graph_t g = {.head =
                               trace_head(TRACE_GRAPH, GRAPH, LAUNCH, db_uint(&rows, 3), sizeof(g)),
                           .start = db_uint(&rows, 4),
                           .end = db_uint(&rows, 5),
                           .correlation = db_uint(&rows, 0),
                           .ancestor = db_uint(&rows, 1),
                           .external = db_uint(&rows, 2),
                           .agent = agent_of(s, &rows, 6),
                           .queue = db_uint(&rows, 7),
                           .graph = db_uint(&rows, 8),
                           .kernels = db_uint(&rows, 9)};
        put_record(s, &g, sizeof(g), NULL, 0);
    }
    finish(s, &rows);
}

static void write_barriers(state_t *s)
{
    enum { EVENT = ROCPROFILER_BUFFER_TRACING_HIP_EVENT };
    static const char *const names[ROCPROFILER_HIP_EVENT_LAST] = {
        "HIP_EVENT_NONE", "HIP_EVENT_RECORD", "HIP_EVENT_WAIT"};
    if (!db_holds(s->db, DB_HIP_EVENTS)) return;
    put_kind(s, EVENT);
    for (uint32_t i = 0; i < ROCPROFILER_HIP_EVENT_LAST; i++)
        put_name(s, trace_head(TRACE_OPERATION, EVENT, i, 0, 0), names[i]);
    db_cursor_t rows;
    begin(s, &rows,
          "SELECT E.stack_id, H.tid, H.start, H.\"end\", H.agent_id, H.queue_id, H.stream_id, "
          "H.hip_event_handle, H.source_queue_id, N.string FROM rocpd_hip_event H " EVENT_OF(
              "H") "JOIN rocpd_string N ON N.id = H.name_id AND N.guid = H.guid WHERE H.guid "
                   "= ?");
    while (next(s, &rows)) {
        uint32_t operation = ROCPROFILER_HIP_EVENT_LAST - 1;
        while (operation && strcmp(names[operation], db_text(&rows, 9)) != 0)
            operation--;
        trace_barrier_t b = {
            .head = trace_head(TRACE_BARRIER, EVENT, operation, db_uint(&rows, 1), sizeof(b)),
            .start = db_uint(&rows, 2),
            .end = db_uint(&rows, 3),
            .correlation = db_uint(&rows, 0),
            .agent = agent_of(s, &rows, 4),
            .queue = db_uint(&rows, 5),
            .stream = db_uint(&rows, 6),
            .event = db_uint(&rows, 7),
            .source = db_uint(&rows, 8)};
        put_record(s, &b, sizeof(b), NULL, 0);
    }
    finish(s, &rows);
}

int rocpd_store_write(const db_t *db, rocpd_process_t *p, const char *directory, const char *name,
                      int rename)
{
    char why[512];
    state_t s = {.db = db, .p = p, .rename = rename};
    s.meta =
        trace_writer_open(directory, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    if (s.meta)
        s.records = trace_writer_open(directory, "records-0.seg", TRACE_CONTENTS_RECORDS, 0, why,
                                      sizeof(why));
    if (!s.records) {
        base_error("%s", why);
        trace_writer_close(s.meta);
        return -1;
    }
    trace_writer_gather(s.meta);
    trace_writer_gather(s.records);
    if (rocpd_texts_read(&s.names, db, p->guid) != 0) s.failed = true;
    write_process(&s, name);
    write_agents(&s);
    write_code(&s);
    write_regions(&s);
    write_samples(&s);
    if (rocpd_message_end(&s.message, "reading rows") != 0) s.failed = true;
    write_kernels(&s);
    write_copies(&s);
    write_memory(&s);
    write_graphs(&s);
    write_barriers(&s);
    if (!trace_writer_flush(s.records)) tell_failure(&s, s.records);
    if (!trace_writer_flush(s.meta)) tell_failure(&s, s.meta);
    trace_writer_close(s.records);
    trace_writer_close(s.meta);
    rocpd_texts_free(&s.names);
    free(s.agents.rows);
    free(s.operations.rows);
    free(s.ranges.rows);
    return s.failed ? -1 : 0;
}
