/* json_results.c - results.json: everything of one process in AMD's JSON form.
 *
 * One object with an array of one; sections in the order of AMD's tool, so that its own validators
 * and what was written for them read it. Records go by domain, each straight from its sorted source
 * to the file. */
#include "base/text.h"
#include "output/att.h"
#include "output/code.h"
#include "output/crew.h"
#include "output/format.h"
#include "output/json.h"
#include "output/objects.h"
#include "output/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/agent-fields.h"
#include "trace/reader.h"
#include "trace/store.h"

/* sizeof of AMD's records, which stand in each */
enum {
    API_BYTES = 64,
    CALL_BYTES = 176, /* of HIP, with arguments */
    DECODE_BYTES = 112,
    DISPATCH_BYTES = 184,
    DISPATCH_INFO_BYTES = 128,
    COPY_BYTES = 96,
    ALLOCATION_BYTES = 88,
    SCRATCH_BYTES = 96,
    COUNTING_BYTES = 168,
    READINGS_BYTES = 152
};

typedef struct {
    out_json_t j;
    out_job_t *job;
    out_model_t *model;
    out_pieces_t calls[2];  /* how calls begin, without and with values */
    out_pieces_t arguments; /* what stands before each value, each ended by a zero byte */
    out_file_t *memory;     /* where pieces are made */
} writer_t;

typedef void (*put_record_t)(writer_t *w, const trace_timed_t *r);

/* ---- parts that several records have ---- */

/* HIP calls are traced through the plain kinds and shown as the extended ones. */
static unsigned shown_kind(unsigned kind)
{
    return kind == 5 ? 21 : kind == 6 ? 22 : kind;
}

static void put_size(out_json_t *j, unsigned bytes, const trace_timed_t *r)
{
    out_json_unsigned(j, "size", bytes);
    out_json_unsigned(j, "kind", shown_kind(trace_kind(r->head)));
    out_json_unsigned(j, "operation", trace_operation(r->head));
}

/* A member whose key is constant, and which is not the first one; into room that was reserved. */
#define PUT_MEMBER(at, key, value) at = out_put_unsigned(OUT_PUT_WORD(at, ",\"" key "\":"), value)
#define PUT_HANDLE(at, key, value)                                                                 \
    at = OUT_PUT_WORD(out_put_unsigned(OUT_PUT_WORD(at, ",\"" key "\":{\"handle\":"), value), "}")

/* More than any of the parts below needs. */
enum { PART_MAX = 1024 };

static void put_correlation(out_json_t *j, uint64_t internal, uint64_t external)
{
    char *at = OUT_PUT_WORD(out_reserve(j->f, PART_MAX), ",\"correlation_id\":{\"internal\":");
    at = out_put_unsigned(at, internal);
    PUT_MEMBER(at, "external", external);
    out_commit(j->f, OUT_PUT_WORD(at, "}"));
}

static char *put_stamps(out_file_t *f, char *at, const trace_timed_t *r)
{
    at = out_put_time(f, OUT_PUT_WORD(at, ",\"start_timestamp\":"), r->start);
    return out_put_time(f, OUT_PUT_WORD(at, ",\"end_timestamp\":"), r->end);
}

static void put_times(out_json_t *j, const trace_timed_t *r)
{
    char *at = out_reserve(j->f, PART_MAX);
    out_commit(j->f, put_stamps(j->f, at, r));
}

static char *put_dim3(char *at, const uint32_t d[3])
{
    at = out_put_unsigned(OUT_PUT_WORD(at, "{\"x\":"), d[0]);
    PUT_MEMBER(at, "y", d[1]);
    PUT_MEMBER(at, "z", d[2]);
    return OUT_PUT_WORD(at, "}");
}

