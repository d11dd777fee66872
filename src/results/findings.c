/* findings.c - see findings.h. Values are put into temporary tables beside the run's views, so that
 * rules are SQL only; texts are filled in from a rule's rows. */
#include "results/findings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "gpus/gpus.h"
#include "insight/occupancy.h"
#include "insight/sources.h"
#include "results/gather.h"
#include "results/waste.h"

enum { ROWS_MAX = 20 }; /* most findings of one rule */

static int no_memory(void)
{
    base_error("findings: %s", strerror(ENOMEM));
    return -1;
}

/* ---- tables that rules read ---- */

/* Columns that gather.h describes (of res_work and res_call) have their names from there; a time is
 * in ns of the kernels' clock, or of the host's, see `measured` and `modelled` below.
 *
 * f_run, one row:
 *   span_ns: from the first to the last work of the GPU, without what starting up takes
 *   overlap_ns: time with a kernel and a copy at once
 *   launch_ns: what a launch costs the host; NULL: not known
 *   software: the software GPU ran the kernels; model_time: their times are the timing model's
 *   dropped, damaged, names_lost, uncounted: numbers of records, bytes, names, and dispatches
 *     without counts of instructions that are missing
 *
 * f_kernel, one for each kernel; sizes are those of its largest dispatch:
 *   place: the kernel's number, as in res_symbol, for mean_of() and ratio()
 *   label: short form of its name; share: of the run's time, 0 to 1; calls: dispatches
 *   occupancy, waves_max: waves that its needs leave room for, and that the GPU has room for, on a
 *     SIMD; limiter, advice: what limits them, and what to change
 *   workgroup: work-items of a workgroup; groups: workgroups
 *   wave: work-items of its waves; agent_wave: of waves as the agent has them
 *   group_waves: waves of a workgroup; unit_waves: waves that a compute unit has room for
 *   cus, simds, scratch_slots, line_bytes: of the GPU; the last is a line of the vector cache
 *   scratch: the most bytes of scratch memory of a work-item
 *   rounds: workgroups by how many run at once; tail: the share of the rounds, if begun ones count
 *     as whole, in which nothing is left to run
 *
 * f_instruction, one for each counted instruction, with sums over all dispatches; columns that are
 * not here are those of softgpu/instruction_counts.h:
 *   source: the user's line, or the address; text: the instruction
 *   loop_depth; spills: vector registers that the kernel spills
 *   wave: work-items of its waves, if the code says so; else NULL
 *
 * f_code, one for each kernel with counted instructions:
 *   work: a measure of all that it does: instructions, cache lines and clocks of LDS
 *   vector, lanes: vector instructions that were issued, and their active lanes in all
 *
 * f_call, one for each name of calls:
 *   lost_ns: the part of the GPU's gaps that they fill, or their cost by `modelled` */
static const char tables[] =
    "DROP TABLE IF EXISTS temp.f_run; DROP TABLE IF EXISTS temp.f_kernel; "
    "DROP TABLE IF EXISTS temp.f_instruction; DROP TABLE IF EXISTS temp.f_code; "
    "DROP TABLE IF EXISTS temp.f_call; "
    "CREATE TEMP TABLE f_instruction(place, source, text, issued, lanes, lines, lines_needed, "
    "lds_clocks, lds_clocks_needed, atomics, divergent, loop_depth, spills, wave); "
    "CREATE TEMP TABLE f_kernel(place, name, label, share, calls, total_ns, occupancy, waves_max, "
    "limiter, advice, workgroup, groups, wave, group_waves, unit_waves, cus, simds, "
    "scratch_slots, scratch, rounds, tail, line_bytes, agent_wave); "
    "CREATE TEMP TABLE f_run AS SELECT MAX(1, SUM(last - first) - SUM(startup_ns)) AS span_ns, "
    "SUM(kernel_ns) AS kernel_ns, SUM(copy_ns) AS copy_ns, SUM(kernel_ns + copy_ns - busy_ns) AS "
    "overlap_ns, SUM(gaps) AS gaps, SUM(idle_ns) AS idle_ns, SUM(own_ns) AS own_ns, "
    "MAX(own_longest_ns) AS own_longest_ns, SUM(apart_ns) AS apart_ns, SUM(apart) AS apart, "
    "SUM(host_ns) AS host_ns, SUM(load_ns) AS load_ns, SUM(asked_ns) AS asked_ns, NULL AS "
    "launch_ns, 0 AS software, 0 AS "
    "model_time, 0 AS dropped, 0 AS damaged, 0 AS names_lost, 0 AS uncounted FROM res_work; "
    "CREATE TEMP TABLE f_call AS SELECT name, kind, SUM(calls) AS calls, SUM(inside) AS inside, "
    "SUM(time_ns) AS time_ns, MAX(longest_ns) AS longest_ns, SUM(inside_ns) AS inside_ns, "
    "SUM(gap_ns) AS lost_ns FROM res_call GROUP BY name, kind";

