/* call.h - a call of MPI while it is traced, whichever implementation makes it.
 *
 * Handles are keys here: numbers that abi.c makes of what an implementation has. Nothing in this
 * file allocates, locks or waits. Any thread. */
#ifndef CROCPROF_MPI_CALL_H
#define CROCPROF_MPI_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/mpi.h"

typedef struct {
    trace_mpi_t record;
    int peers;     /* size of the communicator; 0: it has two groups, or is not known */
    bool left_out; /* a test that has found nothing: no record */
    int saved_errno;
    const void *rest; /* what stands behind the record */
    size_t rest_bytes;
} mpi_call_t;

/* False if the calling thread is in a traced function already: MPI calls itself, or a function of
 * the program that MPI calls does. Then nothing is recorded, and there is nothing to end. */
bool mpi_call_begin(mpi_call_t *call, uint32_t function);
/* Records the call. */
void mpi_call_end(mpi_call_t *call);

/* ---- communicators ---- */

typedef struct {
    uint64_t id;
    int rank, size;
    bool inter; /* it has two groups; ranks of peers are those in the other one */
} mpi_communicator_t;

/* False if the communicator is not known. */
bool mpi_communicator_get(uint64_t key, mpi_communicator_t *found);
/* Forgotten silently if there is no room: then it is asked for again at its next use. */
void mpi_communicator_keep(uint64_t key, const mpi_communicator_t *communicator);
/* To be called before MPI frees it: another thread may get the same handle at once. */
void mpi_communicator_ends(uint64_t key);
/* How many communicators have been made of this one before. */
uint64_t mpi_communicator_creations(uint64_t id);

/* An id that is the same in all processes which give the same numbers; not one of the fixed ids. */
uint64_t mpi_id(uint64_t parent, uint64_t number, const uint32_t *members, uint32_t count);

/* ---- requests ---- */

typedef struct {
    uint64_t id; /* 0: it is not known */
    uint64_t communicator, bytes;
    int32_t peer, tag;
    uint32_t kind; /* trace_mpi_request_t */
} mpi_request_t;

/* Many requests have this handle at a time, all of them complete. */
void mpi_request_is_shared(uint64_t key);
/* The call has begun a request: gives it a number and keeps it. A request that is complete at once,
 * or for which there is no room, has no number, and the wait for it does not know it. */
void mpi_request_begins(mpi_call_t *call, uint64_t key, trace_mpi_request_t kind);
/* Takes a request out, before MPI frees it: another thread may get the same handle at once. */
void mpi_request_take(uint64_t key, mpi_request_t *request);
void mpi_request_put_back(uint64_t key, const mpi_request_t *request);

#endif
