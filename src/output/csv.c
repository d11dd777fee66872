/* csv.c - headers and rows of the trace files and of agent_info.csv.
 *
 * AMD's rocprofv3 prescribes the columns, their order and their texts. A row function writes one
 * line. Text is put between double quotes without escapes, as documented. */
#include "output/domain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "model/code.h"
#include "output/csv.h"
#include "output/launches.h"
#include "output/objects.h"
#include "trace/agent-fields.h"
#include "trace/mpi.h"

/* Columns that several domains have in common. */
#define CALL_COLUMNS                                                                               \
    "Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp"
#define EVENT_COLUMNS CALL_COLUMNS " Arguments"
#define COUNTED_COLUMNS                                                                            \
    "Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id Grid_Size Kernel_Id "       \
    "Kernel_Name Workgroup_Size LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count "          \
    "SGPR_Count"

#define OF(id, domain) [ROCPROFILER_BUFFER_TRACING_##id] = OUT_##domain + 1,
const uint8_t out_domain_of_kind[TRACE_KIND_MAX + 1] = {
#define KIND_PLAIN(id, domain, option)         OF(id, domain)
#define KIND_SEEN(id, domain, option)          OF(id, domain)
#define KIND_EVENT(id, domain, option, ...)    OF(id, domain)
#define KIND_EXTENDED(id, domain, option, ...) OF(id, domain) OF(id##_EXT, domain)
#include "trace/kinds.def"
};
#undef OF

const uint8_t out_domain_of_type[TRACE_TYPE_COUNT + OUT_DOMAIN_COUNT] = {
#define DOMAIN(id, type, ...)                                                                      \
    [TRACE_##type == TRACE_API ? TRACE_TYPE_COUNT + OUT_##id : TRACE_##type] = OUT_##id + 1,
#include "trace/kinds.def"
};

bool out_is_point(out_domain_t domain, const trace_timed_t *r)
{
    const out_shape_t shape = out_domains[domain].shape;
    return (shape == OUT_RANGE || shape == OUT_EVENT) && r->start == r->end;
}

/* rocprofv3 traces some kinds through the extended kinds and prints the names of these. */
const char *out_kind_text(const out_model_t *m, uint32_t kind)
{
    static const char *const texts[TRACE_KIND_MAX + 1] = {
#define KIND_EXTENDED(id, ...) [ROCPROFILER_BUFFER_TRACING_##id] = #id "_EXT",
#include "trace/kinds.def"
    };
    return kind <= TRACE_KIND_MAX && texts[kind] ? texts[kind] : out_model_kind(m, kind);
}

static void cell_text(out_file_t *f, const char *text)
{
    out_quoted(f, text);
    out_char(f, ',');
}

static void cell(out_file_t *f, uint64_t value)
{
    out_cell(f, value, ',');
}

static void last_cell(out_file_t *f, uint64_t value)
{
    out_cell(f, value, '\n');
}

static const char *operation_key(out_model_t *m, const trace_timed_t *r)
{
    return out_model_operation(m, trace_kind(r->head), trace_operation(r->head));
}

/* Returns the name of the kernel, or the text of the range or mark that is to be its name; an empty
 * text does not count. */
static const char *kernel_key(out_model_t *m, const trace_timed_t *r)
{
    const trace_dispatch_t *d = (const trace_dispatch_t *)r;
    const char *range = d->external ? out_model_text(m, d->external) : NULL;
    return range && *range ? range : out_model_kernel(m, d->kernel)->name;
}

static const char *marker_key(out_model_t *m, const trace_timed_t *r)
{
    const trace_marker_t *marker = (const trace_marker_t *)r;
    const char *text = marker->text ? out_model_text(m, marker->text) : NULL;
    return text ? text : operation_key(m, r);
}

/* Writes the columns that are the same for all calls of an operation. */
static void call_cells(out_file_t *f, out_model_t *m, const trace_timed_t *r, const char *name)
{
    cell_text(f, out_kind_text(m, trace_kind(r->head)));
    cell_text(f, name);
    cell(f, m->header.pid);
}

static void time_cells(out_file_t *f, const trace_timed_t *r, char end)
{
    char *at = out_reserve(f, 4 * OUT_CELL_MAX);
    at = out_put_thread(f, at, trace_thread(r->head));
    *at++ = ',';
    at = out_put_cell(at, r->correlation, ',');
    at = OUT_PUT_TIMES(f, at, r->start, ",", r->end);
    *at++ = end;
    out_commit(f, at);
}

static const out_piece_t *make_piece(out_table_t *t, const trace_timed_t *r)
{
    if (!t->memory) t->memory = out_file_memory();
    if (!t->memory) return NULL;
    call_cells(t->memory, t->m, r, operation_key(t->m, r));
    const char *text = out_file_memory_text(t->memory);
    return text ? out_piece_keep(&t->pieces, r->head, text, strlen(text)) : NULL;
}

static void operation_row(out_table_t *t, const trace_timed_t *r, char end)
{
    const out_piece_t *piece = out_piece_find(&t->pieces, r->head);
    if (!piece) piece = make_piece(t, r);
    if (!piece) {
        out_no_memory(t->f);
        return;
    }
    out_append(t->f, piece->bytes, piece->count);
    time_cells(t->f, r, end);
}

static void api_row(out_table_t *t, const trace_timed_t *r)
{
    operation_row(t, r, '\n');
}

/* Writes an event with all arguments, as NAME=VALUE, in one cell. */
static void event_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_arguments_t a = out_model_arguments(t->m, r);
    operation_row(t, r, ',');
    out_char(f, '"');
    for (bool first = true; out_arguments_next(&a); first = false) {
        if (!first) out_char(f, ' ');
        out_escaped(f, BASE_CSV, a.name);
        out_char(f, '=');
        out_escaped(f, BASE_CSV, a.value);
    }
    out_text(f, "\"\n");
}

