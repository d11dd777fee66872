/* crew.h - records rendered by several threads, and written in their order by one at a time.
 *
 * Each thread does all kinds of work, one batch of records after the other: it takes a batch, one
 * thread at a time; renders it into memory; and writes the batches that are due, its own and those
 * that others have rendered in the meantime, while the others go on. A batch and its bytes are kept
 * in a parcel, of which there are a few more than threads. The file is the same whatever the number
 * of threads, and memory is bounded by the number of parcels. */
#ifndef CROCPROF_OUTPUT_CREW_H
#define CROCPROF_OUTPUT_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

/* Starts a thread that gets no signals: they are for the thread that converts. False: it failed. */
bool out_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

enum {
    OUT_CREW_MAX = 4,              /* limit of workers */
    OUT_CREW_LEAST_RECORDS = 4096, /* with fewer records, one worker is as fast */
};

/* What a format implements. */
typedef struct {
    /* begin makes a parcel, NULL when out of memory; end frees it. */
    void *(*begin)(void *to);
    void (*end)(void *parcel);
    /* One thread at a time: puts the next batch into the parcel. False if nothing is left. */
    bool (*take)(void *parcel);
    /* Any thread, at any time: makes the bytes of the batch and keeps them in the parcel. `first`:
     * it is the first of all batches. */
    void (*render)(void *parcel, bool first);
    /* One thread at a time, in the order of the batches: writes the bytes. */
    void (*write)(void *parcel);
    void *to;
} out_crew_work_t;

/* The number of workers for so many records: `wanted`, or if that is 0, one for each CPU that the
 * process may use, up to OUT_CREW_MAX; 1 if there are too few records. */
unsigned out_crew_size(unsigned wanted, uint64_t records);

/* Does all the work with so many workers, including the calling thread; with fewer if there is no
 * memory or thread for more. False if there was no memory for one. */
bool out_crew_run(const out_crew_work_t *work, unsigned workers);

#endif
