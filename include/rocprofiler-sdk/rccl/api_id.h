/* Operation ids of the RCCL API.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_RCCL_API_ID_H_
#define ROCPROFILER_SDK_RCCL_API_ID_H_

/** Operations of RCCL tracing, named after their functions. LAST is one past the last. */
typedef enum rocprofiler_rccl_api_id_t
{
    ROCPROFILER_RCCL_API_ID_NONE = -1,
    ROCPROFILER_RCCL_API_ID_ncclAllGather = 0,
    ROCPROFILER_RCCL_API_ID_ncclAllReduce = 1,
    ROCPROFILER_RCCL_API_ID_ncclAllToAll = 2,
    ROCPROFILER_RCCL_API_ID_ncclAllToAllv = 3,
    ROCPROFILER_RCCL_API_ID_ncclBroadcast = 4,
    ROCPROFILER_RCCL_API_ID_ncclGather = 5,
    ROCPROFILER_RCCL_API_ID_ncclReduce = 6,
    ROCPROFILER_RCCL_API_ID_ncclReduceScatter = 7,
    ROCPROFILER_RCCL_API_ID_ncclScatter = 8,
    ROCPROFILER_RCCL_API_ID_ncclSend = 9,
    ROCPROFILER_RCCL_API_ID_ncclRecv = 10,
    ROCPROFILER_RCCL_API_ID_ncclRedOpCreatePreMulSum = 11,
    ROCPROFILER_RCCL_API_ID_ncclRedOpDestroy = 12,
    ROCPROFILER_RCCL_API_ID_ncclGroupStart = 13,
    ROCPROFILER_RCCL_API_ID_ncclGroupEnd = 14,
    ROCPROFILER_RCCL_API_ID_ncclGetVersion = 15,
    ROCPROFILER_RCCL_API_ID_ncclGetUniqueId = 16,
    ROCPROFILER_RCCL_API_ID_ncclCommInitRank = 17,
    ROCPROFILER_RCCL_API_ID_ncclCommInitAll = 18,
    ROCPROFILER_RCCL_API_ID_ncclCommInitRankConfig = 19,
    ROCPROFILER_RCCL_API_ID_ncclCommFinalize = 20,
    ROCPROFILER_RCCL_API_ID_ncclCommDestroy = 21,
    ROCPROFILER_RCCL_API_ID_ncclCommAbort = 22,
    ROCPROFILER_RCCL_API_ID_ncclCommSplit = 23,
    ROCPROFILER_RCCL_API_ID_ncclGetErrorString = 24,
    ROCPROFILER_RCCL_API_ID_ncclGetLastError = 25,
    ROCPROFILER_RCCL_API_ID_ncclCommGetAsyncError = 26,
    ROCPROFILER_RCCL_API_ID_ncclCommCount = 27,
    ROCPROFILER_RCCL_API_ID_ncclCommCuDevice = 28,
    ROCPROFILER_RCCL_API_ID_ncclCommUserRank = 29,
    ROCPROFILER_RCCL_API_ID_ncclMemAlloc = 30,
    ROCPROFILER_RCCL_API_ID_ncclMemFree = 31,
    ROCPROFILER_RCCL_API_ID_mscclLoadAlgo = 32,
    ROCPROFILER_RCCL_API_ID_mscclRunAlgo = 33,
    ROCPROFILER_RCCL_API_ID_mscclUnloadAlgo = 34,
    ROCPROFILER_RCCL_API_ID_ncclCommRegister = 35,
    ROCPROFILER_RCCL_API_ID_ncclCommDeregister = 36,
    ROCPROFILER_RCCL_API_ID_LAST = 37
} rocprofiler_rccl_api_id_t;

#endif
