/* merge_pages.c - see merge.h. Several processes first survey the tables of each database and count
 * its pages. Then each database gets its range of pages in the new file, and the processes copy its
 * pages there. Last, the schema is written as rows, with all views. In SQL, each CREATE TABLE
 * searches the whole schema, and so does the parser when the file is opened again: the time would
 * grow with the square of the number of tables. */
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

typedef struct {
    rocpd_tree_t *trees;
    size_t count; /* of trees */
    uint32_t page_bytes, pages;
    uint32_t boots;  /* number of texts that say of which start of a node the file's runs are */
    bool shared;     /* its runs share tables */
    bool unindexed;  /* a table has no index by event and needs one */
    uint32_t before; /* number of pages before it: of the files before it, and the first page */
} file_t;

typedef struct {
    const rocpd_files_t *files;
    char *version; /* version of the first file's schema */
    const char *path;
    file_t *found;
    sums_t names;   /* of all tables and indexes in small letters; only the names are used */
    sums_t boots;   /* likewise, those of the starts of all nodes */
    bool odd;       /* at least one file cannot be copied by pages */
    bool shared;    /* the runs of at least one file share tables */
    bool unindexed; /* at least one table needs an index */
} work_t;

static int no_memory(void)
{
    base_error("merging: %s", strerror(ENOMEM));
    return -1;
}

/* ---- the survey of a file ---- */

static void put_tree(FILE *to, const rocpd_tree_t *t)
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

/* Writes an index by event if the table has it in the form in which merge.c would make it. If the
 * table needs it and has it not, *unindexed is set. */
static bool survey_index(const db_t *db, db_pages_t *pages, const char *table, uint32_t *next,
                         bool *unindexed, FILE *to)
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
        rocpd_tree_t t = {.from.root = (uint32_t)db_int(&c, 0), .name = name, .sql = sql};
        t.to = db_pages_copy(pages, &t.from, -1, next);
        good = t.to;
        if (good) put_tree(to, &t);
    } else if (rocpd_is_by_event(table) && db_has(db, table, "event_id")) {
        *unindexed = true;
    }
    if (db_end(&c, "reading a database") != 0) good = false;
    sqlite3_free(name);
    sqlite3_free(sql);
    return good;
}

/* Writes all tables. Returns false if the file has to be copied by SQL. */
static bool survey_tables(const db_t *db, db_pages_t *pages, uint32_t *next, bool *unindexed,
                          FILE *to)
{
    bool good = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT name, rootpage FROM db0.sqlite_master WHERE type = 'table' AND name NOT LIKE "
            "'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
            "");
    while (good && db_next(&c)) {
        char *name = strdup(db_text(&c, 0));
        rocpd_tree_t t = {.from.root = (uint32_t)db_int(&c, 1), .name = name};
        if (name && describe(db, name, &t.from)) t.sql = rocpd_table_like(db, "db0", name);
        t.to = t.sql ? db_pages_copy(pages, &t.from, -1, next) : 0;
        good = t.to;
        if (good) put_tree(to, &t);
        if (good) good = survey_index(db, pages, name, next, unindexed, to);
        sqlite3_free(t.sql);
        free(name);
    }
    return db_end(&c, "reading the schema") == 0 && good;
}

/* Writes of which starts of nodes the runs of a table are. Returns false if it cannot be read. */
static bool survey_boot(const db_t *db, const char *table, file_t *f, FILE *to)
{
    db_cursor_t c;
    char *sql = sqlite3_mprintf("SELECT DISTINCT value FROM db0.\"%w\" WHERE tag = 'boot_id' AND "
                                "value IS NOT NULL",
                                table);
    for (db_rows(&c, db, sql, ""); db_next(&c); f->boots++)
        fprintf(to, "%s%c", db_text(&c, 0), 0);
    const bool good = !*c.why;
    db_drop(&c);
    sqlite3_free(sql);
    return good;
}

/* The same for all runs of the file. The tables themselves are read, since a view may have no
 * end. Returns false if the file has to be copied by SQL, which reports the reason. */
static bool survey_boots(const db_t *db, file_t *f, FILE *to)
{
    bool good = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT name FROM db0.sqlite_master WHERE type = 'table' AND rootpage > 0 AND name "
            "GLOB 'rocpd_metadata_*' ORDER BY rowid",
            "");
    while (good && db_next(&c))
        good = survey_boot(db, db_text(&c, 0), f, to);
    good = good && !*c.why;
    db_drop(&c);
    return good;
}

/* Runs in a worker: writes a file_t, its texts and its trees; for a file that has to be copied by
 * SQL, a file_t without pages. */
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
        if (list && survey_boots(&db, &f, list) &&
            survey_tables(&db, &pages, &next, &f.unindexed, list))
            f.pages = next - 1;
        const bool failed = list && ferror(list); /* a text that has a gap is of no use */
        if (!list || fclose(list) != 0 || failed) f.pages = 0;
        db_pages_close(&pages);
    }
    db_close(&db);
    fwrite(&f, sizeof(f), 1, to);
    if (f.pages) fwrite(trees, 1, bytes, to);
    free(trees);
    return result;
}

static int malformed(const work_t *w, size_t number)
{
    base_error("%s: what was read of it is malformed", w->files->paths[number]);
    return -1;
}

