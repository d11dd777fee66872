/* merge_views.c - see merge.h. The views of a merged database: those that unite the tables of all
 * runs, and those that read the former. To make them in the merged file, SQLite would have to parse
 * the definitions of the tables of all runs, in a time that grows with the square of their number.
 * So they are made in a sample, which has one table of each form, and their texts are listed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "db/image.h"
#include "rocpd/merge.h"
#include "rocpd/own.h"

/* ---- in the database that has the tables ---- */

int rocpd_merge_each(db_t *db, const char *query, rocpd_merge_each_t each, const char *what)
{
    db_cursor_t c;
    int result = 0;
    db_rows(&c, db, query, "");
    while (result == 0 && db_next(&c))
        result = each(db, db_text(&c, 0), db_text(&c, 1), what);
    return db_end(&c, "reading the schema") == 0 ? result : -1;
}

static int no_memory(const char *name)
{
    base_error("%s: %s", name, strerror(ENOMEM));
    return -1;
}

/* Lists the tables whose names are this name and a run's id. Returns 0, or -1 after reporting the
 * reason. */
static int list_tables(const db_t *db, const char *name, char ***tables, size_t *count)
{
    bool room = true;
    db_cursor_t c;
    for (rocpd_tables_of(db, &c, name); room && db_next(&c);)
        room = base_add_text(tables, count, db_text(&c, 0));
    if (!room) no_memory(name);
    return db_end(&c, "reading a database") == 0 && room ? 0 : -1;
}

/* Returns the text of a view that unites these tables; to be freed with sqlite3_free(). */
static char *unite(const db_t *db, const char *name, const char *const *tables, size_t count)
{
    sqlite3_str *text = sqlite3_str_new(db->handle);
    sqlite3_str_appendf(text, "CREATE VIEW \"%w\" AS ", name);
    for (size_t i = 0; i < count; i++) {
        rocpd_unite(text, i, count);
        sqlite3_str_appendf(text, "SELECT * FROM \"%w\"", tables[i]);
    }
    rocpd_unite(text, count, count);
    return sqlite3_str_finish(text);
}

/* Makes a view that unites all tables whose names are the view's name and a run's id. */
static int unite_tables(db_t *db, const char *name, const char *sql, const char *file)
{
    char **tables = NULL;
    size_t count = 0;
    (void)sql;
    int result = list_tables(db, name, &tables, &count);
    if (result == 0 && count) {
        char *view = unite(db, name, (const char *const *)tables, count);
        result = db_run(db, view, file);
        sqlite3_free(view);
    }
    for (size_t i = 0; i < count; i++)
        free(tables[i]);
    free(tables);
    return result;
}

static int copy_view(db_t *db, const char *name, const char *sql, const char *file)
{
    (void)file;
    db_view(db, name, sql, false, rocpd_is_own_view(sql));
    return 0;
}

int rocpd_merge_views(db_t *db, const char *path, bool shared)
{
    int result = db_attach(db, path);
    if (result == 0 && !shared)
        result =
            rocpd_merge_each(db,
                             "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND "
                             "name LIKE 'rocpd\\_%' ESCAPE '\\' ORDER BY rowid",
                             unite_tables, path);
    if (result == 0)
        result = rocpd_merge_each(
            db,
            "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND name NOT LIKE "
            "'rocpd\\_%' ESCAPE '\\' AND name NOT LIKE 'crocprof\\_%' ESCAPE '\\' ORDER BY rowid",
            copy_view, path);
    if (result == 0 && !shared) result = rocpd_own_merge(db);
    return result == 0 ? db_run(db, "DETACH part", path) : -1;
}

/* ---- in a sample ---- */

/* More forms than the databases of any job have: the sample would not be smaller than the whole. */
enum { FORMS_MOST = 1000 };

