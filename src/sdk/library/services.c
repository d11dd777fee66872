/* services.c - the library's services: a row each, in the order in which they are called.
 *
 * Apart because only this file, at the top of src/sdk, knows all of them. A new service is a
 * folder, its name in CMakeLists.txt, and a row here. The order matters where two rows answer the
 * same call: dispatches are reported before they are measured, probes are those of counters, thread
 * traces and samples (gpu/dispatch.h), and HIP's graphs and events are put inside its wrappers. */
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
