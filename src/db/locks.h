/* locks.h - whether files can be locked.
 *
 * SQLite locks each file that it reads, so that nobody changes the file meanwhile. Shared file
 * systems of clusters may be mounted without locks (Lustre without its option flock, NFS whose lock
 * service is not there): SQLite reads no file there. What is read of finished runs is not changed
 * any more, so that it is read there without a lock. */
#ifndef CROCPROF_DB_LOCKS_H
#define CROCPROF_DB_LOCKS_H

#include <stdbool.h>

/* Whether the file's file system has locks. True if the file cannot be opened, too: SQLite tells
 * why. */
bool db_has_locks(const char *path);

/* The query of a URI by which SQLite opens the file for reading. */
const char *db_reading(const char *path);

#endif
