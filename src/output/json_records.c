/* json_records.c - see json_records.h. Keys and their order are those of AMD's tool.
 *
 * Records are written by domain, in order, by several threads. There is one function for each form
 * of record. It gets room for RECORD_MAX bytes and returns the end of what it has written; a
 * function whose records may be longer writes parts of them through json.h. */
#include "output/json_records.h"

#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "model/code.h"
#include "output/crew.h"
#include "output/objects.h"
#include "trace/reader.h"

/* The size of the SDK's structure is a member of each record. */
#define SIZE(name) ((unsigned)sizeof(rocprofiler_buffer_tracing_##name##_record_t))

typedef struct {
    out_file_t *f; /* a file in memory */
    const out_model_t *model;
    out_pieces_t calls[2];  /* beginnings of calls, without and with values; made once per
                             * operation */
    out_pieces_t arguments; /* texts before the values, each ended by a zero byte */
    out_file_t *memory;     /* a file in memory in which pieces are made */
} writer_t;

/* Records of all forms with a limited length fit into this many bytes. */
enum { RECORD_MAX = 2048 };

/* Writes the members of a record from `at` on, and returns the end. */
typedef char *(*put_record_t)(writer_t *w, char *at, const trace_timed_t *r);

/* ---- parts that several forms of records have ---- */

/* leave() continues through json.h, the other function returns from it. */
static out_json_t leave(writer_t *w, char *at, bool comma)
{
    out_commit(w->f, at);
    return (out_json_t){.f = w->f, .comma = comma};
}

static char *come_back(writer_t *w)
{
    return out_reserve(w->f, RECORD_MAX);
}

/* Write members with constant keys; PUT_FIRST writes the first one of an object. */
#define PUT_FIRST(at, key, value)  at = out_put_unsigned(OUT_PUT_WORD(at, "\"" key "\":"), value)
#define PUT_MEMBER(at, key, value) at = out_put_unsigned(OUT_PUT_WORD(at, ",\"" key "\":"), value)
#define PUT_HANDLE(at, key, value)                                                                 \
    at = OUT_PUT_WORD(out_put_unsigned(OUT_PUT_WORD(at, ",\"" key "\":{\"handle\":"), value), "}")

/* Returns the kind that is shown: rocprofv3 traces some kinds as the plain ones, but shows the
 * extended ones, as AMD's tool does. */
