/* run.h - opens the databases of runs as one.
 *
 * Every sub-command that reads results begins here. `db` has the views of AMD's schema over all
 * databases, of any version. */
#ifndef CROCPROF_RESULTS_RUN_H
#define CROCPROF_RESULTS_RUN_H

#include <stdint.h>

#include "results/sieve.h"
#include "rocpd/base.h"

typedef struct {
    rocpd_files_t files;
    res_absents_t absents; /* databases that were left out */
    rocpd_base_t base;
    const db_t *db; /* points into `base` */
    bool whole;     /* calls and copies are needed, too, so that records are read only once */
    bool bins;      /* bins are needed, too */
    struct res_gathered *gathered; /* results of gather.c; NULL: nothing has been read yet */
} res_run_t;

/* `paths` are databases, or directories that hold some, at any depth; without paths, the working
 * directory is searched. Of several databases, those that cannot be read, or not together with the
 * first one, are left out and reported. Returns 0, or -1 after reporting the reason, and then there
 * is nothing to close. */
int res_run_open(res_run_t *r, char *const *paths, size_t count);
void res_run_close(res_run_t *r);

#endif
