/* sqlite_path.h - paths as SQLite opens them, and those that are too long for it. Inline, since
 * this room is linked without SQLite. */
#ifndef CROCPROF_BASE_SQLITE_PATH_H
#define CROCPROF_BASE_SQLITE_PATH_H

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Returns the path that SQLite makes of `path` and opens: a path from the root, without ".", ".."
 * and symbolic links, which the caller frees with sqlite3_free(). Returns NULL if that path, with
 * the zero at its end, needs more than `room` bytes, if a link cannot be followed, or if memory has
 * run out. */
static inline char *base_sqlite_whole(const char *path, int room)
{
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    char *whole = files ? sqlite3_malloc(room) : NULL;
    /* the second byte of the status only says that there was a symbolic link */
    if (whole && (files->xFullPathname(files, path, room, whole) & 0xff) == SQLITE_OK) return whole;
    sqlite3_free(whole);
    return NULL;
}

/* Returns whether SQLite refuses the path for its length, which its own message, that of
 * SQLITE_CANTOPEN, does not tell; then `why` becomes a message that does. */
static inline bool base_sqlite_too_long(const char *path, char *why, size_t why_bytes)
{
    enum { SUFFIX = 8 }; /* of the journal's name, for which SQLite keeps room */
    const sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    char *whole = *path ? base_sqlite_whole(path, 2 * PATH_MAX) : NULL;
    const size_t length = whole ? strlen(whole) : 0;
    const bool refused = whole && length + SUFFIX > (size_t)files->mxPathname;
    sqlite3_free(whole);
    if (refused)
        snprintf(why, why_bytes, "its whole path has %zu bytes, of which SQLite takes %d at most",
                 length, files->mxPathname - SUFFIX);
    return refused;
}

#endif
