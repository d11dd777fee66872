/* rows.c - see rows.h. It lists the views, and has the statements that read them. */
#include "rocpd/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "rocpd/own.h"
#include "trace/names.h"

int rocpd_rows_no_memory(void)
{
    base_error("summing up records: %s", strerror(ENOMEM));
    return -1;
}

/* ---- the views that are read ---- */

uint32_t rocpd_rows_names(const rocpd_options_t *o)
{
    const uint32_t form = rocpd_given(o, ROCPD_MANGLED)    ? ROCPD_NAMES_MANGLED
                          : rocpd_given(o, ROCPD_TRUNCATE) ? ROCPD_NAMES_TRUNCATED
                                                           : ROCPD_NAMES_SHOWN;
    return form | (rocpd_given(o, ROCPD_KERNEL_RENAME) ? ROCPD_NAMES_RENAMED : 0);
}

/* Returns the statement for kernels, with the form of their names that the options select. */
static char *kernel_source(uint32_t names)
{
    static const char *const forms[] = {[ROCPD_NAMES_SHOWN] = "K.name",
                                        [ROCPD_NAMES_MANGLED] = "S.kernel_name",
                                        [ROCPD_NAMES_TRUNCATED] = "kernel_name(S.kernel_name, 2)"};
    const bool renamed = names & ROCPD_NAMES_RENAMED;
    return sqlite3_mprintf(
        "SELECT %s%s%s AS name, K.duration AS duration, K.pid AS pid, K.guid AS guid "
        "FROM kernels K JOIN rocpd_info_kernel_symbol S ON S.id = K.kernel_id AND "
        "S.guid = K.guid",
        renamed ? "COALESCE(NULLIF(K.region, ''), " : "", forms[names & ~ROCPD_NAMES_RENAMED],
        renamed ? ")" : "");
}

static char *source_of(const char *view, uint32_t names)
{
    if (strcmp(view, "kernels") == 0) return kernel_source(names);
    if (strcmp(view, "memory_allocations") == 0)
        return sqlite3_mprintf("SELECT 'MEMORY_ALLOCATION_' || type AS name, duration, pid, guid "
                               "FROM memory_allocations WHERE level <> 'SCRATCH'");
    if (strcmp(view, "scratch_memory") == 0)
        return sqlite3_mprintf("SELECT 'SCRATCH_MEMORY_' || operation AS name, duration, pid, guid "
                               "FROM scratch_memory");
    return sqlite3_mprintf("SELECT name, duration, pid, guid FROM \"%w\"", view);
}

static bool is_one_of(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words)) return true;
    return false;
}

/* Returns the text of a view, if it is the same as in this program's own schema; to be freed. */
static char *known_text(const db_t *db, const char *view)
{
    db_cursor_t c;
    char *text = NULL;
    db_rows(&c, db, "SELECT sql FROM db0.sqlite_master WHERE type = 'view' AND name = ?", "t",
            view);
    if (db_next(&c) && rocpd_is_own_view(db_text(&c, 0))) text = strdup(db_text(&c, 0));
    if (db_end(&c, "reading the schema") == 0) return text;
    free(text);
    return NULL;
}

/* Notes a view and its statement. */
static int set_source(rocpd_rows_t *r, rocpd_source_t *s, const db_t *db, const char *view,
                      char *sql)
{
    *s = (rocpd_source_t){strdup(view), sql, known_text(db, view)};
    r->all_known &= s->view != NULL;
    return s->name && s->sql ? 0 : rocpd_rows_no_memory();
}

static void free_source(rocpd_source_t *s)
{
    free(s->name);
    sqlite3_free(s->sql);
    free(s->view);
}

static int add_view(rocpd_rows_t *r, const db_t *db, const char *view)
{
    if (!BASE_GROW_BY_ONE(r->views, r->count)) return rocpd_rows_no_memory();
    return set_source(r, &r->views[r->count++], db, view, source_of(view, r->names));
}

int rocpd_rows_find(rocpd_rows_t *r, const db_t *first, const rocpd_options_t *o)
{
    /* regions are read by their category, and the other views have no durations of their own */
    static const char *const others[] = {"rocpd", "region", "counter", "pmc", "summary_", NULL};
    int result = 0;
    db_cursor_t c;
    *r = (rocpd_rows_t){.names = rocpd_rows_names(o), .all_known = true};
    db_rows(&c, first,
            "SELECT DISTINCT M.name FROM temp.sqlite_master M, pragma_table_info(M.name) C WHERE "
            "M.type = 'view' AND C.name = 'duration' ORDER BY M.name",
            "");
    while (result == 0 && db_next(&c))
        if (!is_one_of(db_text(&c, 0), others)) result = add_view(r, first, db_text(&c, 0));
    if (db_end(&c, "listing views") != 0) result = -1;
    char *sql = sqlite3_mprintf(
        "SELECT CASE WHEN category LIKE 'marker\\_%%' ESCAPE '\\' THEN "
        "COALESCE(JSON_EXTRACT(extdata, '$.message'), name) ELSE name END AS name, duration, pid, "
        "guid, category FROM regions WHERE category IS NOT NULL");
    return set_source(r, &r->regions, first, "regions", sql) == 0 ? result : -1;
}

