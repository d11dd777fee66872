/* sampling.h - checks of the options for PC sampling together. */
#ifndef CROCPROF_CLI_SAMPLING_H
#define CROCPROF_CLI_SAMPLING_H

#include "cli/options.h"

/* 0, or -1 with a line in `why`. */
int cli_sampling_check(const cli_command_t *c, char *why, size_t why_bytes);

#endif
