/* Callback tracing: the tool is called before and after each traced operation, on the thread that
 * performs it. */
#ifndef ROCPROFILER_SDK_CALLBACK_TRACING_H_
#define ROCPROFILER_SDK_CALLBACK_TRACING_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hipfile.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/rccl.h>
#include <rocprofiler-sdk/rocdecode.h>
#include <rocprofiler-sdk/rocjpeg.h>
#include <rocprofiler-sdk/rocshmem.h>

ROCPROFILER_EXTERN_C_INIT

/** The id of no code object. */
#define ROCPROFILER_CODE_OBJECT_ID_NONE ROCPROFILER_UINT64_C(0)

/** Where a code object came from. */
typedef enum rocprofiler_code_object_storage_type_t {
    ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_NONE = 0,
    ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE = 1,
    ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY = 2,
    ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_LAST = 3,
} rocprofiler_code_object_storage_type_t;

/** Payload of HSA API kinds. Arguments must not be changed; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_hsa_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_hsa_api_args_t args;
    rocprofiler_hsa_api_retval_t retval;
} rocprofiler_callback_tracing_hsa_api_data_t;

/** Payload of HIP API kinds; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_hip_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_hip_api_args_t args;
    rocprofiler_hip_api_retval_t retval;
} rocprofiler_callback_tracing_hip_api_data_t;

/** Payload of RCCL API; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_rccl_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_rccl_api_args_t args;
    rocprofiler_rccl_api_retval_t retval;
} rocprofiler_callback_tracing_rccl_api_data_t;

/** Payload of rocDecode API; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_rocdecode_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_rocdecode_api_args_t args;
    rocprofiler_rocdecode_api_retval_t retval;
} rocprofiler_callback_tracing_rocdecode_api_data_t;

/** Payload of rocJPEG API; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_rocjpeg_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_rocjpeg_api_args_t args;
    rocprofiler_rocjpeg_api_retval_t retval;
} rocprofiler_callback_tracing_rocjpeg_api_data_t;

/** Payload of rocSHMEM API. Its functions return nothing, so retval is not set. */
typedef struct rocprofiler_callback_tracing_rocshmem_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_rocshmem_api_args_t args;
    rocprofiler_rocshmem_api_retval_t retval;
} rocprofiler_callback_tracing_rocshmem_api_data_t;

/** Payload of hipFile API; retval is set at EXIT. */
typedef struct rocprofiler_callback_tracing_hipfile_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_hipfile_api_args_t args;
    rocprofiler_hipfile_api_retval_t retval;
} rocprofiler_callback_tracing_hipfile_api_data_t;

/** Payload of OpenMP events: the arguments are in the member of the operation's name. */
typedef struct rocprofiler_callback_tracing_ompt_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_ompt_args_t args;
} rocprofiler_callback_tracing_ompt_data_t;

/** Payload of marker API kinds; retval is set at EXIT. A range of MARKER_CORE_RANGE_API is one
 * operation: ENTER when it begins, and EXIT when it ends, which may be on another thread. The
 * message of a range is a copy owned by the library, valid during the callback. */
typedef struct rocprofiler_callback_tracing_marker_api_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_marker_api_args_t args;
    rocprofiler_marker_api_retval_t retval;
} rocprofiler_callback_tracing_marker_api_data_t;

/** Payload of CODE_OBJECT, operation LOAD. Texts are valid until the code object is unloaded. */
typedef struct rocprofiler_callback_tracing_code_object_load_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    uint64_t code_object_id;
    __extension__ union {
        rocprofiler_agent_id_t rocp_agent;
        rocprofiler_agent_id_t agent_id;
    };
    hsa_agent_t hsa_agent;
    const char *uri;
    uint64_t load_base;
    uint64_t load_size;
    int64_t load_delta;
    rocprofiler_code_object_storage_type_t storage_type;
    __extension__ union {
        __extension__ struct {
            int storage_file;
        };
        __extension__ struct {
            uint64_t memory_base;
            uint64_t memory_size;
        };
    };
} rocprofiler_callback_tracing_code_object_load_data_t;

