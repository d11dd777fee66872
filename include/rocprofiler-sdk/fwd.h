/* Types and enumerations that all services share: status, handles, kinds, operations, records. They
 * are declared apart from the functions, so that a header can name a type without the service it
 * belongs to. Values and layouts are those of ROCm's rocprofiler-sdk 1.0.0 and do not change. */
#ifndef ROCPROFILER_SDK_FWD_H_
#define ROCPROFILER_SDK_FWD_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/version.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** The result of a function. rocprofiler_get_status_name() returns its name,
 * rocprofiler_get_status_string() an explanation. */
typedef enum rocprofiler_status_t {
    ROCPROFILER_STATUS_SUCCESS = 0, /**< done */
    ROCPROFILER_STATUS_ERROR = 1,   /**< failed for a reason without a code of its own */
    ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND = 2,   /**< no context has this handle */
    ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND = 3,    /**< no buffer has this handle */
    ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND = 4,      /**< kind outside its enumeration */
    ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND = 5, /**< the kind has no such operation */
    ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND = 6,    /**< no callback thread has this handle */
    ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND = 7,     /**< no agent has this handle */
    ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND = 8,   /**< no counter has this handle or name */
    ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR = 9,       /**< the context cannot do this */
    ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID = 10,    /**< the context is not valid for this call */
    ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED = 11, /**< the context does not run */
    ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT =
        12, /**< another running context excludes this one */
    ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO =
        13, /**< the handle to be written must be zero before */
    ROCPROFILER_STATUS_ERROR_BUFFER_BUSY =
        14, /**< the buffer is being delivered and the caller must not wait */
    ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED =
        15, /**< the context has this service already */
    ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED =
        16, /**< the call is too late or too early: see the function */
    ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED = 17,  /**< the library does not offer this */
    ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI = 18, /**< structure sizes or versions do not fit */
    ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT = 19, /**< a null pointer or a value out of range */
    ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT = 20, /**< the agent has no such counter */
    ROCPROFILER_STATUS_ERROR_FINALIZED = 21,      /**< the library is finalised or finalising */
    ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED = 22, /**< the HSA runtime has not started */
    ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND = 23,  /**< the counter has no such dimension */
    ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND =
        24,                                              /**< an expression has an unknown name */
    ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED = 25, /**< a counter's expression is invalid */
    ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND = 26,         /**< never returned */
    ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD = 27,    /**< never returned */
    ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL = 28,   /**< the kernel driver is too old */
    ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES =
        29, /**< a limit of the library or memory is used up */
    ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND =
        30, /**< no counter configuration has this handle */
    ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT =
        31, /**< a context has services of dispatches and agents */
    ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT = 32,  /**< never returned */
    ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED = 33, /**< never returned */
    ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE = 34,     /**< the agent gave no queue for counting */
    ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS = 35, /**< never returned */
    ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH = 36, /**< the configuration is for another agent */
    ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE = 37,  /**< the system lacks what the service needs */
    ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT =
        38, /**< the hardware cannot count as much at once */
    ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED =
        39, /**< no counters are defined for the architecture */
    ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED = 40, /**< never returned */
    ROCPROFILER_STATUS_LAST = 41,                    /**< one past the last */
} rocprofiler_status_t;

/** The first half of a buffer record's type, which is (category, kind). */
typedef enum rocprofiler_buffer_category_t {
    ROCPROFILER_BUFFER_CATEGORY_NONE = 0,
    ROCPROFILER_BUFFER_CATEGORY_TRACING = 1,
    ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING = 2,
    ROCPROFILER_BUFFER_CATEGORY_COUNTERS = 3,
    ROCPROFILER_BUFFER_CATEGORY_LAST = 4,
} rocprofiler_buffer_category_t;

/** The type of an agent. */
typedef enum rocprofiler_agent_type_t {
    ROCPROFILER_AGENT_TYPE_NONE = 0,
    ROCPROFILER_AGENT_TYPE_CPU = 1,
    ROCPROFILER_AGENT_TYPE_GPU = 2,
    ROCPROFILER_AGENT_TYPE_LAST = 3,
} rocprofiler_agent_type_t;

