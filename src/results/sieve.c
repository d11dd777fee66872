/* sieve.c - see sieve.h. All databases are examined in parallel; then it is decided in their order
 * which ones are read. */
#include "results/sieve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "model/numbers.h"
#include "results/each.h"
#include "rocpd/own.h"

const char *const res_absence_words[RES_ABSENT_COUNT] = {
#define X(id, word) word,
    RES_ABSENCES(X)
#undef X
};

/* The results of examining a file. */
typedef struct {
    char why[DB_WHY_BYTES]; /* why the file cannot be read, or "" */
    char *version;
    char **guids;
    size_t guid_count;
    char *columns; /* columns of crocprof's own tables */
    bool kept;
} seen_t;

typedef struct {
    const rocpd_files_t *files;
    seen_t *seen;
} looking_t;

/* ---- a file ---- */

/* Returns whether the statement's rows can all be read; `take` is called for each. */
static bool read_rows(seen_t *s, const db_t *db, const char *sql,
                      bool (*take)(seen_t *s, const db_cursor_t *c))
{
    db_cursor_t c;
    bool room = true;
    for (db_rows(&c, db, sql, ""); room && db_next(&c);)
        room = take(s, &c);
    if (!room) snprintf(s->why, sizeof(s->why), "%s", strerror(ENOMEM));
    if (*c.why) snprintf(s->why, sizeof(s->why), "%s", c.why);
    db_drop(&c);
    return !*s->why;
}

static bool take_version(seen_t *s, const db_cursor_t *c)
{
    free(s->version);
    s->version = strdup(db_text(c, 0));
    return s->version;
}

static bool take_guid(seen_t *s, const db_cursor_t *c)
{
    char *guid = BASE_GROW_BY_ONE(s->guids, s->guid_count) ? strdup(db_text(c, 0)) : NULL;
    if (guid) s->guids[s->guid_count++] = guid;
    return guid;
}

static bool take_nothing(seen_t *s, const db_cursor_t *c)
{
    (void)s, (void)c;
    return true;
}

