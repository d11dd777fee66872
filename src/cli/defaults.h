/* defaults.h - takes options that are not given from the environment. */
#ifndef CROCPROF_CLI_DEFAULTS_H
#define CROCPROF_CLI_DEFAULTS_H

#include "cli/options.h"

/* Options set ROCPROF_* variables for the program. If such a variable is already set and the option
 * is not given, it means the same. Returns 0, or -1 with a line in `why` that names the variable,
 * if its value is wrong or its feature is not implemented. */
int cli_take_environment(cli_command_t *c, char *why, size_t why_bytes);

/* Checks the formats in the value of a variable (NULL: none). Returns 0, or -1 with a line in
 * `why`. */
int cli_check_formats(const char *value, char *why, size_t why_bytes);

#endif
