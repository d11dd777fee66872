/* Attributes of the marker interface. C99 and C++11. */
#ifndef ROCPROFILER_SDK_ROCTX_DEFINES_H_
#define ROCPROFILER_SDK_ROCTX_DEFINES_H_

#define ROCTX_PUBLIC_API   __attribute__((visibility("default")))
#define ROCTX_API          ROCTX_PUBLIC_API
#define ROCTX_EXPORT       ROCTX_PUBLIC_API
#define ROCTX_IMPORT       ROCTX_PUBLIC_API
#define ROCTX_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))

/* The version in which a function was introduced. */
#define ROCPROFILER_SDK_ROCTX_VERSION_0_0

#ifdef __cplusplus
#define ROCTX_EXTERN_C_INIT extern "C" {
#define ROCTX_EXTERN_C_FINI }
#else
#define ROCTX_EXTERN_C_INIT
#define ROCTX_EXTERN_C_FINI
#endif

#endif
