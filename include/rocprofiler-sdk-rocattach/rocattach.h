/* rocattach.h - attaches a profiling tool to a running process, and detaches it.
 *
 * The process must have been started with ROCP_TOOL_ATTACH=1 and must have started a GPU runtime.
 * The tool is ROCPROF_ATTACH_TOOL_LIBRARY, else librocprofiler-sdk-tool.so.1; it gets the caller's
 * environment variables that begin with ROCP. x86-64 Linux only. The caller needs the right to
 * ptrace the process. Only one thread of the process, which belongs to the profiler, is stopped,
 * for some microseconds. The functions wait for the tool's answer for 60 seconds when attaching and
 * 300 when detaching, or for ROCPROF_ATTACH_TIMEOUT seconds; after that time an error is returned,
 * but the process goes on with what was begun. Functions are thread-safe. C99 and C++11. */
#ifndef ROCPROFILER_SDK_ROCATTACH_ROCATTACH_H
#define ROCPROFILER_SDK_ROCATTACH_ROCATTACH_H

#include <stdint.h>

#define ROCATTACH_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a function; a message on standard error has the details of a failure. */
typedef enum rocattach_status_t {
    ROCATTACH_STATUS_SUCCESS = 0,
    ROCATTACH_STATUS_ERROR,                  /* any other failure, such as no answer in time */
    ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT, /* an argument, or the tool's path, is invalid */
    ROCATTACH_STATUS_ERROR_NOT_SUPPORTED,    /* the process is of another architecture */
    ROCATTACH_STATUS_ERROR_PTRACE_ERROR,     /* ptrace failed for another reason */
    ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED, /* the right to ptrace is missing */
    ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND,       /* there is no such process */
    ROCATTACH_STATUS_LAST
} rocattach_status_t;

typedef struct rocattach_version_triplet_t {
    uint32_t major, minor, patch;
} rocattach_version_triplet_t;

/* Attaches the tool to one process; returns when the tool is running there. Returns
 * ERROR_INVALID_ARGUMENT if pid is not positive or the tool's file does not exist, ERROR if the
 * process or the tool refuses, and any other status of the enumeration if the process cannot be
 * reached. */
rocattach_status_t rocattach_attach(int pid) ROCATTACH_API;

/* Attaches a process and all its descendants. Descendants that cannot be attached are left out; an
 * error is returned only if root_pid itself cannot be attached. */
rocattach_status_t rocattach_attach_tree(int root_pid) ROCATTACH_API;

/* Detaches the tool from the process, or all attached processes if pid is 0. What was recorded is
 * complete when the function returns. It is no error if the process has ended. */
rocattach_status_t rocattach_detach(int pid) ROCATTACH_API;

/* Detaches what a call of rocattach_attach_tree with this process has attached. Both functions
 * return ERROR_INVALID_ARGUMENT if there is nothing to detach for the argument, and else the first
 * error; the other processes are detached nevertheless. */
rocattach_status_t rocattach_detach_tree(int root_pid) ROCATTACH_API;

/* Return the version of the library. The three pointers may be NULL; `info` NULL is an
 * ERROR_INVALID_ARGUMENT. */
rocattach_status_t rocattach_get_version(uint32_t *major, uint32_t *minor,
                                         uint32_t *patch) ROCATTACH_API;
rocattach_status_t rocattach_get_version_triplet(rocattach_version_triplet_t *info) ROCATTACH_API;

/* Return the enumerator's name, and a sentence that explains the status, in static storage; NULL
 * for an unknown status. */
const char *rocattach_get_status_name(rocattach_status_t status) ROCATTACH_API;
const char *rocattach_get_status_string(rocattach_status_t status) ROCATTACH_API;

#ifdef __cplusplus
}
#endif
#endif
