/* OpenMP as this library traces it. */
#ifndef ROCPROFILER_SDK_OMPT_H_
#define ROCPROFILER_SDK_OMPT_H_

#include <rocprofiler-sdk/ompt/api_id.h>

#endif