/** When a callback runs, relative to the operation that it reports. */
typedef enum rocprofiler_callback_phase_t {
    ROCPROFILER_CALLBACK_PHASE_NONE = 0,   /**< neither: the operation is a single event */
    ROCPROFILER_CALLBACK_PHASE_ENTER = 1,  /**< before the function runs */
    ROCPROFILER_CALLBACK_PHASE_LOAD = 1,   /**< same value, for code objects and kernel symbols */
    ROCPROFILER_CALLBACK_PHASE_EXIT = 2,   /**< after the function has run */
    ROCPROFILER_CALLBACK_PHASE_UNLOAD = 2, /**< same value, for code objects and kernel symbols */
    ROCPROFILER_CALLBACK_PHASE_LAST = 3,
} rocprofiler_callback_phase_t;

/** What a callback tracing service reports. */
typedef enum rocprofiler_callback_tracing_kind_t {
    ROCPROFILER_CALLBACK_TRACING_NONE = 0,
    ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API = 1,
    ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API = 2,
    ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API = 3,
    ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API = 4,
    ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API = 5,
    ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API = 6,
    ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API = 7,
    ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API = 8,
    ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API = 9,
    ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT = 10,
    ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY = 11,
    ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH = 12,
    ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY = 13,
    ROCPROFILER_CALLBACK_TRACING_RCCL_API = 14,
    ROCPROFILER_CALLBACK_TRACING_OMPT = 15,
    ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION = 16,
    ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION = 17,
    ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API = 18,
    ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API = 19,
    ROCPROFILER_CALLBACK_TRACING_HIP_STREAM = 20,
    ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API = 21,
    ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH = 22,
    ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API = 23,
    ROCPROFILER_CALLBACK_TRACING_HIPFILE_API = 24,
    ROCPROFILER_CALLBACK_TRACING_HIP_EVENT = 25,
    ROCPROFILER_CALLBACK_TRACING_LAST = 26,
} rocprofiler_callback_tracing_kind_t;

/** What a buffer tracing service records: the second half of a record's type in category TRACING.
 */
typedef enum rocprofiler_buffer_tracing_kind_t {
    ROCPROFILER_BUFFER_TRACING_NONE = 0,
    ROCPROFILER_BUFFER_TRACING_HSA_CORE_API = 1,
    ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API = 2,
    ROCPROFILER_BUFFER_TRACING_HSA_IMAGE_EXT_API = 3,
    ROCPROFILER_BUFFER_TRACING_HSA_FINALIZE_EXT_API = 4,
    ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API = 5,
    ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API = 6,
    ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API = 7,
    ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API = 8,
    ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API = 9,
    ROCPROFILER_BUFFER_TRACING_MEMORY_COPY = 10,
    ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH = 11,
    ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY = 12,
    ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT = 13,
    ROCPROFILER_BUFFER_TRACING_RCCL_API = 14,
    ROCPROFILER_BUFFER_TRACING_OMPT = 15,
    ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION = 16,
    ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION = 17,
    ROCPROFILER_BUFFER_TRACING_ROCDECODE_API = 18,
    ROCPROFILER_BUFFER_TRACING_ROCJPEG_API = 19,
    ROCPROFILER_BUFFER_TRACING_HIP_STREAM = 20,
    ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT = 21,
    ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT = 22,
    ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT = 23,
    ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE = 24,
    ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_FAULT = 25,
    ROCPROFILER_BUFFER_TRACING_KFD_EVENT_QUEUE = 26,
    ROCPROFILER_BUFFER_TRACING_KFD_EVENT_UNMAP_FROM_GPU = 27,
    ROCPROFILER_BUFFER_TRACING_KFD_EVENT_DROPPED_EVENTS = 28,
    ROCPROFILER_BUFFER_TRACING_KFD_PAGE_MIGRATE = 29,
    ROCPROFILER_BUFFER_TRACING_KFD_PAGE_FAULT = 30,
    ROCPROFILER_BUFFER_TRACING_KFD_QUEUE = 31,
    ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API = 32,
    ROCPROFILER_BUFFER_TRACING_HIP_GRAPH = 33,
    ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API = 34,
    ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT = 35,
    ROCPROFILER_BUFFER_TRACING_HIPFILE_API = 36,
    ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT = 37,
    ROCPROFILER_BUFFER_TRACING_HIP_EVENT = 38,
    ROCPROFILER_BUFFER_TRACING_LAST = 39,
} rocprofiler_buffer_tracing_kind_t;

