/* internal.h - what the parts of this room share.
 *
 * A worker reads one rank and makes rows that describe its calls (wts_rows_t); the calling process
 * joins the rows of all ranks, in the order of their files, in tables (wts_state_t). */
#ifndef CROCPROF_WAITS_INTERNAL_H
#define CROCPROF_WAITS_INTERNAL_H

#include <stdio.h>

#include "db/db.h"
#include "model/numbers.h"
#include "trace/clocks.h"
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

/* Returns the number of a name, which is added if it is new; -1 without memory. */
int64_t wts_word(wts_words_t *words, const char *name);
/* Returns the number of a name; -1 if it has none. */
int64_t wts_word_find(const wts_words_t *words, const char *name);
void wts_words_free(wts_words_t *words);

/* One collective on a communicator; its number follows from the order in which all members call
 * collectives. */
typedef struct {
    uint64_t first, last, root_start; /* arrival of the first rank, of the last one, of the root */
    uint64_t base;                    /* arrival of the rank that was read first */
    int64_t offset_sum;               /* sum over the other ranks of the differences to `base` */
    uint32_t calls, last_rank, root_rank;
    uint32_t direct;   /* number of calls of a barrier directly after another collective */
    uint8_t operation; /* trace_mpi_collective_t */
} wts_instance_t;

/* Returns whether a barrier is directly after another collective for at least half of its ranks;
 * the others may have been descheduled between the two. */
static inline bool wts_is_direct(const wts_instance_t *i)
{
    return i->direct && 2 * i->direct >= i->calls;
}

/* Returns how much later the last rank arrived than the mean of the other ranks, of which there is
 * at least one. */
static inline int64_t wts_late(const wts_instance_t *i)
{
    const int64_t own = (int64_t)(i->last - i->base);
    return own - (i->offset_sum - own) / (int64_t)(i->calls - 1);
}

typedef struct {
    uint64_t id;
    wts_instance_t *instances;
    size_t count, room;
} wts_communicator_t;

typedef struct {
    uint64_t start, end;
} wts_time_span_t;

/* One end of a message. */
typedef struct {
    uint64_t key; /* hash of the communicator, both ranks, tag and order; 0: the row is unused */
    uint64_t post, from, to; /* begin of the operation; begin and end of the waiting call */
    uint64_t bytes;
    uint32_t rank; /* index of the rank */
    bool sends;
} wts_end_t;

typedef struct {
    wts_end_t *rows;
    size_t room, count; /* `room` is a power of two */
} wts_ends_t;

/* A wait of a rank from `from` until `at`, when rank `by` has arrived. With the cause WTS_IN_GPU:
 * the host waits until `at`, when the GPU has finished work that was launched at `from`; `by` is
 * then the rank itself. */
enum { WTS_IN_GPU = WTS_CAUSES };
typedef struct {
    uint64_t from, at;
    uint32_t by, cause; /* wts_cause_t, or WTS_IN_GPU */
} wts_wait_t;

typedef struct {
    wts_wait_t *rows; /* sorted by `at` once all ranks have been read */
    size_t count, room;
} wts_waits_t;

/* A rank's stay in a collective, or in the wait for a nonblocking one. */
typedef struct {
    uint64_t start, end;
    uint32_t number, rank, communicator; /* number of the collective; index of the rank; index of
                                          * the communicator */
    uint32_t collective;                 /* index + 1 of the sums of the collective; 0: it is a
                                          * wait */
    bool on_gpu, blocks, direct;         /* `direct`: a barrier directly after another collective */
} wts_stay_t;

typedef struct {
    wts_t *w;
    wts_stay_t *stays; /* in the order of the ranks' files */
    size_t stay_count, stay_room;
    wts_waits_t *waits; /* the waits of each rank */
    size_t waits_count;
    wts_communicator_t *communicators;
    size_t communicator_count;
    out_numbers_t by_id; /* index + 1 of a communicator, by its id */
    wts_ends_t ends;
    out_numbers_t collectives; /* by communicator and function: index + 1 in w->collectives */
    out_numbers_t victims;     /* waiting time in ns, by pair of ranks */
    out_numbers_t pairs;       /* index + 1 in w->pairs, by pair of ranks */
    bool tell;                 /* report ranks that occur twice */
    bool failed;               /* there was no memory */
} wts_state_t;

/* ---- the rows of one rank ---- */

