/* crew.h - records rendered by several threads, and written in their order by one at a time.
 *
 * Each thread does all kinds of work, one batch of records after the other: it takes a batch (one
 * thread at a time), renders it into memory, and writes the batches that are next in order, its own
 * and those that other threads have rendered meanwhile, while the others go on. A batch and its
 * bytes are kept in a parcel; there are a few more parcels than threads. The file is the same
 * whatever the number of threads, and memory is bounded by the number of parcels. */
#ifndef CROCPROF_OUTPUT_CREW_H
#define CROCPROF_OUTPUT_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

/* Starts a thread that gets no signals, since the converting thread handles them. Returns false if
 * that fails. */
bool out_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

enum {
    OUT_CREW_MAX = 4,              /* most workers */
    OUT_CREW_LEAST_RECORDS = 4096, /* with fewer records, one worker is as fast */
};

/* The functions that a format implements. */
typedef struct {
    /* begin makes a parcel, or returns NULL when out of memory; end frees it. */
    void *(*begin)(void *to);
    void (*end)(void *parcel);
    /* Called by one thread at a time: puts the next batch into the parcel. Returns false if no
     * batch is left. */
    bool (*take)(void *parcel);
    /* Called by any thread, at any time: makes the bytes of the batch and keeps them in the parcel.
     * `first`: it is the first of all batches. */
    void (*render)(void *parcel, bool first);
    /* Called by one thread at a time, in the order of the batches: writes the bytes. */
    void (*write)(void *parcel);
    void *to;
} out_crew_work_t;

/* Returns the number of workers for `records` records: `wanted`, or if that is 0, one for each CPU
 * that the process may use, up to OUT_CREW_MAX; 1 if there are too few records. */
unsigned out_crew_size(unsigned wanted, uint64_t records);

/* Does all the work with this number of workers, including the calling thread; with fewer if there
 * is no memory or thread for more. Returns false if there is not even memory for one. */
bool out_crew_run(const out_crew_work_t *work, unsigned workers);

#endif
