/* read.c - see read.h. Processes are read one after the other; for each, first agents, kernels and
 * other descriptions, then records.
 *
 * Calls are read before the kernels that they launched, so that the event of a kernel's call is
 * known. If a command was run both with and without counters, only the counters are taken from the
 * runs that have them: their times are of no use, since counting makes kernels wait for each
 * other. */
#include "report/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "db/schema.h"
#include "model/softgpu.h"
#include "report/code.h"
#include "results/names.h"
#include "results/run.h"

/* A kernel's symbol in a process; `launch` has its registers. */
typedef struct {
    uint32_t symbol, name;
    rep_launch_t launch;
} symbol_t;

typedef struct {
    rep_run_t *run;
    rep_names_t *names;
    res_run_t databases;
    const db_t *db; /* narrowed to the process that is being read */
    uint64_t most;  /* most events of the timeline */
    /* The following members belong to the process that is being read. */
    uint32_t process;
    out_numbers_t strings, agents, queues, streams,
        threads;              /* all five: number of the name plus one, by id */
    out_numbers_t kernels;    /* name and registers, by symbol */
    out_numbers_t launchers;  /* index of a call's event plus one, by stack id */
    out_numbers_t dispatched; /* index of a dispatch's kernel plus one, by event id */
    REP_ARRAY(symbol_t) symbols;
    bool failed, told; /* `told`: the reason has been reported; else memory has run out */
} reader_t;

static rep_process_t *process(const reader_t *r)
{
    return &r->run->processes.rows[r->process];
}

/* ---- statements ---- */

/* Begins a statement whose only parameter is the guid of the process. */
static void begin(const reader_t *r, db_cursor_t *c, const char *sql)
{
    *c = (db_cursor_t){0};
    if (!r->failed) db_rows(c, r->db, sql, "t", process(r)->guid);
}

static bool next(const reader_t *r, db_cursor_t *c)
{
    return !r->failed && !r->run->failed && db_next(c);
}

static void finish(reader_t *r, db_cursor_t *c)
{
    if (db_end(c, "reading records") != 0) r->failed = r->told = true;
}

static void narrow(reader_t *r)
{
    if (r->failed) return;
    r->db = rocpd_narrow(&r->databases.base, process(r)->guid);
    if (!r->db) r->failed = r->told = true;
}

static uint32_t name(reader_t *r, const db_cursor_t *c, int column)
{
    return rep_name(r->names, db_text(c, column), &r->failed);
}

static void set(reader_t *r, out_numbers_t *numbers, uint64_t key, uint64_t value)
{
    if (!out_numbers_get(numbers, key) && !out_numbers_set(numbers, key, value)) r->failed = true;
}

static void empty(out_numbers_t *n)
{
    free(n->rows);
    *n = (out_numbers_t){0};
}

/* ---- processes ---- */

static void add_process(rep_run_t *run, reader_t *r, const db_cursor_t *c)
{
    rep_process_t *p = REP_NEXT(&run->processes);
    if (!p) {
        r->failed = true;
        return;
    }
    strncpy(p->guid, db_text(c, 0), sizeof(p->guid) - 1);
    p->pid = db_uint(c, 1);
    p->command = name(r, c, 2);
    p->begin = db_uint(c, 3);
    p->end = db_uint(c, 4);
    p->host = name(r, c, 5);
    p->system = name(r, c, 6);
    p->soft = db_uint(c, 7);
    p->settings = name(r, c, 8);
}

static void find_processes(reader_t *r)
{
    db_cursor_t c;
    db_rows(&c, r->databases.db,
            "SELECT P.guid, P.pid, P.command, P.start, P.\"end\", N.hostname, N.system_name || ' "
            "' || "
            "N.release || ' ' || N.hardware_name, " OUT_SOFT_GPU_SQL(
                "P.environment") ", P.extdata "
                                 "FROM rocpd_info_process P LEFT "
                                 "JOIN rocpd_info_node N ON N.id = P.nid AND N.guid = P.guid ORDER "
                                 "BY P.start, P.pid",
            "");
    while (next(r, &c))
        add_process(r->run, r, &c);
    finish(r, &c);
}