static unsigned shown_kind(unsigned kind)
{
    static const unsigned extended[TRACE_KIND_MAX + 1] = {
#define KIND_EXTENDED(id, ...)                                                                     \
    [ROCPROFILER_BUFFER_TRACING_##id] = ROCPROFILER_BUFFER_TRACING_##id##_EXT,
#include "trace/kinds.def"
    };
    return extended[kind] ? extended[kind] : kind;
}

static char *put_size(char *at, unsigned bytes, const trace_timed_t *r)
{
    PUT_FIRST(at, "size", bytes);
    PUT_MEMBER(at, "kind", shown_kind(trace_kind(r->head)));
    PUT_MEMBER(at, "operation", trace_operation(r->head));
    return at;
}

static char *put_thread(writer_t *w, char *at, const trace_timed_t *r)
{
    return out_put_thread(w->f, OUT_PUT_WORD(at, ",\"thread_id\":"), trace_thread(r->head));
}

static char *put_correlation(char *at, uint64_t internal, uint64_t external)
{
    at = out_put_unsigned(OUT_PUT_WORD(at, ",\"correlation_id\":{\"internal\":"), internal);
    PUT_MEMBER(at, "external", external);
    return OUT_PUT_WORD(at, "}");
}

static char *put_times(writer_t *w, char *at, const trace_timed_t *r)
{
    at = OUT_PUT_WORD(at, ",\"start_timestamp\":");
    return OUT_PUT_TIMES(w->f, at, r->start, ",\"end_timestamp\":", r->end);
}

static char *put_dim3(char *at, const uint32_t d[3])
{
    at = out_put_unsigned(OUT_PUT_WORD(at, "{\"x\":"), d[0]);
    PUT_MEMBER(at, "y", d[1]);
    PUT_MEMBER(at, "z", d[2]);
    return OUT_PUT_WORD(at, "}");
}

static char *put_dispatch_info(char *at, const trace_dispatch_t *d)
{
    at = OUT_PUT_WORD(at, ",\"dispatch_info\":{\"size\":");
    at = out_put_unsigned(at, (unsigned)sizeof(rocprofiler_kernel_dispatch_info_t));
    PUT_HANDLE(at, "agent_id", d->agent);
    PUT_HANDLE(at, "queue_id", d->queue);
    PUT_MEMBER(at, "kernel_id", d->kernel);
    PUT_MEMBER(at, "dispatch_id", d->dispatch);
    PUT_MEMBER(at, "private_segment_size", d->private_bytes);
    PUT_MEMBER(at, "group_segment_size", d->group_bytes);
    at = put_dim3(OUT_PUT_WORD(at, ",\"workgroup_size\":"), d->workgroup);
    at = put_dim3(OUT_PUT_WORD(at, ",\"grid_size\":"), d->grid);
    return OUT_PUT_WORD(at, "}");
}

/* ---- calls ---- */

/* Makes the beginning of a call, up to the value of the correlation id. */
static const out_piece_t *make_call(writer_t *w, const trace_timed_t *r, bool values)
{
    char text[256];
    /* Only these kinds have records with arguments. */
    static const unsigned extended[TRACE_KIND_MAX + 1] = {
#define KIND_EXTENDED(id, domain, option, structure, result)                                       \
    [ROCPROFILER_BUFFER_TRACING_##id] = sizeof(rocprofiler_buffer_tracing_##structure),            \
    [ROCPROFILER_BUFFER_TRACING_##id##_EXT] = sizeof(rocprofiler_buffer_tracing_##structure),
#include "trace/kinds.def"
    };
    const unsigned with_values = values ? extended[trace_kind(r->head)] : 0;
    const unsigned bytes = with_values ? with_values : SIZE(hsa_api);
    char *end = OUT_PUT_WORD(put_size(text, bytes, r), ",\"correlation_id\":{\"internal\":");
    return out_piece_keep(&w->calls[values], r->head, text, (size_t)(end - text));
}

static char *put_call(writer_t *w, char *at, const trace_timed_t *r, bool values)
{
    const trace_api_full_t *full = (const trace_api_full_t *)r;
    const out_piece_t *begin = out_piece_find(&w->calls[values], r->head);
    if (!begin) begin = make_call(w, r, values);
    if (!begin) {
        out_no_memory(w->f);
        return at;
    }
    at = out_put_unsigned(out_piece_put(at, begin), r->correlation);
    if (trace_words(r->head) * 8u >= sizeof(*full)) {
        PUT_MEMBER(at, "external", full->external);
        PUT_MEMBER(at, "ancestor", full->ancestor);
        at = OUT_PUT_WORD(at, "}");
    } else {
        at = OUT_PUT_WORD(at, ",\"external\":0,\"ancestor\":0}");
    }
    return put_thread(w, put_times(w, at, r), r);
}

static char *call_record(writer_t *w, char *at, const trace_timed_t *r)
{
    return put_call(w, at, r, false);
}

static const out_piece_t *make_arguments(writer_t *w, const trace_timed_t *r,
                                         const trace_signature_t *signature)
{
    if (!w->memory) w->memory = out_file_memory();
    if (!w->memory) return NULL;
    for (uint64_t i = 0; i < signature->count; i++) {
        out_json_t j = {.f = w->memory};
        out_text(j.f, i ? ",{" : "{");
        out_json_text(&j, "type", trace_record_text(&signature->head, 2 * (unsigned)i));
        out_json_text(&j, "name", trace_record_text(&signature->head, 2 * (unsigned)i + 1));
        out_bytes(j.f, ",\"value\":", sizeof(",\"value\":"));
    }
    size_t bytes;
    const char *text = out_file_memory_bytes(w->memory, &bytes);
    return text ? out_piece_keep(&w->arguments, r->head, text, bytes) : NULL;
}

static void put_arguments(writer_t *w, out_json_t *j, const trace_timed_t *r)
{
    out_arguments_t a = out_model_arguments(w->model, r);
    const out_piece_t *piece = out_piece_find(&w->arguments, r->head);
    if (a.count && !piece) piece = make_arguments(w, r, a.signature);
    if (a.count && !piece) out_no_memory(w->f);
    const char *before = piece ? piece->bytes : NULL;
    out_json_begin(j, "args", '[');
    for (const char *value; before && (value = out_arguments_value(&a));) {
        size_t bytes = strlen(before);
        out_append(w->f, before, bytes);
        out_json_escaped(w->f, value);
        out_char(w->f, '}');
        before += bytes + 1;
    }
    out_json_end(j, ']');
}

/* Writes the values of a call of MPI, which are not the same for all calls of a function. */
static char *put_mpi(writer_t *w, char *at, const trace_timed_t *r)
{
    out_json_t j = leave(w, put_call(w, at, r, false), true);
    out_arguments_t a = out_model_arguments(w->model, r);
    out_json_begin(&j, "args", '[');
    while (out_arguments_next(&a)) {
        out_json_begin(&j, NULL, '{');
        out_json_text(&j, "type", a.type);
        out_json_text(&j, "name", a.name);
        out_json_text(&j, "value", a.value);
        out_json_end(&j, '}');
    }
    out_json_end(&j, ']');
    return come_back(w);
}

/* Writes a call with its arguments and its result, as far as they are known. */
static char *whole_call_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const char *end;
    if (trace_type(r->head) == TRACE_MPI) return put_mpi(w, at, r);
    if (!trace_call_values(r, &end)) return put_call(w, at, r, false);
    out_json_t j = leave(w, put_call(w, at, r, true), true);
    put_arguments(w, &j, r);
    if (((const trace_call_t *)r)->has_result) {
        out_json_begin(&j, "retval", '{');
        out_json_unsigned(&j, "uint64_t_retval", ((const trace_call_t *)r)->result);
        out_json_end(&j, '}');
    }
    return come_back(w);
}

static char *hip_record(writer_t *w, char *at, const trace_timed_t *r)
{
    return OUT_PUT_WORD(whole_call_record(w, at, r), ",\"stream_id\":{\"handle\":0}");
}

/* ---- other records ---- */

/* Writes the graph by which a kernel or copy was launched. */
static char *put_node(char *at, uint64_t stream, const trace_timed_t *r)
{
    const trace_node_t node = trace_node(r);
    PUT_HANDLE(at, "stream_id", stream);
    PUT_HANDLE(at, "graph_exec_id", node.graph);
    PUT_HANDLE(at, "graph_node_id", node.node);
    return at;
}

static char *dispatch_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_dispatch_t *d = (const trace_dispatch_t *)r;
    at = put_thread(w, put_size(at, SIZE(kernel_dispatch), r), r);
    at = put_times(w, put_correlation(at, r->correlation, d->external), r);
    return put_node(put_dispatch_info(at, d), d->stream, r);
}

static char *copy_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_copy_t *c = (const trace_copy_t *)r;
    at = put_thread(w, put_size(at, SIZE(memory_copy), r), r);
    at = put_times(w, put_correlation(at, r->correlation, c->external), r);
    PUT_HANDLE(at, "dst_agent_id", c->destination);
    PUT_HANDLE(at, "src_agent_id", c->source);
    PUT_MEMBER(at, "bytes", c->bytes);
    return put_node(at, c->stream, r);
}

