/* Buffer tracing: records are collected in a buffer and delivered in batches. */
#ifndef ROCPROFILER_SDK_BUFFER_TRACING_H_
#define ROCPROFILER_SDK_BUFFER_TRACING_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hipfile.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/kfd/kfd_id.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/rocdecode.h>
#include <rocprofiler-sdk/rocshmem.h>

ROCPROFILER_EXTERN_C_INIT

/** Record of HSA API kinds. */
typedef struct rocprofiler_buffer_tracing_hsa_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_hsa_api_record_t;

/** Record of HIP API kinds. */
typedef struct rocprofiler_buffer_tracing_hip_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_hip_api_record_t;

/** Record of HIP API EXT kinds, which has arguments and result. */
typedef struct rocprofiler_buffer_tracing_hip_api_ext_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_hip_api_args_t args;
    rocprofiler_hip_api_retval_t retval;
} rocprofiler_buffer_tracing_hip_api_ext_record_t;

/** Record of marker API kinds. */
typedef struct rocprofiler_buffer_tracing_marker_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_marker_api_record_t;

/** Record of RCCL API. */
typedef struct rocprofiler_buffer_tracing_rccl_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_rccl_api_record_t;

/** Record of rocDecode API. */
typedef struct rocprofiler_buffer_tracing_rocdecode_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_rocdecode_api_id_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_rocdecode_api_record_t;

/** Record of rocDecode API EXT, which has arguments and result. */
typedef struct rocprofiler_buffer_tracing_rocdecode_api_ext_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_rocdecode_api_id_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_rocdecode_api_args_t args;
    rocprofiler_rocdecode_api_retval_t retval;
} rocprofiler_buffer_tracing_rocdecode_api_ext_record_t;

/** Record of rocJPEG API. */
typedef struct rocprofiler_buffer_tracing_rocjpeg_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_rocjpeg_api_record_t;

/** Record of rocSHMEM API. */
typedef struct rocprofiler_buffer_tracing_rocshmem_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_rocshmem_api_record_t;

/** Record of rocSHMEM API EXT, which has arguments and result. */
typedef struct rocprofiler_buffer_tracing_rocshmem_api_ext_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_rocshmem_api_args_t args;
    rocprofiler_rocshmem_api_retval_t retval;
} rocprofiler_buffer_tracing_rocshmem_api_ext_record_t;

/** Record of hipFile API. */
typedef struct rocprofiler_buffer_tracing_hipfile_api_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_hipfile_api_id_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
} rocprofiler_buffer_tracing_hipfile_api_record_t;

/** Record of hipFile API EXT, which has arguments and result. */
typedef struct rocprofiler_buffer_tracing_hipfile_api_ext_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_hipfile_api_id_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_hipfile_api_args_t args;
    rocprofiler_hipfile_api_retval_t retval;
} rocprofiler_buffer_tracing_hipfile_api_ext_record_t;

/** A target construct. Ids are the values that the tool has set in the runtime's ompt_data_t. */
typedef struct rocprofiler_buffer_tracing_ompt_target_t {
    int32_t kind; /**< ompt_target_t */
    int32_t device_num;
    uint64_t task_id;
    uint64_t target_id;
    const void *codeptr_ra; /**< return address of the runtime's call */
} rocprofiler_buffer_tracing_ompt_target_t;

/** A data operation of a target construct. */
typedef struct rocprofiler_buffer_tracing_ompt_target_data_op_t {
    uint64_t host_op_id;
    int32_t optype; /**< ompt_target_data_op_t */
    int32_t src_device_num;
    int32_t dst_device_num;
    int32_t reserved;
    uint64_t bytes;
    const void *codeptr_ra; /**< return address of the runtime's call */
} rocprofiler_buffer_tracing_ompt_target_data_op_t;

/** A kernel of a target construct. */
typedef struct rocprofiler_buffer_tracing_ompt_target_kernel_t {
    uint64_t host_op_id;
    int32_t device_num;
    uint32_t requested_num_teams;
} rocprofiler_buffer_tracing_ompt_target_kernel_t;

/** An OpenMP event, with details if it is one of a target construct. */
typedef struct rocprofiler_buffer_tracing_ompt_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation; /**< rocprofiler_ompt_operation_t */
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp;
    rocprofiler_timestamp_t end_timestamp;
    rocprofiler_thread_id_t thread_id;
    __extension__ union {
        rocprofiler_buffer_tracing_ompt_target_t target;
        rocprofiler_buffer_tracing_ompt_target_data_op_t target_data_op;
        rocprofiler_buffer_tracing_ompt_target_kernel_t target_kernel;
        uint64_t reserved[5];
    };
} rocprofiler_buffer_tracing_ompt_record_t;

/** Record of MEMORY_COPY. */
typedef struct rocprofiler_buffer_tracing_memory_copy_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_memory_copy_operation_t operation;
    rocprofiler_async_correlation_id_t correlation_id;
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t dst_agent_id;
    rocprofiler_agent_id_t src_agent_id;
    uint64_t bytes; /**< bytes copied */
    rocprofiler_address_t dst_address;
    rocprofiler_address_t src_address;
} rocprofiler_buffer_tracing_memory_copy_record_t;

