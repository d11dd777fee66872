/* ranks.h - which ranks sums are of: read from databases, and told where something is odd. */
#ifndef CROCPROF_ROCPD_RANKS_H
#define CROCPROF_ROCPD_RANKS_H

#include "db/db.h"
#include "rocpd/partial.h"

/* Reads what is known of the part's processes from their database. 0, or -1 with the reason told.
 */
int rocpd_ranks_read(const db_t *db, rocpd_partial_t *part);

/* Tells, a line each: processes that did not end in order, that were read more than once, ranks
 * with several processes, different GPUs and versions, inputs that are absent; if `whole`, also
 * ranks that are missing. */
void rocpd_ranks_tell(const rocpd_partial_t *p, bool whole);

#endif
