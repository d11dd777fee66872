/* look.c - see look.h. Of the files after the first, as little as possible is read: if a file has
 * the schema of the first, only its processes, from the pages of two small tables. */
#include "rocpd/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/sorted.h"
#include "db/clocks.h"
#include "rocpd/options.h"

int rocpd_look_no_memory(void)
{
    base_error("opening databases: %s", strerror(ENOMEM));
    return -1;
}

/* ---- the contents of files ---- */

/* Notes the views of the first file with their SQL: if `plain`, the views that show a single table
 * (rocpd_*), else all other views. */
static int add_views(rocpd_base_t *b, const db_t *db, bool plain)
{
    bool room = true;
    db_cursor_t c;
    char *sql = sqlite3_mprintf("SELECT name, sql FROM db0.sqlite_master WHERE type = 'view' AND "
                                "name %s LIKE 'rocpd\\_%%' ESCAPE '\\' AND name NOT LIKE "
                                "'crocprof\\_%%' ESCAPE '\\' ORDER BY rowid",
                                plain ? "" : "NOT");
    db_rows(&c, db, sql, "");
    while (room && db_next(&c)) {
        if (!(room = BASE_GROW_BY_ONE(b->views, b->view_count))) break;
        rocpd_view_t *v = &b->views[b->view_count++];
        *v = (rocpd_view_t){strdup(db_text(&c, 0)), strdup(db_text(&c, 1)), plain, false};
        room = v->name && v->sql;
    }
    sqlite3_free(sql);
    return db_end(&c, "reading the schema") != 0 ? -1 : room ? 0 : rocpd_look_no_memory();
}

/* Adds the columns of this project's own tables. */
static int add_own(const db_t *db, rocpd_columns_t own[OUT_OWN_COUNT])
{
    bool any;
    for (size_t n = 0; n < OUT_OWN_COUNT; n++)
        if (!rocpd_columns_add(db, &own[n], "db0", rocpd_own_names[n], &any)) return -1;
    return 0;
}

/* ---- processes of several files ---- */

static int add_place(rocpd_base_t *b, const rocpd_place_t *place)
{
    char *guid = BASE_GROW_BY_ONE(b->places, b->place_count) ? strdup(place->guid) : NULL;
    if (!guid) return rocpd_look_no_memory();
    b->places[b->place_count] = *place;
    b->places[b->place_count++].guid = guid;
    return 0;
}

int rocpd_add_places(const db_t *db, size_t number, void *data)
{
    rocpd_base_t *b = data;
    int result = 0;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT guid, pid, COALESCE(init, 0), COALESCE(fini, 0) FROM rocpd_info_process WHERE "
            "guid IS NOT NULL",
            "");
    while (result == 0 && db_next(&c)) {
        rocpd_place_t place = {.guid = (char *)(uintptr_t)db_text(&c, 0),
                               .file = number,
                               .pid = (uint32_t)db_int(&c, 1),
                               .begin = db_uint(&c, 2),
                               .end = db_uint(&c, 3)};
        result = db_clock_facts(db, place.guid, &place.clock);
        if (result == 0) result = add_place(b, &place);
    }
    return db_end(&c, "reading processes") == 0 ? result : -1;
}

static int by_guid(const void *left, const void *right)
{
    const rocpd_place_t *a = left, *b = right;
    const int guids = strcmp(a->guid, b->guid);
    return guids ? guids : (a->file > b->file) - (a->file < b->file);
}

/* Sorts the entries when those of all files have been added. */
static int sort_places(rocpd_base_t *b)
{
    size_t *of_files = calloc(b->files->count, sizeof(*of_files));
    if (!of_files) return rocpd_look_no_memory();
    for (size_t i = 0; i < b->place_count; i++)
        of_files[b->places[i].file]++;
    for (size_t i = 0; i < b->place_count; i++)
        b->places[i].alone = of_files[b->places[i].file] == 1;
    free(of_files);
    if (b->place_count) qsort(b->places, b->place_count, sizeof(*b->places), by_guid);
    b->placed = true;
    return 0;
}

int rocpd_find_places(rocpd_base_t *b)
{
    if (b->placed) return 0;
    return rocpd_files_each(b->files, rocpd_add_places, b) == 0 ? sort_places(b) : -1;
}

const rocpd_place_t *rocpd_find_place(const rocpd_base_t *b, const char *guid)
{
    size_t i;
    BASE_SEARCH(i, b->place_count, strcmp(b->places[i].guid, guid) < 0);
    return i < b->place_count && strcmp(b->places[i].guid, guid) == 0 ? &b->places[i] : NULL;
}

const char *rocpd_file_of(const rocpd_base_t *b, const char *guid)
{
    const rocpd_place_t *place = rocpd_find_place(b, guid);
    return b->files->paths[place ? place->file : 0];
}

/* ---- the survey of all files ---- */

typedef struct {
    rocpd_base_t *b;
    const rocpd_files_t *files;
    db_likeness_t *likeness; /* of the first file, or NULL */
} look_t;

