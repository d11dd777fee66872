/* times.h - changes times that statements see to one clock: columns of AMD's tables that have a
 * guid beside them. Several files are copied, and changed there; a single one is seen through
 * views. */
#ifndef CROCPROF_ROCPD_TIMES_H
#define CROCPROF_ROCPD_TIMES_H

#include "rocpd/base.h"

/* Changes the times of a table that was filled, once. 0, or -1 with the reason in `why`. */
int rocpd_times_change(const rocpd_base_t *b, const char *table, char why[DB_WHY_BYTES]);

#endif