/* Returns the number that a statement about the process yields. */
static uint64_t number_of(reader_t *r, const char *sql)
{
    uint64_t count = 0;
    db_cursor_t c;
    for (begin(r, &c, sql); next(r, &c);)
        count = db_uint(&c, 0);
    finish(r, &c);
    return count;
}

static uint32_t text_of(reader_t *r, const char *sql)
{
    uint32_t text = 0;
    db_cursor_t c;
    for (begin(r, &c, sql); next(r, &c);)
        text = name(r, &c, 0);
    finish(r, &c);
    return text;
}

static void find_passes(reader_t *r)
{
    rep_run_t *run = r->run;
    for (r->process = 0; r->process < run->processes.count; r->process++) {
        rep_process_t *p = process(r);
        narrow(r);
        p->dispatches = number_of(r, "SELECT COUNT(*) FROM rocpd_kernel_dispatch WHERE guid = ?");
        p->dropped = number_of(r, "SELECT SUM(value) FROM rocpd_metadata WHERE tag IN "
                                  "('records_dropped', 'names_lost') AND ? <> ''");
        p->moment = number_of(r, "SELECT SUM(value * CASE tag WHEN 'clock_realtime_ns' THEN 1 ELSE "
                                 "-1 END) FROM rocpd_metadata WHERE tag IN ('clock_realtime_ns', "
                                 "'clock_boottime_ns') AND ? <> ''");
        p->runtimes =
            text_of(r, "SELECT value FROM rocpd_metadata WHERE tag = 'runtimes' AND ? <> ''");
        p->counted =
            number_of(r, "SELECT COUNT(*) FROM (SELECT 1 FROM rocpd_pmc_event WHERE guid = "
                         "? LIMIT 1)");
    }
    for (size_t i = 0; i < run->processes.count; i++)
        for (size_t j = 0; j < run->processes.count; j++) {
            const rep_process_t *other = &run->processes.rows[j];
            rep_process_t *p = &run->processes.rows[i];
            if (p->counted && !other->counted && other->dispatches && other->command == p->command)
                p->pass = true;
        }
}

/* ---- descriptions ---- */

static void read_names(reader_t *r, out_numbers_t *to, const char *sql)
{
    db_cursor_t c;
    for (begin(r, &c, sql); next(r, &c);)
        set(r, to, db_uint(&c, 0), name(r, &c, 1) + 1u);
    finish(r, &c);
}

static uint32_t name_by(const out_numbers_t *names, uint64_t id)
{
    uint64_t found = out_numbers_get(names, id);
    return found ? (uint32_t)found - 1 : 0;
}

static void read_agents(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT id, absolute_index, type, name, product_name, model_name, "
          "extdata FROM rocpd_info_agent WHERE guid = ?");
    while (next(r, &c)) {
        rep_agent_t *a = REP_NEXT(&r->run->agents);
        if (!a) {
            r->failed = true;
            continue;
        }
        *a = (rep_agent_t){.process = r->process,
                           .id = db_uint(&c, 1),
                           .type = name(r, &c, 2),
                           .name = name(r, &c, 3),
                           .product = name(r, &c, 4),
                           .model = name(r, &c, 5),
                           .facts = name(r, &c, 6)};
        if (process(r)->soft) {
            bool modelled = out_model_time_named(r->names->texts.rows[a->model]);
            a->time = modelled ? REP_TIME_MODEL : REP_TIME_HOST;
            if (strcmp(r->names->texts.rows[a->type], "GPU") == 0) process(r)->time = a->time;
        }
        set(r, &r->agents, db_uint(&c, 0), r->run->agents.count);
    }
    finish(r, &c);
}

