/* sieve.h - selects the databases of a job that can be read together.
 *
 * A rank may have died while its database was written, a file may have been copied in part or
 * twice, a node may have another version. The other databases are read nevertheless, and those left
 * out are reported. */
#ifndef CROCPROF_RESULTS_SIEVE_H
#define CROCPROF_RESULTS_SIEVE_H

#include <stddef.h>

#include "rocpd/files.h"

/* Reasons why a database is left out: X(id, word). */
#define RES_ABSENCES(X)                                                                            \
    X(DAMAGED, "damaged")                                                                          \
    X(TWICE, "twice")                                                                              \
    X(VERSION, "version")

typedef enum {
#define X(id, word) RES_ABSENT_##id,
    RES_ABSENCES(X)
#undef X
        RES_ABSENT_COUNT
} res_absence_t;

extern const char *const res_absence_words[RES_ABSENT_COUNT];

typedef struct {
    char *path;
    res_absence_t why;
} res_absent_t;

typedef struct {
    res_absent_t *rows;
    size_t count;
} res_absents_t;

/* Removes from the files those that cannot be read together with the first one that can be read,
 * and reports each. Sets `alike` to those of the remaining files which together have all tables and
 * columns that any of them has, the first file first. Returns 0, or -1 after reporting that no file
 * remains, or that there is no memory. */
int res_sieve(rocpd_files_t *files, rocpd_files_t *alike, res_absents_t *absents);
void res_absents_free(res_absents_t *a);

#endif
