/* RCCL as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_RCCL_H_
#define ROCPROFILER_SDK_RCCL_H_

#include <rocprofiler-sdk/rccl/api_args.h>
#include <rocprofiler-sdk/rccl/api_id.h>
#include <rocprofiler-sdk/rccl/table_id.h>

#endif
