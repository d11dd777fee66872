/* sources.h - the files that instructions come from: which they are, where they lie here. */
#ifndef CROCPROF_INSIGHT_SOURCES_H
#define CROCPROF_INSIGHT_SOURCES_H

#include "insight/instructions.h"

/* Larger ones are not read, nor are those with a zero in them. */
enum { INS_SOURCE_BYTES_MAX = 4 << 20 };

/* Calls back with each file's recorded path once, of lines and of where functions were inlined, in
 * the order of the texts; until it returns false. False without memory, or when it was stopped. */
bool ins_sources_each(const ins_set_t *set, bool (*each)(void *to, const char *path), void *to);

/* Whether the path is that of a header which comes with a system, a compiler or ROCm: code that its
 * user has not written and will not change. Paths alone say so: docs/instruction-counts.md. */
bool ins_source_is_header(const char *path);

/* The text of a recorded path, to be freed; NULL: it cannot be read. `moved` is a list of OLD=NEW,
 * one behind the other with '\n' between them: the first whose OLD the path begins with, as whole
 * folders, puts NEW in its place. NULL: nothing was moved. */
char *ins_source_read(const char *path, const char *moved);

#endif
