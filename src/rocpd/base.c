/* base.c - see base.h. Files, views, windows; the statements that read them are the
 * sub-commands'. */
#include "rocpd/base.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "base/words.h"
#include "base/yaml_load.h"
#include "rocpd/own.h"
#include "trace/keys.h"
#include "trace/store.h"

enum { INDEX_DEPTH = 8 };

/* ---- files ---- */

static int add_file(rocpd_files_t *f, const char *path)
{
    char *copy = BASE_GROW_BY_ONE(f->paths, f->count) ? realpath(path, NULL) : NULL;
    if (!copy) {
        base_error("%s: %s", path, strerror(errno));
        return -1;
    }
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->paths[i], copy) == 0) {
            free(copy);
            return 0;
        }
    f->paths[f->count++] = copy;
    return 0;
}

char *rocpd_read_file(const char *path)
{
    enum { BYTES_MAX = 64 << 20 };
    char why[PATH_MAX + 128];
    size_t bytes;
    char *text = base_file_text(path, BYTES_MAX, &bytes, why, sizeof(why));
    if (!text) base_error("%s", why);
    return text;
}

/* `depth`: how deep index files are nested here, each named by the one before. */
static int add_path(rocpd_files_t *f, const char *path, unsigned depth);

/* Adds the file that a scalar of an index names. Paths are relative to the index. */
static int add_named(rocpd_files_t *f, const char *path, const yaml_node_t *node, unsigned depth)
{
    char whole[2 * PATH_MAX];
    if (!node || node->type != YAML_SCALAR_NODE || !node->data.scalar.length) return 0;
    const char *name = (const char *)node->data.scalar.value;
    const bool absolute = *name == '/';
    snprintf(whole, sizeof(whole), "%.*s%s", absolute ? 0 : (int)(base_last_part(path) - path),
             path, name);
    return add_path(f, whole, depth + 1);
}

/* The value of a key in a mapping; NULL: there is none, or the node is no mapping. */
static yaml_node_t *value_of(yaml_document_t *document, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE) return NULL;
    for (yaml_node_pair_t *at = node->data.mapping.pairs.start; at < node->data.mapping.pairs.top;
         at++) {
        const yaml_node_t *k = yaml_document_get_node(document, at->key);
        if (k && k->type == YAML_SCALAR_NODE && !strcmp((const char *)k->data.scalar.value, key))
            return yaml_document_get_node(document, at->value);
    }
    return NULL;
}

/* Adds what stands under `files`, in the index itself or in rocprofiler-sdk, rocpd: a list of
 * names, or one. Aliases are followed, so there is no recursion here, which they could make
 * endless. */
static int add_listed(rocpd_files_t *f, const char *path, yaml_document_t *document, unsigned depth)
{
    int result = 0;
    yaml_node_t *node = yaml_document_get_root_node(document), *inner;
    if ((inner = value_of(document, node, "rocprofiler-sdk"))) node = inner;
    if ((inner = value_of(document, node, "rocpd"))) node = inner;
    node = value_of(document, node, "files");
    if (!node || node->type != YAML_SEQUENCE_NODE) return add_named(f, path, node, depth);
    const yaml_node_item_t *at = node->data.sequence.items.start;
    for (; result == 0 && at < node->data.sequence.items.top; at++)
        result = add_named(f, path, yaml_document_get_node(document, *at), depth);
    return result;
}

static int add_index(rocpd_files_t *f, const char *path, unsigned depth)
{
    yaml_document_t document;
    base_yaml_problem_t problem;
    char *text = rocpd_read_file(path);
    if (!text) return -1;
    const bool loaded = base_yaml_load(&document, text, strlen(text), &problem);
    free(text);
    if (!loaded) {
        base_error("%s:%zu:%zu: %s%s%s", path, problem.line, problem.column, problem.context,
                   *problem.context ? ": " : "", problem.text);
        return -1;
    }
    const int result = add_listed(f, path, &document, depth);
    yaml_document_delete(&document);
    return result;
}

static int add_directory(rocpd_files_t *f, const char *path, unsigned depth)
{
    char index[PATH_MAX];
    int result = 0;
    trace_join(index, sizeof(index), path, "index.yaml");
    struct stat st;
    if (stat(index, &st) == 0) return add_index(f, index, depth);
    char **names = trace_list(path);
    size_t before = f->count;
    for (char **name = names; name && *name && result == 0; name++) {
        char file[PATH_MAX];
        trace_join(file, sizeof(file), path, *name);
        if (base_ends_with(*name, ".db")) result = add_file(f, file);
    }
    if (!names) base_error("%s: %s", path, strerror(errno));
    if (names && result == 0 && f->count == before) base_error("%s: holds no *.db", path);
    trace_list_free(names);
    return f->count > before ? result : -1;
}

