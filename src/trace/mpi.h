/* mpi.h - calls of MPI in a store: the record, its functions, and its values as texts.
 *
 * Apart from format.h because who makes these records (src/mpi) and who reads them share the table
 * of functions, mpi.tsv. Bytes and ranks are numbers; they become text when files are made of
 * them. */
#ifndef CROCPROF_TRACE_MPI_H
#define CROCPROF_TRACE_MPI_H

#include <stdbool.h>

#include <rocprofiler-sdk/fwd.h>

#include "trace/format.h"

/* The SDK has no such kind; the number is the first one behind its own. */
enum { TRACE_KIND_MPI_API = ROCPROFILER_BUFFER_TRACING_LAST };
#define TRACE_MPI_KIND_NAME "MPI_API"

typedef enum {
    TRACE_MPI_INIT,
    TRACE_MPI_FINALIZE,
    TRACE_MPI_ABORT,
    TRACE_MPI_SEND,
    TRACE_MPI_RECV,
    TRACE_MPI_ISEND,
    TRACE_MPI_IRECV,
    TRACE_MPI_SENDRECV,
    TRACE_MPI_PROBE,
    TRACE_MPI_WAIT, /* for requests, or a test that has found some complete */
    TRACE_MPI_COLLECTIVE,
    TRACE_MPI_ICOLLECTIVE,
    TRACE_MPI_CREATE, /* of a communicator */
    TRACE_MPI_FREE,
} trace_mpi_class_t;

typedef enum {
    TRACE_MPI_OP_NONE,
    TRACE_MPI_OP_BARRIER,
    TRACE_MPI_OP_BCAST,
    TRACE_MPI_OP_REDUCE,
    TRACE_MPI_OP_ALLREDUCE,
    TRACE_MPI_OP_GATHER,
    TRACE_MPI_OP_GATHERV,
    TRACE_MPI_OP_SCATTER,
    TRACE_MPI_OP_SCATTERV,
    TRACE_MPI_OP_ALLGATHER,
    TRACE_MPI_OP_ALLGATHERV,
    TRACE_MPI_OP_ALLTOALL,
    TRACE_MPI_OP_ALLTOALLV,
    TRACE_MPI_OP_REDUCE_SCATTER,
    TRACE_MPI_OP_REDUCE_SCATTER_BLOCK,
    TRACE_MPI_OP_SCAN,
    TRACE_MPI_OP_EXSCAN,
    TRACE_MPI_OP_CREATE_HANDLE,
    TRACE_MPI_OP_DESTROY_HANDLE,
} trace_mpi_collective_t;

typedef struct {
    const char *name;
    trace_mpi_class_t class;
    trace_mpi_collective_t collective;
} trace_mpi_function_t;

/* The function with this number, or this name; NULL: there is none. */
const trace_mpi_function_t *trace_mpi_function(uint32_t operation);
const trace_mpi_function_t *trace_mpi_find(const char *name);
uint32_t trace_mpi_number(const trace_mpi_function_t *function);

/* Ranks and tags that are none. */
enum { TRACE_MPI_NONE = -1, TRACE_MPI_ANY = -2, TRACE_MPI_NULL = -3 };

/* In the initialiser of a trace_mpi_t: the call has none of them, until it is known which. */
#define TRACE_MPI_NO_NUMBERS                                                                       \
    .rank = TRACE_MPI_NONE, .size = TRACE_MPI_NONE, .destination = TRACE_MPI_NONE,                 \
    .send_tag = TRACE_MPI_NONE, .source = TRACE_MPI_NONE, .receive_tag = TRACE_MPI_NONE,           \
    .root = TRACE_MPI_NONE

/* Communicators have the same id in all processes. Two ids are fixed; in each process
 * MPI_COMM_SELF is another communicator, of one member. */
enum { TRACE_MPI_WORLD = 1, TRACE_MPI_SELF = 2 };

typedef enum { TRACE_MPI_RECEIVES, TRACE_MPI_SENDS, TRACE_MPI_COLLECTS } trace_mpi_request_t;

enum {
    TRACE_MPI_DONE_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_mpi_t)) / sizeof(trace_mpi_done_t),
    TRACE_MPI_MEMBERS_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_mpi_t)) / sizeof(uint32_t)
};

/* What is behind the record, as many as there are: never more than the record holds. */
const trace_mpi_done_t *trace_mpi_done(const trace_mpi_t *r, uint32_t *count);
const uint32_t *trace_mpi_members(const trace_mpi_t *r, uint32_t *count);

/* The values of a record as texts, in the form of a call's arguments: goes from one that the record
 * has to the next; false at the end, or without memory. Type and name are constants; `text` is
 * valid until the next call. To be freed. */
typedef struct {
    const trace_mpi_t *record;
    unsigned next;
    const char *type, *name;
    char *text;
    size_t room;
} trace_mpi_values_t;
bool trace_mpi_next(trace_mpi_values_t *v);
void trace_mpi_values_free(trace_mpi_values_t *v);

/* The other way: sets what the value with this name says. What belongs behind the record goes to
 * `rest`, which has room for `room` bytes. False if nothing has this name, or the text is wrong. */
bool trace_mpi_set(trace_mpi_t *r, const char *name, const char *text, void *rest, size_t room);
/* Bytes behind the record, whole words. */
size_t trace_mpi_rest_bytes(const trace_mpi_t *r);

/* Name of a communicator; "" for none. */
void trace_mpi_communicator(uint64_t id, char text[32]);

#endif