int rocpd_look(const rocpd_files_t *files, size_t number, rocpd_base_t *views, char **version,
               rocpd_columns_t own[OUT_OWN_COUNT], rocpd_base_t *places, db_likeness_t **likeness)
{
    db_t db;
    if (rocpd_files_open(&db, files->paths[number]) != 0) return -1;
    int result = rocpd_files_check(files, number, &db, "read together", version);
    if (result == 0 && views) result = add_views(views, &db, true);
    if (result == 0 && views) result = add_views(views, &db, false);
    if (result == 0) result = add_own(&db, own);
    if (result == 0) result = rocpd_add_places(&db, number, places);
    if (result == 0 && likeness) *likeness = db_likeness_of(&db, files->paths[number]);
    db_close(&db);
    return result;
}

/* The contents of a file whose schema is that of the first. */
typedef struct {
    rocpd_base_t *found;
    const char *version; /* of the schema of the first file */
    size_t number;
    bool told, same; /* the version of this file has been read, and whether it is the same */
    trace_clock_facts_t clock;
} peek_t;

static bool take_fact(void *data, const char *tag, const char *value)
{
    peek_t *p = data;
    if (!p->told && strcmp(tag, "schema_version") == 0) {
        p->told = true;
        p->same = strcmp(value, p->version) == 0;
    }
    db_clock_take(&p->clock, tag, value);
    return true;
}

static bool take_process(void *data, const char *guid, uint32_t pid, uint64_t begin, uint64_t end)
{
    peek_t *p = data;
    const rocpd_place_t place = {.guid = (char *)(uintptr_t)guid,
                                 .file = p->number,
                                 .pid = pid,
                                 .begin = begin,
                                 .end = end,
                                 .clock = p->clock};
    return p->same && add_place(p->found, &place) == 0;
}

void rocpd_forget_places(rocpd_base_t *b)
{
    for (size_t i = 0; i < b->place_count; i++)
        free(b->places[i].guid);
    free(b->places);
    b->places = NULL;
    b->place_count = 0;
}

/* Reads a file, if that is possible without opening it as a database. Its own tables then have the
 * columns that those of the first file have. */
static bool peek(const look_t *l, size_t number, rocpd_base_t *found)
{
    peek_t p = {.found = found,
                .version = l->b->version,
                .number = number,
                .clock = (trace_clock_facts_t){.rank = -1}};
    const db_listener_t to = {take_fact, take_process, &p};
    if (l->likeness && db_peek(l->likeness, l->files->paths[number], &to) && p.same) return true;
    rocpd_forget_places(found);
    return false;
}

/* Runs in a worker: reads a file after the first, and writes its contents: the columns of each of
 * this project's tables, preceded by their number, then the processes. Texts end with a zero. */
static int look_into(void *data, size_t number, FILE *to)
{
    const look_t *l = data;
    rocpd_columns_t own[OUT_OWN_COUNT] = {0};
    rocpd_base_t found = {0};
    char *version = l->b->version;
    const int result = peek(l, number + 1, &found)
                           ? 0
                           : rocpd_look(l->files, number + 1, NULL, &version, own, &found, NULL);
    for (size_t n = 0; n < OUT_OWN_COUNT; n++) {
        fwrite(&own[n].count, sizeof(own[n].count), 1, to);
        for (size_t i = 0; i < own[n].count; i++)
            fprintf(to, "%s%c%s%c", own[n].names[i], 0, own[n].types[i], 0);
        rocpd_columns_free(&own[n]);
    }
    for (size_t i = 0; i < found.place_count; i++) {
        fwrite(&found.places[i], sizeof(found.places[i]), 1, to);
        fprintf(to, "%s%c", found.places[i].guid, 0);
    }
    rocpd_forget_places(&found);
    return result;
}

/* Returns the text at *at, and moves *at behind it. */
static const char *next_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

static int take_look(void *data, size_t number, const char *bytes, size_t count)
{
    const look_t *l = data;
    const char *at = bytes;
    (void)number;
    for (size_t n = 0; n < OUT_OWN_COUNT; n++) {
        size_t columns;
        memcpy(&columns, at, sizeof(columns));
        at += sizeof(columns);
        for (size_t i = 0; i < columns; i++) {
            const char *name = next_text(&at), *type = next_text(&at);
            if (!rocpd_columns_put(&l->b->own[n], name, type)) return rocpd_look_no_memory();
        }
    }
    while (at < bytes + count) {
        rocpd_place_t place;
        memcpy(&place, at, sizeof(place));
        at += sizeof(place);
        place.guid = (char *)(uintptr_t)next_text(&at);
        if (add_place(l->b, &place) != 0) return -1;
    }
    return 0;
}

static const char *name_looked(const void *data, size_t number)
{
    const look_t *l = data;
    return l->files->paths[number + 1];
}

int rocpd_look_into_all(rocpd_base_t *b, const rocpd_files_t *files, const rocpd_options_t *o)
{
    enum { FEW = 16 };
    look_t l = {b, files, NULL};
    const base_pool_t pool = {.count = files->count - 1,
                              .workers = files->count < FEW ? 1 : rocpd_workers(o, files->count),
                              .work = look_into,
                              .take = take_look,
                              .name = name_looked,
                              .data = &l,
                              .stop = &db_interrupted};
    int result =
        rocpd_look(files, 0, b, &b->version, b->own, b, files->count > 1 ? &l.likeness : NULL);
    if (result == 0) result = base_pool_run(&pool);
    db_likeness_free(l.likeness);
    if (result == 0 && files == b->files) return sort_places(b);
    rocpd_forget_places(b); /* a list of some files only is of no use */
    return result;
}