static void read_symbols(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT id, COALESCE(kernel_name, display_name), display_name, "
          "arch_vgpr_count, accum_vgpr_count, sgpr_count, " DB_KERNEL_WAVES
          "FROM rocpd_info_kernel_symbol K WHERE guid = ?");
    while (next(r, &c)) {
        symbol_t *l = REP_NEXT(&r->symbols);
        if (!l) {
            r->failed = true;
            continue;
        }
        l->symbol = name(r, &c, 1);
        l->name = name(r, &c, 2);
        l->launch.vgprs = (uint32_t)db_uint(&c, 3);
        l->launch.agprs = (uint32_t)db_uint(&c, 4);
        l->launch.sgprs = (uint32_t)db_uint(&c, 5);
        l->launch.wave = db_small(&c, 6);
        l->launch.whole_wgp = db_small(&c, 7) == 1;
        set(r, &r->kernels, db_uint(&c, 0), r->symbols.count);
    }
    finish(r, &c);
}

static void read_things(reader_t *r)
{
    read_names(r, &r->strings, "SELECT id, string FROM rocpd_string WHERE guid = ?");
    read_names(r, &r->queues, "SELECT id, name FROM rocpd_info_queue WHERE guid = ?");
    read_names(r, &r->streams, "SELECT id, name FROM rocpd_info_stream WHERE guid = ?");
    read_names(r, &r->threads, "SELECT tid, name FROM rocpd_info_thread WHERE guid = ?");
    read_agents(r);
    read_symbols(r);
}

/* ---- the timeline ---- */

static uint32_t track(reader_t *r, rep_track_kind_t kind, uint64_t id, uint32_t agent,
                      uint32_t name)
{
    uint64_t parts[] = {kind, r->process, id, agent},
             key = out_numbers_key(REP_KEY_TRACK, parts, 4);
    uint64_t found = out_numbers_get(&r->run->numbers, key);
    if (found) return (uint32_t)found - 1;
    rep_track_t *t = REP_NEXT(&r->run->tracks);
    if (!t) {
        r->failed = true;
        return 0;
    }
    *t = (rep_track_t){.kind = kind, .process = r->process, .id = id, .agent = agent, .name = name};
    set(r, &r->run->numbers, key, r->run->tracks.count);
    return (uint32_t)r->run->tracks.count - 1;
}

/* Adds an event to the timeline. Returns NULL if it is not in the timeline. */
static rep_event_t *add_event(reader_t *r, uint64_t start, uint64_t end, uint32_t name)
{
    rep_run_t *run = r->run;
    run->records++;
    if (start < run->begin) run->begin = start;
    if (end > run->end) run->end = end;
    if (start >= run->window_end) return NULL;
    rep_event_t *e = REP_NEXT(&run->events);
    if (!e) {
        r->failed = true;
        return NULL;
    }
    e->start = start;
    e->end = end < start ? start : end;
    e->name = name;
    return e;
}

#define EVENT_OF(row) " JOIN rocpd_event E ON E.id = " row ".event_id AND E.guid = " row ".guid "
/* SQL expression for the text of a mark or range. */
#define MESSAGE "CASE WHEN E.extdata = '{}' THEN NULL ELSE JSON_EXTRACT(E.extdata, '$.message') END"

/* Adds a record to the sums of its name. */
static void add_sum(reader_t *r, rep_sums_t which, uint32_t name, uint32_t category, int64_t time,
                    uint64_t bytes)
{
    rep_run_t *run = r->run;
    uint64_t parts[] = {which, name, category}, key = out_numbers_key(REP_KEY_SUM, parts, 3);
    uint64_t found = out_numbers_get(&run->numbers, key);
    rep_sum_t *s = found ? &run->sums[which].rows[found - 1] : REP_NEXT(&run->sums[which]);
    if (!s) {
        r->failed = true;
        return;
    }
    if (!found) set(r, &run->numbers, key, run->sums[which].count);
    s->name = name;
    s->category = category;
    sum_add(&s->time, time);
    s->bytes += bytes;
}

/* Returns the duration; a record that ends before it begins has none. */
static int64_t time_between(uint64_t start, uint64_t end)
{
    return end > start ? (int64_t)(end - start) : 0;
}

