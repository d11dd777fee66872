/* att.h - what rocprofv3's options of thread traces mean together. */
#ifndef CROCPROF_CLI_ATT_H
#define CROCPROF_CLI_ATT_H

#include "cli/options.h"

/* Is anything to be traced? */
bool cli_att_is_on(const cli_command_t *c);

/* Values, and options that need or exclude each other. 0, or -1 with a line in `why`. */
int cli_att_check(const cli_command_t *c, char *why, size_t why_bytes);

/* The decoder library is there, where it is needed: as cli_att_check. */
int cli_att_check_decoder(const cli_command_t *c, char *why, size_t why_bytes);

/* The variables that --att-activity stands for. 0, or -1 with errno. */
int cli_att_set_activity(const char *period);

#endif