/** Operations of code object tracing. */
typedef enum rocprofiler_code_object_operation_t {
    ROCPROFILER_CODE_OBJECT_NONE = 0,
    ROCPROFILER_CODE_OBJECT_LOAD = 1,
    ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER = 2,
    ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER = 3,
    ROCPROFILER_CODE_OBJECT_LAST = 4,
} rocprofiler_code_object_operation_t;

/** Operations of HIP stream tracing. */
typedef enum rocprofiler_hip_stream_operation_t {
    ROCPROFILER_HIP_STREAM_NONE = 0,
    ROCPROFILER_HIP_STREAM_CREATE = 1,
    ROCPROFILER_HIP_STREAM_DESTROY = 2,
    ROCPROFILER_HIP_STREAM_SET = 3,
    ROCPROFILER_HIP_STREAM_LAST = 4,
} rocprofiler_hip_stream_operation_t;

/** Operations of HIP graph tracing, on executable graphs. Buffer records have EXEC_LAUNCH only. */
typedef enum rocprofiler_hip_graph_operation_t {
    ROCPROFILER_HIP_GRAPH_OPERATION_NONE = 0,
    ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_CREATE = 1,
    ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_DESTROY = 2,
    ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH = 3,
    ROCPROFILER_HIP_GRAPH_OPERATION_LAST = 4,
} rocprofiler_hip_graph_operation_t;

/** Operations of HIP event tracing: barrier packets that the runtime writes for events. */
typedef enum rocprofiler_hip_event_operation_t {
    ROCPROFILER_HIP_EVENT_NONE = 0,
    ROCPROFILER_HIP_EVENT_RECORD = 1, /**< the barrier of a hipEventRecord */
    ROCPROFILER_HIP_EVENT_WAIT = 2,   /**< the barrier of a hipStreamWaitEvent */
    ROCPROFILER_HIP_EVENT_LAST = 3,
} rocprofiler_hip_event_operation_t;

/** Operations of memory copy tracing: source and destination of the bytes. */
typedef enum rocprofiler_memory_copy_operation_t {
    ROCPROFILER_MEMORY_COPY_NONE = 0,
    ROCPROFILER_MEMORY_COPY_HOST_TO_HOST = 1,
    ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE = 2,
    ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST = 3,
    ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE = 4,
    ROCPROFILER_MEMORY_COPY_LAST = 5,
} rocprofiler_memory_copy_operation_t;

/** Operations of memory allocation tracing. */
typedef enum rocprofiler_memory_allocation_operation_t {
    ROCPROFILER_MEMORY_ALLOCATION_NONE = 0,
    ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE = 1,
    ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE = 2,
    ROCPROFILER_MEMORY_ALLOCATION_FREE = 3,
    ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE = 4,
    ROCPROFILER_MEMORY_ALLOCATION_LAST = 5,
} rocprofiler_memory_allocation_operation_t;

/** Operations of kernel dispatch tracing. Buffer records have COMPLETE only. */
typedef enum rocprofiler_kernel_dispatch_operation_t {
    ROCPROFILER_KERNEL_DISPATCH_NONE = 0,
    ROCPROFILER_KERNEL_DISPATCH_ENQUEUE = 1,
    ROCPROFILER_KERNEL_DISPATCH_COMPLETE = 2,
    ROCPROFILER_KERNEL_DISPATCH_LAST = 3,
} rocprofiler_kernel_dispatch_operation_t;

/** How a program counter is sampled. */
typedef enum rocprofiler_pc_sampling_method_t {
    ROCPROFILER_PC_SAMPLING_METHOD_NONE = 0,
    ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC = 1,
    ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP = 2,
    ROCPROFILER_PC_SAMPLING_METHOD_LAST = 3,
} rocprofiler_pc_sampling_method_t;

/** What the interval of PC sampling counts. */
typedef enum rocprofiler_pc_sampling_unit_t {
    ROCPROFILER_PC_SAMPLING_UNIT_NONE = 0,
    ROCPROFILER_PC_SAMPLING_UNIT_INSTRUCTIONS = 1,
    ROCPROFILER_PC_SAMPLING_UNIT_CYCLES = 2,
    ROCPROFILER_PC_SAMPLING_UNIT_TIME = 3,
    ROCPROFILER_PC_SAMPLING_UNIT_LAST = 4,
} rocprofiler_pc_sampling_unit_t;

