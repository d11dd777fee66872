/* rocpd_rows.c - the records of a process as rows of a database.
 *
 * Each record is an event and a row of its domain's table; counters are written with their kernel.
 * Queues and streams get their rows when they first occur. Memory depends on the records that
 * overlap in time and on the number of names. */
#include "model/code.h"
#include "output/launches.h"
#include "output/objects.h"
#include "output/rocpd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

static const char empty[] = "";

/* Binds the columns that the rows of all records have. */
static void put_origin(rocpd_t *r, uint32_t tid)
{
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_int(r, tid);
}

static void put_node(rocpd_t *r, trace_node_t node)
{
    rocpd_int(r, node.graph);
    rocpd_int(r, node.node);
}

static uint64_t write_event(rocpd_t *r, const char *category, uint64_t stack, uint64_t parent,
                            uint64_t external, const char *extdata)
{
    uint64_t id = ++r->events, category_id = rocpd_string(r, category);
    rocpd_begin(r, ROCPD_EVENT);
    rocpd_int(r, id);
    rocpd_int(r, category_id);
    rocpd_int(r, stack);
    rocpd_int(r, parent);
    rocpd_int(r, external);
    rocpd_text(r, extdata);
    rocpd_end(r);
    return id;
}

/* ---- queues and streams: number 0 is the default one, whose row always exists ---- */

static uint64_t place_of(rocpd_t *r, out_numbers_t *seen, rocpd_insert_t table, const char *what,
                         uint64_t id)
{
    char name[64];
    if (out_numbers_get(seen, id)) return id;
    if (!out_numbers_set(seen, id, 1)) rocpd_no_memory(r);
    if (id)
        snprintf(name, sizeof(name), "%s %llu", what, (unsigned long long)id - 1);
    else
        snprintf(name, sizeof(name), "Default %s", what);
    rocpd_begin(r, table);
    rocpd_int(r, id);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_text(r, name);
    rocpd_end(r);
    return id;
}

static uint64_t queue_of(rocpd_t *r, uint64_t id)
{
    return place_of(r, &r->queues, ROCPD_QUEUE, "Queue", id);
}

static uint64_t stream_of(rocpd_t *r, uint64_t id)
{
    return place_of(r, &r->streams, ROCPD_STREAM, "Stream", id);
}

/* ---- calls and ranges ---- */

static uint64_t track_of(rocpd_t *r, uint32_t tid, const char *name)
{
    uint64_t name_id = rocpd_string(r, name), key = out_mix(name_id) ^ tid;
    uint64_t id = out_numbers_get(&r->tracks, key);
    if (id) return id;
    id = r->tracks.count + 1;
    if (!out_numbers_set(&r->tracks, key, id)) rocpd_no_memory(r);
    rocpd_begin(r, ROCPD_TRACK);
    rocpd_int(r, id);
    put_origin(r, tid);
    rocpd_int(r, name_id);
    rocpd_end(r);
    return id;
}

/* Ends a row. Its id is the correlation id if possible. A range that begins and a range that ends
 * in the same call share one correlation id, and so do a call and its copy in a forked child; the
 * later row then gets any free id. */
static void end_with_id(rocpd_t *r, rocpd_insert_t table)
{
    if (rocpd_end_unless_taken(r)) return;
    sqlite3_bind_null(r->inserts[table], 1);
    rocpd_end(r);
}

static void write_sample(rocpd_t *r, const trace_timed_t *t, const char *category, uint64_t event)
{
    uint64_t track = track_of(r, trace_thread(t->head), category);
    rocpd_begin(r, ROCPD_SAMPLE);
    rocpd_int(r, t->correlation);
    rocpd_int(r, track);
    rocpd_int(r, t->start);
    rocpd_int(r, event);
    end_with_id(r, ROCPD_SAMPLE);
}

/* ---- PC samples: rows of the table of samples, since the released schema has no table for them.
 * Their track has no thread, so that views of threads leave them out ---- */

