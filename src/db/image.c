/* image.c - see image.h. The rows of the schema are read from the file's pages (scan.h), one after
 * the other; each text has its length before it. */
#include "db/image.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "db/format.h"
#include "db/scan.h"

enum { BYTES_MOST = 1 << 20 }; /* largest image in bytes; an image of a usual file has a tenth */

enum { KIND, NAME, OF_TABLE, ROOT, SQL, COLUMNS };
static const db_wanted_t columns[] = {{.name = "type", .text = true},
                                      {.name = "name", .text = true},
                                      {.name = "tbl_name", .text = true},
                                      {.name = "rootpage"},
                                      {.name = "sql", .text = true}};

/* The state while an image is made. */
typedef struct {
    db_image_t *image;
    db_cell_t cells[COLUMNS];
    size_t bytes_room, roots_room;
} maker_t;

static bool begins(const db_cell_t *cell, const char *word)
{
    const size_t length = strlen(word);
    return cell->bytes >= length && memcmp(cell->text, word, length) == 0;
}

/* Returns whether the row that was read is that of a process's own table: its name is `table`, then
 * the id of the process. The id in the first such name becomes that of the image; names with
 * another id do not count. */
static bool is_of_process(maker_t *m, const char *table)
{
    const db_cell_t *name = &m->cells[NAME];
    const size_t length = strlen(table);
    if (name->bytes != length + DB_GUID_BYTES || !begins(name, table)) return false;
    const char *guid = name->text + length;
    if (!*m->image->guid) memcpy(m->image->guid, guid, DB_GUID_BYTES);
    return memcmp(m->image->guid, guid, DB_GUID_BYTES) == 0;
}

/* Replaces the id of the process by zeros wherever it is in the text, with underscores or with
 * hyphens. Returns the number of replacements. */
static size_t blank(const db_image_t *i, char *text, size_t bytes)
{
    size_t found = 0;
    char other[DB_GUID_BYTES];
    for (size_t k = 0; k < DB_GUID_BYTES; k++)
        other[k] = i->guid[k] == '_' ? '-' : i->guid[k];
    for (char *at = text, *end = text + bytes; (size_t)(end - at) >= DB_GUID_BYTES;) {
        at = memchr(at, *i->guid, (size_t)(end - at) - DB_GUID_BYTES + 1);
        if (!at) break;
        if (memcmp(at, i->guid, DB_GUID_BYTES) != 0 && memcmp(at, other, DB_GUID_BYTES) != 0) {
            at++;
            continue;
        }
        memset(at, 0, DB_GUID_BYTES);
        at += DB_GUID_BYTES;
        found++;
    }
    return found;
}

/* Returns whether the row may be in an image. A table of statistics may not, since it changes how
 * SQLite reads other tables; nor may a view that contains the id of a process, since other files do
 * not have it. */
static bool is_usual(const maker_t *m, size_t ids)
{
    const db_cell_t *kind = &m->cells[KIND], *name = &m->cells[NAME];
    if (!kind->text || !name->text || begins(name, "sqlite_stat")) return false;
    return !ids || !begins(kind, "view") || begins(name, "rocpd_") || begins(name, "crocprof_");
}

/* Adds the row that was read. Returns false if a row comes before the first table whose name ends
 * with the id of the process, if the row is unusual, or if there is no memory. */
static bool add_row(maker_t *m)
{
    db_image_t *i = m->image;
    size_t ids = 0;
    const uint32_t root = (uint32_t)m->cells[ROOT].number;
    if (m->cells[NAME].text && is_of_process(m, "rocpd_metadata_")) i->metadata = root;
    if (m->cells[NAME].text && is_of_process(m, "rocpd_info_process_")) i->processes = root;
    if (!*i->guid || !BASE_GROW(i->roots, i->rows, &m->roots_room)) return false;
    i->roots[i->rows++] = root;
    for (int c = KIND; c < COLUMNS; c++) {
        const db_cell_t *cell = &m->cells[c];
        if (c == ROOT) continue;
        const uint32_t length = cell->text ? cell->bytes : UINT32_MAX, bytes = cell->bytes;
        const size_t need = i->count + sizeof(length) + bytes;
        if (need > BYTES_MOST || !BASE_RESERVE(i->bytes, need, &m->bytes_room)) return false;
        memcpy(i->bytes + i->count, &length, sizeof(length));
        i->count += sizeof(length);
        if (cell->text) memcpy(i->bytes + i->count, cell->text, bytes);
        if (cell->text) ids += blank(i, i->bytes + i->count, bytes);
        i->count += cell->text ? bytes : 0;
    }
    return is_usual(m, ids);
}

/* offset in the header of the schema's version number, which grows with each change */
enum { COOKIE = 40 };

/* Adds the part of the header that determines how the file is read: SQLite parses its schema again
 * if that has another version number. */
static bool add_header(maker_t *m, sqlite3_file *file)
{
    enum { BEGIN = 16, END = 24, LATER = 44, LATER_END = 72 };
    unsigned char h[DB_HEADER_BYTES];
    db_image_t *i = m->image;
    if (file->pMethods->xRead(file, h, sizeof(h), 0) != SQLITE_OK || !db_is_plain(h) ||
        !BASE_GROW(i->roots, 0, &m->roots_room) || !BASE_RESERVE(i->bytes, 1 << 16, &m->bytes_room))
        return false;
    i->roots[i->rows++] = db_get4(h + COOKIE);
    memcpy(i->bytes, h + BEGIN, END - BEGIN);
    memcpy(i->bytes + END - BEGIN, h + LATER, LATER_END - LATER);
    i->count = END - BEGIN + LATER_END - LATER;
    return true;
}

bool db_image_read(db_image_t *i, sqlite3_file *file)
{
    maker_t m = {.image = i};
    *i = (db_image_t){0};
    bool good = add_header(&m, file);
    db_scan_t *scan = good ? db_scan_at(file, 1, NULL, columns, COLUMNS, m.cells) : NULL;
    while (scan && good && db_scan_next(scan))
        good = add_row(&m);
    good = scan && good && !db_scan_odd(scan) && i->metadata && i->processes;
    db_scan_close(scan);
    if (!good) db_image_free(i);
    return good;
}

bool db_image_lasts(const db_image_t *i, sqlite3_file *file)
{
    unsigned char number[4];
    return file->pMethods->xRead(file, number, sizeof(number), COOKIE) == SQLITE_OK &&
           db_get4(number) == i->roots[0];
}

void db_image_free(db_image_t *i)
{
    free(i->bytes);
    free(i->roots);
    *i = (db_image_t){0};
}

bool db_image_alike(const db_image_t *a, const db_image_t *b)
{
    return a->rows == b->rows && a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

bool db_image_same(const db_image_t *a, const db_image_t *b)
{
    return db_image_alike(a, b) && memcmp(a->roots, b->roots, a->rows * sizeof(*a->roots)) == 0;
}