/* f_rank, one row for each rank of a job of several:
 *   ranks: of the job, as the launcher said; processes: of the rank, in all its runs
 *   first, last: NULL for a rank without records
 *   unknown: its clock cannot be compared; clock_ns: the error of the comparison
 *   unclosed: it was killed, or left by _exit
 *
 * f_job, one row:
 *   there, active, ranks: ranks with a database, with records, and of the job
 *   ns: from the first record to the last; hosts: nodes
 *   repeated: ranks with more processes than others
 *   damaged, twice, version: databases that were left out for that reason (sieve.h)
 *   unknown, clock_ns: the worst of the ranks
 *
 * f_rank_kernel, one for each rank that has run kernels and each of the 64 kernels that take most
 * time: place, calls, total_ns. f_rank_median, one for each of these kernels: the medians over
 * ranks, of which there are n.
 *
 * Clocks that were compared by times of day whose error is not known
 * are assumed to be right within 20 ms. Several runs of a rank, as with counters, count as one. */
static const char rank_tables[] =
    "DROP TABLE IF EXISTS temp.f_rank; DROP TABLE IF EXISTS temp.f_rank_kernel; DROP TABLE IF "
    "EXISTS temp.f_rank_median; DROP TABLE IF EXISTS temp.f_job; "
    "CREATE TEMP TABLE f_rank AS SELECT rank, MAX(ranks) AS ranks, COUNT(*) AS processes, "
    "MIN(host) AS host, MIN(iif(active, first, NULL)) AS first, MAX(iif(active, last, NULL)) AS "
    "last, MAX(clock = 'unknown') AS unknown, MAX(iif(clock = 'day' AND NOT clock_error_ns, "
    "20000000, clock_error_ns)) AS clock_ns, MAX(unclosed) AS unclosed FROM res_rank WHERE rank >= "
    "0 AND ranks > 1 GROUP BY "
    "rank; "
    "CREATE TEMP TABLE f_job AS SELECT COUNT(*) AS there, COUNT(first) AS active, "
    "COALESCE(MAX(ranks), 0) AS ranks, MAX(1, COALESCE(MAX(last) - MIN(first), 1)) AS ns, "
    "COUNT(DISTINCT host) AS hosts, COUNT(iif(processes > (SELECT MIN(processes) FROM f_rank), 1, "
    "NULL)) AS repeated, 0 AS damaged, 0 AS twice, 0 AS version, MAX(unknown) AS unknown, "
    "MAX(clock_ns) AS clock_ns FROM f_rank; "
    "CREATE TEMP TABLE f_rank_kernel AS WITH own AS MATERIALIZED (SELECT R.rank, K.place, "
    "SUM(D.calls) AS calls, SUM(D.total) AS total_ns FROM res_launch D JOIN res_symbol K ON K.id "
    "= D.kernel_id AND K.guid = D.guid JOIN res_rank R ON R.guid = D.guid WHERE R.rank >= 0 AND "
    "R.ranks > 1 AND K.place < 64 GROUP BY 1, 2) SELECT G.rank AS rank, P.place AS place, "
    "COALESCE(O.calls, 0) AS calls, COALESCE(O.total_ns, 0) AS total_ns FROM (SELECT DISTINCT "
    "rank FROM own) G CROSS JOIN (SELECT DISTINCT place FROM own) P LEFT JOIN own O ON O.rank = "
    "G.rank AND O.place = P.place; "
    "CREATE TEMP TABLE f_rank_median AS SELECT place, n, MAX(iif(by_time = (n + 1) / 2, total_ns, "
    "0)) AS total_ns, MAX(iif(by_calls = (n + 1) / 2, calls, 0)) AS calls FROM (SELECT place, "
    "total_ns, calls, ROW_NUMBER() OVER (PARTITION BY place ORDER BY total_ns) AS by_time, "
    "ROW_NUMBER() OVER (PARTITION BY place ORDER BY calls) AS by_calls, COUNT(*) OVER (PARTITION "
    "BY place) AS n FROM f_rank_kernel) GROUP BY place";

