/* counted.h - reads counts of instructions from a database, into the structures that insight fills
 * from a store.
 *
 * Cells of the tables may have any type and size: they are converted to numbers and texts. */
#ifndef CROCPROF_ROCPD_COUNTED_H
#define CROCPROF_ROCPD_COUNTED_H

#include "db/db.h"
#include "insight/instructions.h"

/* Reads the counts of one process, to be freed by ins_free(); *any says whether the database has
 * the tables. Returns 0, or -1 after reporting the reason. */
int rocpd_counted_read(const db_t *db, const char *guid, ins_set_t *set, bool *any);

#endif
