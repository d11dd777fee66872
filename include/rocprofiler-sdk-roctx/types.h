/* Types of the marker interface. */
#ifndef ROCPROFILER_SDK_ROCTX_TYPES_H_
#define ROCPROFILER_SDK_ROCTX_TYPES_H_

#include <stdint.h>

/** A range that was started; unique in the process. */
typedef uint64_t roctx_range_id_t;

/** Kernel thread id. */
typedef uint64_t roctx_thread_id_t;

#endif
