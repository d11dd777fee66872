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

#include "trace/meetings.h"

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
} trace_clock_day_t;

/* The facts about the clock of one process from which a plan is made. */
typedef struct {
    char boot[40]; /* boot id of the node; "": not known, and the plan converts no times at all */
    long rank;     /* -1: not known */
    trace_clock_day_t first, last;
    trace_clock_point_t begin, end;
    uint64_t last_ns; /* time of the last record, or 0 */
    trace_meetings_t meetings;
} trace_clock_facts_t;

/* ORDER: from the best knowledge to none. */
typedef enum {
    TRACE_CLOCK_SAME, /* no conversion: this node's clock is the standard, or there is no other
                       * node */
    TRACE_CLOCK_PING, /* measured by --sync-clocks */
    TRACE_CLOCK_MPI,  /* compared through collectives of MPI that were traced */
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
    uint64_t error_ns; /* for PING and MPI: the largest error of a time, provided that the drift is
                        * constant */
    bool drift_known;
} trace_clock_map_t;

/* Returns whether the map changes times. */
static inline bool trace_clock_changes(const trace_clock_map_t *m)
{
    return m->source != TRACE_CLOCK_SAME && m->source != TRACE_CLOCK_ALONE;
}

/* Returns whether `error_ns` is a bound of the error. */
static inline bool trace_clock_is_bounded(const trace_clock_map_t *m)
{
    return m->source <= TRACE_CLOCK_MPI;
}

static inline uint64_t trace_clock_map(const trace_clock_map_t *m, uint64_t ns)
{
    if (!trace_clock_changes(m)) return ns;
    const int64_t behind = (int64_t)(ns - m->at_ns);
    return ns + (uint64_t)m->offset_ns + (uint64_t)(int64_t)((double)behind * m->drift);
}

/* Fills in maps[i] for each process. Returns 1 if any of the maps changes times, 0 if none does, -1
 * without memory. */
int trace_clock_plan(const trace_clock_facts_t *facts, size_t count, trace_clock_map_t *maps);

/* Describes the map as outputs do for their processes: "clock of rank 0's node +1.250000000 s, 2.5
 * us off at most". */
void trace_clock_say(const trace_clock_map_t *m, char *text, size_t bytes);

#endif
