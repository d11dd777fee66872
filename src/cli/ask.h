/* ask.h - queries counters by running rocprofv3-avail.
 *
 * This is a process of its own because rocprofv3 itself never loads the SDK, and because the result
 * depends on the GPU that the program will use: the software GPU must be preloaded into the process
 * that loads the SDK. */
#ifndef CROCPROF_CLI_ASK_H
#define CROCPROF_CLI_ASK_H

#include <stddef.h>

#include "cli/options.h"

/* Checks that the run's counters can be collected, all of a group together. Returns 0;
 * CLI_EXIT_USAGE if they cannot, with the reasons on stderr; another exit status with a line in
 * `why` if this could not be determined. The run's variables must have been set. */
int cli_ask_counters(const cli_command_t *c, char *why, size_t why_bytes);

/* Shows the counters, and what can be sampled. Returns the exit status, with a line in `why` as
 * above. */
int cli_show_avail(const cli_command_t *c, char *why, size_t why_bytes);

#endif
