/* loaded.h - finds libraries that the process has loaded. */
#ifndef CROCPROF_BASE_LOADED_H
#define CROCPROF_BASE_LOADED_H

#include <stdbool.h>

/* Is the file name of a path `library`, or that with a version behind it? */
bool base_is_file_of(const char *path, const char *library);

/* The library with such a name that the process has, not opened a second time; its file goes to
 * `path`. NULL if it has none. */
void *base_find_loaded(const char *library, char path[4096]);

#endif
