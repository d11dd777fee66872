/* ranks.c - see ranks.h. All numbers come from the sums on which findings are based (gather.h), so
 * that no record is read again. */
#include "report/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "results/gather.h"

/* Returns whether it is known when ranks wait for others. */
static bool knows_waits(const gather_part_t *all)
{
    const gather_call_t *calls = all->calls.list.rows;
    bool known = false;
    for (size_t i = 0; i < all->calls.list.count; i++)
        known |= calls[i].others;
    return known;
}

/* Returns how long a rank works. In a job whose ranks wait for each other, the slowest rank is the
 * one that waits least; if waits are not known, the one whose GPU has most work. */
static int64_t own_time(const gather_work_t *w, bool waits)
{
    return waits ? gather_last(w) - gather_first(w) - w->wait_ns : w->busy_ns;
}

static bool has_records(const gather_work_t *w)
{
    return w->busy || w->called;
}

/* ---- the choice of ranks that are read in full ---- */

typedef struct {
    int64_t own;
    size_t process;
} worker_t;

/* Sorts by own time; of equal ones the first is the last. */
static int by_own_time(const void *left, const void *right)
{
    const worker_t *a = left, *b = right;
    if (a->own != b->own) return a->own < b->own ? -1 : 1;
    return (a->process < b->process) - (a->process > b->process);
}

/* Returns the processes that have records, the slowest last; NULL without memory. */
static worker_t *sort_workers(const gather_part_t *all, size_t *count)
{
    const gather_work_t *work = all->work.rows;
    const bool waits = knows_waits(all);
    worker_t *sorted = calloc(all->work.count + 1, sizeof(*sorted));
    *count = 0;
    for (size_t i = 0; sorted && i < all->work.count; i++)
        if (has_records(&work[i])) sorted[(*count)++] = (worker_t){own_time(&work[i], waits), i};
    if (sorted) qsort(sorted, *count, sizeof(*sorted), by_own_time);
    return sorted;
}

static bool is_many(const rep_found_t *found)
{
    return res_gathered(&found->databases)->process_count > REP_RANKS_FEW;
}

size_t rep_ranks_choose(const rep_found_t *found, char **paths)
{
    const gather_part_t *all = res_gathered(&found->databases);
    const rocpd_files_t *files = &found->databases.files;
    const gather_work_t *work = all->work.rows;
    size_t count = 0;
    worker_t *sorted = is_many(found) && files->count > 1 ? sort_workers(all, &count) : NULL;
    if (!count) {
        free(sorted);
        memcpy(paths, files->paths, files->count * sizeof(*paths));
        return files->count;
    }
    const size_t slowest = work[sorted[count - 1].process].file;
    const size_t median = work[sorted[(count - 1) / 2].process].file;
    free(sorted);
    paths[0] = files->paths[slowest];
    paths[1] = files->paths[median];
    return slowest == median ? 1 : 2;
}

/* ---- kernels ---- */

typedef struct {
    rep_run_t *run;
    rep_names_t *names;
    rep_found_t *found;
    out_numbers_t places; /* index of kernels plus one, by process and symbol */
    uint32_t *kernels;    /* kernels of the run, by that index */
    out_numbers_t gpus;   /* name plus one, by process */
} job_t;

static uint64_t key_of(const char *guid, uint64_t id)
{
    const uint64_t parts[] = {out_hash(guid), id};
    return out_numbers_key(0, parts, 2);
}

static int read_places(job_t *j)
{
    db_cursor_t c;
    bool room = true;
    db_rows(&c, j->found->databases.db, "SELECT guid, id, place FROM res_symbol", "");
    while (room && db_next(&c))
        room =
            out_numbers_set(&j->places, key_of(db_text(&c, 0), db_uint(&c, 1)), db_uint(&c, 2) + 1);
    if (!room) j->run->failed = true;
    return db_end(&c, "reading kernels");
}

/* Reads the GPU on which each process ran most of its kernels. */
static int read_gpus(job_t *j)
{
    db_cursor_t c;
    db_rows(
        &c, j->found->databases.db,
        "SELECT L.guid, COALESCE(NULLIF(A.product_name, ''), A.name), SUM(L.calls) FROM res_launch "
        "L JOIN rocpd_info_agent A ON A.id = L.agent_id AND A.guid = L.guid GROUP BY L.guid, "
        "L.agent_id ORDER BY 3",
        "");
    while (!j->run->failed && db_next(&c)) {
        const uint32_t name = rep_name(j->names, db_text(&c, 1), &j->run->failed);
        if (!out_numbers_set(&j->gpus, key_of(db_text(&c, 0), 0), name + 1u)) j->run->failed = true;
    }
    return db_end(&c, "reading agents");
}

