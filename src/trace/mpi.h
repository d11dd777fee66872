/* mpi.h - calls of MPI in a store: the record, its functions, and its values as texts.
 *
 * This is apart from format.h because the producer of these records (src/mpi) and their readers
 * share the table of functions, mpi.tsv. The record holds byte counts and ranks as numbers; writers
 * of output files convert them to text. */
#ifndef CROCPROF_TRACE_MPI_H
#define CROCPROF_TRACE_MPI_H

#include <stdbool.h>

#include <rocprofiler-sdk/fwd.h>

#include "trace/format.h"

/* The SDK has no kind for MPI; this number is the first one after the SDK's own. */
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
    TRACE_MPI_WAIT, /* waits for requests, or tests them and has found some complete */
    TRACE_MPI_COLLECTIVE,
    TRACE_MPI_ICOLLECTIVE,
    TRACE_MPI_CREATE, /* creates a communicator */
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

/* Returns the function with this number, or with this name; NULL if there is none. */
const trace_mpi_function_t *trace_mpi_function(uint32_t operation);
const trace_mpi_function_t *trace_mpi_find(const char *name);
uint32_t trace_mpi_number(const trace_mpi_function_t *function);

/* Values of a rank or a tag that stand for no rank or tag: the call has none, MPI_ANY_SOURCE or
 * MPI_ANY_TAG, MPI_PROC_NULL. */
enum { TRACE_MPI_NONE = -1, TRACE_MPI_ANY = -2, TRACE_MPI_NULL = -3 };

/* For the initialiser of a trace_mpi_t: sets every rank and tag to TRACE_MPI_NONE. */
#define TRACE_MPI_NO_NUMBERS                                                                       \
    .rank = TRACE_MPI_NONE, .size = TRACE_MPI_NONE, .destination = TRACE_MPI_NONE,                 \
    .send_tag = TRACE_MPI_NONE, .source = TRACE_MPI_NONE, .receive_tag = TRACE_MPI_NONE,           \
    .root = TRACE_MPI_NONE

/* A communicator has the same id in all of its processes. Two ids are fixed; MPI_COMM_SELF has the
 * same id everywhere although it is a different communicator, of one member, in each process. */
enum { TRACE_MPI_WORLD = 1, TRACE_MPI_SELF = 2 };

/* Ids of communicators with two groups (intercommunicators) have this bit, no others have. */
#define TRACE_MPI_TWO_GROUPS (UINT64_C(1) << 63)

typedef enum { TRACE_MPI_RECEIVES, TRACE_MPI_SENDS, TRACE_MPI_COLLECTS } trace_mpi_request_t;

enum {
    TRACE_MPI_DONE_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_mpi_t)) / sizeof(trace_mpi_done_t),
    TRACE_MPI_MEMBERS_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_mpi_t)) / sizeof(uint32_t)
};

/* Return the requests, or the ranks, that follow the record, and their number in `count`, which is
 * never more than the record's size allows. */
const trace_mpi_done_t *trace_mpi_done(const trace_mpi_t *r, uint32_t *count);
const uint32_t *trace_mpi_members(const trace_mpi_t *r, uint32_t *count);

/* Iterates over the values of a record as texts, in the form of a call's arguments. The next
 * function goes to the next value that the record has; it returns false after the last one, or
 * without memory. `type` and `name` are constants; `text` is valid until the next call. To be freed
 * with trace_mpi_values_free(). */
typedef struct {
    const trace_mpi_t *record;
    unsigned next;
    const char *type, *name;
    char *text;
    size_t room;
} trace_mpi_values_t;
bool trace_mpi_next(trace_mpi_values_t *v);
void trace_mpi_values_free(trace_mpi_values_t *v);

/* The inverse: parses `text` and sets the value with this name. Values that follow the record are
 * written to `rest`, which has room for `room` bytes. Returns false if no value has this name, or
 * if the text is malformed. */
bool trace_mpi_set(trace_mpi_t *r, const char *name, const char *text, void *rest, size_t room);
/* Returns the number of bytes that follow the record, rounded up to whole words of 8 bytes. */
size_t trace_mpi_rest_bytes(const trace_mpi_t *r);

/* Writes the name of a communicator; "" if there is none. */
void trace_mpi_communicator(uint64_t id, char text[32]);

#endif
