/* rocJPEG as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_ROCJPEG_H_
#define ROCPROFILER_SDK_ROCJPEG_H_

#include <rocprofiler-sdk/rocjpeg/api_args.h>
#include <rocprofiler-sdk/rocjpeg/api_id.h>
#include <rocprofiler-sdk/rocjpeg/table_id.h>

#endif
