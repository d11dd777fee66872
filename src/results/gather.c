/* gather.c - see gather.h. Each database is summed by itself (gather_part.c), several at once; here
 * the sums are joined in the order of the databases, and put into SQL tables. */
#include "results/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "results/each.h"
#include "results/gather_part.h"
#include "rocpd/one_clock.h"

static const char what[] = "summing up records";

static const char *const kind_names[] = {
#define X(id, name) name,
    GATHER_KINDS(X)
#undef X
};

struct res_gathered {
    gather_part_t all; /* only its lists of rows are used, not its keys */
    bool calls;
    trace_clock_map_t *maps; /* maps of the processes' clocks */
};

static int no_memory(void)
{
    base_error("%s: %s", what, strerror(ENOMEM));
    return -1;
}

/* ---- joining parts ---- */

/* Appends rows, each of which begins with the number of its process in the part. The memory to
 * which the rows point no longer belongs to the part. */
static bool append(gather_list_t *to, gather_list_t *from, size_t bytes, size_t processes)
{
    for (size_t i = 0; i < from->count; i++) {
        size_t *row = gather_next(to, bytes);
        if (!row) return false;
        memcpy(row, (char *)from->rows + i * bytes, bytes);
        *row += processes;
        memset((char *)from->rows + i * bytes, 0, bytes);
    }
    return true;
}

static int add_part(void *data, const db_t *db, size_t file, void *to)
{
    res_run_t *r = to;
    gather_part_t *all = &r->gathered->all, *part = data;
    const size_t before = all->process_count;
    if (r->files.count > 1 && rocpd_add_small(&r->base, db) != 0) return -1;
    if (!BASE_RESIZE(all->processes, before + part->process_count + 1)) return no_memory();
    bool room = append(&all->work, &part->work, sizeof(gather_work_t), before);
    for (size_t i = before; i < all->work.count; i++)
        ((gather_work_t *)all->work.rows)[i].file = file;
    for (size_t i = 0; i < part->process_count; i++) {
        all->processes[all->process_count++] = part->processes[i];
        part->processes[i] = NULL;
    }
    room = room &&
           append(&all->launches.list, &part->launches.list, sizeof(gather_launch_t), before) &&
           append(&all->calls.list, &part->calls.list, sizeof(gather_call_t), before) &&
           append(&all->ranges.list, &part->ranges.list, sizeof(gather_call_t), before) &&
           append(&all->copies.list, &part->copies.list, sizeof(gather_copy_t), before) &&
           append(&all->streams.list, &part->streams.list, sizeof(gather_stream_t), before);
    all->allocated = (int64_t)((uint64_t)all->allocated + (uint64_t)part->allocated);
    all->allocates |= part->allocates;
    return room ? 0 : no_memory();
}

static void *read_part(const db_t *db, size_t file, void *data)
{
    const res_run_t *r = data;
    const gather_wanted_t wanted = {.calls = r->gathered->calls, .bins = r->bins};
    (void)file;
    return gather_part(db, &wanted);
}

static void forget_part(void *part)
{
    gather_part_free(part);
}

const gather_part_t *res_gathered(const res_run_t *r)
{
    return &r->gathered->all;
}

void res_gather_forget(res_run_t *r)
{
    if (!r->gathered) return;
    gather_part_clear(&r->gathered->all);
    free(r->gathered->maps);
    free(r->gathered);
    r->gathered = NULL;
}

/* Reads all records, once. */
static int gather(res_run_t *r, bool calls)
{
    const res_each_t e = {.read = read_part, .add = add_part, .forget = forget_part, .data = r};
    if (r->gathered && (r->gathered->calls || !calls)) return 0;
    res_gather_forget(r);
    r->gathered = calloc(1, sizeof(*r->gathered));
    if (!r->gathered) return no_memory();
    r->gathered->calls = calls;
    const bool several = r->files.count > 1;
    int result = several ? rocpd_begin_small(&r->base) : 0;
    if (result == 0) {
        result = res_each(r, &e);
        if (several && rocpd_end_small(&r->base, result == 0) != 0) result = -1;
    }
    if (result != 0) res_gather_forget(r);
    return result;
}

/* ---- writing ---- */

/* Writes rows: `bind` sets the statement's parameters, the first of which is the guid, or returns
 * false for a row that is not written. */
