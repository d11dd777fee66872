/* messages.h - messages between the ranks of a job, by the MPI that the job was started with.
 *
 * These are for programs of this project that are ranks themselves, not for the bridge, which runs
 * in the user's program. They are not linked with an MPI; its library is loaded when it is
 * needed. */
#ifndef CROCPROF_MPI_MESSAGES_H
#define CROCPROF_MPI_MESSAGES_H

#include <stddef.h>

/* Variable that names the library to load, if it has another name than those in messages.c. */
#define MPI_LIBRARY_VARIABLE "ROCPROF_MPI_LIBRARY"

/* Loads and initialises MPI. `expected` is the number of ranks that the launcher has started, or
 * -1. Returns 0, or -1 after reporting the reason. */
int mpi_messages_begin(long expected, long *rank, long *size);

/* Sends bytes; this and the next function wait for the other side. Returns 0, or -1 after reporting
 * the reason. */
int mpi_messages_send(long to, const char *bytes, size_t count);
/* Returns the bytes, to be freed; NULL after reporting the reason. */
char *mpi_messages_receive(long from, size_t *count);

/* Ends MPI; every rank has to call this. */
void mpi_messages_end(void);

#endif