/* If times of kernels are on the host's clock, or on a real GPU's converted to it, everything is
 * measured: the cost of a call is the part of the GPU's gaps that it fills. */
static const char measured[] =
    "UPDATE f_run SET launch_ns = (SELECT (SUM(time_ns) - MAX(longest_ns)) * 1.0 / (SUM(calls) - "
    "1) FROM f_call WHERE kind = 'launch' HAVING SUM(calls) > 1)";

/* If times of kernels are on the model's clock, they cannot be compared with times that the host
 * has measured. Then calls and copies have the cost that they have on a host with an MI200 on PCIe
 * 4.0 x16: round figures from published measurements of HIP, the same for every run. The run's time
 * is the sum of the times of kernels, copies and calls. */
static const char modelled[] =
    "UPDATE f_run SET launch_ns = 5000, overlap_ns = 0, gaps = 0, idle_ns = 0, own_ns = 0, "
    "own_longest_ns = 0, kernel_ns = (SELECT TOTAL(total) FROM res_launch), copy_ns = (SELECT "
    "TOTAL(bytes) / 25.0 FROM res_copy); "
    "UPDATE f_call SET lost_ns = CASE kind WHEN 'launch' THEN calls * 5000.0 * ((SELECT kernel_ns "
    "FROM f_run) < 10000.0 * calls) WHEN 'sync' THEN calls * 10000.0 WHEN 'alloc' THEN inside * "
    "30000.0 WHEN 'copy' THEN inside * 10000.0 ELSE 0 END; "
    "UPDATE f_run SET span_ns = MAX(1, kernel_ns + copy_ns + (SELECT TOTAL(lost_ns) FROM f_call))";

/* Converts the kernels' shares, which so far are of the time of all kernels, to shares of the run's
 * time. */
static const char shares[] =
    "UPDATE f_kernel SET share = share * (SELECT MIN(1.0, kernel_ns * 1.0 / span_ns) FROM f_run); "
    "CREATE TEMP TABLE f_code AS SELECT place, SUM(issued + lines + lds_clocks) AS work, "
    "TOTAL(iif(text LIKE 'v\\_%' ESCAPE '\\', issued, 0)) AS vector, TOTAL(iif(text LIKE 'v\\_%' "
    "ESCAPE '\\', lanes, 0)) AS lanes, MAX(wave) AS wave FROM f_instruction GROUP BY place";

/* Work-items of a wave if neither the database has the number for its agent, as AMD's older ones do
 * not, nor the table of GPUs. */
enum { RES_WAVE = 64 };

/* Sizes of a kernel's largest dispatch, and of the GPU that ran it. */
typedef struct {
    double cus, simds, scratch_slots, wave, workgroup, grid;
    ins_resources_t needs;
    ins_waves_t waves; /* as the kernel was compiled */
    char gpu[64];
} shape_t;

