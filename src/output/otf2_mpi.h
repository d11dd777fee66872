/* otf2_mpi.h - calls of MPI in an archive: messages, collectives, communicators.
 *
 * They are apart from otf2.c because they need definitions of their own: groups and communicators,
 * whose members are ranks, and for each rank the location that stands for it. This file is only
 * built if the library was found. */
#ifndef CROCPROF_OUTPUT_OTF2_MPI_H
#define CROCPROF_OUTPUT_OTF2_MPI_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "model/numbers.h"
#include "trace/mpi.h"

typedef struct {
    uint64_t id;
    uint32_t *members; /* ranks in MPI_COMM_WORLD; NULL: all, or the process alone */
    uint32_t count;
} otf2_communicator_t;

typedef struct {
    uint64_t *locations; /* by rank: number of its location, from 1; 0: the rank is not in the
                          * archive */
    size_t location_room;
    uint32_t size; /* of MPI_COMM_WORLD */
    otf2_communicator_t *communicators;
    size_t count;
    out_numbers_t by_id;   /* index + 1 by id */
    trace_mpi_t **pending; /* records of calls that have not ended; NULL: unused */
    size_t pending_count;
    bool alone; /* the archive has one rank only, so that there are no events for messages with
                 * others */
    OTF2_ErrorCode error; /* the first error */
} otf2_mpi_t;

/* To be called after the begin of the region, which is at the location with this number, counted
 * from 1. Adds the number of events to *events. Returns the number of the call, from 1, if there
 * are events at its end; else 0. */
uint32_t otf2_mpi_begins(otf2_mpi_t *m, OTF2_EvtWriter *w, uint64_t location, const trace_mpi_t *r,
                         uint64_t *events);
/* To be called before the end of the region, with the number that otf2_mpi_begins() has
 * returned. */
void otf2_mpi_ends(otf2_mpi_t *m, OTF2_EvtWriter *w, uint32_t pending, uint64_t *events);

/* Returns the number of ranks without a location. They get a location without events, numbered
 * after all others. */
uint32_t otf2_mpi_missing(const otf2_mpi_t *m);
/* Writes groups and communicators. `text` returns the number of a name; if `define` is false, only
 * the numbers are requested. `next` is the number of the first location of a missing rank. */
void otf2_mpi_define(otf2_mpi_t *m, OTF2_GlobalDefWriter *w, uint64_t next,
                     uint32_t (*text)(void *data, const char *name), void *data, bool define);

void otf2_mpi_free(otf2_mpi_t *m);

#endif
