/* convert.c - see convert.h. It runs the steps of a conversion in their order; each format has a
 * file for its contents. */
#include "output/convert.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "output/att.h"
#include "output/crew.h"
#include "output/csv.h"
#include "output/format.h"
#include "output/instructions.h"
#include "output/settings.h"
#include "output/summary.h"
#include "trace/process.h"
#include "trace/reader.h"
#include "trace/store.h"

/* Where records of a kind and operation are counted. The domain is kept, too, because in a damaged
 * file a record may have a kind of another domain. */
typedef struct {
    uint32_t row, domain; /* row: its number plus 1; 0: none yet */
} place_t;

/* One conversion while it runs. */
typedef struct {
    out_conversion_t *c;
    out_result_t *result;
    const char *store;
    out_model_t *model;
    out_source_t source;
    sums_t stats[OUT_DOMAIN_COUNT];
    place_t *places[TRACE_KIND_MAX + 1]; /* by kind and operation: the row of statistics */
    const char *stream;                  /* name of the stream that replaces files, or NULL */
    ins_set_t instructions;
    bool counted; /* `instructions` has been loaded */
    char *why;
    size_t why_bytes;
} work_t;

/* Returns true if the process runs, and also if that cannot be determined. */
static bool still_running(const trace_segment_header_t *h)
{
    uint64_t start;
    if (h->closed_ns || !h->process_start) return false;
    return trace_process_start((pid_t)h->pid, &start) != 0 || start == h->process_start;
}

static bool taken(const out_conversion_t *c, const char *prefix)
{
    for (size_t i = 0; i < c->prefix_count; i++)
        if (strcmp(c->prefixes[i], prefix) == 0) return true;
    return false;
}

/* Returns false if the path is absolute or has a component "..". */
static bool stays_below(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) return false;
    }
    return true;
}

/* If two processes of a run have the same prefix, the later one gets a directory of its own, named
 * after its store. */
static int choose_prefix(work_t *w)
{
    const char *directory = out_model_info(w->model, TRACE_INFO_DIRECTORY);
    const char *name = out_model_info(w->model, TRACE_INFO_NAME);
    char *prefix = w->result->prefix;
    size_t room = sizeof(w->result->prefix);
    if (w->c->directory) directory = w->c->directory;
    w->stream = out_is_stream(directory) ? directory : NULL;
    if (w->stream) return 0;
    if (*directory != '/') {
        snprintf(w->why, w->why_bytes,
                 "%s does not say where its files go ('%s'): choose a directory with convert -d",
                 w->store, directory);
        return -1;
    }
    if (!*name || (w->c->directory && !stays_below(name))) {
        w->result->renamed = true;
        name = base_last_part(w->store);
    }
    size_t need = (size_t)snprintf(prefix, room, "%s/%s", directory, name);
    if (w->c->chosen) {
        snprintf(prefix, room, "%s", w->c->chosen);
        return 0;
    }
    if (need < room && taken(w->c, prefix)) {
        const char *base = base_last_part(name);
        need = (size_t)snprintf(prefix, room, "%s/%.*s%s/%s", directory, (int)(base - name), name,
                                base_last_part(w->store), base);
    }
    if (need >= room) {
        snprintf(w->why, w->why_bytes, "output file name is longer than %zu bytes", room - 1);
        return -1;
    }
    if (base_add_text(&w->c->prefixes, &w->c->prefix_count, prefix)) return 0;
    snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
    return -1;
}

/* Adds the counts of records that the segment's writer could not write, and keeps the first
 * reason. */
static void note_failure(out_result_t *to, const trace_segment_header_t *h)
{
    to->cut_texts += h->cut_texts;
    if (!to->failure[0])
        snprintf(to->failure, sizeof(to->failure), "%.*s", (int)sizeof(h->failure) - 1, h->failure);
}

/* Corrects the counts of a writer that was killed: it may have written a record and not counted it
 * yet, or counted it as written and not yet as received. */
static void add_counts(trace_counts_t *to, const trace_segment_header_t *h, uint64_t rows)
{
    const trace_counts_t *c = &h->counts;
    bool killed = !h->closed_ns;
    uint64_t written = killed && rows > c->written ? rows : c->written;
    uint64_t accounted = written + c->dropped + c->filtered;
    to->received += killed && c->received < accounted ? accounted : c->received;
    to->written += written;
    to->dropped += c->dropped;
    to->filtered += c->filtered;
}

