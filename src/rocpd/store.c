/* store.c - see store.h. There is one function for each table; columns.h lists the columns that are
 * read of tables with many rows. This file writes processes, agents, code, calls and samples,
 * store_work.c those of kernels, copies, memory, graphs and barriers. */
#include "rocpd/store.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "base/grow.h"
#include "base/log.h"
#include "disasm/disasm.h"
#include "output/domain.h"
#include "model/numbers.h"
#include "rocpd/base.h"
#include "rocpd/columns.h"
#include "rocpd/store_state.h"
#include "trace/agent-fields.h"
#include "trace/mpi.h"
#include "trace/store.h"
#include "trace/writer.h"

/* The kinds, by number, and the domain of a region's or sample's row of that kind. */
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

void rocpd_store_begin(rocpd_store_t *s, db_cursor_t *rows, const char *sql)
{
    *rows = (db_cursor_t){0};
    if (!s->failed) db_rows(rows, s->db, sql, "t", s->p->guid);
}

void rocpd_store_begin_records(rocpd_store_t *s, db_cursor_t *rows, const db_records_t *which)
{
    *rows = (db_cursor_t){0};
    if (!s->failed) db_records(rows, s->db, which, s->p->guid);
}

bool rocpd_store_next(const rocpd_store_t *s, db_cursor_t *rows)
{
    return !s->failed && db_next(rows);
}

void rocpd_store_finish(rocpd_store_t *s, db_cursor_t *rows)
{
    if (db_end(rows, "reading rows") != 0) s->failed = true;
}

static void tell_failure(rocpd_store_t *s, const trace_writer_t *w)
{
    if (!s->failed) base_error("temporary store: %s", trace_writer_failure(w));
    s->failed = true;
}

static void put_meta(rocpd_store_t *s, const void *record, size_t bytes, const char *const *texts,
                     size_t count)
{
    if (!trace_writer_put_texts(s->meta, record, bytes, texts, count)) tell_failure(s, s->meta);
}

void rocpd_store_put_name(rocpd_store_t *s, trace_head_t head, const char *name)
{
    put_meta(s, &head, sizeof(head), &name, 1);
}

void rocpd_store_put(rocpd_store_t *s, const void *record, size_t bytes, const void *rest,
                     size_t more)
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

/* ---- names ---- */

/* Returns the kind of a region's or sample's row; 0 if there is no record for it. */
static uint32_t kind_of(rocpd_store_t *s, const char *category)
{
    if (s->last && strcmp(kinds[s->last].name, category) == 0) return s->last;
    for (uint32_t i = 0; i < KINDS; i++)
        if (kinds[i].becomes != NOTHING && kinds[i].name && strcmp(kinds[i].name, category) == 0)
            return s->last = i;
    return 0;
}

void rocpd_store_put_kind(rocpd_store_t *s, uint32_t kind)
{
    if (!s->kind_written[kind])
        rocpd_store_put_name(s, trace_head(TRACE_KIND, kind, 0, 0, 0), kinds[kind].name);
    s->kind_written[kind] = true;
}

/* Reports that rows are left out, since a record can distinguish only TRACE_OPERATION_MAX + 1
 * operations of a kind. */
static uint32_t no_operation(rocpd_store_t *s, uint32_t kind)
{
    if (!s->too_many)
        base_error(
            "%s: more than %u names of calls in one category, which is what a record can tell "
            "apart: the calls of all others are left out",
            kinds[kind].name, TRACE_OPERATION_MAX + 1);
    s->too_many = true;
    s->p->left_out++;
    return ROCPD_NO_OPERATION;
}

uint32_t rocpd_store_operation(rocpd_store_t *s, uint32_t kind, uint64_t name_id, const char *name,
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
            return ROCPD_NO_OPERATION;
        }
        operation = trace_mpi_number(f);
    }
    rocpd_store_put_kind(s, kind);
    rocpd_store_put_name(s, trace_head(TRACE_OPERATION, kind, operation, 0, 0), name);
    if (!out_numbers_set(&s->operations, key, operation + 1u)) s->failed = true;
    return operation;
}

static uint64_t put_text(rocpd_store_t *s, const char *value)
{
    trace_text_t t = {.head = trace_head(TRACE_TEXT, 0, 0, 0, sizeof(t)), .id = ++s->texts};
    put_meta(s, &t, sizeof(t), &value, 1);
    return t.id;
}