typedef struct {
    db_t db; /* the sample */
    const char *path;
    const rocpd_tree_t *const *tables;
    size_t count;
    const rocpd_tree_t **forms; /* the tables of the sample */
    size_t form_count;
    const char **names; /* room for the names of all tables */
    rocpd_views_t *views;
} sample_t;

/* Returns what follows the name in a table's definition. */
static const char *columns_of(const rocpd_tree_t *table)
{
    static const char begin[] = "CREATE TABLE \"";
    const char *name = table->sql + sizeof(begin) - 1;
    /* a name with quotes is written otherwise: such a table has a form of its own */
    return base_begins_with(name, table->name) ? name + strlen(table->name) : table->sql;
}

/* Returns the length of a table's name without the '_' and the run's id at its end. */
static size_t kind_length(const char *name)
{
    const size_t length = strlen(name);
    return length > DB_GUID_BYTES + 1 ? length - DB_GUID_BYTES - 1 : length;
}

/* Returns whether two tables differ only in the runs' ids in their names. */
static bool is_alike(const rocpd_tree_t *a, const rocpd_tree_t *b)
{
    const size_t length = kind_length(a->name);
    return kind_length(b->name) == length && strncmp(a->name, b->name, length) == 0 &&
           strcmp(columns_of(a), columns_of(b)) == 0;
}

static bool is_known(const sample_t *s, const rocpd_tree_t *table)
{
    for (size_t i = 0; i < s->form_count; i++)
        if (is_alike(s->forms[i], table)) return true;
    return false;
}

static int interrupted(void)
{
    base_error("merging: interrupted");
    return -1;
}

/* Makes a table of each form in the sample. */
static int make_tables(sample_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (db_interrupted) return interrupted();
        if (is_known(s, s->tables[i])) continue;
        if (s->form_count == FORMS_MOST) return 1;
        if (!BASE_GROW_BY_ONE(s->forms, s->form_count)) return no_memory(s->path);
        s->forms[s->form_count++] = s->tables[i];
        if (db_run(&s->db, s->tables[i]->sql, s->path) != 0) return -1;
    }
    return 0;
}

/* Returns whether the table's name is the view's name and a run's id. */
static bool is_of(const rocpd_tree_t *table, const char *view)
{
    return base_begins_with(table->name, view) && table->name[strlen(view)] == '_';
}

static bool is_own(const char *view)
{
    for (size_t i = 0; i < OUT_OWN_COUNT; i++)
        if (strcmp(rocpd_own_names[i], view) == 0) return true;
    return false;
}

/* Returns whether all tables of each view of ours have the same columns. Of others, the view would
 * have the columns of all of them. */
static bool are_own_alike(const sample_t *s)
{
    for (size_t own = 0; own < OUT_OWN_COUNT; own++) {
        size_t forms = 0;
        for (size_t i = 0; i < s->form_count; i++)
            forms += is_of(s->forms[i], rocpd_own_names[own]);
        if (forms > 1) return false;
    }
    return true;
}

static bool is_ours(const char *view)
{
    return strncasecmp(view, "rocpd_", 6) == 0;
}

/* Returns whether the view means in the merged file what it means in the sample. It does not
 * if its name is that of a table, or begins as the names of indices do, or if it is named as tables
 * of a single run are, with the run's id. */
static bool is_as_usual(const sample_t *s, const char *view)
{
    static const char index[] = "by_event_";
    if (sqlite3_strnicmp(view, index, sizeof(index) - 1) == 0) return false;
    for (size_t i = 0; i < s->count; i++) {
        const char *table = s->tables[i]->name;
        if (sqlite3_stricmp(view, table) == 0) return false;
        if (is_ours(view) && is_of(s->tables[i], view) && strlen(view) > kind_length(table))
            return false;
    }
    return true;
}

/* Looks at the names of the file's views before the sample gets any, since that may give warnings.
 * Returns 0; 1 if at least one view is unusual; -1 after reporting the reason. */