/* Finds the kernels of all ranks; those that were not read are added to the run. */
static bool find_kernels(job_t *j)
{
    const res_values_t *v = &j->found->values;
    j->kernels = calloc(v->kernel_count + 1, sizeof(*j->kernels));
    for (size_t i = 0; j->kernels && i < v->kernel_count; i++) {
        const rep_kernel_t *k =
            rep_kernel(j->run, rep_name(j->names, v->kernels[i].symbol, &j->run->failed),
                       rep_name(j->names, v->kernels[i].name, &j->run->failed));
        if (!k) return false;
        j->kernels[i] = (uint32_t)(k - j->run->kernels.rows);
    }
    return j->kernels && !j->run->failed;
}

/* Returns the kernel of a symbol of a process; NULL if it is not known. */
static const uint32_t *kernel_of(const job_t *j, const char *guid, int64_t symbol)
{
    const uint64_t place = out_numbers_get(&j->places, key_of(guid, (uint64_t)symbol));
    return place ? &j->kernels[place - 1] : NULL;
}

/* ---- messages ---- */

static int read_talk(job_t *j)
{
    rep_ranks_t *ranks = &j->run->ranks;
    db_cursor_t c;
    db_rows(&c, j->found->databases.db,
            "SELECT sender, receiver, messages, bytes, ranks FROM res_talk", "");
    while (!j->run->failed && db_next(&c)) {
        rep_talk_t *row = REP_NEXT(&ranks->talk);
        if (row)
            *row = (rep_talk_t){db_uint(&c, 0), db_uint(&c, 1), db_uint(&c, 2), db_uint(&c, 3)};
        else
            j->run->failed = true;
        ranks->talk_ranks = db_uint(&c, 4);
    }
    return db_end(&c, "reading messages");
}

/* ---- ranks ---- */

static bool take_bins(const job_t *j, rep_rank_t *r, const gather_work_t *w, const char *guid)
{
    const res_bins_t *b = &w->bins;
    const int64_t *symbols = w->kernels.rows;
    r->shift = b->shift;
    r->bins = b->count;
    r->bin_first =
        res_gather_time(&j->found->databases, w, (int64_t)((uint64_t)b->first << b->shift));
    r->parts = malloc(4 * b->count + 1);
    for (size_t i = 0; r->parts && i < b->count; i++) {
        r->parts[i] = b->rows[i].kernel;
        r->parts[b->count + i] = b->rows[i].copy;
        r->parts[2 * b->count + i] = b->rows[i].waiting;
        r->parts[3 * b->count + i] = b->rows[i].most;
    }
    for (size_t i = 0; i < w->kernels.count; i++) {
        uint32_t *number = REP_NEXT(&r->numbers);
        const uint32_t *kernel = kernel_of(j, guid, symbols[i]);
        if (!number) return false;
        *number = kernel ? *kernel + 1u : 0;
    }
    return r->parts;
}

static bool add_rank(job_t *j, const gather_work_t *w, const char *guid)
{
    const res_run_t *databases = &j->found->databases;
    rep_rank_t *r = REP_NEXT(&j->run->ranks.rows);
    if (!r) return false;
    const uint64_t gpu = out_numbers_get(&j->gpus, key_of(guid, 0));
    *r = (rep_rank_t){
        .rank = w->rank.rank,
        .pid = w->rank.pid,
        .unclosed = w->rank.unclosed,
        .host = rep_name(j->names, w->rank.host, &j->run->failed),
        .gpu = gpu ? (uint32_t)gpu - 1 : 0,
        .file = rep_name(j->names, j->found->databases.files.paths[w->file], &j->run->failed),
        .first = res_gather_time(databases, w, gather_first(w)),
        .last = res_gather_time(databases, w, gather_last(w)),
        .kernel_ns = (uint64_t)w->kernel_ns,
        .copy_ns = (uint64_t)w->copy_ns,
        .busy_ns = (uint64_t)w->busy_ns,
        .wait_ns = (uint64_t)w->wait_ns,
        .dropped = w->rank.dropped};
    for (size_t i = 0; i < j->run->processes.count; i++)
        if (strcmp(j->run->processes.rows[i].guid, guid) == 0) r->shown = true;
    return !has_records(w) || take_bins(j, r, w, guid);
}