/* Work-items of a wave that the agent says, or else what its GPU has unless told otherwise. */
static double agent_wave_of(const shape_t *shape)
{
    const gpus_arch_t *arch = gpus_find(shape->gpu);
    if (shape->wave > 0) return shape->wave;
    return arch ? arch->wave : RES_WAVE;
}

/* Work-items of the kernel's waves: as it was compiled, or else as its agent has them. */
static double wave_of(const shape_t *shape, const ins_occupancy_t *o)
{
    return o->known && shape->waves.items ? shape->waves.items : agent_wave_of(shape);
}

static void put_kernel(const res_values_t *v, size_t kernel, const shape_t *shape, db_cursor_t *to)
{
    const res_subject_t *k = &v->kernels[kernel];
    const res_value_t *dispatches = res_value_find(v, kernel, "dispatches");
    const res_value_t *scratch = res_value_find(v, kernel, "scratch");
    char limiter[128] = "", advice[160] = "";
    const ins_occupancy_t o = ins_occupancy(shape->gpu, shape->waves, &shape->needs);
    if (o.known) {
        ins_occupancy_limiter(shape->gpu, &o, limiter, sizeof(limiter));
        ins_occupancy_advice(&o, advice, sizeof(advice));
    }
    const double group = fmax(shape->workgroup, 1), groups = ceil(shape->grid / group);
    const gpus_arch_t *arch = gpus_find(shape->gpu);
    const double wave = wave_of(shape, &o);
    /* compute units of what places a workgroup, which may be a pair of them */
    const double unit_cus = arch && shape->waves.whole_wgp ? arch->cus : 1;
    const double at_once = o.known && o.group_waves ? floor((double)o.unit_waves / o.group_waves) *
                                                          floor(shape->cus / unit_cus)
                                                    : 0;
    const double rounds = at_once > 0 ? groups / at_once : 0;
    db_again(to, "ittrrrrrttrrrrrrrrrrrrr", (int64_t)kernel, k->name, k->label, k->share,
             (double)(dispatches ? dispatches->total : 0), (double)k->total_ns, (double)o.waves,
             (double)o.waves_max, limiter, advice, shape->workgroup, groups, wave,
             ceil(group / wave), floor(o.unit_waves / unit_cus), shape->cus, shape->simds,
             shape->scratch_slots, (double)(scratch ? scratch->most : 0), rounds,
             rounds > 0 ? 1 - rounds / ceil(rounds) : 0.0, (double)(arch ? arch->vector_line : 0),
             agent_wave_of(shape));
    db_next(to);
}

/* Fills in f_kernel, with the sizes of the kernel's largest dispatch. */
static int put_kernels(res_run_t *r, const res_values_t *v, db_cursor_t *to)
{
    db_cursor_t c;
    /* columns beside a MAX are those of its row */
    db_rows(&c, r->db,
            "SELECT K.place, MAX(D.grid), D.workgroup, K.vgprs, K.agprs, K.sgprs, D.lds, A.name, "
            "iif(json_valid(A.extdata), json_extract(A.extdata, '$.cu_count'), 0), "
            "iif(json_valid(A.extdata), json_extract(A.extdata, '$.simd_count'), 0), "
            "iif(json_valid(A.extdata), json_extract(A.extdata, '$.max_slots_scratch_cu'), 0), "
            "iif(json_valid(A.extdata), json_extract(A.extdata, '$.wave_front_size'), 0), "
            "K.wave, K.wgp FROM res_launch D JOIN res_symbol K ON K.id = D.kernel_id AND K.guid = "
            "D.guid "
            "LEFT JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = D.guid GROUP BY "
            "K.place",
            "");
    while (db_next(&c)) {
        shape_t shape = {.grid = db_real(&c, 1),
                         .workgroup = db_real(&c, 2),
                         .needs = {.arch_vgprs = db_small(&c, 3),
                                   .accum_vgprs = db_small(&c, 4),
                                   .sgprs = db_small(&c, 5),
                                   .lds_bytes = db_small(&c, 6),
                                   .group_size = db_small(&c, 2)},
                         .cus = db_real(&c, 8),
                         .simds = db_real(&c, 9),
                         .scratch_slots = db_real(&c, 10),
                         .wave = db_real(&c, 11),
                         .waves = {db_small(&c, 12), db_small(&c, 13) == 1}};
        snprintf(shape.gpu, sizeof(shape.gpu), "%s", db_text(&c, 7));
        put_kernel(v, (size_t)db_int(&c, 0), &shape, to);
    }
    return db_end(&c, "reading kernels");
}