static bool wants(const work_t *w, int format)
{
    unsigned formats = w->c->config->formats;
    if (!formats) formats = 1u << (w->stream ? OUT_FORMAT_csv : OUT_FORMAT_rocpd);
    return formats & 1u << format;
}

/* Returns whether statistics are shown, and so must be computed. */
static bool wants_stats(const work_t *w)
{
    return w->c->config->stats || wants(w, OUT_FORMAT_json) || out_config_summaries(w->c->config);
}

/* Notes the row for the record's kind and operation. Returns false if there is no memory. */
static bool keep_place(work_t *w, trace_head_t head, out_domain_t domain, const sum_row_t *row)
{
    const size_t number = (size_t)(row - w->stats[domain].rows);
    place_t **kind = &w->places[trace_kind(head)];
    if (!*kind) *kind = calloc(TRACE_OPERATION_MAX + 1, sizeof(**kind));
    if (*kind) (*kind)[trace_operation(head)] = (place_t){(uint32_t)number + 1, domain};
    return *kind;
}

/* Adds a record to the statistics. Returns false if there is no memory. */
static bool count(void *to, out_domain_t domain, const trace_timed_t *r)
{
    work_t *w = to;
    sums_t *s = &w->stats[domain];
    const uint64_t duration = r->end > r->start ? r->end - r->start : 0;
    const place_t *places = w->places[trace_kind(r->head)];
    const place_t place = places ? places[trace_operation(r->head)] : (place_t){0};
    if (__builtin_expect(place.row && place.domain == domain, 1)) {
        sum_add(&s->rows[place.row - 1].sum, (int64_t)duration);
        return true;
    }
    const out_domain_row_t *d = &out_domains[domain];
    if (!d->key) return true;
    sum_row_t *row = sums_row(s, domain, d->key(w->model, r));
    if (!row || (d->by_operation && !keep_place(w, r->head, domain, row))) return false;
    sum_add(&row->sum, (int64_t)duration);
    return true;
}

/* ---- one segment read by several threads ---- */

typedef struct {
    work_t w; /* the results of this part */
    const char *path;
    unsigned number, of;
    /* In bytes: size of the part, including bytes that are missing at the file's end. */
    uint64_t bytes, rows, cut;
    int status;
    bool running;
    pthread_t thread;
    char why[PATH_MAX + 512];
} part_t;

static void *read_part(void *argument)
{
    part_t *p = argument;
    trace_reader_t *r = trace_reader_open(p->path, p->why, sizeof(p->why));
    if (!r) return NULL;
    p->bytes = trace_reader_part(r, p->number, p->of) + trace_reader_cut(r);
    p->status = out_source_read(&p->w.source, p->path, r, wants_stats(&p->w) ? count : NULL, &p->w,
                                &p->rows);
    p->cut = trace_reader_cut(r);
    trace_reader_close(r);
    return NULL;
}

static void begin_part(const work_t *w, part_t *p, const char *path, unsigned number, unsigned of)
{
    *p = (part_t){.w = {.c = w->c, .model = w->model, .stream = w->stream},
                  .path = path,
                  .number = number,
                  .of = of,
                  .status = -1};
    p->w.source = (out_source_t){.store = w->store,
                                 .sort = OUT_SORT(w->store),
                                 .stop = w->c->stop,
                                 .why = p->why,
                                 .why_bytes = sizeof(p->why)};
    /* the first part is read by the calling thread */
    p->running = number && out_thread_start(&p->thread, read_part, p);
}

static void end_part(part_t *p)
{
    if (p->running)
        pthread_join(p->thread, NULL);
    else
        read_part(p);
}

static int merge_part(work_t *w, part_t *p)
{
    if (p->status != 0) {
        snprintf(w->why, w->why_bytes, "%s", p->why);
        return -1;
    }
    if (out_source_merge(&w->source, &p->w.source) != 0) return -1;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        for (size_t j = 0; j < p->w.stats[i].count; j++) {
            const sum_row_t *row = &p->w.stats[i].rows[j];
            if (sums_merge(&w->stats[i], i, row->name, &row->sum) == 0) continue;
            snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
            return -1;
        }
    return 0;
}

