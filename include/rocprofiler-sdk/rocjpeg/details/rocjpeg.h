/* Types of rocJPEG's functions: from rocJPEG's own header if it is installed; otherwise the part of
 * them that the arguments use. */
#ifndef ROCPROFILER_SDK_ROCJPEG_DETAILS_ROCJPEG_H_
#define ROCPROFILER_SDK_ROCJPEG_DETAILS_ROCJPEG_H_

#if defined(__has_include)
#if __has_include(<rocjpeg/rocjpeg.h>)
#include <rocjpeg/rocjpeg.h>
#define ROCPROFILER_ROCJPEG_TYPES 1
#endif
#endif

#if !defined(ROCPROFILER_ROCJPEG_TYPES)
/* Errors are negative; their names are in rocJPEG's header. */
typedef enum { ROCJPEG_STATUS_NOT_INITIALIZED = -1, ROCJPEG_STATUS_SUCCESS = 0 } RocJpegStatus;
typedef enum { ROCJPEG_BACKEND_HARDWARE = 0, ROCJPEG_BACKEND_HYBRID = 1 } RocJpegBackend;
typedef enum { ROCJPEG_CSS_444 = 0 } RocJpegChromaSubsampling;
typedef void *RocJpegStreamHandle;
typedef void *RocJpegHandle;
typedef struct RocJpegDecodeParams RocJpegDecodeParams;
typedef struct RocJpegImage RocJpegImage;
#endif

#endif
