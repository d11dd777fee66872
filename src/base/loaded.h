/* loaded.h - finds libraries that the process has loaded. */
#ifndef CROCPROF_BASE_LOADED_H
#define CROCPROF_BASE_LOADED_H

#include <stdbool.h>

/* Returns whether the file name at the end of `path` is `library`, perhaps followed by a
 * version. */
bool base_is_file_of(const char *path, const char *library);

/* Returns a handle of the first loaded library whose file name begins with `library`, without
 * loading anything, and copies its path to `path`; NULL if no such library is loaded. */
void *base_find_loaded(const char *library, char path[4096]);

#endif
