/* values.c - see values.h. Launches are summed first (gather.h), so that the statement of a
 * quantity reads few rows; then kernels, quantities and counters are read; at the end the rows are
 * sorted by kernel. */
#include "results/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/model_time.h"
#include "counters/counters.h"
#include "db/schema.h"
#include "insight/occupancy.h"
#include "model/numbers.h"
#include "model/softgpu.h"
#include "model/sum.h"
#include "results/code.h"
#include "results/gather.h"
#include "results/names.h"
#include "softgpu/instruction_counts.h"

const char *const res_class_names[RES_CLASS_COUNT] = {
#define X(id, name) name,
    RES_CLASSES(X)
#undef X
};

/* SQL that joins launches D of symbols K, which belong to the kernel K.place, on agents A. */
#define LAUNCHES                                                                                   \
    "FROM res_launch D JOIN res_symbol K ON K.id = D.kernel_id AND K.guid = D.guid "               \
    "LEFT JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = D.guid "

/* SQL expression that is the same for all symbols of a kernel, in all processes. Displayed names
 * are not suitable: they may be cut, and then several kernels have the same. */
#define SYMBOL "COALESCE(NULLIF(kernel_name, ''), display_name)"

/* Expressions for the quantities that every dispatch has: the total over a row of launches, the
 * least and the most. Occupancy and the number of dispatches have functions of their own. */
#define EQUAL(expression) expression " * D.calls", expression, expression
static const struct {
    const char *name, *total, *least, *most;
    res_measure_t measure;
} quantities[] = {
    {"vgprs", EQUAL("K.vgprs"), RES_PLAIN},     {"agprs", EQUAL("K.agprs"), RES_PLAIN},
    {"sgprs", EQUAL("K.sgprs"), RES_PLAIN},     {"lds", EQUAL("D.lds"), RES_BYTES},
    {"scratch", EQUAL("D.scratch"), RES_BYTES}, {"workgroup", EQUAL("D.workgroup"), RES_PLAIN},
    {"grid", EQUAL("D.grid"), RES_PLAIN},       {"time", "D.total", "D.least", "D.most", RES_TIME},
};

static int no_memory(void)
{
    base_error("reading results: %s", strerror(ENOMEM));
    return -1;
}

/* ---- rows ---- */

size_t res_kernel_place(const res_values_t *v, const char *name)
{
    size_t k = 0;
    while (k < v->kernel_count && (!name || strcmp(v->kernels[k].name, name) != 0))
        k++;
    return k;
}

static res_value_t *add_value(res_values_t *v, size_t kernel, const char *name)
{
    char *copy = BASE_GROW_BY_ONE(v->rows, v->count) ? strdup(name) : NULL;
    if (!copy) return NULL;
    res_value_t *row = &v->rows[v->count++];
    *row = (res_value_t){.kernel = kernel, .name = copy};
    return row;
}

/* Adds a value for each row of the statement: the kernel's index, number of dispatches, sum, least
 * and most. */
static int add_values(res_run_t *r, res_values_t *v, const char *sql, const char *name,
                      res_class_t class_, res_measure_t measure)
{
    static const char what[] = "reading values";
    int result = 0;
    db_cursor_t c;
    for (db_rows(&c, r->db, sql, ""); db_next(&c);) {
        const size_t kernel = (size_t)db_int(&c, 0);
        if (kernel >= v->kernel_count) continue;
        res_value_t *row = add_value(v, kernel, name);
        if (!row) {
            result = no_memory();
            break;
        }
        row->class_ = class_;
        row->measure = measure;
        row->dispatches = db_uint(&c, 1);
        row->total = db_real(&c, 2);
        row->least = db_real(&c, 3);
        row->most = db_real(&c, 4);
    }
    return db_end(&c, what) == 0 ? result : -1;
}

static int add_quantities(res_run_t *r, res_values_t *v)
{
    int result = add_values(r, v,
                            "SELECT place, COUNT(*), SUM(n), MIN(n), MAX(n) FROM (SELECT "
                            "K.place AS place, SUM(D.calls) AS n " LAUNCHES
                            "GROUP BY K.place, D.guid) GROUP BY place",
                            "dispatches", RES_EXACT, RES_PLAIN);
    for (size_t i = 0; result == 0 && i < sizeof(quantities) / sizeof(*quantities); i++) {
        const char *least = quantities[i].least;
        bool time = quantities[i].measure == RES_TIME;
        char *sql =
            sqlite3_mprintf("SELECT K.place, SUM(D.calls), TOTAL(%s), MIN(%s), MAX(%s) %s "
                            "GROUP BY K.place HAVING COUNT(%s) > 0",
                            quantities[i].total, least, quantities[i].most, LAUNCHES, least);
        result = add_values(r, v, sql, quantities[i].name,
                            !time           ? RES_EXACT
                            : v->model_time ? RES_TIMING_MODEL
                                            : RES_MEASURED,
                            quantities[i].measure);
        sqlite3_free(sql);
    }
    return result;
}