/* Writes a call of MPI with a cell for each value that such a call may have, in the order of
 * trace_mpi_next(). */
static void mpi_row(out_table_t *t, const trace_timed_t *r)
{
    static const char *const names[] = {"communicator",   "rank",        "size",
                                        "root",           "destination", "send_tag",
                                        "bytes_sent",     "source",      "receive_tag",
                                        "bytes_received", "request",     "new_communicator",
                                        "members",        "completed"};
    enum { NAMES = sizeof(names) / sizeof(*names) };
    trace_mpi_values_t v = {.record = (const trace_mpi_t *)r};
    bool more = trace_mpi_next(&v);
    operation_row(t, r, ',');
    for (size_t i = 0; i < NAMES; i++) {
        if (more && strcmp(v.name, names[i]) == 0) {
            if (strspn(v.text, "0123456789") == strlen(v.text))
                out_text(t->f, v.text);
            else
                out_quoted(t->f, v.text);
            more = trace_mpi_next(&v);
        }
        out_char(t->f, i + 1 < NAMES ? ',' : '\n');
    }
    trace_mpi_values_free(&v);
}

static void marker_row(out_table_t *t, const trace_timed_t *r)
{
    call_cells(t->f, t->m, r, marker_key(t->m, r));
    time_cells(t->f, r, '\n');
}

void out_table_free(out_table_t *t)
{
    out_pieces_free(&t->pieces);
    out_file_abandon(t->memory);
}

/* Local memory is allocated in blocks of this many bytes; LDS_Block_Size shows whole blocks. */
enum { LDS_BLOCK = 512 };

static void resource_cells(out_file_t *f, const trace_dispatch_t *d, const trace_kernel_t *k)
{
    cell(f, ((uint64_t)k->group_bytes + LDS_BLOCK - 1) / LDS_BLOCK * LDS_BLOCK);
    cell(f, d->private_bytes);
    cell(f, k->vgprs);
    cell(f, k->agprs);
    cell(f, k->sgprs);
}

static void dispatch_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_model_t *m = t->m;
    const trace_dispatch_t *d = (const trace_dispatch_t *)r;
    const out_kernel_t *kernel = out_model_kernel(m, d->kernel);
    const trace_kernel_t *k = kernel->record;
    cell_text(f, out_kind_text(m, trace_kind(d->head)));
    cell_text(f, out_model_agent(m, d->agent));
    cell(f, d->queue);
    cell(f, d->stream);
    cell(f, trace_thread(d->head));
    cell(f, d->dispatch);
    cell(f, d->kernel);
    cell_text(f, kernel_key(m, r));
    cell(f, d->correlation);
    cell(f, d->start);
    cell(f, d->end);
    resource_cells(f, d, k);
    for (int i = 0; i < 3; i++)
        cell(f, d->workgroup[i]);
    cell(f, d->grid[0]);
    cell(f, d->grid[1]);
    last_cell(f, d->grid[2]);
}

