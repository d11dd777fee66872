/* each.h - reads the databases of a run, several at once, and adds up what was read in their order.
 *
 * Whatever is summed up of the records of many ranks begins here: each worker opens one database
 * and reads it alone, so that memory is bounded by the number of workers, and the sums are those of
 * one worker, whatever their number. */
#ifndef CROCPROF_RESULTS_EACH_H
#define CROCPROF_RESULTS_EACH_H

#include "results/run.h"

enum { RES_WORKERS_MAX = 64 };

typedef struct {
    /* Any thread: what is to be known of a database; NULL with the reason told. */
    void *(*read)(const db_t *db, size_t file, void *data);
    /* One thread at a time, in the order of the databases, each of which is still open: adds up. 0,
     * or -1 with the reason told. */
    int (*add)(void *part, const db_t *db, size_t file, void *data);
    void (*forget)(void *part);
    void *data;
} res_each_t;

/* The number of workers for so many databases: one for each CPU that the process may use. */
unsigned res_workers(size_t files);

/* Calls `work(data, file)` for the numbers below `count`, in as many threads as res_workers() says.
 */
void res_share(size_t count, void (*work)(void *data, size_t file), void *data);

/* Reads all databases of the run. 0, or -1 with the reason told. */
int res_each(res_run_t *r, const res_each_t *e);

#endif