/* The collectives of one function on one communicator. */
typedef struct {
    const trace_mpi_function_t *function;
    uint64_t communicator;
    uint64_t calls, ns, bytes;
} wts_group_t;

/* The part of a wts_stay_t that a worker knows. */
typedef struct {
    uint64_t start, end;
    uint32_t number, group; /* number of the collective; index of its group */
    bool arrives;           /* the call of the collective itself; else a wait for a nonblocking
                             * one */
    bool is_root, on_gpu, blocks, direct;
} wts_stay_row_t;

typedef struct {
    wts_rank_t sums; /* the sums for this rank */
    wts_words_t kernels, phases;
    wts_group_t *groups;
    size_t group_count;
    out_numbers_t by_group; /* index + 1, by communicator and function */
    wts_stay_row_t *stays;
    size_t stay_count, stay_room;
    wts_end_t *ends; /* the rank is added when they are joined */
    size_t end_count, end_room;
    wts_time_span_t *gpu; /* waits of the host for the GPU: from the launch of the work until its
                           * end */
    size_t gpu_count, gpu_room;
    bool failed; /* there was no memory */
} wts_rows_t;

/* The rest of a worker's result, which is being read. */
typedef struct {
    const char *at;
    size_t left;
} wts_bytes_t;

/* Copies the next bytes; returns false if there are not as many. */
bool wts_take(wts_bytes_t *b, void *to, size_t bytes);
bool wts_take_count(wts_bytes_t *b, uint64_t *count);
/* Returns the next text; NULL if there is none. */
const char *wts_take_text(wts_bytes_t *b);

void wts_rows_free(wts_rows_t *r);
/* Runs in a worker: writes the rows. They contain addresses of constants, which are valid in a fork
 * of the same process only. */
void wts_rows_put(FILE *to, const wts_rows_t *r);
/* Runs in the calling process: adds the rows of a rank that a worker has written to the tables of
 * all ranks. Returns false if there is no memory, or the worker's bytes end too early. */
bool wts_rows_join(wts_state_t *s, uint32_t rank, wts_bytes_t *b);

/* The state while one rank is read. */
typedef struct {
    wts_rows_t *rows;
    out_numbers_t next;    /* number of the next collective, by communicator */
    out_numbers_t orders;  /* number of messages so far, by peer and tag */
    out_numbers_t pending; /* index + 1 in `requests`, by request */
    struct wts_request *requests;
    size_t request_count, request_room;
    uint64_t before_end; /* end of the call before */
    uint64_t before_communicator;
    bool before_joins; /* that call was a collective that no rank leaves before all have arrived */
} wts_reading_t;

/* Which ranks wait for which in a collective. */
typedef enum { WTS_FOR_ALL, WTS_FOR_ROOT, WTS_ROOT_FOR_ALL } wts_direction_t;
wts_direction_t wts_direction(trace_mpi_collective_t operation);

/* Adds a call of MPI. Calls have to be added in the order of their begins. */
void wts_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call);
/* Adds a collective of RCCL, with the times of its kernel, if it has one. */
void wts_rccl_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call);
void wts_reading_end(wts_reading_t *r);
/* To be called when all ranks have been read: computes for which ranks collectives have waited. */
void wts_judge_stays(wts_state_t *s);

/* ---- RCCL ---- */

/* RCCL's kernels of a rank: when the collective of a call was executed. */
typedef struct {
    wts_time_span_t *rows;
    size_t count, room;
    out_numbers_t by_call; /* index + 1, by the call's number in the database */
} wts_rccl_t;

/* Returns the description of RCCL's collective of this name; NULL if there is none. */
const trace_mpi_function_t *wts_rccl_find(const char *name);
/* Reads the kernels. Returns 0, or -1 after reporting the reason. To be freed in both cases. */
int wts_rccl_read(wts_rccl_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock);
void wts_rccl_free(wts_rccl_t *k);
/* Sets the times in the record of a call to those of its kernel. */
void wts_rccl_time(const wts_rccl_t *k, uint64_t call, trace_mpi_t *record);

/* Adds one end of a message, and the wait between the two ends if the other end has been added
 * before. */
void wts_end(wts_state_t *s, const wts_end_t *end);

