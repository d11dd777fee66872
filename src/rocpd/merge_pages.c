/* merge_pages.c - see merge.h. Several processes first survey the tables of each database and count
 * its pages. Then each database gets its range of pages in the new file, and the processes copy its
 * pages there. Last, the schema is written. In SQL, each CREATE TABLE searches the whole schema, so
 * that the time would grow with the square of the number of tables. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "db/pages.h"
#include "db/schema.h"
#include "model/sum.h"
#include "rocpd/merge.h"

/* A table or an index by event. */
typedef struct {
    db_tree_t from;
    uint32_t to; /* new number of the root: counted from the first page of the file's range, and
                  * later in the whole, from 1 */
    char *name, *sql;
} tree_t;

typedef struct {
    tree_t *trees;
    size_t count;
    uint32_t page_bytes, pages;
    bool shared;     /* its runs share tables */
    uint32_t before; /* number of pages before it: of the files before it, and the first page */
} file_t;

typedef struct {
    const rocpd_files_t *files;
    char *version; /* version of the first file's schema */
    const char *path;
    file_t *found;
    bool odd;    /* at least one file cannot be copied by pages */
    bool shared; /* the runs of at least one file share tables */
} work_t;

static int no_memory(void)
{
    base_error("merging: %s", strerror(ENOMEM));
    return -1;
}

/* ---- the survey of a file ---- */

static void put_tree(FILE *to, const tree_t *t)
{
    fwrite(t, sizeof(*t), 1, to);
    fprintf(to, "%s%c%s%c", t->name, 0, t->sql, 0);
}

/* Determines the form that records of a table must have. Returns false if the table stores other
 * values than its columns, since some are computed. */
static bool describe(const db_t *db, const char *table, db_tree_t *t)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT COUNT(*), SUM(hidden <> 0), SUM(pk <> 0), MAX(iif(pk AND upper(type) = "
            "'INTEGER', cid + 1, 0)) FROM pragma_table_xinfo(?1, 'db0')",
            "t", table);
    const bool plain = db_next(&c) && !db_int(&c, 1);
    if (plain) t->columns = (unsigned)db_int(&c, 0);
    if (plain && db_int(&c, 2) == 1) t->key = (unsigned)db_int(&c, 3);
    return db_end(&c, "reading a database") == 0 && plain && t->columns;
}

/* Writes an index by event if the table has it in the form in which merge.c would make it. */
static bool survey_index(const db_t *db, db_pages_t *pages, const char *table, uint32_t *next,
                         FILE *to)
{
    bool good = true;
    db_cursor_t c;
    char *name = sqlite3_mprintf("by_event_%s", table);
    char *sql =
        sqlite3_mprintf("CREATE INDEX \"by_event_%w\" ON \"%w\" (\"event_id\")", table, table);
    db_rows(&c, db,
            "SELECT rootpage FROM db0.sqlite_master WHERE type = 'index' AND name = ? AND tbl_name "
            "= ? AND sql = ?",
            "ttt", name, table, sql);
    if (db_next(&c)) {
        tree_t t = {.from.root = (uint32_t)db_int(&c, 0), .name = name, .sql = sql};
        t.to = db_pages_copy(pages, &t.from, -1, next);
        good = t.to;
        if (good) put_tree(to, &t);
    }
    if (db_end(&c, "reading a database") != 0) good = false;
    sqlite3_free(name);
    sqlite3_free(sql);
    return good;
}

/* Writes all tables. Returns false if the file has to be copied by SQL. */
static bool survey_tables(const db_t *db, db_pages_t *pages, uint32_t *next, FILE *to)
{
    bool good = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT name, rootpage FROM db0.sqlite_master WHERE type = 'table' AND name NOT LIKE "
            "'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
            "");
    while (good && db_next(&c)) {
        char *name = strdup(db_text(&c, 0));
        tree_t t = {.from.root = (uint32_t)db_int(&c, 1), .name = name};
        if (name && describe(db, name, &t.from)) t.sql = rocpd_table_like(db, "db0", name);
        t.to = t.sql ? db_pages_copy(pages, &t.from, -1, next) : 0;
        good = t.to;
        if (good) put_tree(to, &t);
        if (good) good = survey_index(db, pages, name, next, to);
        sqlite3_free(t.sql);
        free(name);
    }
    return db_end(&c, "reading the schema") == 0 && good;
}

/* Runs in a worker: writes a file_t and its trees; for a file that has to be copied by SQL, a
 * file_t without pages. */
static int survey(void *data, size_t number, FILE *to)
{
    const work_t *w = data;
    const char *path = w->files->paths[number];
    char *version = w->version, *trees = NULL;
    size_t bytes = 0;
    db_t db;
    db_pages_t pages;
    if (rocpd_files_open_by_names(&db, path) != 0) return -1;
    int result = rocpd_files_check(w->files, number, &db, "merged", &version);
    file_t f = {.shared = result == 0 && db_shares_tables(&db)};
    uint32_t next = 1;
    /* from the first statement on no other program can change the file */
    if (result == 0) result = db_run(&db, "BEGIN; SELECT 1 FROM rocpd_metadata LIMIT 1", path);
    if (result == 0 && !f.shared && db_pages_open(&pages, path)) {
        FILE *list = open_memstream(&trees, &bytes);
        f.page_bytes = pages.page_bytes;
        if (list && survey_tables(&db, &pages, &next, list)) f.pages = next - 1;
        if (list) fclose(list);
        db_pages_close(&pages);
    }
    db_close(&db);
    fwrite(&f, sizeof(f), 1, to);
    if (f.pages) fwrite(trees, 1, bytes, to);
    free(trees);
    return result;
}

