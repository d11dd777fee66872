/* rocattach.h - brings a profiling tool into a running process, and takes it out again.
 *
 * The process must have been started with ROCP_TOOL_ATTACH=1 and must have started a GPU runtime.
 * The tool is ROCPROF_ATTACH_TOOL_LIBRARY, else librocprofiler-sdk-tool.so.1; it gets the caller's
 * environment variables that begin with ROCP. x86-64 Linux only. The caller needs the right to
 * ptrace the process. Only one thread of the process, which belongs to the profiler, is stopped,
 * for some microseconds. The functions wait for the tool's answer for 60 seconds when attaching and
 * 300 when detaching, or for ROCPROF_ATTACH_TIMEOUT seconds; after that time the process goes on
 * with what was begun. Functions are thread-safe. C99 and C++11. */
#ifndef ROCPROFILER_SDK_ROCATTACH_ROCATTACH_H
#define ROCPROFILER_SDK_ROCATTACH_ROCATTACH_H

#include <stdint.h>

#define ROCATTACH_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rocattach_status_t {
    ROCATTACH_STATUS_SUCCESS = 0,
    ROCATTACH_STATUS_ERROR,
    ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT,
    ROCATTACH_STATUS_ERROR_NOT_SUPPORTED, /* the process is of another architecture */
    ROCATTACH_STATUS_ERROR_PTRACE_ERROR,
    ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED,
    ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND,
    ROCATTACH_STATUS_LAST
} rocattach_status_t;

typedef struct rocattach_version_triplet_t {
    uint32_t major, minor, patch;
} rocattach_version_triplet_t;

/* Attaches one process. Returns when the tool is running there. */
rocattach_status_t rocattach_attach(int pid) ROCATTACH_API;

/* Attaches a process and all its descendants. Descendants that cannot be attached are left out; an
 * error is returned only if root_pid itself cannot be attached. */
rocattach_status_t rocattach_attach_tree(int root_pid) ROCATTACH_API;

/* Detaches the process, or all attached processes if pid is 0. What was recorded is complete when
 * the function returns. It is no error if the process has ended. */
rocattach_status_t rocattach_detach(int pid) ROCATTACH_API;

/* Detaches what a call of rocattach_attach_tree with this process has attached. */
rocattach_status_t rocattach_detach_tree(int root_pid) ROCATTACH_API;

rocattach_status_t rocattach_get_version(uint32_t *major, uint32_t *minor,
                                         uint32_t *patch) ROCATTACH_API;
rocattach_status_t rocattach_get_version_triplet(rocattach_version_triplet_t *info) ROCATTACH_API;

/* The enumerator's name, and a text for people; static storage; NULL for an unknown status. */
const char *rocattach_get_status_name(rocattach_status_t status) ROCATTACH_API;
const char *rocattach_get_status_string(rocattach_status_t status) ROCATTACH_API;

#ifdef __cplusplus
}
#endif
#endif