static void read_calls(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT R.tid, R.start, R.\"end\", R.name_id, E.category_id, "
          "E.stack_id, " MESSAGE " FROM rocpd_region R" EVENT_OF("R") "WHERE R.guid = ?");
    while (next(r, &c)) {
        uint64_t start = db_uint(&c, 1), end = db_uint(&c, 2), tid = db_uint(&c, 0);
        bool marked = !db_null(&c, 6);
        uint32_t what = marked ? name(r, &c, 6) : name_by(&r->strings, db_uint(&c, 3));
        uint32_t category = name_by(&r->strings, db_uint(&c, 4));
        add_sum(r, REP_SUM_CALLS, what, category, time_between(start, end), 0);
        rep_event_t *e = add_event(r, start, end, what);
        if (!e) continue;
        e->category = category;
        e->track = track(r, REP_HOST, tid, 0, name_by(&r->threads, tid));
        if (!marked && db_uint(&c, 5)) set(r, &r->launchers, db_uint(&c, 5), r->run->events.count);
    }
    finish(r, &c);
}

static void read_marks(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT T.tid, S.timestamp, E.category_id, " MESSAGE
          ", T.name_id FROM rocpd_sample S JOIN rocpd_track T ON T.id = "
          "S.track_id AND T.guid = S.guid" EVENT_OF("S") "WHERE S.guid = ? AND T.tid IS NOT NULL");
    while (next(r, &c)) {
        if (db_null(&c, 3)) continue; /* the value of a counter, not a mark */
        uint64_t at = db_uint(&c, 1), tid = db_uint(&c, 0);
        rep_event_t *e = add_event(r, at, at, name(r, &c, 3));
        if (!e) continue;
        e->category = name_by(&r->strings, db_uint(&c, 2));
        e->track = track(r, REP_HOST, tid, 0, name_by(&r->threads, tid));
    }
    finish(r, &c);
}

/* ---- kernels ---- */

static uint64_t launch_of(reader_t *r, const rep_launch_t *l)
{
    uint64_t parts[] = {l->kernel,   l->agent,    l->grid[0],  l->grid[1], l->grid[2],
                        l->group[0], l->group[1], l->group[2], l->lds,     l->scratch,
                        l->vgprs,    l->agprs,    l->sgprs,    l->wave,    l->whole_wgp};
    uint64_t key = out_numbers_key(REP_KEY_LAUNCH, parts, sizeof(parts) / sizeof(*parts));
    uint64_t found = out_numbers_get(&r->run->numbers, key);
    if (found) return found - 1;
    rep_launch_t *copy = REP_NEXT(&r->run->launches);
    if (!copy) {
        r->failed = true;
        return 0;
    }
    *copy = *l;
    set(r, &r->run->numbers, key, r->run->launches.count);
    return r->run->launches.count - 1;
}

static symbol_t symbol_of(const reader_t *r, uint64_t id)
{
    uint64_t found = out_numbers_get(&r->kernels, id);
    return found ? r->symbols.rows[found - 1] : (symbol_t){0};
}

static rep_kernel_t *kernel_of(reader_t *r, uint64_t id)
{
    const symbol_t symbol = symbol_of(r, id);
    return rep_kernel(r->run, symbol.symbol, symbol.name);
}

/* Returns the launch in a row, whose grid is in work-items, as in databases. */
static rep_launch_t launch_in(reader_t *r, const db_cursor_t *c)
{
    const symbol_t symbol = symbol_of(r, db_uint(c, 0));
    rep_launch_t l = symbol.launch;
    l.agent = name_by(&r->agents, db_uint(c, 1));
    l.scratch = db_uint(c, 6);
    l.lds = db_uint(c, 7);
    for (int i = 0; i < 3; i++) {
        l.group[i] = (uint32_t)db_uint(c, 8 + i);
        l.grid[i] = (uint32_t)db_uint(c, 11 + i);
    }
    return l;
}

