/* Types of rocSHMEM's functions on streams: what of its header arguments need. That header is C++.
 */
#ifndef ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_
#define ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_

#include <rocprofiler-sdk/hip/api_args.h>

/* rocSHMEM's own type is in its namespace, and a pointer too. */
typedef void *rocshmem_team_t;

#endif
