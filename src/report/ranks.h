/* ranks.h - the processes of a job: which of them a report reads in full, and the sums that it
 * shows for all of them.
 *
 * For a job of many ranks not every record is shown: the timeline has the slowest rank and a median
 * one, and all ranks have bins (results/bins.h) and sums. */
#ifndef CROCPROF_REPORT_RANKS_H
#define CROCPROF_REPORT_RANKS_H

#include "report/findings.h"

enum { REP_RANKS_FEW = 16 }; /* the largest number of processes that are read in full */

/* Chooses the databases that the report reads in full: all that can be read, or those of some
 * ranks. `paths` has room for all files of `found`, and gets their paths. Returns their number. */
size_t rep_ranks_choose(const rep_found_t *found, char **paths);

/* Adds the ranks to the run, if it is a job of several; if there are many, the sums over all ranks
 * replace those over the ranks that were read. Returns 0, or -1 after reporting the reason. */
int rep_ranks_add(rep_run_t *run, rep_names_t *names, rep_found_t *found);

#endif
