/* Arguments and results of traced ROCJPEG functions.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_ROCJPEG_API_ARGS_H_
#define ROCPROFILER_SDK_ROCJPEG_API_ARGS_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/rocjpeg/details/rocjpeg.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_rocjpeg_api_no_args
{
    char empty;
} rocprofiler_rocjpeg_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_rocjpeg_api_retval_t
{
    int32_t rocJpegStatus_retval;
    const char *const_charp_retval;
} rocprofiler_rocjpeg_api_retval_t;

/** Arguments of a traced ROCJPEG call; the member is named after the function.
 * Pointers are the caller's: what they point to may be read during the callback only. */
typedef union rocprofiler_rocjpeg_api_args_t
{
    struct
    {
        RocJpegBackend backend;
        int device_id;
        RocJpegHandle *handle;
    } rocJpegCreate;
    struct
    {
        RocJpegHandle handle;
        RocJpegStreamHandle jpeg_stream_handle;
        const RocJpegDecodeParams *decode_params;
        RocJpegImage *destination;
    } rocJpegDecode;
    struct
    {
        RocJpegHandle handle;
        RocJpegStreamHandle *jpeg_stream_handles;
        int batch_size;
        const RocJpegDecodeParams *decode_params;
        RocJpegImage *destinations;
    } rocJpegDecodeBatched;
    struct
    {
        RocJpegHandle handle;
    } rocJpegDestroy;
    struct
    {
        RocJpegStatus rocjpeg_status;
    } rocJpegGetErrorName;
    struct
    {
        RocJpegHandle handle;
        RocJpegStreamHandle jpeg_stream_handle;
        uint8_t *num_components;
        RocJpegChromaSubsampling *subsampling;
        uint32_t *widths;
        uint32_t *heights;
    } rocJpegGetImageInfo;
    struct
    {
        RocJpegStreamHandle *jpeg_stream_handle;
    } rocJpegStreamCreate;
    struct
    {
        RocJpegStreamHandle jpeg_stream_handle;
    } rocJpegStreamDestroy;
    struct
    {
        const unsigned char *data;
        size_t length;
        RocJpegStreamHandle jpeg_stream_handle;
    } rocJpegStreamParse;
} rocprofiler_rocjpeg_api_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