/** Record of MEMORY_ALLOCATION. */
typedef struct rocprofiler_buffer_tracing_memory_allocation_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_memory_allocation_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_address_t address;
    uint64_t allocation_size; /**< bytes */
} rocprofiler_buffer_tracing_memory_allocation_record_t;

/** Record of KERNEL_DISPATCH: the times are those of the device. */
typedef struct rocprofiler_buffer_tracing_kernel_dispatch_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kernel_dispatch_operation_t operation;
    rocprofiler_async_correlation_id_t correlation_id;
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_buffer_tracing_kernel_dispatch_record_t;

/** Record of HIP graph tracing: one record for each launch that succeeded. */
typedef struct rocprofiler_buffer_tracing_hip_graph_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    uint32_t operation; /**< rocprofiler_hip_graph_operation_t */
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_timestamp_t start_timestamp; /**< of the call; ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t agent_id;         /**< of the stream's device */
    rocprofiler_queue_id_t queue_id;         /**< always 0, since a launch may use several */
    rocprofiler_graph_exec_id_t graph_exec_id;
    uint64_t kernel_dispatch_count; /**< kernels that the call has dispatched */
} rocprofiler_buffer_tracing_hip_graph_record_t;

/** Record of HIP event tracing: a barrier that the GPU has processed. */
typedef struct rocprofiler_buffer_tracing_hip_event_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_hip_event_operation_t operation;
    rocprofiler_async_correlation_id_t correlation_id; /**< of the call that caused it */
    rocprofiler_thread_id_t thread_id;                 /**< kernel thread id of its caller */
    rocprofiler_timestamp_t start_timestamp;           /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;  /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_agent_id_t agent_id;        /**< agent of the barrier's queue */
    rocprofiler_queue_id_t queue_id;        /**< the barrier's queue */
    uint64_t hip_event_handle;              /**< the hipEvent_t */
    rocprofiler_queue_id_t source_queue_id; /**< queue on which the event was recorded */
} rocprofiler_buffer_tracing_hip_event_record_t;

/** Record of KFD_EVENT_PAGE_MIGRATE. */
typedef struct rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_event_page_migrate_operation_t operation;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint32_t pid;                      /**< the process that owns the pages */
    rocprofiler_address_t start_address;
    rocprofiler_address_t end_address;      /**< first address after the pages */
    rocprofiler_agent_id_t src_agent;       /**< where the pages were */
    rocprofiler_agent_id_t dst_agent;       /**< where they are moved */
    rocprofiler_agent_id_t prefetch_agent;  /**< the last prefetch of the pages */
    rocprofiler_agent_id_t preferred_agent; /**< preferred location of the pages */
    int32_t error_code;                     /**< errno of the driver; 0: none or not known */
} rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t;

/** Record of KFD_EVENT_PAGE_FAULT. */
typedef struct rocprofiler_buffer_tracing_kfd_event_page_fault_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_event_page_fault_operation_t operation;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint32_t pid;                      /**< the process to which the event belongs */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_address_t address;
} rocprofiler_buffer_tracing_kfd_event_page_fault_record_t;

/** Record of KFD_EVENT_QUEUE. */
typedef struct rocprofiler_buffer_tracing_kfd_event_queue_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_event_queue_operation_t operation;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint32_t pid;                      /**< the process to which the event belongs */
    rocprofiler_agent_id_t agent_id;
} rocprofiler_buffer_tracing_kfd_event_queue_record_t;

/** Record of KFD_EVENT_UNMAP_FROM_GPU. */
typedef struct rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_event_unmap_from_gpu_operation_t operation;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint32_t pid;                      /**< the process to which the event belongs */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_address_t start_address;
    rocprofiler_address_t end_address; /**< first address after the pages */
} rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t;

/** Record of KFD_EVENT_DROPPED_EVENTS. */
typedef struct rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_event_dropped_events_operation_t operation;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint32_t pid;                      /**< the process to which the event belongs */
    uint32_t count;                    /**< number of lost events */
} rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t;

/** Record of KFD_PAGE_MIGRATE. */
typedef struct rocprofiler_buffer_tracing_kfd_page_migrate_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_page_migrate_operation_t operation;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    uint32_t pid;                            /**< the process that owns the pages */
    rocprofiler_address_t start_address;
    rocprofiler_address_t end_address;      /**< first address after the pages */
    rocprofiler_agent_id_t src_agent;       /**< where the pages were */
    rocprofiler_agent_id_t dst_agent;       /**< where they are moved */
    rocprofiler_agent_id_t prefetch_agent;  /**< the last prefetch of the pages */
    rocprofiler_agent_id_t preferred_agent; /**< preferred location of the pages */
    int32_t error_code;                     /**< errno of the driver; 0: none or not known */
} rocprofiler_buffer_tracing_kfd_page_migrate_record_t;