void rocpd_rows_free(rocpd_rows_t *r)
{
    for (size_t i = 0; i < r->count; i++)
        free_source(&r->views[i]);
    free_source(&r->regions);
    free(r->views);
    *r = (rocpd_rows_t){0};
}

/* ---- by views ---- */

/* The SQL function kernel_name(symbol, form). */
static void name_kernel(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *symbol = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    char *name =
        symbol ? trace_kernel_name(symbol, (trace_names_t)sqlite3_value_int(values[1])) : NULL;
    sqlite3_result_text(context, name ? name : symbol, -1, SQLITE_TRANSIENT);
    free(name);
}

/* Makes the temporary view, if it is missing, since SQLite does not let a file's own view use all
 * functions. */
static void make_view(const db_t *db, const rocpd_source_t *s)
{
    db_cursor_t c;
    db_rows(&c, db, "SELECT 1 FROM temp.sqlite_master WHERE type = 'view' AND name = ?", "t",
            s->name);
    const bool missing = !db_next(&c);
    if (db_end(&c, "reading the schema") == 0 && missing)
        db_view(db, s->name, s->view, true, false);
}

/* Sums the rows of the statement: name, duration, pid, guid; and, with `of` a category, the
 * category. */
static int read_view(const db_t *db, const rocpd_source_t *s, rocpd_of_t of, rocpd_partial_t *to)
{
    db_cursor_t c;
    int result = 0;
    if (s->view) make_view(db, s);
    for (db_rows(&c, db, s->sql, ""); result == 0 && db_next(&c);) {
        /* in no version of the schema are there records without times */
        if (db_null(&c, 1)) continue;
        const int process = rocpd_partial_process(to, (int)db_int(&c, 2), db_text(&c, 3));
        rocpd_sums_t *sums =
            process < 0
                ? NULL
                : rocpd_partial_sums(to, of, of == ROCPD_OF_VIEW ? s->name : db_text(&c, 4));
        sum_row_t *row =
            sums ? sums_row_copied(&sums->rows, 2 * process + db_null(&c, 0), db_text(&c, 0))
                 : NULL;
        if (row)
            sum_add(&row->sum, db_int(&c, 1));
        else
            result = rocpd_rows_no_memory();
    }
    return db_end(&c, "summing up records") == 0 ? result : -1;
}

/* Makes empty sums of each category of calls and ranges. */
static int read_categories(const db_t *db, rocpd_partial_t *to)
{
    bool room = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT DISTINCT T.string FROM rocpd_region R JOIN rocpd_event E ON E.id = "
            "R.event_id AND E.guid = R.guid JOIN rocpd_string T ON T.id = "
            "E.category_id AND T.guid = E.guid",
            "");
    while (room && db_next(&c))
        if (!db_null(&c, 0)) room = rocpd_partial_sums(to, ROCPD_OF_CATEGORY, db_text(&c, 0));
    if (db_end(&c, "listing regions") != 0) return -1;
    return room ? 0 : rocpd_rows_no_memory();
}

/* Notes the host of each process. */
static int read_hosts(const db_t *db, rocpd_partial_t *to)
{
    bool room = true;
    db_cursor_t c;
    if (!db_has(db, "processes", "hostname")) return 0;
    db_rows(&c, db, "SELECT guid, pid, hostname FROM processes WHERE guid IS NOT NULL", "");
    while (room && db_next(&c)) {
        const int process = rocpd_partial_process(to, (int)db_int(&c, 1), db_text(&c, 0));
        room = process >= 0 && rocpd_partial_say(&to->facts[process].host, db_text(&c, 2)) == 0;
    }
    if (db_end(&c, "reading processes") != 0) return -1;
    return room ? 0 : rocpd_rows_no_memory();
}

/* Reads all views, or, with `quick`, those that rocpd_rows_quick() does not read. */
static int read_views(const rocpd_rows_t *r, const db_t *db, bool quick, rocpd_partial_t *to)
{
    int result = read_hosts(db, to);
    sqlite3_create_function(db->handle, "kernel_name", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                            name_kernel, NULL, NULL);
    for (size_t i = 0; result == 0 && i < r->count; i++) {
        const int read = quick ? rocpd_rows_are_quick(db, &r->views[i]) : 0;
        if (read < 0) result = -1;
        if (read == 0) result = read_view(db, &r->views[i], ROCPD_OF_VIEW, to);
    }
    if (result != 0 || (quick && r->regions.view)) return result;
    result = read_categories(db, to);
    return result == 0 ? read_view(db, &r->regions, ROCPD_OF_CATEGORY, to) : -1;
}

int rocpd_rows_read(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to)
{
    to->names = r->names;
    const int quick = rocpd_rows_quick(r, db, to);
    if (quick < 0) return -1;
    if (quick == 0) return read_views(r, db, true, to);
    rocpd_partial_free(to);
    to->names = r->names;
    return read_views(r, db, false, to);
}
