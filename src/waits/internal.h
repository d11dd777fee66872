/* internal.h - what the parts of this room share.
 *
 * A worker reads one rank and makes rows of what others have to know of it (wts_rows_t); the
 * calling process joins the rows of all ranks, in the order of their files, in tables
 * (wts_state_t). */
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

/* The number of a name; -1 without memory. */
int64_t wts_word(wts_words_t *words, const char *name);
/* The number of a name that is there; -1: it is not. */
int64_t wts_word_find(const wts_words_t *words, const char *name);
void wts_words_free(wts_words_t *words);

/* One collective of a communicator, in the order in which all its members call them. */
typedef struct {
    uint64_t first, last, root_start; /* when the first and the last one, and the root, came */
    uint64_t base;                    /* when the rank came that was read first */
    int64_t offset_sum;               /* of all others: how much later than that */
    uint32_t calls, last_rank, root_rank;
    uint32_t direct;   /* calls of a barrier right behind another collective */
    uint8_t operation; /* trace_mpi_collective_t */
} wts_instance_t;

/* Does a barrier stand right behind another collective? For half of its ranks it does: others may
 * have lost the processor between the two. */
static inline bool wts_is_direct(const wts_instance_t *i)
{
    return i->direct && 2 * i->direct >= i->calls;
}

/* How much later the last one came than the mean of the others, of which there is one at least. */
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
    uint64_t key; /* of the communicator, both ranks, tag and order; 0: the place is free */
    uint64_t post, from, to; /* when it was begun, and when its call waited */
    uint64_t bytes;
    uint32_t rank; /* index */
    bool sends;
} wts_end_t;

typedef struct {
    wts_end_t *rows;
    size_t room, count; /* room: a power of two */
} wts_ends_t;

/* A rank stands still from `from` until `at`, when rank `by` has come. Of the GPU: the host stands
 * still until `at`, when that has done what was launched at `from`; `by` is the rank itself. */
enum { WTS_IN_GPU = WTS_CAUSES };
typedef struct {
    uint64_t from, at;
    uint32_t by, cause; /* wts_cause_t, or WTS_IN_GPU */
} wts_wait_t;

typedef struct {
    wts_wait_t *rows; /* sorted by `at` when all ranks have been read */
    size_t count, room;
} wts_waits_t;

/* A rank in a collective, or in a wait for a nonblocking one. */
typedef struct {
    uint64_t start, end;
    uint32_t number, rank, communicator; /* number of the collective; index; index */
    uint32_t collective;                 /* index + 1 of its sums; 0: a wait */
    bool on_gpu, blocks, direct;         /* direct: as wts_instance_t has it */
} wts_stay_t;

typedef struct {
    wts_t *w;
    wts_stay_t *stays; /* in the order of the ranks' files */
    size_t stay_count, stay_room;
    wts_waits_t *waits; /* of each rank */
    size_t waits_count;
    wts_communicator_t *communicators;
    size_t communicator_count;
    out_numbers_t by_id; /* communicators: index + 1 */
    wts_ends_t ends;
    out_numbers_t collectives; /* by communicator and function: index + 1 in w->collectives */
    out_numbers_t victims;     /* by pair of ranks: ns */
    out_numbers_t pairs;       /* by pair of ranks: index + 1 in w->pairs */
    bool tell;                 /* of ranks that are there twice */
    bool failed;               /* no memory */
} wts_state_t;

/* ---- the rows of one rank ---- */

/* Collectives of one function on one communicator. */
typedef struct {
    const trace_mpi_function_t *function;
    uint64_t communicator;
    uint64_t calls, ns, bytes;
} wts_group_t;

/* As wts_stay_t has it. */
typedef struct {
    uint64_t start, end;
    uint32_t number, group; /* index */
    bool arrives;           /* the call of the collective; else a wait for a nonblocking one */
    bool is_root, on_gpu, blocks, direct;
} wts_stay_row_t;

typedef struct {
    wts_rank_t sums; /* what is known of one rank alone */
    wts_words_t kernels, phases;
    wts_group_t *groups;
    size_t group_count;
    out_numbers_t by_group; /* by communicator and function: index + 1 */
    wts_stay_row_t *stays;
    size_t stay_count, stay_room;
    wts_end_t *ends; /* without their rank */
    size_t end_count, end_room;
    wts_time_span_t *gpu; /* waits of the host for the GPU: from what was launched on, until when */
    size_t gpu_count, gpu_room;
    bool failed; /* no memory */
} wts_rows_t;

/* What is left of a worker's result. */
typedef struct {
    const char *at;
    size_t left;
} wts_bytes_t;

/* False: there is no more. */
bool wts_take(wts_bytes_t *b, void *to, size_t bytes);
bool wts_take_count(wts_bytes_t *b, uint64_t *count);
/* NULL: there is none. */
const char *wts_take_text(wts_bytes_t *b);

void wts_rows_free(wts_rows_t *r);
/* In a worker. The rows hold addresses of constants: only a fork of the same process reads them. */
void wts_rows_put(FILE *to, const wts_rows_t *r);
/* In the calling process: adds the rows that a worker has put for a rank to the tables of all
 * ranks. False: there is no memory, or the worker's bytes end too early. */
bool wts_rows_join(wts_state_t *s, uint32_t rank, wts_bytes_t *b);