static void put_dispatch_info(out_json_t *j, const trace_dispatch_t *d)
{
    char *at = OUT_PUT_WORD(out_reserve(j->f, PART_MAX), ",\"dispatch_info\":{\"size\":");
    at = out_put_unsigned(at, DISPATCH_INFO_BYTES);
    PUT_HANDLE(at, "agent_id", d->agent);
    PUT_HANDLE(at, "queue_id", d->queue);
    PUT_MEMBER(at, "kernel_id", d->kernel);
    PUT_MEMBER(at, "dispatch_id", d->dispatch);
    PUT_MEMBER(at, "private_segment_size", d->private_bytes);
    PUT_MEMBER(at, "group_segment_size", d->group_bytes);
    at = put_dim3(OUT_PUT_WORD(at, ",\"workgroup_size\":"), d->workgroup);
    at = put_dim3(OUT_PUT_WORD(at, ",\"grid_size\":"), d->grid);
    out_commit(j->f, OUT_PUT_WORD(at, "}"));
}

/* ---- records ---- */

/* Up to the value of the correlation id. */
static const out_piece_t *make_call(writer_t *w, const trace_timed_t *r, bool values)
{
    if (!w->memory) w->memory = out_file_memory();
    if (!w->memory) return NULL;
    out_json_t j = {.f = w->memory};
    int domain = out_domain_of(r->head);
    unsigned bytes = API_BYTES; /* of others, too, which have no records with arguments */
    if (values && domain == OUT_HIP_API) bytes = CALL_BYTES;
    if (values && domain == OUT_ROCDECODE_API) bytes = DECODE_BYTES;
    put_size(&j, bytes, r);
    out_json_begin(&j, "correlation_id", '{');
    out_text(j.f, "\"internal\":");
    const char *text = out_file_memory_text(w->memory);
    return text ? out_piece_keep(&w->calls[values], r->head, text, strlen(text)) : NULL;
}

static void call_record(writer_t *w, const trace_timed_t *r)
{
    const char *end;
    const trace_api_full_t *f = (const trace_api_full_t *)r;
    bool full = trace_words(r->head) * 8u >= sizeof(*f), values = trace_call_values(r, &end);
    const out_piece_t *begin = out_piece_find(&w->calls[values], r->head);
    if (!begin) begin = make_call(w, r, values);
    if (!begin) {
        out_no_memory(w->j.f);
        return;
    }
    out_append(w->j.f, begin->bytes, begin->count);
    char *at = out_put_unsigned(out_reserve(w->j.f, PART_MAX), r->correlation);
    if (full) {
        PUT_MEMBER(at, "external", f->external);
        PUT_MEMBER(at, "ancestor", f->ancestor);
        at = OUT_PUT_WORD(at, "}");
    } else {
        at = OUT_PUT_WORD(at, ",\"external\":0,\"ancestor\":0}");
    }
    at = OUT_PUT_WORD(put_stamps(w->j.f, at, r), ",\"thread_id\":");
    out_commit(w->j.f, out_put_thread(w->j.f, at, trace_thread(r->head)));
    w->j.comma = true;
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

static void put_arguments(writer_t *w, const trace_timed_t *r)
{
    out_arguments_t a = out_model_arguments(w->model, r);
    const out_piece_t *piece = out_piece_find(&w->arguments, r->head);
    if (a.count && !piece) piece = make_arguments(w, r, a.signature);
    if (a.count && !piece) out_no_memory(w->j.f);
    const char *before = piece ? piece->bytes : NULL;
    out_json_begin(&w->j, "args", '[');
    for (const char *value; before && (value = out_arguments_value(&a));) {
        size_t bytes = strlen(before);
        out_append(w->j.f, before, bytes);
        out_json_escaped(w->j.f, value);
        out_char(w->j.f, '}');
        before += bytes + 1;
    }
    out_json_end(&w->j, ']');
}

/* A call with its arguments and its result, as far as they are known. */
static void whole_call_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const char *end;
    bool values = trace_call_values(r, &end);
    call_record(w, r);
    if (values) put_arguments(w, r);
    if (values && ((const trace_call_t *)r)->has_result) {
        out_json_begin(j, "retval", '{');
        out_json_unsigned(j, "uint64_t_retval", ((const trace_call_t *)r)->result);
        out_json_end(j, '}');
    }
}

