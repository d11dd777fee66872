/* pool.h - pieces of work done by several processes, whose results are taken in order.
 *
 * Workers are forked, so that a piece can use libraries that are not safe for threads, and a piece
 * that crashes its process does not affect the others. A worker's output on standard error is kept
 * with its piece and written in the order of the pieces, too. So messages and results do not depend
 * on the number of workers. For programs only: a library cannot fork. */
#ifndef CROCPROF_BASE_POOL_H
#define CROCPROF_BASE_POOL_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

enum { BASE_POOL_MAX = 64 }; /* most workers */

typedef struct {
    size_t count;     /* number of pieces, which are numbered from 0 */
    unsigned workers; /* base_pool_size() */
    /* How many pieces may be done before an earlier one is taken, for results that need much memory
     * or disk space; 0: any number. */
    size_t ahead;
    /* Runs in a worker: does a piece and writes its result to `to`. Returns 0, or -1 after
     * reporting the reason. */
    int (*work)(void *data, size_t number, FILE *to);
    /* Runs in the calling process: takes the result of the next piece. Returns 0, or -1 after
     * reporting the reason, which ends the work. */
    int (*take)(void *data, size_t number, const char *result, size_t bytes);
    /* Returns the name of a piece for the message that its worker has died. */
    const char *(*name)(const void *data, size_t number);
    void *data;
    const volatile sig_atomic_t *stop; /* workers get this signal once it is not 0 */
} base_pool_t;

/* Returns the number of workers for `count` pieces: `wanted`, or if that is 0, one for each CPU
 * that the process may use; never more than `count`. */
unsigned base_pool_size(unsigned wanted, size_t count);

/* Does all pieces; with one worker, or where none can be started, in the calling process. The first
 * piece in order that fails ends the work. Returns 0, or -1 after reporting the reason. */
int base_pool_run(const base_pool_t *p);

/* For processes that read one file after another: memory that is freed is kept for the next file,
 * since getting it from the system again takes longer than using it. Workers of a pool call this
 * themselves. */
void base_pool_keep_memory(void);

#endif