/** What happens when a buffer is full. */
typedef enum rocprofiler_buffer_policy_t {
    ROCPROFILER_BUFFER_POLICY_NONE = 0,
    ROCPROFILER_BUFFER_POLICY_DISCARD = 1,  /**< a full buffer drops new records and counts them */
    ROCPROFILER_BUFFER_POLICY_LOSSLESS = 2, /**< a full buffer makes the producer help to deliver */
    ROCPROFILER_BUFFER_POLICY_LAST = 3,
} rocprofiler_buffer_policy_t;

/** Operations of scratch memory tracing. */
typedef enum rocprofiler_scratch_memory_operation_t {
    ROCPROFILER_SCRATCH_MEMORY_NONE = 0,
    ROCPROFILER_SCRATCH_MEMORY_ALLOC = 1,
    ROCPROFILER_SCRATCH_MEMORY_FREE = 2,
    ROCPROFILER_SCRATCH_MEMORY_ASYNC_RECLAIM = 3,
    ROCPROFILER_SCRATCH_MEMORY_LAST = 4,
} rocprofiler_scratch_memory_operation_t;

/** Runtime libraries as a bit mask. */
typedef enum rocprofiler_runtime_library_t {
    ROCPROFILER_LIBRARY = 1,
    ROCPROFILER_HSA_LIBRARY = 2,
    ROCPROFILER_HIP_LIBRARY = 4,
    ROCPROFILER_MARKER_LIBRARY = 8,
    ROCPROFILER_RCCL_LIBRARY = 16,
    ROCPROFILER_ROCDECODE_LIBRARY = 32,
    ROCPROFILER_ROCJPEG_LIBRARY = 64,
    ROCPROFILER_OMPT_LIBRARY = 128,
    ROCPROFILER_ROCSHMEM_LIBRARY = 256,
    ROCPROFILER_HIPFILE_LIBRARY = 512,
    ROCPROFILER_LIBRARY_LAST = 512,
} rocprofiler_runtime_library_t;

/** Runtime tables as a bit mask. */
typedef enum rocprofiler_intercept_table_t {
    ROCPROFILER_HSA_TABLE = 1,
    ROCPROFILER_HIP_RUNTIME_TABLE = 2,
    ROCPROFILER_HIP_COMPILER_TABLE = 4,
    ROCPROFILER_MARKER_CORE_TABLE = 8,
    ROCPROFILER_MARKER_CONTROL_TABLE = 16,
    ROCPROFILER_MARKER_NAME_TABLE = 32,
    ROCPROFILER_RCCL_TABLE = 64,
    ROCPROFILER_ROCDECODE_TABLE = 128,
    ROCPROFILER_ROCJPEG_TABLE = 256,
    ROCPROFILER_ROCSHMEM_TABLE = 512,
    ROCPROFILER_HIPFILE_TABLE = 1024,
    ROCPROFILER_TABLE_LAST = 1024,
} rocprofiler_intercept_table_t;

/** Operations of runtime initialisation tracing: which runtime has started. */
typedef enum rocprofiler_runtime_initialization_operation_t {
    ROCPROFILER_RUNTIME_INITIALIZATION_NONE = 0,
    ROCPROFILER_RUNTIME_INITIALIZATION_HSA = 1,
    ROCPROFILER_RUNTIME_INITIALIZATION_HIP = 2,
    ROCPROFILER_RUNTIME_INITIALIZATION_MARKER = 3,
    ROCPROFILER_RUNTIME_INITIALIZATION_RCCL = 4,
    ROCPROFILER_RUNTIME_INITIALIZATION_ROCDECODE = 5,
    ROCPROFILER_RUNTIME_INITIALIZATION_ROCJPEG = 6,
    ROCPROFILER_RUNTIME_INITIALIZATION_OMPT = 7,
    ROCPROFILER_RUNTIME_INITIALIZATION_ROCSHMEM = 8,
    ROCPROFILER_RUNTIME_INITIALIZATION_HIPFILE = 9,
    ROCPROFILER_RUNTIME_INITIALIZATION_LAST = 10,
} rocprofiler_runtime_initialization_operation_t;

