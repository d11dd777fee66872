/* own.h - views over the tables that rocprofv3 adds to AMD's schema.
 *
 * They need code of their own because a database need not have these tables, and databases of
 * another version have other columns, while AMD's views are the same in all databases that are read
 * together. */
#ifndef CROCPROF_ROCPD_OWN_H
#define CROCPROF_ROCPD_OWN_H

#include "db/db.h"

/* For each of these tables that any of the attached databases `parts` has, makes a temporary view
 * over the views of this name in the parts. 0, or -1 with the reason told. */
int rocpd_own_views(const db_t *db, const char *const *parts, size_t count);

/* Makes views in the main database over its tables, whose names end with their runs' ids. */
int rocpd_own_merge(const db_t *db);

/* Begins the list of the tables in the main database whose names are this name and a run's id. */
void rocpd_tables_of(const db_t *db, db_cursor_t *c, const char *name);

#endif
