/* periods.h - -P: windows in time, as the user writes them and as the tool library reads them. */
#ifndef CROCPROF_CLI_PERIODS_H
#define CROCPROF_CLI_PERIODS_H

#include <stddef.h>

/* Words DELAY:TIME:REPEAT, one a line, in `unit` (NULL: seconds), to a list in nanoseconds parted
 * by semicolons; allocated. NULL with a line in `why`. */
char *cli_periods(const char *words, const char *unit, char *why, size_t why_bytes);

#endif
