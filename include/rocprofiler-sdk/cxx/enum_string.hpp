/* Enumerators by their names, at compile time and at run time:
 * get_enum_label(ROCPROFILER_STATUS_SUCCESS) is "ROCPROFILER_STATUS_SUCCESS". The supported
 * enumerations are listed at the end; their enumerators are in details/enum_labels.hpp. */
#pragma once

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/experimental/thread-trace/core.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/kfd/kfd_id.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/pc_sampling.h>
#include <rocprofiler-sdk/rccl.h>
#include <rocprofiler-sdk/rocdecode.h>
#include <rocprofiler-sdk/hipfile.h>
#include <rocprofiler-sdk/rocjpeg.h>
#include <rocprofiler-sdk/rocshmem.h>

#include <rocprofiler-sdk/cxx/details/mpl.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace rocprofiler
{
namespace sdk
{
namespace details
{
/** The enumerators of an enumeration: their positions [begin, end), and the value at each position.
 * A mask has 0 at position 0 and a bit at each later one. */
template <typename EnumT> struct rocprofiler_enum_info {
    static constexpr bool supported = false;
};

/** The name of the enumerator with a value. */
template <typename EnumT, size_t Value> struct rocprofiler_enum_label {
    static constexpr bool supported = false;
};

/** Positions of a mask whose highest bit is LastV. */
template <size_t LastV> constexpr size_t compute_bitset_sequence_range()
{
    size_t positions = 1;
    for (size_t rest = LastV; rest != 0; rest >>= 1)
        ++positions;
    return positions;
}

constexpr size_t compute_enum_value(size_t position, bool is_bitset)
{
    if (!is_bitset || position == 0) return position;
    return size_t{1} << (position - 1);
}

template <typename EnumT, size_t Value> constexpr std::string_view enum_label()
{
    using label = rocprofiler_enum_label<EnumT, Value>;
    if constexpr (label::supported)
        return label::name;
    else
        return rocprofiler_enum_info<EnumT>::unsupported;
}

/* Positions may begin at -1, which is the largest size_t, so they are counted from begin. */
template <typename EnumT, size_t... Idx> constexpr auto enum_labels(std::index_sequence<Idx...>)
{
    using info = rocprofiler_enum_info<EnumT>;
    return std::array<std::string_view, sizeof...(Idx)>{
        enum_label<EnumT, info::compute(info::begin + Idx)>()...};
}

template <typename EnumT>
inline constexpr auto enum_labels_v =
    enum_labels<EnumT>(std::make_index_sequence<rocprofiler_enum_info<EnumT>::end -
                                                rocprofiler_enum_info<EnumT>::begin>{});
} // namespace details

/** Returns the full name of the enumerator; for a value without one, "unsupported_" and the
 * enumeration's name. Constant text. */
template <typename EnumT> constexpr std::string_view get_enum_label(EnumT val)
{
    using info = details::rocprofiler_enum_info<EnumT>;
    static_assert(info::supported, "get_enum_label does not know this enumeration");
    const auto value = static_cast<size_t>(val);
    for (size_t i = 0; i < details::enum_labels_v<EnumT>.size(); ++i) {
        if (info::compute(info::begin + i) == value) return details::enum_labels_v<EnumT>[i];
    }
    return info::unsupported;
}
} // namespace sdk
} // namespace rocprofiler

