/* periods.h - option -P: periods of time, as the user writes them and as the tool library reads
 * them. */
#ifndef CROCPROF_CLI_PERIODS_H
#define CROCPROF_CLI_PERIODS_H

#include <stddef.h>

/* Converts words DELAY:TIME:REPEAT, one on each line, in `unit` (NULL: seconds) to a list in
 * nanoseconds, separated by semicolons, which the caller frees. NULL with a line in `why`. */
char *cli_periods(const char *words, const char *unit, char *why, size_t why_bytes);

#endif
