/* defaults.h - what the environment says of options that nobody gives. */
#ifndef CROCPROF_CLI_DEFAULTS_H
#define CROCPROF_CLI_DEFAULTS_H

#include "cli/options.h"

/* The ROCPROF_* variables are those that options set for the program, so they mean the same when
 * they were there before: what is not given is taken from them. 0, or -1 with a line in `why` that
 * names the variable, if its value is wrong or of a feature that is not implemented. */
int cli_take_environment(cli_command_t *c, char *why, size_t why_bytes);

/* Formats that a variable asks for, beside those of the command line: CSV, the only one that can
 * be, is written anyway. `value` may be NULL. 0, or -1 with a line in `why`. */
int cli_check_formats(const char *value, char *why, size_t why_bytes);

#endif