static void copy_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_model_t *m = t->m;
    const trace_copy_t *c = (const trace_copy_t *)r;
    cell_text(f, out_kind_text(m, trace_kind(c->head)));
    cell_text(f, operation_key(m, r));
    cell(f, c->stream);
    cell_text(f, out_model_agent(m, c->source));
    cell_text(f, out_model_agent(m, c->destination));
    cell(f, c->correlation);
    cell(f, c->start);
    last_cell(f, c->end);
}

/* Writes an allocation, or a release, whose record has no agent. */
static void allocation_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_model_t *m = t->m;
    const trace_allocation_t *a = (const trace_allocation_t *)r;
    cell_text(f, out_kind_text(m, trace_kind(a->head)));
    cell_text(f, operation_key(m, r));
    cell_text(f, a->agent ? out_model_agent(m, a->agent) : "");
    cell(f, a->bytes);
    out_format(f, "\"0x%016llx\",", (unsigned long long)a->address);
    cell(f, a->correlation);
    cell(f, a->start);
    last_cell(f, a->end);
}

static void scratch_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_model_t *m = t->m;
    const trace_scratch_t *s = (const trace_scratch_t *)r;
    cell_text(f, out_kind_text(m, trace_kind(s->head)));
    cell_text(f, operation_key(m, r));
    cell_text(f, out_model_agent(m, s->agent));
    cell(f, s->queue);
    cell(f, trace_thread(s->head));
    cell(f, s->flags);
    cell(f, s->start);
    cell(f, s->end);
    last_cell(f, s->bytes);
}

static uint64_t product(const uint32_t sizes[3])
{
    return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

/* Writes the columns about the dispatch that both tables of counters have. */
static void counted_cells(out_file_t *f, out_model_t *m, const trace_dispatch_t *d)
{
    cell(f, d->correlation);
    cell(f, d->dispatch);
    cell_text(f, out_model_agent(m, d->agent));
    cell(f, d->queue);
    cell(f, m->header.pid);
    cell(f, trace_thread(d->head));
    cell(f, product(d->grid));
    cell(f, d->kernel);
    cell_text(f, kernel_key(m, (const trace_timed_t *)d));
    cell(f, product(d->workgroup));
    resource_cells(f, d, out_model_kernel(m, d->kernel)->record);
}

static void counter_value(out_file_t *f, double value)
{
    out_format(f, value >= 1 ? "%.6f" : "%.8e", value);
}

static void counter_line(out_file_t *f, out_model_t *m, const trace_counters_t *c, uint64_t counter,
                         double value)
{
    const trace_dispatch_t *d = &c->dispatch;
    counted_cells(f, m, d);
    cell_text(f, out_model_counter(m, counter));
    counter_value(f, value);
    out_char(f, ',');
    cell(f, d->start);
    last_cell(f, d->end);
}

/* Writes one line for each counter of the dispatch, in the order of the counters' ids, with the sum
 * over its instances. */
static void counter_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_model_t *m = t->m;
    const trace_counters_t *c = (const trace_counters_t *)r;
    const trace_value_t *values = trace_values(c);
    uint64_t id = 0;
    for (;;) {
        uint64_t next = UINT64_MAX;
        double sum = 0;
        for (uint64_t i = 0; i < c->count; i++)
            if (values[i].counter >= id && values[i].counter < next) next = values[i].counter;
        if (next == UINT64_MAX) return;
        for (uint64_t i = 0; i < c->count; i++)
            if (values[i].counter == next) sum += values[i].value;
        counter_line(f, m, c, next, sum);
        id = next + 1;
    }
}

/* Writes the cells of a PC sample. If the instruction is not known, the text is that of AMD's
 * tool. */