/** Versions of the counter information structure. */
typedef enum rocprofiler_counter_info_version_id_t {
    ROCPROFILER_COUNTER_INFO_VERSION_NONE = 0,
    ROCPROFILER_COUNTER_INFO_VERSION_0 = 1,
    ROCPROFILER_COUNTER_INFO_VERSION_1 = 2,
    ROCPROFILER_COUNTER_INFO_VERSION_LAST = 3,
} rocprofiler_counter_info_version_id_t;

/** The second half of a record's type in category COUNTERS. */
typedef enum rocprofiler_counter_record_kind_t {
    ROCPROFILER_COUNTER_RECORD_NONE = 0,
    ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER = 1,
    ROCPROFILER_COUNTER_RECORD_VALUE = 2,
    ROCPROFILER_COUNTER_RECORD_LAST = 3,
} rocprofiler_counter_record_kind_t;

/** How counters are read or defined. */
typedef enum rocprofiler_counter_flag_t {
    ROCPROFILER_COUNTER_FLAG_NONE = 0,
    ROCPROFILER_COUNTER_FLAG_ASYNC = 1,
    ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION = 2,
    ROCPROFILER_COUNTER_FLAG_LAST = 3,
} rocprofiler_counter_flag_t;

/** The second half of a record's type in category PC_SAMPLING. */
typedef enum rocprofiler_pc_sampling_record_kind_t {
    ROCPROFILER_PC_SAMPLING_RECORD_NONE = 0,
    ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE = 1,
    ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE = 2,
    ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE = 3,
    ROCPROFILER_PC_SAMPLING_RECORD_LAST = 4,
} rocprofiler_pc_sampling_record_kind_t;

/** Nanoseconds of CLOCK_BOOTTIME, the clock of all records. */
typedef uint64_t rocprofiler_timestamp_t;
/** Kernel thread id (gettid). */
typedef uint64_t rocprofiler_thread_id_t;
/** An operation of a tracing kind, numbered by the enumeration that belongs to the kind. */
typedef int32_t rocprofiler_tracing_operation_t;
/** Id of a kernel symbol, numbered from 1 in the process. */
typedef uint64_t rocprofiler_kernel_id_t;
/** Id of a kernel dispatch, numbered from 1 in the process. */
typedef uint64_t rocprofiler_dispatch_id_t;
/** Identifies one value of a counter: the counter, and the value's position in each of its
 * dimensions. See counters.h. */
typedef uint64_t rocprofiler_counter_instance_id_t;
/** Id of a dimension of a counter. */
typedef uint64_t rocprofiler_counter_dimension_id_t;

/** A value of the tool, which the library passes on unchanged. */
typedef union rocprofiler_user_data_t {
    uint64_t value;
    void *ptr;
} rocprofiler_user_data_t;

/** An address, as a number or as a pointer. */
typedef union rocprofiler_address_t {
    uint64_t handle;
    uint64_t value;
    const void *ptr;
} rocprofiler_address_t;

/** Universally unique id. */
typedef struct rocprofiler_uuid_t {
    uint8_t bytes[16];
} rocprofiler_uuid_t;

/** Version in three numbers. */
typedef struct rocprofiler_version_triplet_t {
    uint32_t major;
    uint32_t minor;
    uint32_t patch;
} rocprofiler_version_triplet_t;

/* Handles. A handle of 0 is never valid. */
typedef struct rocprofiler_context_id_t {
    uint64_t handle;
} rocprofiler_context_id_t;

typedef struct rocprofiler_queue_id_t {
    uint64_t handle;
} rocprofiler_queue_id_t;

typedef struct rocprofiler_stream_id_t {
    uint64_t handle;
} rocprofiler_stream_id_t;

/** Id of an executable graph, counted from 1 in the order of creation; 0: none. */
typedef struct rocprofiler_graph_exec_id_t {
    uint64_t handle;
} rocprofiler_graph_exec_id_t;

/** Number of a kernel or copy within one launch of a graph, from 1 on; 0 if it is not in a graph.
 * Tools assign it, see rocprofiler_callback_tracing_hip_graph_data_t. */
typedef struct rocprofiler_graph_node_id_t {
    uint64_t handle;
} rocprofiler_graph_node_id_t;

/** The correlation id of a call, which all records about the call have. */
typedef struct rocprofiler_correlation_id_t {
    uint64_t internal;                /**< unique in the process, from 1 */
    rocprofiler_user_data_t external; /**< value pushed by the tool for the context and thread */
    uint64_t ancestor; /**< internal id of the enclosing traced call, 0 if there is none */
} rocprofiler_correlation_id_t;

