/* meetings.h - collectives of MPI by which the clocks of nodes are compared.
 *
 * No rank leaves a barrier, or another collective to which all ranks contribute and of which all
 * get something, before the last rank has come. So each end of it is later than each begin, on
 * whatever node, which bounds the difference of two nodes' clocks from both sides. Each process
 * keeps some of its collectives on MPI_COMM_WORLD, the first and the last ones, and the n-th is the
 * same in all processes. */
#ifndef CROCPROF_TRACE_MEETINGS_H
#define CROCPROF_TRACE_MEETINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/mpi.h"

enum { TRACE_MEETINGS_EACH = 16, TRACE_MEETINGS_MOST = 2 * TRACE_MEETINGS_EACH };

typedef struct {
    uint64_t begin_ns;
    uint32_t length_ns;
    uint32_t number; /* from 0: which of the process's meetings it is */
} trace_meeting_t;

/* The meetings of a process that are kept. */
typedef struct {
    uint32_t total; /* how many meetings there were */
    uint32_t count;
    trace_meeting_t rows[TRACE_MEETINGS_MOST]; /* sorted by number */
} trace_meetings_t;

/* Meetings while the records of a process are read. It is empty if all bytes are 0. */
typedef struct {
    trace_meeting_t first[TRACE_MEETINGS_EACH], last[TRACE_MEETINGS_EACH]; /* `last` is a ring */
    uint32_t total;
    bool whole; /* MPI_Init was the first call, so that the first meeting is number 0 */
    bool begun;
} trace_meeting_reader_t;

/* Takes a call of MPI. Calls have to come in the order of their begins. */
void trace_meeting_take(trace_meeting_reader_t *r, const trace_mpi_t *call);

/* Returns the text in which a database keeps the meetings, to be freed; NULL if there are none, or
 * without memory. */
char *trace_meetings_text(const trace_meeting_reader_t *r);

/* Key of that text in a database's rocpd_metadata. */
#define TRACE_MEETINGS_TAG "clock_meetings"

/* Reads the text. Returns false, and no meetings, if it has another form. */
bool trace_meetings_read(const char *text, trace_meetings_t *m);

/* A meeting of all processes of a node: the last begin and the first end. */
typedef struct {
    uint64_t begin_ns, end_ns;
    uint32_t number;
} trace_node_meeting_t;

/* It is empty if all bytes are 0. */
typedef struct {
    bool begun, torn; /* `torn`: its processes do not agree on how many meetings there were */
    uint32_t total;
    size_t count;
    trace_node_meeting_t rows[TRACE_MEETINGS_MOST];
} trace_node_meetings_t;

void trace_node_meetings_add(trace_node_meetings_t *n, const trace_meetings_t *m);

/* The difference of two clocks at one moment. */
typedef struct {
    uint64_t at_ns;    /* on the own clock */
    int64_t offset_ns; /* added to `at_ns` this gives the time of the other clock */
    uint64_t error_ns; /* upper bound of the error of `offset_ns` */
} trace_meeting_point_t;

/* Computes the difference of the clocks of `own` and `other` at the begin and at the end of the
 * job, if clocks part by less than `rate` (ns for each ns) in the time of a few meetings. Returns
 * how many points there are, 0 to 2. */
int trace_meetings_compare(const trace_node_meetings_t *own, const trace_node_meetings_t *other,
                           double rate, trace_meeting_point_t points[2]);

#endif
