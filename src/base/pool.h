/* pool.h - pieces of work done by several processes, whose results are taken in order.
 *
 * Workers are forked, so that a piece can use libraries that know one thread alone, and one that
 * brings its process down leaves the others. What a worker says on standard error is kept with
 * its piece and told in the pieces' order, too: whatever the number of workers, messages and
 * results are those of one process that does one piece after the other. For programs only: a
 * library cannot fork. */
#ifndef CROCPROF_BASE_POOL_H
#define CROCPROF_BASE_POOL_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

enum { BASE_POOL_MAX = 64 }; /* limit of workers */

typedef struct {
    size_t count;     /* of pieces, numbered from 0 */
    unsigned workers; /* base_pool_size() */
    /* How many pieces may be done before an earlier one is taken, for results that take room
     * somewhere; 0: any number. */
    size_t ahead;
    /* In a worker: does a piece and writes its result to `to`. 0, or -1 with the reason told. */
    int (*work)(void *data, size_t number, FILE *to);
    /* In the calling process: takes the result of the next piece. 0, or -1 with the reason told,
     * which ends the work. */
    int (*take)(void *data, size_t number, const char *result, size_t bytes);
    /* What a piece is called in the message that its worker has died. */
    const char *(*name)(const void *data, size_t number);
    void *data;
    const volatile sig_atomic_t *stop; /* workers get this signal once it is not 0 */
} base_pool_t;

/* The number of workers for so many pieces: `wanted`, or if that is 0, one for each CPU that the
 * process may use; never more than pieces. */
unsigned base_pool_size(unsigned wanted, size_t count);

/* Does all pieces; with one worker, or where none can be started, in the calling process. The
 * first piece in order that fails ends the work. 0, or -1 with the reason told. */
int base_pool_run(const base_pool_t *p);

/* For whoever reads one file after another: memory that is freed is kept for the next one, since to
 * get it anew from the system takes longer than what is done with it. Workers of a pool do so. */
void base_pool_keep_memory(void);

#endif