static int put_run(res_run_t *r, const res_values_t *v)
{
    return db_runf(r->db, "findings",
                   "UPDATE f_run SET software = %d, model_time = %d, dropped = %llu, damaged = "
                   "%llu, names_lost = %llu, uncounted = %llu",
                   v->software, v->model_time, v->dropped, v->damaged, v->names_lost, v->uncounted);
}

/* The last part of a file's path, and its line. */
#define SOURCE_LINE(file, line)                                                                    \
    "substr(" file ", length(rtrim(" file ", replace(" file ", '/', ''))) + 1) || ':' || " line

/* Among the places into which an instruction's function was inlined, the innermost (ASC) or
 * outermost (DESC) one that is the user's. */
#define CALL      "iif(J.type = 'object', J.value, '{}')"
#define CALL_FILE "(" CALL " ->> '$.file')"
#define CALL_LINE "CAST(" CALL " ->> '$.line' AS INTEGER)"
#define USERS_CALL(order)                                                                          \
    "(SELECT " SOURCE_LINE(CALL_FILE, CALL_LINE) " FROM json_each(" CALLS ") J WHERE " CALL_LINE   \
                                                 " > 0 AND NOT is_header(" CALL_FILE               \
                                                 ") ORDER BY J.key " order " LIMIT 1)"
#define CALLS    "iif(json_valid(I.inlined), I.inlined, '[]')"
#define OWN_LINE SOURCE_LINE("I.file", "I.line")

/* The user's line, and the innermost line of the user's in the functions that were inlined there.
 * Databases of older versions have no user's line, and still older ones no inlined functions. */
static const char *const user_line[] = {
    OWN_LINE, "COALESCE(" USERS_CALL("DESC") ", " OWN_LINE ")",
    "COALESCE(" SOURCE_LINE("I.user_file", "I.user_line") ", " USERS_CALL("DESC") ", " OWN_LINE
                                                                                  ")"};
static const char *const inner_line[] = {
    "NULL", "COALESCE(iif(is_header(I.file), NULL, " OWN_LINE "), " USERS_CALL("ASC") ")",
    "COALESCE(iif(is_header(I.file) AND I.file <> I.user_file, NULL, " OWN_LINE
    "), " USERS_CALL("ASC") ")"};

/* Fills in f_instruction, with counts over all dispatches, and source lines if they are known.
 * Databases of other versions may lack the facts about kernels' code. */
static int put_instructions(res_run_t *r)
{
    const bool code = db_holds(r->db, DB_CODE_FACTS);
    const bool waves = db_holds(r->db, DB_WAVE_ITEMS);
    const bool inlined = db_holds(r->db, DB_INLINED);
    const bool user = inlined && db_holds(r->db, DB_USER_LINES);
    return db_runf(
        r->db, "findings",
        "INSERT INTO f_instruction WITH placed AS (SELECT I.*, %s AS users, %s AS inside FROM "
        "crocprof_instruction I) SELECT K.place, COALESCE(users || iif(inside <> users, "
        "' (inlined from ' || inside || ')', ''), printf('0x%%x', I.address)), I.text, "
        "SUM(I.issued), SUM(I.lanes), SUM(I.lines), SUM(I.lines_needed), SUM(I.lds_clocks), "
        "SUM(I.lds_clocks_needed), SUM(I.atomics), SUM(I.divergent), I.loop_depth, %s, %s FROM "
        "placed I JOIN res_symbol K ON K.id = I.kernel_id AND K.guid = I.guid %s "
        "GROUP BY K.place, I.code_object_id, I.address",
        user_line[inlined + user], inner_line[inlined + user], code ? "MAX(C.vgpr_spills)" : "0",
        waves ? "MAX(iif(C.wave_items IN (32, 64), C.wave_items, NULL))" : "NULL",
        code || waves
            ? "LEFT JOIN crocprof_kernel_code C ON C.kernel_id = I.kernel_id AND C.guid = I.guid"
            : "");
}