/** Payload of CODE_OBJECT, operation DEVICE_KERNEL_SYMBOL_REGISTER. */
typedef struct rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    uint64_t kernel_id;
    uint64_t code_object_id;
    const char *kernel_name;
    uint64_t kernel_object;
    uint32_t kernarg_segment_size;
    uint32_t kernarg_segment_alignment;
    uint32_t group_segment_size;
    uint32_t private_segment_size;
    uint32_t sgpr_count;
    uint32_t arch_vgpr_count;
    uint32_t accum_vgpr_count;
    uint16_t wave_size; /**< work-items of a wave, 32 or 64; 0: not known. AMD's header has padding
                             here, which its library sets to 0. */
    uint16_t wgp_mode;  /**< 1: a workgroup may be on both compute units of a WGP (from gfx10 on).
                             Padding in AMD's header, too. */
    int64_t kernel_code_entry_byte_offset;
    rocprofiler_address_t kernel_address;
} rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;

/** Payload of CODE_OBJECT, operation HOST_KERNEL_SYMBOL_REGISTER. */
typedef struct rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    uint64_t host_function_id;
    uint64_t kernel_id;
    uint64_t code_object_id;
    rocprofiler_address_t host_function;
    rocprofiler_address_t modules;
    const char *device_function;
    uint32_t thread_limit;
    rocprofiler_dim3_t thread_ids;
    rocprofiler_dim3_t block_ids;
    rocprofiler_dim3_t block_dims;
    rocprofiler_dim3_t grid_dims;
    uint64_t workgroup_size;
} rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t;

/** Payload of KERNEL_DISPATCH. Timestamps are set when the operation is COMPLETE. */
typedef struct rocprofiler_callback_tracing_kernel_dispatch_data_t {
    uint64_t size;                           /**< bytes of this structure as the library knows it */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_callback_tracing_kernel_dispatch_data_t;

/** Payload of MEMORY_COPY. Timestamps are set at EXIT, when the copy is done. */
typedef struct rocprofiler_callback_tracing_memory_copy_data_t {
    uint64_t size;                           /**< bytes of this structure as the library knows it */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t dst_agent_id;
    rocprofiler_agent_id_t src_agent_id;
    uint64_t bytes; /**< bytes copied */
    rocprofiler_address_t dst_address;
    rocprofiler_address_t src_address;
} rocprofiler_callback_tracing_memory_copy_data_t;

/** Payload of MEMORY_ALLOCATION. */
typedef struct rocprofiler_callback_tracing_memory_allocation_data_t {
    uint64_t size;                           /**< bytes of this structure as the library knows it */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_address_t address;
    uint64_t allocation_size;
} rocprofiler_callback_tracing_memory_allocation_data_t;

/** Payload of SCRATCH_MEMORY. */
typedef struct rocprofiler_callback_tracing_scratch_memory_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_queue_id_t queue_id;
    rocprofiler_scratch_alloc_flag_t flags;
    hsa_amd_tool_event_kind_t args_kind;
    rocprofiler_scratch_memory_args_t args;
} rocprofiler_callback_tracing_scratch_memory_data_t;

/** Payload of RUNTIME_INITIALIZATION. */
typedef struct rocprofiler_callback_tracing_runtime_initialization_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    uint64_t version;
    uint64_t instance;
} rocprofiler_callback_tracing_runtime_initialization_data_t;

/** Payload of HIP_STREAM. */
typedef struct rocprofiler_callback_tracing_hip_stream_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_stream_id_t stream_id;
    rocprofiler_address_t stream_value;
} rocprofiler_callback_tracing_hip_stream_data_t;

/** Payload of HIP graph tracing. EXEC_CREATE and EXEC_DESTROY have phase NONE and are reported
 * after the call has succeeded; a graph that was created while no context traced graphs is reported
 * as created when it is first launched. EXEC_LAUNCH has ENTER and EXIT on the launching thread:
 * kernels and copies that are started between them belong to the graph. A tool that supplies
 * external ids can mark these with an id of its own. */
typedef struct rocprofiler_callback_tracing_hip_graph_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_graph_exec_id_t graph_exec_id;
    rocprofiler_address_t graph_exec_value; /**< the hipGraphExec_t */
} rocprofiler_callback_tracing_hip_graph_data_t;

/** Payload of HIP event tracing: phases ENTER and EXIT around the writing of a barrier packet;
 * phase NONE, the only one with timestamps, when the GPU has processed the barrier. If the runtime
 * writes no packet for a record or a wait, but another packet has its effect, only NONE is
 * reported; otherwise nothing is. */
