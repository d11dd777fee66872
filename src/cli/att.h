/* att.h - checks of rocprofv3's options for thread traces. */
#ifndef CROCPROF_CLI_ATT_H
#define CROCPROF_CLI_ATT_H

#include "cli/options.h"

/* Returns true if a thread trace is to be made. */
bool cli_att_is_on(const cli_command_t *c);

/* Checks the values of the options. Returns 0, or -1 with a line in `why`. */
int cli_att_check(const cli_command_t *c, char *why, size_t why_bytes);

/* Checks that the decoder library exists if it is needed. The result is as above. */
int cli_att_check_decoder(const cli_command_t *c, char *why, size_t why_bytes);

/* Sets the variables for which --att-activity stands. Returns 0, or -1 with errno. */
int cli_att_set_activity(const char *period);

#endif
