/* summary.c - rocpd summary: where the time went, by name.
 *
 * There is a summary for every view of things that take time, one for each kind of API calls, and
 * one for markers. Each is an SQL statement; two functions that SQLite lacks are made here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "rocpd/commands.h"
#include "trace/names.h"

/* Sample standard deviation, in one pass (Welford). */
typedef struct {
    double mean, squares;
    long long count;
} deviation_t;

static void deviation_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    deviation_t *d = sqlite3_aggregate_context(context, sizeof(*d));
    (void)count;
    if (!d || sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    double value = sqlite3_value_double(values[0]), delta = value - d->mean;
    d->mean += delta / (double)++d->count;
    d->squares += delta * (value - d->mean);
}

static void deviation_end(sqlite3_context *context)
{
    deviation_t *d = sqlite3_aggregate_context(context, 0);
    bool some = d && d->count > 1;
    sqlite3_result_double(context, some ? sqrt(d->squares / (double)(d->count - 1)) : 0);
}

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

/* Makes the view that a summary reads: name, start, duration, pid and guid. */
static int make_source(const db_t *db, const char *summary, const char *from)
{
    return from ? db_runf(db, summary, "CREATE TEMP VIEW \"summary_%w\" AS %s", summary, from) : -1;
}

typedef struct {
    char **names;
    size_t count;
} list_t;

static void free_names(list_t *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->names[i]);
    free(l->names);
}

static int add_name(list_t *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->names[i], name) == 0) return 0;
    char **names = realloc(l->names, (l->count + 1) * sizeof(*names));
    if (names) l->names = names;
    char *copy = names ? strdup(name) : NULL;
    if (!copy) return -1;
    l->names[l->count++] = copy;
    return 1;
}

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

/* Adds the views with a duration, except those that the summaries of regions cover. */
static int add_views(const db_t *db, const rocpd_options_t *o, list_t *l)
{
    static const char *const others[] = {"rocpd", "region", "counter", "pmc", "summary_", NULL};
    list_t views = {0};
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT DISTINCT M.name FROM temp.sqlite_master M, pragma_table_info(M.name) C WHERE "
            "M.type = 'view' AND C.name = 'duration' ORDER BY M.name",
            "");
    while (db_next(&c))
        if (!is_one_of(db_text(&c, 0), others)) add_name(&views, db_text(&c, 0));
    int result = db_end(&c, "listing views");
    for (size_t i = 0; i < views.count && result == 0; i++) {
        const char *view = views.names[i];
        char *from =
            strcmp(view, "kernels") == 0 ? kernel_source(o)
            : strcmp(view, "memory_allocations") == 0
                ? sqlite3_mprintf("SELECT 'MEMORY_ALLOCATION_' || type AS name, duration, "
                                  "pid, guid FROM memory_allocations WHERE level <> "
                                  "'SCRATCH'")
            : strcmp(view, "scratch_memory") == 0
                ? sqlite3_mprintf("SELECT 'SCRATCH_MEMORY_' || operation AS name, duration, "
                                  "pid, guid FROM scratch_memory")
                : sqlite3_mprintf("SELECT name, duration, pid, guid FROM \"%w\"", view);
        result = make_source(db, view, from) == 0 && add_name(l, view) >= 0 ? 0 : -1;
        sqlite3_free(from);
    }
    free_names(&views);
    return result;
}

/* Changes the case of ASCII letters only, whatever the locale. */
static void set_case(char *text, bool upper)
{
    char first = upper ? 'a' : 'A', last = upper ? 'z' : 'Z';
    for (; *text; text++)
        if (*text >= first && *text <= last) *text ^= 'a' ^ 'A';
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

/* Adds summaries of API calls, by the first word of their category, and of markers, by their
 * text. */
static int add_regions(const db_t *db, const rocpd_options_t *o, list_t *l)
{
    list_t words = {0};
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT DISTINCT T.string FROM rocpd_region R JOIN rocpd_event E ON E.id = "
            "R.event_id AND E.guid = R.guid JOIN rocpd_string T ON T.id = "
            "E.category_id AND T.guid = E.guid ORDER BY 1",
            "");
    while (db_next(&c)) {
        char word[64];
        if (db_null(&c, 0)) continue;
        first_word(db_text(&c, 0), word, sizeof(word));
        if (wants_category(o, word)) add_name(&words, word);
    }
    int result = db_end(&c, "listing regions");
    for (size_t i = 0; i < words.count && result == 0; i++) {
        bool marker = strcmp(words.names[i], "marker") == 0;
        const char *name = marker ? "markers" : words.names[i];
        char *from = sqlite3_mprintf(
            "SELECT %s AS name, duration, pid, guid FROM regions WHERE category LIKE '%q\\_%%' "
            "ESCAPE '\\'",
            marker ? "COALESCE(JSON_EXTRACT(extdata, '$.message'), name)" : "name", words.names[i]);
        result = make_source(db, name, from) == 0 && add_name(l, name) >= 0 ? 0 : -1;
        sqlite3_free(from);
    }
    free_names(&words);
    return result;
}

