/* Operation ids of the hipFile API.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_HIPFILE_API_ID_H_
#define ROCPROFILER_SDK_HIPFILE_API_ID_H_

/** Operations of hipFile tracing, named after their functions. LAST is one past the last. */
typedef enum rocprofiler_hipfile_api_id_t
{
    ROCPROFILER_HIPFILE_API_ID_NONE = -1,
    ROCPROFILER_HIPFILE_API_ID_hipFileGetOpErrorString = 0,
    ROCPROFILER_HIPFILE_API_ID_hipFileHandleRegister = 1,
    ROCPROFILER_HIPFILE_API_ID_hipFileHandleDeregister = 2,
    ROCPROFILER_HIPFILE_API_ID_hipFileBufRegister = 3,
    ROCPROFILER_HIPFILE_API_ID_hipFileBufDeregister = 4,
    ROCPROFILER_HIPFILE_API_ID_hipFileRead = 5,
    ROCPROFILER_HIPFILE_API_ID_hipFileWrite = 6,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverOpen = 7,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverClose = 8,
    ROCPROFILER_HIPFILE_API_ID_hipFileUseCount = 9,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverGetProperties = 10,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverSetPollMode = 11,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverSetMaxDirectIOSize = 12,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverSetMaxCacheSize = 13,
    ROCPROFILER_HIPFILE_API_ID_hipFileDriverSetMaxPinnedMemSize = 14,
    ROCPROFILER_HIPFILE_API_ID_hipFileBatchIOSetUp = 15,
    ROCPROFILER_HIPFILE_API_ID_hipFileBatchIOSubmit = 16,
    ROCPROFILER_HIPFILE_API_ID_hipFileBatchIOGetStatus = 17,
    ROCPROFILER_HIPFILE_API_ID_hipFileBatchIOCancel = 18,
    ROCPROFILER_HIPFILE_API_ID_hipFileBatchIODestroy = 19,
    ROCPROFILER_HIPFILE_API_ID_hipFileReadAsync = 20,
    ROCPROFILER_HIPFILE_API_ID_hipFileWriteAsync = 21,
    ROCPROFILER_HIPFILE_API_ID_hipFileStreamRegister = 22,
    ROCPROFILER_HIPFILE_API_ID_hipFileStreamDeregister = 23,
    ROCPROFILER_HIPFILE_API_ID_hipFileGetVersion = 24,
    ROCPROFILER_HIPFILE_API_ID_hipFileGetParameterSizeT = 25,
    ROCPROFILER_HIPFILE_API_ID_hipFileGetParameterBool = 26,
    ROCPROFILER_HIPFILE_API_ID_hipFileGetParameterString = 27,
    ROCPROFILER_HIPFILE_API_ID_hipFileSetParameterSizeT = 28,
    ROCPROFILER_HIPFILE_API_ID_hipFileSetParameterBool = 29,
    ROCPROFILER_HIPFILE_API_ID_hipFileSetParameterString = 30,
    ROCPROFILER_HIPFILE_API_ID_LAST = 31
} rocprofiler_hipfile_api_id_t;

#endif
