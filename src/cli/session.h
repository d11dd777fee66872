/* session.h - a run of the program: the directory for its records, its environment, and the
 * conversion of the records. */
#ifndef CROCPROF_CLI_SESSION_H
#define CROCPROF_CLI_SESSION_H

#include <limits.h>

#include "cli/options.h"

#define CLI_TOOL_LIBRARY "lib/librocprofiler-sdk-tool.so.1"

typedef struct {
    char root[PATH_MAX];   /* root of the installation */
    char run[PATH_MAX];    /* run directory, "" if nothing is traced */
    char shared[PATH_MAX]; /* the output directory up to its first key, which all ranks share */
    char *preload;         /* LD_PRELOAD of the program; NULL: unchanged */
} cli_session_t;

/* Makes the output directory and the environment; `below` is the directory of a pass in it, or "".
 * Returns 0, or the exit status with a line in `why`. */
int cli_session_prepare(cli_session_t *s, const cli_command_t *c, const char *below, char *why,
                        size_t why_bytes);

/* For a program that is not profiled: only sets up the GPU. The result is as above. */
int cli_session_prepare_bare(cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes);

/* Removes directories that are still empty, and frees the members. */
void cli_session_end(cli_session_t *s);

/* Converts all stores of a run directory and removes those that were converted. `expected` says
 * that the run has just ended, so that it is reported if there is no store. Returns 0, or -1 if
 * anything failed. Failures, losses and counts are printed to stderr. */
int cli_convert_run(const char *run, bool expected);

/* Returns true if a run directory contains more than its settings. */
bool cli_has_stores(const char *run);

/* Runs "rocprofv3 convert DIR", with the words from "convert" on. DIR is an output directory, a run
 * directory or the store of a process. Paths in a store do not decide where files are written. */
int cli_convert_command(int argc, char **argv);

#endif
