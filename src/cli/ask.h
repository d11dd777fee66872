/* ask.h - asks rocprofv3-avail about counters, in a process of its own.
 *
 * Apart because rocprofv3 itself never loads the SDK, and because the answer depends on the GPU
 * that the program will see: the software GPU must be preloaded into the process that answers. */
#ifndef CROCPROF_CLI_ASK_H
#define CROCPROF_CLI_ASK_H

#include <stddef.h>

#include "cli/options.h"

/* Can the run's counters be collected, all of a group together? 0; CLI_EXIT_USAGE if not, with the
 * reasons on stderr; another exit status with a line in `why` if the question could not be
 * answered. The run's variables must have been set. */
int cli_ask_counters(const cli_command_t *c, char *why, size_t why_bytes);

/* Shows what can be counted and sampled. Exit status, with a line in `why` as above. */
int cli_show_avail(const cli_command_t *c, char *why, size_t why_bytes);

#endif
