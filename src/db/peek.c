/* peek.c - see peek.h. */
#include "db/peek.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "db/joined.h"
#include "db/scan.h"

enum { GUID_BYTES = 36 }; /* in its usual form */
enum { METADATA, PROCESSES, TABLES };

static const char *const tables[TABLES] = {"rocpd_metadata", "rocpd_info_process"};

enum { TAG, VALUE, FACT_COLUMNS };
static const db_wanted_t fact_columns[] = {{.name = "tag", .text = true},
                                           {.name = "value", .text = true}};

enum { GUID, PID, BEGIN, END, PROCESS_COLUMNS };
static const db_wanted_t process_columns[] = {
    {.name = "guid", .text = true}, {.name = "pid"}, {.name = "init"}, {.name = "fini"}};

enum { KIND, NAME, OF_TABLE, ROOT, SQL, SCHEMA_COLUMNS };
static const db_wanted_t schema_columns[] = {{.name = "type", .text = true},
                                             {.name = "name", .text = true},
                                             {.name = "tbl_name", .text = true},
                                             {.name = "rootpage"},
                                             {.name = "sql", .text = true}};

/* A file's schema. */
typedef struct {
    uint64_t hash;             /* of its texts, without the id of the process */
    char guid[GUID_BYTES + 1]; /* as in the names of tables */
    uint32_t roots[TABLES];
} schema_t;

struct db_likeness {
    schema_t schema;
    db_scan_t *scans[TABLES]; /* of the first file, for the places of columns */
    db_cell_t cells[PROCESS_COLUMNS];
};

/* Adds a text to the hash; the id of the process, in either form, counts as the same in all files.
 */
static uint64_t add_text(uint64_t hash, const db_cell_t *cell, const char *guid)
{
    char other[GUID_BYTES + 1];
    const char *at = cell->text, *end = at + cell->bytes, *from = at;
    for (size_t i = 0; i <= GUID_BYTES; i++)
        other[i] = guid[i] == '_' ? '-' : guid[i];
    while (at && end - at >= GUID_BYTES) {
        if (memcmp(at, guid, GUID_BYTES) != 0 && memcmp(at, other, GUID_BYTES) != 0) {
            at++;
            continue;
        }
        hash = base_hash64(hash, from, (size_t)(at - from));
        from = at += GUID_BYTES;
    }
    if (from) hash = base_hash64(hash, from, (size_t)(end - from));
    return base_hash64(hash, "", 1);
}

/* Whether the cell has the name of a table of a process; its id then is that of the schema. */
static bool is_of_process(const db_cell_t *cell, const char *table, schema_t *s)
{
    const size_t length = strlen(table);
    if (cell->bytes != length + 1 + GUID_BYTES || memcmp(cell->text, table, length) != 0)
        return false;
    const char *guid = cell->text + length + 1;
    if (!*s->guid) memcpy(s->guid, guid, GUID_BYTES);
    return memcmp(s->guid, guid, GUID_BYTES) == 0;
}

/* Reads the schema of a file that is in a transaction. The first table in the schema must be one
 * whose name ends with the id of the process: other schemas are not read. */
static bool read_schema(sqlite3_file *file, schema_t *s)
{
    db_cell_t cells[SCHEMA_COLUMNS];
    db_scan_t *scan = db_scan_at(file, 1, NULL, schema_columns, SCHEMA_COLUMNS, cells);
    *s = (schema_t){.hash = BASE_HASH64};
    while (scan && db_scan_next(scan)) {
        for (int i = 0; i < TABLES; i++)
            if (cells[NAME].text && is_of_process(&cells[NAME], tables[i], s))
                s->roots[i] = (uint32_t)cells[ROOT].number;
        if (!*s->guid) break;
        for (int i = KIND; i <= SQL; i++)
            if (i != ROOT) s->hash = add_text(s->hash, &cells[i], s->guid);
    }
    const bool whole = scan && *s->guid && !db_scan_odd(scan);
    db_scan_close(scan);
    return whole && s->roots[METADATA] && s->roots[PROCESSES];
}

