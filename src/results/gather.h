/* gather.h - records of a run, read once and summed up in small temporary tables.
 *
 * A run has millions of records and few kinds of them. Statements that ask for kernels, calls or
 * gaps read these tables and not the records, so that a new one costs nothing. */
#ifndef CROCPROF_RESULTS_GATHER_H
#define CROCPROF_RESULTS_GATHER_H

#include "results/run.h"

/* Makes temp.res_launch, a row for each way in which a kernel was launched:
 *   guid, kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid (the last two in
 * work-items), calls, total, least, most (ns), first (when the first of them began), first_ns (what
 * it took). 0, or -1 with the reason told. */
int res_gather_launches(res_run_t *r);

/* Makes temp.res_work, which has one row of kernels and copies:
 *   first, last (when they began and ended), and of the times at which a process had none, between
 *   its first and its last: gaps, idle_ns, longest_ns;
 * and temp.res_call, a row for each name of calls and ranges of a process:
 *   guid, name, category, calls, time_ns, longest_ns, first, last, inside, inside_ns (those within
 * the time of kernels and copies), gap_ns (how much of the run's longest gaps they fill). 0, or -1
 * with the reason told. */
int res_gather_calls(res_run_t *r);

#endif
