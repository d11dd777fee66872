/* schema.c - see schema.h. */
#include "db/schema.h"

#include <ctype.h>
#include <stdio.h>

#include "db/swap.h"

static const struct {
    const char *view, *column;
} parts[] = {
#define X(id, view, column) [DB_##id] = {view, column},
    DB_PARTS(X)
#undef X
};

bool db_holds(const db_t *db, db_part_t part)
{
    return db_has(db, parts[part].view, parts[part].column);
}

const char *db_values_of_dispatches(const db_t *db)
{
    return db_holds(db, DB_SAMPLES) ? "sample_id IS NULL" : "1";
}

bool db_own_table(const db_t *db, const char *view, const char *guid, char table[DB_TABLE_BYTES])
{
    const int length = snprintf(table, DB_TABLE_BYTES, "%s_%s", view, guid);
    for (char *at = table; *at; at++)
        if (!isalnum((unsigned char)*at)) *at = '_';
    db_swap_rename(db->swap, table);
    return length > 0 && length < DB_TABLE_BYTES;
}

bool db_shares_tables(const db_t *db)
{
    return db_has(db, DB_SHARED_METADATA, "guid");
}

bool db_own_metadata(const db_t *db, const char *guid, char table[DB_TABLE_BYTES])
{
    return db_own_table(db, "rocpd_metadata", guid, table) && db_has(db, table, "tag");
}

void db_metadata(db_cursor_t *c, const db_t *db, const char *guid)
{
    char table[DB_TABLE_BYTES];
    *c = (db_cursor_t){0};
    if (db_own_metadata(db, guid, table)) {
        char *sql = sqlite3_mprintf("SELECT tag, value FROM \"%w\"", table);
        db_rows(c, db, sql, "");
        sqlite3_free(sql);
    } else if (db_shares_tables(db)) {
        db_rows(c, db, "SELECT tag, value FROM " DB_SHARED_METADATA " WHERE guid = ?", "t", guid);
    }
}
