/* clocks.h - clocks of several nodes, and how the times of one become those of another.
 *
 * Each record has the time of its node's CLOCK_BOOTTIME, and is kept so: stores and databases have
 * what was measured, and what is known of the clocks beside it. Outputs that show several nodes
 * have a plan made from these facts, and change each time by it as they read. Processes of one
 * node, which is one boot of one system, are never moved against each other. */
#ifndef CROCPROF_TRACE_CLOCKS_H
#define CROCPROF_TRACE_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What --sync-clocks has found at one moment. */
typedef struct {
    uint64_t reference; /* whose clock: chosen at random by rank 0; 0: nothing was found */
    uint64_t local_ns;  /* the moment, on the clock of this node */
    int64_t offset_ns;  /* what to add to that for the reference's clock */
    uint64_t error_ns;  /* by which the offset may be wrong at most */
} trace_clock_point_t;

enum { TRACE_CLOCK_TEXT = 96 };

/* Where databases keep the two points of a process, in rocpd_metadata. */
#define TRACE_CLOCK_TAG_BEGIN "clock_begin"
#define TRACE_CLOCK_TAG_END   "clock_end"

/* As text, as settings and databases keep it. */
void trace_clock_put(const trace_clock_point_t *p, char text[TRACE_CLOCK_TEXT]);

/* False, and a point without a reference, if the text is none. */
bool trace_clock_read(const char *text, trace_clock_point_t *p);

/* One moment on the clock of records and on that of people. */
typedef struct {
    uint64_t boottime_ns, realtime_ns; /* 0: not known */
} trace_clock_day_t;

/* What is known of a process's clock. */
typedef struct {
    char boot[40]; /* id of the boot, or "": then nothing is changed */
    long rank;     /* -1: not known */
    trace_clock_day_t first, last;
    trace_clock_point_t begin, end;
    uint64_t last_ns; /* of its records, or 0 */
} trace_clock_facts_t;

typedef enum {
    TRACE_CLOCK_SAME, /* the clock that the others are set by, or no other node */
    TRACE_CLOCK_PING, /* measured by --sync-clocks */
    TRACE_CLOCK_DAY,  /* by the times of day, which NTP keeps, or nothing does */
    TRACE_CLOCK_ALONE /* of another node, and nothing is known */
} trace_clock_source_t;

/* How times of a node change: `offset_ns` at `at_ns`, and so much more for each ns behind it. */
typedef struct {
    trace_clock_source_t source;
    uint64_t at_ns;
    int64_t offset_ns;
    double drift;      /* 0.00005: 50 ppm */
    uint64_t error_ns; /* of PING: no time is off by more, while drift is even */
    bool drift_known;
} trace_clock_map_t;

static inline uint64_t trace_clock_map(const trace_clock_map_t *m, uint64_t ns)
{
    if (m->source == TRACE_CLOCK_SAME || m->source == TRACE_CLOCK_ALONE) return ns;
    const int64_t behind = (int64_t)(ns - m->at_ns);
    return ns + (uint64_t)m->offset_ns + (uint64_t)(int64_t)((double)behind * m->drift);
}

/* Fills in maps[i] for each process. 1 if any of them changes times, 0 if none does, -1 without
 * memory. */
int trace_clock_plan(const trace_clock_facts_t *facts, size_t count, trace_clock_map_t *maps);

/* The map in words, as outputs say it of their processes: "clock of rank 0's node +1.250000000
 * s, 2.5 us off at most". */
void trace_clock_say(const trace_clock_map_t *m, char *text, size_t bytes);

#endif
