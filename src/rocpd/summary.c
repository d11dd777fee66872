/* summary.c - rocpd summary: where the time went, by name.
 *
 * There is a summary for every view of things that take time, one for each kind of API calls, and
 * one for markers. One file after another, each view is read once, record by record, into sums by
 * process and name; the tables are made of these sums, whose rows stand in temp.summary_rows to be
 * shown. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/log.h"
#include "model/sum.h"
#include "rocpd/commands.h"
#include "trace/names.h"

/* kernel_name(symbol, form) */
static void name_kernel(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *symbol = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    char *name =
        symbol ? trace_kernel_name(symbol, (trace_names_t)sqlite3_value_int(values[1])) : NULL;
    sqlite3_result_text(context, name ? name : symbol, -1, SQLITE_TRANSIENT);
    free(name);
}

/* Changes the case of ASCII letters only, whatever the locale. */
static void set_case(char *text, bool upper)
{
    char first = upper ? 'a' : 'A', last = upper ? 'z' : 'Z';
    for (; *text; text++)
        if (*text >= first && *text <= last) *text ^= 'a' ^ 'A';
}

/* ---- sums ---- */

typedef struct {
    char *name, *sql;             /* sql: of sqlite3_mprintf() */
    sums_t by_process, processes; /* as read_records() makes them */
} summary_t;

typedef struct {
    const db_t *db; /* all files */
    const rocpd_options_t *options;
    summary_t *summaries;
    size_t count;
    sums_t categories; /* of calls; of these only the names are used */
    sums_t domains;    /* the whole of each summary */
} work_t;

static int no_memory(void)
{
    base_error("summing up records: %s", strerror(ENOMEM));
    return -1;
}

/* Sums up the rows of the statement: name, duration, pid and guid. Processes become rows that have
 * the guid as name and the pid as group. Each process has two groups of names: in the second there
 * is only NULL, which is not the name "". */
static int read_records(const db_t *db, const char *from, sums_t *sums, sums_t *processes)
{
    db_cursor_t c;
    int result = 0;
    for (db_rows(&c, db, from, ""); result == 0 && db_next(&c);) {
        if (db_null(&c, 1)) continue; /* no schema has records without times */
        const sum_row_t *p = sums_row_copied(processes, (int)db_int(&c, 2), db_text(&c, 3));
        const int group = p ? 2 * (int)(p - processes->rows) + db_null(&c, 0) : 0;
        sum_row_t *row = p ? sums_row_copied(sums, group, db_text(&c, 0)) : NULL;
        if (row)
            sum_add(&row->sum, db_int(&c, 1));
        else
            result = no_memory();
    }
    return db_end(&c, "summing up records") == 0 ? result : -1;
}

/* Adds up the processes' sums of each name. */
static int join_processes(sums_t *all, const sums_t *sums)
{
    for (size_t i = 0; i < sums->count; i++) {
        const sum_row_t *row = &sums->rows[i];
        if (sums_merge(all, row->group % 2, row->name, &row->sum) != 0) return no_memory();
    }
    return 0;
}

/* ---- tables ---- */

static const char table[] =
    "DROP TABLE IF EXISTS temp.summary_rows; CREATE TEMP TABLE summary_rows(guid, pid, \"Name\", "
    "\"Calls\", \"DURATION (nsec)\", \"AVERAGE (nsec)\", \"PERCENT (INC)\", \"MIN (nsec)\", "
    "\"MAX (nsec)\", \"STD_DEV\")";

#define COLUMNS                                                                                    \
    "\"Name\", \"Calls\", \"DURATION (nsec)\", \"AVERAGE (nsec)\", \"PERCENT (INC)\", "            \
    "\"MIN (nsec)\", \"MAX (nsec)\", \"STD_DEV\" FROM summary_rows S "

static const char by_name[] = "SELECT " COLUMNS "ORDER BY S.rowid";
static const char by_rank[] =
    "SELECT S.pid AS \"ProcessID\", P.hostname AS \"Hostname\", " COLUMNS "JOIN processes P ON "
    "P.guid = S.guid AND P.pid = S.pid ORDER BY S.pid, S.rowid";

/* Fills the table with the sums, sorted; their groups are those of the processes, if there are
 * any. */
static int put_rows(const db_t *db, sums_t *sums, const sums_t *processes)
{
    const sum_t whole = sums_whole(sums);
    db_cursor_t c;
    sums_sort(sums);
    if (db_run(db, table, "summary") != 0) return -1;
    db_rows(&c, db, "INSERT INTO summary_rows VALUES (?,?,?,?,?,?,iif(?,?,NULL),?,?,?)", "");
    for (size_t i = 0; i < sums->count; i++) {
        const sum_row_t *row = &sums->rows[i];
        const sum_t *s = &row->sum;
        const sum_row_t *p = processes ? &processes->rows[row->group / 2] : NULL;
        db_again(&c, "titiiririir", p ? p->name : NULL, (int64_t)(p ? p->group : 0),
                 row->group % 2 ? NULL : row->name, s->count, sum_total(s), sum_mean(s),
                 (int64_t)(whole.total != 0), sum_percent(s, &whole), s->least, s->most,
                 sum_deviation(s));
        db_next(&c);
    }
    return db_end(&c, "summary");
}

