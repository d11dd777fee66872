/* bridge.h - the tables of functions, by number, that the files of the bridge share. */
#ifndef CROCPROF_MPI_BRIDGE_H
#define CROCPROF_MPI_BRIDGE_H

#include <stdbool.h>

#include "mpi/mpi_numbers.inc"

/* MPI's own functions: PMPI_NAME of C, followed by pmpi_name_ of Fortran. */
extern void *mpi_real[2 * MPI_FUNCTIONS];

/* The wrappers for an implementation, in the same order, from abi.c. `find` looks up a symbol; the
 * result is false if a symbol that every wrapper needs is missing. */
extern void *const mpi_openmpi_entries[2 * MPI_FUNCTIONS];
extern void *const mpi_mpich_entries[2 * MPI_FUNCTIONS];
bool mpi_openmpi_begin(void *(*find)(const char *symbol));
bool mpi_mpich_begin(void *(*find)(const char *symbol));

#endif