/* Merges the parts in order. Behind the first damaged bytes no records count, even if later parts
 * have found some. */
static int merge_parts(work_t *w, part_t *parts, unsigned count, uint64_t *rows, uint64_t *cut)
{
    int result = out_source_merge_begin(&w->source, parts->path);
    bool damaged = false;
    for (unsigned i = 0; i < count && result == 0; i++) {
        if (damaged) {
            *cut += parts[i].bytes;
            continue;
        }
        result = merge_part(w, &parts[i]);
        *rows += parts[i].rows;
        *cut += parts[i].cut;
        damaged = parts[i].cut;
    }
    return result;
}

static void free_gathered(work_t *w)
{
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        sums_free(&w->stats[i]);
    for (unsigned i = 0; i <= TRACE_KIND_MAX; i++)
        free(w->places[i]);
    out_source_free(&w->source);
}

static int read_parts(work_t *w, const char *path, unsigned count, uint64_t *rows, uint64_t *cut)
{
    part_t *parts = calloc(count, sizeof(*parts));
    if (!parts) {
        snprintf(w->why, w->why_bytes, "%s: %s", path, strerror(ENOMEM));
        return -1;
    }
    for (unsigned i = 0; i < count; i++)
        begin_part(w, &parts[i], path, i, count);
    for (unsigned i = 0; i < count; i++)
        end_part(&parts[i]);
    int result = merge_parts(w, parts, count, rows, cut);
    for (unsigned i = 0; i < count; i++)
        free_gathered(&parts[i].w);
    free(parts);
    return result;
}

/* Reads all records of the segment once; *rows is their number, *cut the bytes that are not
 * records. */
static int read_records(work_t *w, const char *path, trace_reader_t *r, uint64_t *rows,
                        uint64_t *cut)
{
    unsigned parts = out_crew_size(w->c->threads, trace_reader_header(r)->counts.written);
    *rows = *cut = 0;
    if (parts > 1) return read_parts(w, path, parts, rows, cut);
    int result = out_source_read(&w->source, path, r, wants_stats(w) ? count : NULL, w, rows);
    *cut = trace_reader_cut(r);
    return result;
}

static int read_segment(work_t *w, const char *name)
{
    int result = -1;
    uint64_t rows, cut;
    char path[PATH_MAX];
    out_result_t *to = w->result;
    trace_join(path, sizeof(path), w->store, name);
    if (!trace_segment_begun(path)) {
        to->blank++;
        return 0;
    }
    trace_reader_t *r = trace_reader_open(path, w->why, w->why_bytes);
    if (!r) return -1;
    const trace_segment_header_t *h = trace_reader_header(r);
    if (h->contents != TRACE_CONTENTS_RECORDS) goto done;
    to->killed |= !h->closed_ns;
    note_failure(to, h);
    if (read_records(w, path, r, &rows, &cut) != 0) goto out;
    to->cut += cut;
    add_counts(&to->counts, h, rows);
done:
    result = 0;
out:
    trace_reader_close(r);
    return result;
}

static int read_segments(work_t *w)
{
    int result = 0;
    char **names = trace_list(w->store);
    if (!names) {
        snprintf(w->why, w->why_bytes, "%s: %s", w->store, strerror(errno));
        return -1;
    }
    for (char **name = names; *name && result == 0; name++) {
        const char *dot = strrchr(*name, '.');
        if (dot && strcmp(dot, ".seg") == 0 && strcmp(*name, TRACE_META_FILE) != 0)
            result = read_segment(w, *name);
    }
    trace_list_free(names);
    return result;
}

/* Opens <prefix>_<name>.<extension>, or the stream. */
static out_file_t *open_output(work_t *w, const char *name, const char *extension)
{
    char path[PATH_MAX + 512];
    if (w->stream) return out_file_stream(w->stream);
    snprintf(path, sizeof(path), "%s_%s.%s", w->result->prefix, name, extension);
    return out_file_open(path, w->why, w->why_bytes);
}

/* Closes the file; if it is incomplete, it is removed. */
static int close_output(work_t *w, out_file_t *f, int result)
{
    bool counts = !w->stream;
    if (result != 0) {
        out_file_abandon(f);
        return result;
    }
    if (out_file_close(f, w->why, w->why_bytes) != 0) return -1;
    w->result->files += counts;
    return 0;
}

