/* Thread traces: parameters of a trace, and the callback that gets its data. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Parameters of a trace; docs/sdk.md has values, limits and defaults. */
typedef enum rocprofiler_thread_trace_parameter_type_t {
    ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU = 0,
    ROCPROFILER_THREAD_TRACE_PARAMETER_SHADER_ENGINE_MASK = 1,
    ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE = 2,
    ROCPROFILER_THREAD_TRACE_PARAMETER_SIMD_SELECT = 3,
    ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTERS_CTRL = 4,
    ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER = 5,
    ROCPROFILER_THREAD_TRACE_PARAMETER_SERIALIZE_ALL = 6,
    ROCPROFILER_THREAD_TRACE_PARAMETER_LAST = 7
} rocprofiler_thread_trace_parameter_type_t;

/** Parameters that later versions of the interface have, numbered from LAST on. EXCLUDE_MASK:
 * compute units whose counters are not sampled. NO_DETAIL, if not 0: trace only beginnings and ends
 * of waves. */
#define ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER_EXCLUDE_MASK 7
#define ROCPROFILER_THREAD_TRACE_PARAMETER_NO_DETAIL                8

/** A parameter: a number, or a counter (PERFCOUNTER) and the SIMDs that count it. */
typedef struct rocprofiler_thread_trace_parameter_t {
    rocprofiler_thread_trace_parameter_type_t type;
    __extension__ union {
        uint64_t value;
        __extension__ struct {
            rocprofiler_counter_id_t counter_id;
            uint64_t simd_mask : 4;
        };
    };
} rocprofiler_thread_trace_parameter_t;

/** Called with the trace of one shader engine, which is valid during the call. */
typedef void (*rocprofiler_thread_trace_shader_data_callback_t)(rocprofiler_agent_id_t agent,
                                                                int64_t shader_engine_id,
                                                                void *data, size_t data_size,
                                                                rocprofiler_user_data_t userdata);

ROCPROFILER_EXTERN_C_FINI

#endif
