/* call.h - a call of MPI while it is traced, whichever implementation makes it.
 *
 * Handles are represented by keys: numbers that abi.c computes from an implementation's handles. No
 * function here allocates, locks or waits. Any thread may call them. */
#ifndef CROCPROF_MPI_CALL_H
#define CROCPROF_MPI_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/mpi.h"

typedef struct {
    trace_mpi_t record;
    int peers;     /* size of the communicator; 0: it has two groups, or is not known */
    bool left_out; /* a test without a completed request: it is not recorded */
    int saved_errno;
    const void *rest; /* the data that follows the record */
    size_t rest_bytes;
} mpi_call_t;

/* Begins a call. Returns false if the calling thread is in a traced function already, because MPI
 * calls itself, or calls a function of the program that calls MPI. Then nothing is recorded, and
 * mpi_call_end() must not be called. */
bool mpi_call_begin(mpi_call_t *call, uint32_t function);
/* Records the call. */
void mpi_call_end(mpi_call_t *call);

/* ---- communicators ---- */

typedef struct {
    uint64_t id;
    int rank, size;
    bool inter; /* it has two groups; peers are ranks of the other group */
} mpi_communicator_t;

/* Returns false if the communicator is not known. */
bool mpi_communicator_get(uint64_t key, mpi_communicator_t *found);
/* Keeps a communicator. If there is no room, it is queried again at its next use. */
void mpi_communicator_keep(uint64_t key, const mpi_communicator_t *communicator);
/* To be called before MPI frees the communicator, since another thread may get the same handle at
 * once. */
void mpi_communicator_ends(uint64_t key);
/* Counts the communicators that are made from this one; returns how many there were before. */
uint64_t mpi_communicator_creations(uint64_t id);

/* Returns an id that is the same in all processes with the same arguments, and that is not one of
 * the fixed ids. It is that of a communicator with one group. */
uint64_t mpi_id(uint64_t parent, uint64_t number, const uint32_t *members, uint32_t count);

/* ---- requests ---- */

typedef struct {
    uint64_t id; /* 0: not known */
    uint64_t communicator, bytes;
    int32_t peer, tag;
    uint32_t kind; /* trace_mpi_request_t */
} mpi_request_t;

/* Notes that many requests share this handle, all of which are complete. */
void mpi_request_is_shared(uint64_t key);
/* Numbers the request that the call has begun, and keeps it. A request that is complete at once, or
 * for which there is no room, has no number, and the record of the call that waits for it does not
 * list it. */
void mpi_request_begins(mpi_call_t *call, uint64_t key, trace_mpi_request_t kind);
/* Takes a request out. To be called before MPI frees it, since another thread may get the same
 * handle at once. */
void mpi_request_take(uint64_t key, mpi_request_t *request);
void mpi_request_put_back(uint64_t key, const mpi_request_t *request);

#endif
