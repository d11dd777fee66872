/* messages_abi.c - messages by one implementation of MPI: compiled for each, with its mpi.h.
 *
 * Its functions are looked up in the library that was loaded; of mpi.h only types and constants are
 * used. */
#include <mpi.h>

#include <stddef.h>

#include "mpi/messages_abi.h"

enum { TAG = 33 };

static struct {
    __typeof__(MPI_Init) *init;
    __typeof__(MPI_Comm_rank) *comm_rank;
    __typeof__(MPI_Comm_size) *comm_size;
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Recv) *recv;
    __typeof__(MPI_Finalize) *finalize;
    void *world, *byte; /* Open MPI's handles are addresses of the library's data */
} abi;

#ifdef OPEN_MPI
#define MESSAGES mpi_openmpi_messages
#undef MPI_COMM_WORLD
#undef MPI_BYTE
#define MPI_COMM_WORLD ((MPI_Comm)abi.world)
#define MPI_BYTE       ((MPI_Datatype)abi.byte)
#else
#define MESSAGES mpi_mpich_messages
#endif

static bool load(void *(*find)(const char *symbol))
{
#define FIND(member, symbol) (*(void **)&abi.member = find(symbol))
#ifdef OPEN_MPI
    if (!FIND(world, "ompi_mpi_comm_world") || !FIND(byte, "ompi_mpi_byte")) return false;
#endif
    return FIND(init, "MPI_Init") && FIND(comm_rank, "MPI_Comm_rank") &&
           FIND(comm_size, "MPI_Comm_size") && FIND(send, "MPI_Send") && FIND(recv, "MPI_Recv") &&
           FIND(finalize, "MPI_Finalize");
#undef FIND
}

static bool begin(int *rank, int *size)
{
    return abi.init(NULL, NULL) == MPI_SUCCESS &&
           abi.comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           abi.comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

static bool send(const void *bytes, int count, int to)
{
    return abi.send(bytes, count, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool receive(void *bytes, int count, int from)
{
    return abi.recv(bytes, count, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

static void end(void)
{
    abi.finalize();
}

const mpi_messages_abi_t MESSAGES = {load, begin, send, receive, end};
