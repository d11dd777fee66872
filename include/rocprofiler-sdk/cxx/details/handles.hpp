/* The one list of types with a member `handle` of eight bytes: operators.hpp and hash.hpp define
 * their functions for each type in it. New types are added here. */
#pragma once

#include <rocprofiler-sdk/experimental/thread-trace/trace_decoder.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/internal_threading.h>

#define ROCPROFILER_SDK_CXX_HANDLES(DO)                                                            \
    DO(rocprofiler_context_id_t)                                                                   \
    DO(rocprofiler_address_t)                                                                      \
    DO(rocprofiler_agent_id_t)                                                                     \
    DO(rocprofiler_queue_id_t)                                                                     \
    DO(rocprofiler_stream_id_t)                                                                    \
    DO(rocprofiler_buffer_id_t)                                                                    \
    DO(rocprofiler_counter_id_t)                                                                   \
    DO(rocprofiler_counter_config_id_t)                                                            \
    DO(rocprofiler_callback_thread_t)                                                              \
    DO(hsa_agent_t)                                                                                \
    DO(hsa_signal_t)                                                                               \
    DO(hsa_executable_t)                                                                           \
    DO(hsa_region_t)                                                                               \
    DO(hsa_amd_memory_pool_t)                                                                      \
    DO(rocprofiler_thread_trace_decoder_id_t)