static int put_ranks(res_run_t *r)
{
    unsigned absent[RES_ABSENT_COUNT] = {0};
    for (size_t i = 0; i < r->absents.count; i++)
        absent[r->absents.rows[i].why]++;
    if (db_run(r->db, rank_tables, "findings") != 0) return -1;
    return db_runf(r->db, "findings", "UPDATE f_job SET damaged = %u, twice = %u, version = %u",
                   absent[RES_ABSENT_DAMAGED], absent[RES_ABSENT_TWICE],
                   absent[RES_ABSENT_VERSION]);
}

static int fill_tables(res_run_t *r, const res_values_t *v)
{
    if (res_gather_calls(r, v->model_time) != 0 || db_run(r->db, tables, "findings") != 0 ||
        put_run(r, v) != 0 || put_ranks(r) != 0 || res_finding_waits(r) != 0 ||
        db_run(r->db, v->model_time ? modelled : measured, "findings") != 0)
        return -1;
    db_cursor_t kernel;
    db_rows(&kernel, r->db,
            "INSERT INTO f_kernel VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", "");
    int result = put_kernels(r, v, &kernel);
    if (db_end(&kernel, "findings") != 0) result = -1;
    if (result == 0 && db_holds(r->db, DB_LINES_NEEDED)) result = put_instructions(r);
    return result == 0 ? db_run(r->db, shares, "findings") : result;
}

/* The mean of a block's counter, which may have been collected by itself or as the metric that sums
 * it up over instances. Returns false if it was not collected. */
static bool counter_mean(const res_values_t *v, size_t k, const char *name, double *mean)
{
    char sum[128];
    const res_value_t *value = res_value_find(v, k, name);
    snprintf(sum, sizeof(sum), "%s_sum", name);
    if (!value) value = res_value_find(v, k, sum);
    if (!value || !value->dispatches) return false;
    *mean = value->total / (double)value->dispatches;
    return true;
}

/* SQL function mean_of(place, 'NAME'): the mean over dispatches; NULL if the counter was not
 * collected. */
static void mean_of(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    double mean;
    (void)count;
    if (counter_mean(sqlite3_user_data(context), (size_t)sqlite3_value_int64(arguments[0]),
                     (const char *)sqlite3_value_text(arguments[1]), &mean))
        sqlite3_result_double(context, mean);
}

/* SQL function ratio(place, 'PART', 'WHOLE'): the ratio of both means per dispatch, since the two
 * may have been counted in different runs of the program. */
static void ratio(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const res_values_t *v = sqlite3_user_data(context);
    const size_t k = (size_t)sqlite3_value_int64(arguments[0]);
    double mean[2];
    (void)count;
    for (int i = 0; i < 2; i++)
        if (!counter_mean(v, k, (const char *)sqlite3_value_text(arguments[1 + i]), &mean[i]))
            return;
    if (mean[1] > 0) sqlite3_result_double(context, mean[0] / mean[1]);
}

static void is_header(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *path = (const char *)sqlite3_value_text(arguments[0]);
    (void)count;
    sqlite3_result_int(context, path && ins_source_is_header(path));
}

/* The functions of waste.h as SQL functions; NULL counts as 0. */
static void wasted_lines(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    sqlite3_result_int64(
        context, (sqlite3_int64)res_waste_lines((uint64_t)sqlite3_value_int64(arguments[0]),
                                                (uint64_t)sqlite3_value_int64(arguments[1]),
                                                (uint64_t)sqlite3_value_int64(arguments[2])));
}