#define MEASURES                                                                                   \
    "COUNT(*) AS \"Calls\", SUM(duration) AS \"DURATION (nsec)\", "                                \
    "AVG(duration) AS \"AVERAGE (nsec)\", "                                                        \
    "100.0 * SUM(duration) / NULLIF((SELECT SUM(duration) FROM %s), 0) AS \"PERCENT (INC)\", "     \
    "MIN(duration) AS \"MIN (nsec)\", MAX(duration) AS \"MAX (nsec)\", "                           \
    "sample_deviation(duration) AS \"STD_DEV\" "

static int show(const db_t *db, const rocpd_options_t *o, const char *summary, const char *end,
                char *sql)
{
    char title[256], suffix[256];
    snprintf(suffix, sizeof(suffix), "_%s%s", summary, end);
    snprintf(title, sizeof(title), "%s%s", summary, end);
    set_case(title, true);
    int result = sql ? rocpd_show(db, o, sql, title, suffix) : -1;
    sqlite3_free(sql);
    return result < 0 ? -1 : 0;
}

static int show_summary(const db_t *db, const rocpd_options_t *o, const char *summary)
{
    char *from = sqlite3_mprintf("\"summary_%w\"", summary);
    int result = show(db, o, summary, "",
                      sqlite3_mprintf("SELECT name AS \"Name\", " MEASURES "FROM %s GROUP BY name "
                                      "ORDER BY 3 DESC, 1",
                                      from, from));
    if (result == 0 && rocpd_given(o, ROCPD_BY_RANK))
        result =
            show(db, o, summary, "_summary_by_rank",
                 sqlite3_mprintf("SELECT S.pid AS \"ProcessID\", P.hostname AS \"Hostname\", "
                                 "S.name AS \"Name\", " MEASURES "FROM %s S JOIN processes P ON "
                                 "P.guid = S.guid AND P.pid = S.pid GROUP BY S.guid, S.pid, "
                                 "S.name ORDER BY 1, 5 DESC, 3",
                                 from, from));
    sqlite3_free(from);
    return result;
}

static int show_domains(const db_t *db, const rocpd_options_t *o, const list_t *l)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendf(sql, "CREATE TEMP VIEW summary_all AS ");
    for (size_t i = 0; i < l->count; i++) {
        char upper[64];
        snprintf(upper, sizeof(upper), "%s", l->names[i]);
        set_case(upper, true);
        sqlite3_str_appendf(sql, "%sSELECT %Q AS name, duration FROM \"summary_%w\"",
                            i ? " UNION ALL " : "", upper, l->names[i]);
    }
    char *text = sqlite3_str_finish(sql);
    int result = text && l->count ? db_run(db, text, "domain_summary") : -1;
    sqlite3_free(text);
    return result ? result
                  : show(db, o, "domain", "_summary",
                         sqlite3_mprintf("SELECT name AS \"Name\", " MEASURES "FROM summary_all "
                                         "GROUP BY name ORDER BY 3 DESC, 1",
                                         "summary_all"));
}

int rocpd_summary(const rocpd_options_t *o, const rocpd_files_t *f)
{
    list_t list = {0};
    rocpd_base_t base;
    if (rocpd_open(&base, f, o) != 0) return -1;
    const db_t *db = &base.db;
    sqlite3_create_function(db->handle, "sample_deviation", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                            NULL, deviation_step, deviation_end);
    sqlite3_create_function(db->handle, "kernel_name", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                            name_kernel, NULL, NULL);
    int result = add_views(db, o, &list);
    if (result == 0) result = add_regions(db, o, &list);
    for (size_t i = 0; i < list.count && result == 0; i++)
        result = show_summary(db, o, list.names[i]);
    if (result == 0 && rocpd_given(o, ROCPD_DOMAIN_SUMMARY) && list.count)
        result = show_domains(db, o, &list);
    free_names(&list);
    rocpd_close(&base);
    return result;
}
