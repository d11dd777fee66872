/* Arguments and results of traced HIPFILE functions.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_HIPFILE_API_ARGS_H_
#define ROCPROFILER_SDK_HIPFILE_API_ARGS_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/hipfile/details/hipfile.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_hipfile_api_no_args
{
    char empty;
} rocprofiler_hipfile_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_hipfile_api_retval_t
{
    const char *const_charp_retval;
    hipFileError_t hipFileError_t_retval;
    ssize_t ssize_t_retval;
    int64_t int64_t_retval;
} rocprofiler_hipfile_api_retval_t;

/** Arguments of a traced HIPFILE call; the member is named after the function.
 * Pointers are the caller's: what they point to may be read during the callback only. */
typedef union rocprofiler_hipfile_api_args_t
{
    struct
    {
        hipFileBatchHandle_t batch_idp;
    } hipFileBatchIOCancel;
    struct
    {
        hipFileBatchHandle_t batch_idp;
    } hipFileBatchIODestroy;
    struct
    {
        hipFileBatchHandle_t batch_idp;
        unsigned min_nr;
        unsigned *nr;
        hipFileIOEvents_t *iocbp;
        struct timespec *timeout;
    } hipFileBatchIOGetStatus;
    struct
    {
        hipFileBatchHandle_t *batch_idp;
        unsigned max_nr;
    } hipFileBatchIOSetUp;
    struct
    {
        hipFileBatchHandle_t batch_idp;
        unsigned nr;
        hipFileIOParams_t *iocbp;
        unsigned flags;
    } hipFileBatchIOSubmit;
    struct
    {
        const void *buffer_base;
    } hipFileBufDeregister;
    struct
    {
        const void *buffer_base;
        size_t length;
        int flags;
    } hipFileBufRegister;
    struct
    {
        rocprofiler_hipfile_api_no_args no_args;
    } hipFileDriverClose;
    struct
    {
        hipFileDriverProps_t *props;
    } hipFileDriverGetProperties;
    struct
    {
        rocprofiler_hipfile_api_no_args no_args;
    } hipFileDriverOpen;
    struct
    {
        size_t max_cache_size;
    } hipFileDriverSetMaxCacheSize;
    struct
    {
        size_t max_direct_io_size;
    } hipFileDriverSetMaxDirectIOSize;
    struct
    {
        size_t max_pinned_size;
    } hipFileDriverSetMaxPinnedMemSize;
    struct
    {
        bool poll;
        size_t poll_threshold_size;
    } hipFileDriverSetPollMode;
    struct
    {
        hipFileOpError_t status;
    } hipFileGetOpErrorString;
    struct
    {
        hipFileBoolConfigParameter_t param;
        bool *value;
    } hipFileGetParameterBool;
    struct
    {
        hipFileSizeTConfigParameter_t param;
        size_t *value;
    } hipFileGetParameterSizeT;
    struct
    {
        hipFileStringConfigParameter_t param;
        char *desc_str;
        int len;
    } hipFileGetParameterString;
    struct
    {
        unsigned *major;
        unsigned *minor;
        unsigned *patch;
    } hipFileGetVersion;
    struct
    {
        hipFileHandle_t fh;
    } hipFileHandleDeregister;
    struct
    {
        hipFileHandle_t *fh;
        hipFileDescr_t *descr;
    } hipFileHandleRegister;
    struct
    {
        hipFileHandle_t fh;
        void *buffer_base;
        size_t size;
        hoff_t file_offset;
        hoff_t buffer_offset;
    } hipFileRead;
    struct
    {
        hipFileHandle_t fh;
        void *buffer_base;
        size_t *size_p;
        hoff_t *file_offset_p;
        hoff_t *buffer_offset_p;
        ssize_t *bytes_read_p;
        hipStream_t stream;
    } hipFileReadAsync;
    struct
    {
        hipFileBoolConfigParameter_t param;
        bool value;
    } hipFileSetParameterBool;
    struct
    {
        hipFileSizeTConfigParameter_t param;
        size_t value;
    } hipFileSetParameterSizeT;
    struct
    {
        hipFileStringConfigParameter_t param;
        const char *desc_str;
    } hipFileSetParameterString;
    struct
    {
        hipStream_t stream;
    } hipFileStreamDeregister;
    struct
    {
        hipStream_t stream;
        unsigned flags;
    } hipFileStreamRegister;
    struct
    {
        rocprofiler_hipfile_api_no_args no_args;
    } hipFileUseCount;
    struct
    {
        hipFileHandle_t fh;
        const void *buffer_base;
        size_t size;
        hoff_t file_offset;
        hoff_t buffer_offset;
    } hipFileWrite;
    struct
    {
        hipFileHandle_t fh;
        void *buffer_base;
        size_t *size_p;
        hoff_t *file_offset_p;
        hoff_t *buffer_offset_p;
        ssize_t *bytes_written_p;
        hipStream_t stream;
    } hipFileWriteAsync;
} rocprofiler_hipfile_api_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