/* Shows sums; those of processes have the end _summary_by_rank. */
static int show(const work_t *w, sums_t *sums, const sums_t *processes, const char *summary,
                const char *end)
{
    char title[256], suffix[256];
    if (put_rows(w->db, sums, processes) != 0) return -1;
    snprintf(suffix, sizeof(suffix), "_%s%s", summary, end);
    snprintf(title, sizeof(title), "%s%s", summary, end);
    set_case(title, true);
    return rocpd_show(w->db, w->options, processes ? by_rank : by_name, title, suffix) < 0 ? -1 : 0;
}

static int add_domain(work_t *w, const char *summary, const sum_t *whole)
{
    char name[64];
    if (!whole->count) return 0;
    snprintf(name, sizeof(name), "%s", summary);
    set_case(name, true);
    sum_row_t *row = sums_row_copied(&w->domains, 0, name);
    if (!row) return no_memory();
    sum_merge(&row->sum, whole);
    return 0;
}

/* Shows a summary of the sums. */
static int summarise(work_t *w, summary_t *s)
{
    sums_t all = {0};
    int result = join_processes(&all, &s->by_process);
    const sum_t whole = sums_whole(&all);
    if (result == 0) result = add_domain(w, s->name, &whole);
    if (result == 0) result = show(w, &all, NULL, s->name, "");
    if (result == 0 && rocpd_given(w->options, ROCPD_BY_RANK))
        result = show(w, &s->by_process, &s->processes, s->name, "_summary_by_rank");
    sums_free(&all);
    return result;
}

/* ---- what is summed up ---- */

/* The statement for kernels, with the form of their names that the options ask for. */
static char *kernel_source(const rocpd_options_t *o)
{
    const char *name = rocpd_given(o, ROCPD_MANGLED)    ? "S.kernel_name"
                       : rocpd_given(o, ROCPD_TRUNCATE) ? "kernel_name(S.kernel_name, 2)"
                                                        : "K.name";
    const char *rename =
        rocpd_given(o, ROCPD_KERNEL_RENAME) ? "COALESCE(NULLIF(K.region, ''), %s)" : "%s";
    char chosen[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(chosen, sizeof(chosen), rename, name);
#pragma GCC diagnostic pop
    return sqlite3_mprintf(
        "SELECT %s AS name, K.duration AS duration, K.pid AS pid, K.guid AS guid "
        "FROM kernels K JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND "
        "S.guid = K.guid",
        chosen);
}

static bool is_one_of(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words)) return true;
    return false;
}

/* Adds a summary of the rows of the statement, which then belongs to it; NULL: memory has run out.
 */
static int add_summary(work_t *w, const char *name, char *sql)
{
    const bool room = sql && BASE_GROW_BY_ONE(w->summaries, w->count);
    char *copy = room ? strdup(name) : NULL;
    if (copy) {
        w->summaries[w->count++] = (summary_t){.name = copy, .sql = sql};
        return 0;
    }
    sqlite3_free(sql);
    return no_memory();
}

/* Adds summaries of the views with a duration, except those that the summaries of regions cover. */
static int add_views(work_t *w)
{
    static const char *const others[] = {"rocpd", "region", "counter", "pmc", "summary_", NULL};
    int result = 0;
    db_cursor_t c;
    db_rows(&c, w->db,
            "SELECT DISTINCT M.name FROM temp.sqlite_master M, pragma_table_info(M.name) C WHERE "
            "M.type = 'view' AND C.name = 'duration' ORDER BY M.name",
            "");
    while (result == 0 && db_next(&c)) {
        const char *view = db_text(&c, 0);
        if (is_one_of(view, others)) continue;
        result = add_summary(
            w, view,
            strcmp(view, "kernels") == 0 ? kernel_source(w->options)
            : strcmp(view, "memory_allocations") == 0
                ? sqlite3_mprintf("SELECT 'MEMORY_ALLOCATION_' || type AS name, duration, "
                                  "pid, guid FROM memory_allocations WHERE level <> "
                                  "'SCRATCH'")
            : strcmp(view, "scratch_memory") == 0
                ? sqlite3_mprintf("SELECT 'SCRATCH_MEMORY_' || operation AS name, duration, "
                                  "pid, guid FROM scratch_memory")
                : sqlite3_mprintf("SELECT name, duration, pid, guid FROM \"%w\"", view));
    }
    return db_end(&c, "listing views") == 0 ? result : -1;
}