static uint64_t pc_track(rocpd_t *r, const trace_sample_t *s)
{
    if (r->pc_track) return r->pc_track;
    const uint64_t name = rocpd_string(r, out_domains[out_domain_of(s->head)].name);
    r->pc_track = r->tracks.count + 1;
    if (!out_numbers_set(&r->tracks, out_mix(name) ^ UINT64_MAX, r->pc_track)) rocpd_no_memory(r);
    rocpd_begin(r, ROCPD_TRACK);
    rocpd_int(r, r->pc_track);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_null(r);
    rocpd_int(r, name);
    rocpd_end(r);
    return r->pc_track;
}

static void put_snapshot(out_json_t *j, const trace_snapshot_t *s)
{
    out_json_unsigned(j, "wave_issued", s->issued);
    out_json_text(j, "inst_type", out_sampled_type(s));
    out_json_unsigned(j, "wave_count", s->waves);
    out_json_begin(j, "snapshot", '{');
    out_object_snapshot(j, s);
    out_json_end(j, '}');
}

/* Writes the event of a PC sample. `snapshot` is the same record, if it is a stochastic sample,
 * else NULL. */
static void write_pc_event(rocpd_t *r, const trace_sample_t *s, const trace_snapshot_t *snapshot)
{
    static const char *const axes[] = {"x", "y", "z"};
    char line[128];
    const uint64_t category = rocpd_string(r, out_domains[out_domain_of(s->head)].name);
    out_json_t j = rocpd_object(r);
    out_json_unsigned(&j, "dispatch_id", s->dispatch);
    out_json_begin(&j, "workgroup_id", '{');
    for (unsigned axis = 0; axis < 3; axis++)
        out_json_unsigned(&j, axes[axis], s->workgroup[axis]);
    out_json_end(&j, '}');
    if (snapshot) put_snapshot(&j, snapshot);
    snprintf(line, sizeof(line),
             "{\"pc\":{\"code_object_id\":%" PRIu64 ",\"code_object_offset\":%" PRIu64 "}}",
             s->code_object, s->offset);
    rocpd_begin(r, ROCPD_PC_EVENT);
    rocpd_int(r, ++r->events);
    rocpd_int(r, category);
    rocpd_int(r, s->correlation);
    rocpd_text(r, line);
    rocpd_text(r, rocpd_object_text(r, &j));
    rocpd_end(r);
}

static void write_pc_sample(rocpd_t *r, const trace_sample_t *s)
{
    const out_instruction_t *i = out_code_at(r->job->model->code, s->code_object, s->offset);
    const trace_snapshot_t *snapshot =
        trace_type(s->head) == TRACE_SNAPSHOT ? (const trace_snapshot_t *)s : NULL;
    const uint64_t track = pc_track(r, s);
    write_pc_event(r, s, snapshot);
    out_json_t j = rocpd_object(r);
    out_json_text(&j, "sampling_method", snapshot ? "stochastic" : "host_trap");
    out_json_text(&j, "instruction", i ? i->text : "");
    out_json_text(&j, "instruction_comment", i ? i->line : "");
    out_json_unsigned(&j, "exec_mask", s->exec);
    out_json_unsigned(&j, "wave_in_group", s->wave);
    out_json_begin(&j, "hw_id", '{');
    out_object_place(&j, s->place);
    out_json_end(&j, '}');
    rocpd_begin(r, ROCPD_PC_SAMPLE);
    rocpd_int(r, track);
    rocpd_int(r, s->start);
    rocpd_int(r, r->events);
    rocpd_text(r, rocpd_object_text(r, &j));
    rocpd_end(r);
}

/* Writes a region. A row without a correlation id gets any id. */
static void write_region(rocpd_t *r, const trace_timed_t *t, const char *name, uint64_t event)
{
    uint64_t name_id = rocpd_string(r, name);
    rocpd_begin(r, ROCPD_REGION);
    if (t->correlation)
        rocpd_int(r, t->correlation);
    else
        rocpd_null(r);
    put_origin(r, trace_thread(t->head));
    rocpd_int(r, t->start);
    rocpd_int(r, t->end);
    rocpd_int(r, name_id);
    rocpd_int(r, event);
    end_with_id(r, ROCPD_REGION);
}

