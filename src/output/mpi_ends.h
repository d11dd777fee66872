/* mpi_ends.h - selects calls of MPI by which the clocks of nodes can be compared, while the records
 * of a process are written to its database.
 *
 * What is selected follows from hashes that all ranks compute alike, so that both ends of a message
 * are kept or neither is. Memory depends on the number of peers, tags and communicators, which is
 * limited, and on the requests that are open, not on the number of calls. */
#ifndef CROCPROF_OUTPUT_MPI_ENDS_H
#define CROCPROF_OUTPUT_MPI_ENDS_H

#include "model/numbers.h"
#include "trace/clocks_mpi.h"
#include "trace/mpi.h"

/* An end, and the messages or collectives to which it belongs: those of one communicator, or of two
 * ranks with one tag. */
typedef struct {
    trace_clock_end_t end;
    uint64_t stream;
} mpi_end_t;

typedef struct mpi_open mpi_open_t;

/* The messages of one communicator between two ranks with one tag are a stream, and its collectives
 * are one. Those of more streams are not kept, so that a new tag for each message does no harm. */
enum { MPI_ENDS_STREAMS_MOST = 1 << 18 };

typedef struct {
    mpi_end_t *ends;
    size_t count, room;
    uint64_t mask;                           /* ends are kept if their keys have no bits of it */
    mpi_open_t *open;                        /* requests, sorted by number */
    size_t open_count, open_room, open_over; /* `open_over`: those that are complete */
    out_numbers_t orders;                    /* by stream: number of its messages so far */
    out_numbers_t until;                     /* by stream: when the last call of it has ended */
    out_numbers_t unsure;                    /* streams with receives whose order is not known */
    int32_t rank, size;                      /* in MPI_COMM_WORLD */
    bool begun, partial; /* `partial`: calls are missing, so that the order of others is wrong */
    bool failed;         /* there was no memory */
} mpi_ends_t;

/* Adds a call. Calls have to be added in the order of their begins. */
void out_mpi_ends_add(mpi_ends_t *e, const trace_mpi_t *call);

/* Returns the ends, to be freed, and their number; NULL if there are none. */
trace_clock_end_t *out_mpi_ends_take(const mpi_ends_t *e, size_t *count);

void out_mpi_ends_free(mpi_ends_t *e);

#endif
