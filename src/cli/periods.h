/* periods.h - option -P: converts periods of time from the user's form to that of the tool
 * library. */
#ifndef CROCPROF_CLI_PERIODS_H
#define CROCPROF_CLI_PERIODS_H

#include <stddef.h>

/* Converts words DELAY:TIME:REPEAT, one on each line, in `unit` (NULL: seconds) to a list in
 * nanoseconds, separated by semicolons, which the caller frees. Returns NULL with a line in `why`
 * on failure. */
char *cli_periods(const char *words, const char *unit, char *why, size_t why_bytes);

#endif
