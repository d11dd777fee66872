/* fake_rccl.c - an RCCL that registers nothing, as Debian's: two functions of the many. */
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
