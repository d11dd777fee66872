/* Arguments and results of traced RCCL functions.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_RCCL_API_ARGS_H_
#define ROCPROFILER_SDK_RCCL_API_ARGS_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/rccl/details/rccl.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_rccl_api_no_args
{
    char empty;
} rocprofiler_rccl_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_rccl_api_retval_t
{
    int32_t ncclResult_t_retval;
    const char *const_charp_retval;
} rocprofiler_rccl_api_retval_t;

/** Arguments of a traced RCCL call; the member is named after the function.
 * Pointers are the caller's: what they point to may be read during the callback only. */
typedef union rocprofiler_rccl_api_args_t
{
    struct
    {
        const char *mscclAlgoFilePath;
        mscclAlgoHandle_t *mscclAlgoHandle;
        int rank;
    } mscclLoadAlgo;
    struct
    {
        const void *sendBuff;
        const size_t *sendCounts;
        const size_t *sDisPls;
        void *recvBuff;
        const size_t *recvCounts;
        const size_t *rDisPls;
        size_t count;
        ncclDataType_t dataType;
        int root;
        int peer;
        ncclRedOp_t op;
        mscclAlgoHandle_t mscclAlgoHandle;
        ncclComm_t comm;
        hipStream_t stream;
    } mscclRunAlgo;
    struct
    {
        mscclAlgoHandle_t mscclAlgoHandle;
    } mscclUnloadAlgo;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t sendcount;
        ncclDataType_t datatype;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclAllGather;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t count;
        ncclDataType_t datatype;
        ncclRedOp_t op;
        struct ncclComm *comm;
        hipStream_t stream;
    } ncclAllReduce;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t count;
        ncclDataType_t datatype;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclAllToAll;
    struct
    {
        const void *sendbuff;
        const size_t *sendcounts;
        const size_t *sdispls;
        void *recvbuff;
        const size_t *recvcounts;
        const size_t *rdispls;
        ncclDataType_t datatype;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclAllToAllv;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t count;
        ncclDataType_t datatype;
        int root;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclBroadcast;
    struct
    {
        ncclComm_t comm;
    } ncclCommAbort;
    struct
    {
        ncclComm_t comm;
        int *count;
    } ncclCommCount;
    struct
    {
        ncclComm_t comm;
        int *devid;
    } ncclCommCuDevice;
    struct
    {
        ncclComm_t comm;
        void *handle;
    } ncclCommDeregister;
    struct
    {
        ncclComm_t comm;
    } ncclCommDestroy;
    struct
    {
        ncclComm_t comm;
    } ncclCommFinalize;
    struct
    {
        ncclComm_t comm;
        ncclResult_t *asyncError;
    } ncclCommGetAsyncError;
    struct
    {
        ncclComm_t *comms;
        int ndev;
        const int *devlist;
    } ncclCommInitAll;
    struct
    {
        ncclComm_t *newcomm;
        int nranks;
        ncclUniqueId commId;
        int myrank;
    } ncclCommInitRank;
    struct
    {
        ncclComm_t *comm;
        int nranks;
        ncclUniqueId commId;
        int myrank;
        ncclConfig_t *config;
    } ncclCommInitRankConfig;
    struct
    {
        ncclComm_t comm;
        void *buff;
        size_t size;
        void **handle;
    } ncclCommRegister;
    struct
    {
        ncclComm_t comm;
        int color;
        int key;
        ncclComm_t *newcomm;
        ncclConfig_t *config;
    } ncclCommSplit;
    struct
    {
        ncclComm_t comm;
        int *rank;
    } ncclCommUserRank;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t sendcount;
        ncclDataType_t datatype;
        int root;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclGather;
    struct
    {
        ncclResult_t code;
    } ncclGetErrorString;
    struct
    {
        ncclComm_t comm;
    } ncclGetLastError;
    struct
    {
        ncclUniqueId *out;
    } ncclGetUniqueId;
    struct
    {
        int *version;
    } ncclGetVersion;
    struct
    {
        rocprofiler_rccl_api_no_args no_args;
    } ncclGroupEnd;
    struct
    {
        rocprofiler_rccl_api_no_args no_args;
    } ncclGroupStart;
    struct
    {
        void **ptr;
        size_t size;
    } ncclMemAlloc;
    struct
    {
        void *ptr;
    } ncclMemFree;
    struct
    {
        void *recvbuff;
        size_t count;
        ncclDataType_t datatype;
        int peer;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclRecv;
    struct
    {
        ncclRedOp_t *op;
        void *scalar;
        ncclDataType_t datatype;
        ncclScalarResidence_t residence;
        ncclComm_t comm;
    } ncclRedOpCreatePreMulSum;
    struct
    {
        ncclRedOp_t op;
        ncclComm_t comm;
    } ncclRedOpDestroy;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t count;
        ncclDataType_t datatype;
        ncclRedOp_t op;
        int root;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclReduce;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t recvcount;
        ncclDataType_t datatype;
        ncclRedOp_t op;
        struct ncclComm *comm;
        hipStream_t stream;
    } ncclReduceScatter;
    struct
    {
        const void *sendbuff;
        void *recvbuff;
        size_t recvcount;
        ncclDataType_t datatype;
        int root;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclScatter;
    struct
    {
        const void *sendbuff;
        size_t count;
        ncclDataType_t datatype;
        int peer;
        ncclComm_t comm;
        hipStream_t stream;
    } ncclSend;
} rocprofiler_rccl_api_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