static int add_path(rocpd_files_t *f, const char *path, unsigned depth)
{
    struct stat st;
    if (depth > INDEX_DEPTH) {
        base_error("%s: more than %d indexes name one another", path, INDEX_DEPTH);
        return -1;
    }
    if (stat(path, &st) != 0) {
        base_error("%s: %s", path, strerror(errno));
        return -1;
    }
    if (S_ISDIR(st.st_mode)) return add_directory(f, path, depth);
    if (base_ends_with(path, ".yaml") || base_ends_with(path, ".yml"))
        return add_index(f, path, depth);
    return add_file(f, path);
}

int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < o->values[ROCPD_INPUT].count; i++) {
        glob_t found = {0};
        const char *word = o->values[ROCPD_INPUT].words[i];
        struct stat st;
        bool wild = stat(word, &st) != 0 && strpbrk(word, "*?[");
        if (!wild) {
            result = add_path(f, word, 0);
            continue;
        }
        if (glob(word, 0, NULL, &found) != 0) {
            base_error("%s: matches nothing", word);
            result = -1;
        }
        for (size_t j = 0; result == 0 && j < found.gl_pathc; j++)
            result = add_path(f, found.gl_pathv[j], 0);
        globfree(&found);
    }
    return result;
}

void rocpd_files_free(rocpd_files_t *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->paths[i]);
    free(f->paths);
}

char *rocpd_metadata(const char *path, const char *tag)
{
    static const char problem[] = "%s: is no rocpd database: %s";
    char *value = NULL, what[PATH_MAX + 64];
    db_t db;
    db_why_t why;
    db_cursor_t c;
    if (db_open(&db, &path, 1, &why) != 0) {
        base_error(problem, path, why.reason);
        return NULL;
    }
    snprintf(what, sizeof(what), "%s: is no rocpd database", path);
    db_rows(&c, &db, "SELECT value FROM rocpd_metadata WHERE tag = ?", "t", tag);
    const bool found = db_next(&c) && !db_null(&c, 0);
    if (found) value = strdup(db_text(&c, 0));
    if (db_end(&c, what) == 0 && !value)
        base_error(problem, path, found ? strerror(ENOMEM) : "its metadata names no schema");
    db_close(&db);
    return value;
}

/* ---- views ---- */

int rocpd_same_schema(const rocpd_files_t *f, const char *what)
{
    char *version = rocpd_metadata(f->paths[0], "schema_version");
    int result = version ? 0 : -1;
    for (size_t i = 1; result == 0 && i < f->count; i++) {
        char *other = rocpd_metadata(f->paths[i], "schema_version");
        if (!other || strcmp(other, version) != 0) result = -1;
        if (other && result != 0)
            base_error("%s has schema version %s, %s has %s: they cannot be %s", f->paths[i], other,
                       f->paths[0], version, what);
        free(other);
    }
    free(version);
    return result;
}

/* The columns of times in tables whose rows have times. */
static const struct {
    const char *table, *start, *end;
} timed[] = {
    {"rocpd_region", "start", "end"},           {"rocpd_kernel_dispatch", "start", "end"},
    {"rocpd_memory_copy", "start", "end"},      {"rocpd_memory_allocate", "start", "end"},
    {"rocpd_graph_launch", "start", "end"},     {"rocpd_hip_event", "start", "end"},
    {"rocpd_sample", "timestamp", "timestamp"},
};

static char *condition(const rocpd_window_t *w, const char *table)
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

/* Name of the i-th attached database (a part) in SQL. */
static void name_part(const rocpd_base_t *b, size_t i, char name[32])
{
    if (i)
        snprintf(name, 32, "db%zu", i);
    else
        snprintf(name, 32, "%s", b->first);
}

/* Makes a temporary view from a SELECT. */
static int make_view(rocpd_base_t *b, const char *name, sqlite3_str *select)
{
    char *rows = sqlite3_str_finish(select);
    const int result =
        rows ? db_runf(&b->db, name,
                       "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS %s", name, name,
                       rows)
             : -1;
    sqlite3_free(rows);
    return result;
}

