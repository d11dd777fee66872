/* joined.c - see joined.h and db_records() in db.h.
 *
 * Two scans run side by side, one of the records and one of their events. Here are also the checks
 * after which a statement of SQLite replaces the scans, and that statement. */
#include "db/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "db/scan.h"

/* ORDER_MOST: largest distance between the first and the last event of records that are not in
 * order; for each event between them there is a number in memory. */
enum { COLUMNS_MOST = 48, ORDER_MOST = 1 << 22 };

struct db_joined {
    const db_t *db;
    const db_records_t *which;
    const char *guid;
    db_scan_t *records, *events;
    bool locked;    /* a transaction was begun for this cursor alone */
    uint64_t given; /* number of rows returned so far */
    /* For records that are not in the order of their events: for each event from the first one on,
     * the row number of its record, or 0. */
    uint32_t *order;
    size_t order_count, order_next;
    bool lost; /* no row has such a number: the file is damaged */
    db_cell_t cells[COLUMNS_MOST];
    struct {
        char *text;
        size_t room;
    } texts[COLUMNS_MOST]; /* with a zero at the end; for columns whose text was requested */
};

/* ---- the statement ---- */

static void put_columns(sqlite3_str *sql, const db_t *db, const char *table, const char *row,
                        const db_wanted_t *columns, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sqlite3_str_appendall(sql, sqlite3_str_length(sql) > 7 ? ", " : "");
        if (columns[i].optional && !db_has(db, table, columns[i].name))
            sqlite3_str_appendall(sql, "0");
        else
            sqlite3_str_appendf(sql, "%s.\"%w\"", row, columns[i].name);
    }
}

/* Begins the rows by a statement; with `scanned`, in the order of a scan. */
static void begin_statement(db_cursor_t *c, const db_t *db, const db_records_t *w, const char *guid,
                            bool scanned)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendall(sql, "SELECT ");
    put_columns(sql, db, w->table, "R", w->record, w->records);
    put_columns(sql, db, "rocpd_event", "E", w->event, w->events);
    sqlite3_str_appendf(sql, " FROM %s R%s%s%s%s", w->table, w->alone && w->events ? " LEFT" : "",
                        w->events ? " JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid"
                                  : "",
                        guid ? " WHERE R.guid = ?" : "",
                        w->by_event ? " ORDER BY E.id"
                        : scanned   ? " ORDER BY R.id"
                                    : "");
    char *text = sqlite3_str_finish(sql);
    db_rows(c, db, text, guid ? "t" : "", guid);
    sqlite3_free(text);
}

/* ---- scans ---- */

static void end_scans(struct db_joined *j)
{
    db_scan_close(j->records);
    db_scan_close(j->events);
    for (unsigned i = 0; i < COLUMNS_MOST; i++)
        free(j->texts[i].text);
    free(j->order);
    if (j->locked) db_release(j->db);
    free(j);
}

static bool lock(struct db_joined *j)
{
    if (!sqlite3_get_autocommit(j->db->handle)) return true;
    return j->locked = db_hold(j->db);
}

/* Notes the record of each event, from the event `first` to the event `last`. Returns false if an
 * event has several records, or if there are too many events. */
static bool put_in_order(struct db_joined *j, int64_t first, int64_t last)
{
    const db_cell_t *event = &j->cells[DB_RECORD_EVENT];
    bool good = (uint64_t)last - (uint64_t)first < ORDER_MOST;
    j->order_count = good ? (size_t)(last - first) + 1 : 0;
    j->order = good ? calloc(j->order_count, sizeof(*j->order)) : NULL;
    good = j->order;
    while (good && db_scan_next(j->records)) {
        const int64_t row = db_scan_row(j->records);
        if (event->null) continue;
        const uint64_t place = (uint64_t)event->number - (uint64_t)first;
        good = place < j->order_count && !j->order[place] && row > 0 && row <= UINT32_MAX;
        if (good) j->order[place] = (uint32_t)row;
    }
    good = good && !db_scan_odd(j->records);
    db_scan_again(j->records);
    return good;
}

/* Determines whether the records are in the order of their events, and if not, notes that order.
 * Returns false if the order cannot be kept. */
static bool find_order(struct db_joined *j)
{
    const db_cell_t *event = &j->cells[DB_RECORD_EVENT];
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool ordered = true;
    db_scan_choose(j->records, DB_RECORD_EVENT);
    while (db_scan_next(j->records)) {
        if (event->null) continue;
        ordered &= event->number > last;
        if (event->number < first) first = event->number;
        if (event->number > last) last = event->number;
    }
    const bool whole = !db_scan_odd(j->records);
    db_scan_again(j->records);
    const bool found = whole && (ordered || put_in_order(j, first, last));
    db_scan_choose(j->records, -1);
    return found;
}

