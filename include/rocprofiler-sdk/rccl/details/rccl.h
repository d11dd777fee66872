/* Types of RCCL's functions: from RCCL's own header if it is installed; otherwise the part of them
 * that the arguments use. */
#ifndef ROCPROFILER_SDK_RCCL_DETAILS_RCCL_H_
#define ROCPROFILER_SDK_RCCL_DETAILS_RCCL_H_

#include <rocprofiler-sdk/hip/api_args.h>

#if defined(__has_include)
#if __has_include(<rccl/rccl.h>)
#include <rccl/rccl.h>
#endif
#endif

#if !defined(NCCL_VERSION_CODE)
typedef struct ncclComm *ncclComm_t;
typedef struct {
    char internal[128];
} ncclUniqueId;
typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7
} ncclResult_t;
typedef enum {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
    ncclMaxRedOp = 0x7fffffff
} ncclRedOp_t;
typedef enum {
    ncclInt8 = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclFloat32 = 7,
    ncclFloat64 = 8,
    ncclBfloat16 = 9
} ncclDataType_t;
typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;
#endif

/* Since RCCL 2.14. */
#if !defined(NCCL_VERSION_CODE) || NCCL_VERSION_CODE < 21400
typedef struct ncclConfig ncclConfig_t;
#endif

/* This type is the same in every version of RCCL that has it. */
typedef int mscclAlgoHandle_t;

#endif