/** Inside rocprofiler::sdk::details: defines the label of an enumerator. */
#define ROCPROFILER_ENUM_LABEL(VALUE)                                                              \
    template <> struct rocprofiler_enum_label<decltype(VALUE), static_cast<size_t>(VALUE)> {       \
        using type = decltype(VALUE);                                                              \
        static constexpr bool supported = true;                                                    \
        static constexpr auto name = std::string_view{#VALUE};                                     \
        static constexpr auto value = VALUE;                                                       \
    };

/** Inside rocprofiler::sdk::details: adds an enumeration. */
#define ROCPROFILER_ENUM_INFO(ENUM_T, BEG_VALUE, END_VALUE, IS_BITSET)                             \
    template <> struct rocprofiler_enum_info<ENUM_T> {                                             \
        using type = ENUM_T;                                                                       \
        static constexpr bool supported = true;                                                    \
        static constexpr bool is_bitset = IS_BITSET;                                               \
        static constexpr size_t begin = static_cast<size_t>(BEG_VALUE);                            \
        static constexpr size_t end = static_cast<size_t>(END_VALUE);                              \
        static constexpr auto unsupported = std::string_view{"unsupported_" #ENUM_T};              \
        static constexpr size_t compute(size_t position)                                           \
        {                                                                                          \
            return compute_enum_value(position, is_bitset);                                        \
        }                                                                                          \
    };

namespace rocprofiler
{
namespace sdk
{
namespace details
{
// clang-format off
ROCPROFILER_ENUM_INFO(rocprofiler_hsa_table_id_t, 0, ROCPROFILER_HSA_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hip_table_id_t, 0, ROCPROFILER_HIP_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_marker_table_id_t, 0, ROCPROFILER_MARKER_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rccl_table_id_t, 0, ROCPROFILER_RCCL_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocdecode_table_id_t, 0, ROCPROFILER_ROCDECODE_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocjpeg_table_id_t, 0, ROCPROFILER_ROCJPEG_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocshmem_table_id_t, 0, ROCPROFILER_ROCSHMEM_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hipfile_table_id_t, 0, ROCPROFILER_HIPFILE_TABLE_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hsa_core_api_id_t, 0, ROCPROFILER_HSA_CORE_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hsa_amd_ext_api_id_t, 0, ROCPROFILER_HSA_AMD_EXT_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hsa_image_ext_api_id_t, 0, ROCPROFILER_HSA_IMAGE_EXT_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hsa_finalize_ext_api_id_t, 0, ROCPROFILER_HSA_FINALIZE_EXT_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hip_compiler_api_id_t, 0, ROCPROFILER_HIP_COMPILER_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hip_runtime_api_id_t, 0, ROCPROFILER_HIP_RUNTIME_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_marker_core_api_id_t, 0, ROCPROFILER_MARKER_CORE_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_marker_control_api_id_t, 0, ROCPROFILER_MARKER_CONTROL_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_marker_name_api_id_t, 0, ROCPROFILER_MARKER_NAME_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_marker_core_range_api_id_t, 0, ROCPROFILER_MARKER_CORE_RANGE_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_ompt_operation_t, 0, ROCPROFILER_OMPT_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rccl_api_id_t, 0, ROCPROFILER_RCCL_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocdecode_api_id_t, 0, ROCPROFILER_ROCDECODE_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocjpeg_api_id_t, 0, ROCPROFILER_ROCJPEG_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_rocshmem_api_id_t, 0, ROCPROFILER_ROCSHMEM_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hipfile_api_id_t, 0, ROCPROFILER_HIPFILE_API_ID_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_hip_graph_operation_t, 0, ROCPROFILER_HIP_GRAPH_OPERATION_LAST,
                      false)
ROCPROFILER_ENUM_INFO(rocprofiler_hip_event_operation_t, 0, ROCPROFILER_HIP_EVENT_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_status_t, ROCPROFILER_STATUS_SUCCESS, ROCPROFILER_STATUS_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_buffer_category_t, ROCPROFILER_BUFFER_CATEGORY_NONE, ROCPROFILER_BUFFER_CATEGORY_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_agent_type_t, ROCPROFILER_AGENT_TYPE_NONE, ROCPROFILER_AGENT_TYPE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_callback_phase_t, ROCPROFILER_CALLBACK_PHASE_NONE, ROCPROFILER_CALLBACK_PHASE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_callback_tracing_kind_t, ROCPROFILER_CALLBACK_TRACING_NONE, ROCPROFILER_CALLBACK_TRACING_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_buffer_tracing_kind_t, ROCPROFILER_BUFFER_TRACING_NONE, ROCPROFILER_BUFFER_TRACING_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_code_object_operation_t, ROCPROFILER_CODE_OBJECT_NONE, ROCPROFILER_CODE_OBJECT_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_memory_copy_operation_t, ROCPROFILER_MEMORY_COPY_NONE, ROCPROFILER_MEMORY_COPY_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_memory_allocation_operation_t, ROCPROFILER_MEMORY_ALLOCATION_NONE, ROCPROFILER_MEMORY_ALLOCATION_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kernel_dispatch_operation_t, ROCPROFILER_KERNEL_DISPATCH_NONE, ROCPROFILER_KERNEL_DISPATCH_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_pc_sampling_method_t, ROCPROFILER_PC_SAMPLING_METHOD_NONE, ROCPROFILER_PC_SAMPLING_METHOD_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_pc_sampling_unit_t, ROCPROFILER_PC_SAMPLING_UNIT_NONE, ROCPROFILER_PC_SAMPLING_UNIT_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_buffer_policy_t, ROCPROFILER_BUFFER_POLICY_NONE, ROCPROFILER_BUFFER_POLICY_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_scratch_memory_operation_t, ROCPROFILER_SCRATCH_MEMORY_NONE, ROCPROFILER_SCRATCH_MEMORY_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_scratch_alloc_flag_t, ROCPROFILER_SCRATCH_ALLOC_FLAG_NONE, ROCPROFILER_SCRATCH_ALLOC_FLAG_ALT + 1, true)
ROCPROFILER_ENUM_INFO(rocprofiler_runtime_initialization_operation_t, ROCPROFILER_RUNTIME_INITIALIZATION_NONE, ROCPROFILER_RUNTIME_INITIALIZATION_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_counter_info_version_id_t, ROCPROFILER_COUNTER_INFO_VERSION_NONE, ROCPROFILER_COUNTER_INFO_VERSION_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_counter_record_kind_t, ROCPROFILER_COUNTER_RECORD_NONE, ROCPROFILER_COUNTER_RECORD_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_counter_flag_t, ROCPROFILER_COUNTER_FLAG_NONE, ROCPROFILER_COUNTER_FLAG_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_code_object_storage_type_t, ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_NONE, ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_runtime_library_t, ROCPROFILER_LIBRARY, compute_bitset_sequence_range<ROCPROFILER_LIBRARY_LAST>(), true)
ROCPROFILER_ENUM_INFO(rocprofiler_intercept_table_t, ROCPROFILER_HSA_TABLE, compute_bitset_sequence_range<ROCPROFILER_TABLE_LAST>(), true)
ROCPROFILER_ENUM_INFO(rocprofiler_pc_sampling_record_kind_t, ROCPROFILER_PC_SAMPLING_RECORD_NONE, ROCPROFILER_PC_SAMPLING_RECORD_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_event_page_migrate_operation_t, ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_NONE, ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_event_page_fault_operation_t, ROCPROFILER_KFD_EVENT_PAGE_FAULT_NONE, ROCPROFILER_KFD_EVENT_PAGE_FAULT_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_event_queue_operation_t, ROCPROFILER_KFD_EVENT_QUEUE_NONE, ROCPROFILER_KFD_EVENT_QUEUE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_event_unmap_from_gpu_operation_t, ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_NONE, ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_event_dropped_events_operation_t, ROCPROFILER_KFD_EVENT_DROPPED_EVENTS_NONE, ROCPROFILER_KFD_EVENT_DROPPED_EVENTS_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_page_migrate_operation_t, ROCPROFILER_KFD_PAGE_MIGRATE_NONE, ROCPROFILER_KFD_PAGE_MIGRATE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_page_fault_operation_t, ROCPROFILER_KFD_PAGE_FAULT_NONE, ROCPROFILER_KFD_PAGE_FAULT_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_kfd_queue_operation_t, ROCPROFILER_KFD_QUEUE_NONE, ROCPROFILER_KFD_QUEUE_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_external_correlation_id_request_kind_t, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_agent_version_t, ROCPROFILER_AGENT_INFO_VERSION_NONE, ROCPROFILER_AGENT_INFO_VERSION_LAST, false)
ROCPROFILER_ENUM_INFO(rocprofiler_thread_trace_parameter_type_t, ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU, ROCPROFILER_THREAD_TRACE_PARAMETER_LAST, false)
// clang-format on
#include <rocprofiler-sdk/cxx/details/enum_labels.hpp>
} // namespace details
} // namespace sdk
} // namespace rocprofiler
