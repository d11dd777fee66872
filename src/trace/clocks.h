/* clocks.h - the clocks of several nodes, and how a time of one node becomes a time of another.
 *
 * Each record has the time of its node's CLOCK_BOOTTIME. Stores and databases keep that time
 * unchanged, and beside it what was measured about the node's clock. A writer whose output shows
 * several nodes computes a plan from these facts (trace_clock_plan()) and converts each time as it
 * reads the record. Processes of one node, which is one boot of one system, are never moved against
 * each other. */
#ifndef CROCPROF_TRACE_CLOCKS_H
#define CROCPROF_TRACE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What --sync-clocks has measured at one moment. */
typedef struct {
    uint64_t reference; /* id of the reference clock, chosen at random by rank 0; 0: nothing was
                         * measured */
    uint64_t local_ns;  /* the moment, on the clock of this node */
    int64_t offset_ns;  /* added to `local_ns` this gives the time of the reference clock */
    uint64_t error_ns;  /* upper bound of the error of `offset_ns` */
} trace_clock_point_t;

enum { TRACE_CLOCK_TEXT = 96 };

/* Keys in a database's rocpd_metadata under which the two measurements of a process are kept. */
#define TRACE_CLOCK_TAG_BEGIN "clock_begin"
#define TRACE_CLOCK_TAG_END   "clock_end"

/* Writes a point in the text form that settings and databases keep. */
void trace_clock_put(const trace_clock_point_t *p, char text[TRACE_CLOCK_TEXT]);

/* Reads that text. Returns false, and a point without a reference, if the text has another form. */
bool trace_clock_read(const char *text, trace_clock_point_t *p);

/* One moment on CLOCK_BOOTTIME, the clock of the records, and on CLOCK_REALTIME, the time of
 * day. */
typedef struct {
    uint64_t boottime_ns, realtime_ns; /* 0: not known */
    uint64_t error_ns; /* bound of the error of the time of day that the kernel states where NTP or
                        * PTP keeps it; 0: not known */
} trace_clock_day_t;

/* Keys in a store's facts and in rocpd_metadata of what the kernel states about the time of day, at
 * the start and at the end: "sync MAXERROR_NS ESTERROR_NS", or "unsync". */
#define TRACE_CLOCK_TAG_NTP      "clock_ntp"
#define TRACE_CLOCK_TAG_NTP_LAST "clock_ntp_last"

enum { TRACE_CLOCK_NTP_TEXT = 64 };

/* Asks the kernel, and writes its answer; returns false where it does not tell. */
bool trace_clock_ask_ntp(char text[TRACE_CLOCK_NTP_TEXT]);
/* Returns the bound of the error in such a text; 0 if it has none. It has none, either, where what
 * keeps the clock has not stated both: systemd-timesyncd states 0 and 0, and phc2sys the bound 0,
 * which the kernel lets grow, while its estimate stays as large as it was at boot. */
uint64_t trace_clock_read_ntp(const char *text);

/* The facts about the clock of one process from which a plan is made. */
typedef struct {
    char boot[40]; /* boot id of the node; "": not known, and the plan converts no times at all */
    long rank;     /* -1: not known */
    trace_clock_day_t first, last;
    trace_clock_point_t begin, end;
    uint64_t last_ns; /* time of the last record, or 0 */
    bool has_mpi;     /* calls of MPI are kept by which clocks can be compared: clocks_mpi.h */
} trace_clock_facts_t;

typedef enum {
    TRACE_CLOCK_SAME, /* no conversion: this node's clock is the standard, or there is no other
                       * node */
    TRACE_CLOCK_PING, /* measured by --sync-clocks */
    TRACE_CLOCK_MPI,  /* bounded by messages and collectives of MPI */
    TRACE_CLOCK_DAY,  /* compared through the time of day, as good as NTP keeps it */
    TRACE_CLOCK_ALONE /* of another node, but nothing is known to convert by */
} trace_clock_source_t;

/* How times of a node are converted: `offset_ns` is added at the time `at_ns`, and `drift` ns more
 * for each ns after that time. */
typedef struct {
    trace_clock_source_t source;
    uint64_t at_ns;
    int64_t offset_ns;
    double drift;      /* 0.00005 means 50 ppm */
    uint64_t error_ns; /* the largest error of a time, provided that the drift is constant; for DAY
                        * 0 means that it is not known */
    bool drift_known;
    bool contradicted; /* messages of MPI contradict each other: no even drift explains them */
} trace_clock_map_t;

/* The drift of two clocks is less than this; where it is measured, up to TRACE_CLOCK_RATE_MOST is
 * believed. Oscillators of hosts differ by some 50 ppm, and NTP corrects a clock's rate by at most
 * 500 ppm, so that a larger one means that a clock was set. */
#define TRACE_CLOCK_RATE_ASSUMED 1e-4
#define TRACE_CLOCK_RATE_MOST    1e-3

/* Returns whether it is known how far off the times are at most. */
static inline bool trace_clock_bounded(const trace_clock_map_t *m)
{
    return m->source != TRACE_CLOCK_ALONE && (m->source != TRACE_CLOCK_DAY || m->error_ns);
}

static inline uint64_t trace_clock_map(const trace_clock_map_t *m, uint64_t ns)
{
    if (m->source == TRACE_CLOCK_SAME || m->source == TRACE_CLOCK_ALONE) return ns;
    const int64_t behind = (int64_t)(ns - m->at_ns);
    return ns + (uint64_t)m->offset_ns + (uint64_t)(int64_t)((double)behind * m->drift);
}

/* Fills in maps[i] for each process. Returns 1 if any of the maps changes times, 0 if none does, -1
 * without memory. */
int trace_clock_plan(const trace_clock_facts_t *facts, size_t count, trace_clock_map_t *maps);

/* Returns whether messages of MPI could make the plan better: there are some, and several nodes of
 * which one was not measured. */
bool trace_clock_wants_ends(const trace_clock_facts_t *facts, size_t count);
/* The same with these messages (clocks_mpi.h); NULL: none. They count for the nodes without a ping
 * whose times of day are not known to be better. */
struct trace_clock_ends;
int trace_clock_plan_by(const trace_clock_facts_t *facts, size_t count,
                        const struct trace_clock_ends *ends, trace_clock_map_t *maps);

/* Describes the map as outputs do for their processes: "clock of rank 0's node +1.250000000 s, 2.5
 * us off at most". */
void trace_clock_say(const trace_clock_map_t *m, char *text, size_t bytes);

#endif
