/* linked.h - which libraries the process has, for the bridges. */
#ifndef CROCPROF_REGISTER_LINKED_H
#define CROCPROF_REGISTER_LINKED_H

#include <link.h>
#include <stdbool.h>

/* Is the file name of a path `library`, or that with a version behind it? */
bool reg_is_file_of(const char *path, const char *library);

/* The library with such a name that the process has, not opened a second time; its file goes to
 * `path`. NULL if it has none. */
void *reg_find_library(const char *library, char path[4096]);

/* A runtime that registers its tables is linked with librocprofiler-register; its own entry points
 * for that are local symbols in some builds. */
bool reg_registers_itself(const struct link_map *library);

#endif