/* Adds each kernel's occupancy; if its dispatches differ, the least and the most. */
static int add_occupancy(res_run_t *r, res_values_t *v)
{
    static const char what[] = "reading registers";
    int result = 0;
    db_cursor_t c;
    db_rows(&c, r->db,
            "SELECT K.place, SUM(D.calls), A.name, K.vgprs, K.agprs, K.sgprs, D.lds, "
            "D.workgroup, K.wave, K.wgp " LAUNCHES "GROUP BY 1, 3, 4, 5, 6, 7, 8, 9, 10 ORDER BY 1",
            "");
    while (db_next(&c)) {
        const size_t kernel = (size_t)db_int(&c, 0);
        const ins_resources_t needs = {.arch_vgprs = db_small(&c, 3),
                                       .accum_vgprs = db_small(&c, 4),
                                       .sgprs = db_small(&c, 5),
                                       .lds_bytes = db_small(&c, 6),
                                       .group_size = db_small(&c, 7)};
        const ins_waves_t waves = {db_small(&c, 8), db_small(&c, 9) == 1};
        const ins_occupancy_t o = ins_occupancy(db_text(&c, 2), waves, &needs);
        if (!o.known) continue;
        const uint64_t dispatches = db_uint(&c, 1);
        res_value_t *row = v->count ? &v->rows[v->count - 1] : NULL;
        if (!row || row->kernel != kernel || strcmp(row->name, "occupancy") != 0) {
            row = add_value(v, kernel, "occupancy");
            if (!row) {
                result = no_memory();
                break;
            }
            row->class_ = RES_EXACT;
            row->least = row->most = o.waves;
        }
        row->dispatches += dispatches;
        row->total += (double)dispatches * o.waves;
        row->least = fmin(row->least, o.waves);
        row->most = fmax(row->most, o.waves);
    }
    return db_end(&c, what) == 0 ? result : -1;
}

/* Reads the single number that a statement returns. */
static int read_number(res_run_t *r, const char *sql, uint64_t *number)
{
    db_cursor_t c;
    db_rows(&c, r->db, sql, "");
    const int64_t value = db_next(&c) ? db_int(&c, 0) : 0;
    *number = value < 0 ? 0 : (uint64_t)value;
    return db_end(&c, "reading facts");
}

/* ---- counters ---- */

/* Returns the definitions that have the class of each of softgpu's counters; NULL if the run was
 * not on softgpu. */
static ctr_catalogue_t *catalogue_of(const res_values_t *v, ctr_definitions_t **definitions)
{
    ctr_catalogue_t *c = NULL;
    *definitions = ctr_definitions_create();
    if (*definitions && ctr_definitions_add_builtin(*definitions) == CTR_OK)
        ctr_catalogue_create(*definitions, v->gpu, CTR_GENERATION_SDK, 1, NULL, NULL, &c, NULL);
    return c;
}

static const char counters[] = "reading counters";

/* Returns the class of a counter. For one that is not built in, it is the weakest class among the
 * counters in its expression, which the database has. */
static res_class_t class_of(res_run_t *r, ctr_catalogue_t *c, const char *name, bool *failed)
{
    const ctr_counter_t *counter = c ? ctr_catalogue_find(c, name, strlen(name)) : NULL;
    if (c && !counter) {
        db_cursor_t rows;
        db_rows(&rows, r->db, "SELECT expression FROM rocpd_info_pmc WHERE name = ?", "t", name);
        const char *text = db_next(&rows) ? db_text(&rows, 0) : "";
        if (*text)
            ctr_catalogue_add(c, name, strlen(name), text, strlen(text), "", 0, &counter, NULL);
        if (db_end(&rows, counters) != 0) *failed = true;
    }
    switch (counter ? counter->value_class : CTR_CLASS_NONE) {
    case CTR_CLASS_EXACT:
    case CTR_CLASS_UNAVAILABLE: return RES_EXACT; /* always 0 */
    case CTR_CLASS_CACHE_MODEL: return RES_CACHE_MODEL;
    default: return RES_TIMING_MODEL;
    }
}

