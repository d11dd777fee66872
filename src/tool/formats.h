/* formats.h - the output formats that the user has chosen: some facts need to be recorded only for
 * some formats.
 *
 * The files themselves are made later, from the store, by rocprofv3. */
#ifndef CROCPROF_TOOL_FORMATS_H
#define CROCPROF_TOOL_FORMATS_H

#include <stdbool.h>

/* Returns whether any of the formats in `names`, which are separated by blanks, was chosen. If the
 * user has chosen none, the format is the database. */
bool tool_formats_want(const char *names);

#endif
