/* messages_abi.h - the functions of an implementation of MPI that messages.c uses; messages_abi.c
 * defines them for each. Ranks are those of MPI_COMM_WORLD. */
#ifndef CROCPROF_MPI_MESSAGES_ABI_H
#define CROCPROF_MPI_MESSAGES_ABI_H

#include <stdbool.h>

typedef struct {
    /* returns false if the library lacks a function */
    bool (*load)(void *(*find)(const char *symbol));
    bool (*begin)(int *rank, int *size);
    bool (*send)(const void *bytes, int count, int to);
    bool (*receive)(void *bytes, int count, int from);
    void (*end)(void);
} mpi_messages_abi_t;

extern const mpi_messages_abi_t mpi_openmpi_messages, mpi_mpich_messages;

#endif
