/* summary.c - rocpd summary: where the time went, by name.
 *
 * There is a summary for every view of records that take time, one for each kind of API calls, and
 * one for markers. The tables are made of sums by process and name (sum_up.h), whose rows are put
 * into temp.summary_rows to be shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "rocpd/commands.h"
#include "rocpd/rows.h"
#include "rocpd/sum_up.h"

/* Changes the case of ASCII letters only, whatever the locale. */
static void set_case(char *text, bool upper)
{
    char first = upper ? 'a' : 'A', last = upper ? 'z' : 'Z';
    for (; *text; text++)
        if (*text >= first && *text <= last) *text ^= 'a' ^ 'A';
}

typedef struct {
    char *name;
    sums_t by_process; /* by process, as in a partial */
} summary_t;

typedef struct {
    const db_t *db; /* used to show the tables */
    const rocpd_options_t *options;
    rocpd_partial_t whole; /* the sums of all files; owned by the caller */
    summary_t *summaries;
    size_t count;
    sums_t domains; /* the total of each summary */
} work_t;

/* Sums the processes' sums of each name. */
static int join_processes(sums_t *all, const sums_t *sums)
{
    for (size_t i = 0; i < sums->count; i++) {
        const sum_row_t *row = &sums->rows[i];
        if (sums_merge(all, row->group % 2, row->name, &row->sum) != 0)
            return rocpd_rows_no_memory();
    }
    return 0;
}

/* ---- tables ---- */

static const char table[] =
    "DROP TABLE IF EXISTS temp.summary_rows; CREATE TEMP TABLE summary_rows(pid, host, \"Name\", "
    "\"Calls\", \"DURATION (nsec)\", \"AVERAGE (nsec)\", \"PERCENT (INC)\", \"MIN (nsec)\", "
    "\"MAX (nsec)\", \"STD_DEV\")";

#define COLUMNS                                                                                    \
    "\"Name\", \"Calls\", \"DURATION (nsec)\", \"AVERAGE (nsec)\", \"PERCENT (INC)\", "            \
    "\"MIN (nsec)\", \"MAX (nsec)\", \"STD_DEV\" FROM summary_rows S "

static const char by_name[] = "SELECT " COLUMNS "ORDER BY S.rowid";
static const char by_rank[] = "SELECT S.pid AS \"ProcessID\", S.host AS \"Hostname\", " COLUMNS
                              "WHERE S.host IS NOT NULL ORDER BY S.pid, S.rowid";

/* Fills the table with the sums, sorted; their groups are the processes of `ranks`, which may be
 * NULL. */
static int put_rows(const db_t *db, sums_t *sums, const rocpd_partial_t *ranks)
{
    const sum_t whole = sums_whole(sums);
    db_cursor_t c;
    sums_sort(sums);
    if (db_run(db, table, "summary") != 0) return -1;
    db_rows(&c, db, "INSERT INTO summary_rows VALUES (?,?,?,?,?,?,iif(?,?,NULL),?,?,?)", "");
    for (size_t i = 0; i < sums->count; i++) {
        const sum_row_t *row = &sums->rows[i];
        const sum_t *s = &row->sum;
        const int process = row->group / 2;
        db_again(&c, "ittiiririir", (int64_t)(ranks ? ranks->processes.rows[process].group : 0),
                 ranks ? ranks->facts[process].host : NULL, row->group % 2 ? NULL : row->name,
                 s->count, sum_total(s), sum_mean(s), (int64_t)(whole.total != 0),
                 sum_percent(s, &whole), s->least, s->most, sum_deviation(s));
        db_next(&c);
    }
    return db_end(&c, "summary");
}

/* Shows sums; the name of those by process ends with _summary_by_rank. */
static int show(const work_t *w, sums_t *sums, const rocpd_partial_t *ranks, const char *summary,
                const char *end)
{
    char title[256], suffix[256];
    if (put_rows(w->db, sums, ranks) != 0) return -1;
    snprintf(suffix, sizeof(suffix), "_%s%s", summary, end);
    snprintf(title, sizeof(title), "%s%s", summary, end);
    set_case(title, true);
    return rocpd_show(w->db, w->options, ranks ? by_rank : by_name, title, suffix) < 0 ? -1 : 0;
}

static int add_domain(work_t *w, const char *summary, const sum_t *whole)
{
    char name[64];
    if (!whole->count) return 0;
    snprintf(name, sizeof(name), "%s", summary);
    set_case(name, true);
    sum_row_t *row = sums_row_copied(&w->domains, 0, name);
    if (!row) return rocpd_rows_no_memory();
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
        result = show(w, &s->by_process, &w->whole, s->name, "_summary_by_rank");
    sums_free(&all);
    return result;
}

/* ---- the summaries ---- */

/* Adds an empty summary; returns NULL without memory. */
static summary_t *add_summary(work_t *w, const char *name)
{
    char *copy = BASE_GROW_BY_ONE(w->summaries, w->count) ? strdup(name) : NULL;
    if (!copy) return NULL;
    w->summaries[w->count] = (summary_t){.name = copy};
    return &w->summaries[w->count++];
}

