/* hipFile as this library traces it: operation ids, arguments, tables. */
#ifndef ROCPROFILER_SDK_HIPFILE_H_
#define ROCPROFILER_SDK_HIPFILE_H_

#include <rocprofiler-sdk/hipfile/api_args.h>
#include <rocprofiler-sdk/hipfile/api_id.h>
#include <rocprofiler-sdk/hipfile/table_id.h>

#endif