static void sample_cells(out_table_t *t, const trace_sample_t *s)
{
    out_file_t *f = t->f;
    const out_instruction_t *i = out_code_at(t->m->code, s->code_object, s->offset);
    out_commit(f, out_put_time(f, out_reserve(f, OUT_CELL_MAX), s->start));
    out_char(f, ',');
    cell(f, s->exec);
    cell(f, s->dispatch);
    cell_text(f, i ? i->text : "");
    if (i)
        cell_text(f, i->line);
    else
        out_format(f, "\"" OUT_CODE_UNKNOWN "%" PRIu64 "\",", s->offset);
}

static void sample_row(out_table_t *t, const trace_timed_t *r)
{
    const trace_sample_t *s = (const trace_sample_t *)r;
    sample_cells(t, s);
    last_cell(t->f, s->correlation);
}

static void snapshot_row(out_table_t *t, const trace_timed_t *r)
{
    const trace_snapshot_t *s = (const trace_snapshot_t *)r;
    sample_cells(t, &s->sample);
    cell(t->f, s->sample.correlation);
    cell(t->f, s->issued);
    cell_text(t->f, out_sampled_type(s));
    cell_text(t->f, out_sampled_reason(s));
    last_cell(t->f, s->waves);
}

/* Writes one line for each sample, in the form in which AMD's tool converts a database. */
static void reading_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    const trace_readings_t *s = (const trace_readings_t *)r;
    for (uint64_t i = 0; i < s->count; i++) {
        const trace_reading_t *sample = &trace_readings(s)[i];
        counted_cells(f, t->m, &s->dispatch);
        out_format(f, "\"%s[XCC: %u, SE: %u, Instance: %u]\",",
                   out_model_counter(t->m, sample->counter), sample->xcc, sample->engine,
                   sample->place);
        counter_value(f, sample->value);
        out_char(f, ',');
        last_cell(f, sample->clock);
    }
}

static void graph_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    const trace_graph_t *g = (const trace_graph_t *)r;
    cell_text(f, out_kind_text(t->m, trace_kind(g->head)));
    cell_text(f, out_model_agent(t->m, g->agent));
    cell(f, g->queue);
    time_cells(f, r, ',');
    cell(f, g->graph);
    last_cell(f, g->kernels);
}

static void barrier_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    const trace_barrier_t *b = (const trace_barrier_t *)r;
    cell_text(f, out_kind_text(t->m, trace_kind(b->head)));
    cell_text(f, operation_key(t->m, r));
    cell_text(f, out_model_agent(t->m, b->agent));
    cell(f, b->queue);
    cell(f, b->stream);
    cell(f, trace_thread(b->head));
    out_format(f, "\"0x%016llx\",", (unsigned long long)b->event);
    cell(f, b->source);
    cell(f, b->correlation);
    cell(f, b->start);
    last_cell(f, b->end);
}

/* Writes the names of columns, which are separated by blanks in `names`. */
static void put_columns(out_file_t *f, const char *names)
{
    for (size_t bytes; *names; names += bytes + (names[bytes] != 0)) {
        bytes = strcspn(names, " ");
        out_char(f, '"');
        out_bytes(f, names, bytes);
        out_text(f, names[bytes] ? "\"," : "\"");
    }
}

/* ---- counters side by side ---- */

/* The counters that have a column: one for each name, on whatever agent. */
typedef struct {
    const char **names;
    size_t count;
} columns_t;

static bool find_column(const columns_t *c, const char *name, size_t *place)
{
    for (*place = 0; *place < c->count; ++*place)
        if (strcmp(c->names[*place], name) == 0) return true;
    return false;
}

static columns_t columns_of(const out_model_t *m)
{
    columns_t c = {.names = calloc(m->counter_count + 1, sizeof(*c.names))};
    size_t place;
    for (size_t i = 0; c.names && i < m->counter_count; i++) {
        const char *name = out_model_counter(m, m->counters[i]->id);
        if (!find_column(&c, name, &place)) c.names[c.count++] = name;
    }
    return c;
}

typedef struct {
    out_file_t *f;
    out_model_t *m;
    columns_t columns;
    const double **values; /* by column: the values of one launch */
} wide_t;

