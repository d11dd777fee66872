/* bridge.h - what the parts of the bridge know of each other: functions by number, in tables. */
#ifndef CROCPROF_MPI_BRIDGE_H
#define CROCPROF_MPI_BRIDGE_H

#include <stdbool.h>

#include "mpi/mpi_numbers.inc"

/* The functions that do the work: PMPI_NAME of C, and behind them pmpi_name_ of Fortran. */
extern void *mpi_real[2 * MPI_FUNCTIONS];

/* The wrappers for an implementation, in the same order, of abi.c. `find` looks a symbol up; false:
 * something that every wrapper needs is missing. */
extern void *const mpi_openmpi_entries[2 * MPI_FUNCTIONS];
extern void *const mpi_mpich_entries[2 * MPI_FUNCTIONS];
bool mpi_openmpi_begin(void *(*find)(const char *symbol));
bool mpi_mpich_begin(void *(*find)(const char *symbol));

#endif
