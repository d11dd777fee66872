/* formats.h - which formats the records are for, where only some of them show a thing.
 *
 * The formats themselves are made later, elsewhere; here it is only asked what is worth writing. */
#ifndef CROCPROF_TOOL_FORMATS_H
#define CROCPROF_TOOL_FORMATS_H

#include <stdbool.h>

/* True if any of the formats, named with blanks between them, was asked for. Where nothing was
 * said, it is the database. */
bool tool_formats_want(const char *names);

#endif