static void add_dispatch(reader_t *r, rep_kernel_t *k, uint64_t start, uint64_t end)
{
    uint64_t *row = REP_NEXT(&k->durations);
    sum_add(&k->time, time_between(start, end));
    if (row) *row = end - start;
    uint64_t *first = REP_NEXT(&r->run->kernel_spans), *last = NULL;
    if (first) *first = start, last = REP_NEXT(&r->run->kernel_spans);
    if (last) *last = end;
    if (!row || !last) r->failed = true;
}

static void put_kernel(reader_t *r, const db_cursor_t *c, const rep_launch_t *l, uint64_t launch)
{
    uint64_t queue = db_uint(c, 2), stream = db_uint(c, 3);
    rep_event_t *e =
        add_event(r, db_uint(c, 4), db_uint(c, 5), r->run->kernels.rows[l->kernel].name);
    if (!e) return;
    e->extra = launch;
    e->link = (uint32_t)out_numbers_get(&r->launchers, db_uint(c, 15));
    e->category = name_by(&r->streams, stream);
    e->track = track(r, REP_QUEUE, queue, l->agent, name_by(&r->queues, queue));
}

static void read_kernels(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT D.kernel_id, D.agent_id, D.queue_id, D.stream_id, D.start, D.\"end\", "
          "D.private_segment_size, D.group_segment_size, D.workgroup_size_x, D.workgroup_size_y, "
          "D.workgroup_size_z, D.grid_size_x, D.grid_size_y, D.grid_size_z, D.event_id, E.stack_id "
          "FROM rocpd_kernel_dispatch D LEFT" EVENT_OF("D") "WHERE D.guid = ?");
    bool counted = process(r)->counted, pass = process(r)->pass;
    while (next(r, &c)) {
        rep_launch_t l = launch_in(r, &c);
        uint64_t start = db_uint(&c, 4), end = db_uint(&c, 5);
        if (end < start) end = start;
        rep_kernel_t *k = kernel_of(r, db_uint(&c, 0));
        if (!k) continue;
        l.kernel = (uint32_t)(k - r->run->kernels.rows);
        if (counted) {
            set(r, &r->dispatched, db_uint(&c, 14), l.kernel + 1u);
            if (process(r)->time != REP_TIME_HOST) /* host times do not match counts */
                sum_add(&k->counted, time_between(start, end));
        }
        if (pass) continue;
        uint64_t launch = launch_of(r, &l);
        if (r->failed) continue;
        add_dispatch(r, k, start, end);
        sum_add(&r->run->launches.rows[launch].time, time_between(start, end));
        put_kernel(r, &c, &l, launch);
    }
    finish(r, &c);
}

/* ---- copies and memory ---- */

static void read_copies(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT M.start, M.\"end\", M.name_id, M.size, M.src_agent_id, M.dst_agent_id, "
          "E.stack_id, M.stream_id FROM rocpd_memory_copy M LEFT" EVENT_OF("M") "WHERE M.guid = ?");
    while (next(r, &c)) {
        uint64_t start = db_uint(&c, 0), end = db_uint(&c, 1), bytes = db_uint(&c, 3);
        uint32_t what = name_by(&r->strings, db_uint(&c, 2));
        if (end < start) end = start;
        add_sum(r, REP_SUM_COPIES, what, 0, time_between(start, end), bytes);
        uint64_t *first = REP_NEXT(&r->run->copy_spans), *last = NULL;
        if (first) *first = start, last = REP_NEXT(&r->run->copy_spans);
        if (last) *last = end;
        if (!last) r->failed = true;
        rep_event_t *e = add_event(r, start, end, what);
        if (!e) continue;
        e->extra = bytes;
        e->link = (uint32_t)out_numbers_get(&r->launchers, db_uint(&c, 6));
        e->category = name_by(&r->streams, db_uint(&c, 7));
        e->track = track(r, REP_COPIES, what, name_by(&r->agents, db_uint(&c, 4)), what);
    }
    finish(r, &c);
}

