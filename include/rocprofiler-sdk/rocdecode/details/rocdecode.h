/* Types of rocDecode's functions: from rocDecode's own headers if they are installed; otherwise the
 * part of them that the arguments use. */
#ifndef ROCPROFILER_SDK_ROCDECODE_DETAILS_ROCDECODE_H_
#define ROCPROFILER_SDK_ROCDECODE_DETAILS_ROCDECODE_H_

#if defined(__has_include)
#if __has_include(<rocdecode/roc_bitstream_reader.h>)
#include <rocdecode/roc_bitstream_reader.h>
#include <rocdecode/rocdecode.h>
#include <rocdecode/rocparser.h>
#define ROCPROFILER_ROCDECODE_TYPES 1
#endif
#endif

#if !defined(ROCPROFILER_ROCDECODE_TYPES)
/* Errors are negative; their names are in rocDecode's headers. */
typedef enum rocDecStatus_enum { ROCDEC_DEVICE_INVALID = -1, ROCDEC_SUCCESS = 0 } rocDecStatus;
typedef enum rocDecVideoCodec_enum { rocDecVideoCodec_MPEG1 = 0 } rocDecVideoCodec;
typedef void *RocdecVideoParser;
typedef void *RocdecBitstreamReader;
typedef void *rocDecDecoderHandle;
typedef struct _RocdecParserParams RocdecParserParams;
typedef struct _RocdecSourceDataPacket RocdecSourceDataPacket;
typedef struct _RocDecoderCreateInfo RocDecoderCreateInfo;
typedef struct _RocdecDecodeCaps RocdecDecodeCaps;
typedef struct _RocdecPicParams RocdecPicParams;
typedef struct _RocdecDecodeStatus RocdecDecodeStatus;
typedef struct _RocdecReconfigureDecoderInfo RocdecReconfigureDecoderInfo;
typedef struct _RocdecProcParams RocdecProcParams;
#endif

#endif
