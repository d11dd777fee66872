/* peek.c - see peek.h. */
#include "db/peek.h"

#include <stdlib.h>
#include <string.h>

#include "db/image.h"
#include "db/joined.h"
#include "db/scan.h"

enum { METADATA, PROCESSES, TABLES };

static const char *const tables[TABLES] = {"rocpd_metadata", "rocpd_info_process"};

enum { TAG, VALUE, FACT_COLUMNS };
static const db_wanted_t fact_columns[] = {{.name = "tag", .text = true},
                                           {.name = "value", .text = true}};

enum { GUID, PID, BEGIN, END, PROCESS_COLUMNS };
static const db_wanted_t process_columns[] = {
    {.name = "guid", .text = true}, {.name = "pid"}, {.name = "init"}, {.name = "fini"}};

struct db_likeness {
    db_image_t image;
    db_scan_t *scans[TABLES]; /* scans of the first file, which have the places of columns */
    db_cell_t cells[PROCESS_COLUMNS];
};

/* Opens the scans of the first file, and compares their tables with the tables that are found by
 * name. */
static bool open_scans(db_likeness_t *l, const db_t *db)
{
    l->scans[METADATA] = db_scan_open(db, tables[METADATA], fact_columns, FACT_COLUMNS, l->cells);
    l->scans[PROCESSES] =
        db_scan_open(db, tables[PROCESSES], process_columns, PROCESS_COLUMNS, l->cells);
    return l->scans[METADATA] && db_scan_root(l->scans[METADATA]) == l->image.metadata &&
           l->scans[PROCESSES] && db_scan_root(l->scans[PROCESSES]) == l->image.processes;
}

db_likeness_t *db_likeness_of(const db_t *db, const char *path)
{
    db_t bare;
    db_likeness_t *l = calloc(1, sizeof(*l));
    bool good = l && db_open_bare(&bare, path);
    if (good) {
        const bool held = !sqlite3_get_autocommit(db->handle);
        good = db_image_read(&l->image, db_bare_file(&bare)) && (held || db_hold(db));
        if (good) {
            good = open_scans(l, db);
            if (!held) db_release(db);
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
    if (l) db_image_free(&l->image);
    free(l);
}

/* Returns a copy of a cell's text, to be freed; NULL for NULL, or without memory. */
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

static bool tell_processes(const db_likeness_t *l, sqlite3_file *file, const db_image_t *image,
                           const db_listener_t *to)
{
    db_cell_t cells[PROCESS_COLUMNS];
    db_scan_t *scan = db_scan_at(file, image->processes, l->scans[PROCESSES], process_columns,
                                 PROCESS_COLUMNS, cells);
    bool good = scan;
    while (good && db_scan_next(scan)) {
        char *guid = text_of(&cells[GUID]);
        /* the facts must be those of the process to whose id the tables belong */
        good = guid && strlen(guid) == DB_GUID_BYTES;
        for (size_t i = 0; good && i < DB_GUID_BYTES; i++)
            good = image->guid[i] == (guid[i] == '-' ? '_' : guid[i]);
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
    db_image_t image;
    if (!db_open_bare(&db, path)) return false;
    sqlite3_file *file = db_bare_file(&db);
    bool good = db_image_read(&image, file);
    if (good) {
        good = db_image_alike(&image, &l->image) && tell_facts(l, file, image.metadata, to) &&
               tell_processes(l, file, &image, to);
        db_image_free(&image);
    }
    db_close(&db);
    return good;
}