static int put_rows(const res_run_t *r, const char *sql, const gather_list_t *rows, size_t bytes,
                    bool (*bind)(db_cursor_t *c, const char *guid, const void *row, bool model),
                    bool model)
{
    db_cursor_t c;
    db_rows(&c, r->db, sql, "");
    for (size_t i = 0; i < rows->count; i++) {
        const char *row = (const char *)rows->rows + i * bytes;
        if (bind(&c, r->gathered->all.processes[*(const size_t *)row], row, model)) db_next(&c);
    }
    return db_end(&c, what);
}

static bool bind_launch(db_cursor_t *c, const char *guid, const void *row, bool model)
{
    const gather_launch_t *l = row;
    (void)model;
    return db_again(c, "tiiiiiiiiiiiiii", guid, l->kernel, l->agent, l->stream, l->lds, l->scratch,
                    l->workgroup, l->grid, l->time.count, sum_total(&l->time), l->time.least,
                    l->time.most, l->first, l->first_ns, l->last);
}

int res_gather_launches(res_run_t *r)
{
    int result =
        db_run(r->db,
               "DROP TABLE IF EXISTS temp.res_launch; CREATE TEMP TABLE res_launch(guid, "
               "kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid, calls, total, "
               "least, most, first, first_ns, last)",
               what);
    if (result == 0) result = gather(r, r->whole);
    if (result == 0)
        result =
            put_rows(r, "INSERT INTO res_launch VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                     &r->gathered->all.launches.list, sizeof(gather_launch_t), bind_launch, false);
    return result;
}

static int64_t between(int64_t start, int64_t end)
{
    return (int64_t)((uint64_t)end - (uint64_t)start); /* times may be any numbers */
}

static bool bind_work(db_cursor_t *c, const char *guid, const void *row, bool model)
{
    const gather_work_t *w = row;
    if (!w->busy && !w->called) return false;
    return db_again(
        c, "tiiiiiiiiiiiiiiii", guid, w->first, w->last, w->kernel_ns, w->copy_ns, w->busy_ns,
        w->gaps.count, sum_total(&w->gaps), w->gaps.most, w->startup_ns, sum_total(&w->own),
        w->own.most, model ? sum_total(&w->apart) : (int64_t)0,
        model ? w->apart.count : (uint64_t)0, between(w->host_first, w->host_last), w->load_ns,
        model && w->asked && w->done > w->asked ? between(w->asked, w->done) : (int64_t)0);
}

static bool bind_call(db_cursor_t *c, const char *guid, const void *row, bool model)
{
    const gather_call_t *l = row;
    (void)model;
    return db_again(c, "ttttiiiiiiii", guid, l->name, l->category, kind_names[l->kind],
                    l->time.count, sum_total(&l->time), l->time.most, l->first, l->last,
                    l->inside.count, sum_total(&l->inside), l->gap_ns);
}

static bool bind_copy(db_cursor_t *c, const char *guid, const void *row, bool model)
{
    const gather_copy_t *copy = row;
    (void)model;
    return db_again(c, "ttiiiii", guid, copy->name, copy->from, copy->to, copy->time.count,
                    copy->bytes, sum_total(&copy->time));
}

static bool bind_stream(db_cursor_t *c, const char *guid, const void *row, bool model)
{
    const gather_stream_t *s = row;
    (void)model;
    return db_again(c, "tiii", guid, s->stream, s->kernels, s->copies);
}

const char *const res_clock_words[] = {[TRACE_CLOCK_SAME] = "same",
                                       [TRACE_CLOCK_PING] = "measured",
                                       [TRACE_CLOCK_MPI] = "mpi",
                                       [TRACE_CLOCK_DAY] = "day",
                                       [TRACE_CLOCK_ALONE] = "unknown"};

static const char *guid_of(const void *data, size_t process)
{
    return ((const gather_part_t *)data)->processes[process];
}

static size_t file_of(const void *data, size_t process)
{
    const gather_work_t *work = ((const gather_part_t *)data)->work.rows;
    return work[process].file;
}

/* Computes the maps of all processes' clocks. */
static int plan_clocks(res_run_t *r)
{
    const gather_part_t *all = &r->gathered->all;
    const gather_work_t *work = all->work.rows;
    const size_t count = all->work.count;
    trace_clock_facts_t *facts = calloc(count + 1, sizeof(*facts));
    trace_clock_map_t *maps = facts ? calloc(count + 1, sizeof(*maps)) : NULL;
    for (size_t i = 0; maps && i < count; i++)
        facts[i] = work[i].rank.clock;
    const rocpd_processes_t processes = {&r->files, count, facts, guid_of, file_of, all};
    const int result = !maps ? no_memory() : rocpd_one_clock(&processes, maps) < 0 ? -1 : 0;
    free(facts);
    free(r->gathered->maps);
    r->gathered->maps = maps;
    return result;
}

int64_t res_gather_time(const res_run_t *r, const gather_work_t *w, int64_t time)
{
    return (int64_t)trace_clock_map(&r->gathered->maps[w->process], (uint64_t)time);
}

const trace_clock_map_t *res_gather_clock(const res_run_t *r, const gather_work_t *w)
{
    return &r->gathered->maps[w->process];
}

static int put_ranks(res_run_t *r)
{
    const gather_part_t *all = &r->gathered->all;
    const gather_work_t *work = all->work.rows;
    db_cursor_t c;
    if (plan_clocks(r) != 0) return -1;
    db_rows(&c, r->db, "INSERT INTO res_rank VALUES (?,?,?,?,?,?,?,?,?,?,?)", "");
    for (size_t i = 0; i < all->work.count; i++) {
        const gather_work_t *w = &work[i];
        const trace_clock_map_t *clock = res_gather_clock(r, w);
        db_again(&c, "tiiitiiitii", all->processes[i], w->rank.rank, w->rank.ranks, w->rank.pid,
                 w->rank.host ? w->rank.host : "", (int64_t)(w->busy || w->called),
                 res_gather_time(r, w, gather_first(w)), res_gather_time(r, w, gather_last(w)),
                 res_clock_words[clock->source], clock->error_ns, (int64_t)w->rank.unclosed);
        db_next(&c);
    }
    return db_end(&c, what);
}

static const char tables[] =
    "DROP TABLE IF EXISTS temp.res_work; DROP TABLE IF EXISTS temp.res_call; DROP TABLE IF EXISTS "
    "temp.res_copy; DROP TABLE IF EXISTS temp.res_stream; DROP TABLE IF EXISTS temp.res_memory; "
    "DROP TABLE IF EXISTS temp.res_rank; CREATE TEMP TABLE res_rank(guid, rank, ranks, pid, host, "
    "active, first, last, clock, clock_error_ns, unclosed); "
    "CREATE TEMP TABLE "
    "res_work(guid, first, last, kernel_ns, copy_ns, busy_ns, gaps, idle_ns, longest_ns, "
    "startup_ns, own_ns, own_longest_ns, apart_ns, apart, host_ns, load_ns, asked_ns); CREATE TEMP "
    "TABLE res_call(guid, name, category, kind, calls, time_ns, longest_ns, first, last, inside, "
    "inside_ns, gap_ns); CREATE TEMP TABLE res_copy(guid, name, src_agent_id, dst_agent_id, "
    "copies, "
    "bytes, time_ns); CREATE TEMP TABLE res_stream(guid, stream_id, kernels, copies); CREATE TEMP "
    "TABLE res_memory(bytes)";

static int put_memory(const res_run_t *r)
{
    const gather_part_t *all = &r->gathered->all;
    if (!all->allocates) return 0;
    return db_runf(r->db, what, "INSERT INTO res_memory VALUES (%lld)", (long long)all->allocated);
}

int res_gather_calls(res_run_t *r, bool model_time)
{
    int result = db_run(r->db, tables, what);
    if (result == 0) result = gather(r, true);
    if (result != 0) return result;
    const gather_part_t *all = &r->gathered->all;
    const struct {
        const char *sql;
        const gather_list_t *rows;
        size_t bytes;
        bool (*bind)(db_cursor_t *c, const char *guid, const void *row, bool model);
    } puts[] = {
        {"INSERT INTO res_work VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &all->work,
         sizeof(gather_work_t), bind_work},
        {"INSERT INTO res_call VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", &all->calls.list,
         sizeof(gather_call_t), bind_call},
        {"INSERT INTO res_copy VALUES (?,?,?,?,?,?,?)", &all->copies.list, sizeof(gather_copy_t),
         bind_copy},
        {"INSERT INTO res_stream VALUES (?,?,?,?)", &all->streams.list, sizeof(gather_stream_t),
         bind_stream},
    };
    for (size_t i = 0; result == 0 && i < sizeof(puts) / sizeof(*puts); i++)
        result = put_rows(r, puts[i].sql, puts[i].rows, puts[i].bytes, puts[i].bind, model_time);
    if (result == 0) result = put_ranks(r);
    return result == 0 ? put_memory(r) : result;
}
