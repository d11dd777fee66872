/* Operation ids of the rocJPEG API.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_ROCJPEG_API_ID_H_
#define ROCPROFILER_SDK_ROCJPEG_API_ID_H_

/** Operations of rocJPEG tracing, named after their functions. LAST is one past the last. */
typedef enum rocprofiler_rocjpeg_api_id_t
{
    ROCPROFILER_ROCJPEG_API_ID_NONE = -1,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegStreamCreate = 0,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegStreamParse = 1,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegStreamDestroy = 2,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegCreate = 3,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegDestroy = 4,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegGetImageInfo = 5,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegDecode = 6,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegDecodeBatched = 7,
    ROCPROFILER_ROCJPEG_API_ID_rocJpegGetErrorName = 8,
    ROCPROFILER_ROCJPEG_API_ID_LAST = 9
} rocprofiler_rocjpeg_api_id_t;

#endif