static int open_tables(work_t *w, out_table_t *tables, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (!w->source.rows[i] || w->source.bytes[i] < w->c->config->minimum_bytes) continue;
        tables[i] = (out_table_t){.f = open_output(w, out_domains[i].trace, "csv"), .m = w->model};
        if (!tables[i].f) return -1;
        out_put_header(tables[i].f, (out_domain_t)i);
    }
    return 0;
}

/* ---- rows rendered by several threads ---- */

typedef struct {
    out_table_t *files;
    out_table_t tables[OUT_DOMAIN_COUNT]; /* files in memory, made when needed */
    out_source_t *source;
    out_batch_t batch;
    bool no_memory;
} rows_parcel_t;

typedef struct {
    work_t *w;
    out_table_t *files;
} rows_t;

static void *rows_begin(void *to)
{
    const rows_t *rows = to;
    rows_parcel_t *parcel = calloc(1, sizeof(*parcel));
    if (!parcel) return NULL;
    parcel->files = rows->files;
    parcel->source = &rows->w->source;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        parcel->tables[i].m = rows->w->model;
    return parcel;
}

static void rows_end(void *argument)
{
    rows_parcel_t *parcel = argument;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        out_table_free(&parcel->tables[i]);
        out_file_abandon(parcel->tables[i].f);
    }
    free(parcel->batch.records);
    free(parcel);
}

static bool rows_take(void *argument)
{
    rows_parcel_t *parcel = argument;
    return out_source_batch(parcel->source, &parcel->batch);
}

static void rows_render(void *argument, bool first)
{
    rows_parcel_t *parcel = argument;
    (void)first;
    for (const char *at = parcel->batch.records, *end = at + parcel->batch.used; at < end;) {
        const trace_timed_t *r = (const trace_timed_t *)at;
        int domain = out_domain_of(r->head);
        out_table_t *t = &parcel->tables[domain];
        at += trace_words(r->head) * 8u;
        if (!t->f && !(t->f = out_file_memory())) {
            parcel->no_memory = true;
            return;
        }
        out_domains[domain].row(t, r);
    }
}

static void rows_write(void *argument)
{
    rows_parcel_t *parcel = argument;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (parcel->tables[i].f) out_file_move(parcel->files[i].f, parcel->tables[i].f);
        if (parcel->no_memory && parcel->files[i].f) out_no_memory(parcel->files[i].f);
    }
}

/* Writes the rows of all tables. Returns 0, or -1 if there is no memory. */
static int write_rows(work_t *w, out_table_t *tables)
{
    rows_t rows = {w, tables};
    const out_crew_work_t work = {rows_begin, rows_end, rows_take, rows_render, rows_write, &rows};
    uint64_t count = 0;
    unsigned domains = 0;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (!tables[i].f) continue;
        domains |= 1u << i;
        count += w->source.rows[i];
    }
    out_source_domains(&w->source, domains);
    if (out_crew_run(&work, out_crew_size(w->c->threads, count))) return 0;
    snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
    return -1;
}

/* Writes the trace files of the domains from `from` up to `to`, and statistics behind each. */
static int write_tables(work_t *w, int from, int to)
{
    out_table_t tables[OUT_DOMAIN_COUNT] = {0};
    int result = open_tables(w, tables, from, to);
    if (result == 0) {
        result = write_rows(w, tables);
        if (w->source.failed) result = -1;
    }
    for (int i = from; i < to; i++) {
        out_table_free(&tables[i]);
        if (!tables[i].f) continue;
        if (close_output(w, tables[i].f, result) != 0) result = -1;
        if (result != 0 || !w->c->config->stats || !out_domains[i].stats) continue;
        out_file_t *f = open_output(w, out_domains[i].stats, "csv");
        if (f) out_stats_csv(f, &w->stats[i]);
        result = f ? close_output(w, f, 0) : -1;
    }
    return result;
}

/* Writes all files at the same time; to a stream, one domain after the other. */
static int write_csv(work_t *w)
{
    int result = 0;
    if (!wants(w, OUT_FORMAT_csv)) return 0;
    if (!w->stream) return write_tables(w, 0, OUT_DOMAIN_COUNT);
    for (int i = 0; i < OUT_DOMAIN_COUNT && result == 0; i++)
        if (w->source.rows[i]) result = write_tables(w, i, i + 1);
    return result;
}

