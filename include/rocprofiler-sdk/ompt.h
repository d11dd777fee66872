/* OpenMP as this library knows it: operation ids and arguments. */
#ifndef ROCPROFILER_SDK_OMPT_H_
#define ROCPROFILER_SDK_OMPT_H_

#include <rocprofiler-sdk/ompt/api_args.h>
#include <rocprofiler-sdk/ompt/api_id.h>

#endif
