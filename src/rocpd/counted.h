/* counted.h - instructions that were counted, out of a database: as insight has them from a store.
 *
 * What is in the tables may be of any type and any size: it becomes numbers and texts. */
#ifndef CROCPROF_ROCPD_COUNTED_H
#define CROCPROF_ROCPD_COUNTED_H

#include <sqlite3.h>

#include "insight/instructions.h"

/* Those of one process, to be freed with ins_free; *any says whether the database has the tables.
 * 0, or -1 with the reason told. */
int rocpd_counted_read(sqlite3 *db, const char *guid, ins_set_t *set, bool *any);

#endif
