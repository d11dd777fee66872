/* files.c - see files.h. Here are paths, indexes and metadata; tables are read elsewhere. */
#include "rocpd/files.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "base/yaml_load.h"
#include "trace/format.h"
#include "trace/store.h"

enum { INDEX_DEPTH = 8 };

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Adds the entry of a folder if it is a database. Returns the number of an error, or 0. */
static int take_entry(char ***names, size_t *count, const FTSENT *e)
{
    switch (e->fts_info) {
    case FTS_DNR:
    case FTS_ERR: return e->fts_errno;
    case FTS_NS: return e->fts_errno == ENOENT ? 0 : e->fts_errno; /* it was deleted meanwhile */
    case FTS_F:
        if (!base_ends_with(e->fts_name, ".db")) return 0;
        return base_add_text(names, count, e->fts_path) ? 0 : ENOMEM;
    default: return 0;
    }
}

static bool search_folder(char ***names, size_t *count, const char *folder)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const FTSENT *e = NULL;
    int problem = tree ? 0 : errno;
    while (!problem) {
        e = fts_read(tree);
        problem = e ? take_entry(names, count, e) : errno; /* 0 behind the last entry */
        if (!e) break;
    }
    if (problem) base_error("%s: %s", e ? e->fts_path : folder, strerror(problem));
    if (tree) fts_close(tree);
    return !problem;
}

int rocpd_files_search(char ***names, size_t *count, const char *path)
{
    struct stat st;
    const size_t before = *count;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        if (base_add_text(names, count, path)) return 0;
        base_error("%s: %s", path, strerror(ENOMEM));
        return -1;
    }
    if (!search_folder(names, count, path)) return -1;
    if (*count > before) return 0;
    base_error("%s: holds no database (rocprofv3 -f rocpd writes them)", path);
    return -1;
}

int rocpd_files_add(rocpd_files_t *f, const char *path)
{
    char *copy = BASE_GROW_BY_ONE(f->paths, f->count) ? realpath(path, NULL) : NULL;
    if (!copy) {
        base_error("%s: %s", path, strerror(errno));
        return -1;
    }
    /* if two paths have the same hash, the later one takes the next free number */
    uint64_t hash = base_hash64(BASE_HASH64, copy, strlen(copy)), place;
    for (; (place = out_numbers_get(&f->known, hash)); hash++)
        if (strcmp(f->paths[place - 1], copy) == 0) {
            free(copy);
            return 0;
        }
    f->paths[f->count++] = copy;
    if (out_numbers_set(&f->known, hash, f->count)) return 0;
    base_error("%s: %s", path, strerror(ENOMEM));
    return -1;
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

/* Adds the databases at a path. `depth` is the depth of nested index files, each of which is named
 * by the one before. */
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

/* Returns the value of a key in a mapping; NULL if there is none, or if the node is not a
 * mapping. */
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

/* Adds the files that are listed under `files`, in the index itself or in rocprofiler-sdk, rocpd: a
 * list of names, or one. Aliases are followed, so there is no recursion here, which they could make
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

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return trace_join(path, sizeof(path), directory, name) == 0 && access(path, F_OK) == 0;
}

/* Adds the stores in the folder of a run, or, with `runs`, those in the folders of all runs
 * there. */
static int add_stores(rocpd_files_t *f, const char *path, bool runs)
{
    int result = 0;
    char **names = trace_list(path);
    for (char **name = names; name && *name && result == 0; name++) {
        char below[PATH_MAX];
        if (trace_join(below, sizeof(below), path, *name) != 0 || trace_is_retired(below)) continue;
        if (runs)
            result = add_stores(f, below, false);
        else if (has_file(below, TRACE_META_FILE))
            result = rocpd_files_add(f, below);
    }
    trace_list_free(names);
    return result;
}

/* Adds a store, or all stores of a run, or all stores below a folder with outputs. */
static int add_all_stores(rocpd_files_t *f, const char *path)
{
    char runs[PATH_MAX];
    if (has_file(path, TRACE_META_FILE)) return rocpd_files_add(f, path);
    if (has_file(path, TRACE_RUN_FILE)) return add_stores(f, path, false);
    if (strcmp(base_last_part(path), TRACE_RUNS_DIRECTORY) == 0) return add_stores(f, path, true);
    return trace_join(runs, sizeof(runs), path, TRACE_RUNS_DIRECTORY) == 0
               ? add_stores(f, runs, true)
               : 0;
}

static int add_folder(rocpd_files_t *f, const char *path, unsigned depth, bool below);

/* Adds the files in the subfolders of a folder, at any depth; hidden folders and links are left
 * out. */
static int add_below(rocpd_files_t *f, const char *path, char *const *names, unsigned depth)
{
    int result = 0;
    for (; result == 0 && *names; names++) {
        char inner[PATH_MAX];
        struct stat st;
        if (**names == '.' || trace_join(inner, sizeof(inner), path, *names) != 0) continue;
        if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode))
            result = add_folder(f, inner, depth, true);
    }
    return result;
}

