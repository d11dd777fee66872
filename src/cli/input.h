/* input.h - input files: each describes one or more runs of the program.
 *
 * There are three forms: lines "pmc: NAME ..." (.txt), and lists of jobs in YAML or JSON, whose
 * keys are the names of options with underscores. Errors are reported with file, line and
 * column. */
#ifndef CROCPROF_CLI_INPUT_H
#define CROCPROF_CLI_INPUT_H

#include <stddef.h>

#include "cli/options.h"

typedef struct {
    cli_command_t *jobs;
    size_t count;
    const char *directory; /* "pass_" or "pmc_": with the job's number, the name of a folder for its
                            * output */
} cli_jobs_t;

typedef enum { CLI_INPUT_TEXT, CLI_INPUT_YAML, CLI_INPUT_JSON } cli_input_form_t;

/* Reads a file whose name ends in .txt, .yaml, .yml or .json. Returns 0, or -1 with a line in
 * `why`. cli_jobs_free() is to be called in both cases. */
int cli_input_read(cli_jobs_t *jobs, const char *path, char *why, size_t why_bytes);

/* The same for the bytes of a file; `name` is for messages. */
int cli_input_parse(cli_jobs_t *jobs, cli_input_form_t form, const char *name, const char *text,
                    size_t bytes, char *why, size_t why_bytes);
void cli_jobs_free(cli_jobs_t *jobs);

#endif
