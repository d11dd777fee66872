/* session.h - everything around a program's run: where its records go, what it is given, what
 * becomes of the records. */
#ifndef CROCPROF_CLI_SESSION_H
#define CROCPROF_CLI_SESSION_H

#include <limits.h>

#include "cli/options.h"

#define CLI_TOOL_LIBRARY "lib/librocprofiler-sdk-tool.so.1"

typedef struct {
    char root[PATH_MAX]; /* of the installation */
    char run[PATH_MAX];  /* directory of the run, "" when nothing is traced */
    char *preload;       /* LD_PRELOAD of the program, NULL to leave it */
} cli_session_t;

/* Makes the output directory and the environment; `below` is the pass's directory in it, or "".
 * 0, or the exit status with a line in `why`. */
int cli_session_prepare(cli_session_t *s, const cli_command_t *c, const char *below, char *why,
                        size_t why_bytes);

/* For a program that is not profiled: only the GPU it is to run on. Same answers. */
int cli_session_prepare_bare(cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes);

/* Removes what cli_session_prepare made and nothing was put into, and frees. */
void cli_session_end(cli_session_t *s);

/* Converts all stores of a run directory and removes those that were converted. `expected`: the
 * run has just ended, so say so if there is nothing. 0, or -1 if anything failed; failures,
 * losses and counts are told on stderr. */
int cli_convert_run(const char *run, bool expected);

/* True if a run directory holds more than its settings. */
bool cli_has_stores(const char *run);

/* The words from "convert" on. rocprofv3 convert DIR: an output directory, a run directory or the
 * store of a process. What is in a store does not decide where files are written. */
int cli_convert_command(int argc, char **argv);

#endif
