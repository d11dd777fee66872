/* HIP as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_HIP_H_
#define ROCPROFILER_SDK_HIP_H_

#include <rocprofiler-sdk/hip/api_args.h>
#include <rocprofiler-sdk/hip/api_id.h>
#include <rocprofiler-sdk/hip/table_id.h>

#endif
