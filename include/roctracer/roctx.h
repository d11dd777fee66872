/* roctx.h - marks and ranges by the interface of roctracer, implemented by libroctx64.
 *
 * New programs include <rocprofiler-sdk-roctx/roctx.h>, which has the same functions and more. All
 * functions may be called from any thread. Binary interface: AMD's libroctx64.so.4. */
#ifndef ROCTX_H_
#define ROCTX_H_ 1

#include <stdint.h>

#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/** Return the version of the loaded library; the macros have that of the headers. */
uint32_t roctx_version_major(void);
uint32_t roctx_version_minor(void);

/** Marks the present moment. */
#define roctxMark(message) roctxMarkA(message)
void roctxMarkA(const char *message);

/** Begins a range of the calling thread; returns its level, 0 for the outermost. */
#define roctxRangePush(message) roctxRangePushA(message)
int roctxRangePushA(const char *message);

/** Ends the innermost range of the calling thread; returns its level, or -1 if there is none. */
int roctxRangePop(void);

/** The number of a range of the process: unique in the process, never 0. */
typedef uint64_t roctx_range_id_t;

/** Begins a range that may end on another thread. */
#define roctxRangeStart(message) roctxRangeStartA(message)
roctx_range_id_t roctxRangeStartA(const char *message);

/** Ends a range of the process. */
void roctxRangeStop(roctx_range_id_t id);

#ifdef __cplusplus
}
#endif

#endif