/* Returns names and types of the columns of crocprof's own tables, which databases may lack. */
static char *own_columns(const db_t *db)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    for (size_t n = 0; n < OUT_OWN_COUNT; n++) {
        char sql[128];
        db_cursor_t c;
        snprintf(sql, sizeof(sql), "SELECT * FROM %s LIMIT 0", rocpd_own_names[n]);
        db_rows(&c, db, sql, "");
        for (int i = 0; c.s && i < sqlite3_column_count(c.s); i++)
            fprintf(to, "%s %s,", sqlite3_column_name(c.s, i), sqlite3_column_decltype(c.s, i));
        fputc(';', to);
        db_drop(&c);
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static void look_at(void *data, size_t file)
{
    /* counting rows finds missing pages of a file that was cut off */
    static const char *const counts[] = {
        "SELECT COUNT(*) FROM rocpd_kernel_dispatch", "SELECT COUNT(*) FROM rocpd_region",
        "SELECT COUNT(*) FROM rocpd_memory_copy", "SELECT COUNT(*) FROM rocpd_event",
        "SELECT COUNT(*) FROM rocpd_string"};
    const looking_t *l = data;
    seen_t *s = &l->seen[file];
    db_t db;
    if (db_open(&db, l->files->paths[file], s->why) != 0) return;
    db_hold(&db); /* if it cannot be, the statements below say why */
    bool good = read_rows(s, &db, "SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'",
                          take_version);
    if (good && !s->version) {
        snprintf(s->why, sizeof(s->why), "its metadata names no schema");
        good = false;
    }
    good = good && read_rows(s, &db, "SELECT guid FROM rocpd_info_process WHERE guid IS NOT NULL",
                             take_guid);
    for (size_t i = 0; good && i < sizeof(counts) / sizeof(*counts); i++)
        good = read_rows(s, &db, counts[i], take_nothing);
    if (good && !(s->columns = own_columns(&db)))
        snprintf(s->why, sizeof(s->why), "%s", strerror(ENOMEM));
    db_release(&db);
    db_close(&db);
}

/* ---- all files ---- */

typedef struct {
    out_numbers_t guids; /* number of the file plus one, by hash of the guid */
    size_t first;        /* number of the first file that is kept, plus one */
} sifting_t;

static bool leave_out(res_absents_t *a, const char *path, res_absence_t why)
{
    char *copy = BASE_GROW_BY_ONE(a->rows, a->count) ? strdup(path) : NULL;
    if (copy) a->rows[a->count++] = (res_absent_t){copy, why};
    return copy;
}

/* Returns the file before this one that has one of its processes, plus one; 0 if none has. */
static size_t twin_of(const sifting_t *t, const seen_t *s)
{
    size_t twin = 0;
    for (size_t i = 0; !twin && i < s->guid_count; i++)
        twin = (size_t)out_numbers_get(&t->guids, out_hash(s->guids[i]));
    return twin;
}

/* Returns whether the file can be read together with those before it; if not, reports and notes
 * why. *room becomes false without memory. */
static bool keep(sifting_t *t, const looking_t *l, size_t file, res_absents_t *a, bool *room)
{
    const seen_t *s = &l->seen[file];
    const char *path = l->files->paths[file];
    const char *first = t->first ? l->seen[t->first - 1].version : s->version;
    const size_t twin = twin_of(t, s);
    if (*s->why) {
        base_warning("%s: left out: %s", path, s->why);
        *room = leave_out(a, path, RES_ABSENT_DAMAGED);
    } else if (strcmp(s->version, first) != 0) {
        base_warning("%s: left out: it has schema version %s, %s has %s", path, s->version,
                     l->files->paths[t->first - 1], first);
        *room = leave_out(a, path, RES_ABSENT_VERSION);
    } else if (twin) {
        base_warning("%s: left out: %s has the same process", path, l->files->paths[twin - 1]);
        *room = leave_out(a, path, RES_ABSENT_TWICE);
    } else {
        for (size_t i = 0; *room && i < s->guid_count; i++)
            *room = out_numbers_set(&t->guids, out_hash(s->guids[i]), file + 1);
        if (!t->first) t->first = file + 1;
        return true;
    }
    return false;
}

/* Adds the file to `alike` if no file there has the same tables. */
static bool add_alike(rocpd_files_t *alike, const looking_t *l, size_t file, out_numbers_t *known)
{
    const uint64_t key = out_hash(l->seen[file].columns);
    if (out_numbers_get(known, key)) return true;
    if (!out_numbers_set(known, key, 1)) return false;
    char *path =
        BASE_GROW_BY_ONE(alike->paths, alike->count) ? strdup(l->files->paths[file]) : NULL;
    if (path) alike->paths[alike->count++] = path;
    return path;
}

static bool sift(rocpd_files_t *files, const looking_t *l, rocpd_files_t *alike, res_absents_t *a)
{
    sifting_t t = {0};
    out_numbers_t known = {0};
    size_t kept = 0;
    bool room = true;
    for (size_t i = 0; room && i < files->count; i++) {
        l->seen[i].kept = keep(&t, l, i, a, &room);
        if (l->seen[i].kept && room) room = add_alike(alike, l, i, &known);
    }
    /* only now, because messages refer to files by name */
    for (size_t i = 0; room && i < files->count; i++) {
        if (l->seen[i].kept)
            files->paths[kept++] = files->paths[i];
        else
            free(files->paths[i]);
    }
    if (room) files->count = kept;
    free(t.guids.rows);
    free(known.rows);
    return room;
}

int res_sieve(rocpd_files_t *files, rocpd_files_t *alike, res_absents_t *absents)
{
    const size_t count = files->count;
    looking_t l = {files, calloc(count, sizeof(seen_t))};
    if (l.seen) res_share(count, look_at, &l);
    const bool room = l.seen && sift(files, &l, alike, absents);
    for (size_t i = 0; l.seen && i < count; i++) {
        for (size_t g = 0; g < l.seen[i].guid_count; g++)
            free(l.seen[i].guids[g]);
        free(l.seen[i].guids);
        free(l.seen[i].version);
        free(l.seen[i].columns);
    }
    free(l.seen);
    if (!room) base_error("opening databases: %s", strerror(ENOMEM));
    if (room && !files->count) base_error("none of the %zu databases can be read", count);
    return room && files->count ? 0 : -1;
}

void res_absents_free(res_absents_t *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->rows[i].path);
    free(a->rows);
    *a = (res_absents_t){0};
}
