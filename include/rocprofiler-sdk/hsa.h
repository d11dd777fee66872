/* HSA as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_HSA_H_
#define ROCPROFILER_SDK_HSA_H_

#include <rocprofiler-sdk/ext_version.h>
#include <rocprofiler-sdk/hsa/api_args.h>
#include <rocprofiler-sdk/hsa/api_id.h>
#include <rocprofiler-sdk/hsa/scratch_memory_args.h>
#include <rocprofiler-sdk/hsa/scratch_memory_id.h>
#include <rocprofiler-sdk/hsa/table_id.h>

#endif
