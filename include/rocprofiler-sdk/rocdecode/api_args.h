/* Arguments and results of traced ROCDECODE functions.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_ROCDECODE_API_ARGS_H_
#define ROCPROFILER_SDK_ROCDECODE_API_ARGS_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/rocdecode/details/rocdecode.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_rocdecode_api_no_args
{
    char empty;
} rocprofiler_rocdecode_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_rocdecode_api_retval_t
{
    uint64_t uint64_t_retval;
    int32_t rocDecStatus_retval;
    const char *const_charp_retval;
} rocprofiler_rocdecode_api_retval_t;

/** Arguments of a traced ROCDECODE call; the member is named after the function.
 * Pointers are the caller's: what they point to may be read during the callback only. */
typedef union rocprofiler_rocdecode_api_args_t
{
    struct
    {
        RocdecBitstreamReader *bs_reader_handle;
        const char *input_file_path;
    } rocDecCreateBitstreamReader;
    struct
    {
        rocDecDecoderHandle *decoder_handle;
        RocDecoderCreateInfo *decoder_create_info;
    } rocDecCreateDecoder;
    struct
    {
        RocdecVideoParser *parser_handle;
        RocdecParserParams *params;
    } rocDecCreateVideoParser;
    struct
    {
        rocDecDecoderHandle decoder_handle;
        RocdecPicParams *pic_params;
    } rocDecDecodeFrame;
    struct
    {
        RocdecBitstreamReader bs_reader_handle;
    } rocDecDestroyBitstreamReader;
    struct
    {
        rocDecDecoderHandle decoder_handle;
    } rocDecDestroyDecoder;
    struct
    {
        RocdecVideoParser parser_handle;
    } rocDecDestroyVideoParser;
    struct
    {
        RocdecBitstreamReader bs_reader_handle;
        int *bit_depth;
    } rocDecGetBitstreamBitDepth;
    struct
    {
        RocdecBitstreamReader bs_reader_handle;
        rocDecVideoCodec *codec_type;
    } rocDecGetBitstreamCodecType;
    struct
    {
        RocdecBitstreamReader bs_reader_handle;
        uint8_t **pic_data;
        int *pic_size;
        int64_t *pts;
    } rocDecGetBitstreamPicData;
    struct
    {
        rocDecDecoderHandle decoder_handle;
        int pic_idx;
        RocdecDecodeStatus *decode_status;
    } rocDecGetDecodeStatus;
    struct
    {
        RocdecDecodeCaps *decode_caps;
    } rocDecGetDecoderCaps;
    struct
    {
        rocDecStatus rocdec_status;
    } rocDecGetErrorName;
    struct
    {
        rocDecDecoderHandle decoder_handle;
        int pic_idx;
        void **dev_mem_ptr;
        uint32_t *horizontal_pitch;
        RocdecProcParams *vid_postproc_params;
    } rocDecGetVideoFrame;
    struct
    {
        RocdecVideoParser parser_handle;
        RocdecSourceDataPacket *packet;
    } rocDecParseVideoData;
    struct
    {
        rocDecDecoderHandle decoder_handle;
        RocdecReconfigureDecoderInfo *reconfig_params;
    } rocDecReconfigureDecoder;
} rocprofiler_rocdecode_api_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
