/* domain.h - the one list of what this library traces.
 *
 * A domain is a set of operations that a callback kind, a buffer kind or both describe. A row makes
 * its kinds configurable, gives the operations their elements in the table of plans, and says where
 * their names are. Every kind has a row; kinds that are not implemented give no records, which is
 * what a tool sees of a library that is not loaded. */
#ifndef CROCPROF_SDK_DOMAIN_H
#define CROCPROF_SDK_DOMAIN_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Name, number of operations (0 to n-1; kinds that count from 1 leave 0 unused), callback kind,
 * buffer kind, buffer kind with arguments (0: there is none). */
#define SDK_DOMAINS(X)                                                                             \
    X(HSA_CORE, ROCPROFILER_HSA_CORE_API_ID_LAST, ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,       \
      ROCPROFILER_BUFFER_TRACING_HSA_CORE_API, 0)                                                  \
    X(HSA_AMD_EXT, ROCPROFILER_HSA_AMD_EXT_API_ID_LAST,                                            \
      ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API, 0) \
    X(HSA_IMAGE_EXT, ROCPROFILER_HSA_IMAGE_EXT_API_ID_LAST,                                        \
      ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API,                                              \
      ROCPROFILER_BUFFER_TRACING_HSA_IMAGE_EXT_API, 0)                                             \
    X(HSA_FINALIZE_EXT, ROCPROFILER_HSA_FINALIZE_EXT_API_ID_LAST,                                  \
      ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API,                                           \
      ROCPROFILER_BUFFER_TRACING_HSA_FINALIZE_EXT_API, 0)                                          \
    X(HIP_RUNTIME, ROCPROFILER_HIP_RUNTIME_API_ID_LAST,                                            \
      ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API,    \
      ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT)                                              \
    X(HIP_COMPILER, ROCPROFILER_HIP_COMPILER_API_ID_LAST,                                          \
      ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API,  \
      ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT)                                             \
    X(MARKER_CORE, ROCPROFILER_MARKER_CORE_API_ID_LAST,                                            \
      ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API, 0) \
    X(MARKER_CONTROL, ROCPROFILER_MARKER_CONTROL_API_ID_LAST,                                      \
      ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API,                                             \
      ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API, 0)                                            \
    X(MARKER_NAME, ROCPROFILER_MARKER_NAME_API_ID_LAST,                                            \
      ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API, ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API, 0) \
    X(MARKER_CORE_RANGE, ROCPROFILER_MARKER_CORE_RANGE_API_ID_LAST,                                \
      ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API,                                          \
      ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API, 0)                                         \
    X(CODE_OBJECT, ROCPROFILER_CODE_OBJECT_LAST, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, 0, 0)   \
    X(KERNEL_DISPATCH, ROCPROFILER_KERNEL_DISPATCH_LAST,                                           \
      ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, 0) \
    X(MEMORY_COPY, ROCPROFILER_MEMORY_COPY_LAST, ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY,         \
      ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, 0)                                                   \
    X(MEMORY_ALLOCATION, ROCPROFILER_MEMORY_ALLOCATION_LAST,                                       \
      ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION,                                              \
      ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION, 0)                                             \
    X(SCRATCH_MEMORY, ROCPROFILER_SCRATCH_MEMORY_LAST,                                             \
      ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY, ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY, 0)   \
    X(HIP_STREAM, ROCPROFILER_HIP_STREAM_LAST, ROCPROFILER_CALLBACK_TRACING_HIP_STREAM,            \
      ROCPROFILER_BUFFER_TRACING_HIP_STREAM, 0)                                                    \
    X(RETIREMENT, 1, 0, ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, 0)                   \
    X(RUNTIME_INITIALIZATION, ROCPROFILER_RUNTIME_INITIALIZATION_LAST,                             \
      ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION,                                         \
      ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION, 0)                                        \
    X(RCCL_API, ROCPROFILER_RCCL_API_ID_LAST, ROCPROFILER_CALLBACK_TRACING_RCCL_API,               \
      ROCPROFILER_BUFFER_TRACING_RCCL_API, 0)                                                      \
    X(ROCDECODE_API, ROCPROFILER_ROCDECODE_API_ID_LAST,                                            \
      ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API, ROCPROFILER_BUFFER_TRACING_ROCDECODE_API,        \
      ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT)                                                \
    X(ROCJPEG_API, ROCPROFILER_ROCJPEG_API_ID_LAST, ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API,      \
      ROCPROFILER_BUFFER_TRACING_ROCJPEG_API, 0)                                                   \
    X(ROCSHMEM_API, ROCPROFILER_ROCSHMEM_API_ID_LAST, ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API,   \
      ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API, ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT)        \
    X(HIPFILE_API, ROCPROFILER_HIPFILE_API_ID_LAST, ROCPROFILER_CALLBACK_TRACING_HIPFILE_API,      \
      ROCPROFILER_BUFFER_TRACING_HIPFILE_API, ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT)          \
    X(HIP_GRAPH, ROCPROFILER_HIP_GRAPH_OPERATION_LAST, ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH,     \
      ROCPROFILER_BUFFER_TRACING_HIP_GRAPH, 0)                                                     \
    X(HIP_EVENT, ROCPROFILER_HIP_EVENT_LAST, ROCPROFILER_CALLBACK_TRACING_HIP_EVENT,               \
      ROCPROFILER_BUFFER_TRACING_HIP_EVENT, 0)                                                     \
    X(OMPT, ROCPROFILER_OMPT_ID_LAST, ROCPROFILER_CALLBACK_TRACING_OMPT,                           \
      ROCPROFILER_BUFFER_TRACING_OMPT, 0)                                                          \
    X(KFD_EVENT_PAGE_MIGRATE, ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_LAST, 0,                          \
      ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE, 0)                                        \
    X(KFD_EVENT_PAGE_FAULT, ROCPROFILER_KFD_EVENT_PAGE_FAULT_LAST, 0,                              \
      ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_FAULT, 0)                                          \
    X(KFD_EVENT_QUEUE, ROCPROFILER_KFD_EVENT_QUEUE_LAST, 0,                                        \
      ROCPROFILER_BUFFER_TRACING_KFD_EVENT_QUEUE, 0)                                               \
    X(KFD_EVENT_UNMAP_FROM_GPU, ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_LAST, 0,                      \
      ROCPROFILER_BUFFER_TRACING_KFD_EVENT_UNMAP_FROM_GPU, 0)                                      \
    X(KFD_EVENT_DROPPED_EVENTS, ROCPROFILER_KFD_EVENT_DROPPED_EVENTS_LAST, 0,                      \
      ROCPROFILER_BUFFER_TRACING_KFD_EVENT_DROPPED_EVENTS, 0)                                      \
    X(KFD_PAGE_MIGRATE, ROCPROFILER_KFD_PAGE_MIGRATE_LAST, 0,                                      \
      ROCPROFILER_BUFFER_TRACING_KFD_PAGE_MIGRATE, 0)                                              \
    X(KFD_PAGE_FAULT, ROCPROFILER_KFD_PAGE_FAULT_LAST, 0,                                          \
      ROCPROFILER_BUFFER_TRACING_KFD_PAGE_FAULT, 0)                                                \
    X(KFD_QUEUE, ROCPROFILER_KFD_QUEUE_LAST, 0, ROCPROFILER_BUFFER_TRACING_KFD_QUEUE, 0)

typedef enum {
#define SDK_DOMAIN_ENUM(name, ops, callback, buffer, ext) SDK_DOMAIN_##name,
    SDK_DOMAINS(SDK_DOMAIN_ENUM)
#undef SDK_DOMAIN_ENUM
        SDK_DOMAIN_COUNT
} sdk_domain_t;

/* Index of a domain's first plan. It is a compile-time constant, so that a wrapper loads its plan
 * from a fixed address. */
enum {
#define SDK_DOMAIN_BASE(name, ops, callback, buffer, ext)                                          \
    SDK_BASE_##name, SDK_BASE_END_##name = SDK_BASE_##name + (ops)-1,
    SDK_DOMAINS(SDK_DOMAIN_BASE)
#undef SDK_DOMAIN_BASE
        SDK_PLAN_SLOTS
};

typedef struct {
    uint32_t base, operations;
    uint32_t callback_kind, buffer_kind, buffer_ext_kind;
} sdk_domain_info_t;

extern const sdk_domain_info_t sdk_domains[SDK_DOMAIN_COUNT];

/* Returns the domain of a kind; -1 if no row has it. */
int sdk_domain_of_callback(uint32_t kind);
int sdk_domain_of_buffer(uint32_t kind);

#endif
