/* The header in which the beta releases had counter configurations. */
#ifndef ROCPROFILER_SDK_PROFILE_CONFIG_H_
#define ROCPROFILER_SDK_PROFILE_CONFIG_H_

#include <rocprofiler-sdk/deprecated/profile_config.h>

#endif