static void hip_record(writer_t *w, const trace_timed_t *r)
{
    whole_call_record(w, r);
    char *at = out_reserve(w->j.f, PART_MAX);
    out_commit(w->j.f, OUT_PUT_WORD(at, ",\"stream_id\":{\"handle\":0}"));
}

static void dispatch_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_dispatch_t *d = (const trace_dispatch_t *)r;
    put_size(j, DISPATCH_BYTES, r);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    put_correlation(j, r->correlation, d->external);
    put_times(j, r);
    put_dispatch_info(j, d);
    out_json_handle(j, "stream_id", d->stream);
}

static void copy_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_copy_t *c = (const trace_copy_t *)r;
    put_size(j, COPY_BYTES, r);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    put_correlation(j, r->correlation, c->external);
    put_times(j, r);
    out_json_handle(j, "dst_agent_id", c->destination);
    out_json_handle(j, "src_agent_id", c->source);
    out_json_unsigned(j, "bytes", c->bytes);
    out_json_handle(j, "stream_id", c->stream);
}

static void allocation_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_allocation_t *a = (const trace_allocation_t *)r;
    put_size(j, ALLOCATION_BYTES, r);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    put_correlation(j, r->correlation, a->external);
    put_times(j, r);
    out_json_handle(j, "agent_id", a->agent);
    out_json_handle(j, "address", a->address);
    out_json_unsigned(j, "allocation_size", a->bytes);
    out_json_handle(j, "stream_id", 0);
}

static void scratch_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_scratch_t *s = (const trace_scratch_t *)r;
    put_size(j, SCRATCH_BYTES, r);
    out_json_handle(j, "agent_id", s->agent);
    out_json_handle(j, "queue_id", s->queue);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    put_times(j, r);
    put_correlation(j, r->correlation, s->external);
    out_json_unsigned(j, "flags", s->flags);
    out_json_unsigned(j, "allocation_size", s->bytes);
}

static void counter_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_counters_t *c = (const trace_counters_t *)r;
    const trace_value_t *values = trace_values(c);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    out_json_begin(j, "dispatch_data", '{');
    out_json_unsigned(j, "size", COUNTING_BYTES);
    put_correlation(j, r->correlation, c->dispatch.external);
    put_times(j, r);
    put_dispatch_info(j, &c->dispatch);
    out_json_end(j, '}');
    out_json_begin(j, "records", '[');
    for (uint64_t i = 0; i < c->count; i++) {
        out_json_begin(j, NULL, '{');
        out_json_handle(j, "counter_id", values[i].counter);
        out_json_double(j, "value", values[i].value);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
    out_json_handle(j, "stream_id", c->dispatch.stream);
}

static void sample_record(writer_t *w, const trace_timed_t *r)
{
    static const char *const axes[] = {"x", "y", "z"};
    out_json_t *j = &w->j;
    const trace_sample_t *s = (const trace_sample_t *)r;
    const out_instruction_t *i = out_code_at(w->model->code, s->code_object, s->offset);
    out_json_begin(j, "record", '{');
    out_json_begin(j, "hw_id", '{');
    out_object_place(j, s->place);
    out_json_end(j, '}');
    out_json_begin(j, "pc", '{');
    out_json_unsigned(j, "code_object_id", s->code_object);
    out_json_unsigned(j, "code_object_offset", s->offset);
    out_json_end(j, '}');
    out_json_unsigned(j, "exec_mask", s->exec);
    out_commit(
        j->f,
        out_put_time(j->f, OUT_PUT_WORD(out_reserve(j->f, PART_MAX), ",\"timestamp\":"), s->start));
    out_json_unsigned(j, "dispatch_id", s->dispatch);
    out_json_begin(j, "corr_id", '{');
    out_json_unsigned(j, "internal", s->correlation);
    out_json_unsigned(j, "external", s->external);
    out_json_end(j, '}');
    out_json_begin(j, "wrkgrp_id", '{');
    for (unsigned axis = 0; axis < 3; axis++)
        out_json_unsigned(j, axes[axis], s->workgroup[axis]);
    out_json_end(j, '}');
    out_json_unsigned(j, "wave_in_grp", s->wave);
    out_json_end(j, '}');
    out_json_signed(j, "inst_index", i ? i->index : -1);
}

