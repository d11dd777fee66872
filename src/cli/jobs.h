/* jobs.h - the runs that a command asks for: one, or one for each job and each --pmc.
 *
 * All runs are planned and checked before the program runs for the first time. */
#ifndef CROCPROF_CLI_JOBS_H
#define CROCPROF_CLI_JOBS_H

#include "cli/input.h"

typedef struct {
    cli_command_t command; /* all options of the run */
    char directory[32];    /* below the output directory, "" for the directory itself */
    bool bare;             /* run without profiling: a rank that was not selected */
} cli_run_t;

typedef struct {
    cli_run_t *runs;
    size_t count;
} cli_plan_t;

/* 0, or -1 with a line in `why`. Free with cli_plan_free in both cases. */
int cli_plan(cli_plan_t *plan, const cli_command_t *c, char *why, size_t why_bytes);
void cli_plan_free(cli_plan_t *plan);

#endif
