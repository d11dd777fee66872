/* merge_source.c - see merge.h. What a database has that its rows are copied of: metadata of each
 * of its processes, and views of single tables, since the names of tables end with a process's id.
 * The file may be hostile: its views are read only if they end. What is left out is told. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/log.h"
#include "db/schema.h"
#include "rocpd/merge.h"
#include "rocpd/own.h"

typedef struct {
    const char *path;
    db_t db;
    bool tell;      /* of what is left out */
    bool may_recur; /* at least one of all views may read itself */
    char **views;   /* names of the views of single tables, in the order of the schema */
    size_t count;
    rocpd_merge_use_t use;
    void *data;
} source_t;

/* Names in messages have no control characters, and not too many others. */
enum { SHOWN_BYTES = 80 };

static const char *show(const char *name, char shown[SHOWN_BYTES])
{
    size_t n = 0;
    for (; name[n] && n < SHOWN_BYTES - 1; n++)
        shown[n] = name[n];
    shown[n] = 0;
    for (size_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)shown[i])) shown[i] = '?';
    return shown;
}

/* Lists the views. Returns 0, or -1 after reporting the reason; so do the functions below that
 * return an int. */
static int list_views(source_t *s)
{
    bool room = true;
    db_cursor_t c;
    db_rows(
        &c, &s->db,
        "SELECT name, sql, name LIKE 'rocpd\\_%' ESCAPE '\\' OR name LIKE 'crocprof\\_%' ESCAPE "
        "'\\', sql LIKE '%with%' FROM db0.sqlite_master WHERE type = 'view' ORDER BY rowid",
        "");
    while (room && db_next(&c)) {
        if (db_int(&c, 3) && !rocpd_is_own_view(db_text(&c, 1))) s->may_recur = true;
        if (db_int(&c, 2)) room = base_add_text(&s->views, &s->count, db_text(&c, 0));
    }
    if (!room) base_error("%s: %s", s->path, strerror(ENOMEM));
    return db_end(&c, "reading the schema") == 0 && room ? 0 : -1;
}

/* Returns whether one of the views has the table's name without what follows a '_'. */
static bool is_shown(const source_t *s, const char *table)
{
    for (size_t i = 0; i < s->count; i++) {
        const size_t length = strlen(s->views[i]);
        if (strncasecmp(table, s->views[i], length) == 0 && table[length] == '_') return true;
    }
    return false;
}

/* Tells of tables whose rows are not copied. */
static int tell_of_tables(const source_t *s)
{
    char first[SHOWN_BYTES] = "";
    size_t count = 0;
    db_cursor_t c;
    db_rows(
        &c, &s->db,
        "SELECT name FROM db0.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\' ORDER BY rowid",
        "");
    while (db_next(&c)) {
        if (is_shown(s, db_text(&c, 0))) continue;
        if (!count++) show(db_text(&c, 0), first);
    }
    if (count == 1)
        base_warning("%s: table %s is left out: no view of the schema shows it", s->path, first);
    if (count > 1)
        base_warning("%s: table %s and %zu more are left out: no view of the schema shows them",
                     s->path, first, count - 1);
    return db_end(&c, "reading the schema");
}

/* Returns whether the view ends, or is a table. */
static bool is_readable(const source_t *s, const char *view)
{
    char shown[SHOWN_BYTES];
    if (!s->may_recur || !db_reads_itself(&s->db, view)) return true;
    if (s->tell)
        base_warning("%s: view %s is left out: it reads what it makes, perhaps without an end",
                     s->path, show(view, shown));
    return false;
}

/* Uses the rows of a statement, which is ended then; `sql` may be NULL without memory. */
static int use_rows(const source_t *s, const char *view, const char *sql, const char *formats,
                    const char *guid)
{
    db_cursor_t c;
    db_rows(&c, &s->db, sql, formats, guid);
    const int result = s->use(s->data, view, &c);
    return db_end(&c, view) == 0 ? result : -1;
}

/* ---- metadata: rows that do not say of which process they are ---- */

static void tell_of_metadata(const source_t *s, bool any)
{
    if (!s->tell) return;
    base_warning("%s: its table rocpd_metadata is left out: %s", s->path,
                 any ? "it does not say of which of the file's processes it is"
                     : "the file names no process that it is of");
}

static int use_metadata(const source_t *s)
{
    int result = 0;
    bool any = false, told = false;
    db_cursor_t processes;
    if (db_shares_tables(&s->db))
        return !is_readable(s, DB_SHARED_METADATA)
                   ? 0
                   : use_rows(s, DB_SHARED_METADATA,
                              "SELECT id, tag, value, guid FROM " DB_SHARED_METADATA, "", NULL);
    if (!is_readable(s, "rocpd_info_process") || !is_readable(s, "rocpd_metadata")) return 0;
    db_rows(
        &processes, &s->db,
        "SELECT guid, COUNT(*) OVER () FROM (SELECT DISTINCT guid FROM rocpd_info_process WHERE "
        "guid IS NOT NULL)",
        "");
    for (; result == 0 && db_next(&processes); any = true) {
        char table[DB_TABLE_BYTES];
        const char *guid = db_text(&processes, 0);
        const bool own = db_own_metadata(&s->db, guid, table);
        if (!own && db_int(&processes, 1) > 1) { /* nobody can tell of whom they are */
            if (!told) tell_of_metadata(s, true);
            told = true;
            continue;
        }
        char *sql = sqlite3_mprintf("SELECT id, tag, value, ? AS guid FROM \"%w\"",
                                    own ? table : "rocpd_metadata");
        result = use_rows(s, DB_SHARED_METADATA, sql, "t", guid);
        sqlite3_free(sql);
    }
    if (db_end(&processes, "reading processes") != 0) return -1;
    if (result == 0 && !any) tell_of_metadata(s, false);
    return result;
}

/* ---- all tables ---- */

static bool is_metadata(const char *view)
{
    return strcasecmp(view, "rocpd_metadata") == 0 || strcasecmp(view, DB_SHARED_METADATA) == 0;
}

static int use_views(const source_t *s)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < s->count; i++) {
        if (is_metadata(s->views[i]) || !is_readable(s, s->views[i])) continue;
        char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", s->views[i]);
        result = use_rows(s, s->views[i], sql, "", NULL);
        sqlite3_free(sql);
    }
    return result;
}

int rocpd_merge_source(const char *path, bool tell, rocpd_merge_use_t use, void *data)
{
    source_t s = {.path = path, .tell = tell, .use = use, .data = data};
    if (rocpd_files_open(&s.db, path) != 0) return -1;
    s.db.name = path;
    s.db.named = true;
    db_hold(&s.db);
    int result = list_views(&s);
    if (result == 0 && tell) result = tell_of_tables(&s);
    if (result == 0) result = use_metadata(&s);
    if (result == 0) result = use_views(&s);
    db_release(&s.db);
    db_close(&s.db);
    for (size_t i = 0; i < s.count; i++)
        free(s.views[i]);
    free(s.views);
    return result;
}
