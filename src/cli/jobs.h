/* jobs.h - the runs of a command: one, or one for each job and each --pmc.
 *
 * All runs are planned and checked before the program runs for the first time. */
#ifndef CROCPROF_CLI_JOBS_H
#define CROCPROF_CLI_JOBS_H

#include "cli/input.h"

typedef struct {
    cli_command_t command; /* all options of the run */
    char directory[32];    /* folder below the output directory, "" for the output directory
                            * itself */
    bool bare;             /* run without profiling, since the rank was not selected */
} cli_run_t;

typedef struct {
    cli_run_t *runs;
    size_t count;
} cli_plan_t;

/* Plans the runs. Returns 0, or -1 with a line in `why`. cli_plan_free() is to be called in both
 * cases. */
int cli_plan(cli_plan_t *plan, const cli_command_t *c, char *why, size_t why_bytes);
void cli_plan_free(cli_plan_t *plan);

#endif