static void reading_record(writer_t *w, const trace_timed_t *r)
{
    out_json_t *j = &w->j;
    const trace_readings_t *s = (const trace_readings_t *)r;
    const trace_reading_t *samples = trace_readings(s);
    out_json_unsigned(j, "thread_id", trace_thread(r->head));
    out_json_begin(j, "dispatch_data", '{');
    out_json_unsigned(j, "size", READINGS_BYTES);
    put_correlation(j, r->correlation, s->dispatch.external);
    put_dispatch_info(j, &s->dispatch);
    out_json_end(j, '}');
    out_json_begin(j, "records", '[');
    for (uint64_t i = 0; i < s->count; i++) {
        out_json_begin(j, NULL, '{');
        out_json_handle(j, "counter_id", samples[i].counter);
        out_json_double(j, "value", samples[i].value);
        out_json_unsigned(j, "timestamp", samples[i].clock);
        out_json_unsigned(j, "instance_id", samples[i].instance);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
    out_json_handle(j, "stream_id", s->dispatch.stream);
}

/* Sections of buffer_records in AMD's order, and those of callback_records. A section without a
 * writer is there and empty. */
static const struct {
    const char *key;
    int domain;
    put_record_t record;
} sections[] = {
    {"kernel_dispatch", OUT_KERNEL_DISPATCH, dispatch_record},
    {"hip_api", OUT_HIP_API, hip_record},
    {"hsa_api", OUT_HSA_API, call_record},
    {"marker_api", OUT_MARKER_API, call_record},
    {"rccl_api", OUT_RCCL_API, whole_call_record},
    {"memory_copy", OUT_MEMORY_COPY, copy_record},
    {"memory_allocation", OUT_MEMORY_ALLOCATION, allocation_record},
    {"scratch_memory", OUT_SCRATCH_MEMORY, scratch_record},
    {"rocdecode_api", OUT_ROCDECODE_API, whole_call_record},
    {"rocjpeg_api", OUT_ROCJPEG_API, whole_call_record},
    {"ompt", OUT_OMPT, whole_call_record},
    {"kfd", OUT_KFD, whole_call_record},
    {"pc_sample_host_trap", OUT_PC_SAMPLING, sample_record},
    {"pc_sample_stochastic", -1, NULL},
};

static void put_record(writer_t *w, put_record_t record, const trace_timed_t *r)
{
    out_json_begin(&w->j, NULL, '{');
    record(w, r);
    out_commit(w->j.f, OUT_PUT_WORD(out_reserve(w->j.f, PART_MAX), "}\n"));
    w->j.comma = true;
}

static void free_pieces(writer_t *w)
{
    for (size_t i = 0; i < sizeof(w->calls) / sizeof(*w->calls); i++)
        out_pieces_free(&w->calls[i]);
    out_pieces_free(&w->arguments);
    out_file_abandon(w->memory);
}

/* ---- a section by several threads ---- */

typedef struct {
    writer_t *w;
    put_record_t record;
} section_t;

typedef struct {
    writer_t w; /* to memory */
    const section_t *section;
    out_batch_t batch;
} section_worker_t;

static void *section_begin(void *to)
{
    const section_t *section = to;
    section_worker_t *worker = calloc(1, sizeof(*worker));
    if (!worker) return NULL;
    worker->section = section;
    worker->w.job = section->w->job;
    worker->w.model = section->w->model;
    worker->w.j.f = out_file_memory();
    if (worker->w.j.f) return worker;
    free(worker);
    return NULL;
}

static void section_end(void *argument)
{
    section_worker_t *worker = argument;
    free_pieces(&worker->w);
    out_file_abandon(worker->w.j.f);
    free(worker->batch.records);
    free(worker);
}

static bool section_take(void *argument)
{
    section_worker_t *worker = argument;
    return out_source_batch(worker->w.job->source, &worker->batch);
}

static void section_render(void *argument, bool first)
{
    section_worker_t *worker = argument;
    worker->w.j.comma = !first;
    for (size_t at = 0; at < worker->batch.used;) {
        const trace_timed_t *r = (const trace_timed_t *)(worker->batch.records + at);
        put_record(&worker->w, worker->section->record, r);
        at += trace_words(r->head) * 8u;
    }
}

static void section_write(void *argument)
{
    section_worker_t *worker = argument;
    out_file_move(worker->section->w->j.f, worker->w.j.f);
}

static void put_records_of(writer_t *w, out_domain_t domain, put_record_t record)
{
    out_source_t *source = w->job->source;
    section_t section = {w, record};
    const out_crew_work_t work = {section_begin,  section_end,   section_take,
                                  section_render, section_write, &section};
    out_source_domain(source, domain);
    if (!out_crew_run(&work, out_crew_size(w->job->threads, source->rows[domain])))
        out_no_memory(w->j.f);
}

static void put_section(writer_t *w, const char *key, int domain, put_record_t record)
{
    out_json_begin(&w->j, key, '[');
    if (domain >= 0 && !w->job->source->failed) put_records_of(w, (out_domain_t)domain, record);
    out_json_end(&w->j, ']');
}

/* ---- what is known of the process ---- */

static void put_metadata(writer_t *w)
{
    static const struct {
        const char *key, *info;
    } node[] = {
        {"machine_id", TRACE_INFO_MACHINE}, {"system_name", TRACE_INFO_SYSTEM},
        {"hostname", TRACE_INFO_HOST},      {"release", TRACE_INFO_RELEASE},
        {"version", TRACE_INFO_VERSION},    {"hardware_name", TRACE_INFO_HARDWARE},
        {"domain_name", TRACE_INFO_DOMAIN},
    };
    out_json_t *j = &w->j;
    const trace_segment_header_t *h = &w->model->header;
    uint64_t machine = out_machine_hash(w->model);
    out_json_begin(j, "metadata", '{');
    out_json_begin(j, "node", '{');
    out_json_unsigned(j, "id", machine);
    out_json_unsigned(j, "hash", machine);
    for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++)
        out_json_text(j, node[i].key, out_model_info(w->model, node[i].info));
    out_json_end(j, '}');
    out_json_unsigned(j, "pid", h->pid);
    out_json_unsigned(j, "init_time", h->boottime_ns);
    out_json_unsigned(j, "fini_time",
                      h->closed_ns > w->job->source->last_ns ? h->closed_ns
                                                             : w->job->source->last_ns);
    out_command_array(j, "command", w->model);
    out_json_begin(j, "config", '{');
    out_settings_members(j, w->job->config, w->model, OUT_SETTINGS_OUTPUT);
    out_json_end(j, '}');
    out_json_end(j, '}');
}