static char *allocation_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_allocation_t *a = (const trace_allocation_t *)r;
    at = put_thread(w, put_size(at, SIZE(memory_allocation), r), r);
    at = put_times(w, put_correlation(at, r->correlation, a->external), r);
    PUT_HANDLE(at, "agent_id", a->agent);
    PUT_HANDLE(at, "address", a->address);
    PUT_MEMBER(at, "allocation_size", a->bytes);
    PUT_HANDLE(at, "stream_id", 0);
    return at;
}

static char *scratch_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_scratch_t *s = (const trace_scratch_t *)r;
    at = put_size(at, SIZE(scratch_memory), r);
    PUT_HANDLE(at, "agent_id", s->agent);
    PUT_HANDLE(at, "queue_id", s->queue);
    at = put_times(w, put_thread(w, at, r), r);
    at = put_correlation(at, r->correlation, s->external);
    PUT_MEMBER(at, "flags", s->flags);
    PUT_MEMBER(at, "allocation_size", s->bytes);
    return at;
}

/* Writes the members in front of the values that were counted of a dispatch; `bytes`: size of AMD's
 * structure; `timed`: it has times. The list of the values stays open. */
static out_json_t begin_counted(writer_t *w, char *at, const trace_timed_t *r,
                                const trace_dispatch_t *d, size_t bytes, bool timed)
{
    PUT_FIRST(at, "thread_id", trace_thread(r->head));
    at = OUT_PUT_WORD(at, ",\"dispatch_data\":{");
    PUT_FIRST(at, "size", (unsigned)bytes);
    at = put_correlation(at, r->correlation, d->external);
    if (timed) at = put_times(w, at, r);
    out_json_t j = leave(w, OUT_PUT_WORD(put_dispatch_info(at, d), "}"), true);
    out_json_begin(&j, "records", '[');
    return j;
}

static char *end_counted(writer_t *w, out_json_t *j, const trace_dispatch_t *d)
{
    out_json_end(j, ']');
    out_json_handle(j, "stream_id", d->stream);
    return come_back(w);
}

