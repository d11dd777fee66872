/* ranks.h - --profile-mpi-ranks: which ranks of a parallel program are profiled.
 *
 * Each rank is started by a rocprofv3 of its own, which finds its rank in variables that the
 * launcher has set. */
#ifndef CROCPROF_CLI_RANKS_H
#define CROCPROF_CLI_RANKS_H

#include "cli/options.h"

/* Checks the options for ranks together. Returns 0, or -1 with a line in `why`. */
int cli_ranks_check(const cli_command_t *c, char *why, size_t why_bytes);

/* Returns 1 if this rank is to be profiled, or its number is unknown; 0 if not, with a line for the
 * user in `why`; -1 with an error in `why`. If the rank is known, variables for the program's
 * processes are set to it. */
int cli_ranks_select(const cli_command_t *c, char *why, size_t why_bytes);

#endif