/* Makes a temporary view that unites the views of this name in all parts. */
static int unite(rocpd_base_t *b, const char *name, const void *data)
{
    (void)data;
    char *where = condition(&b->window, name), part[32];
    sqlite3_str *sql = sqlite3_str_new(b->db.handle);
    for (size_t i = 0; i < b->count; i++) {
        name_part(b, i, part);
        sqlite3_str_appendf(sql, "%sSELECT * FROM %s.\"%w\"%s", i ? " UNION ALL " : "", part, name,
                            where);
    }
    sqlite3_free(where);
    return make_view(b, name, sql);
}

/* Makes the temporary view of this name show the table of one run only: the table's name ends with
 * the run's id. If there is no such table, the view stays as it is. */
static int pick_out(rocpd_base_t *b, const char *name, const void *data)
{
    char *table = sqlite3_mprintf("%s_%s", name, data), part[32];
    int result = table ? 0 : -1;
    for (char *c = table ? table + strlen(name) : NULL; c && *c; c++)
        if (*c == '-') *c = '_';
    for (size_t i = 0; table && i < b->count; i++) {
        name_part(b, i, part);
        if (sqlite3_table_column_metadata(b->db.handle, part, table, NULL, NULL, NULL, NULL, NULL,
                                          NULL) != SQLITE_OK)
            continue;
        char *where = condition(&b->window, name);
        sqlite3_str *sql = sqlite3_str_new(b->db.handle);
        sqlite3_str_appendf(sql, "SELECT * FROM %s.\"%w\"%s", part, table, where);
        sqlite3_free(where);
        result = make_view(b, name, sql);
        break;
    }
    sqlite3_free(table);
    return result;
}

static int make_own_views(const rocpd_base_t *b)
{
    char names[DB_FILES_MAX][32];
    const char *parts[DB_FILES_MAX];
    for (size_t i = 0; i < b->count; i++) {
        name_part(b, i, names[i]);
        parts[i] = names[i];
    }
    return rocpd_own_views(&b->db, parts, b->count);
}

/* Begins the list of the first part's views with their SQL: if `plain`, those of single tables
 * (rocpd_*), else the others. */
static void list_views(const rocpd_base_t *b, db_cursor_t *c, bool plain)
{
    char *sql = sqlite3_mprintf("SELECT name, sql FROM %s.sqlite_master WHERE type = 'view' AND "
                                "name %s LIKE 'rocpd\\_%%' ESCAPE '\\' AND name NOT LIKE "
                                "'crocprof\\_%%' ESCAPE '\\' ORDER BY rowid",
                                b->first, plain ? "" : "NOT");
    db_rows(c, &b->db, sql, "");
    sqlite3_free(sql);
}

static int make_plain_views(rocpd_base_t *b,
                            int (*make)(rocpd_base_t *b, const char *name, const void *data),
                            const void *data)
{
    db_cursor_t c;
    int result = 0;
    list_views(b, &c, true);
    while (result == 0 && db_next(&c))
        result = make(b, db_text(&c, 0), data);
    return db_end(&c, "reading the schema") == 0 ? result : -1;
}

int rocpd_narrow(rocpd_base_t *b, const char *guid)
{
    return make_plain_views(b, pick_out, guid);
}

/* Makes temporary copies of the first file's other views, so that they read the temporary views of
 * tables. */
static int make_data_views(rocpd_base_t *b)
{
    db_cursor_t c;
    list_views(b, &c, false);
    while (db_next(&c))
        db_view(&b->db, db_text(&c, 0), db_text(&c, 1), true);
    return db_end(&c, "reading the schema");
}

/* ---- windows ---- */

/* Finds the first beginning and the last end of all rows that have times. */
static int find_span(const db_t *db, rocpd_window_t *w)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    const char *between = "SELECT MIN(a), MAX(b) FROM (";
    db_cursor_t c;
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
    if (db_next(&c)) {
        w->begin = db_int(&c, 0);
        w->end = db_int(&c, 1);
    }
    sqlite3_free(text);
    return db_end(&c, "reading times");
}

/* Finds when the marker with this text began and ended. */
static int find_marker(const db_t *db, const char *text, long long *begin, long long *end)
{
    char what[512];
    long long count = 0;
    db_cursor_t c;
    snprintf(what, sizeof(what), "marker '%s'", text);
    db_rows(&c, db,
            "SELECT MIN(a), MAX(b), COUNT(*) FROM (SELECT R.start a, R.\"end\" b FROM "
            "rocpd_region R JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid WHERE "
            "JSON_EXTRACT(E.extdata, '$.message') = ?1 UNION ALL SELECT S.timestamp, S.timestamp "
            "FROM rocpd_sample S JOIN rocpd_event E ON E.id = S.event_id AND E.guid = S.guid WHERE "
            "JSON_EXTRACT(E.extdata, '$.message') = ?1)",
            "t", text);
    if (db_next(&c)) {
        *begin = db_int(&c, 0);
        *end = db_int(&c, 1);
        count = db_int(&c, 2);
    }
    if (db_end(&c, what) != 0) return -1;
    if (count == 1) return 0;
    base_error("marker '%s': there are %lld of this name, one is needed", text, count);
    return -1;
}