static int classify_counters(res_run_t *r, res_values_t *v, size_t first)
{
    ctr_definitions_t *definitions = NULL;
    ctr_catalogue_t *c = v->software && v->count > first ? catalogue_of(v, &definitions) : NULL;
    bool failed = false;
    for (size_t i = first; v->software && i < v->count; i++) {
        size_t before = first; /* a counter's class is looked up only once */
        while (before < i && strcmp(v->rows[before].name, v->rows[i].name) != 0)
            before++;
        v->rows[i].class_ =
            before < i ? v->rows[before].class_ : class_of(r, c, v->rows[i].name, &failed);
    }
    ctr_catalogue_destroy(c);
    ctr_definitions_destroy(definitions);
    return failed ? -1 : 0;
}

/* The sums of counters by kernel. Rows are found by the name of the counter, in the group of the
 * kernel. */
typedef struct {
    out_numbers_t kernels; /* index plus one, by symbol */
    sums_t names;          /* only the names are used: the number of a row is that of its sum */
    sum_real_t *sums;
    bool failed; /* memory has run out */
} counted_t;

static uint64_t symbol_key(const char *guid, uint64_t id)
{
    const uint64_t parts[] = {out_hash(guid), id};
    return out_numbers_key(0, parts, 2);
}

/* Notes the kernel of each symbol. */
static int read_symbols(res_run_t *r, counted_t *k)
{
    db_cursor_t c;
    db_rows(&c, r->db, "SELECT guid, id, place FROM res_symbol", "");
    while (!k->failed && db_next(&c))
        if (!out_numbers_set(&k->kernels, symbol_key(db_text(&c, 0), db_uint(&c, 1)),
                             db_uint(&c, 2) + 1))
            k->failed = true;
    return db_end(&c, counters);
}

static void add_counted(counted_t *k, size_t kernel, const char *counter, double value)
{
    const size_t before = k->names.count;
    const sum_row_t *row = sums_row_copied(&k->names, (int)kernel, counter);
    if (row && k->names.count > before && !base_grow_by_one(&k->sums, before, sizeof(*k->sums)))
        row = NULL;
    if (row && k->names.count > before) k->sums[before] = (sum_real_t){0};
    if (row) sum_real_add(&k->sums[row - k->names.rows], value);
    if (!row) k->failed = true;
}

/* Adds the values of a file's dispatches. Values with fractions are added in the order of guids and
 * dispatches, so that the sum's last bits do not depend on the order of the files. */
static int take_counters(const db_t *db, void *data)
{
    counted_t *k = data;
    db_cursor_t c;
    /* a dispatch's value is the sum over the counter's instances; older schemas have no samples */
    char *sql = sqlite3_mprintf(
        "SELECT D.guid, D.kernel_id, I.name, TOTAL(P.value) FROM rocpd_kernel_dispatch D JOIN "
        "rocpd_pmc_event P ON P.event_id = D.event_id AND P.guid = D.guid JOIN rocpd_info_pmc I ON "
        "I.id = P.pmc_id AND I.guid = P.guid WHERE %s GROUP BY D.guid, D.id, I.name",
        db_values_of_dispatches(db));
    db_rows(&c, db, sql, "");
    while (!k->failed && db_next(&c)) {
        const uint64_t kernel =
            out_numbers_get(&k->kernels, symbol_key(db_text(&c, 0), db_uint(&c, 1)));
        if (kernel && !db_null(&c, 2))
            add_counted(k, (size_t)kernel - 1, db_text(&c, 2), db_real(&c, 3));
    }
    sqlite3_free(sql);
    return db_end(&c, counters);
}