static out_job_t job_of(work_t *w)
{
    return (out_job_t){.model = w->model,
                       .config = w->c->config,
                       .source = &w->source,
                       .stats = w->stats,
                       .instructions = w->counted ? &w->instructions : NULL,
                       .why = w->why,
                       .why_bytes = w->why_bytes,
                       .threads = w->c->threads,
                       .counts = &w->result->counts,
                       .cut = w->result->cut,
                       .killed = w->result->killed};
}

static int hand_over(work_t *w)
{
    out_job_t job = job_of(w);
    return w->c->take(w->c->taker, &job);
}

/* Writes the formats that have one file each. */
static int write_formats(work_t *w)
{
    static const struct {
        const char *file;
        out_writer_t write;
    } formats[] = {
#define X(name, file, writer) {file, writer},
        OUT_FORMATS(X)
#undef X
    };
    out_job_t job = job_of(w);
    for (int i = 0; i < OUT_FORMAT_COUNT; i++) {
        char path[PATH_MAX + 512];
        if (!formats[i].write || !wants(w, i)) continue;
        if (w->stream) {
            snprintf(w->why, w->why_bytes, "%s cannot be written to %s: choose a directory with -d",
                     formats[i].file, w->stream);
            return -1;
        }
        snprintf(path, sizeof(path), "%s_%s", w->result->prefix, formats[i].file);
        out_source_progress(&w->source, formats[i].file);
        if (formats[i].write(&job, path) != 0) return -1;
        w->result->files++;
    }
    return 0;
}

static int write_wide(work_t *w)
{
    if (!w->source.rows[OUT_COUNTER_COLLECTION]) return 0;
    out_file_t *f = open_output(w, "counter_collection_wide", "csv");
    if (!f) return -1;
    int result = out_csv_wide(f, w->model, &w->source);
    if (result != 0 && !w->source.failed) snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
    return close_output(w, f, result);
}

static int write_process_files(work_t *w)
{
    out_file_t *f = open_output(w, "agent_info", "csv");
    if (!f) return -1;
    out_csv_agents(f, w->model);
    if (close_output(w, f, 0) != 0) return -1;
    if (!w->c->config->stats) return 0;
    f = open_output(w, "domain_stats", "csv");
    if (!f) return -1;
    int result = out_domain_stats_csv(f, w->stats);
    if (result != 0) snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
    return close_output(w, f, result);
}

static int write_config(work_t *w)
{
    if (!w->c->config->config_file && !w->c->config->benchmark) return 0;
    out_file_t *f = open_output(w, "config", "json");
    if (!f) return -1;
    out_settings_file(f, w->c->config, w->model);
    return close_output(w, f, 0);
}

static int write_summary(work_t *w)
{
    const char *where = w->c->config->summary_output, *indent = "    ";
    out_file_t *f = NULL;
    if (!out_config_summaries(w->c->config)) return 0;
    if (w->c->directory) where = base_last_part(where);
    if (out_is_stream(where)) {
        f = out_file_stream(where);
    } else {
        f = open_output(w, where, "txt");
        indent = "";
    }
    if (!f) return -1;
    for (size_t i = 0; i < w->model->agent_count; i++)
        if (out_agent_models_time(&w->model->agents[i]))
            out_format(f, "%sKernels of %s have model time: the clocks of a timing model\n", indent,
                       w->model->agents[i].label);
    int result = out_summaries(f, w->c->config, w->stats, indent);
    if (result != 0) snprintf(w->why, w->why_bytes, "%s", strerror(ENOMEM));
    if (!out_is_stream(where)) return close_output(w, f, result);
    return out_file_close(f, w->why, w->why_bytes) != 0 ? -1 : result;
}

/* Reserves the name of a folder; returns false if a process converted before has reserved it. */
static bool reserve(void *claimer, const char *path)
{
    work_t *w = claimer;
    return !taken(w->c, path) && base_add_text(&w->c->prefixes, &w->c->prefix_count, path);
}