/* Adds sums by process to those of a summary. Returns 0, or -1 without memory. */
static int add_sums(summary_t *s, const sums_t *sums)
{
    for (size_t i = 0; s && i < sums->count; i++) {
        const sum_row_t *row = &sums->rows[i];
        if (sums_merge(&s->by_process, row->group, row->name, &row->sum) != 0) return -1;
    }
    return s ? 0 : -1;
}

static int by_name_of(const void *a, const void *b)
{
    const summary_t *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Adds a summary of each view, in the order of their names. */
static int add_views(work_t *w)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->whole.count; i++) {
        const rocpd_sums_t *sums = &w->whole.sums[i];
        if (sums->of == ROCPD_OF_VIEW) result = add_sums(add_summary(w, sums->name), &sums->rows);
    }
    if (w->count) qsort(w->summaries, w->count, sizeof(*w->summaries), by_name_of);
    return result == 0 ? 0 : rocpd_rows_no_memory();
}

/* Converts "HIP_RUNTIME_API_EXT" to "hip", "rocm_x_y" to "rocm_x". */
static void first_word(const char *category, char *word, size_t room)
{
    size_t skip = strncasecmp(category, "rocm_", 5) == 0 ? 5 : 0;
    size_t bytes = skip + strcspn(category + skip, "_");
    snprintf(word, room, "%.*s", (int)bytes, category);
    set_case(word, false);
}

/* Returns whether the option's word selects the category: it is the category's word, or begins with
 * it and an underscore. HIP_RUNTIME_API selects hip; hipfile does not. */
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

/* Lists the first words of the categories, in the order of the categories. Returns 0, or -1 without
 * memory. */
static int find_words(const work_t *w, sums_t *words)
{
    sums_t categories = {0}; /* of both only the names are used */
    bool failed = false;
    for (size_t i = 0; i < w->whole.count; i++)
        if (w->whole.sums[i].of == ROCPD_OF_CATEGORY)
            failed |= !sums_row_copied(&categories, 0, w->whole.sums[i].name);
    sums_sort(&categories); /* by name, since there are no numbers */
    for (size_t i = 0; i < categories.count; i++) {
        char word[64];
        first_word(categories.rows[i].name, word, sizeof(word));
        if (wants_category(w->options, word)) failed |= !sums_row_copied(words, 0, word);
    }
    sums_free(&categories);
    return failed ? -1 : 0;
}

/* Adds the sums of all categories that begin with the word. */
static int add_region(work_t *w, const char *word)
{
    summary_t *s = add_summary(w, strcmp(word, "marker") == 0 ? "markers" : word);
    char *pattern = sqlite3_mprintf("%s\\_%%", word);
    int result = s && pattern ? 0 : -1;
    for (size_t i = 0; result == 0 && i < w->whole.count; i++) {
        const rocpd_sums_t *sums = &w->whole.sums[i];
        if (sums->of == ROCPD_OF_CATEGORY && sqlite3_strlike(pattern, sums->name, '\\') == 0)
            result = add_sums(s, &sums->rows);
    }
    sqlite3_free(pattern);
    return result;
}

/* Adds summaries of API calls, by the first word of their category, and of markers, by their text,
 * in the order of the categories. */
static int add_regions(work_t *w)
{
    sums_t words = {0};
    int result = find_words(w, &words);
    for (size_t i = 0; i < words.count && result == 0; i++)
        result = add_region(w, words.rows[i].name);
    sums_free(&words);
    return result == 0 ? 0 : rocpd_rows_no_memory();
}

/* ---- all summaries ---- */

static void forget(work_t *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->summaries[i].name);
        sums_free(&w->summaries[i].by_process);
    }
    free(w->summaries);
    sums_free(&w->domains);
}

int rocpd_summary_show(const rocpd_options_t *o, const rocpd_partial_t *whole)
{
    db_t db;
    if (db_make(&db, "") != 0) return -1;
    db_lock(&db);
    work_t w = {.db = &db, .options = o, .whole = *whole};
    int result = add_views(&w);
    if (result == 0) result = add_regions(&w);
    for (size_t i = 0; result == 0 && i < w.count; i++)
        result = summarise(&w, &w.summaries[i]);
    if (result == 0 && rocpd_given(o, ROCPD_DOMAIN_SUMMARY))
        result = show(&w, &w.domains, NULL, "domain", "_summary");
    forget(&w);
    db_close(&db);
    return result;
}

int rocpd_summary(const rocpd_options_t *o, const rocpd_files_t *f)
{
    rocpd_partial_t whole = {0};
    const rocpd_how_t how = rocpd_given(o, ROCPD_BY_RANK) ? ROCPD_APART : ROCPD_TOGETHER;
    int result = rocpd_sum_up(f, o, how, false, &whole);
    if (result == 0) result = rocpd_summary_show(o, &whole);
    rocpd_partial_free(&whole);
    return result;
}
