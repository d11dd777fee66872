/* crew.h - records rendered by several threads, and written in their order by one at a time.
 *
 * Each thread does all of the work, one batch after the other: it takes records, in turns with the
 * others, renders them into memory of its own, and writes that when the batches before are written.
 * So the file is the same however many there are, in memory for the batches under way. */
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
    /* A worker's state, NULL when out of memory; and its end. */
    void *(*begin)(void *to);
    void (*end)(void *worker);
    /* One worker at a time: has it keep the next batch. False where nothing is left. */
    bool (*take)(void *worker);
    /* Any worker at any time: makes bytes of its batch, which it keeps. `first`: of all. */
    void (*render)(void *worker, bool first);
    /* One worker at a time, in the order of the batches: has them written. */
    void (*write)(void *worker);
    void *to;
} out_crew_work_t;

/* How many workers there are to be for so many records: `wanted`, or, where that is 0, one for each
 * CPU that the process may use, up to OUT_CREW_MAX; 1 where more are of no use. */
unsigned out_crew_size(unsigned wanted, uint64_t records);

/* Does all of it with so many workers, of which the caller is one, or with fewer, where there is
 * neither memory nor a thread for more. False when there was no memory for any. */
bool out_crew_run(const out_crew_work_t *work, unsigned workers);

#endif