/* Adds a launch to the kernels of its rank; the launches of one rank are adjacent. */
static bool add_launch(job_t *j, const gather_launch_t *l)
{
    const char *guid = res_gathered(&j->found->databases)->processes[l->process];
    rep_rank_t *r = &j->run->ranks.rows.rows[l->process];
    const uint32_t *kernel = kernel_of(j, guid, l->kernel);
    size_t i = 0;
    r->launches += l->time.count;
    if (!kernel) return true;
    while (i < r->kernels.count && r->kernels.rows[i].kernel != *kernel)
        i++;
    rep_rank_kernel_t *k = i < r->kernels.count ? &r->kernels.rows[i] : REP_NEXT(&r->kernels);
    if (!k) return false;
    k->kernel = *kernel;
    k->calls += l->time.count;
    k->total += (uint64_t)sum_total(&l->time);
    return true;
}

static bool add_ranks(job_t *j)
{
    const gather_part_t *all = res_gathered(&j->found->databases);
    const gather_work_t *work = all->work.rows;
    const gather_launch_t *launches = all->launches.list.rows;
    const gather_copy_t *copies = all->copies.list.rows;
    bool room = true;
    for (size_t i = 0; room && i < all->work.count; i++)
        room = add_rank(j, &work[i], all->processes[i]);
    for (size_t i = 0; room && i < all->launches.list.count; i++)
        room = add_launch(j, &launches[i]);
    for (size_t i = 0; room && i < all->copies.list.count; i++)
        j->run->ranks.rows.rows[copies[i].process].bytes += (uint64_t)copies[i].bytes;
    return room;
}

/* Lists the ranks of the job without data. */
static bool find_missing(job_t *j)
{
    enum { RANKS_MOST = 1 << 24 };
    rep_ranks_t *ranks = &j->run->ranks;
    const gather_work_t *work = res_gathered(&j->found->databases)->work.rows;
    for (size_t i = 0; i < ranks->rows.count; i++)
        if (work[i].rank.ranks > (int64_t)ranks->size && work[i].rank.ranks <= RANKS_MOST)
            ranks->size = (uint64_t)work[i].rank.ranks;
    char *there = calloc(ranks->size + 1, 1);
    for (size_t i = 0; there && i < ranks->rows.count; i++)
        if (ranks->rows.rows[i].rank >= 0 && ranks->rows.rows[i].rank < (int64_t)ranks->size)
            there[ranks->rows.rows[i].rank] = 1;
    bool room = there;
    for (uint64_t rank = 0; room && rank < ranks->size; rank++) {
        if (there[rank]) continue;
        uint64_t *row = REP_NEXT(&ranks->missing);
        if (row) *row = rank;
        room = row;
    }
    free(there);
    return room;
}

static bool find_absent(job_t *j)
{
    const res_absents_t *a = &j->found->databases.absents;
    for (size_t i = 0; i < a->count; i++) {
        rep_absent_t *row = REP_NEXT(&j->run->ranks.absents);
        if (!row) return false;
        *row = (rep_absent_t){
            .file = rep_name(j->names, a->rows[i].path, &j->run->failed),
            .why = rep_name(j->names, res_absence_words[a->rows[i].why], &j->run->failed)};
    }
    return true;
}

/* ---- sums over all ranks ---- */

static bool add_sum(job_t *j, rep_sums_t which, const char *name, const char *category,
                    const sum_t *time, uint64_t bytes)
{
    rep_run_t *run = j->run;
    const uint64_t parts[] = {which, rep_name(j->names, name, &run->failed),
                              rep_name(j->names, category, &run->failed)};
    const uint64_t key = out_numbers_key(REP_KEY_RANK_SUM, parts, 3);
    const uint64_t found = out_numbers_get(&run->numbers, key);
    rep_sum_t *s = found ? &run->sums[which].rows[found - 1] : REP_NEXT(&run->sums[which]);
    if (!s || (!found && !out_numbers_set(&run->numbers, key, run->sums[which].count)))
        return false;
    s->name = (uint32_t)parts[1];
    s->category = (uint32_t)parts[2];
    sum_merge(&s->time, time);
    s->bytes += bytes;
    return true;
}

