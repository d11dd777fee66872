/* stored.h - reads a trace store that has not been converted, for example because its process was
 * killed. A temporary database is made of it by the writer of rocprofv3, so that a store gives the
 * same results as its database. */
#ifndef CROCPROF_ROCPD_STORED_H
#define CROCPROF_ROCPD_STORED_H

#include <limits.h>
#include <stdbool.h>

typedef struct {
    char directory[PATH_MAX]; /* the temporary directory; "" if there is none */
    char database[PATH_MAX + 16];
} rocpd_stored_t;

bool rocpd_is_store(const char *path);

/* Makes the database of a store. Returns 0, or -1 after reporting the reason, for example that the
 * process is still running. rocpd_stored_end() is to be called in both cases. */
int rocpd_stored_begin(rocpd_stored_t *s, const char *store);
void rocpd_stored_end(rocpd_stored_t *s);

#endif
