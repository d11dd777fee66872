/* formats.h - which output formats were asked for: some facts need to be recorded only for some of
 * them.
 *
 * The files themselves are made later, from the store, by rocprofv3. */
#ifndef CROCPROF_TOOL_FORMATS_H
#define CROCPROF_TOOL_FORMATS_H

#include <stdbool.h>

/* True if any of the formats in `names`, which are separated by blanks, was asked for. If none was,
 * the format is the database. */
bool tool_formats_want(const char *names);

#endif
