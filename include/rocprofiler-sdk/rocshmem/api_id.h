/* Operation ids of the rocSHMEM API.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_API_ID_H_
#define ROCPROFILER_SDK_ROCSHMEM_API_ID_H_

/** Operations of rocSHMEM tracing, named after their functions. LAST is one past the last. */
typedef enum rocprofiler_rocshmem_api_id_t
{
    ROCPROFILER_ROCSHMEM_API_ID_NONE = -1,
    ROCPROFILER_ROCSHMEM_API_ID_barrier_all_on_stream = 0,
    ROCPROFILER_ROCSHMEM_API_ID_quiet_on_stream = 1,
    ROCPROFILER_ROCSHMEM_API_ID_sync_all_on_stream = 2,
    ROCPROFILER_ROCSHMEM_API_ID_alltoallmem_on_stream = 3,
    ROCPROFILER_ROCSHMEM_API_ID_broadcastmem_on_stream = 4,
    ROCPROFILER_ROCSHMEM_API_ID_getmem_on_stream = 5,
    ROCPROFILER_ROCSHMEM_API_ID_putmem_on_stream = 6,
    ROCPROFILER_ROCSHMEM_API_ID_putmem_signal_on_stream = 7,
    ROCPROFILER_ROCSHMEM_API_ID_signal_wait_until_on_stream = 8,
    ROCPROFILER_ROCSHMEM_API_ID_LAST = 9
} rocprofiler_rocshmem_api_id_t;

#endif
