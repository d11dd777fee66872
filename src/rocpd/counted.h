/* counted.h - reads counts of instructions from a database, in the form in which insight reads them
 * from a store.
 *
 * Cells of the tables may have any type and size: they are converted to numbers and texts. */
#ifndef CROCPROF_ROCPD_COUNTED_H
#define CROCPROF_ROCPD_COUNTED_H

#include "db/db.h"
#include "insight/instructions.h"

/* Reads those of one process, to be freed by ins_free(); *any says whether the database has the
 * tables. 0, or -1 with the reason told. */
int rocpd_counted_read(const db_t *db, const char *guid, ins_set_t *set, bool *any);

#endif