/** Record of KFD_PAGE_FAULT. */
typedef struct rocprofiler_buffer_tracing_kfd_page_fault_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_page_fault_operation_t operation;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    uint32_t pid;                            /**< the process to which the event belongs */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_address_t address;
} rocprofiler_buffer_tracing_kfd_page_fault_record_t;

/** Record of KFD_QUEUE. */
typedef struct rocprofiler_buffer_tracing_kfd_queue_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_kfd_queue_operation_t operation;
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    uint32_t pid;                            /**< the process to which the event belongs */
    rocprofiler_agent_id_t agent_id;
} rocprofiler_buffer_tracing_kfd_queue_record_t;

/** Record of SCRATCH_MEMORY. */
typedef struct rocprofiler_buffer_tracing_scratch_memory_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_scratch_memory_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_agent_id_t agent_id;
    rocprofiler_queue_id_t queue_id;
    rocprofiler_thread_id_t thread_id;       /**< kernel thread id of the caller */
    rocprofiler_timestamp_t start_timestamp; /**< ns, CLOCK_BOOTTIME */
    rocprofiler_timestamp_t end_timestamp;   /**< ns, CLOCK_BOOTTIME; never before start */
    rocprofiler_scratch_alloc_flag_t flags;
    uint64_t allocation_size; /**< bytes */
} rocprofiler_buffer_tracing_scratch_memory_record_t;

/** Record of CORRELATION_ID_RETIREMENT: no later record carries this id. */
typedef struct rocprofiler_buffer_tracing_correlation_id_retirement_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint64_t internal_correlation_id;
} rocprofiler_buffer_tracing_correlation_id_retirement_record_t;

/** Record of RUNTIME_INITIALIZATION. */
typedef struct rocprofiler_buffer_tracing_runtime_initialization_record_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_buffer_tracing_kind_t kind;
    rocprofiler_runtime_initialization_operation_t operation;
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_thread_id_t thread_id; /**< kernel thread id of the caller */
    rocprofiler_timestamp_t timestamp; /**< ns, CLOCK_BOOTTIME */
    uint64_t version;
    uint64_t instance;
} rocprofiler_buffer_tracing_runtime_initialization_record_t;

/** Called for one kind; a return value other than 0 ends the iteration. */
typedef int (*rocprofiler_buffer_tracing_kind_cb_t)(rocprofiler_buffer_tracing_kind_t kind,
                                                    void *data);

/** Called for one operation; a return value other than 0 ends the iteration. */
typedef int (*rocprofiler_buffer_tracing_kind_operation_cb_t)(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation, void *data);

/** Called for one argument; a return value other than 0 ends the iteration.
 * @param kind of the record
 * @param operation of the record
 * @param arg_number position, from 0
 * @param arg_value_addr address of the value in the record
 * @param arg_indirection_count number of pointers in its type
 * @param arg_type its C type as text
 * @param arg_name its name
 * @param arg_value_str its value as text, valid during the call
 * @param data as given to the iteration */
typedef int (*rocprofiler_buffer_tracing_operation_args_cb_t)(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
    uint32_t arg_number, const void *const arg_value_addr, int32_t arg_indirection_count,
    const char *arg_type, const char *arg_name, const char *arg_value_str, void *data);

/** Adds buffer tracing of a kind to a context.
 * @param context_id the context
 * @param kind what to trace; a context has each kind once at most
 * @param operations those to trace; null: all
 * @param operations_count their number; 0: all
 * @param buffer_id a buffer made for this context; several kinds may share it
 * @retval ROCPROFILER_STATUS_SUCCESS added
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a count without operations
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND the kind lacks one of the operations
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the library does not trace this kind
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context has this kind */
rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t operations_count,
    rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

/** Returns the name of a kind, such as "KERNEL_DISPATCH". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind */
rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                           const char **name, uint64_t *name_len) ROCPROFILER_API;

/** Returns the name of an operation, such as "KERNEL_DISPATCH_COMPLETE". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT the kind is NONE
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the kind has no operations
 * @retval ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND the kind has no such operation; then name is
 * null and its length 0 */
rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_operation_name(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
    const char **name, uint64_t *name_len) ROCPROFILER_API;

/** Calls callback for each kind, in the order of their numbers. Any thread, any time.
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null */
rocprofiler_status_t
rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback,
                                         void *data) ROCPROFILER_API;

/** Calls callback for each operation of a kind, in the order of their numbers. Any thread, any
 * time.
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null, or the kind is NONE or LAST
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the kind has no operations */
rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback,
    void *data) ROCPROFILER_API;

/** Calls callback for each argument of a record of an EXT kind, in the order of the signature. To
 * be called only inside the buffer callback that got the record. Pointers are not followed.
 * @param record as the buffer callback got it
 * @param callback called for the arguments
 * @param user_data passed to callback
 * @retval ROCPROFILER_STATUS_SUCCESS also when a callback ended the iteration
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback or the payload is null
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND not a tracing record, or no such kind
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED records of the kind have no arguments */
rocprofiler_status_t rocprofiler_iterate_buffer_tracing_record_args(
    rocprofiler_record_header_t record, rocprofiler_buffer_tracing_operation_args_cb_t callback,
    void *user_data) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
