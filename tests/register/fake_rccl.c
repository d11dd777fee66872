/* fake_rccl.c - an RCCL that registers nothing, as Debian's: some functions of the many. Its
 * collectives do nothing. */
#include <rocprofiler-sdk/rccl/details/rccl.h>

__attribute__((visibility("default"))) ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclGetVersion(int *version)
{
    *version = 22205;
    return ncclSuccess;
}

__attribute__((visibility("default"))) ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks,
                                                                     ncclUniqueId id, int rank);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    *comm = (ncclComm_t)(size_t)(1000 * ranks + 10 * rank + id.internal[127]);
    return ncclSuccess;
}

#pragma GCC diagnostic ignored "-Wunused-parameter" /* they do nothing with what they are given */
#define NOTHING(name, ...)                                                                         \
    __attribute__((visibility("default"))) ncclResult_t name(__VA_ARGS__);                         \
    ncclResult_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        return ncclSuccess;                                                                        \
    }
NOTHING(ncclAllReduce, const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op,
        ncclComm_t comm, hipStream_t stream)
NOTHING(ncclAllGather, const void *in, void *out, size_t count, ncclDataType_t type,
        ncclComm_t comm, hipStream_t stream)
NOTHING(ncclBroadcast, const void *in, void *out, size_t count, ncclDataType_t type, int root,
        ncclComm_t comm, hipStream_t stream)
NOTHING(ncclSend, const void *in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
        hipStream_t stream)

/* The handle says rank and size: those of ncclCommInitRank, or of what was split off. */
__attribute__((visibility("default"))) ncclResult_t
ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *half, ncclConfig_t *config);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *half,
                           ncclConfig_t *config)
{
    const size_t rank = (size_t)comm % 1000 / 10, size = (size_t)comm / 1000;
    (void)color, (void)key, (void)config;
    *half = (ncclComm_t)(size / 2 * 1000 + rank / 2 * 10 + 1);
    return ncclSuccess;
}

__attribute__((visibility("default"))) ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank)
{
    *rank = (int)((size_t)comm % 1000 / 10);
    return ncclSuccess;
}

__attribute__((visibility("default"))) ncclResult_t ncclCommCount(ncclComm_t comm, int *size);
ncclResult_t ncclCommCount(ncclComm_t comm, int *size)
{
    *size = (int)((size_t)comm / 1000);
    return ncclSuccess;
}
