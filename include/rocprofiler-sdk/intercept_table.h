/* Tables of the runtimes' functions, for tools that replace functions themselves. */
#ifndef ROCPROFILER_SDK_INTERCEPT_TABLE_H_
#define ROCPROFILER_SDK_INTERCEPT_TABLE_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Called with a runtime's table when the runtime registers it, after the library has put its own
 * functions into the table, so that the tool's functions are outermost. The tool keeps the old
 * entry and calls it (chaining). Entries beyond the size (HIP, ROCTx) or minor version (HSA) that
 * the table states do not exist. It runs on the thread that starts the runtime, whose functions
 * must not be called here.
 * @param type the table
 * @param lib_version 10000 * major + 100 * minor + patch of the runtime
 * @param lib_instance 0 for the first registration of this runtime, then 1, ...
 * @param tables exactly one table; for HSA the container
 * @param num_tables 1
 * @param user_data as given at registration */
typedef void (*rocprofiler_intercept_library_cb_t)(rocprofiler_intercept_table_t type,
                                                   uint64_t lib_version, uint64_t lib_instance,
                                                   void **tables, uint64_t num_tables,
                                                   void *user_data);

/** Registers a callback for tables. May be called several times; the callbacks for a table run in
 * the order of registration.
 * @param callback called with the tables
 * @param libs rocprofiler_intercept_table_t values, or-ed; 0 means all
 * @param data passed to callback
 * @retval ROCPROFILER_STATUS_SUCCESS registered
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null or a bit is unknown
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED initialisation is over
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES memory is used up */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t callback, int libs,
                                            void *data) ROCPROFILER_API;

/** Returns the name of a table, such as "HIP (runtime)". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT kind is not exactly one table */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_query_intercept_table_name(rocprofiler_intercept_table_t kind,
                                                            const char **name,
                                                            uint64_t *name_len) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