static int by_kernel_and_counter(const void *left, const void *right)
{
    const res_value_t *a = left, *b = right;
    if (a->kernel != b->kernel) return a->kernel < b->kernel ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool put_counters(res_values_t *v, const counted_t *k)
{
    const size_t first = v->count;
    for (size_t i = 0; i < k->names.count; i++) {
        const sum_row_t *name = &k->names.rows[i];
        const sum_real_t *sum = &k->sums[i];
        if ((size_t)name->group >= v->kernel_count) continue;
        res_value_t *row = add_value(v, (size_t)name->group, name->name);
        if (!row) return false;
        row->class_ = RES_MEASURED;
        row->measure = RES_PLAIN;
        row->counter = true;
        row->dispatches = sum->count;
        row->total = sum->total;
        row->least = sum->least;
        row->most = sum->most;
    }
    if (v->count > first)
        qsort(v->rows + first, v->count - first, sizeof(*v->rows), by_kernel_and_counter);
    return true;
}

static int sum_counters(res_run_t *r, res_values_t *v)
{
    counted_t k = {0};
    int result = read_symbols(r, &k);
    if (result == 0) result = rocpd_each(&r->base, ROCPD_TABLES_BY_GUID, take_counters, &k);
    if (result == 0 && (k.failed || !put_counters(v, &k))) result = no_memory();
    free(k.kernels.rows);
    free(k.sums);
    sums_free(&k.names);
    return result;
}

static int add_counters(res_run_t *r, res_values_t *v)
{
    const size_t first = v->count;
    uint64_t any;
    db_cursor_t c;
    /* values without a description of their counter belong to no kernel's row */
    if (read_number(r, "SELECT EXISTS (SELECT 1 FROM rocpd_info_pmc)", &any) != 0) return -1;
    if (!any) return 0;
    if (sum_counters(r, v) != 0) return -1;
    db_rows(&c, r->db,
            "SELECT DISTINCT name FROM rocpd_info_pmc WHERE description LIKE 'Percent %'", "");
    while (db_next(&c))
        for (size_t i = first; i < v->count; i++)
            if (strcmp(v->rows[i].name, db_text(&c, 0)) == 0) v->rows[i].measure = RES_PERCENT;
    return db_end(&c, counters) == 0 ? classify_counters(r, v, first) : -1;
}

/* ---- counts of instructions ---- */

#define ADD_UP(name, unit, meaning)    ", SUM(I.\"" #name "\") AS \"" #name "\""
#define EXACT_ROW(name, unit, meaning) {#name, unit, true},
#define MODEL_ROW(name, unit, meaning) {#name, unit, false},

/* Adds counts, summed over a kernel's instructions: for each dispatch, or for the mean dispatch if
 * dispatches were not counted separately. Their names are instructions.NAME. */
static int add_instructions(res_run_t *r, res_values_t *v)
{
    static const struct {
        const char *name, *unit;
        bool exact;
    } counts[] = {SOFTGPU_INSTRUCTION_COUNTS(EXACT_ROW) SOFTGPU_INSTRUCTION_MODEL(MODEL_ROW)};
    static const char gather[] =
        "DROP TABLE IF EXISTS temp.res_counted; CREATE TEMP TABLE res_counted AS SELECT "
        "K.place AS kernel, C.dispatches AS dispatches" SOFTGPU_INSTRUCTION_COUNTS(ADD_UP)
            SOFTGPU_INSTRUCTION_MODEL(
                ADD_UP) " FROM crocprof_counted C JOIN crocprof_instruction I "
                        "ON I.guid = C.guid AND I.kernel_id = C.kernel_id AND I.dispatch_id IS "
                        "C.dispatch_id AND "
                        "I.range IS C.range JOIN res_symbol K ON K.id = C.kernel_id "
                        "AND K.guid = "
                        "C.guid WHERE C.dispatches > 0 GROUP BY C.guid, C.kernel_id, "
                        "C.dispatch_id, C.range";
    /* databases of other versions may lack the last of the columns */
    if (!db_has(r->db, "crocprof_instruction", counts[0].name) ||
        !db_has(r->db, "crocprof_instruction", counts[sizeof(counts) / sizeof(*counts) - 1].name))
        return 0;
    int result = read_number(r, "SELECT TOTAL(lost) FROM crocprof_counted", &v->uncounted);
    if (result == 0) result = db_run(r->db, gather, "reading counts of instructions");
    const size_t first = v->count;
    for (size_t i = 0; result == 0 && i < sizeof(counts) / sizeof(*counts); i++) {
        char name[64];
        snprintf(name, sizeof(name), "instructions.%s", counts[i].name);
        char *sql = sqlite3_mprintf(
            "SELECT kernel, SUM(dispatches), SUM(\"%w\"), MIN(\"%w\" * 1.0 / dispatches), "
            "MAX(\"%w\" * 1.0 / dispatches) FROM res_counted GROUP BY kernel HAVING COUNT(\"%w\") "
            "> 0",
            counts[i].name, counts[i].name, counts[i].name, counts[i].name);
        const bool clocks = strcmp(counts[i].unit, "clocks") == 0;
        result = add_values(r, v, sql, name,
                            counts[i].exact ? RES_EXACT
                            : clocks        ? RES_TIMING_MODEL
                                            : RES_CACHE_MODEL,
                            strcmp(counts[i].unit, "bytes") == 0 ? RES_BYTES : RES_PLAIN);
        sqlite3_free(sql);
    }
    for (size_t i = first; i < v->count; i++)
        v->rows[i].counter = true;
    return result;
}

/* ---- kernels and the run ---- */

/* Makes temp.res_kernel, the kernels that were launched, most time first, and temp.res_symbol, the
 * kernel of each symbol. */
static const char symbols[] =
    "DROP TABLE IF EXISTS temp.res_kernel; DROP TABLE IF EXISTS temp.res_symbol; CREATE TEMP TABLE "
    "res_kernel AS SELECT ROW_NUMBER() OVER (ORDER BY total DESC, name, symbol) - 1 AS place, * "
    "FROM (SELECT " SYMBOL " AS symbol, COALESCE(MIN(display_name), MIN(kernel_name)) AS name, "
    "SUM(D.total) AS total FROM res_launch D JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id "
    "AND K.guid = D.guid GROUP BY 1) WHERE symbol IS NOT NULL; "
    "CREATE TEMP TABLE res_symbol AS SELECT K.guid AS guid, K.id AS id, N.place AS place, "
    "arch_vgpr_count AS vgprs, accum_vgpr_count AS agprs, sgpr_count AS sgprs, " DB_KERNEL_WAVES
    "FROM "
    "rocpd_info_kernel_symbol K JOIN res_kernel N ON N.symbol = " SYMBOL "; "
    "CREATE INDEX temp.res_symbol_of ON res_symbol(id, guid)";

static int add_kernel(res_values_t *v, const db_cursor_t *c)
{
    const int64_t total = db_int(c, 2);
    if (!BASE_GROW_BY_ONE(v->kernels, v->kernel_count)) return no_memory();
    res_subject_t *k = &v->kernels[v->kernel_count++];
    *k = (res_subject_t){.name = strdup(db_text(c, 0)),
                         .symbol = strdup(db_text(c, 1)),
                         .total_ns = total < 0 ? 0 : (uint64_t)total};
    return k->name && k->symbol ? 0 : no_memory();
}

static int name_kernels(res_values_t *v)
{
    res_name_t *names = calloc(v->kernel_count + 1, sizeof(*names));
    for (size_t i = 0; names && i < v->kernel_count; i++)
        names[i] = (res_name_t){.symbol = v->kernels[i].symbol, .name = v->kernels[i].name};
    const bool done = names && res_names_apart(names, v->kernel_count);
    for (size_t i = 0; names && i < v->kernel_count; i++) {
        res_subject_t *k = &v->kernels[i];
        k->name = names[i].name;
        k->brief = names[i].brief;
        k->label = k->brief && !names[i].common ? k->brief : k->name;
    }
    free(names);
    return done ? 0 : no_memory();
}

static int read_kernels(res_run_t *r, res_values_t *v)
{
    static const char what[] = "reading kernels";
    double all = 0;
    if (res_gather_launches(r) != 0 || db_run(r->db, symbols, what) != 0) return -1;
    int result = 0;
    db_cursor_t c;
    db_rows(&c, r->db, "SELECT name, symbol, total FROM res_kernel ORDER BY place", "");
    while (result == 0 && db_next(&c))
        result = add_kernel(v, &c);
    if (db_end(&c, what) != 0) result = -1;
    for (size_t i = 0; i < v->kernel_count; i++)
        all += (double)v->kernels[i].total_ns;
    for (size_t i = 0; all > 0 && i < v->kernel_count; i++)
        v->kernels[i].share = (double)v->kernels[i].total_ns / all;
    return result == 0 ? name_kernels(v) : result;
}

static int read_run(res_run_t *r, res_values_t *v)
{
    db_cursor_t c;
    uint64_t software = 0, model = 0;
    const struct {
        const char *sql;
        uint64_t *number;
    } facts[] = {
        {"SELECT COUNT(*) FROM rocpd_info_process WHERE " OUT_SOFT_GPU_SQL("environment"),
         &software},
        {"SELECT COUNT(*) FROM rocpd_info_agent WHERE model_name LIKE '%" BASE_MODEL_TIME "%'",
         &model},
        {"SELECT TOTAL(value) FROM rocpd_metadata WHERE tag = 'records_dropped'", &v->dropped},
        {"SELECT TOTAL(value) FROM rocpd_metadata WHERE tag = 'bytes_damaged'", &v->damaged},
        {"SELECT TOTAL(value) FROM rocpd_metadata WHERE tag = 'names_lost'", &v->names_lost},
    };
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        if (read_number(r, facts[i].sql, facts[i].number) != 0) return -1;
    v->software = software;
    v->model_time = software && model;
    db_rows(&c, r->db,
            "SELECT A.name " LAUNCHES
            "WHERE A.name IS NOT NULL GROUP BY 1 ORDER BY SUM(D.calls) DESC",
            "");
    if (db_next(&c)) snprintf(v->gpu, sizeof(v->gpu), "%s", db_text(&c, 0));
    return db_end(&c, "reading agents");
}

/* Sorts by kernel with a stable sort, so that each kernel's rows keep their order. */
static int sort_rows(res_values_t *v)
{
    res_value_t *sorted = malloc((v->count ? v->count : 1) * sizeof(*sorted));
    size_t at = 0;
    if (!sorted) return no_memory();
    for (size_t i = 0; i < v->count; i++)
        v->kernels[v->rows[i].kernel].count++;
    for (size_t k = 0; k < v->kernel_count; k++) {
        v->kernels[k].first = at;
        at += v->kernels[k].count;
        v->kernels[k].count = 0;
    }
    for (size_t i = 0; i < v->count; i++) {
        res_subject_t *k = &v->kernels[v->rows[i].kernel];
        sorted[k->first + k->count++] = v->rows[i];
    }
    free(v->rows);
    v->rows = sorted;
    return 0;
}

int res_values(res_run_t *r, res_values_t *v)
{
    *v = (res_values_t){0};
    if (read_kernels(r, v) == 0 && read_run(r, v) == 0 && add_quantities(r, v) == 0 &&
        add_occupancy(r, v) == 0 && add_counters(r, v) == 0 && add_instructions(r, v) == 0 &&
        sort_rows(v) == 0)
        return 0;
    res_values_free(v);
    return -1;
}

void res_values_free(res_values_t *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->rows[i].name);
    for (size_t i = 0; i < v->kernel_count; i++) {
        free(v->kernels[i].name);
        free(v->kernels[i].symbol);
        free(v->kernels[i].brief);
    }
    free(v->rows);
    free(v->kernels);
    *v = (res_values_t){0};
}