static void put_agents(writer_t *w)
{
    out_json_t *j = &w->j;
    out_json_begin(j, "agents", '[');
    for (size_t i = 0; i < w->model->agent_count; i++) {
        const out_agent_t *a = &w->model->agents[i];
        out_json_begin(j, NULL, '{');
        out_object_agent(j, a);
        if (a->record->type == TRACE_AGENT_GPU)
            out_json_signed(j, "gpu_index", a->record->type_index);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
}

static void put_dimension(out_json_t *j, const trace_dimension_t *d)
{
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "id", d->id);
    out_json_unsigned(j, "instance_size", d->size);
    out_json_text(j, "name", trace_record_text(&d->head, 0));
    out_json_end(j, '}');
}

/* Where a value lies: the columns follow the counter's dimensions. */
static void put_instance(writer_t *w, const trace_table_t *t, const uint64_t *row)
{
    out_json_t *j = &w->j;
    unsigned column = 1;
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "instance_id", row[0]);
    out_json_unsigned(j, "counter_id", t->owner);
    out_json_begin(j, "dimensions", '[');
    for (size_t i = 0; i < w->model->dimension_count && column < t->columns; i++) {
        const trace_dimension_t *d = w->model->dimensions[i];
        if (d->counter != t->owner) continue;
        out_json_begin(j, NULL, '{');
        out_json_text(j, "dimension_name", trace_record_text(&d->head, 0));
        out_json_unsigned(j, "index", row[column++]);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
    out_json_end(j, '}');
}

