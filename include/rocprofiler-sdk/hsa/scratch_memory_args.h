/* Arguments of scratch memory events. */
#ifndef ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ARGS_H_
#define ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ARGS_H_

#include <rocprofiler-sdk/defines.h>

#include <stddef.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<hsa/hsa_amd_tool.h>)
#include <hsa/hsa_amd_tool.h>
#define ROCPROFILER_HSA_HAS_TOOL_EVENTS 1
#endif
#endif

#ifndef ROCPROFILER_HSA_HAS_TOOL_EVENTS
/** Events of the HSA tools table, for HSA headers that lack them. */
typedef enum {
    HSA_AMD_TOOL_EVENT_MIN = 0,
    HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START = 1,
    HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END = 2,
    HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START = 3,
    HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END = 4,
    HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START = 5,
    HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END = 6,
    HSA_AMD_TOOL_EVENT_MAX = 7
} hsa_amd_tool_event_kind_t;
#endif

ROCPROFILER_EXTERN_C_INIT

/** Arguments of an event without arguments. */
typedef struct rocprofiler_scratch_memory_no_args {
    char empty;
} rocprofiler_scratch_memory_no_args;

/** Arguments of a scratch event; args_kind says which member is valid. */
typedef union rocprofiler_scratch_memory_args_t {
    struct {
        uint64_t dispatch_id;
    } alloc_start;
    struct {
        uint64_t dispatch_id;
        size_t size; /**< bytes allocated */
        size_t num_slots;
    } alloc_end;
    struct {
        rocprofiler_scratch_memory_no_args no_args;
    } free_start;
    struct {
        rocprofiler_scratch_memory_no_args no_args;
    } free_end;
    struct {
        rocprofiler_scratch_memory_no_args no_args;
    } async_reclaim_start;
    struct {
        rocprofiler_scratch_memory_no_args no_args;
    } async_reclaim_end;
} rocprofiler_scratch_memory_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
