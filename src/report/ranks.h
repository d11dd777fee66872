/* ranks.h - the processes of a job side by side: which of them a report reads in full, and what it
 * tells of all of them.
 *
 * Of a job of many ranks nobody reads every record: the timeline has the slowest rank and a median
 * one, and all ranks have bins (results/bins.h) and sums. */
#ifndef CROCPROF_REPORT_RANKS_H
#define CROCPROF_REPORT_RANKS_H

#include "report/findings.h"

enum { REP_RANKS_FEW = 16 }; /* so many processes are read in full */

/* The databases that the report reads in full: all that can be read, or those of some ranks.
 * `paths` has room for all files of `found`, whose names it gets. Returns their number. */
size_t rep_ranks_choose(const rep_found_t *found, char **paths);

/* Adds the ranks to the run, if it is a job of several; of many, the sums over all ranks take the
 * place of those over the ranks that were read. 0, or -1 with the reason told. */
int rep_ranks_add(rep_run_t *run, rep_names_t *names, rep_found_t *found);

#endif
