/* run.h - opens the databases that runs have left, as one.
 *
 * Every sub-command that reads results begins here. Anything else is one SQL statement away: `db`
 * has the views of AMD's schema over all databases, whatever version they have. */
#ifndef CROCPROF_RESULTS_RUN_H
#define CROCPROF_RESULTS_RUN_H

#include <stdint.h>

#include "results/sieve.h"
#include "rocpd/base.h"

typedef struct {
    rocpd_files_t files;
    res_absents_t absents; /* databases that were left out */
    rocpd_base_t base;
    const db_t *db; /* base's */
    bool whole;     /* calls and copies are asked for, too: records need be read only once */
    bool bins;      /* and what a picture of them needs */
    struct res_gathered *gathered; /* gather.c's: what was read of records; NULL: nothing yet */
} res_run_t;

/* `paths` are databases, or directories that hold some, at any depth; without paths, the working
 * directory is searched. Of several databases those that cannot be read, or not with the first one,
 * are left out and told. 0, or -1 with the reason told and nothing to close. */
int res_run_open(res_run_t *r, char *const *paths, size_t count);
void res_run_close(res_run_t *r);

#endif
