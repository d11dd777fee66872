/* services.c - the library's services: a row each, in the order in which they are called.
 *
 * It is apart because only this file, at the top of src/sdk, refers to all of them. A new service
 * is a folder, its name in CMakeLists.txt, and a row here. The order matters where two rows have
 * the same function: dispatches are reported before they are measured; the probes of counters,
 * thread traces and samples are in that order (gpu/dispatch.h); and HIP's graphs and events are put
 * inside its wrappers. */
#include "sdk/core/services.h"

#define SERVICES(X)                                                                                \
    X(gpu)                                                                                         \
    X(catalogue)                                                                                   \
    X(code_object)                                                                                 \
    X(kernel_dispatch)                                                                             \
    X(counters)                                                                                    \
    X(thread_trace)                                                                                \
    X(pc_sampling)                                                                                 \
    X(memory_copy)                                                                                 \
    X(memory_allocation)                                                                           \
    X(scratch_memory)                                                                              \
    X(hip_graph)                                                                                   \
    X(hip_event)                                                                                   \
    X(hip_stream)                                                                                  \
    X(marker)                                                                                      \
    X(kfd)

#define DECLARE(name) extern const sdk_service_t sdk_##name##_service;
#define ROW(name)     &sdk_##name##_service,

SERVICES(DECLARE)

const sdk_service_t *const sdk_services[] = {SERVICES(ROW) NULL};