uint64_t rocpd_store_range(rocpd_store_t *s, uint64_t text_id, const char *value)
{
    if (!s->rename || !*value) return 0;
    uint64_t id = out_numbers_get(&s->ranges, text_id);
    if (id) return id;
    id = put_text(s, value);
    if (!out_numbers_set(&s->ranges, text_id, id)) s->failed = true;
    return id;
}

uint64_t rocpd_store_agent(const rocpd_store_t *s, const db_cursor_t *rows, int column)
{
    if (db_null(rows, column)) return 0;
    uint64_t id = db_uint(rows, column), found = out_numbers_get(&s->agents, id);
    return found ? found - 1 : id + 1;
}

/* ---- descriptions ---- */

static void put_info(rocpd_store_t *s, const char *key, const char *value)
{
    trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    const char *texts[] = {key, value};
    put_meta(s, &head, sizeof(head), texts, 2);
}

static void write_process(rocpd_store_t *s, const char *name)
{
    static const char *const keys[] = {TRACE_INFO_COMMAND, TRACE_INFO_PARENT,   TRACE_INFO_MACHINE,
                                       TRACE_INFO_SYSTEM,  TRACE_INFO_HOST,     TRACE_INFO_RELEASE,
                                       TRACE_INFO_VERSION, TRACE_INFO_HARDWARE, TRACE_INFO_DOMAIN};
    db_cursor_t rows;
    rocpd_store_begin(
        s, &rows,
        "SELECT P.command, P.ppid, N.machine_id, N.system_name, N.hostname, N.release, "
        "N.version, N.hardware_name, N.domain_name FROM rocpd_info_process P JOIN "
        "rocpd_info_node N ON N.id = P.nid AND N.guid = P.guid WHERE P.guid = ?");
    put_info(s, TRACE_INFO_DIRECTORY, "/");
    put_info(s, TRACE_INFO_NAME, name);
    while (rocpd_store_next(s, &rows))
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            put_info(s, keys[i], db_text(&rows, (int)i));
    rocpd_store_finish(s, &rows);
    rocpd_store_begin(s, &rows,
                      "SELECT V.key || '=' || V.value FROM rocpd_info_process P, "
                      "json_each(P.environment) V WHERE P.guid = ?");
    while (rocpd_store_next(s, &rows))
        put_info(s, TRACE_INFO_VARIABLE, db_text(&rows, 0));
    rocpd_store_finish(s, &rows);
    for (rocpd_store_begin(s, &rows,
                           "SELECT tid, name FROM rocpd_info_thread WHERE guid = ? AND name <> ''");
         rocpd_store_next(s, &rows);)
        rocpd_store_put_name(s, trace_head(TRACE_THREAD, 0, 0, db_uint(&rows, 0), 0),
                             db_text(&rows, 1));
    rocpd_store_finish(s, &rows);
}

