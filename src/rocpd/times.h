/* times.h - converts the times that statements read to one clock, in the columns of AMD's tables
 * that have a guid in the same row. With several files, the times in the copied tables are changed;
 * a single file is read through views that convert. */
#ifndef CROCPROF_ROCPD_TIMES_H
#define CROCPROF_ROCPD_TIMES_H

#include "rocpd/base.h"

/* Changes the times of a table that was filled, once. Returns 0, or -1 with the reason in `why`. */
int rocpd_times_change(const rocpd_base_t *b, const char *table, char why[DB_WHY_BYTES]);

#endif
