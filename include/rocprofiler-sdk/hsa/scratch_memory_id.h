/* Flags of scratch memory events. */
#ifndef ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ID_H_
#define ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ID_H_

/** Properties of a scratch allocation. */
typedef enum rocprofiler_scratch_alloc_flag_t {
    ROCPROFILER_SCRATCH_ALLOC_FLAG_NONE = 0,
    ROCPROFILER_SCRATCH_ALLOC_FLAG_USE_ONCE = 1,
    ROCPROFILER_SCRATCH_ALLOC_FLAG_ALT = 2,
} rocprofiler_scratch_alloc_flag_t;

#endif
