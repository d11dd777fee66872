/* rccl.c - a program of RCCL; ends with 0 if all that was passed arrived. */
#include <rocprofiler-sdk/rccl/details/rccl.h>

#include <stddef.h>

ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclCommFinalize(ncclComm_t comm) __attribute__((weak));
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);

int main(void)
{
    ncclUniqueId id = {{0}};
    ncclComm_t comm = NULL;
    int version = 0;
    id.internal[127] = 7;
    if (ncclGetVersion(&version) != ncclSuccess || version != 22205) return 1;
    if (ncclCommInitRank(&comm, 4, id, 3) != ncclSuccess || (size_t)comm != 4037) return 2;
    if (ncclCommFinalize) return 3; /* which it lacks */
    return 0;
}