static void read_memory(reader_t *r)
{
    db_cursor_t c;
    begin(r, &c,
          "SELECT M.start, M.\"end\", M.type, M.size, M.agent_id, M.level "
          "FROM rocpd_memory_allocate M WHERE M.guid = ?");
    while (next(r, &c)) {
        uint64_t start = db_uint(&c, 0), end = db_uint(&c, 1), bytes = db_uint(&c, 3);
        uint32_t what = name(r, &c, 2), level = name(r, &c, 5);
        add_sum(r, REP_SUM_MEMORY, what, level, time_between(start, end), bytes);
        rep_event_t *e = add_event(r, start, end, what);
        if (!e) continue;
        e->extra = bytes;
        e->category = level;
        e->track = track(r, REP_MEMORY, 0, name_by(&r->agents, db_uint(&c, 4)), what);
    }
    finish(r, &c);
}

/* ---- counters ---- */

enum { COUNTERS_OF_DISPATCH = 2048 };

typedef struct {
    uint64_t event;
    uint32_t kernel;
    size_t count;
    struct {
        uint32_t counter;
        double sum;
    } rows[COUNTERS_OF_DISPATCH];
} dispatch_values_t;

static void read_counters(reader_t *r, out_numbers_t *counters)
{
    db_cursor_t rows;
    begin(r, &rows,
          "SELECT I.id, I.name, I.description, I.block, I.expression, A.name "
          "FROM rocpd_info_pmc I LEFT JOIN rocpd_info_agent A ON A.id = "
          "I.agent_id AND A.guid = I.guid WHERE I.guid = ?");
    while (next(r, &rows)) {
        uint64_t part = name(r, &rows, 1), key = out_numbers_key(REP_KEY_COUNTER, &part, 1);
        uint64_t found = out_numbers_get(&r->run->numbers, key);
        rep_counter_t *c = found ? &r->run->counters.rows[found - 1] : REP_NEXT(&r->run->counters);
        if (!c) {
            r->failed = true;
            continue;
        }
        if (!found) {
            *c = (rep_counter_t){.name = (uint32_t)part,
                                 .description = name(r, &rows, 2),
                                 .block = name(r, &rows, 3),
                                 .expression = name(r, &rows, 4),
                                 .gfx = name(r, &rows, 5),
                                 .soft = process(r)->soft};
            set(r, &r->run->numbers, key, found = r->run->counters.count);
        }
        set(r, counters, db_uint(&rows, 0), found);
    }
    finish(r, &rows);
}

static void put_value(reader_t *r, uint32_t kernel, uint32_t counter, double sum)
{
    uint64_t parts[] = {kernel, counter}, key = out_numbers_key(REP_KEY_VALUE, parts, 2);
    uint64_t found = out_numbers_get(&r->run->numbers, key);
    rep_value_t *v = found ? &r->run->values.rows[found - 1] : REP_NEXT(&r->run->values);
    if (!v) {
        r->failed = true;
        return;
    }
    if (!found) {
        *v = (rep_value_t){.kernel = kernel, .counter = counter};
        set(r, &r->run->numbers, key, r->run->values.count);
    }
    sum_real_add(&v->sum, sum);
}

static void put_values(reader_t *r, dispatch_values_t *d)
{
    for (size_t i = 0; i < d->count; i++)
        put_value(r, d->kernel, d->rows[i].counter, d->rows[i].sum);
    d->count = 0;
}

static void add_value(dispatch_values_t *d, uint32_t counter, double value)
{
    size_t i = d->count;
    while (i && d->rows[i - 1].counter != counter)
        i--;
    if (i) {
        d->rows[i - 1].sum += value;
    } else if (d->count < COUNTERS_OF_DISPATCH) {
        d->rows[d->count].counter = counter;
        d->rows[d->count++].sum = value;
    }
}

