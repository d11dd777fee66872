/* ranks.h - --profile-mpi-ranks: which ranks of a parallel program are profiled.
 *
 * Each rank has a rocprofv3 of its own, which learns its rank from what the launcher has set. */
#ifndef CROCPROF_CLI_RANKS_H
#define CROCPROF_CLI_RANKS_H

#include "cli/options.h"

/* 0 if the options that concern ranks make sense together, or -1 with a line in `why`. */
int cli_ranks_check(const cli_command_t *c, char *why, size_t why_bytes);

/* 1 if this rank is to be profiled, or nobody knows which it is; 0 if not, with a line in `why`
 * that says so; -1 with what is wrong in `why`. Where a rank is known, variables tell the program's
 * processes where it stands. */
int cli_ranks_select(const cli_command_t *c, char *why, size_t why_bytes);

#endif
