/* stored.h - reads what a process has left before it is converted, or when it was killed: a trace
 * store. A database is made of it for the time of reading, by the writer of rocprofv3, so that what
 * is read of a store is what is read of its database. */
#ifndef CROCPROF_ROCPD_STORED_H
#define CROCPROF_ROCPD_STORED_H

#include <limits.h>
#include <stdbool.h>

typedef struct {
    char directory[PATH_MAX]; /* "" if there is none */
    char database[PATH_MAX + 16];
} rocpd_stored_t;

bool rocpd_is_store(const char *path);

/* Makes the database of a store. 0, or -1 with the reason told, as for a store whose process is
 * still running. rocpd_stored_end() is called after it in both cases. */
int rocpd_stored_begin(rocpd_stored_t *s, const char *store);
void rocpd_stored_end(rocpd_stored_t *s);

#endif