typedef struct rocprofiler_callback_tracing_hip_event_data_t {
    uint64_t size;                           /**< bytes of this structure as the library knows it */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t agent_id;         /**< agent of the barrier's queue */
    rocprofiler_queue_id_t queue_id;         /**< the barrier's queue */
    uint64_t hip_event_handle;               /**< the hipEvent_t */
    rocprofiler_queue_id_t source_queue_id;  /**< queue on which the event was recorded */
} rocprofiler_callback_tracing_hip_event_data_t;

/** Called for one event, on the thread that performs the traced operation; completions are reported
 * on a thread of the library or of the runtime. It may call functions of the runtimes, which are
 * traced like others.
 * @param record the event; its payload is of the type that belongs to the kind
 * @param user_data storage of this context for this operation, zero at ENTER, kept until EXIT
 * @param callback_data as given when the service was configured */
typedef void (*rocprofiler_callback_tracing_cb_t)(rocprofiler_callback_tracing_record_t record,
                                                  rocprofiler_user_data_t *user_data,
                                                  void *callback_data);

/** Called for one kind; a return value other than 0 ends the iteration. */
typedef int (*rocprofiler_callback_tracing_kind_cb_t)(rocprofiler_callback_tracing_kind_t kind,
                                                      void *data);

/** Called for one operation; a return value other than 0 ends the iteration. */
typedef int (*rocprofiler_callback_tracing_kind_operation_cb_t)(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
    void *data);

/** Called for one argument; a return value other than 0 ends the iteration.
 * @param kind of the record
 * @param operation of the record
 * @param arg_number position, from 0
 * @param arg_value_addr address of the value
 * @param arg_indirection_count number of pointers in its type
 * @param arg_type its C type as text
 * @param arg_name its name
 * @param arg_value_str its value as text, valid during the call
 * @param arg_dereference_count how many pointers were followed for the text
 * @param data as given to the iteration */
typedef int (*rocprofiler_callback_tracing_operation_args_cb_t)(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
    uint32_t arg_number, const void *const arg_value_addr, int32_t arg_indirection_count,
    const char *arg_type, const char *arg_name, const char *arg_value_str,
    int32_t arg_dereference_count, void *data);

/** Adds callback tracing of a kind to a context.
 * @param context_id the context
 * @param kind what to trace; a context has each kind once at most
 * @param operations those to trace; null: all
 * @param operations_count their number; 0: all
 * @param callback called for the events of all of them
 * @param callback_args passed to callback
 * @retval ROCPROFILER_STATUS_SUCCESS added
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null, or a count without operations
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND the kind lacks one of the operations
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the library does not trace this kind
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context has this kind */
rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t operations_count,
    rocprofiler_callback_tracing_cb_t callback, void *callback_args) ROCPROFILER_API;

/** Returns the name of a kind, such as "HIP_RUNTIME_API". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind */
rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                             const char **name, uint64_t *name_len) ROCPROFILER_API;

/** Returns the name of an operation, such as "hipMalloc". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT the kind is NONE
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the kind has no operations
 * @retval ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND the kind has no such operation; then name is
 * null and its length 0 */
rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
    const char **name, uint64_t *name_len) ROCPROFILER_API;

/** Calls callback for each kind, in the order of their numbers. Any thread, any time.
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null */
rocprofiler_status_t
rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
                                           void *data) ROCPROFILER_API;

/** Calls callback for each operation of a kind, in the order of their numbers. Any thread, any
 * time.
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null, or the kind is NONE or LAST
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the kind has no operations */
rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind,
    rocprofiler_callback_tracing_kind_operation_cb_t callback, void *data) ROCPROFILER_API;

/** Calls callback for each argument of an API record. To be called only inside the callback that
 * got the record.
 * @param record as the tracing callback got it
 * @param callback called for the arguments, in the order of the signature
 * @param max_dereference_count the number of pointers that may be followed for one argument, only
 * where they are known to point to readable memory; 0: none
 * @param user_data passed to callback
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback or the payload is null
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the kind has no arguments to iterate */
rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
    rocprofiler_callback_tracing_record_t record,
    rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t max_dereference_count,
    void *user_data) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
