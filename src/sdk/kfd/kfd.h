/* kfd.h - events of the kernel driver. */
#ifndef CROCPROF_SDK_KFD_H
#define CROCPROF_SDK_KFD_H

#include <rocprofiler-sdk/rocprofiler.h>

/* The answer to who asks for events of the driver. */
rocprofiler_status_t sdk_kfd_status(void);

#endif
