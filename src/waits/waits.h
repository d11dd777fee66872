/* waits.h - which ranks wait for which: the analysis of MPI calls of many ranks (rocprofv3
 * --mpi-trace).
 *
 * It reads databases in parallel, one in each worker: first facts about clocks, then all calls,
 * then the operations on the critical path. Memory grows with the ranks' calls of collectives, with
 * messages whose other end has not been read yet, and with waits; a worker's with the calls,
 * kernels and copies of one rank. Times of several nodes are converted to one clock as far as the
 * clocks are known (trace/clocks.h). */
#ifndef CROCPROF_WAITS_WAITS_H
#define CROCPROF_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocpd/files.h"

/* Operations in which a rank waits for another one. */
typedef enum { WTS_IN_COLLECTIVE, WTS_IN_RECEIVE, WTS_IN_SEND, WTS_CAUSES } wts_cause_t;

/* Time of a kernel, of copies or of a phase in one rank. */
typedef struct {
    uint64_t count, ns;
} wts_time_t;

typedef struct {
    int32_t rank, size;      /* rank in MPI_COMM_WORLD, and the size of that */
    char *file;              /* path of the database */
    uint64_t first, last;    /* in ns, from the end of MPI_Init to the begin of MPI_Finalize */
    uint64_t calls, mpi_ns;  /* of MPI; the time does not include these two */
    uint64_t sent, received; /* in bytes */
    uint64_t collective_ns;  /* time waited in collectives for ranks that arrive later */
    uint64_t sender_ns;      /* time waited for messages that were sent late */
    uint64_t receiver_ns;    /* time waited in sends for receives that began late */
    uint64_t caused_ns;      /* time that other ranks have waited for this one in collectives */
    uint64_t late_send_ns, late_receive_ns; /* time that other ranks have waited for its messages,
                                             * for its receives */
    uint64_t late_sends, late_receives;     /* number of these waits */
    uint64_t last_in, late_ns; /* number of collectives in which it came last, and the sum of how
                                * much later it came than the mean of the other ranks */
    uint64_t late_first_ns;    /* the part of that in the first collective of all */
    /* The same where a rank that comes last because it has itself waited for another one passes
     * that on (roots.c): what the others have waited because of this one in the end... */
    uint64_t root_ns, rooted_ns[WTS_CAUSES];   /* by the operation in which they have waited */
    uint64_t delays, delay_ns, delay_first_ns; /* as last_in, late_ns, late_first_ns */
    uint64_t path_ns;                          /* time on the critical path */
    int32_t victim; /* index of the rank that has waited longest for its messages; -1: none */
    uint64_t victim_ns;
    wts_time_t copies;
    wts_time_t *kernels, *phases; /* indexed by number of the name */
    size_t kernel_room, phase_room;
} wts_rank_t;

/* The collectives of one function on one communicator. */
typedef struct {
    uint64_t communicator;
    const char *function;
    uint64_t count, calls;         /* number of instances, and of calls of all ranks */
    uint64_t total_ns, waiting_ns; /* of all ranks; the difference is the time without waiting */
    uint64_t bytes;                /* bytes that were sent */
    /* Of barriers: instances that stand right behind another collective of the same communicator
     * that no rank leaves before all have come; the time of their calls; and ranks that do
     * something between the two most times, which the barrier then orders. */
    uint64_t direct, direct_ns, between;
} wts_collective_t;

/* How the ranks' times of a kernel or phase are spread. */
typedef struct {
    const char *name;
    uint64_t calls;
    double median_ns, mean_ns, most_ns; /* per rank */
    int32_t most;                       /* index of the rank with the most time */
} wts_spread_t;

typedef enum { WTS_COLLECTIVE, WTS_SENDER, WTS_RECEIVER, WTS_PHASE, WTS_BARRIER } wts_kind_t;
extern const char *const wts_kinds[];

typedef struct {
    wts_kind_t kind;
    int32_t rank; /* index in `ranks`; -1: no single rank */
    uint64_t ns;  /* time that all ranks together have waited or lost */
    double share; /* share of the time of all ranks */
    char *text;
} wts_finding_t;

/* The messages from one rank to another, of which both ends are known. */
typedef struct {
    uint32_t from, to; /* indices of the ranks */
    uint64_t messages, bytes;
} wts_pair_t;

/* The kinds of operations on the critical path, which leads from the end of the job back to its
 * begin. MPI counts without the time waiting for other ranks; a launch lasts from the call of a
 * kernel or copy to its begin, or is the time between two operations of a stream. */
typedef enum { WTS_KERNEL, WTS_COPY, WTS_LAUNCH, WTS_MPI, WTS_HOST, WTS_PARTS } wts_part_kind_t;
extern const char *const wts_part_kinds[WTS_PARTS];

typedef struct {
    int32_t rank; /* index of the rank; -1: sum over all ranks */
    wts_part_kind_t kind;
    const char *name; /* of a kernel, or a function of MPI; else "" */
    uint64_t count, ns;
} wts_part_t;

typedef struct {
    uint64_t ns;              /* length of the path: from the end of MPI_Init of the rank where it
                               * begins */
    uint64_t changes;         /* number of changes between ranks */
    wts_part_t *parts, *sums; /* `parts`: by rank, kind and name; `sums`: by kind and name over all
                               * ranks; sorted by time */
    size_t part_count, sum_count;
} wts_path_t;

typedef struct {
    wts_rank_t *ranks; /* in the order of the files */
    size_t rank_count;
    wts_collective_t *collectives; /* sorted by total time */
    size_t collective_count;
    wts_spread_t *kernels, *phases; /* sorted by time; phases without the MPI inside them */
    size_t kernel_count, phase_count;
    wts_finding_t *findings; /* sorted by time */
    size_t finding_count;
    wts_path_t path;
    wts_pair_t *pairs; /* sorted by ranks */
    size_t pair_count, pair_room;
    uint64_t total_ns;       /* sum over all ranks, from MPI_Init to MPI_Finalize */
    uint64_t instances;      /* number of collectives of at least two ranks */
    bool mapped;             /* times were converted to one clock for several nodes */
    uint64_t clock_error_ns; /* largest error of these times */
    bool clocks_guessed;     /* some clocks were compared only by the time of day, or are not known:
                              * the error is unknown */
    bool clocks_by_mpi;      /* some clocks were compared by messages of MPI */
    uint64_t unmatched;      /* messages of which one end is in no database */
    uint64_t missing;        /* ranks of MPI_COMM_WORLD without a database */
    struct wts_names *names; /* owned */
} wts_t;

/* Reads the databases. With `tell`, ranks that occur twice are reported. Returns 0, or -1 after
 * reporting the reason. To be freed in both cases. */
int wts_read(wts_t *w, const rocpd_files_t *files, bool tell);
void wts_free(wts_t *w);

#endif
