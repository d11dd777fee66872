/* clocks_mpi.h - the clocks of several nodes, compared by calls of MPI.
 *
 * No rank can receive a message before its sender has begun to send it, and no rank leaves a
 * barrier before the last rank has come. So each message bounds the difference of two nodes' clocks
 * from one side, messages in both directions bound it from both sides, and bounds at different
 * times bound the drift. The ends are made where a store becomes a database (output/mpi_ends.h). */
#ifndef CROCPROF_TRACE_CLOCKS_MPI_H
#define CROCPROF_TRACE_CLOCKS_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/clocks.h"

/* Key in a database's rocpd_metadata under which ends are kept, in several rows. */
#define TRACE_CLOCK_TAG_MPI "clock_mpi"

/* The part of one process in a message or a collective, on the clock of its node: what ends at `to`
 * in one process cannot end before that which begins at `from` in any other one. */
typedef struct {
    uint64_t key;      /* the same in all processes that take part, and a hash */
    uint64_t from, to; /* in ns; 0: nothing of this kind */
} trace_clock_end_t;

enum {
    TRACE_CLOCK_ENDS_MOST = 512, /* of a process */
    TRACE_CLOCK_ENDS_TEXT = 7000 /* room for a row of ends, which fits into a database's page */
};

/* Removes rows until there are at most `most`, and returns how many are left. A row has `bytes`
 * bytes and begins with an end. Which ones remain depends on their keys, so that all processes keep
 * the same messages as far as they keep as many: the keys of those that remain have no bits of
 * *mask, which is 0 at first and grows. */
size_t trace_clock_ends_thin(void *rows, size_t count, size_t bytes, size_t most, uint64_t *mask);

/* Writes as many ends as fit as one row, with the rank of the process in MPI_COMM_WORLD and the
 * size of that. Returns how many were written. */
size_t trace_clock_ends_put(const trace_clock_end_t *ends, size_t count, int32_t rank, int32_t size,
                            char text[TRACE_CLOCK_ENDS_TEXT]);

/* The ends of all processes. */
typedef struct {
    trace_clock_end_t end;
    uint32_t process; /* index in the facts of the plan */
} trace_clock_row_t;

typedef struct trace_clock_ends {
    trace_clock_row_t *rows;
    size_t count, room;
    struct {
        uint32_t process;
        int32_t rank, size;
        size_t first;  /* index of its first row */
        uint64_t mask; /* bits which no key of its rows has */
    } * ranks;         /* of the processes with ends, in the order in which they were added */
    size_t rank_count;
} trace_clock_ends_t;

/* Adds a row of a process, of which at most `most` ends are kept. All rows of a process have to be
 * added one after the other, and what is kept does not depend on their order. A text of another
 * form is ignored. Returns false without memory. */
bool trace_clock_ends_add(trace_clock_ends_t *e, uint32_t process, const char *text, size_t most);
void trace_clock_ends_free(trace_clock_ends_t *e);

/* How many ends of each of so many processes are kept, so that memory is bounded. */
size_t trace_clock_ends_share(size_t processes);

/* How the clock of a node relates to that of node 0. */
typedef struct {
    enum { TRACE_CLOCK_UNRELATED, TRACE_CLOCK_RELATED, TRACE_CLOCK_CONTRADICTED } state;
    trace_clock_map_t map; /* if it is related */
} trace_clock_link_t;

/* A node: when its processes ran, on its clock. */
typedef struct {
    uint64_t first, last;
} trace_clock_span_t;

/* Relates `count` nodes to node 0; nodes[p] is the node of process p. A node without messages to or
 * from node 0 is related by way of others, along which the sum of the errors is least. The result
 * does not depend on the order of the ends. Returns false without memory. */
bool trace_clock_relate(const trace_clock_ends_t *e, const uint32_t *nodes,
                        const trace_clock_span_t *spans, size_t count, trace_clock_link_t *links);

#endif