/* Adds the databases in a folder; if it has none, or with `below`, those in its subfolders, too. */
static int add_folder(rocpd_files_t *f, const char *path, unsigned depth, bool below)
{
    char index[PATH_MAX];
    struct stat st;
    if (trace_join(index, sizeof(index), path, "index.yaml") == 0 && stat(index, &st) == 0)
        return add_index(f, index, depth);
    char **names = trace_list(path);
    const size_t before = f->count;
    if (!names) {
        base_error("%s: %s", path, strerror(errno));
        return -1;
    }
    int result = f->stores ? add_all_stores(f, path) : 0;
    for (char **name = names; *name && result == 0; name++) {
        char file[PATH_MAX];
        trace_join(file, sizeof(file), path, *name);
        if (base_ends_with(*name, ".db")) result = rocpd_files_add(f, file);
    }
    if (result == 0 && (below || f->count == before)) result = add_below(f, path, names, depth);
    trace_list_free(names);
    return result;
}

static int add_directory(rocpd_files_t *f, const char *path, unsigned depth)
{
    const size_t before = f->count;
    const int result = add_folder(f, path, depth, false);
    if (result != 0 || f->count > before) return result;
    base_error("%s: holds no *.db%s", path, f->stores ? ", and no records" : "");
    return -1;
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
    return rocpd_files_add(f, path);
}

int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o)
{
    int result = 0;
    f->stores = o->command == ROCPD_REDUCE;
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
    free(f->known.rows);
}

static const char closed[] = "%s: is no rocpd database that can be opened: %s";

int rocpd_files_open(db_t *db, const char *path)
{
    char why[DB_WHY_BYTES];
    if (db_open(db, path, why) == 0) return 0;
    base_error(closed, path, why);
    return -1;
}

int rocpd_files_open_by_names(db_t *db, const char *path)
{
    char why[DB_WHY_BYTES];
    if (db_open_by_names(db, path, why) == 0) return 0;
    base_error(closed, path, why);
    return -1;
}

static char *ask_metadata(const db_t *db, const char *path, const char *tag)
{
    char *value = NULL, what[PATH_MAX + 64];
    db_cursor_t c;
    snprintf(what, sizeof(what), "%s: is no rocpd database", path);
    db_rows(&c, db, "SELECT value FROM rocpd_metadata WHERE tag = ?", "t", tag);
    const bool found = db_next(&c) && !db_null(&c, 0);
    if (found) value = strdup(db_text(&c, 0));
    if (db_end(&c, what) == 0 && !value)
        base_error("%s: %s", what, found ? strerror(ENOMEM) : "its metadata names no schema");
    return value;
}

char *rocpd_metadata(const char *path, const char *tag)
{
    db_t db;
    if (rocpd_files_open(&db, path) != 0) return NULL;
    char *value = ask_metadata(&db, path, tag);
    db_close(&db);
    return value;
}

int rocpd_files_check(const rocpd_files_t *f, size_t number, const db_t *db, const char *what,
                      char **version)
{
    char *its = ask_metadata(db, f->paths[number], "schema_version");
    const int result = its && (!*version || strcmp(its, *version) == 0) ? 0 : -1;
    if (its && result != 0)
        base_error("%s has schema version %s, %s has %s: they cannot be %s", f->paths[number], its,
                   f->paths[0], *version, what);
    if (*version)
        free(its);
    else
        *version = its;
    return result;
}

int rocpd_files_each(const rocpd_files_t *f, int (*use)(const db_t *db, size_t number, void *data),
                     void *data)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < f->count; i++) {
        char why[DB_WHY_BYTES];
        db_t db;
        if (db_open(&db, f->paths[i], why) != 0) {
            base_error("%s: %s", f->paths[i], why);
            return -1;
        }
        result = use(&db, i, data);
        db_close(&db);
    }
    return result;
}