static void wasted_clocks(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    sqlite3_result_int64(
        context, (sqlite3_int64)res_waste_clocks((uint64_t)sqlite3_value_int64(arguments[0]),
                                                 (uint64_t)sqlite3_value_int64(arguments[1])));
}

static void spilled_in_loop(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *text = (const char *)sqlite3_value_text(arguments[2]);
    (void)count;
    sqlite3_result_int(context,
                       text && res_waste_spill((uint64_t)sqlite3_value_int64(arguments[0]),
                                               (uint64_t)sqlite3_value_int64(arguments[1]), text));
}

/* ---- texts ---- */

static const struct {
    const char *end;
    res_measure_t measure;
} ends[] = {{"_ns", RES_TIME}, {"_bytes", RES_BYTES}, {"_pct", RES_PERCENT}};

static size_t end_of(const char *name, res_measure_t *measure)
{
    *measure = RES_PLAIN;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        if (!base_ends_with(name, ends[i].end)) continue;
        *measure = ends[i].measure;
        return strlen(ends[i].end);
    }
    return 0;
}

static int take_evidence(res_finding_t *f, const db_cursor_t *c, int column)
{
    const char *name = sqlite3_column_name(c->s, column);
    if (!BASE_GROW_BY_ONE(f->evidence, f->evidence_count)) return no_memory();
    res_evidence_t *row = &f->evidence[f->evidence_count];
    *row = (res_evidence_t){.value = db_real(c, column)};
    const size_t end = end_of(name, &row->measure);
    if (sqlite3_column_type(c->s, column) == SQLITE_TEXT) row->text = strdup(db_text(c, column));
    row->name = strndup(name, strlen(name) - end);
    f->evidence_count++;
    return row->name ? 0 : no_memory();
}

static const res_evidence_t *find_evidence(const res_finding_t *f, const char *name, size_t length)
{
    for (size_t i = 0; i < f->evidence_count; i++)
        if (strlen(f->evidence[i].name) == length &&
            strncmp(f->evidence[i].name, name, length) == 0)
            return &f->evidence[i];
    return NULL;
}

/* Writes a number in its unit; percentages have one decimal. */
static const char *shown(const res_evidence_t *e, char text[RES_SHOWN_BYTES])
{
    double value = e->value;
    if (e->measure == RES_PERCENT || fabs(value) < 100) value = round(value * 10) / 10;
    return e->text ? e->text : res_shown(value, e->measure, text);
}

/* Fills in a placeholder: "calls" becomes the number, "calls:call:calls" the number and its noun,
 * singular or plural. */
static void fill_in_place(FILE *to, const res_finding_t *f, const char *place, size_t length)
{
    const char *end = place + length, *one = memchr(place, ':', length);
    const char *many = one ? memchr(one + 1, ':', (size_t)(end - one - 1)) : NULL;
    const res_evidence_t *e = find_evidence(f, place, (size_t)((one ? one : end) - place));
    char text[RES_SHOWN_BYTES];
    if (!e) return;
    const char *number = shown(e, text);
    fputs(number, to);
    if (!many) return;
    const bool single = strcmp(number, "1") == 0;
    fprintf(to, " %.*s", single ? (int)(many - one - 1) : (int)(end - many - 1),
            (single ? one : many) + 1);
}