/* Goes to the next record. */
static bool next_record(struct db_joined *j)
{
    if (!j->order) return db_scan_next(j->records);
    while (j->order_next < j->order_count) {
        const uint32_t row = j->order[j->order_next++];
        if (!row) continue;
        j->lost = !db_scan_find(j->records, row);
        return !j->lost;
    }
    return false;
}

static bool begin_scans(struct db_joined *j)
{
    const db_records_t *w = j->which;
    if (j->db->late || w->records + w->events > COLUMNS_MOST || !lock(j)) return false;
    j->records = db_scan_open(j->db, w->table, w->record, w->records, j->cells);
    if (j->records && w->events)
        j->events = db_scan_open(j->db, "rocpd_event", w->event, w->events, j->cells + w->records);
    return j->records && (j->events || !w->events) && (!w->by_event || find_order(j));
}

void db_records(db_cursor_t *c, const db_t *db, const db_records_t *which, const char *guid)
{
    struct db_joined *j = calloc(1, sizeof(*j));
    if (j) {
        *j = (struct db_joined){.db = db, .which = which, .guid = guid};
        if (begin_scans(j)) {
            *c = (db_cursor_t){.joined = j, .cells = j->cells, .rest = ""};
            return;
        }
        end_scans(j);
    }
    begin_statement(c, db, which, guid, false);
}

/* Lets a statement continue after the rows that were returned. */
static void continue_by_statement(db_cursor_t *c)
{
    struct db_joined *j = c->joined;
    uint64_t given = j->given;
    const db_t *db = j->db;
    const db_records_t *which = j->which;
    const char *guid = j->guid;
    end_scans(j);
    begin_statement(c, db, which, guid, given);
    while (given && db_next(c))
        given--;
}

static bool is_text(const db_cell_t *cell, const char *text, size_t bytes)
{
    return cell->bytes == bytes && memcmp(cell->text, text, bytes) == 0;
}

/* What to do with a record: return it, skip it, or leave the table to SQLite. */
typedef enum { TAKE, LEAVE, ODD } verdict_t;

static verdict_t judge(struct db_joined *j, size_t guid_bytes)
{
    const db_records_t *w = j->which;
    const db_cell_t *guid = &j->cells[DB_RECORD_GUID], *event = &j->cells[DB_RECORD_EVENT];
    const db_cell_t *of_event = &j->cells[j->which->records];
    if (w->alone ? guid->null : guid->null || event->null) return w->alone ? ODD : LEAVE;
    /* texts that differ are left to SQLite, which applies the column's rules of comparison */
    if (j->guid && !is_text(guid, j->guid, guid_bytes)) return ODD;
    if (!w->events) return TAKE;
    if (event->null || !db_scan_find(j->events, event->number)) {
        if (db_scan_odd(j->events)) return ODD;
        for (unsigned i = 0; i < w->events; i++)
            j->cells[w->records + i] = (db_cell_t){.null = true};
        return w->alone ? TAKE : LEAVE;
    }
    if (of_event->null) return w->alone ? ODD : LEAVE;
    return is_text(of_event, guid->text, guid->bytes) ? TAKE : ODD;
}

bool db_joined_next(db_cursor_t *c)
{
    struct db_joined *j = c->joined;
    const size_t guid_bytes = j->guid ? strlen(j->guid) : 0;
    verdict_t verdict = LEAVE;
    while (verdict == LEAVE && next_record(j))
        verdict = judge(j, guid_bytes);
    if (verdict == TAKE) {
        j->given++;
        return true;
    }
    if (verdict == ODD || j->lost || db_scan_odd(j->records)) continue_by_statement(c);
    return false;
}

const char *db_joined_text(const db_cursor_t *c, int column)
{
    struct db_joined *j = c->joined;
    const db_cell_t *cell = &j->cells[column];
    if (!cell->text) return "";
    if (!BASE_RESERVE(j->texts[column].text, (size_t)cell->bytes + 1, &j->texts[column].room))
        return "";
    memcpy(j->texts[column].text, cell->text, cell->bytes);
    j->texts[column].text[cell->bytes] = 0;
    return j->texts[column].text;
}

void db_joined_end(db_cursor_t *c)
{
    end_scans(c->joined);
    c->joined = NULL;
    c->cells = NULL;
}
