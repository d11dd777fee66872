/* sources.h - the source files from which instructions come: their paths and their texts. */
#ifndef CROCPROF_INSIGHT_SOURCES_H
#define CROCPROF_INSIGHT_SOURCES_H

#include "insight/instructions.h"

/* Larger files are not read, nor are files that contain a zero byte. */
enum { INS_SOURCE_BYTES_MAX = 4 << 20 };

/* Calls `each` once with the recorded path of each file in which instructions have lines or
 * functions were inlined, in the order of strcmp(), until it returns false. Returns false without
 * memory, or if `each` has returned false. */
bool ins_sources_each(const ins_set_t *set, bool (*each)(void *to, const char *path), void *to);

/* Returns whether the path is that of a header which comes with a system, a compiler or ROCm: code
 * that the user has not written and will not change. Only the path decides;
 * docs/instruction-counts.md has the rules. */
bool ins_source_is_header(const char *path);

/* Returns the text of the file with a recorded path, to be freed; NULL if it cannot be read.
 * `moved` is a list of OLD=NEW, separated by '\n': the first OLD that is the beginning of the path,
 * in whole folders, is replaced by its NEW. `moved` may be NULL. */
char *ins_source_read(const char *path, const char *moved);

#endif
