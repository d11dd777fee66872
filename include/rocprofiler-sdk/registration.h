/* How the library finds a tool. A tool is any object file that exports rocprofiler_configure: the
 * program itself, a library it links or preloads, or one named in ROCP_TOOL_LIBRARIES. */
#ifndef ROCPROFILER_SDK_REGISTRATION_H_
#define ROCPROFILER_SDK_REGISTRATION_H_

#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/context.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Identity of a tool, passed to rocprofiler_configure. Valid as long as the process. In C++ a
 * pointer to it and a copy of it convert into each other, because the samples in AMD's
 * documentation need that; a pointer to a copy is valid as long as the copy. */
typedef struct rocprofiler_client_id_t {
    size_t size;           /**< bytes of this structure as the library knows it */
    const char *name;      /**< the tool may set it; the text belongs to the tool */
    const uint32_t handle; /**< the tool must not change it */
#ifdef __cplusplus
    rocprofiler_client_id_t() : size(sizeof(rocprofiler_client_id_t)), name(), handle() {}
    rocprofiler_client_id_t(size_t size_, const char *name_, uint32_t handle_)
        : size(size_), name(name_), handle(handle_)
    {
    }
    rocprofiler_client_id_t(const rocprofiler_client_id_t *other)
        : size(other ? other->size : 0), name(other ? other->name : 0),
          handle(other ? other->handle : 0)
    {
    }
    operator rocprofiler_client_id_t *()
    {
        return this;
    }
#endif
} rocprofiler_client_id_t;

/** Finalises a tool early: its contexts are stopped, its buffers are delivered, and its finalize
 * function is called once. If it is the only tool in the process, the whole library is finalised.
 * Any thread, also one that the tool has created. A second call has no effect; nor has a call with
 * an id that is not the tool's own. */
typedef void (*rocprofiler_client_finalize_t)(rocprofiler_client_id_t);

/** Called once, after all tools are configured. It creates the tool's contexts, buffers and
 * services, and must not call HIP or HSA. The return value is ignored. */
typedef int (*rocprofiler_tool_initialize_t)(rocprofiler_client_finalize_t finalize_func,
                                             void *tool_data);

/** Called once, after the last record of the tool's contexts has been delivered. */
typedef void (*rocprofiler_tool_finalize_t)(void *tool_data);

/** What rocprofiler_configure returns; the library copies it at once. */
typedef struct rocprofiler_tool_configure_result_t {
    size_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_tool_initialize_t initialize; /**< may be null */
    rocprofiler_tool_finalize_t finalize;     /**< may be null */
    void *tool_data;                          /**< given to both */
} rocprofiler_tool_configure_result_t;

/** Type of rocprofiler_configure. */
typedef rocprofiler_tool_configure_result_t *(*rocprofiler_configure_func_t)(
    uint32_t version, const char *runtime_version, uint32_t priority,
    rocprofiler_client_id_t *client_id);

/** Defined by the tool; the library finds it by its name. It is called once, on the thread that
 * starts the first runtime (or that forced the configuration), before any initialize function.
 * @param version 10000 * major + 100 * minor + patch of the library
 * @param runtime_version the same as text
 * @param priority number of tools configured before this one
 * @param client_id identity of this tool, valid for the life of the process
 * @return the functions to call, or null if the tool takes no part. Contexts cannot be created
 * here. */
rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
                      rocprofiler_client_id_t *client_id) ROCPROFILER_EXPORT;

/** Writes the state of initialisation to status: 0 not begun, -1 in progress, 1 done. Any thread,
 * any time.
 * @retval ROCPROFILER_STATUS_SUCCESS status is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null */
rocprofiler_status_t rocprofiler_is_initialized(int *status) ROCPROFILER_API;

/** Writes the state of finalisation to status: 0 not begun, -1 in progress, 1 done. Any thread, any
 * time.
 * @retval ROCPROFILER_STATUS_SUCCESS status is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null */
rocprofiler_status_t rocprofiler_is_finalized(int *status) ROCPROFILER_API;

/** Initialises the library now, before any runtime starts, with configure_func as the first tool
 * (null: only the tools that are found anyway). Sets ROCPROFILER_REGISTER_FORCE_LOAD=1 in the
 * environment. Call it from one thread, early.
 * @retval ROCPROFILER_STATUS_SUCCESS every tool has been configured and initialised
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED initialisation has begun already, or this
 * function was called before */
rocprofiler_status_t
rocprofiler_force_configure(rocprofiler_configure_func_t configure_func) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
