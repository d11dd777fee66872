/* rocprofiler-register.h - how a ROCm runtime offers its API tables to profilers.
 *
 * A runtime owns a table of function pointers through which its public functions call. It hands
 * the table to this library, which looks for tools and passes the table on to the profiling SDK.
 * Binary interface: AMD's rocprofiler-register 0.5.0. C99 and C++11. */
#ifndef ROCPROFILER_REGISTER_ROCPROFILER_REGISTER_H
#define ROCPROFILER_REGISTER_ROCPROFILER_REGISTER_H

#include <rocprofiler-register/version.h>

#include <stddef.h>
#include <stdint.h>

#define ROCPROFILER_REGISTER_PUBLIC_API __attribute__((visibility("default")))

/* The version number of a runtime in the form of the argument `lib_version` below. */
#define ROCPROFILER_REGISTER_COMPUTE_VERSION_1(MAJOR_VERSION) (10000 * MAJOR_VERSION)
#define ROCPROFILER_REGISTER_COMPUTE_VERSION_2(MAJOR_VERSION, MINOR_VERSION)                       \
    (ROCPROFILER_REGISTER_COMPUTE_VERSION_1(MAJOR_VERSION) + (100 * MINOR_VERSION))
#define ROCPROFILER_REGISTER_COMPUTE_VERSION_3(MAJOR_VERSION, MINOR_VERSION, PATCH_VERSION)        \
    (ROCPROFILER_REGISTER_COMPUTE_VERSION_2(MAJOR_VERSION, MINOR_VERSION) + (PATCH_VERSION))

/* Name of the function that a runtime exports so that its identity can be checked. */
#define ROCPROFILER_REGISTER_IMPORT_FUNC(NAME)                                                     \
    ROCPROFILER_REGISTER_PP_COMBINE(rocprofiler_register_import_, NAME)

/* Defines that function: returns the runtime's version. Use once, at file scope. */
#ifdef __cplusplus
#define ROCPROFILER_REGISTER_EXTERN_C extern "C"
extern "C" {
#else
#define ROCPROFILER_REGISTER_EXTERN_C extern
#endif
#define ROCPROFILER_REGISTER_DEFINE_IMPORT(NAME, VERSION)                                          \
    ROCPROFILER_REGISTER_EXTERN_C ROCPROFILER_REGISTER_PUBLIC_API uint32_t                         \
        ROCPROFILER_REGISTER_IMPORT_FUNC(NAME)(void);                                              \
    uint32_t ROCPROFILER_REGISTER_IMPORT_FUNC(NAME)(void)                                          \
    {                                                                                              \
        return VERSION;                                                                            \
    }

typedef enum rocprofiler_register_error_code_t {
    ROCP_REG_SUCCESS = 0,          /* the table was passed on */
    ROCP_REG_NO_TOOLS,             /* there is no tool, or registration is switched off */
    ROCP_REG_DEADLOCK,             /* called from inside a registration */
    ROCP_REG_BAD_API_TABLE_LENGTH, /* no table or more than 8, or a null argument */
    ROCP_REG_UNSUPPORTED_API,      /* unknown runtime name */
    ROCP_REG_INVALID_API_ADDRESS,  /* secure mode: the import function is not in the runtime */
    ROCP_REG_ROCPROFILER_ERROR,    /* the SDK refused the table */
    ROCP_REG_EXCESS_API_INSTANCES, /* more than 8 instances of one runtime */
    ROCP_REG_ERROR_CODE_END
} rocprofiler_register_error_code_t;

/* Identifies one registration: 8 * library index + instance. (The misspelt name is part of the
 * interface.) */
typedef struct rocprofiler_register_library_indentifier_t {
    uint64_t handle;
} rocprofiler_register_library_indentifier_t;

typedef struct rocprofiler_register_registration_info_t {
    size_t size;             /* of this struct */
    const char *common_name; /* "hip", ...; static storage */
    uint32_t lib_version;
    uint64_t api_table_length;
} rocprofiler_register_registration_info_t;

typedef uint32_t (*rocprofiler_register_import_func_t)(void);

/* `info` is valid during the call only. Non-zero ends the iteration. */
typedef int (*rocprofiler_register_registration_info_cb_t)(
    rocprofiler_register_registration_info_t *info, void *data);

/* Offers the API tables of one runtime instance.
 *
 * lib_name          "hsa", "hip", "hip_compiler", "roctx", "rccl", "rocdecode", "rocjpeg",
 *                   "rocshmem" or "hipfile"
 * import_func       the runtime's rocprofiler_register_import_<name>; never called; may be null
 * lib_version       ROCPROFILER_REGISTER_COMPUTE_VERSION_3(...)
 * api_tables        the tables; tools change them in place, so they must not move; not null.
 *                   Only the array of their addresses is copied.
 * api_table_length  number of tables, 1 to 8
 * register_id       receives the identity of the registration; not null; not written if a check
 *                   of the arguments fails
 *
 * No result is an error for the application. Thread-safe: while another thread registers, the call
 * waits, for two seconds at most. Registering the same first table again under the same name
 * changes nothing and has the same result as the first time.
 *
 * Results: the enumerators of rocprofiler_register_error_code_t. Defined in
 * src/register/registry.c. */
rocprofiler_register_error_code_t rocprofiler_register_library_api_table(
    const char *lib_name, rocprofiler_register_import_func_t import_func, uint32_t lib_version,
    void **api_tables, uint64_t api_table_length,
    rocprofiler_register_library_indentifier_t *register_id) ROCPROFILER_REGISTER_PUBLIC_API;

/* Returns an explanation of a code, in static storage; a fixed text for unknown codes, never null.
 * Thread-safe. Defined in src/register/registry.c. */
const char *rocprofiler_register_error_string(rocprofiler_register_error_code_t)
    ROCPROFILER_REGISTER_PUBLIC_API;

/* Calls the callback for each stored registration, oldest first, until it returns a value other
 * than 0. Always returns ROCP_REG_SUCCESS. Thread-safe; registrations made meanwhile may or may not
 * be included. Defined in src/register/registry.c. */
rocprofiler_register_error_code_t
rocprofiler_register_iterate_registration_info(rocprofiler_register_registration_info_cb_t callback,
                                               void *data) ROCPROFILER_REGISTER_PUBLIC_API;

#ifdef __cplusplus
}
#endif
#endif