static void read_values(reader_t *r)
{
    out_numbers_t counters = {0};
    dispatch_values_t *d = calloc(1, sizeof(*d));
    if (!d) r->failed = true;
    read_counters(r, &counters);
    /* each row is the value of an instance; rows of a dispatch are adjacent */
    db_cursor_t c;
    char *sql =
        sqlite3_mprintf("SELECT event_id, pmc_id, value FROM rocpd_pmc_event WHERE guid = ? AND %s",
                        db_values_of_dispatches(r->db));
    begin(r, &c, sql);
    sqlite3_free(sql);
    while (next(r, &c)) {
        uint64_t event = db_uint(&c, 0), counter = out_numbers_get(&counters, db_uint(&c, 1));
        uint64_t kernel = out_numbers_get(&r->dispatched, event);
        if (!counter || !kernel) continue;
        if (event != d->event) put_values(r, d);
        d->event = event;
        d->kernel = (uint32_t)kernel - 1;
        add_value(d, (uint32_t)counter - 1, db_real(&c, 2));
    }
    finish(r, &c);
    if (d) put_values(r, d);
    free(d);
    empty(&counters);
}

/* ---- instructions ---- */

static void read_code(reader_t *r)
{
    out_numbers_t symbols = {0};
    if (r->failed || !db_holds(r->db, DB_INSTRUCTIONS)) return;
    db_cursor_t c;
    for (begin(r, &c, "SELECT DISTINCT kernel_id FROM crocprof_instruction WHERE guid = ?");
         next(r, &c);) {
        const rep_kernel_t *k = kernel_of(r, db_uint(&c, 0));
        if (k) set(r, &symbols, db_uint(&c, 0), (uint64_t)(k - r->run->kernels.rows) + 1);
    }
    finish(r, &c);
    if (!r->failed && rep_code_read(r->run, r->names, r->db, process(r)->guid, &symbols) != 0) {
        r->failed = true;
        r->told = !r->run->failed;
    }
    empty(&symbols);
}

/* ---- a process ---- */

static void read_process(reader_t *r)
{
    const rep_process_t *p = process(r);
    out_numbers_t *const of_process[] = {&r->strings, &r->agents,  &r->queues,    &r->streams,
                                         &r->threads, &r->kernels, &r->launchers, &r->dispatched};
    narrow(r);
    read_things(r);
    if (!p->pass) {
        read_calls(r);
        read_marks(r);
    }
    read_kernels(r);
    if (!p->pass) {
        read_copies(r);
        read_memory(r);
    }
    if (p->counted) read_values(r);
    read_code(r);
    for (size_t i = 0; i < sizeof(of_process) / sizeof(*of_process); i++)
        empty(of_process[i]);
    r->symbols.count = 0;
}

/* ---- the window ---- */

#define ALL_STARTS                                                                                 \
    "(SELECT start FROM rocpd_region UNION ALL SELECT start FROM rocpd_kernel_dispatch UNION ALL " \
    "SELECT start FROM rocpd_memory_copy UNION ALL SELECT start FROM rocpd_memory_allocate)"

enum { PARTS = 4096 };

/* A histogram of the begins of records, over all files. */
typedef struct {
    uint64_t first, last, width, count;
    uint64_t parts[PARTS]; /* number of records in parts of the time from the first to the last,
                            * each `width` long */
} starts_t;

static int add_span(const db_t *db, void *data)
{
    starts_t *s = data;
    db_cursor_t c;
    db_rows(&c, db, "SELECT COUNT(*), MIN(start), MAX(start) FROM " ALL_STARTS, "");
    if (db_next(&c) && db_int(&c, 0)) {
        const uint64_t first = db_uint(&c, 1), last = db_uint(&c, 2);
        if (!s->count || (int64_t)first < (int64_t)s->first) s->first = first;
        if (!s->count || (int64_t)last > (int64_t)s->last) s->last = last;
        s->count += db_uint(&c, 0);
    }
    return db_end(&c, "reading records");
}

static int add_parts(const db_t *db, void *data)
{
    starts_t *s = data;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT (start - ?1) / ?2 AS part, COUNT(*) FROM " ALL_STARTS
            " GROUP BY part ORDER BY part",
            "ii", s->first, s->width);
    while (db_next(&c))
        if (db_uint(&c, 0) < PARTS) s->parts[db_uint(&c, 0)] += db_uint(&c, 1);
    return db_end(&c, "reading records");
}