static void write_agents(rocpd_store_t *s)
{
#define X(column, member, form) ", JSON_EXTRACT(extdata, '$." #member "')"
    db_cursor_t rows;
    rocpd_store_begin(s, &rows,
                      "SELECT id, COALESCE(JSON_EXTRACT(extdata, '$.id.handle'), id + 1), type, "
                      "type_index, absolute_index, logical_index, name, vendor_name, product_name, "
                      "model_name" TRACE_AGENT_FIELDS(X) " FROM rocpd_info_agent WHERE guid = ?");
#undef X
    while (rocpd_store_next(s, &rows)) {
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
    rocpd_store_finish(s, &rows);
}

static void write_code(rocpd_store_t *s)
{
    db_cursor_t rows;
    rocpd_store_begin(
        s, &rows,
        "SELECT id, agent_id, load_base, load_size, load_delta, JSON_EXTRACT(extdata, "
        "'$.memory_base'), JSON_EXTRACT(extdata, '$.memory_size'), uri FROM "
        "rocpd_info_code_object WHERE guid = ?");
    while (rocpd_store_next(s, &rows)) {
        trace_code_object_t c = {.head = trace_head(TRACE_CODE_OBJECT, 0, 0, 0, sizeof(c)),
                                 .id = db_uint(&rows, 0),
                                 .agent = rocpd_store_agent(s, &rows, 1),
                                 .load_base = db_uint(&rows, 2),
                                 .load_size = db_uint(&rows, 3),
                                 .load_delta = db_int(&rows, 4),
                                 .memory_base = db_uint(&rows, 5),
                                 .memory_size = db_uint(&rows, 6)};
        const char *uri = db_text(&rows, 7);
        put_meta(s, &c, sizeof(c), &uri, 1);
    }
    rocpd_store_finish(s, &rows);
    rocpd_store_begin(
        s, &rows,
        "SELECT id, code_object_id, kernel_object, kernarg_segment_size, "
        "kernarg_segment_alignment, group_segment_size, private_segment_size, sgpr_count, "
        "arch_vgpr_count, accum_vgpr_count, JSON_EXTRACT(extdata, "
        "'$.kernel_code_entry_byte_offset'), JSON_EXTRACT(extdata, "
        "'$.kernel_address.handle'), "
        "kernel_name, JSON_EXTRACT(extdata, '$.wave_size'), JSON_EXTRACT(extdata, '$.wgp_mode') "
        "FROM rocpd_info_kernel_symbol WHERE guid = ?");
    while (rocpd_store_next(s, &rows)) {
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
                            .address = db_uint(&rows, 11),
                            .wave_items = (uint16_t)dis_wave_items(db_small(&rows, 13)),
                            .whole_wgp = db_small(&rows, 14) == 1};
        const char *name = db_text(&rows, 12);
        put_meta(s, &k, sizeof(k), &name, 1);
    }
    rocpd_store_finish(s, &rows);
    rocpd_store_begin(s, &rows,
                      "SELECT id, agent_id, is_derived, is_constant, name, description, block, "
                      "expression FROM rocpd_info_pmc WHERE guid = ?");
    while (rocpd_store_next(s, &rows)) {
        trace_counter_t c = {.head = trace_head(TRACE_COUNTER, 0, 0, 0, sizeof(c)),
                             .id = db_uint(&rows, 0),
                             .agent = rocpd_store_agent(s, &rows, 1),
                             .derived = db_small(&rows, 2),
                             .constant = (uint16_t)db_small(&rows, 3)};
        const char *texts[] = {db_text(&rows, 4), db_text(&rows, 5), db_text(&rows, 6),
                               db_text(&rows, 7)};
        put_meta(s, &c, sizeof(c), texts, 4);
    }
    rocpd_store_finish(s, &rows);
}

/* ---- calls ---- */

void rocpd_store_begin_beside(rocpd_store_t *s, rocpd_beside_t *b, const char *sql)
{
    rocpd_store_begin(s, &b->rows, sql);
    b->more = rocpd_store_next(s, &b->rows);
}

bool rocpd_store_belongs(rocpd_store_t *s, rocpd_beside_t *b, uint64_t event)
{
    while (b->more && db_uint(&b->rows, 0) < event)
        b->more = rocpd_store_next(s, &b->rows);
    return b->more && db_uint(&b->rows, 0) == event;
}

typedef struct {
    uint64_t count;
    size_t bytes;
    /* as large as the part of a record after the call itself */
    _Alignas(8) char values[(TRACE_WORDS_MAX - sizeof(trace_call_t) / 8) * 8];
    char **signature; /* type and name of each argument */
    size_t room;      /* of `signature`, in arguments */
} arguments_t;

static bool sign_argument(arguments_t *a, const char *type, const char *name)
{
    if (!base_grow(&a->signature, a->count, &a->room, 2 * sizeof(*a->signature))) return false;
    a->signature[2 * a->count] = strdup(type);
    a->signature[2 * a->count + 1] = strdup(name);
    return a->signature[2 * a->count] && a->signature[2 * a->count + 1];
}

