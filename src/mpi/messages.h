/* messages.h - messages between the ranks of a job, by the MPI that the job was started with.
 *
 * For programs of ours that are ranks themselves. Nothing is linked with an MPI: its library is
 * loaded when it is asked for. Not for the bridge, which runs in the user's program. */
#ifndef CROCPROF_MPI_MESSAGES_H
#define CROCPROF_MPI_MESSAGES_H

#include <stddef.h>

/* Names the library to load, where its name is not one of those that messages.c knows. */
#define MPI_LIBRARY_VARIABLE "ROCPROF_MPI_LIBRARY"

/* Loads MPI and begins it. `expected`: how many ranks the launcher has started, or -1. 0, or -1
 * with the reason told. */
int mpi_messages_begin(long expected, long *rank, long *size);

/* Both wait for the other side. 0, or -1 with the reason told. */
int mpi_messages_send(long to, const char *bytes, size_t count);
/* The bytes, to be freed; NULL with the reason told. */
char *mpi_messages_receive(long from, size_t *count);

/* Ends MPI; every rank has to call it. */
void mpi_messages_end(void);

#endif
