/* spelling.h - how the options of rocprofv3 are spelt, and which words behind them are theirs.
 *
 * Apart from options.h, because the front of rocprofv3 (front.c), which has no C library, reads
 * options, too. */
#ifndef CROCPROF_CLI_SPELLING_H
#define CROCPROF_CLI_SPELLING_H

#include "base/arguments.h"
#include "trace/settings.h"

/* Returns the row of the option that has just been read, by name, alias or letter; -1 if there is
 * none. */
int cli_option_spelt(const base_arguments_t *a);

base_takes_t cli_option_takes(trace_form_t form);

#endif