static void read_arguments(rocpd_store_t *s, rocpd_beside_t *b, uint64_t event, arguments_t *a,
                           bool sign)
{
    uint64_t cut = 0;
    a->count = a->bytes = 0;
    for (; rocpd_store_belongs(s, b, event) && !s->failed;
         b->more = rocpd_store_next(s, &b->rows)) {
        size_t left = sizeof(a->values) - a->bytes,
               most = left - left / 8; /* leaves room for the other values */
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

static void put_signature(rocpd_store_t *s, uint32_t kind, uint32_t operation, arguments_t *a)
{
    trace_signature_t record = {
        .head = trace_head(TRACE_SIGNATURE, kind, operation, 0, sizeof(record)), .count = a->count};
    if (a->count && !s->failed)
        put_meta(s, &record, sizeof(record), (const char *const *)a->signature, 2 * a->count);
    for (uint64_t i = 0; i < 2 * a->count; i++)
        free(a->signature[i]);
}

static void put_marker(rocpd_store_t *s, const db_cursor_t *rows, uint32_t kind, uint32_t operation,
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
    rocpd_store_put(s, &m, sizeof(m), NULL, 0);
}

/* Returns the beginning of the record of a call; `bytes` is the size of the whole record. */
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

static void put_call(rocpd_store_t *s, const db_cursor_t *rows, uint32_t kind, uint32_t operation,
                     const arguments_t *a)
{
    const bool full = a->count || kinds[kind].becomes == CALL_WITH_ARGUMENTS;
    size_t bytes = full ? sizeof(trace_call_t) : sizeof(trace_api_full_t);
    trace_call_t c = {.call = call_of(rows, TRACE_API, kind, operation, bytes + a->bytes),
                      .count = (uint32_t)a->count};
    if (out_domain_of(c.call.head) < 0)
        s->p->left_out++;
    else
        rocpd_store_put(s, &c, bytes, a->values, a->bytes);
}

/* Writes a call of MPI, whose values are its arguments; `a` has room for the data that follows the
 * record. */
static void put_mpi(rocpd_store_t *s, const db_cursor_t *rows, rocpd_beside_t *b, uint32_t kind,
                    uint32_t operation, arguments_t *a)
{
    trace_mpi_t r = {.call = call_of(rows, TRACE_MPI, kind, operation, sizeof(r)),
                     TRACE_MPI_NO_NUMBERS};
    const size_t room = TRACE_WORDS_MAX * 8 - sizeof(r);
    _Static_assert(sizeof(r) > sizeof(trace_call_t), "a->values has room");
    for (; rocpd_store_belongs(s, b, db_uint(rows, CALL_EVENT)) && !s->failed;
         b->more = rocpd_store_next(s, &b->rows))
        if (!trace_mpi_set(&r, db_text(&b->rows, 2), db_text(&b->rows, 3), a->values, room))
            s->p->left_out++;
    const size_t rest = trace_mpi_rest_bytes(&r);
    r.call = call_of(rows, TRACE_MPI, kind, operation, sizeof(r) + rest);
    rocpd_store_put(s, &r, sizeof(r), a->values, rest);
}

/* Makes records of rows that have the columns CALL_*, and ends the cursor. */
static void write_calls(rocpd_store_t *s, db_cursor_t *rows)
{
    rocpd_beside_t beside = {0};
    arguments_t *a = calloc(1, sizeof(*a));
    rocpd_store_begin_beside(
        s, &beside,
        "SELECT event_id, type, name, value FROM rocpd_arg WHERE guid = ? ORDER BY "
        "event_id, position");
    s->failed |= !a;
    while (rocpd_store_next(s, rows)) {
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
        const uint32_t operation =
            rocpd_store_operation(s, kind, db_uint(rows, CALL_NAME), name, &first);
        if (operation == ROCPD_NO_OPERATION) continue;
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
    rocpd_store_finish(s, rows);
    rocpd_store_finish(s, &beside.rows);
    if (a) free(a->signature);
    free(a);
}

static void write_regions(rocpd_store_t *s)
{
    db_cursor_t rows;
    rocpd_store_begin_records(s, &rows, &rocpd_calls);
    write_calls(s, &rows);
}

/* Writes the samples of threads' tracks, which become calls that take no time. */
static void write_samples(rocpd_store_t *s)
{
    db_cursor_t rows;
    rocpd_store_begin(
        s, &rows,
        "SELECT S.guid, S.event_id, T.tid, S.timestamp, S.timestamp, T.name_id, E.guid, "
        "E.stack_id, E.category_id, E.parent_stack_id, E.correlation_id, E.extdata FROM "
        "rocpd_sample S JOIN rocpd_track T ON T.id = S.track_id AND T.guid = "
        "S.guid " ROCPD_EVENT_OF(
            "S") "JOIN rocpd_string N ON N.id = T.name_id AND N.guid = T.guid WHERE S.guid = ? "
                 "AND T.tid IS NOT NULL AND N.string <> 'SPM' ORDER BY E.id");
    write_calls(s, &rows);
}

int rocpd_store_write(const db_t *db, rocpd_process_t *p, const char *directory, const char *name,
                      int rename)
{
    char why[512];
    rocpd_store_t s = {.db = db, .p = p, .rename = rename};
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
    rocpd_store_write_work(&s);
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
