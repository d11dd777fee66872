/* each.h - reads the databases of a run, several at once, and adds the results in the order of the
 * databases.
 *
 * All sums over the records of many ranks begin here: each worker opens one database and reads it
 * alone, so that memory is bounded by the number of workers. The sums do not depend on that
 * number. */
#ifndef CROCPROF_RESULTS_EACH_H
#define CROCPROF_RESULTS_EACH_H

#include "results/run.h"

enum { RES_WORKERS_MAX = 64 };

typedef struct {
    /* Called by any thread: returns the results of a database; NULL after reporting the reason. */
    void *(*read)(const db_t *db, size_t file, void *data);
    /* Called by one thread at a time, in the order of the databases, each of which is still open:
     * adds the results. Returns 0, or -1 after reporting the reason. */
    int (*add)(void *part, const db_t *db, size_t file, void *data);
    void (*forget)(void *part);
    void *data;
} res_each_t;

/* Returns the number of workers for `files` databases: one for each CPU that the process may
 * use. */
unsigned res_workers(size_t files);

/* Calls `work(data, file)` for the numbers below `count`, in res_workers() threads. */
void res_share(size_t count, void (*work)(void *data, size_t file), void *data);

/* Reads all databases of the run. Returns 0, or -1 after reporting the reason. */
int res_each(res_run_t *r, const res_each_t *e);

#endif
