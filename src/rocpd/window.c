/* window.c - see window.h. The bounds are read from the files, one after another, before anything
 * else is read. */
#include "rocpd/window.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/words.h"

/* The columns with times, by table. */
static const struct {
    const char *table, *start, *end;
} timed[] = {
    {"rocpd_region", "start", "end"},           {"rocpd_kernel_dispatch", "start", "end"},
    {"rocpd_memory_copy", "start", "end"},      {"rocpd_memory_allocate", "start", "end"},
    {"rocpd_graph_launch", "start", "end"},     {"rocpd_hip_event", "start", "end"},
    {"rocpd_sample", "timestamp", "timestamp"},
};

char *rocpd_window_condition(const rocpd_window_t *w, const char *table)
{
    for (size_t i = 0; !w->whole && i < sizeof(timed) / sizeof(*timed); i++) {
        if (strcmp(timed[i].table, table) != 0) continue;
        return w->inclusive ? sqlite3_mprintf(" WHERE \"%w\" >= %lld AND \"%w\" <= %lld",
                                              timed[i].start, w->begin, timed[i].end, w->end)
                            : sqlite3_mprintf(" WHERE \"%w\" <= %lld AND \"%w\" >= %lld",
                                              timed[i].start, w->end, timed[i].end, w->begin);
    }
    return sqlite3_mprintf("");
}

/* The first begin and the last end of the rows of the files so far. */
typedef struct {
    long long begin, end;
    bool any;
} span_t;

/* Widens the span by all rows of a file that have times. */
static int add_span(const db_t *db, size_t number, void *data)
{
    span_t *span = data;
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    const char *between = "SELECT MIN(a), MAX(b) FROM (";
    db_cursor_t c;
    (void)number;
    for (size_t i = 0; i < sizeof(timed) / sizeof(*timed); i++) {
        if (!db_has(db, timed[i].table, timed[i].start))
            continue; /* older schemas do not have the table */
        sqlite3_str_appendf(sql, "%sSELECT MIN(\"%w\") a, MAX(\"%w\") b FROM \"%w\"", between,
                            timed[i].start, timed[i].end, timed[i].table);
        between = " UNION ALL ";
    }
    sqlite3_str_appendf(sql, ")");
    char *text = sqlite3_str_finish(sql);
    db_rows(&c, db, text, "");
    if (db_next(&c) && !db_null(&c, 0)) {
        const long long begin = db_int(&c, 0), end = db_int(&c, 1);
        if (!span->any || begin < span->begin) span->begin = begin;
        if (!span->any || end > span->end) span->end = end;
        span->any = true;
    }
    sqlite3_free(text);
    return db_end(&c, "reading times");
}

/* A marker, and the times of the markers with its text in the files so far. */
typedef struct {
    const char *text;
    long long begin, end, count;
} marker_t;

static int add_marker(const db_t *db, size_t number, void *data)
{
    marker_t *m = data;
    char what[512];
    db_cursor_t c;
    (void)number;
    snprintf(what, sizeof(what), "marker '%s'", m->text);
    db_rows(&c, db,
            "SELECT MIN(a), MAX(b), COUNT(*) FROM (SELECT R.start a, R.\"end\" b FROM "
            "rocpd_region R JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid WHERE "
            "JSON_EXTRACT(E.extdata, '$.message') = ?1 UNION ALL SELECT S.timestamp, S.timestamp "
            "FROM rocpd_sample S JOIN rocpd_event E ON E.id = S.event_id AND E.guid = S.guid WHERE "
            "JSON_EXTRACT(E.extdata, '$.message') = ?1)",
            "t", m->text);
    if (db_next(&c) && db_int(&c, 2)) {
        m->begin = db_int(&c, 0); /* times of the last one; a second one is an error */
        m->end = db_int(&c, 1);
        m->count += db_int(&c, 2);
    }
    return db_end(&c, what);
}

/* Finds when the marker with this text began and ended. */
static int find_marker(const rocpd_files_t *f, const char *text, long long *begin, long long *end)
{
    marker_t m = {.text = text};
    if (rocpd_files_each(f, add_marker, &m) != 0) return -1;
    if (m.count == 1) {
        *begin = m.begin;
        *end = m.end;
        return 0;
    }
    base_error("marker '%s': there are %lld of this name, one is needed", text, m.count);
    return -1;
}

/* Converts a word to nanoseconds: a whole number exactly, a number with a point or an exponent as
 * exactly as a double. */
static long long nanoseconds(const char *word, double number)
{
    if (!word[strspn(word, " +-0123456789")]) return strtoll(word, NULL, 10);
    if (!(number > -9.2e18)) return LLONG_MIN;
    return number < 9.2e18 ? (long long)number : LLONG_MAX;
}

/* Reads a time: "50%" of the span, or nanoseconds. */
static int read_time(const char *option, const char *word, const span_t *span, long long *ns)
{
    char *end;
    errno = 0;
    double number = strtod(word, &end);
    bool percent = strcmp(end, "%") == 0;
    if (end == word || (*end && !percent) || errno ||
        (percent && !(number >= 0 && number <= 100))) {
        base_error("--%s: '%s' is neither nanoseconds nor a percentage such as 50%%", option, word);
        return -1;
    }
    *ns = percent ? span->begin + (long long)((double)(span->end - span->begin) * number / 100)
                  : nanoseconds(word, number);
    return 0;
}

int rocpd_window_find(rocpd_window_t *w, const rocpd_files_t *f, const rocpd_options_t *o)
{
    const char *start = rocpd_word(o, ROCPD_START, NULL), *end = rocpd_word(o, ROCPD_END, NULL);
    const char *from = rocpd_word(o, ROCPD_START_MARKER, NULL);
    const char *to = rocpd_word(o, ROCPD_END_MARKER, NULL);
    span_t span = {0};
    long long ignored;
    *w = (rocpd_window_t){0};
    w->inclusive = base_truth(rocpd_word(o, ROCPD_INCLUSIVE, "true")) > 0;
    w->whole = !start && !end && !from && !to;
    if (w->whole) return 0;
    if (rocpd_files_each(f, add_span, &span) != 0) return -1;
    w->begin = span.begin;
    w->end = span.end;
    if (start && read_time("start", start, &span, &w->begin) != 0) return -1;
    if (end && read_time("end", end, &span, &w->end) != 0) return -1;
    if (from && find_marker(f, from, &w->begin, &ignored) != 0) return -1;
    if (to && find_marker(f, to, &ignored, &w->end) != 0) return -1;
    if (w->begin > w->end) {
        base_error("the window ends at %lld, before it begins at %lld", w->end, w->begin);
        return -1;
    }
    printf("# Initial time bounds: %lld : %lld nsec\n# Windowed time bounds: %lld : %lld nsec\n"
           "# Time windowing reduced the duration to %.2f%%\n",
           span.begin, span.end, w->begin, w->end,
           span.end > span.begin
               ? 100.0 * (double)(w->end - w->begin) / (double)(span.end - span.begin)
               : 100.0);
    return 0;
}
