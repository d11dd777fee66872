/* locks.h - whether files can be locked.
 *
 * SQLite locks each file that it reads, so that no other process changes the file meanwhile.
 * Clusters may mount shared file systems without locks (Lustre without its option flock, NFS
 * without its lock service), and SQLite refuses to read a file on such a file system. No process
 * changes the database of a finished run any more, so that it can be read without a lock. */
#ifndef CROCPROF_DB_LOCKS_H
#define CROCPROF_DB_LOCKS_H

#include <stdbool.h>

/* Whether the file's file system has locks. True if the file cannot be opened, too: SQLite tells
 * why. */
bool db_has_locks(const char *path);

/* The query of a URI by which SQLite opens the file for reading. */
const char *db_reading(const char *path);

#endif
