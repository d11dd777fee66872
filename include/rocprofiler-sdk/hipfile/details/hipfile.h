/* Types of hipFile's functions: from hipFile's own header if it is installed; otherwise the part of
 * them that the arguments use. */
#ifndef ROCPROFILER_SDK_HIPFILE_DETAILS_HIPFILE_H_
#define ROCPROFILER_SDK_HIPFILE_DETAILS_HIPFILE_H_

#include <rocprofiler-sdk/hip/api_args.h>

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<hipfile.h>)
#include <hipfile.h>
#define ROCPROFILER_HIPFILE_TYPES 1
#endif
#endif

#if !defined(ROCPROFILER_HIPFILE_TYPES)
typedef off_t hoff_t;
/* Errors begin above 5000; their names are in hipFile's header. */
typedef enum { hipFileSuccess = 0, hipFileDriverNotInitialized = 5001 } hipFileOpError_t;
typedef struct hipFileError {
    hipFileOpError_t err;
    hipError_t hip_drv_err;
} hipFileError_t;
/* The other parameters are in hipFile's header. */
typedef enum { hipFileSizeTConfigParameterNone = -1 } hipFileSizeTConfigParameter_t;
typedef enum { hipFileBoolConfigParameterNone = -1 } hipFileBoolConfigParameter_t;
typedef enum { hipFileStringConfigParameterNone = -1 } hipFileStringConfigParameter_t;
typedef void *hipFileHandle_t;
typedef void *hipFileBatchHandle_t;
typedef struct hipFileDescr hipFileDescr_t;
typedef struct hipFileDriverProps hipFileDriverProps_t;
typedef struct hipFileIOParams hipFileIOParams_t;
typedef struct hipFileIOEvents hipFileIOEvents_t;
#endif

#endif
