/* Types of rocSHMEM's functions on streams, as much as arguments need: its own header is C++. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_
#define ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_

#include <rocprofiler-sdk/hip/api_args.h>

/* rocSHMEM's own type is in its namespace, and is a pointer, too. */
typedef void *rocshmem_team_t;

#endif
