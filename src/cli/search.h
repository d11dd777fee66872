/* search.h - finds the file of a program as the shell does.
 *
 * Apart from launch.h, because the front of rocprofv3 (front.c), which has no C library, does it,
 * too. */
#ifndef CROCPROF_CLI_SEARCH_H
#define CROCPROF_CLI_SEARCH_H

#include <stddef.h>

typedef enum {
    CLI_SEARCH_FOUND,
    CLI_SEARCH_NOTHING,        /* there is no such file */
    CLI_SEARCH_NOT_EXECUTABLE, /* there is, but this user may not execute it */
    CLI_SEARCH_DIRECTORY       /* the name has a slash, and is that of a directory */
} cli_search_t;

/* `places` is the value of PATH, or NULL if that is not set; a name with a slash is looked for
 * nowhere else. `path` becomes the file that was found. */
cli_search_t cli_search(const char *name, const char *places, char *path, size_t path_bytes);

#endif
