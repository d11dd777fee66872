/* crew.h - records rendered by several threads, and written in their order by one at a time.
 *
 * Each thread does any of the work, one batch after the other: it takes records, in turns with the
 * others, renders them into memory, and writes what is due, its own and what others have rendered
 * in the meantime; those go on with the next batches. A batch and its bytes travel in a parcel, of
 * which there are a few more than threads. So the file is the same however many there are, in
 * memory for the batches under way. */
#ifndef CROCPROF_OUTPUT_CREW_H
#define CROCPROF_OUTPUT_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

/* A thread that gets no signals: they are for the one that converts. False: there is none. */
bool out_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

enum {
    OUT_CREW_MAX = 4,              /* workers */
    OUT_CREW_LEAST_RECORDS = 4096, /* for fewer several are not worth while */
};

/* What a format does. */
typedef struct {
    /* A parcel, NULL when out of memory; and its end. */
    void *(*begin)(void *to);
    void (*end)(void *parcel);
    /* One thread at a time: puts the next batch in. False where nothing is left. */
    bool (*take)(void *parcel);
    /* Any thread at any time: makes bytes of the batch, which it keeps. `first`: of all. */
    void (*render)(void *parcel, bool first);
    /* One thread at a time, in the order of the batches: has them written. */
    void (*write)(void *parcel);
    void *to;
} out_crew_work_t;

/* How many workers there are to be for so many records: `wanted`, or, where that is 0, one for each
 * CPU that the process may use, up to OUT_CREW_MAX; 1 where more are of no use. */
unsigned out_crew_size(unsigned wanted, uint64_t records);

/* Does all of it with so many workers, of which the caller is one, or with fewer, where there is
 * neither memory nor a thread for more. False when there was no memory for any. */
bool out_crew_run(const out_crew_work_t *work, unsigned workers);

#endif