static char *counter_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_counters_t *c = (const trace_counters_t *)r;
    const trace_value_t *values = trace_values(c);
    out_json_t j = begin_counted(w, at, r, &c->dispatch,
                                 sizeof(rocprofiler_dispatch_counting_service_data_t), true);
    for (uint64_t i = 0; i < c->count; i++) {
        out_json_begin(&j, NULL, '{');
        out_json_handle(&j, "counter_id", values[i].counter);
        out_json_double(&j, "value", values[i].value);
        out_json_end(&j, '}');
    }
    return end_counted(w, &j, &c->dispatch);
}

/* Writes the members that records of both methods have; the object stays open. */
static char *put_sample(writer_t *w, char *at, const trace_sample_t *s)
{
    out_json_t j = leave(w, OUT_PUT_WORD(at, "\"hw_id\":{"), false);
    out_object_place(&j, s->place);
    at = OUT_PUT_WORD(come_back(w), "},\"pc\":{");
    PUT_FIRST(at, "code_object_id", s->code_object);
    PUT_MEMBER(at, "code_object_offset", s->offset);
    at = OUT_PUT_WORD(at, "}");
    PUT_MEMBER(at, "exec_mask", s->exec);
    at = out_put_time(w->f, OUT_PUT_WORD(at, ",\"timestamp\":"), s->start);
    PUT_MEMBER(at, "dispatch_id", s->dispatch);
    at = OUT_PUT_WORD(at, ",\"corr_id\":{");
    PUT_FIRST(at, "internal", s->correlation);
    PUT_MEMBER(at, "external", s->external);
    at = put_dim3(OUT_PUT_WORD(at, "},\"wrkgrp_id\":"), s->workgroup);
    PUT_MEMBER(at, "wave_in_grp", s->wave);
    return at;
}

/* Ends the record, and writes the index of its instruction behind it. */
static char *put_sampled(writer_t *w, char *at, const trace_sample_t *s)
{
    const out_instruction_t *i = out_code_at(w->model->code, s->code_object, s->offset);
    out_json_t j = leave(w, OUT_PUT_WORD(at, "}"), true);
    out_json_signed(&j, "inst_index", i ? i->index : -1);
    return come_back(w);
}

static char *sample_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_sample_t *s = (const trace_sample_t *)r;
    return put_sampled(w, put_sample(w, OUT_PUT_WORD(at, "\"record\":{"), s), s);
}

/* Writes a stochastic sample. None of the GPUs whose samples can be read counts the wave's memory
 * operations in a sample. */
static char *snapshot_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_snapshot_t *s = (const trace_snapshot_t *)r;
    at = put_sample(w, OUT_PUT_WORD(at, "\"record\":{\"flags\":{\"has_mem_cnt\":0},"), &s->sample);
    PUT_MEMBER(at, "wave_issued", s->issued);
    out_json_t j = leave(w, at, true);
    out_json_text(&j, "inst_type", out_sampled_type(s));
    out_json_unsigned(&j, "wave_cnt", s->waves);
    out_json_begin(&j, "snapshot", '{');
    out_object_snapshot(&j, s);
    out_json_end(&j, '}');
    return put_sampled(w, come_back(w), &s->sample);
}

static char *reading_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_readings_t *s = (const trace_readings_t *)r;
    const trace_reading_t *samples = trace_readings(s);
    out_json_t j = begin_counted(w, at, r, &s->dispatch,
                                 sizeof(rocprofiler_spm_dispatch_counting_service_data_t), false);
    for (uint64_t i = 0; i < s->count; i++) {
        out_json_begin(&j, NULL, '{');
        out_json_handle(&j, "counter_id", samples[i].counter);
        out_json_double(&j, "value", samples[i].value);
        out_json_unsigned(&j, "timestamp", samples[i].clock);
        out_json_unsigned(&j, "instance_id", samples[i].instance);
        out_json_end(&j, '}');
    }
    return end_counted(w, &j, &s->dispatch);
}

static char *graph_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_graph_t *g = (const trace_graph_t *)r;
    at = put_size(at, SIZE(hip_graph), r);
    at = out_put_unsigned(OUT_PUT_WORD(at, ",\"correlation_id\":{\"internal\":"), r->correlation);
    PUT_MEMBER(at, "external", g->external);
    PUT_MEMBER(at, "ancestor", g->ancestor);
    at = put_times(w, put_thread(w, OUT_PUT_WORD(at, "}"), r), r);
    PUT_HANDLE(at, "agent_id", g->agent);
    PUT_HANDLE(at, "queue_id", g->queue);
    PUT_HANDLE(at, "graph_exec_id", g->graph);
    PUT_MEMBER(at, "kernel_dispatch_count", g->kernels);
    return at;
}

