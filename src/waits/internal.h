/* internal.h - what the parts of this room share: the tables that are filled while databases are
 * read. */
#ifndef CROCPROF_WAITS_INTERNAL_H
#define CROCPROF_WAITS_INTERNAL_H

#include "model/numbers.h"
#include "trace/mpi.h"
#include "waits/waits.h"

/* Names by number. */
typedef struct {
    char **rows;
    size_t count;
    out_numbers_t places; /* by hash: number + 1 */
} wts_words_t;

typedef struct wts_names {
    wts_words_t kernels, phases;
} wts_names_t;

/* The number of a name; -1 without memory. */
int64_t wts_word(wts_words_t *words, const char *name);
void wts_words_free(wts_words_t *words);

/* One collective of a communicator, in the order in which all its members call them. */
typedef struct {
    uint64_t first, last, root_start; /* when the first and the last one, and the root, came */
    uint64_t base;                    /* when the rank came that was read first */
    int64_t offset_sum;               /* of all others: how much later than that */
    uint32_t calls, last_rank, root_rank;
    uint8_t operation; /* trace_mpi_collective_t */
} wts_instance_t;

typedef struct {
    uint64_t id;
    wts_instance_t *instances;
    size_t count, room;
} wts_communicator_t;

/* One end of a message. */
typedef struct {
    uint64_t key; /* of the communicator, both ranks, tag and order; 0: the place is free */
    uint64_t post, from, to; /* when it was begun, and when its call waited */
    uint32_t rank;           /* index */
    bool sends;
} wts_end_t;

typedef struct {
    wts_end_t *rows;
    size_t room, count; /* room: a power of two */
} wts_ends_t;

typedef struct {
    wts_t *w;
    wts_communicator_t *communicators;
    size_t communicator_count;
    out_numbers_t by_id; /* communicators: index + 1 */
    wts_ends_t ends;
    out_numbers_t collectives; /* by communicator and function: index + 1 in w->collectives */
    out_numbers_t victims;     /* by pair of ranks: ns */
    bool failed;               /* no memory */
} wts_state_t;

/* What is known while one rank is read. */
typedef struct {
    wts_state_t *s;
    uint32_t rank;         /* index */
    bool second;           /* the second time */
    out_numbers_t next;    /* by communicator: number of the next collective */
    out_numbers_t orders;  /* by peer and tag: number of messages so far */
    out_numbers_t pending; /* by request: index + 1 in `requests` */
    struct wts_request *requests;
    size_t request_count, request_room;
    uint64_t before_end; /* of the call before */
    uint64_t before_communicator;
    bool before_joins; /* that one was a collective that no rank leaves before all have come */
} wts_reading_t;

/* Who waits for whom in a collective. */
typedef enum { WTS_FOR_ALL, WTS_FOR_ROOT, WTS_ROOT_FOR_ALL } wts_direction_t;
wts_direction_t wts_direction(trace_mpi_collective_t operation);

void wts_reading_begin(wts_reading_t *r, wts_state_t *s, uint32_t rank, bool second);
/* Calls have to come by their beginnings. */
void wts_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call);
void wts_reading_end(wts_reading_t *r);

/* Adds one end of a message, and what was waited for if the other end is there. */
void wts_end(wts_state_t *s, const wts_end_t *end);

/* Computes what follows from all ranks: spreads and findings. False without memory. */
bool wts_find(wts_state_t *s);

/* Adds to the times of a rank by number. False without memory. */
bool wts_add_time(wts_time_t **times, size_t *room, int64_t number, uint64_t count, uint64_t ns);

#endif
