/* ask.h - asks rocprofv3-avail about counters, in a process of its own.
 *
 * Apart because rocprofv3 itself never loads the SDK, and because the answer needs the GPU that the
 * program will see: the software one is preloaded. */
#ifndef CROCPROF_CLI_ASK_H
#define CROCPROF_CLI_ASK_H

#include <stddef.h>

#include "cli/options.h"

/* Can the run's counters be collected, each group together? 0; CLI_EXIT_USAGE if not, with the
 * reasons told on stderr; another exit status with a line in `why` if it could not be asked. The
 * run's variables are set already. */
int cli_ask_counters(const cli_command_t *c, char *why, size_t why_bytes);

/* Shows what can be counted and sampled. Exit status, with a line in `why` as above. */
int cli_show_avail(const cli_command_t *c, char *why, size_t why_bytes);

#endif