static char *fill_in(const res_finding_t *f, const char *form)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    while (*form) {
        const size_t plain = strcspn(form, "{"),
                     name = form[plain] ? strcspn(form + plain, "}") : 0;
        fwrite(form, 1, plain, to);
        form += plain;
        if (!name) break;
        if (name == sizeof("subject") && strncmp(form + 1, "subject", name - 1) == 0) {
            fputs(f->subject, to);
        } else {
            fill_in_place(to, f, form + 1, name - 1);
        }
        form += name + 1;
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* ---- rules ---- */

static res_class_t class_of(const res_rule_row_t *rule, const res_values_t *v)
{
    if (rule->counted && !v->software) return RES_MEASURED;
    if (rule->class_ == RES_MEASURED && v->model_time && !rule->host_clock) return RES_TIMING_MODEL;
    return rule->class_;
}

static int take_row(res_findings_t *list, const res_values_t *v, const res_rule_row_t *rule,
                    const db_cursor_t *c)
{
    if (!BASE_GROW_BY_ONE(list->rows, list->count)) return no_memory();
    res_finding_t *f = &list->rows[list->count++];
    const double weight = db_real(c, 1);
    *f = (res_finding_t){.rule = rule->rule,
                         .title = rule->title,
                         .advice = rule->advice,
                         .check = rule->check,
                         .class_ = class_of(rule, v),
                         .subject = strdup(db_text(c, 0)),
                         .weight = weight < 0 || isnan(weight) ? 0 : weight};
    if (!f->subject) return no_memory();
    for (int i = 2; i < sqlite3_column_count(c->s); i++) {
        if (strcmp(sqlite3_column_name(c->s, i), "kernel") == 0) {
            f->kernel = strdup(db_text(c, i));
            continue;
        }
        if (!db_null(c, i) && take_evidence(f, c, i) != 0) return -1;
    }
    f->text = fill_in(f, rule->text);
    return f->text ? 0 : no_memory();
}

static int apply(res_run_t *r, const res_values_t *v, const res_rule_row_t *rule,
                 res_findings_t *list)
{
    int result = 0;
    db_cursor_t c;
    db_rows(&c, r->db, rule->sql, "");
    for (int rows = 0; rows < ROWS_MAX && result == 0 && db_next(&c); rows++)
        result = take_row(list, v, rule, &c);
    return db_end(&c, rule->rule) == 0 ? result : -1;
}

/* Makes the SQL functions; without values it removes them, since they must not be called after the
 * values have been freed. */
static int set_functions(const db_t *db, const res_values_t *v)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } rows[] = {{"mean_of", 2, mean_of},
                {"ratio", 3, ratio},
                {"is_header", 1, is_header},
                {"wasted_lines", 3, wasted_lines},
                {"wasted_clocks", 2, wasted_clocks},
                {"spilled_in_loop", 3, spilled_in_loop}};
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && status == SQLITE_OK; i++)
        status = sqlite3_create_function(db->handle, rows[i].name, rows[i].arguments,
                                         SQLITE_UTF8 | SQLITE_INNOCUOUS, (void *)v,
                                         v ? rows[i].function : NULL, NULL, NULL);
    return status == SQLITE_OK ? 0 : no_memory();
}

int res_findings(res_run_t *r, const res_values_t *v, res_findings_t *f)
{
    *f = (res_findings_t){0};
    int result = set_functions(r->db, v);
    if (result == 0) result = fill_tables(r, v);
    for (const res_rule_row_t *rule = res_finding_rules; result == 0 && rule->rule; rule++)
        result = apply(r, v, rule, f);
    set_functions(r->db, NULL);
    if (result == 0 && !res_findings_group(f)) result = no_memory();
    for (size_t i = 0; result == 0 && i < f->count; i++)
        result = res_finding_set_more(r, &f->rows[i]);
    if (result != 0) res_findings_free(f);
    return result;
}

void res_finding_free(res_finding_t *row)
{
    for (size_t j = 0; j < row->evidence_count; j++) {
        free(row->evidence[j].name);
        free(row->evidence[j].text);
    }
    for (size_t j = 0; j < row->also_count; j++)
        res_finding_free(&row->also[j]);
    for (size_t j = 0; j < row->beneath_count; j++)
        res_finding_free(&row->beneath[j]);
    free(row->evidence);
    free(row->also);
    free(row->beneath);
    free(row->subject);
    free(row->kernel);
    free(row->text);
    free(row->more);
}

void res_findings_free(res_findings_t *f)
{
    for (size_t i = 0; i < f->count; i++)
        res_finding_free(&f->rows[i]);
    free(f->rows);
    *f = (res_findings_t){0};
}