static void wide_row(void *to, out_launch_t *l)
{
    const wide_t *w = to;
    const trace_dispatch_t *d = &l->dispatch;
    size_t place;
    out_launch_sum(l);
    memset(w->values, 0, w->columns.count * sizeof(*w->values));
    for (size_t i = 0; i < l->count; i++)
        if (find_column(&w->columns, out_model_counter(w->m, l->values[i].counter), &place))
            w->values[place] = &l->values[i].value;
    counted_cells(w->f, w->m, d);
    cell(w->f, d->start);
    out_unsigned(w->f, d->end);
    for (size_t i = 0; i < w->columns.count; i++) {
        out_char(w->f, ',');
        if (w->values[i]) counter_value(w->f, *w->values[i]);
    }
    out_char(w->f, '\n');
}

int out_csv_wide(out_file_t *f, out_model_t *m, out_source_t *source)
{
    out_launches_t launches = {0};
    wide_t w = {.f = f, .m = m, .columns = columns_of(m)};
    w.values = calloc(w.columns.count + 1, sizeof(*w.values));
    bool room = w.columns.names && w.values;
    put_columns(f, COUNTED_COLUMNS " Start_Timestamp End_Timestamp");
    for (size_t i = 0; i < w.columns.count; i++) {
        out_char(f, ',');
        out_quoted(f, w.columns.names[i]);
    }
    out_char(f, '\n');
    out_source_domain(source, OUT_COUNTER_COLLECTION);
    for (const trace_timed_t *r; room && (r = out_source_next(source));) {
        out_launches_use(&launches, r, wide_row, &w);
        room = out_launches_add(&launches, OUT_COUNTER_COLLECTION, r);
    }
    if (room) out_launches_use(&launches, NULL, wide_row, &w);
    out_launches_free(&launches);
    free(w.columns.names);
    free(w.values);
    return room && !source->failed ? 0 : -1;
}

void out_put_header(out_file_t *f, out_domain_t domain)
{
    put_columns(f, out_domains[domain].columns);
    out_char(f, '\n');
}

/* The keys by which statistics group records, and whether a key depends on kind and operation
 * alone. */
#define BY_operation operation_key, true
#define BY_kernel    kernel_key, false
#define BY_marker    marker_key, false
#define BY_nothing   NULL, false

const out_domain_row_t out_domains[OUT_DOMAIN_COUNT] = {
#define DOMAIN(id, type, shape, category, slices, paradigm, file, row, stats, by, list, place,     \
               key, record, columns)                                                               \
    {OUT_##shape, #id, category, slices, file, stats, columns, row##_row, BY_##by},
#include "trace/kinds.def"
};

#define CELL_U(f, a, value) cell(f, value)
#define CELL_S(f, a, value) (out_signed(f, (int64_t)(value)), out_char(f, ','))
#define CELL_QUOTED(f, a, value)                                                                   \
    (out_char(f, '"'), out_unsigned(f, value), out_char(f, '"'), out_char(f, ','))
#define CELL_TYPE(f, a, value) cell_text(f, out_agent_type(a))

static void agent_row(out_file_t *f, const out_agent_t *agent)
{
    const trace_agent_t *a = agent->record;
#define X(column, member, form) CELL_##form(f, agent, out_agent_value(agent, TRACE_AGENT_##column));
    TRACE_AGENT_FIELDS(X)
#undef X
    const char *text = (const char *)a + a->text_offset;
    for (int i = 0; i < TRACE_AGENT_TEXT_COUNT; i++) {
        out_quoted(f, text);
        out_char(f, i + 1 < TRACE_AGENT_TEXT_COUNT ? ',' : '\n');
        text += strlen(text) + 1;
    }
}

void out_csv_agents(out_file_t *f, const out_model_t *m)
{
    static const char *const columns[] = {
#define X(column, ...) "\"" #column "\"",
        TRACE_AGENT_FIELDS(X) TRACE_AGENT_TEXTS(X)
#undef X
    };
    size_t count = sizeof(columns) / sizeof(*columns);
    for (size_t i = 0; i < count; i++) {
        out_text(f, columns[i]);
        out_char(f, i + 1 < count ? ',' : '\n');
    }
    for (size_t i = 0; i < m->agent_count; i++)
        agent_row(f, &m->agents[i]);
}