/* Notes that a rank has waited. */
void wts_wait(wts_state_t *s, uint32_t rank, wts_wait_t wait);
/* Returns when the first rank arrives at the first collective of all. */
uint64_t wts_first_collective(const wts_state_t *s);
/* Sorts the waits, and determines the ranks that have caused them in the end. */
void wts_roots(wts_state_t *s);

/* ---- the GPU and the path ---- */

/* A kernel or a copy. */
typedef struct {
    uint64_t start, end, launched; /* `launched`: begin of the host's call */
    uint64_t stream;
    int64_t before; /* index of the last operation of its stream that ended before this one began;
                     * -1: none */
    int32_t name;   /* index in wts_names_t.kernels, or one of these */
} wts_operation_t;

enum { WTS_IS_COPY = -1, WTS_IS_NAMELESS = -2 };

/* A call of MPI, or a call of HIP in which the host waits for the GPU. */
typedef struct {
    uint64_t start, end;
    const char *function; /* function of MPI, or NULL */
} wts_host_call_t;

/* A call of HIP: its number in the database, by which kernels refer to it, and its begin. */
typedef struct {
    uint64_t stack, start;
} wts_launch_t;

/* The operations of one rank; they are read a second time for the critical path. */
typedef struct {
    wts_operation_t *operations; /* sorted by end */
    size_t operation_count, operation_room;
    wts_host_call_t *calls; /* sorted by start */
    size_t call_count, call_room;
    wts_launch_t *launches; /* sorted by stack id */
    size_t launch_count, launch_room;
} wts_work_t;

/* What a call of some name means for the analysis. */
typedef struct {
    const trace_mpi_function_t *mpi; /* NULL: it is not a call of MPI */
    bool hip, waits;                 /* `hip`: it is a call of HIP; `waits`: the host waits in it
                                      * for the GPU */
} wts_call_kind_t;
wts_call_kind_t wts_call_kind(const char *name);

/* Adds a call of any kind. The calls of a rank have to be added before wts_work_read(), which reads
 * its kernels and copies and returns 0, or -1 after reporting the reason. To be freed in both
 * cases. */
void wts_work_call(wts_work_t *k, wts_rows_t *rows, const wts_call_kind_t *kind, uint64_t stack,
                   uint64_t start, uint64_t end);
int wts_work_read(wts_work_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock);
void wts_work_free(wts_work_t *k);
/* Computes the waits of the host for the GPU. */
void wts_work_waits(const wts_work_t *k, wts_rows_t *rows);

/* Returns whether the operation could begin only after the one before it in its stream; else it
 * could begin when it was launched. */
static inline bool wts_follows(const wts_work_t *k, const wts_operation_t *o)
{
    return o->before >= 0 && k->operations[o->before].end > o->launched;
}

/* A piece of the critical path, in one rank. */
typedef struct {
    uint64_t from, to;
    uint32_t rank;
    bool on_gpu;
} wts_piece_t;

typedef struct {
    wts_state_t *s;
    wts_piece_t *pieces; /* sorted by rank when all have been found */
    size_t count, room;
    out_numbers_t parts; /* index + 1 in w->path.parts, by rank, kind and name */
} wts_tracing_t;

/* Finds the pieces of the path. */
void wts_path_find(wts_tracing_t *t);
/* Returns whether the path contains pieces of the rank. */
bool wts_path_has(const wts_tracing_t *t, uint32_t rank);
/* Runs in a worker: writes the rank's operations on the path. Returns false without memory. */
bool wts_path_put(FILE *to, const wts_tracing_t *t, uint32_t rank, const wts_work_t *k,
                  const wts_words_t *kernels);
/* Runs in the calling process: adds these operations. Returns false without memory. */
bool wts_path_join(wts_tracing_t *t, uint32_t rank, wts_bytes_t *b);
/* Sorts the parts, and sums them over ranks. */
void wts_path_end(wts_tracing_t *t);

/* Runs in a worker: reads a rank, and writes its rows, or its operations on the path. Returns 0, or
 * -1 after reporting the reason. */
int wts_read_rank(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock);
int wts_read_path(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock,
                  const wts_tracing_t *t, uint32_t rank);

/* Computes the spreads and findings from all ranks. Returns false without memory. */
bool wts_find(wts_state_t *s);

/* Adds to the time of a number in a rank. Returns false without memory. */
bool wts_add_time(wts_time_t **times, size_t *room, int64_t number, uint64_t count, uint64_t ns);

#endif
