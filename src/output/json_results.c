/* json_results.c - results.json: everything of one process in AMD's JSON form.
 *
 * It is one object that contains an array with one element. Sections are in the order of AMD's
 * tool, so that its validators, and programs written for its files, can read it. json_records.c
 * writes the sections of records. */
#include "base/text.h"
#include "output/att.h"
#include "model/code.h"
#include "output/format.h"
#include "output/instructions.h"
#include "output/json_records.h"
#include "output/objects.h"
#include "output/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/agent-fields.h"
#include "trace/reader.h"
#include "trace/store.h"

typedef struct {
    out_json_t j;
    out_job_t *job;
    out_model_t *model;
} writer_t;

/* ---- facts about the process ---- */

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
    if (w->job->clock) out_json_text(j, "clock", w->job->clock);
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

/* Writes the position of an instance: the columns follow the counter's dimensions. */
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

/* An element's index is the number of the kind or operation, so gaps are filled with empty ones. */
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

/* Returns true for the first entry of a dimension, since several counters share one. */
static bool first_of_dimension(const out_model_t *m, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (m->dimensions[i]->id == m->dimensions[place]->id) return false;
    return true;
}

/* Writes the messages of markers by correlation id. */
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

/* Writes the names of raw thread traces or code objects. They have the same prefix as this file. */
static void put_att_names(writer_t *w, bool code)
{
    static const char end[] = "_results.json";
    char prefix[PATH_MAX];
    const char *path = w->j.f->name;
    if (!base_ends_with(path, end)) return;
    snprintf(prefix, sizeof(prefix), "%.*s", (int)(strlen(path) - strlen(end)), path);
    out_att_names(w->model, w->job->source->store, prefix, code, put_path, &w->j);
}

/* Lists the instructions of all samples, in the order in which they first occur, and then their
 * source lines. Samples refer to an instruction by its index in these lists. */
static void put_instructions(writer_t *w)
{
    static const out_domain_t sampled[] = {OUT_PC_SAMPLING_HOST_TRAP, OUT_PC_SAMPLING_STOCHASTIC};
    out_source_t *source = w->job->source;
    out_instruction_t **met = NULL;
    size_t count = 0;
    for (size_t d = 0; d < sizeof(sampled) / sizeof(*sampled); d++) {
        out_source_domain(source, sampled[d]);
        for (const trace_timed_t *r; (r = out_source_next(source));) {
            const trace_sample_t *s = (const trace_sample_t *)r;
            out_instruction_t *i = out_code_at(w->model->code, s->code_object, s->offset);
            if (!i || i->index >= 0) continue;
            if (!BASE_GROW_BY_ONE(met, count)) {
                out_no_memory(w->j.f);
                break;
            }
            i->index = (int64_t)count;
            met[count++] = i;
        }
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

/* The most elements of an array with the id as index, which readers expect for code objects,
 * kernels and host functions. Ids of undamaged data are small. */
enum { POSITIONS_MAX = 1 << 20 };

/* An array whose index is the object's id: unused ids get empty objects. If several objects have
 * the same id, the first is written. */
typedef struct {
    const char *key;
    size_t count; /* sorted by id */
    uint64_t (*id)(const out_model_t *m, size_t i);
    /* `i` is `count` for an empty object */
    void (*put)(out_json_t *j, const out_model_t *m, size_t i);
} positions_t;

static void put_position(writer_t *w, const positions_t *p, size_t i)
{
    out_json_begin(&w->j, NULL, '{');
    p->put(&w->j, w->model, i);
    out_json_end(&w->j, '}');
}

static void put_positions(writer_t *w, const positions_t *p)
{
    uint64_t next = 0;
    out_json_begin(&w->j, p->key, '[');
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t id = p->id(w->model, i);
        if (id < next) continue;
        for (; next < id && id < POSITIONS_MAX; next++)
            put_position(w, p, p->count);
        put_position(w, p, i);
        next = id + 1;
    }
    out_json_end(&w->j, ']');
}

static uint64_t code_object_id(const out_model_t *m, size_t i)
{
    return m->code_objects[i]->id;
}

static void put_code_object(out_json_t *j, const out_model_t *m, size_t i)
{
    static const trace_code_object_t none;
    out_object_code_object(j, i < m->code_object_count ? m->code_objects[i] : &none);
}

static uint64_t kernel_id(const out_model_t *m, size_t i)
{
    return m->kernels[i].record->id;
}

static void put_kernel(out_json_t *j, const out_model_t *m, size_t i)
{
    static const trace_kernel_t no_record;
    static const out_kernel_t none = {.record = &no_record, .name = ""};
    out_object_kernel(j, i < m->kernel_count ? &m->kernels[i] : &none);
}

static uint64_t host_function_id(const out_model_t *m, size_t i)
{
    return m->host_functions[i].record->id;
}

static void put_host_function(out_json_t *j, const out_model_t *m, size_t i)
{
    static const trace_host_function_t no_record;
    static const out_host_function_t none = {.record = &no_record, .name = ""};
    out_object_host_function(j, i < m->host_function_count ? &m->host_functions[i] : &none);
}

static void put_code(writer_t *w)
{
    const out_model_t *m = w->model;
    put_positions(
        w, &(positions_t){"code_objects", m->code_object_count, code_object_id, put_code_object});
    put_positions(w, &(positions_t){"kernel_symbols", m->kernel_count, kernel_id, put_kernel});
    put_positions(w, &(positions_t){"host_functions", m->host_function_count, host_function_id,
                                    put_host_function});
}

static void put_statistics(out_json_t *j, const sum_t *s)
{
    double mean = sum_mean(s), deviation = sum_deviation(s), calls = (double)s->count;
    out_json_unsigned(j, "count", s->count);
    out_json_unsigned(j, "sum", (uint64_t)s->total);
    /* so that (sqr - sum^2 / calls) / (calls - 1) is the variance */
    out_json_double(j, "sqr", deviation * deviation * (calls - 1) + mean * mean * calls);
    out_json_unsigned(j, "min", (uint64_t)s->least);
    out_json_unsigned(j, "max", (uint64_t)s->most);
    out_json_double(j, "mean", mean);
    out_json_double(j, "stddev", deviation);
    out_json_double(j, "variance", deviation * deviation);
}

static void put_summary(writer_t *w)
{
    out_json_t *j = &w->j;
    out_json_begin(j, "summary", '[');
    for (int domain = 0; domain < OUT_DOMAIN_COUNT; domain++) {
        const sums_t *s = &w->job->stats[domain];
        sum_t total = sums_whole(s);
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
            put_statistics(j, &s->rows[i].sum);
            out_json_end(j, '}');
            out_json_end(j, '}');
        }
        out_json_end(j, ']');
        out_json_end(j, '}');
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
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
    out_json_records(&w.j, job);
    if (job->instructions) {
        out_json_begin(&w.j, "crocprof_instruction_counts", '{');
        out_instructions_json(&w.j, job->instructions);
        out_json_end(&w.j, '}');
    }
    out_json_end(&w.j, '}');
    out_json_end(&w.j, ']');
    out_json_end(&w.j, '}');
    out_char(w.j.f, '\n');
    if (!job->source->failed) return out_file_close(w.j.f, job->why, job->why_bytes);
    out_file_abandon(w.j.f);
    return -1;
}