/** The correlation id of asynchronous work: that of the call that started it. */
typedef struct rocprofiler_async_correlation_id_t {
    uint64_t internal;                /**< id of the call that started the work */
    rocprofiler_user_data_t external; /**< value pushed by the tool for the context and thread */
} rocprofiler_async_correlation_id_t;

/** Values that mean: there is no internal id, or no enclosing call. */
#define ROCPROFILER_CORRELATION_ID_INTERNAL_NONE ROCPROFILER_UINT64_C(0)
#define ROCPROFILER_CORRELATION_ID_ANCESTOR_NONE ROCPROFILER_UINT64_C(0)

typedef struct rocprofiler_buffer_id_t {
    uint64_t handle;
} rocprofiler_buffer_id_t;

typedef struct rocprofiler_agent_id_t {
    uint64_t handle;
} rocprofiler_agent_id_t;

typedef struct rocprofiler_counter_id_t {
    uint64_t handle;
} rocprofiler_counter_id_t;

typedef struct rocprofiler_counter_config_id_t {
    uint64_t handle;
} rocprofiler_counter_config_id_t;

/** Extents in three dimensions. */
typedef struct rocprofiler_dim3_t {
    uint32_t x;
    uint32_t y;
    uint32_t z;
} rocprofiler_dim3_t;

/** The record that is passed to a callback of callback tracing, by value. */
typedef struct rocprofiler_callback_tracing_record_t {
    rocprofiler_context_id_t context_id;
    rocprofiler_thread_id_t thread_id; /**< kernel thread id of the caller */
    rocprofiler_correlation_id_t correlation_id;
    rocprofiler_callback_tracing_kind_t kind;
    rocprofiler_tracing_operation_t operation;
    rocprofiler_callback_phase_t phase;
    void *payload; /**< the structure that belongs to the kind; valid during the callback */
} rocprofiler_callback_tracing_record_t;

/** Element of the array that a buffer callback gets: type and address of one record. */
typedef struct rocprofiler_record_header_t {
    __extension__ union {
        __extension__ struct {
            uint32_t category;
            uint32_t kind;
        };
        uint64_t hash; /**< category in the lower, kind in the upper half */
    };
    void *payload; /**< the record, whose type follows from category and kind; the buffer owns it */
} rocprofiler_record_header_t;

/** Information on a kernel dispatch. */
typedef struct rocprofiler_kernel_dispatch_info_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_queue_id_t queue_id;
    rocprofiler_kernel_id_t kernel_id;
    rocprofiler_dispatch_id_t dispatch_id; /**< numbered from 1 in the process */
    uint32_t private_segment_size;         /**< bytes per work-item */
    uint32_t group_segment_size;           /**< bytes per workgroup */
    rocprofiler_dim3_t workgroup_size;     /**< work-items */
    rocprofiler_dim3_t grid_size;          /**< work-items */
    uint8_t reserved_padding[56];
} rocprofiler_kernel_dispatch_info_t;

/** A dimension of a counter. */
typedef struct rocprofiler_counter_record_dimension_info_t {
    const char *name;
    size_t instance_size;
    rocprofiler_counter_dimension_id_t id;
} rocprofiler_counter_record_dimension_info_t;

/** A value of a counter. */
typedef struct rocprofiler_counter_record_t {
    rocprofiler_counter_instance_id_t id;
    double counter_value;
    rocprofiler_dispatch_id_t dispatch_id;
    rocprofiler_user_data_t user_data;
    rocprofiler_agent_id_t agent_id;
} rocprofiler_counter_record_t;

/* The names that these types had in the beta releases. */
typedef rocprofiler_counter_record_dimension_info_t rocprofiler_record_dimension_info_t;
typedef rocprofiler_counter_record_t rocprofiler_record_counter_t;
typedef rocprofiler_counter_config_id_t rocprofiler_profile_config_id_t;

/** Returns the hash of a record header with this category and kind. Any thread, any time. */
static inline uint64_t rocprofiler_record_header_compute_hash(uint32_t category, uint32_t kind)
{
    return (uint64_t)category | ((uint64_t)kind << 32);
}

ROCPROFILER_EXTERN_C_FINI

#endif