/* "HIP_RUNTIME_API_EXT" -> "hip", "rocm_x_y" -> "rocm_x". */
static void first_word(const char *category, char *word, size_t room)
{
    size_t skip = strncasecmp(category, "rocm_", 5) == 0 ? 5 : 0;
    size_t bytes = skip + strcspn(category + skip, "_");
    snprintf(word, room, "%.*s", (int)bytes, category);
    set_case(word, false);
}

/* Whether the option's word names the category: it is the category's word, or begins with it and an
 * underscore. HIP_RUNTIME_API names hip, hipfile does not. */
static bool names(const char *option, const char *word)
{
    const size_t bytes = strlen(word);
    return strncasecmp(option, word, bytes) == 0 && (!option[bytes] || option[bytes] == '_');
}

static bool wants_category(const rocpd_options_t *o, const char *word)
{
    if (!rocpd_given(o, ROCPD_CATEGORIES)) return true;
    for (size_t i = 0; i < o->values[ROCPD_CATEGORIES].count; i++)
        if (names(o->values[ROCPD_CATEGORIES].words[i], word)) return true;
    return false;
}

static int read_categories(const db_t *db, void *data)
{
    work_t *w = data;
    bool failed = false;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT DISTINCT T.string FROM rocpd_region R JOIN rocpd_event E ON E.id = "
            "R.event_id AND E.guid = R.guid JOIN rocpd_string T ON T.id = "
            "E.category_id AND T.guid = E.guid",
            "");
    while (db_next(&c))
        if (!db_null(&c, 0)) failed |= !sums_row_copied(&w->categories, 0, db_text(&c, 0));
    if (db_end(&c, "listing regions") != 0) return -1;
    return failed ? no_memory() : 0;
}

/* Adds summaries of API calls, by the first word of their category, and of markers, by their text.
 * They come in the order of the categories. */
static int add_regions(work_t *w)
{
    sums_t words = {0}; /* only the names are used */
    bool failed = false;
    int result = 0;
    sums_sort(&w->categories); /* by name: there are no numbers */
    for (size_t i = 0; i < w->categories.count; i++) {
        char word[64];
        first_word(w->categories.rows[i].name, word, sizeof(word));
        if (wants_category(w->options, word)) failed |= !sums_row_copied(&words, 0, word);
    }
    if (failed) result = no_memory();
    for (size_t i = 0; i < words.count && result == 0; i++) {
        bool marker = strcmp(words.rows[i].name, "marker") == 0;
        result = add_summary(
            w, marker ? "markers" : words.rows[i].name,
            sqlite3_mprintf("SELECT %s AS name, duration, pid, guid FROM regions WHERE category "
                            "LIKE '%q\\_%%' ESCAPE '\\'",
                            marker ? "COALESCE(JSON_EXTRACT(extdata, '$.message'), name)" : "name",
                            words.rows[i].name));
    }
    sums_free(&words);
    return result;
}

/* ---- the whole ---- */

/* Adds a file's records to all sums. */
static int read_file(const db_t *db, void *data)
{
    work_t *w = data;
    int result = 0;
    sqlite3_create_function(db->handle, "kernel_name", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                            name_kernel, NULL, NULL);
    for (size_t i = 0; result == 0 && i < w->count; i++) {
        summary_t *s = &w->summaries[i];
        result = read_records(db, s->sql, &s->by_process, &s->processes);
    }
    return result;
}

static void forget(work_t *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->summaries[i].name);
        sqlite3_free(w->summaries[i].sql);
        sums_free(&w->summaries[i].by_process);
        sums_free(&w->summaries[i].processes);
    }
    free(w->summaries);
    sums_free(&w->categories);
    sums_free(&w->domains);
}

int rocpd_summary(const rocpd_options_t *o, const rocpd_files_t *f)
{
    rocpd_base_t base;
    if (rocpd_open(&base, f, o) != 0) return -1;
    work_t w = {.db = &base.db, .options = o};
    int result = add_views(&w);
    if (result == 0) result = rocpd_each(&base, ROCPD_TABLES, read_categories, &w);
    if (result == 0) result = add_regions(&w);
    if (result == 0) result = rocpd_each(&base, ROCPD_VIEWS, read_file, &w);
    for (size_t i = 0; result == 0 && i < w.count; i++)
        result = summarise(&w, &w.summaries[i]);
    if (result == 0 && rocpd_given(o, ROCPD_DOMAIN_SUMMARY))
        result = show(&w, &w.domains, NULL, "domain", "_summary");
    forget(&w);
    rocpd_close(&base);
    return result;
}