static int take_survey(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    file_t *f = &w->found[number];
    const char *at = bytes, *end = bytes + count;
    if (count < sizeof(*f)) return malformed(w, number);
    memcpy(f, at, sizeof(*f));
    at += sizeof(*f);
    w->shared |= f->shared;
    w->odd |= !f->pages || f->page_bytes != w->found->page_bytes;
    w->unindexed |= f->unindexed;
    for (uint32_t i = 0; at < end && i < f->boots; i++, at += strlen(at) + 1)
        if (!sums_row_copied(&w->boots, 0, at)) return no_memory();
    while (at < end) {
        rocpd_tree_t t;
        if ((size_t)(end - at) < sizeof(t)) return malformed(w, number);
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

/* Adds a name to those of the merged file. Capital letters do not make another name for SQLite.
 * Returns 0; 1 if the file has the name already; -1 after reporting the reason. */
static int add_name(work_t *w, const char *name)
{
    const size_t known = w->names.count;
    char *small = strdup(name);
    for (char *at = small; at && *at; at++)
        if (*at >= 'A' && *at <= 'Z') *at += 'a' - 'A';
    const bool added = small && sums_row_copied(&w->names, 0, small);
    free(small);
    return added ? w->names.count == known : no_memory();
}

/* Gives each file its range of pages. Returns 0; 1 if a database cannot have that many pages; -1
 * after reporting the reason, such as two files that have a table of the same name. */
static int place_files(work_t *w)
{
    uint64_t before = 1;
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->files->count; i++) {
        file_t *f = &w->found[i];
        for (size_t t = 0; result == 0 && t < f->count; t++) {
            result = add_name(w, f->trees[t].name);
            if (result <= 0) continue;
            base_error("%s: table %s is in another of the databases already", w->files->paths[i],
                       f->trees[t].name);
            result = -1;
        }
        f->before = (uint32_t)before;
        before += f->pages;
        if (result == 0 && before > UINT32_MAX - 2) result = 1;
    }
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

/* Writes the rows of a file's tables and indexes. Tables come before their indexes, as SQLite reads
 * them in this order. */
static int write_trees(db_schema_t *s, const file_t *f)
{
    int result = 0;
    for (size_t t = 0; result == 0 && t < f->count; t++) {
        const rocpd_tree_t *tree = &f->trees[t];
        const bool table = tree->from.columns;
        result =
            db_schema_add(s, table ? "table" : "index", tree->name, (table ? tree : tree - 1)->name,
                          db_pages_number(f->page_bytes, f->before + tree->to), tree->sql);
    }
    return result;
}

static int write_schema(const work_t *w, const rocpd_views_t *views)
{
    db_schema_t s;
    if (db_schema_begin(&s, w->path) != 0) return -1;
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->files->count; i++)
        result = write_trees(&s, &w->found[i]);
    for (size_t i = 0; result == 0 && i < views->count; i++) {
        const rocpd_merge_view_t *v = &views->rows[i];
        result = db_schema_add(&s, "view", v->name, v->name, 0, v->sql);
    }
    return db_schema_end(&s, result);
}

/* Lists the views of the merged file. Returns 0; 1 if they have to be made by SQL, and then none is
 * listed; -1 after reporting the reason. */
static int list_views(const work_t *w, rocpd_views_t *views)
{
    const rocpd_tree_t **tables = NULL;
    size_t count = 0;
    int result = w->unindexed;
    for (size_t i = 0; result == 0 && i < w->files->count; i++)
        for (size_t t = 0; result == 0 && t < w->found[i].count; t++) {
            const rocpd_tree_t *tree = &w->found[i].trees[t];
            if (!tree->from.columns) continue;
            if (BASE_GROW_BY_ONE(tables, count))
                tables[count++] = tree;
            else
                result = no_memory();
        }
    if (result == 0) result = rocpd_views_list(views, w->files->paths[0], tables, count);
    if (result != 0) rocpd_views_free(views);
    free(tables);
    return result;
}

static const char *name_file(const void *data, size_t number)
{
    const work_t *w = data;
    return w->files->paths[number];
}

/* Copies all files, each of which has its range of pages. */
static rocpd_merged_t copy_all(work_t *w, base_pool_t *pool)
{
    rocpd_views_t views = {0};
    const file_t *last = &w->found[w->files->count - 1];
    pool->work = copy_pages;
    pool->take = take_nothing;
    int result = db_pages_begin(w->path, last->page_bytes, last->before + last->pages);
    if (result == 0) result = base_pool_run(pool);
    const int listed = result == 0 ? list_views(w, &views) : -1;
    if (listed >= 0) result = write_schema(w, &views);
    rocpd_views_free(&views);
    if (listed < 0 || result != 0) return ROCPD_MERGE_FAILED;
    if (listed == 0) rocpd_merge_tell_clocks(w->boots.count);
    return listed == 0 ? ROCPD_MERGE_ALL : ROCPD_MERGE_TABLES;
}

static void forget(work_t *w)
{
    for (size_t i = 0; i < w->files->count; i++) {
        for (size_t t = 0; t < w->found[i].count; t++) {
            free(w->found[i].trees[t].name);
            free(w->found[i].trees[t].sql);
        }
        free(w->found[i].trees);
    }
    free(w->found);
    free(w->version);
    sums_free(&w->names);
    sums_free(&w->boots);
}

rocpd_merged_t rocpd_merge_pages(const rocpd_files_t *f, const rocpd_options_t *o, const char *path,
                                 bool *shared)
{
    rocpd_merged_t done = ROCPD_MERGE_FAILED;
    work_t w = {.files = f, .path = path, .found = calloc(f->count, sizeof(*w.found))};
    if (!w.found) {
        no_memory();
        return ROCPD_MERGE_FAILED;
    }
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
    if (result == 0) result = w.odd ? 1 : place_files(&w);
    if (result == 0) done = copy_all(&w, &pool);
    if (result > 0) done = ROCPD_MERGE_NOTHING;
    forget(&w);
    return done;
}
