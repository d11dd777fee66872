/* Types of rocSHMEM's functions on streams, the part of them that the arguments use; rocSHMEM's own
 * header is C++. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_
#define ROCPROFILER_SDK_ROCSHMEM_DETAILS_ROCSHMEM_H_

#include <rocprofiler-sdk/hip/api_args.h>

/* rocSHMEM's own type, which is in its namespace, is a pointer, too. */
typedef void *rocshmem_team_t;

#endif
