/* gather_part.h - the sums over the records of one database, which gather.c joins.
 *
 * They are apart from gather.c because several threads make parts, each from one database. Rows
 * refer to a process by its index in the part. */
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

/* Returns the next row, which is zeroed; NULL without memory. */
void *gather_next(gather_list_t *l, size_t bytes);

/* Rows that are found by their key. */
typedef struct {
    out_numbers_t numbers; /* index plus one, by key */
    gather_list_t list;
} gather_table_t;

typedef struct {
    size_t process;
    int64_t kernel, agent, stream;
    uint64_t lds, scratch, workgroup, grid;
    sum_t time;
    int64_t first, first_ns, last;
} gather_launch_t;

/* The kinds of HIP's calls by their effect on the GPU's time; X(id, name). */
#define GATHER_KINDS(X)                                                                            \
    X(NO_HIP, "")                                                                                  \
    X(OTHER, "other")                                                                              \
    X(LAUNCH, "launch")                                                                            \
    X(SYNC, "sync")                                                                                \
    X(ALLOC, "alloc")                                                                              \
    X(COPY, "copy") /* the host waits until the copy is done, or may have to */                    \
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
    bool waits;  /* the host waits in the call: for the GPU, or for other ranks */
    bool others; /* it waits for other ranks */
    sum_t time, inside;
    sum_t plain; /* sum of the calls without a text of the program's; only for bins */
    int64_t first, last, gap_ns;
} gather_call_t;

/* The copies of one name between two agents. */
typedef struct {
    size_t process;
    int64_t name_id, from, to;
    char *name; /* NULL: the database has no name */
    sum_t time;
    int64_t bytes; /* wraps on overflow */
} gather_copy_t;

/* The kernels of a stream that belong to the program itself, and its copies while they ran. */
typedef struct {
    size_t process;
    int64_t stream;
    uint64_t kernels, copies;
    int64_t first, last;
} gather_stream_t;

/* The rank of a process in a job. */
typedef struct {
    int64_t rank, ranks; /* -1: not known */
    uint64_t pid, dropped;
    bool unclosed; /* the process did not end in order */
    trace_clock_facts_t clock;
    char *host; /* may be NULL */
} gather_rank_t;

/* Sums of a process: its kernels and copies, and the gaps between them. */
typedef struct {
    size_t process;
    int64_t first, last, kernel_ns, copy_ns, busy_ns; /* times covered by kernels, copies, either */
    sum_t gaps;
    int64_t startup_ns;
    bool busy; /* the process has kernels or copies */
    sum_t own; /* the parts of gaps that no call of HIP fills */
    /* from the times of calls alone: the intervals between the end of a call that waits for the GPU
     * and the begin of the next call that submits work to it */
    sum_t apart;
    int64_t asked, done; /* begin of the first launch and end of the last wait; 0: there is none */
    /* begin of the first call, end of the last one; time covered by calls which compile and load
     * code */
    int64_t host_first, host_last, load_ns;
    bool called;
    int64_t wait_ns; /* time in which the host waits and the GPU has no work; 0 without bins */
    gather_rank_t rank;
    size_t file; /* number of the process's database */
    res_bins_t bins;
    gather_list_t kernels; /* elements are int64_t: symbols, indexed by the numbers in bins */
} gather_work_t;

typedef struct {
    char **processes; /* guids */
    size_t process_count;
    gather_table_t launches, calls, copies, streams;
    gather_table_t ranges; /* elements are gather_call_t: calls with a text of the program's, by
                            * that text; only for bins. Of the sums only `time` is used */
    gather_list_t work;    /* one row for each process */
    int64_t allocated;     /* bytes of GPU memory */
    bool allocates;        /* there were such allocations */
} gather_part_t;

/* Return when the first record of a process begins, and when its last one ends. */
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
    bool calls; /* read calls, too; else only kernels */
    bool bins;
} gather_wanted_t;

/* Takes a fact of the metadata (gather_rank.c). */
void gather_rank_fact(gather_rank_t *r, const char *tag, const char *value);

/* Reads a database. Returns NULL after reporting the reason. */
gather_part_t *gather_part(const db_t *db, const gather_wanted_t *wanted);
void gather_part_free(gather_part_t *p);
/* Frees the memory to which the part points, not the part itself. */
void gather_part_clear(gather_part_t *p);

#endif