static char *barrier_record(writer_t *w, char *at, const trace_timed_t *r)
{
    const trace_barrier_t *b = (const trace_barrier_t *)r;
    at = put_correlation(put_size(at, SIZE(hip_event), r), r->correlation, b->external);
    at = put_times(w, put_thread(w, at, r), r);
    PUT_HANDLE(at, "agent_id", b->agent);
    PUT_HANDLE(at, "queue_id", b->queue);
    PUT_MEMBER(at, "hip_event_handle", b->event);
    PUT_HANDLE(at, "source_queue_id", b->source);
    PUT_HANDLE(at, "stream_id", b->stream);
    return at;
}

/* ---- a section rendered by several threads ---- */

typedef struct {
    out_file_t *f;
    out_job_t *job;
    put_record_t record;
} section_t;

typedef struct {
    writer_t w;
    const section_t *section;
    out_batch_t batch;
} parcel_t;

static void *begin_parcel(void *to)
{
    const section_t *section = to;
    parcel_t *parcel = calloc(1, sizeof(*parcel));
    if (!parcel) return NULL;
    parcel->section = section;
    parcel->w = (writer_t){.f = out_file_memory(), .model = section->job->model};
    if (parcel->w.f) return parcel;
    free(parcel);
    return NULL;
}

static void end_parcel(void *argument)
{
    parcel_t *parcel = argument;
    for (size_t i = 0; i < sizeof(parcel->w.calls) / sizeof(*parcel->w.calls); i++)
        out_pieces_free(&parcel->w.calls[i]);
    out_pieces_free(&parcel->w.arguments);
    out_file_abandon(parcel->w.memory);
    out_file_abandon(parcel->w.f);
    free(parcel->batch.records);
    free(parcel);
}

static bool take_records(void *argument)
{
    parcel_t *parcel = argument;
    return out_source_batch(parcel->section->job->source, &parcel->batch);
}

static void render_records(void *argument, bool first)
{
    parcel_t *parcel = argument;
    writer_t *w = &parcel->w;
    const put_record_t record = parcel->section->record;
    for (size_t place = 0; place < parcel->batch.used; first = false) {
        const trace_timed_t *r = (const trace_timed_t *)(parcel->batch.records + place);
        char *at = out_reserve(w->f, RECORD_MAX);
        if (!first) *at++ = ',';
        *at++ = '{';
        out_commit(w->f, OUT_PUT_WORD(record(w, at, r), "}\n"));
        place += trace_words(r->head) * 8u;
    }
}

static void write_records(void *argument)
{
    parcel_t *parcel = argument;
    out_file_move(parcel->section->f, parcel->w.f);
}

static void put_section(out_json_t *j, out_job_t *job, const char *key, int domain,
                        put_record_t record)
{
    section_t section = {j->f, job, record};
    const out_crew_work_t work = {begin_parcel,   end_parcel,    take_records,
                                  render_records, write_records, &section};
    out_json_begin(j, key, '[');
    if (domain >= 0 && !job->source->failed) {
        out_source_domain(job->source, (out_domain_t)domain);
        if (!out_crew_run(&work, out_crew_size(job->threads, job->source->rows[domain])))
            out_no_memory(j->f);
    }
    out_json_end(j, ']');
}

/* ---- all sections ---- */

/* ORDER: as in files of AMD's tool, in both lists. */
static const struct {
    const char *key; /* NULL: the form has no such list */
    out_domain_t domain;
    put_record_t record;
} sections[2][OUT_DOMAIN_COUNT] = {
#define CALLBACK 0
#define BUFFER   1
#define DOMAIN(id, type, shape, category, slices, paradigm, file, row, stats, by, list, place,     \
               key, record, columns)                                                               \
    [list][(place)-1] = {key, OUT_##id, record##_record},
#include "trace/kinds.def"
};

static void put_list(out_json_t *j, out_job_t *job, const char *name, int list)
{
    out_json_begin(j, name, '{');
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        if (sections[list][i].key)
            put_section(j, job, sections[list][i].key, (int)sections[list][i].domain,
                        sections[list][i].record);
    out_json_end(j, '}');
}

void out_json_records(out_json_t *j, out_job_t *job)
{
    put_list(j, job, "callback_records", CALLBACK);
    put_list(j, job, "buffer_records", BUFFER);
}