static void put_places(writer_t *w, uint64_t counter)
{
    const out_model_t *m = w->model;
    out_json_begin(&w->j, "instances", '[');
    for (size_t i = 0; i < m->instance_count; i++)
        for (uint64_t row = 0; m->instances[i]->owner == counter && row < m->instances[i]->rows;
             row++)
            put_instance(w, m->instances[i], trace_table_row(m->instances[i], row));
    out_json_end(&w->j, ']');
    out_json_begin(&w->j, "dimensions", '[');
    for (size_t i = 0; i < m->dimension_count; i++)
        if (m->dimensions[i]->counter == counter) put_dimension(&w->j, m->dimensions[i]);
    out_json_end(&w->j, ']');
}

static void put_counters(writer_t *w)
{
    out_json_t *j = &w->j;
    out_json_begin(j, "counters", '[');
    for (size_t i = 0; i < w->model->counter_count; i++) {
        const trace_counter_t *c = w->model->counters[i];
        out_json_begin(j, NULL, '{');
        out_json_handle(j, "agent_id", c->agent);
        out_json_handle(j, "id", c->id);
        out_json_unsigned(j, "is_constant", c->constant);
        out_json_unsigned(j, "is_derived", c->derived);
        out_json_unsigned(j, "spm_support", c->streams);
        out_json_text(j, "name", trace_record_text(&c->head, 0));
        out_json_text(j, "description", trace_record_text(&c->head, 1));
        out_json_text(j, "block", trace_record_text(&c->head, 2));
        out_json_text(j, "expression", trace_record_text(&c->head, 3));
        put_places(w, c->id);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
}

/* The place in an array is the number of a kind or operation, so gaps are filled. */
static void put_kind(out_json_t *j, const out_kinds_t *kinds, unsigned kind)
{
    const char **operations = kinds->operations[kind];
    unsigned count = 0;
    for (unsigned i = 0; operations && i <= TRACE_OPERATION_MAX; i++)
        if (operations[i]) count = i + 1;
    out_json_begin(j, NULL, '{');
    out_json_text(j, "kind", kinds->names[kind] ? kinds->names[kind] : "");
    out_json_begin(j, "operations", '[');
    for (unsigned i = 0; i < count; i++)
        out_json_text(j, NULL, operations[i] ? operations[i] : "");
    out_json_end(j, ']');
    out_json_end(j, '}');
}

static void put_kinds(out_json_t *j, const char *key, const out_kinds_t *kinds)
{
    unsigned count = 0;
    for (unsigned i = 0; i <= TRACE_KIND_MAX; i++)
        if (kinds->names[i] || kinds->operations[i]) count = i + 1;
    out_json_begin(j, key, '[');
    for (unsigned i = 0; i < count; i++)
        put_kind(j, kinds, i);
    out_json_end(j, ']');
}

static void put_pair(out_json_t *j, uint64_t key, const char *value)
{
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "key", key);
    out_json_text(j, "value", value);
    out_json_end(j, '}');
}

/* Counters share dimensions. */
static bool first_of_dimension(const out_model_t *m, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (m->dimensions[i]->id == m->dimensions[place]->id) return false;
    return true;
}

/* Messages by correlation id. */
static void put_messages(writer_t *w)
{
    out_json_begin(&w->j, "marker_api", '[');
    out_source_domain(w->job->source, OUT_MARKER_API);
    for (const trace_timed_t *r; (r = out_source_next(w->job->source));) {
        const trace_marker_t *m = (const trace_marker_t *)r;
        const char *text = m->text ? out_model_text(w->model, m->text) : NULL;
        if (text) put_pair(&w->j, r->correlation, text);
    }
    out_json_end(&w->j, ']');
}