static bool sum_up(job_t *j)
{
    const gather_part_t *all = res_gathered(&j->found->databases);
    const gather_launch_t *launches = all->launches.list.rows;
    const gather_call_t *calls = all->calls.list.rows, *ranges = all->ranges.list.rows;
    const gather_copy_t *copies = all->copies.list.rows;
    rep_run_t *run = j->run;
    bool room = true;
    for (size_t i = 0; i < run->kernels.count; i++)
        run->kernels.rows[i].time = (sum_t){0};
    for (int i = 0; i < REP_SUM_COUNT; i++)
        run->sums[i].count = 0;
    run->records = 0;
    for (size_t i = 0; i < all->launches.list.count; i++) {
        const uint32_t *kernel =
            kernel_of(j, all->processes[launches[i].process], launches[i].kernel);
        if (kernel) sum_merge(&run->kernels.rows[*kernel].time, &launches[i].time);
        run->records += launches[i].time.count;
    }
    for (size_t i = 0; room && i < all->calls.list.count; i++) {
        room = !calls[i].plain.count ||
               add_sum(j, REP_SUM_CALLS, calls[i].name, calls[i].category, &calls[i].plain, 0);
        run->records += calls[i].time.count;
    }
    for (size_t i = 0; room && i < all->ranges.list.count; i++)
        room = add_sum(j, REP_SUM_CALLS, ranges[i].name, ranges[i].category, &ranges[i].time, 0);
    for (size_t i = 0; room && i < all->copies.list.count; i++) {
        room = add_sum(j, REP_SUM_COPIES, copies[i].name, "", &copies[i].time,
                       (uint64_t)copies[i].bytes);
        run->records += copies[i].time.count;
    }
    return room;
}

/* ---- all ranks ---- */

static void note_clocks(rep_ranks_t *ranks, const res_run_t *databases)
{
    const gather_part_t *all = res_gathered(databases);
    const gather_work_t *work = all->work.rows;
    trace_clock_source_t worst = TRACE_CLOCK_SAME;
    bool bounded = true;
    for (size_t i = 0; i < all->work.count; i++) {
        const trace_clock_map_t *clock = res_gather_clock(databases, &work[i]);
        if (clock->source > worst) worst = clock->source;
        if (clock->error_ns > ranks->clock_error_ns) ranks->clock_error_ns = clock->error_ns;
        bounded &= trace_clock_bounded(clock);
    }
    if (!bounded) ranks->clock_error_ns = 0;
    ranks->clock = res_clock_words[worst];
}

static bool find_slowest(rep_ranks_t *ranks, const gather_part_t *all)
{
    size_t count;
    worker_t *sorted = sort_workers(all, &count);
    ranks->waits = knows_waits(all);
    ranks->slowest = sorted && count ? sorted[count - 1].process : 0;
    free(sorted);
    return sorted;
}

/* Returns whether at least two ranks of a job are known. */
static bool is_job(const rep_found_t *found)
{
    const gather_part_t *all = res_gathered(&found->databases);
    const gather_work_t *work = all->work.rows;
    size_t known = 0;
    for (size_t i = 0; i < all->work.count; i++)
        known += work[i].rank.rank >= 0 && work[i].rank.ranks > 1;
    return known > 1;
}

int rep_ranks_add(rep_run_t *run, rep_names_t *names, rep_found_t *found)
{
    job_t j = {.run = run, .names = names, .found = found};
    if (!is_many(found) && !is_job(found)) return 0;
    run->ranks.many = is_many(found) && found->databases.files.count > 1;
    note_clocks(&run->ranks, &found->databases);
    int result = read_places(&j) == 0 ? read_gpus(&j) : -1;
    if (result == 0) result = read_talk(&j);
    if (result == 0 &&
        (!find_kernels(&j) || !add_ranks(&j) || !find_missing(&j) || !find_absent(&j) ||
         !find_slowest(&run->ranks, res_gathered(&found->databases)) ||
         (run->ranks.many && !sum_up(&j)) || run->failed)) {
        base_error("out of memory");
        result = -1;
    }
    free(j.places.rows);
    free(j.gpus.rows);
    free(j.kernels);
    return result;
}
