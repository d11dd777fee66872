/* csv.c - headers and rows of the trace files and of agent_info.csv.
 *
 * Columns, their order and texts are fixed by rocprofv3's files. A row function writes one line.
 * Text is put between double quotes without escapes, as documented. */
#include "output/domain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/code.h"
#include "output/csv.h"
#include "output/launches.h"
#include "trace/agent-fields.h"

/* The kinds (rocprofiler_buffer_tracing_kind_t) of API records, their domain, and the text of the
 * Domain column if it is not the kind's own name: rocprofv3 traces some kinds through the extended
 * kinds and prints the names of those. */
#define API_KINDS(X)                                                                               \
    X(1, HSA_API, NULL) /* core */                                                                 \
    X(2, HSA_API, NULL) /* AMD extension */                                                        \
    X(3, HSA_API, NULL) /* image extension */                                                      \
    X(4, HSA_API, NULL) /* finalizer extension */                                                  \
    X(5, HIP_API, "HIP_RUNTIME_API_EXT")                                                           \
    X(6, HIP_API, "HIP_COMPILER_API_EXT")                                                          \
    X(14, RCCL_API, NULL)                                                                          \
    X(15, OMPT, NULL)                                                                              \
    X(18, ROCDECODE_API, "ROCDECODE_API_EXT")                                                      \
    X(19, ROCJPEG_API, NULL)                                                                       \
    X(21, HIP_API, NULL) /* the extended kinds */                                                  \
    X(22, HIP_API, NULL)                                                                           \
    X(23, ROCDECODE_API, NULL)                                                                     \
    X(24, KFD, NULL) /* single events of the driver */                                             \
    X(25, KFD, NULL)                                                                               \
    X(26, KFD, NULL)                                                                               \
    X(27, KFD, NULL)                                                                               \
    X(28, KFD, NULL)                                                                               \
    X(29, KFD, NULL) /* pairs of start and end */                                                  \
    X(30, KFD, NULL)                                                                               \
    X(31, KFD, NULL)                                                                               \
    X(34, ROCSHMEM_API, "ROCSHMEM_API_EXT")                                                        \
    X(35, ROCSHMEM_API, NULL)                                                                      \
    X(36, HIPFILE_API, "HIPFILE_API_EXT")                                                          \
    X(37, HIPFILE_API, NULL)

const uint8_t out_domain_of_kind[TRACE_KIND_MAX + 1] = {
#define X(kind, domain, text) [kind] = OUT_##domain + 1,
    API_KINDS(X)
#undef X
};

const uint8_t out_domain_of_type[TRACE_TYPE_COUNT] = {
    [TRACE_DISPATCH] = OUT_KERNEL_DISPATCH + 1,
    [TRACE_COPY] = OUT_MEMORY_COPY + 1,
    [TRACE_ALLOCATION] = OUT_MEMORY_ALLOCATION + 1,
    [TRACE_SCRATCH] = OUT_SCRATCH_MEMORY + 1,
    [TRACE_COUNTERS] = OUT_COUNTER_COLLECTION + 1,
    [TRACE_MARKER] = OUT_MARKER_API + 1,
    [TRACE_SAMPLE] = OUT_PC_SAMPLING + 1,
    [TRACE_READINGS] = OUT_SPM_COUNTER_COLLECTION + 1,
    [TRACE_GRAPH] = OUT_HIP_GRAPH + 1,
    [TRACE_BARRIER] = OUT_HIP_EVENT + 1,
};

bool out_is_point(out_domain_t domain, const trace_timed_t *r)
{
    bool may_be =
        domain == OUT_MARKER_API || domain == OUT_OMPT || out_domains[domain].shape == OUT_EVENT;
    return may_be && r->start == r->end;
}

