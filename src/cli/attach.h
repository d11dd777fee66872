/* attach.h - rocprofv3 --pid: profiles a running process for a while. */
#ifndef CROCPROF_CLI_ATTACH_H
#define CROCPROF_CLI_ATTACH_H

#include <stddef.h>

#include "cli/options.h"
#include "cli/session.h"

/* Checks for options that cannot be used with --pid. Returns 0, or -1 with a line in `why`. */
int cli_attach_check(const cli_command_t *c, char *why, size_t why_bytes);

/* Attaches, waits, detaches. Environment and run directory must have been made. Returns 0, or the
 * exit status and a line in `why`. In both cases there may be records. */
int cli_attach(const cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes);

#endif
