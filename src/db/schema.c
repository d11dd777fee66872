/* schema.c - see schema.h. */
#include "db/schema.h"

#include <ctype.h>
#include <stdio.h>

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

void db_metadata_table(const char *guid, char table[DB_TABLE_BYTES])
{
    snprintf(table, DB_TABLE_BYTES, "rocpd_metadata_%.64s", guid);
    for (char *at = table; *at; at++)
        if (!isalnum((unsigned char)*at)) *at = '_';
}