static int take_survey(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    file_t *f = &w->found[number];
    const char *at = bytes, *end = bytes + count;
    memcpy(f, at, sizeof(*f));
    at += sizeof(*f);
    w->shared |= f->shared;
    w->odd |= !f->pages || f->page_bytes != w->found->page_bytes;
    while (at < end) {
        tree_t t;
        memcpy(&t, at, sizeof(t));
        at += sizeof(t);
        t.name = strdup(at);
        at += strlen(at) + 1;
        t.sql = strdup(at);
        at += strlen(at) + 1;
        if (!t.name || !t.sql || !BASE_GROW_BY_ONE(f->trees, f->count)) {
            free(t.name);
            free(t.sql);
            return no_memory();
        }
        f->trees[f->count++] = t;
    }
    return 0;
}

/* ---- the copy ---- */

/* Gives each file its range of pages. Returns 0; 1 if a database cannot have that many pages; -1
 * after reporting that two files have a table of the same name. */
static int place_files(work_t *w)
{
    sums_t names = {0}; /* only the names are used */
    uint64_t before = 1;
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->files->count; i++) {
        file_t *f = &w->found[i];
        for (size_t t = 0; result == 0 && t < f->count; t++) {
            const size_t known = names.count;
            if (!sums_row(&names, 0, f->trees[t].name)) {
                result = no_memory();
            } else if (names.count == known) {
                base_error("%s: table %s is in another of the databases already",
                           w->files->paths[i], f->trees[t].name);
                result = -1;
            }
        }
        f->before = (uint32_t)before;
        before += f->pages;
        if (result == 0 && before > UINT32_MAX - 2) result = 1;
    }
    sums_free(&names);
    return result;
}

/* Runs in a worker: copies the pages of a file. */
static int copy_pages(void *data, size_t number, FILE *unused)
{
    const work_t *w = data;
    const file_t *f = &w->found[number];
    const int to = base_file_open(w->path, O_WRONLY, 0);
    uint32_t next = f->before + 1;
    db_pages_t pages;
    (void)unused;
    bool good = to >= 0;
    if (good) good = db_pages_open(&pages, w->files->paths[number]);
    for (size_t i = 0; good && i < f->count; i++)
        good = db_pages_copy(&pages, &f->trees[i].from, to, &next) == f->before + f->trees[i].to;
    if (good) good = db_pages_write(&pages, to);
    if (to >= 0) db_pages_close(&pages);
    if (to >= 0 && close(to) != 0) good = false;
    if (good && next == f->before + f->pages + 1) return 0;
    base_error("%s: cannot be copied to %s: %s", w->files->paths[number], w->path,
               errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO
                   ? strerror(errno)
                   : "it was changed in the meantime");
    return -1;
}

static int take_nothing(void *data, size_t number, const char *bytes, size_t count)
{
    (void)data, (void)number, (void)bytes, (void)count;
    return 0;
}

/* Writes the schema. Tables of a file come before its indexes, as SQLite reads them in this
 * order. */
static int write_schema(const work_t *w)
{
    db_t db;
    if (db_make(&db, w->path) != 0) return -1;
    int result = db_pages_schema(&db, true);
    for (size_t i = 0; result == 0 && i < w->files->count; i++) {
        const file_t *f = &w->found[i];
        for (size_t t = 0; result == 0 && t < f->count; t++) {
            const tree_t *tree = &f->trees[t];
            const char *table = tree->from.columns ? tree->name : f->trees[t - 1].name;
            result = db_pages_add(&db, tree->from.columns ? "table" : "index", tree->name, table,
                                  db_pages_number(f->page_bytes, f->before + tree->to), tree->sql);
        }
    }
    if (result == 0) result = db_pages_schema(&db, false);
    if (db_close(&db) != 0) result = -1;
    return result;
}

static const char *name_file(const void *data, size_t number)
{
    const work_t *w = data;
    return w->files->paths[number];
}

static int copy_all(work_t *w, base_pool_t *pool)
{
    const file_t *last = &w->found[w->files->count - 1];
    pool->work = copy_pages;
    pool->take = take_nothing;
    int result = db_pages_begin(w->path, last->page_bytes, last->before + last->pages);
    if (result == 0) result = base_pool_run(pool);
    return result == 0 ? write_schema(w) : -1;
}

int rocpd_merge_pages(const rocpd_files_t *f, const rocpd_options_t *o, const char *path,
                      bool *shared)
{
    work_t w = {.files = f, .path = path, .found = calloc(f->count, sizeof(*w.found))};
    if (!w.found) return no_memory();
    base_pool_t pool = {.count = f->count,
                        .workers = rocpd_workers(o, f->count),
                        .work = survey,
                        .take = take_survey,
                        .name = name_file,
                        .data = &w,
                        .stop = &db_interrupted};
    w.version = rocpd_metadata(f->paths[0], "schema_version");
    int result = w.version ? base_pool_run(&pool) : -1;
    *shared = w.shared;
    int placed = result == 0 && !w.odd ? place_files(&w) : 1;
    if (placed < 0) result = -1;
    if (placed == 0) result = copy_all(&w, &pool);
    for (size_t i = 0; i < f->count; i++) {
        for (size_t t = 0; t < w.found[i].count; t++) {
            free(w.found[i].trees[t].name);
            free(w.found[i].trees[t].sql);
        }
        free(w.found[i].trees);
    }
    free(w.found);
    free(w.version);
    return result != 0 ? -1 : placed == 0;
}