/* What is known while one rank is read. */
typedef struct {
    wts_rows_t *rows;
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

/* Calls have to come by their beginnings. */
void wts_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call);
/* A collective of RCCL, with the times of its kernel, if it has one. */
void wts_rccl_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call);
void wts_reading_end(wts_reading_t *r);
/* When all ranks have been read: who has waited for whom in collectives. */
void wts_judge_stays(wts_state_t *s);

/* ---- RCCL ---- */

/* RCCL's kernels of a rank: when the collective of a call ran. */
typedef struct {
    wts_time_span_t *rows;
    size_t count, room;
    out_numbers_t by_call; /* index + 1, by the call's number in the database */
} wts_rccl_t;

/* The collective of RCCL of this name; NULL: there is none. */
const trace_mpi_function_t *wts_rccl_find(const char *name);
/* Reads the kernels. 0, or -1 with the reason told. To be freed in both cases. */
int wts_rccl_read(wts_rccl_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock);
void wts_rccl_free(wts_rccl_t *k);
/* Gives the record of a call the times of its kernel. */
void wts_rccl_time(const wts_rccl_t *k, uint64_t call, trace_mpi_t *record);

/* Adds one end of a message, and what was waited for if the other end is there. */
void wts_end(wts_state_t *s, const wts_end_t *end);

/* Notes that a rank has stood still. */
void wts_wait(wts_state_t *s, uint32_t rank, wts_wait_t wait);
/* When the first one comes to the first collective of all. */
uint64_t wts_first_collective(const wts_state_t *s);
/* Sorts the waits, and finds out with whom they began. */
void wts_roots(wts_state_t *s);

/* ---- the GPU and the path ---- */

/* A kernel or a copy. */
typedef struct {
    uint64_t start, end, launched; /* launched: when the host has called for it */
    uint64_t stream;
    int64_t before; /* the last one of its stream that has ended before it begins; -1: none */
    int32_t name;   /* of wts_names_t.kernels, or one of these */
} wts_operation_t;

enum { WTS_IS_COPY = -1, WTS_IS_NAMELESS = -2 };

/* A call of MPI, or one of HIP in which the host waits for the GPU. */
typedef struct {
    uint64_t start, end;
    const char *function; /* of MPI; else NULL */
} wts_host_call_t;

/* A call of HIP: its number in the database, by which kernels name it, and when it began. */
typedef struct {
    uint64_t stack, start;
} wts_launch_t;

/* What one rank does; for the path it is read anew. */
typedef struct {
    wts_operation_t *operations; /* by end */
    size_t operation_count, operation_room;
    wts_host_call_t *calls; /* by start */
    size_t call_count, call_room;
    wts_launch_t *launches; /* by stack */
    size_t launch_count, launch_room;
} wts_work_t;

/* What a call of some name is for the work. */
typedef struct {
    const trace_mpi_function_t *mpi; /* NULL: none of MPI */
    bool hip, waits;                 /* of HIP; the host waits in it for the GPU */
} wts_call_kind_t;
wts_call_kind_t wts_call_kind(const char *name);

/* Adds a call, of whatever. The calls of a rank come before wts_work_read(), which reads its
 * kernels and copies; 0, or -1 with the reason told. To be freed in any case. */
void wts_work_call(wts_work_t *k, wts_rows_t *rows, const wts_call_kind_t *kind, uint64_t stack,
                   uint64_t start, uint64_t end);
int wts_work_read(wts_work_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock);
void wts_work_free(wts_work_t *k);
/* The waits of the host for the GPU. */
void wts_work_waits(const wts_work_t *k, wts_rows_t *rows);

/* Whether the operation could begin only when the one before it in its stream was done; else when
 * it was launched. */
static inline bool wts_follows(const wts_work_t *k, const wts_operation_t *o)
{
    return o->before >= 0 && k->operations[o->before].end > o->launched;
}

/* A piece of the path, in one rank. */
typedef struct {
    uint64_t from, to;
    uint32_t rank;
    bool on_gpu;
} wts_piece_t;

typedef struct {
    wts_state_t *s;
    wts_piece_t *pieces; /* by rank when they have been found */
    size_t count, room;
    out_numbers_t parts; /* index + 1 in w->path.parts, by rank, kind and name */
} wts_tracing_t;

/* Finds the path's pieces. */
void wts_path_find(wts_tracing_t *t);
/* Whether the path comes through a rank. */
bool wts_path_has(const wts_tracing_t *t, uint32_t rank);
/* In a worker: puts what the rank does on it. False without memory. */
bool wts_path_put(FILE *to, const wts_tracing_t *t, uint32_t rank, const wts_work_t *k,
                  const wts_words_t *kernels);
/* In the calling process: adds that. False without memory. */
bool wts_path_join(wts_tracing_t *t, uint32_t rank, wts_bytes_t *b);
/* Sorts the parts, and sums them up over ranks. */
void wts_path_end(wts_tracing_t *t);

/* In a worker: reads a rank, and puts its rows, or what it does on the path. 0, or -1 with the
 * reason told. */
int wts_read_rank(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock);
int wts_read_path(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock,
                  const wts_tracing_t *t, uint32_t rank);

/* Computes what follows from all ranks: spreads and findings. False without memory. */
bool wts_find(wts_state_t *s);

/* Adds to the times of a rank by number. False without memory. */
bool wts_add_time(wts_time_t **times, size_t *room, int64_t number, uint64_t count, uint64_t ns);

#endif
