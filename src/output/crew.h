/* crew.h - records rendered by several threads, and written in their order by one at a time.
 *
 * Apart because formats only say how a record becomes bytes: a thread reads the records in order
 * and puts them into batches as items, workers render whole batches, each into memory of its own,
 * and write them when those before are written. The file is the same as without them. Memory is
 * bounded by the batches under way. */
#ifndef CROCPROF_OUTPUT_CREW_H
#define CROCPROF_OUTPUT_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

typedef struct out_crew out_crew_t;

/* A thread that gets no signals: they are for the one that reads. False: there is none. */
bool out_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

enum {
    OUT_CREW_MAX = 4,              /* workers */
    OUT_CREW_LEAST_RECORDS = 4096, /* for fewer it is not worth while */
};

/* What a format does. */
typedef struct {
    /* A worker's state, NULL when out of memory; and its end. */
    void *(*begin)(void *to);
    void (*end)(void *worker);
    /* Any worker at any time: makes bytes of the items, which it keeps. `first`: of all. */
    void (*render)(void *worker, const char *items, size_t bytes, bool first);
    /* One worker at a time, in the order of the batches: has them written. */
    void (*write)(void *worker);
    void *to;
    size_t batch_bytes; /* of items; one that is longer is a batch of its own */
} out_crew_work_t;

/* How many workers there are to be for so many records: `wanted`, or, where that is 0, one for each
 * CPU that the process may use, up to OUT_CREW_MAX; 0 where one thread is as good. */
unsigned out_crew_size(unsigned wanted, uint64_t records);

/* NULL for no workers, or where there is neither memory nor a thread for any: then the caller
 * renders by itself. It does not write before out_crew_end. */
out_crew_t *out_crew_begin(const out_crew_work_t *work, unsigned workers);

/* Room for the next item, of a multiple of 8 bytes, which stays until the call after; waits while
 * too many batches are under way. NULL when out of memory. */
void *out_crew_item(out_crew_t *c, size_t bytes);

/* After the last item: all is written, the workers have ended. False if out_crew_item was ever out
 * of memory. NULL is allowed. */
bool out_crew_end(out_crew_t *c);

#endif
