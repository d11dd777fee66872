/* gather_part.h - the sums over the records of one database, which gather.c adds up.
 *
 * Apart from gather.c since parts are made by several threads, each of one database. Rows name a
 * process by its place in the part. */
#ifndef CROCPROF_RESULTS_GATHER_PART_H
#define CROCPROF_RESULTS_GATHER_PART_H

#include "db/db.h"
#include "model/numbers.h"
#include "model/sum.h"
#include "results/bins.h"
#include "trace/clocks.h"

/* An array that grows. */
typedef struct {
    void *rows;
    size_t count, room;
} gather_list_t;

/* The next row, zeroed; NULL without memory. */
void *gather_next(gather_list_t *l, size_t bytes);

/* Rows that are found by their key. */
typedef struct {
    out_numbers_t numbers; /* place plus one, by key */
    gather_list_t list;
} gather_table_t;

typedef struct {
    size_t process;
    int64_t kernel, agent, stream;
    uint64_t lds, scratch, workgroup, grid;
    sum_t time;
    int64_t first, first_ns, last;
} gather_launch_t;

/* What a call of HIP has to do with the GPU's time; X(id, name). */
#define GATHER_KINDS(X)                                                                            \
    X(NO_HIP, "")                                                                                  \
    X(OTHER, "other")                                                                              \
    X(LAUNCH, "launch")                                                                            \
    X(SYNC, "sync")                                                                                \
    X(ALLOC, "alloc")                                                                              \
    X(COPY, "copy") /* the host waits until it is done, or may have to */                          \
    X(COPY_ASYNC, "copy")                                                                          \
    X(LOAD, "load")

typedef enum {
#define X(id, name) GATHER_##id,
    GATHER_KINDS(X)
#undef X
} gather_kind_t;

typedef struct {
    size_t process;
    char *name, *category;
    gather_kind_t kind;
    bool waits;  /* the host waits in it: for the GPU, or for other ranks */
    bool others; /* for other ranks */
    sum_t time, inside;
    sum_t plain; /* of those without a text of the program's; only with bins */
    int64_t first, last, gap_ns;
} gather_call_t;

/* Copies of one name between two agents. */
typedef struct {
    size_t process;
    int64_t name_id, from, to;
    char *name; /* NULL: the database has none */
    sum_t time;
    int64_t bytes; /* wraps */
} gather_copy_t;

/* The program's own kernels of a stream, and its copies while they ran. */
typedef struct {
    size_t process;
    int64_t stream;
    uint64_t kernels, copies;
    int64_t first, last;
} gather_stream_t;

/* Which of the job's ranks a process is. */
typedef struct {
    int64_t rank, ranks; /* -1: not known */
    uint64_t pid, dropped;
    bool unclosed; /* it did not end in order */
    trace_clock_facts_t clock;
    char *host; /* may be NULL */
} gather_rank_t;

/* Sums of a process: its kernels and copies, and the times without any. */
typedef struct {
    size_t process;
    int64_t first, last, kernel_ns, copy_ns, busy_ns; /* covered by kernels, copies, either */
    sum_t gaps;
    int64_t startup_ns;
    bool busy; /* it has kernels or copies */
    sum_t own; /* what no call of HIP fills of each gap */
    /* from the times of calls alone: the intervals between the end of a call that waits for the GPU
     * and the beginning of the next call that gives it work */
    sum_t apart;
    int64_t asked, done; /* the first launch and the end of the last wait; 0: there is none */
    /* beginning of the first call, end of the last one; time that calls which compile and load code
     * cover */
    int64_t host_first, host_last, load_ns;
    bool called;
    int64_t wait_ns; /* the host waits, and the GPU has nothing to do; 0 without bins */
    gather_rank_t rank;
    size_t file; /* number of its database */
    res_bins_t bins;
    gather_list_t kernels; /* int64_t: symbols, by the numbers that bins have */
} gather_work_t;

typedef struct {
    char **processes; /* guids */
    size_t process_count;
    gather_table_t launches, calls, copies, streams;
    gather_table_t ranges; /* gather_call_t: what has a text of the program's, by that; only with
                              bins. Of the sums only `time` */
    gather_list_t work;    /* of each process */
    int64_t allocated;     /* bytes of memory of GPUs */
    bool allocates;        /* there are such allocations */
} gather_part_t;

/* When the first record of a process begins, and its last one ends. */
static inline int64_t gather_first(const gather_work_t *w)
{
    if (!w->called) return w->first;
    return !w->busy || w->host_first < w->first ? w->host_first : w->first;
}

static inline int64_t gather_last(const gather_work_t *w)
{
    if (!w->called) return w->last;
    return !w->busy || w->host_last > w->last ? w->host_last : w->last;
}

typedef struct {
    bool calls; /* else kernels alone are read */
    bool bins;
} gather_wanted_t;

/* Takes a fact of the metadata (gather_rank.c). */
void gather_rank_fact(gather_rank_t *r, const char *tag, const char *value);

/* Reads a database. NULL with the reason told. */
gather_part_t *gather_part(const db_t *db, const gather_wanted_t *wanted);
void gather_part_free(gather_part_t *p);
/* Frees what the part points at, not the part itself. */
void gather_part_clear(gather_part_t *p);

#endif