static void write_arguments(rocpd_t *r, const trace_timed_t *t, uint64_t event)
{
    out_arguments_t a = out_model_arguments(r->job->model, t);
    for (uint64_t position = 0; out_arguments_next(&a); position++) {
        rocpd_begin(r, ROCPD_ARG);
        rocpd_int(r, event);
        rocpd_int(r, position);
        rocpd_text(r, a.type);
        rocpd_text(r, a.name);
        rocpd_text(r, a.value);
        rocpd_end(r);
    }
}

static void write_call(rocpd_t *r, out_domain_t domain, const trace_timed_t *t)
{
    out_model_t *m = r->job->model;
    bool full = trace_words(t->head) * 8u >= sizeof(trace_api_full_t);
    const trace_api_full_t *f = (const trace_api_full_t *)t;
    const char *category = out_kind_text(m, trace_kind(t->head));
    const char *name = out_model_operation(m, trace_kind(t->head), trace_operation(t->head));
    const char *extdata = "{}";
    if (domain == OUT_MARKER_API) {
        const trace_marker_t *marker = (const trace_marker_t *)t;
        const char *text = marker->text ? out_model_text(m, marker->text) : NULL;
        out_json_t j = rocpd_object(r);
        if (text) out_json_text(&j, "message", text);
        extdata = rocpd_object_text(r, &j);
    }
    uint64_t event = write_event(r, category, t->correlation, full ? f->ancestor : 0,
                                 full ? f->external : 0, extdata);
    /* only markers: a call, too, may begin and end within one tick of the clock */
    if (domain == OUT_MARKER_API && t->start == t->end)
        write_sample(r, t, category, event);
    else
        write_region(r, t, name, event);
    write_arguments(r, t, event);
    if (trace_type(t->head) == TRACE_MPI) out_mpi_ends_add(&r->mpi_ends, (const trace_mpi_t *)t);
}

/* ---- events of the driver: regions, each with a value ---- */