static int look_at_views(sample_t *s)
{
    db_cursor_t c;
    bool usual = true;
    if (db_attach(&s->db, s->path) != 0) return -1;
    db_rows(&c, &s->db, "SELECT name FROM part.sqlite_master WHERE type = 'view'", "");
    while (usual && !db_interrupted && db_next(&c))
        usual = is_as_usual(s, db_text(&c, 0));
    if (db_end(&c, "reading the schema") != 0) return -1;
    if (db_interrupted) return interrupted();
    return db_run(&s->db, "DETACH part", s->path) == 0 ? !usual : -1;
}

/* Returns whether the view can be read in the sample. If a table is not there, nobody has seen what
 * else the view does. */
static bool is_readable(const sample_t *s, const char *view)
{
    db_cursor_t c;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", view);
    const bool good = db_rows(&c, &s->db, sql, "");
    db_drop(&c);
    sqlite3_free(sql);
    return good;
}

/* Returns the text of the sample's view over the tables of all runs; NULL after reporting the
 * reason. */
static char *text_of(const sample_t *s, const char *view, const char *sql)
{
    const bool own = is_own(view);
    size_t count = 0;
    for (size_t i = 0; (own || is_ours(view)) && i < s->count; i++)
        if (is_of(s->tables[i], view)) s->names[count++] = s->tables[i]->name;
    if (own) return rocpd_own_text(&s->db, view, s->names[0], s->names, count);
    char *text = is_ours(view) ? unite(&s->db, view, s->names, count) : sqlite3_mprintf("%s", sql);
    if (!text) no_memory(view);
    return text;
}

/* Lists a view. Returns 0; 1 if SQL has to make it, or to say why it cannot; -1 after reporting the
 * reason. */
static int list_view(const sample_t *s, const char *name, const char *sql)
{
    rocpd_views_t *v = s->views;
    const bool copied = !is_own(name) && !is_ours(name) && !rocpd_is_own_view(sql);
    if (copied && !is_readable(s, name)) return 1;
    char *text = text_of(s, name, sql), *copy = NULL;
    int result = !text ? -1 : strlen(text) > DB_SQL_BYTES ? 1 : 0;
    if (result == 0 && BASE_GROW_BY_ONE(v->rows, v->count)) copy = strdup(name);
    if (result == 0 && !copy) result = no_memory(name);
    if (result == 0)
        v->rows[v->count++] = (rocpd_merge_view_t){copy, text};
    else
        sqlite3_free(text);
    return result;
}

static int list_views(const sample_t *s)
{
    int result = 0;
    db_cursor_t c;
    db_rows(&c, &s->db,
            "SELECT name, sql FROM main.sqlite_master WHERE type = 'view' ORDER BY rowid", "");
    while (result == 0 && db_next(&c))
        result = list_view(s, db_text(&c, 0), db_text(&c, 1));
    return db_end(&c, "reading the schema") == 0 ? result : -1;
}

static int fill_sample(sample_t *s)
{
    int result = make_tables(s);
    if (result == 0 && !are_own_alike(s)) result = 1;
    if (result == 0) result = look_at_views(s);
    if (result == 0) result = rocpd_merge_views(&s->db, s->path, false);
    return result == 0 ? list_views(s) : result;
}

int rocpd_views_list(rocpd_views_t *v, const char *path, const rocpd_tree_t *const *tables,
                     size_t count)
{
    sample_t s = {.path = path, .tables = tables, .count = count, .views = v};
    *v = (rocpd_views_t){0};
    if (db_make(&s.db, "") != 0) return -1;
    s.names = calloc(count + 1, sizeof(*s.names));
    const int result = s.names ? fill_sample(&s) : no_memory(path);
    db_close(&s.db);
    free(s.names);
    free(s.forms);
    return result;
}

void rocpd_views_free(rocpd_views_t *v)
{
    for (size_t i = 0; i < v->count; i++) {
        free(v->rows[i].name);
        sqlite3_free(v->rows[i].sql);
    }
    free(v->rows);
    *v = (rocpd_views_t){0};
}