static int write_att(work_t *w)
{
    const char *directory = w->c->directory;
    if (w->stream) return 0;
    if (!directory) directory = out_model_info(w->model, TRACE_INFO_DIRECTORY);
    out_att_job_t job = {.model = w->model,
                         .config = w->c->config,
                         .store = w->store,
                         .prefix = w->result->prefix,
                         .directory = directory,
                         .claim = reserve,
                         .claimer = w,
                         .files = &w->result->files,
                         .stop = w->c->stop,
                         .why = w->why,
                         .why_bytes = w->why_bytes};
    return out_att_write(&job);
}

/* Loads the counts of instructions once for all formats. */
static int load_instructions(work_t *w)
{
    w->result->uncounted = w->result->killed && ins_unfinished(w->model);
    if (!ins_any(w->model) || w->stream) return 0;
    if (ins_load(w->model, w->store, &w->instructions, w->why, w->why_bytes) != 0) return -1;
    w->counted = true;
    w->result->counts_with_gaps = w->instructions.lost;
    return 0;
}

static int write_instructions(work_t *w)
{
    if (load_instructions(w) != 0) return -1;
    if (!w->counted) return 0;
    out_file_t *f = open_output(w, "instruction_counts", "csv");
    if (f) out_instructions_csv(f, w->model, &w->instructions);
    return f ? close_output(w, f, 0) : -1;
}

static int write_all(work_t *w)
{
    uint64_t bytes = 0;
    const unsigned before = w->result->files;
    if (w->c->config->benchmark) return write_config(w);
    if (write_att(w) != 0 || write_instructions(w) != 0) return -1;
    /* whether there are thread traces or counts, which other formats list */
    const bool traces = w->result->files > before;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        bytes += w->source.bytes[i];
    if (write_config(w) != 0) return -1;
    out_source_progress(&w->source, "csv");
    if (write_csv(w) != 0) return -1;
    if (traces && !bytes && w->c->config->formats && write_formats(w) != 0) return -1;
    if (bytes && bytes >= w->c->config->minimum_bytes) {
        if (wants(w, OUT_FORMAT_csv) && (write_process_files(w) != 0 || write_wide(w) != 0))
            return -1;
        if (write_formats(w) != 0) return -1;
    }
    out_progress_end(&w->source.progress);
    return write_summary(w);
}

int out_convert_name(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                     size_t why_bytes)
{
    work_t w = {.c = c, .result = result, .store = store, .why = why, .why_bytes = why_bytes};
    *result = (out_result_t){0};
    w.model = out_model_load(store, c->config->names, c->config->agent_index, why, why_bytes);
    if (!w.model) return -1;
    result->pid = w.model->header.pid;
    result->running = still_running(&w.model->header);
    const int status = result->running ? 0 : choose_prefix(&w);
    out_model_free(w.model);
    return status;
}

int out_convert(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                size_t why_bytes)
{
    int status = -1;
    work_t w = {.c = c, .result = result, .store = store, .why = why, .why_bytes = why_bytes};
    *result = (out_result_t){0};
    w.source = (out_source_t){.store = store,
                              .sort = OUT_SORT(store),
                              .stop = c->stop,
                              .why = why,
                              .why_bytes = why_bytes};
    w.model = out_model_load(store, c->config->names, c->config->agent_index, why, why_bytes);
    if (!w.model) goto out;
    result->pid = w.model->header.pid;
    result->cut = w.model->cut;
    result->running = still_running(&w.model->header);
    result->lost_names = w.model->header.counts.dropped;
    for (size_t i = 0; i < w.model->agent_count; i++)
        result->model_time |= out_agent_models_time(&w.model->agents[i]);
    note_failure(result, &w.model->header);
    if (result->running) {
        status = 0;
        goto out;
    }
    if ((!c->take && choose_prefix(&w) != 0) || read_segments(&w) != 0) goto out;
    if (out_source_ready(&w.source) != 0) goto out;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        sums_sort(&w.stats[i]);
    status = c->take ? hand_over(&w) : write_all(&w);
out:
    free_gathered(&w);
    if (w.counted) ins_free(&w.instructions);
    out_model_free(w.model);
    return status;
}

void out_conversion_free(out_conversion_t *c)
{
    for (size_t i = 0; i < c->prefix_count; i++)
        free(c->prefixes[i]);
    free(c->prefixes);
    c->prefixes = NULL;
    c->prefix_count = 0;
}