static uint64_t driver_counter(rocpd_t *r, uint32_t kind, const char *name)
{
    static const char *const texts[TRACE_KIND_MAX + 1] = {
#define KIND_EVENT(id, domain, option, structure, times, text)                                     \
    [ROCPROFILER_BUFFER_TRACING_##id] = text,
#include "trace/kinds.def"
    };
    uint64_t key = rocpd_string(r, name), id = out_numbers_get(&r->driver_counters, key);
    if (id) return id;
    rocpd_begin(r, ROCPD_PMC);
    rocpd_null(r);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    for (int i = 0; i < 2; i++) /* agent and its architecture */
        rocpd_null(r);
    rocpd_text(r, name);
    rocpd_text(r, name);
    rocpd_text(r, texts[kind] ? texts[kind] : name);
    rocpd_text(r, "rocm");
    rocpd_text(r, "ABS");
    rocpd_text(r, "KFD");
    rocpd_text(r, empty);
    for (int i = 0; i < 3; i++) /* is_constant, is_derived, spm_support */
        rocpd_int(r, 0);
    rocpd_text(r, "{}");
    rocpd_end(r);
    id = (uint64_t)sqlite3_last_insert_rowid(r->db);
    if (!out_numbers_set(&r->driver_counters, key, id)) rocpd_no_memory(r);
    return id;
}

/* Returns the value of a driver's event: its number of bytes, or else its address, or a count, or
 * 1. */
static double driver_value(const out_model_t *m, const trace_timed_t *t)
{
    out_arguments_t a = out_model_arguments(m, t);
    double value = 1, start = 0;
    while (out_arguments_next(&a)) {
        if (strcmp(a.name, "start_address") == 0) start = strtod(a.value, NULL);
        if (strcmp(a.name, "end_address") == 0) return strtod(a.value, NULL) - start;
        if (strcmp(a.name, "address") == 0 || strcmp(a.name, "count") == 0)
            value = strtod(a.value, NULL);
    }
    return value;
}

static void write_driver_event(rocpd_t *r, const trace_timed_t *t)
{
    out_model_t *m = r->job->model;
    const char *category = out_kind_text(m, trace_kind(t->head));
    const char *name = out_model_operation(m, trace_kind(t->head), trace_operation(t->head));
    out_arguments_t a = out_model_arguments(m, t);
    out_json_t j = rocpd_object(r);
    out_json_begin(&j, "kfd", '{'); /* two levels of the same name, as rocprofv3 writes */
    out_json_begin(&j, "kfd", '{');
    while (out_arguments_next(&a))
        out_json_text(&j, a.name, a.value);
    out_json_end(&j, '}');
    out_json_end(&j, '}');
    uint64_t event = write_event(r, category, 0, 0, 0, rocpd_object_text(r, &j));
    uint64_t counter = driver_counter(r, trace_kind(t->head), category);
    write_region(r, t, name, event);
    write_arguments(r, t, event);
    rocpd_begin(r, ROCPD_PMC_EVENT);
    rocpd_int(r, event);
    rocpd_int(r, counter);
    rocpd_real(r, driver_value(m, t));
    rocpd_end(r);
}

/* ---- kernels ---- */

static void write_launch(void *to, out_launch_t *l)
{
    rocpd_t *r = to;
    out_model_t *m = r->job->model;
    const trace_dispatch_t *d = &l->dispatch;
    const char *range = d->external ? out_model_text(m, d->external) : NULL;
    const char *category = out_domains[OUT_KERNEL_DISPATCH].name;
    uint64_t event = write_event(r, category, d->correlation, d->correlation, 0, "{}");
    uint64_t queue = queue_of(r, d->queue), stream = stream_of(r, d->stream);
    uint64_t region = rocpd_string(r, range ? range : empty);
    uint64_t agent = rocpd_agent(r, d->agent);
    rocpd_kernel(r, d->kernel);
    rocpd_begin(r, ROCPD_DISPATCH);
    rocpd_int(r, d->dispatch);
    put_origin(r, trace_thread(d->head));
    rocpd_int(r, agent);
    rocpd_int(r, d->kernel);
    rocpd_int(r, d->dispatch);
    rocpd_int(r, queue);
    rocpd_int(r, stream);
    rocpd_int(r, d->start);
    rocpd_int(r, d->end);
    rocpd_int(r, d->private_bytes);
    rocpd_int(r, d->group_bytes);
    for (int i = 0; i < 3; i++)
        rocpd_int(r, d->workgroup[i]);
    for (int i = 0; i < 3; i++)
        rocpd_int(r, d->grid[i]);
    put_node(r, l->node);
    rocpd_int(r, region);
    rocpd_int(r, event);
    end_with_id(r, ROCPD_DISPATCH);
    for (size_t i = 0; i < l->count; i++) {
        rocpd_begin(r, ROCPD_PMC_EVENT);
        rocpd_int(r, event);
        rocpd_int(r, l->values[i].counter);
        rocpd_real(r, l->values[i].value);
        rocpd_end(r);
    }
}

/* Returns the event of a dispatch whose row has been written; 0 if its record is lost. */
static uint64_t event_of(rocpd_t *r, uint64_t dispatch)
{
    uint64_t id = 0;
    sqlite3_bind_int64(r->find_launch, 1, (sqlite3_int64)dispatch);
    if (sqlite3_step(r->find_launch) == SQLITE_ROW)
        id = (uint64_t)sqlite3_column_int64(r->find_launch, 0);
    sqlite3_reset(r->find_launch);
    return id;
}

/* Writes a sample on one track for each point in time, with the values of all instances. Records of
 * samples start after their kernel has ended, so the kernel's row exists already. */
static void write_readings(rocpd_t *r, const trace_readings_t *s)
{
    const trace_reading_t *samples = trace_readings(s);
    uint64_t event = event_of(r, s->dispatch.dispatch), id = 0;
    if (!event) {
        out_launch_t launch = {.dispatch = s->dispatch};
        write_launch(r, &launch);
        event = r->events;
    }
    uint64_t track = track_of(r, trace_thread(s->dispatch.head), "SPM");
    for (uint64_t i = 0; i < s->count; i++) {
        if (!i || samples[i].clock != samples[i - 1].clock) {
            rocpd_begin(r, ROCPD_SAMPLE);
            rocpd_null(r);
            rocpd_int(r, track);
            rocpd_int(r, samples[i].clock);
            rocpd_int(r, event);
            rocpd_end(r);
            id = (uint64_t)sqlite3_last_insert_rowid(r->db);
        }
        rocpd_begin(r, ROCPD_PMC_SAMPLE);
        rocpd_int(r, event);
        rocpd_int(r, samples[i].counter);
        rocpd_real(r, samples[i].value);
        rocpd_int(r, id);
        rocpd_int(r, samples[i].xcc);
        rocpd_int(r, samples[i].engine);
        rocpd_int(r, samples[i].place);
        rocpd_end(r);
    }
}

/* ---- memory ---- */

static void write_copy(rocpd_t *r, const trace_copy_t *c)
{
    out_model_t *m = r->job->model;
    const char *name = out_model_operation(m, trace_kind(c->head), trace_operation(c->head));
    const char *range = c->external ? out_model_text(m, c->external) : NULL;
    uint64_t event = write_event(r, out_kind_text(m, trace_kind(c->head)), c->correlation,
                                 c->correlation, 0, "{}");
    uint64_t name_id = rocpd_string(r, name), stream = stream_of(r, c->stream);
    uint64_t region = range ? rocpd_string(r, range) : 0;
    uint64_t source = rocpd_agent(r, c->source), destination = rocpd_agent(r, c->destination);
    rocpd_begin(r, ROCPD_COPY);
    put_origin(r, trace_thread(c->head));
    rocpd_int(r, c->start);
    rocpd_int(r, c->end);
    rocpd_int(r, name_id);
    rocpd_int(r, destination);
    rocpd_int(r, c->destination_address);
    rocpd_int(r, source);
    rocpd_int(r, c->source_address);
    rocpd_int(r, c->bytes);
    rocpd_int(r, stream);
    put_node(r, trace_node((const trace_timed_t *)c));
    rocpd_int_if(r, range, region);
    rocpd_int(r, event);
    rocpd_end(r);
}

typedef struct {
    const char *type, *level;
    uint64_t agent, address, bytes, queue, stack, parent;
    const char *extdata;
} memory_t;

static void write_memory(rocpd_t *r, const trace_timed_t *t, const memory_t *x)
{
    const char *category = out_kind_text(r->job->model, trace_kind(t->head));
    uint64_t event = write_event(r, category, x->stack, x->parent, 0, "{}");
    uint64_t queue = queue_of(r, x->queue), stream = stream_of(r, 0);
    uint64_t agent = x->agent ? rocpd_agent(r, x->agent) : 0;
    rocpd_begin(r, ROCPD_ALLOCATE);
    put_origin(r, trace_thread(t->head));
    rocpd_int_if(r, x->agent, agent);
    rocpd_text(r, x->type);
    rocpd_text(r, x->level);
    rocpd_int(r, t->start);
    rocpd_int(r, t->end);
    rocpd_int_if(r, x->address, x->address);
    rocpd_int(r, x->bytes);
    rocpd_int(r, queue);
    rocpd_int(r, stream);
    rocpd_int(r, event);
    rocpd_text(r, x->extdata);
    rocpd_end(r);
}

/* Writes an operation of memory allocation: 1 allocates and 3 frees; 2 and 4 do the same for
 * virtual memory. A record of freed memory has neither agent nor size. */
static void write_allocation(rocpd_t *r, const trace_allocation_t *a)
{
    uint32_t operation = trace_operation(a->head);
    bool given = operation <= 2;
    out_block_t block = {a->address, a->bytes, a->agent};
    if (given && !out_live_add(&r->live, block)) rocpd_no_memory(r);
    if (!given) out_live_take(&r->live, a->address, &block);
    memory_t x = {.type = given ? "ALLOC" : "FREE",
                  .level = operation % 2 ? "REAL" : "VIRTUAL",
                  .agent = block.agent,
                  .address = a->address,
                  .bytes = given ? a->bytes : 0,
                  .stack = a->correlation,
                  .extdata = "{}"};
    write_memory(r, (const trace_timed_t *)a, &x);
}

static void write_scratch(rocpd_t *r, const trace_scratch_t *s)
{
    static const char *const types[] = {"ALLOC", "ALLOC", "FREE", "RECLAIM"};
    char flags[32];
    uint32_t operation = trace_operation(s->head);
    out_json_t j = rocpd_object(r);
    snprintf(flags, sizeof(flags), "%llu", (unsigned long long)s->flags);
    out_json_text(&j, "flags", flags);
    memory_t x = {.type = types[operation < 4 ? operation : 0],
                  .level = "SCRATCH",
                  .agent = s->agent,
                  .bytes = s->bytes,
                  .queue = s->queue,
                  .stack = s->correlation,
                  .parent = s->correlation,
                  .extdata = rocpd_object_text(r, &j)};
    write_memory(r, (const trace_timed_t *)s, &x);
}

/* ---- graphs and events of HIP ---- */

static void write_graph(rocpd_t *r, const trace_graph_t *g)
{
    const char *category = out_kind_text(r->job->model, trace_kind(g->head));
    uint64_t event = write_event(r, category, g->correlation, g->ancestor, g->external, "{}");
    uint64_t agent = rocpd_agent(r, g->agent), queue = queue_of(r, g->queue);
    rocpd_begin(r, ROCPD_GRAPH);
    put_origin(r, trace_thread(g->head));
    rocpd_int(r, agent);
    rocpd_int(r, queue);
    rocpd_int(r, g->start);
    rocpd_int(r, g->end);
    rocpd_int(r, g->graph);
    rocpd_int(r, g->kernels);
    rocpd_int(r, event);
    rocpd_end(r);
}

static void write_barrier(rocpd_t *r, const trace_barrier_t *b)
{
    out_model_t *m = r->job->model;
    const char *name = out_model_operation(m, trace_kind(b->head), trace_operation(b->head));
    uint64_t event = write_event(r, out_kind_text(m, trace_kind(b->head)), b->correlation,
                                 b->correlation, 0, "{}");
    uint64_t name_id = rocpd_string(r, name), agent = rocpd_agent(r, b->agent);
    uint64_t queue = queue_of(r, b->queue), stream = stream_of(r, b->stream);
    uint64_t source = queue_of(r, b->source);
    rocpd_begin(r, ROCPD_BARRIER);
    put_origin(r, trace_thread(b->head));
    rocpd_int(r, agent);
    rocpd_int(r, queue);
    rocpd_int(r, stream);
    rocpd_int(r, b->start);
    rocpd_int(r, b->end);
    rocpd_int(r, name_id);
    rocpd_int(r, b->event);
    rocpd_int(r, source);
    rocpd_int(r, event);
    rocpd_end(r);
}

/* ---- all records ---- */

void rocpd_write_records(rocpd_t *r)
{
    out_source_t *source = r->job->source;
    out_launches_t launches = {0};
    queue_of(r, 0);
    stream_of(r, 0);
    out_source_all(source);
    for (const trace_timed_t *t; !r->failed && (t = out_source_next(source));) {
        out_domain_t domain = out_source_taken(source);
        out_launches_use(&launches, t, write_launch, r);
        switch (out_domains[domain].shape) {
        case OUT_CALL:
        case OUT_RANGE: write_call(r, domain, t); break;
        case OUT_EVENT: write_driver_event(r, t); break;
        case OUT_LAUNCH:
            if (!out_launches_add(&launches, domain, t)) rocpd_no_memory(r);
            break;
        case OUT_COPY: write_copy(r, (const trace_copy_t *)t); break;
        case OUT_ALLOCATION: write_allocation(r, (const trace_allocation_t *)t); break;
        case OUT_SCRATCH: write_scratch(r, (const trace_scratch_t *)t); break;
        case OUT_SAMPLE: write_pc_sample(r, (const trace_sample_t *)t); break;
        case OUT_READINGS: write_readings(r, (const trace_readings_t *)t); break;
        case OUT_GRAPH: write_graph(r, (const trace_graph_t *)t); break;
        case OUT_BARRIER: write_barrier(r, (const trace_barrier_t *)t); break;
        }
    }
    out_launches_use(&launches, NULL, write_launch, r);
    out_launches_free(&launches);
}
