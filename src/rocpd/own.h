/* own.h - views over the tables that rocprofv3 adds to AMD's schema.
 *
 * Apart because databases need not have them, and those of another version have other columns:
 * AMD's views are the same in all databases that are read together. */
#ifndef CROCPROF_ROCPD_OWN_H
#define CROCPROF_ROCPD_OWN_H

#include <sqlite3.h>
#include <stddef.h>

/* Makes temporary views of the tables' names over the views of the databases `parts` of the
 * connection; none where no part has any. 0, or -1 with the reason told. */
int rocpd_own_views(sqlite3 *db, const char *const *parts, size_t count);

/* Makes views in the main database over its tables, whose names end with their runs' ids. */
int rocpd_own_merge(sqlite3 *db);

#endif
