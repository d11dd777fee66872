/* sqlite_path.h - why SQLite does not open a long path. Inline, since this room is linked without
 * SQLite. */
#ifndef CROCPROF_BASE_SQLITE_PATH_H
#define CROCPROF_BASE_SQLITE_PATH_H

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a path that could not be opened: if SQLite refuses it for its length, which its own message
 * does not tell, replaces the message `why`. */
static inline void base_sqlite_explain(const char *path, char *why, size_t why_bytes)
{
    enum { SUFFIX = 8 }; /* of the journal's name, for which SQLite keeps room */
    const sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    char folder[PATH_MAX];
    size_t length = strlen(path);
    if (*path != '/' && getcwd(folder, sizeof folder)) length += strlen(folder) + 1;
    if (files && length + SUFFIX > (size_t)files->mxPathname)
        snprintf(why, why_bytes, "its whole path has %zu bytes, of which SQLite takes %d at most",
                 length, files->mxPathname - SUFFIX);
}

#endif