static void put_path(const char *path, void *json)
{
    out_json_text(json, NULL, path);
}

/* Raw thread traces and code objects, which have this file's prefix. */
static void put_att_names(writer_t *w, bool code)
{
    static const char end[] = "_results.json";
    char prefix[PATH_MAX];
    const char *path = w->j.f->name;
    if (!base_ends_with(path, end)) return;
    snprintf(prefix, sizeof(prefix), "%.*s", (int)(strlen(path) - strlen(end)), path);
    out_att_names(w->model, w->job->source->store, prefix, code, put_path, &w->j);
}

/* The instructions of all samples, in the order in which they are met first, and then their source
 * lines: samples name them by their place in these lists. */
static void put_instructions(writer_t *w)
{
    out_source_t *source = w->job->source;
    out_instruction_t **met = NULL;
    size_t count = 0, room = 0;
    out_source_domain(source, OUT_PC_SAMPLING);
    for (const trace_timed_t *r; (r = out_source_next(source));) {
        const trace_sample_t *s = (const trace_sample_t *)r;
        out_instruction_t *i = out_code_at(w->model->code, s->code_object, s->offset);
        if (!i || i->index >= 0) continue;
        if (count == room) {
            room = room ? 2 * room : 64;
            out_instruction_t **more = realloc(met, room * sizeof(*met));
            if (!more) {
                out_no_memory(w->j.f);
                break;
            }
            met = more;
        }
        i->index = (int64_t)count;
        met[count++] = i;
    }
    for (unsigned list = 0; list < 2; list++) {
        out_json_begin(&w->j, list ? "pc_sample_comments" : "pc_sample_instructions", '[');
        for (size_t i = 0; i < count; i++)
            out_json_text(&w->j, NULL, list ? met[i]->line : met[i]->text);
        out_json_end(&w->j, ']');
    }
    free(met);
}

static void put_strings(writer_t *w)
{
    out_json_t *j = &w->j;
    out_json_begin(j, "strings", '{');
    put_kinds(j, "callback_records", &w->model->callback_kinds);
    put_kinds(j, "buffer_records", &w->model->kinds);
    put_messages(w);
    out_json_begin(j, "correlation_id", '{');
    out_json_begin(j, "external", '[');
    for (size_t i = 1; i < w->model->text_room; i++)
        if (w->model->texts[i]) put_pair(j, i, w->model->texts[i]);
    out_json_end(j, ']');
    out_json_end(j, '}');
    out_json_begin(j, "counters", '{');
    out_json_begin(j, "dimension_ids", '[');
    for (size_t i = 0; i < w->model->dimension_count; i++)
        if (first_of_dimension(w->model, i)) put_dimension(j, w->model->dimensions[i]);
    out_json_end(j, ']');
    out_json_end(j, '}');
    put_instructions(w);
    static const char *const names[] = {"att_filenames", "code_object_snapshot_filenames"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        out_json_begin(j, names[i], '[');
        put_att_names(w, i);
        out_json_end(j, ']');
    }
    out_json_end(j, '}');
}

/* Readers take code objects and kernels by their ids as positions: where an id is not there stands
 * an empty object. Sound ids are small. */
enum { POSITIONS_MAX = 1 << 20 };

static void put_code_object(out_json_t *j, const trace_code_object_t *c)
{
    out_json_begin(j, NULL, '{');
    out_object_code_object(j, c);
    out_json_end(j, '}');
}

static void put_kernel(out_json_t *j, const out_kernel_t *k)
{
    out_json_begin(j, NULL, '{');
    out_object_kernel(j, k);
    out_json_end(j, '}');
}

