/* attach.h - rocprofv3 --pid: profiles a process that runs already, for a while. */
#ifndef CROCPROF_CLI_ATTACH_H
#define CROCPROF_CLI_ATTACH_H

#include <stddef.h>

#include "cli/options.h"
#include "cli/session.h"

/* What cannot be had together with --pid. 0, or -1 with a line in `why`. */
int cli_attach_check(const cli_command_t *c, char *why, size_t why_bytes);

/* Attaches, waits, detaches; the environment and the run directory are made. 0, or the status to
 * end with and a line in `why`. Either way there may be records. */
int cli_attach(const cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes);

#endif
