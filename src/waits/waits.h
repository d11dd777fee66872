/* waits.h - who waits for whom: calls of MPI of many ranks (rocprofv3 --mpi-trace) as one picture.
 *
 * Reads databases side by side, one by each worker: what is known of their clocks, then all calls,
 * then what the ranks on the critical path do on it. Memory grows with the ranks' calls of
 * collectives, with messages whose other end has not been read yet, and with waits; a worker's with
 * the calls, kernels and copies of one rank. Times of several nodes are changed to one clock as
 * far as it is known (trace/clocks.h). */
#ifndef CROCPROF_WAITS_WAITS_H
#define CROCPROF_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocpd/files.h"

/* What a rank waits in for another one. */
typedef enum { WTS_IN_COLLECTIVE, WTS_IN_RECEIVE, WTS_IN_SEND, WTS_CAUSES } wts_cause_t;

/* Time of a kernel, of copies or of a phase in one rank. */
typedef struct {
    uint64_t count, ns;
} wts_time_t;

typedef struct {
    int32_t rank, size;      /* in MPI_COMM_WORLD */
    char *file;              /* of the database */
    uint64_t first, last;    /* ns: from the end of MPI_Init to the begin of MPI_Finalize */
    uint64_t calls, mpi_ns;  /* of MPI, the time without these two */
    uint64_t sent, received; /* bytes */
    uint64_t collective_ns;  /* waited in collectives, for those that come later */
    uint64_t sender_ns;      /* waited for messages that were sent late */
    uint64_t receiver_ns;    /* waited in sends, for receives that began late */
    uint64_t caused_ns;      /* others have waited for this one in collectives */
    uint64_t late_send_ns, late_receive_ns; /* others have waited for its messages, its receives */
    uint64_t late_sends, late_receives;     /* number of those */
    uint64_t last_in, late_ns; /* collectives in which it came last, and how much later than the
                                  mean of the others, summed */
    uint64_t late_first_ns;    /* of that, in the first collective of all */
    /* The same where a rank that comes last because it has itself waited for another one passes
     * that on (roots.c): what the others have waited because of this one in the end... */
    uint64_t root_ns, rooted_ns[WTS_CAUSES];   /* by what they have waited in */
    uint64_t delays, delay_ns, delay_first_ns; /* ...as last_in, late_ns, late_first_ns */
    uint64_t path_ns;                          /* of the critical path */
    int32_t victim; /* index of the rank that has waited longest for its messages; -1 */
    uint64_t victim_ns;
    wts_time_t copies;
    wts_time_t *kernels, *phases; /* by number of the name */
    size_t kernel_room, phase_room;
} wts_rank_t;

/* Collectives of one function on one communicator. */
typedef struct {
    uint64_t communicator;
    const char *function;
    uint64_t count, calls;         /* instances, and calls of all ranks */
    uint64_t total_ns, waiting_ns; /* of all ranks; the rest is doing */
    uint64_t bytes;                /* that were given */
    /* Of barriers: instances that stand right behind another collective of the same communicator
     * that no rank leaves before all have come; the time of their calls; and ranks that do
     * something between the two most times, which the barrier then orders. */
    uint64_t direct, direct_ns, between;
} wts_collective_t;

/* What the ranks' times of a kernel or phase are like. */
typedef struct {
    const char *name;
    uint64_t calls;
    double median_ns, mean_ns, most_ns; /* per rank */
    int32_t most;                       /* index of that rank */
} wts_spread_t;

typedef enum { WTS_COLLECTIVE, WTS_SENDER, WTS_RECEIVER, WTS_PHASE, WTS_BARRIER } wts_kind_t;
extern const char *const wts_kinds[];

typedef struct {
    wts_kind_t kind;
    int32_t rank; /* index in `ranks`; -1: none alone */
    uint64_t ns;  /* that all ranks together have waited, or lost */
    double share; /* of the time of all ranks */
    char *text;
} wts_finding_t;

/* Messages from one rank to another, of which both ends are known. */
typedef struct {
    uint32_t from, to; /* index */
    uint64_t messages, bytes;
} wts_pair_t;

/* What a rank does on the critical path: the way back from the end of the job on which nobody
 * waits. In MPI that is doing, without waiting for other ranks; launching is from a kernel's or
 * copy's call to its begin, and between two of a stream. */
typedef enum { WTS_KERNEL, WTS_COPY, WTS_LAUNCH, WTS_MPI, WTS_HOST, WTS_PARTS } wts_part_kind_t;
extern const char *const wts_part_kinds[WTS_PARTS];

typedef struct {
    int32_t rank; /* index; -1: of all ranks */
    wts_part_kind_t kind;
    const char *name; /* of a kernel, or a function of MPI; else "" */
    uint64_t count, ns;
} wts_part_t;

typedef struct {
    uint64_t ns;              /* its length: from the end of MPI_Init of the rank where it begins */
    uint64_t changes;         /* of the rank */
    wts_part_t *parts, *sums; /* by rank, kind and name; by kind and name of all ranks; by time */
    size_t part_count, sum_count;
} wts_path_t;

typedef struct {
    wts_rank_t *ranks; /* in the order of the files */
    size_t rank_count;
    wts_collective_t *collectives; /* by total time */
    size_t collective_count;
    wts_spread_t *kernels, *phases; /* by time; phases: without MPI inside */
    size_t kernel_count, phase_count;
    wts_finding_t *findings; /* by time */
    size_t finding_count;
    wts_path_t path;
    wts_pair_t *pairs; /* by ranks */
    size_t pair_count, pair_room;
    uint64_t total_ns;       /* of all ranks, from MPI_Init to MPI_Finalize */
    uint64_t instances;      /* collectives of at least two ranks */
    bool mapped;             /* times were changed to one clock for several nodes... */
    uint64_t clock_error_ns; /* ...and are off by so much at most, unless... */
    bool clocks_guessed;     /* ...some are by the times of day alone, or not known */
    uint64_t unmatched;      /* messages of which one end is in no database */
    uint64_t missing;        /* ranks of MPI_COMM_WORLD that have no database */
    struct wts_names *names; /* own */
} wts_t;

/* Which ranks are there twice is told if `tell`. 0, or -1 with the reason told. To be freed in both
 * cases. */
int wts_read(wts_t *w, const rocpd_files_t *files, bool tell);
void wts_free(wts_t *w);

#endif
