/* rules.h - checks which options need or exclude each other. */
#ifndef CROCPROF_CLI_RULES_H
#define CROCPROF_CLI_RULES_H

#include "cli/options.h"

/* Checks the rules of trace/settings.def. Returns 0, or -1 with a line in `why`. */
int cli_rules_check(const cli_command_t *c, char *why, size_t why_bytes);

#endif