static void put_code(writer_t *w)
{
    static const trace_code_object_t no_object;
    static const trace_kernel_t no_record;
    static const out_kernel_t no_kernel = {.record = &no_record, .name = ""};
    out_json_t *j = &w->j;
    uint64_t next = 0;
    out_json_begin(j, "code_objects", '[');
    for (size_t i = 0; i < w->model->code_object_count; i++) {
        const trace_code_object_t *c = w->model->code_objects[i];
        if (c->id < next) continue; /* the same once more */
        for (; next < c->id && c->id < POSITIONS_MAX; next++)
            put_code_object(j, &no_object);
        put_code_object(j, c);
        next = c->id + 1;
    }
    out_json_end(j, ']');
    out_json_begin(j, "kernel_symbols", '[');
    next = 0;
    for (size_t i = 0; i < w->model->kernel_count; i++) {
        const out_kernel_t *k = &w->model->kernels[i];
        if (k->record->id < next) continue;
        for (; next < k->record->id && k->record->id < POSITIONS_MAX; next++)
            put_kernel(j, &no_kernel);
        put_kernel(j, k);
        next = k->record->id + 1;
    }
    out_json_end(j, ']');
    out_json_begin(j, "host_functions", '[');
    out_json_end(j, ']');
}

static void put_statistics(out_json_t *j, const out_stat_t *s)
{
    double mean = s->calls ? (double)s->total / (double)s->calls : 0;
    double deviation = out_stat_deviation(s), calls = (double)s->calls;
    out_json_unsigned(j, "count", s->calls);
    out_json_unsigned(j, "sum", s->total);
    /* the variance's divisor is calls - 1 */
    out_json_double(j, "sqr", deviation * deviation * (calls - 1) + mean * mean * calls);
    out_json_unsigned(j, "min", s->min);
    out_json_unsigned(j, "max", s->max);
    out_json_double(j, "mean", mean);
    out_json_double(j, "stddev", deviation);
    out_json_double(j, "variance", deviation * deviation);
}

static void put_summary(writer_t *w)
{
    out_json_t *j = &w->j;
    out_json_begin(j, "summary", '[');
    for (int domain = 0; domain < OUT_DOMAIN_COUNT; domain++) {
        const out_stats_t *s = &w->job->stats[domain];
        out_stat_t total = out_stats_total(s);
        if (!s->count) continue;
        out_json_begin(j, NULL, '{');
        out_json_text(j, "domain", out_domains[domain].name);
        out_json_begin(j, "stats", '{');
        put_statistics(j, &total);
        out_json_begin(j, "operations", '[');
        for (size_t i = 0; i < s->count; i++) {
            out_json_begin(j, NULL, '{');
            out_json_text(j, "key", s->rows[i].name);
            out_json_begin(j, "value", '{');
            put_statistics(j, &s->rows[i]);
            out_json_end(j, '}');
            out_json_end(j, '}');
        }
        out_json_end(j, ']');
        out_json_end(j, '}');
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
}

static void put_records(writer_t *w)
{
    out_json_begin(&w->j, "callback_records", '{');
    put_section(w, "counter_collection", OUT_COUNTER_COLLECTION, counter_record);
    put_section(w, "spm_counter_collection", OUT_SPM_COUNTER_COLLECTION, reading_record);
    out_json_end(&w->j, '}');
    out_json_begin(&w->j, "buffer_records", '{');
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        put_section(w, sections[i].key, sections[i].domain, sections[i].record);
    out_json_end(&w->j, '}');
}

int out_json_write(out_job_t *job, const char *path)
{
    writer_t w = {.job = job, .model = job->model};
    w.j.f = out_file_open(path, job->why, job->why_bytes);
    if (!w.j.f) return -1;
    out_json_begin(&w.j, NULL, '{');
    out_json_begin(&w.j, "rocprofiler-sdk-tool", '[');
    out_json_begin(&w.j, NULL, '{');
    put_metadata(&w);
    put_agents(&w);
    put_counters(&w);
    put_strings(&w);
    put_code(&w);
    put_summary(&w);
    put_records(&w);
    out_json_end(&w.j, '}');
    out_json_end(&w.j, ']');
    out_json_end(&w.j, '}');
    out_char(w.j.f, '\n');
    free_pieces(&w);
    if (!job->source->failed) return out_file_close(w.j.f, job->why, job->why_bytes);
    out_file_abandon(w.j.f);
    return -1;
}