/* Opens the scans of the first file, and compares their tables with those that were found by name.
 */
static bool open_scans(db_likeness_t *l, const db_t *db)
{
    l->scans[METADATA] = db_scan_open(db, tables[METADATA], fact_columns, FACT_COLUMNS, l->cells);
    l->scans[PROCESSES] =
        db_scan_open(db, tables[PROCESSES], process_columns, PROCESS_COLUMNS, l->cells);
    for (int i = 0; i < TABLES; i++)
        if (!l->scans[i] || db_scan_root(l->scans[i]) != l->schema.roots[i]) return false;
    return true;
}

db_likeness_t *db_likeness_of(const db_t *db, const char *path)
{
    db_t bare;
    db_likeness_t *l = calloc(1, sizeof(*l));
    bool good = l && db_open_bare(&bare, path);
    if (good) {
        good = read_schema(db_bare_file(&bare), &l->schema) && db_hold(db);
        if (good) {
            good = open_scans(l, db);
            db_release(db);
        }
        db_close(&bare);
    }
    if (good) return l;
    db_likeness_free(l);
    return NULL;
}

void db_likeness_free(db_likeness_t *l)
{
    for (int i = 0; l && i < TABLES; i++)
        db_scan_close(l->scans[i]);
    free(l);
}

/* A copy of a cell's text, to be freed; NULL for NULL, or without memory. */
static char *text_of(const db_cell_t *cell)
{
    return cell->text ? strndup(cell->text, cell->bytes) : NULL;
}

static bool tell_facts(const db_likeness_t *l, sqlite3_file *file, uint32_t root,
                       const db_listener_t *to)
{
    db_cell_t cells[FACT_COLUMNS];
    db_scan_t *scan = db_scan_at(file, root, l->scans[METADATA], fact_columns, FACT_COLUMNS, cells);
    bool good = scan;
    while (good && db_scan_next(scan)) {
        char *tag = text_of(&cells[TAG]), *value = text_of(&cells[VALUE]);
        good = tag && value && to->fact(to->data, tag, value);
        free(tag);
        free(value);
    }
    good = good && !db_scan_odd(scan);
    db_scan_close(scan);
    return good;
}

static bool tell_processes(const db_likeness_t *l, sqlite3_file *file, const schema_t *s,
                           const db_listener_t *to)
{
    db_cell_t cells[PROCESS_COLUMNS];
    db_scan_t *scan = db_scan_at(file, s->roots[PROCESSES], l->scans[PROCESSES], process_columns,
                                 PROCESS_COLUMNS, cells);
    bool good = scan;
    while (good && db_scan_next(scan)) {
        char *guid = text_of(&cells[GUID]);
        /* the facts are those of the process to whose id the tables belong */
        good = guid && strlen(guid) == GUID_BYTES;
        for (size_t i = 0; good && i < GUID_BYTES; i++)
            good = s->guid[i] == (guid[i] == '-' ? '_' : guid[i]);
        good = good && to->process(to->data, guid, (uint32_t)cells[PID].number,
                                   (uint64_t)cells[BEGIN].number, (uint64_t)cells[END].number);
        free(guid);
    }
    good = good && !db_scan_odd(scan);
    db_scan_close(scan);
    return good;
}

bool db_peek(const db_likeness_t *l, const char *path, const db_listener_t *to)
{
    db_t db;
    schema_t s;
    if (!db_open_bare(&db, path)) return false;
    sqlite3_file *file = db_bare_file(&db);
    const bool good = read_schema(file, &s) && s.hash == l->schema.hash &&
                      tell_facts(l, file, s.roots[METADATA], to) && tell_processes(l, file, &s, to);
    db_close(&db);
    return good;
}
