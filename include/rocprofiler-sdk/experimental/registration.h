/* How a tool is attached to a running program. The program must have been started with
 * ROCP_TOOL_ATTACH=1; "rocprofv3 --pid" and librocprofiler-sdk-rocattach attach the tool. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_REGISTRATION_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_REGISTRATION_H_

#include <rocprofiler-sdk/registration.h>

ROCPROFILER_EXTERN_C_INIT

/** Ends the attachment of the tool with this id, as the attaching process may do at any time: stops
 * the tool's contexts, delivers its buffers, calls its detach function. Any thread; without effect
 * while an attach or a detach is under way. */
typedef void (*rocprofiler_client_detach_t)(rocprofiler_client_id_t client_id);

/** Called when the tool is attached: the first time directly after its initialize function, later
 * when it is attached again after a detach. It runs on a thread of the library.
 * @param detach_func for a tool that wants to end the attachment itself
 * @param context_ids the tool's contexts that the last detach has stopped, which the tool has to
 * start again; the first time, those that are running already
 * @param context_ids_length their number
 * @param tool_data from rocprofiler_tool_configure_attach_result_t
 * @return 0; with anything else the tool is not attached, and the attaching process gets an
 * error */
typedef int (*rocprofiler_tool_attach_t)(rocprofiler_client_detach_t detach_func,
                                         rocprofiler_context_id_t *context_ids,
                                         uint64_t context_ids_length, void *tool_data);

/** Called when the tool is detached, after its contexts have been stopped and its buffers
 * delivered. */
typedef void (*rocprofiler_tool_detach_t)(void *tool_data);

/** What rocprofiler_configure_attach returns; the library copies it at once. */
typedef struct rocprofiler_tool_configure_attach_result_t {
    size_t size;                           /**< bytes of this structure as the tool knows it */
    rocprofiler_tool_attach_t tool_attach; /**< may be null */
    rocprofiler_tool_detach_t tool_detach; /**< may be null */
    void *tool_data;                       /**< given to both */
} rocprofiler_tool_configure_attach_result_t;

/** Defined by a tool that can be attached, in addition to rocprofiler_configure, and found by name.
 * Called after that function with the same arguments, and only when the tool is attached.
 * @return what to call, or null: the tool is then started as at the program's start */
rocprofiler_tool_configure_attach_result_t *
rocprofiler_configure_attach(uint32_t version, const char *runtime_version, uint32_t priority,
                             rocprofiler_client_id_t *client_id) ROCPROFILER_EXPORT;

ROCPROFILER_EXTERN_C_FINI

#endif
