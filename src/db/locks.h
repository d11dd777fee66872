/* locks.h - tests whether files can be locked.
 *
 * SQLite locks each file that it reads, so that no other process changes the file meanwhile.
 * Clusters may mount shared file systems without locks (Lustre without its option flock, NFS
 * without its lock service), and SQLite refuses to read a file on such a file system. The database
 * of a finished run does not change any more, so it can be read without a lock. */
#ifndef CROCPROF_DB_LOCKS_H
#define CROCPROF_DB_LOCKS_H

#include <stdbool.h>

/* Returns whether the file's file system has locks; true if the file cannot be opened, too, since
 * SQLite reports the reason. */
bool db_has_locks(const char *path);

/* Returns the query of the URI by which SQLite opens the file for reading. */
const char *db_reading(const char *path);

#endif
