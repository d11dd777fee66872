/* which.h - identifies an implementation of MPI by its library, before any of its handles is used:
 * handles are pointers in Open MPI and numbers in MPICH. A new one is a name in which.c. */
#ifndef CROCPROF_MPI_WHICH_H
#define CROCPROF_MPI_WHICH_H

typedef enum {
    MPI_IS_OTHER,
    MPI_IS_OPENMPI,
    MPI_IS_MPICH /* or one with its ABI: MVAPICH, Intel MPI, Cray MPICH */
} mpi_which_t;

/* Identifies the implementation. `find` looks up a symbol of the library, or returns NULL. MPI need
 * not be initialised. */
mpi_which_t mpi_which(void *(*find)(const char *symbol));

#endif