const char *out_kind_text(const out_model_t *m, uint32_t kind)
{
    static const char *const texts[TRACE_KIND_MAX + 1] = {
#define X(kind, domain, text) [kind] = text,
        API_KINDS(X)
#undef X
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

/* The name of the kernel, or the text of the range or mark that is to be its name; an empty one
 * names nothing. */
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

/* Columns that are the same for all calls of an operation. */
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

/* With all arguments, as NAME=VALUE, in one cell. */
static void event_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    out_arguments_t a = out_model_arguments(t->m, r);
    operation_row(t, r, ',');
    out_char(f, '"');
    for (bool first = true; out_arguments_next(&a); first = false) {
        if (!first) out_char(f, ' ');
        out_text(f, a.name);
        out_char(f, '=');
        out_text(f, a.value);
    }
    out_text(f, "\"\n");
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

/* A record of a release has no agent. */
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

/* Columns on the dispatch that both tables of counters have. */
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

/* One line for each counter of the dispatch, in the order of the counters' ids, with the sum over
 * its instances. */
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

/* If the instruction is not known, the text is that of AMD's tool. */
static void sample_row(out_table_t *t, const trace_timed_t *r)
{
    out_file_t *f = t->f;
    const trace_sample_t *s = (const trace_sample_t *)r;
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
    last_cell(f, s->correlation);
}

/* One line for each sample, in the form that AMD's tool gives when it converts a database. */
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

/* ---- counters side by side ---- */

#define WIDE_HEADER                                                                                \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\","                 \
    "\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\","                \
    "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","      \
    "\"Start_Timestamp\",\"End_Timestamp\""

/* The counters that have a column: one for each name, whatever the agent. */
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
    out_text(f, WIDE_HEADER);
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

#define CALL_HEADER                                                                                \
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","                     \
    "\"Start_Timestamp\",\"End_Timestamp\""
#define API_HEADER   CALL_HEADER "\n"
#define EVENT_HEADER CALL_HEADER ",\"Arguments\"\n"

#define DISPATCH_HEADER                                                                            \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","              \
    "\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","      \
    "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","      \
    "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\","                              \
    "\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"

#define COPY_HEADER                                                                                \
    "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\","           \
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"

#define ALLOCATION_HEADER                                                                          \
    "\"Kind\",\"Operation\",\"Agent_Id\",\"Allocation_Size\",\"Address\","                         \
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"

#define SCRATCH_HEADER                                                                             \
    "\"Kind\",\"Operation\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Alloc_Flags\","              \
    "\"Start_Timestamp\",\"End_Timestamp\",\"Allocation_Size\"\n"

#define COUNTER_HEADER                                                                             \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\","                 \
    "\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\","                \
    "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","      \
    "\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"

#define SAMPLE_HEADER                                                                              \
    "\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\","                          \
    "\"Instruction_Comment\",\"Correlation_Id\"\n"

#define READING_HEADER                                                                             \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\","                 \
    "\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\","                \
    "\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","      \
    "\"Counter_Name\",\"Counter_Value\",\"Timestamp\"\n"

#define GRAPH_HEADER                                                                               \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\","     \
    "\"End_Timestamp\",\"Graph_Exec_Id\",\"Kernel_Dispatch_Count\"\n"

#define BARRIER_HEADER                                                                             \
    "\"Kind\",\"Operation\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\","                \
    "\"Event_Handle\",\"Source_Queue_Id\",\"Correlation_Id\",\"Start_Timestamp\","                 \
    "\"End_Timestamp\"\n"

/* ORDER: out_domain_t. */
const out_domain_row_t out_domains[OUT_DOMAIN_COUNT] = {
#define CALLS(name, category)                                                                      \
    {                                                                                              \
        OUT_CALL, name, category, category "_trace", category "_stats", API_HEADER, api_row,       \
            operation_key, true                                                                    \
    }
    CALLS("HSA_API", "hsa_api"),
    CALLS("HIP_API", "hip_api"),
    {OUT_CALL, "MARKER_API", "marker_api", "marker_api_trace", "marker_api_stats", API_HEADER,
     marker_row, marker_key, false},
    {OUT_LAUNCH, "KERNEL_DISPATCH", "kernel_dispatch", "kernel_trace", "kernel_stats",
     DISPATCH_HEADER, dispatch_row, kernel_key, false},
    {OUT_COPY, "MEMORY_COPY", "memory_copy", "memory_copy_trace", "memory_copy_stats", COPY_HEADER,
     copy_row, operation_key, true},
    {OUT_ALLOCATION, "MEMORY_ALLOCATION", "memory_allocation", "memory_allocation_trace",
     "memory_allocation_stats", ALLOCATION_HEADER, allocation_row, operation_key, true},
    {OUT_SCRATCH, "SCRATCH_MEMORY", "scratch_memory", "scratch_memory_trace",
     "scratch_memory_stats", SCRATCH_HEADER, scratch_row, operation_key, true},
    CALLS("RCCL_API", "rccl_api"),
    CALLS("ROCDECODE_API", "rocdecode_api"),
    CALLS("ROCJPEG_API", "rocjpeg_api"),
    CALLS("ROCSHMEM_API", "rocshmem_api"),
    CALLS("HIPFILE_API", "hipfile_api"),
    {OUT_GRAPH, "HIP_GRAPH", "hip_graph", "graph_launch_trace", NULL, GRAPH_HEADER, graph_row, NULL,
     false},
    {OUT_BARRIER, "HIP_EVENT", "hip_event", "hip_event_trace", NULL, BARRIER_HEADER, barrier_row,
     NULL, false},
    {OUT_CALL, "OMPT", "ompt", "ompt_trace", "ompt_stats", EVENT_HEADER, event_row, operation_key,
     true},
    {OUT_EVENT, "KFD", "kfd_events", "kfd_trace", "kfd_stats", EVENT_HEADER, event_row,
     operation_key, true},
    {OUT_LAUNCH, "COUNTER_COLLECTION", "counter_collection", "counter_collection", NULL,
     COUNTER_HEADER, counter_row, NULL, false},
    {OUT_SAMPLE, "PC_SAMPLING_HOST_TRAP", "pc_sampling_host_trap", "pc_sampling_host_trap", NULL,
     SAMPLE_HEADER, sample_row, NULL, false},
    {OUT_READINGS, "SPM_COUNTER_COLLECTION", "spm_counter_collection",
     "spm_counter_collection_trace", NULL, READING_HEADER, reading_row, NULL, false},
#undef CALLS
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
