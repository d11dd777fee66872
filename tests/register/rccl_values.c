/* rccl_values.c - one rank of a program of RCCL whose calls say what bytes they move, for rccl.py:
 * rccl_values RANK SIZE. Debian's RCCL needs GPUs that it knows; fake_rccl.c stands in for it. */
#include <rocprofiler-sdk/rccl/details/rccl.h>

#include <stdlib.h>

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
                           ncclConfig_t *config);
ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, hipStream_t stream);
ncclResult_t ncclAllGather(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclComm_t comm, hipStream_t stream);
ncclResult_t ncclBroadcast(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, hipStream_t stream);
ncclResult_t ncclSend(const void *in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      hipStream_t stream);

int main(int argc, char **argv)
{
    ncclUniqueId id = {{0}};
    ncclComm_t comm = NULL, half = NULL;
    const int rank = atoi(argv[argc > 2]), size = atoi(argv[2 * (argc > 2)]);
    id.internal[127] = 7;
    if (ncclCommInitRank(&comm, size, id, rank) != ncclSuccess) return 1;
    ncclAllReduce(NULL, NULL, 100, ncclFloat32, ncclSum, comm, NULL);
    ncclAllGather(NULL, NULL, 10, ncclFloat64, comm, NULL);
    ncclBroadcast(NULL, NULL, 8, ncclBfloat16, 1, comm, NULL);
    ncclSend(NULL, 3, ncclInt8, (rank + 1) % size, comm, NULL);
    ncclCommSplit(comm, rank % 2, rank, &half, NULL);
    ncclAllReduce(NULL, NULL, 1, ncclFloat16, ncclSum, half, NULL);
    return 0;
}
