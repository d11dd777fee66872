/* att.h - checks of rocprofv3's options for thread traces. */
#ifndef CROCPROF_CLI_ATT_H
#define CROCPROF_CLI_ATT_H

#include "cli/options.h"

/* True if a thread trace is wanted. */
bool cli_att_is_on(const cli_command_t *c);

/* Checks values. 0, or -1 with a line in `why`. */
int cli_att_check(const cli_command_t *c, char *why, size_t why_bytes);

/* Checks that the decoder library is there if it is needed. As cli_att_check. */
int cli_att_check_decoder(const cli_command_t *c, char *why, size_t why_bytes);

/* Sets the variables for which --att-activity stands. 0, or -1 with errno. */
int cli_att_set_activity(const char *period);

#endif