/* A whole number is read exactly; a number with a point or an exponent is as exact as a double. */
static long long nanoseconds(const char *word, double number)
{
    if (!word[strspn(word, " +-0123456789")]) return strtoll(word, NULL, 10);
    if (!(number > -9.2e18)) return LLONG_MIN;
    return number < 9.2e18 ? (long long)number : LLONG_MAX;
}

/* Reads a time: "50%" of the span, or nanoseconds. */
static int read_time(const char *option, const char *word, const rocpd_window_t *span,
                     long long *ns)
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

static int find_window(const db_t *db, const rocpd_options_t *o, rocpd_window_t *w)
{
    const char *start = rocpd_word(o, ROCPD_START, NULL), *end = rocpd_word(o, ROCPD_END, NULL);
    const char *from = rocpd_word(o, ROCPD_START_MARKER, NULL);
    const char *to = rocpd_word(o, ROCPD_END_MARKER, NULL);
    rocpd_window_t span;
    long long ignored;
    w->inclusive = base_truth(rocpd_word(o, ROCPD_INCLUSIVE, "true")) > 0;
    w->whole = !start && !end && !from && !to;
    if (w->whole) return 0;
    if (find_span(db, w) != 0) return -1;
    span = *w;
    if (start && read_time("start", start, &span, &w->begin) != 0) return -1;
    if (end && read_time("end", end, &span, &w->end) != 0) return -1;
    if (from && find_marker(db, from, &w->begin, &ignored) != 0) return -1;
    if (to && find_marker(db, to, &ignored, &w->end) != 0) return -1;
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

/* Copies all databases, more than one connection can attach, into a temporary one. */
static int open_copy(db_t *db, const rocpd_files_t *f)
{
    if (db_make(db, "") != 0) return -1;
    if (rocpd_copy(db, f) == 0) {
        db_lock(db);
        return 0;
    }
    db_close(db);
    return -1;
}

static int open_files(db_t *db, const rocpd_files_t *f)
{
    db_why_t why;
    if (db_open(db, (const char *const *)f->paths, f->count, &why) == 0) return 0;
    base_error("%s: %s", why.path, why.reason);
    return -1;
}

int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o)
{
    const bool many = f->count > DB_FILES_MAX;
    *b = (rocpd_base_t){
        .first = many ? "main" : "db0", .count = many ? 1 : f->count, .window = {.whole = true}};
    if (rocpd_same_schema(f, "read together") != 0 ||
        (many ? open_copy : open_files)(&b->db, f) != 0)
        return -1;
    int result = make_plain_views(b, unite, NULL);
    if (result == 0) result = find_window(&b->db, o, &b->window);
    if (result == 0 && !b->window.whole) result = make_plain_views(b, unite, NULL);
    if (result == 0) result = make_own_views(b);
    if (result == 0) result = make_data_views(b);
    if (result != 0) rocpd_close(b);
    return result;
}

void rocpd_close(rocpd_base_t *b)
{
    db_close(&b->db);
}

/* ---- outputs ---- */

int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes)
{
    const char *env = getenv("ROCPD_OUTPUT_PATH");
    const char *given = rocpd_word(o, ROCPD_OUTPUT_PATH, env && *env ? env : "./rocpd-output-data");
    char directory[PATH_MAX], why[512];
    trace_keys_t *keys = trace_keys_current();
    int result =
        keys ? trace_keys_expand(keys, given, directory, sizeof(directory), why, sizeof(why)) : -1;
    if (result != 0) base_error("--output-path %s: %s", given, keys ? why : strerror(ENOMEM));
    if (keys) trace_keys_free(keys);
    if (result == 0 && trace_make_directories(directory) != 0) {
        base_error("%s: %s", directory, strerror(errno));
        result = -1;
    }
    if (result == 0 && (size_t)snprintf(path, bytes, "%s/%s", directory, name) >= bytes) {
        base_error("%s/%s: %s", directory, name, strerror(ENAMETOOLONG));
        result = -1;
    }
    return result;
}
