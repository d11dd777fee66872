/* rocSHMEM as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_H_
#define ROCPROFILER_SDK_ROCSHMEM_H_

#include <rocprofiler-sdk/rocshmem/api_args.h>
#include <rocprofiler-sdk/rocshmem/api_id.h>
#include <rocprofiler-sdk/rocshmem/table_id.h>

#endif
