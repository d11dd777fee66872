/* Version of the marker interface. */
#ifndef ROCPROFILER_SDK_ROCTX_VERSION_H_
#define ROCPROFILER_SDK_ROCTX_VERSION_H_

/** Defined by this interface, but not by that of roctracer, which has the same function names. */
#define ROCTX_IS_ROCPROFILER_SDK 1

#define ROCTX_VERSION_MAJOR    1
#define ROCTX_VERSION_MINOR    0
#define ROCTX_VERSION_PATCH    0
#define ROCTX_SOVERSION        (10000 * 1)
#define ROCTX_VERSION_STRING   "1.0.0"
#define ROCTX_GIT_DESCRIBE     ""
#define ROCTX_GIT_REVISION     ""
#define ROCTX_LIBRARY_ARCH     ""
#define ROCTX_SYSTEM_NAME      ""
#define ROCTX_SYSTEM_PROCESSOR ""
#define ROCTX_SYSTEM_VERSION   ""
#define ROCTX_COMPILER_ID      ""
#define ROCTX_COMPILER_VERSION ""

/** The version as one number, as rocprofiler-register gets it. */
#define ROCTX_VERSION                                                                              \
    ((10000 * ROCTX_VERSION_MAJOR) + (100 * ROCTX_VERSION_MINOR) + ROCTX_VERSION_PATCH)

#endif