/* Finds the time before which as many events begin as a timeline may hold, with the accuracy of one
 * of PARTS. */
static void find_window(reader_t *r)
{
    starts_t s = {0};
    rocpd_base_t *b = &r->databases.base;
    uint64_t held = 0;
    r->run->window_end = UINT64_MAX;
    if (r->failed) return;
    int result = rocpd_each(b, ROCPD_TABLES, add_span, &s);
    s.width = (s.last - s.first) / PARTS + 1;
    if (result == 0 && s.count > r->most) result = rocpd_each(b, ROCPD_TABLES, add_parts, &s);
    if (result != 0) r->failed = r->told = true;
    if (result != 0 || s.count <= r->most) return;
    for (uint64_t i = 0; i < PARTS && r->run->window_end == UINT64_MAX; i++) {
        held += s.parts[i];
        if (held > r->most) r->run->window_end = s.first + i * s.width;
    }
}

/* ---- files ---- */

/* Returns "out/7_results.pftrace" for "out/7_results.db", if that file exists, else ""; NULL
 * without memory. */
static char *trace_beside(const char *database)
{
    char *path = NULL;
    const size_t stem = strlen(database) - (base_ends_with(database, ".db") ? strlen(".db") : 0);
    if (asprintf(&path, "%.*s.pftrace", (int)stem, database) < 0) return NULL;
    if (access(path, R_OK) != 0) *path = 0;
    return path;
}

/* Keeps the names of the databases and of the traces beside them, which have all records. Databases
 * that are removed after the page is made (`passing`) are not listed. */
static void name_files(reader_t *r, bool passing)
{
    for (size_t i = 0; i < r->databases.files.count; i++) {
        const char *database = r->databases.files.paths[i];
        char **file = REP_NEXT(&r->run->files), **trace = REP_NEXT(&r->run->traces);
        if (file) *file = strdup(passing ? "" : database);
        if (trace) *trace = trace_beside(database);
        if (!file || !*file || !trace || !*trace) r->failed = true;
    }
}

/* ---- the run ---- */

/* Gives different names to kernels with the same name in the databases, also in the timeline. */
static void name_apart(reader_t *r)
{
    rep_run_t *run = r->run;
    const size_t count = run->kernels.count;
    res_name_t *names = calloc(count + 1, sizeof(*names));
    for (size_t i = 0; names && i < count; i++)
        names[i] = (res_name_t){.symbol = r->names->texts.rows[run->kernels.rows[i].symbol],
                                .name = strdup(r->names->texts.rows[run->kernels.rows[i].name])};
    if (!names || !res_names_apart(names, count)) r->failed = true;
    for (size_t i = 0; names && i < count; i++) {
        if (!r->failed) run->kernels.rows[i].name = rep_name(r->names, names[i].name, &r->failed);
        free(names[i].name);
        free(names[i].brief);
    }
    free(names);
    for (size_t i = 0; !r->failed && i < run->events.count; i++) {
        rep_event_t *e = &run->events.rows[i];
        if (run->tracks.rows[e->track].kind == REP_QUEUE)
            e->name = run->kernels.rows[run->launches.rows[e->extra].kernel].name;
    }
}

int rep_read(rep_run_t *run, rep_names_t *names, const rep_request_t *request,
             const rep_input_t *input)
{
    reader_t r = {.run = run, .names = names, .most = request->events};
    rep_name(names, "", &r.failed);
    run->label = input->label;
    run->begin = UINT64_MAX;
    if (res_run_open(&r.databases, input->paths, input->count) != 0) return -1;
    name_files(&r, input->passing);
    find_processes(&r);
    find_window(&r);
    find_passes(&r);
    for (r.process = 0; !r.failed && r.process < run->processes.count; r.process++)
        read_process(&r);
    if (!r.failed && !run->failed) name_apart(&r);
    if (run->begin > run->end) run->begin = run->end = 0;
    free(r.symbols.rows);
    res_run_close(&r.databases);
    if (!r.failed && !run->failed) return 0;
    if (!r.told) base_error("out of memory");
    return -1;
}
