/* ranks.h - the ranks whose records were summed: reads them from databases, and reports what is
 * unusual. */
#ifndef CROCPROF_ROCPD_RANKS_H
#define CROCPROF_ROCPD_RANKS_H

#include "db/db.h"
#include "rocpd/partial.h"

/* Reads the facts about the part's processes from their database. Returns 0, or -1 after reporting
 * the reason. */
int rocpd_ranks_read(const db_t *db, rocpd_partial_t *part);

/* Reports, a line each: processes that did not end in order or that were read more than once, ranks
 * with several processes, different GPUs and versions, inputs that are absent; with `whole`, also
 * ranks that are missing. */
void rocpd_ranks_tell(const rocpd_partial_t *p, bool whole);

#endif
