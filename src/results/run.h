/* run.h - opens the databases that runs have left, as one.
 *
 * Every sub-command that reads results begins here. Anything else is one SQL statement away: `db`
 * has the views of AMD's schema over all databases, whatever version they have. */
#ifndef CROCPROF_RESULTS_RUN_H
#define CROCPROF_RESULTS_RUN_H

#include <stdint.h>

#include "rocpd/base.h"

typedef struct {
    rocpd_files_t files;
    rocpd_base_t base;
    sqlite3 *db; /* base's */
} res_run_t;

/* `paths` are databases, or directories that hold some, at any depth; without paths, the working
 * directory is searched. 0, or -1 with the reason told and nothing to close. */
int res_run_open(res_run_t *r, char *const *paths, size_t count);
void res_run_close(res_run_t *r);

/* A statement, to be finalized; NULL with the reason told, in which `what` names what was tried. */
sqlite3_stmt *res_prepare(res_run_t *r, const char *sql, const char *what);
/* A step: 1 a row, 0 the end, -1 with the reason told. */
int res_step(sqlite3_stmt *s, const char *what);

#endif
