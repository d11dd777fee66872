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