const res_value_t *res_value_find(const res_values_t *v, size_t kernel, const char *name)
{
    const res_subject_t *k = &v->kernels[kernel];
    for (size_t i = k->first; i < k->first + k->count; i++)
        if (strcmp(v->rows[i].name, name) == 0) return &v->rows[i];
    return NULL;
}

/* ---- texts ---- */

void res_value_missing(const res_values_t *v, const char *name, char *text, size_t room)
{
    ctr_definitions_t *definitions = NULL;
    if (strncmp(name, "instructions.", strlen("instructions.")) == 0) {
        snprintf(text, room, "not collected: --instruction-counts");
        return;
    }
    if (strcmp(name, "occupancy") == 0) {
        snprintf(text, room, "the occupancy of %s is not known%s", *v->gpu ? v->gpu : "this GPU",
                 ins_occupancy_needs_waves(v->gpu) ? ": " INS_NO_WAVES : "");
        return;
    }
    if (*v->unread && res_code_needs_body(name)) {
        snprintf(text, room, "%s", v->unread);
        return;
    }
    ctr_catalogue_t *c = catalogue_of(v, &definitions);
    const char *similar = c ? ctr_catalogue_similar(c, name) : NULL;
    if (c && ctr_catalogue_find(c, name, strlen(name)))
        snprintf(text, room, "not collected: --pmc %s", name);
    else if (similar)
        snprintf(text, room, "no such quantity; did you mean %s?", similar);
    else
        snprintf(text, room, "no such quantity was collected");
    ctr_catalogue_destroy(c);
    ctr_definitions_destroy(definitions);
}

void res_losses_text(const res_values_t *v, char *text, size_t room)
{
    text[0] = 0;
    if (!v->dropped && !v->damaged && !v->names_lost && !v->uncounted) return;
    snprintf(text, room,
             "the run lost %llu records, %llu bytes of records, %llu names and the counts of "
             "instructions of %llu dispatches",
             (unsigned long long)v->dropped, (unsigned long long)v->damaged,
             (unsigned long long)v->names_lost, (unsigned long long)v->uncounted);
}
