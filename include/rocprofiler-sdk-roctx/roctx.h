/* roctx.h - marks and ranges with a program's own texts, for profilers to show.
 *
 * All functions may be called from any thread at any time. Without a profiling tool a call costs
 * about a nanosecond and has no effect. Texts belong to the caller: they are not used after the
 * call unless a tool copies them. Binary interface: AMD's rocprofiler-sdk-roctx 1.0.0. C99 and
 * C++11. */
#ifndef ROCPROFILER_SDK_ROCTX_ROCTX_H_
#define ROCPROFILER_SDK_ROCTX_ROCTX_H_

#include <rocprofiler-sdk-roctx/defines.h>
#include <rocprofiler-sdk-roctx/types.h>
#include <rocprofiler-sdk-roctx/version.h>

#include <stddef.h>
#include <stdint.h>

ROCTX_EXTERN_C_INIT

struct hsa_agent_s;
struct ihipStream_t;

#define roctxMark(message)       roctxMarkA(message)
#define roctxRangePush(message)  roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

/** Marks the present moment. */
void roctxMarkA(const char *message) ROCTX_API;

/** Begins a range of the calling thread, inside those that it has begun before. Returns its level:
 * 0 for the outermost. */
int roctxRangePushA(const char *message) ROCTX_API;

/** Ends the innermost range of the calling thread. Returns its level, or -1 if there is none. */
int roctxRangePop(void) ROCTX_API;

/** Begins a range of the process, which may end on another thread and overlap others. Returns its
 * number: never 0, never used twice in a process. */
roctx_range_id_t roctxRangeStartA(const char *message) ROCTX_API;

/** Ends the range with this number. The number of a range that is not open has no effect. */
void roctxRangeStop(roctx_range_id_t id) ROCTX_API;

/** Asks the profiling tool to stop collecting: for the whole process if tid is 0, by convention,
 * else for that thread. Returns 0, or what the tool returns. If the tool has been paused already,
 * the call has no effect and returns 0. */
int roctxProfilerPause(roctx_thread_id_t tid) ROCTX_API;

/** Asks the profiling tool to collect again. Arguments and result as for roctxProfilerPause. */
int roctxProfilerResume(roctx_thread_id_t tid) ROCTX_API;

/** Names the calling thread in the tool's output, if the tool supports that; the thread's name in
 * the system does not change. The other functions name agents, devices and streams in the same way.
 * All return 0, or what the tool returns. */
int roctxNameOsThread(const char *name) ROCTX_API;
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent) ROCTX_API;
int roctxNameHipDevice(const char *name, int device_id) ROCTX_API;
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream) ROCTX_API;

/** Writes the calling thread's kernel thread id (gettid) to *tid. Returns 0, or -1 if tid is
 * NULL. */
int roctxGetThreadId(roctx_thread_id_t *tid) ROCTX_API;

ROCTX_EXTERN_C_FINI

#endif
