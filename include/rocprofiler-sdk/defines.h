/* Macros used by every header of librocprofiler-sdk: linkage, visibility, attributes, versions. */
#ifndef ROCPROFILER_SDK_DEFINES_H_
#define ROCPROFILER_SDK_DEFINES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ROCPROFILER_EXTERN_C_INIT extern "C" {
#define ROCPROFILER_EXTERN_C_FINI }
#define ROCPROFILER_CXX_CODE(...) __VA_ARGS__
#else
#define ROCPROFILER_EXTERN_C_INIT
#define ROCPROFILER_EXTERN_C_FINI
#define ROCPROFILER_CXX_CODE(...)
#endif

/** Public linkage. ROCPROFILER_EXPORT marks a function that a tool defines and the library looks
 * up. */
#define ROCPROFILER_ATTRIBUTE(...)   __attribute__((__VA_ARGS__))
#define ROCPROFILER_PUBLIC_API       ROCPROFILER_ATTRIBUTE(visibility("default"))
#define ROCPROFILER_HIDDEN_API       ROCPROFILER_ATTRIBUTE(visibility("hidden"))
#define ROCPROFILER_EXPORT_DECORATOR ROCPROFILER_PUBLIC_API
#define ROCPROFILER_IMPORT_DECORATOR
#define ROCPROFILER_EXPORT ROCPROFILER_PUBLIC_API
#define ROCPROFILER_IMPORT ROCPROFILER_PUBLIC_API
#define ROCPROFILER_API    ROCPROFILER_PUBLIC_API

#define ROCPROFILER_NONNULL(...)      ROCPROFILER_ATTRIBUTE(nonnull(__VA_ARGS__))
#define ROCPROFILER_INLINE            ROCPROFILER_ATTRIBUTE(always_inline)
#define ROCPROFILER_NOINLINE          ROCPROFILER_ATTRIBUTE(noinline)
#define ROCPROFILER_HOT               ROCPROFILER_ATTRIBUTE(hot)
#define ROCPROFILER_COLD              ROCPROFILER_ATTRIBUTE(cold)
#define ROCPROFILER_CONST             ROCPROFILER_ATTRIBUTE(const)
#define ROCPROFILER_PURE              ROCPROFILER_ATTRIBUTE(pure)
#define ROCPROFILER_WEAK              ROCPROFILER_ATTRIBUTE(weak)
#define ROCPROFILER_PACKED            ROCPROFILER_ATTRIBUTE(__packed__)
#define ROCPROFILER_PACKED_ALIGN(VAL) ROCPROFILER_PACKED ROCPROFILER_ATTRIBUTE(__aligned__(VAL))

/** Defined since the first version of the interface, for tools that test it. */
#define ROCPROFILER_SDK_VERSION_0_0

/** Warnings at uses of deprecated or experimental names: off unless the tool defines these macros
 * as 1. */
#ifndef ROCPROFILER_SDK_DEPRECATED_WARNINGS
#define ROCPROFILER_SDK_DEPRECATED_WARNINGS 0
#endif
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_WARNINGS
#define ROCPROFILER_SDK_EXPERIMENTAL_WARNINGS 0
#endif
#if ROCPROFILER_SDK_DEPRECATED_WARNINGS
#define ROCPROFILER_SDK_DEPRECATED(...) ROCPROFILER_ATTRIBUTE(deprecated(__VA_ARGS__))
#else
#define ROCPROFILER_SDK_DEPRECATED(...)
#endif
#if ROCPROFILER_SDK_EXPERIMENTAL_WARNINGS
#define ROCPROFILER_SDK_EXPERIMENTAL ROCPROFILER_ATTRIBUTE(deprecated("may change"))
#else
#define ROCPROFILER_SDK_EXPERIMENTAL
#endif

/** The names of the beta releases are kept as aliases; 1 means that they are available. */
#ifndef ROCPROFILER_SDK_BETA_COMPAT
#define ROCPROFILER_SDK_BETA_COMPAT 1
#endif
#define ROCPROFILER_SDK_BETA_COMPAT_SUPPORTED 1

#ifdef __cplusplus
#define ROCPROFILER_HANDLE_LITERAL(type, value) (type{value})
#else
#define ROCPROFILER_HANDLE_LITERAL(type, value) ((type){value})
#endif
#define ROCPROFILER_UINT64_C(value) UINT64_C(value)

/** Computes one number from a version: 10000 * major + 100 * minor + patch if MAX_VERSION_VALUE is
 * 100, as usual. */
#define ROCPROFILER_SDK_COMPUTE_VERSION_VALUE(MAX_VERSION_VALUE, MAJOR, MINOR, PATCH)              \
    (((MAX_VERSION_VALUE * MAX_VERSION_VALUE) * MAJOR) + (MAX_VERSION_VALUE * MINOR) + (PATCH))
#define ROCPROFILER_SDK_COMPUTE_VERSION(MAJOR, MINOR, PATCH)                                       \
    ROCPROFILER_SDK_COMPUTE_VERSION_VALUE(100, MAJOR, MINOR, PATCH)

#endif
