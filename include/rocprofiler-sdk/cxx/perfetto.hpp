/* Categories of track events for programs that write Perfetto traces of what this library reports,
 * and the category of each kind. The program supplies <perfetto.h> of Perfetto's C++ SDK; exactly
 * one of its source files must contain PERFETTO_TRACK_EVENT_STATIC_STORAGE(). */
#pragma once

#include <perfetto.h>

#include <rocprofiler-sdk/fwd.h>

#include <rocprofiler-sdk/cxx/details/mpl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/* The name and description of each category. kfd_events is defined, but not registered with
 * Perfetto; `none` is separate because no comma may follow the last registered category. */
#define RSDK_CATEGORIES(DO)                                                                        \
    DO(hsa_api, "HSA API function")                                                                \
    DO(hip_api, "HIP API function")                                                                \
    DO(marker_api, "Marker API region")                                                            \
    DO(rccl_api, "RCCL API function")                                                              \
    DO(openmp, "OpenMP")                                                                           \
    DO(kernel_dispatch, "GPU kernel dispatch")                                                     \
    DO(memory_copy, "Async memory copy")                                                           \
    DO(memory_allocation, "Memory Allocation")                                                     \
    DO(rocdecode_api, "rocDecode API function")                                                    \
    DO(rocjpeg_api, "rocJPEG API function")                                                        \
    DO(rocshmem_api, "rocSHMEM API function")                                                      \
    DO(hipfile_api, "hipFile API function")                                                        \
    DO(counter_collection, "Counter Collection")                                                   \
    DO(scratch_memory, "Scratch Memory Allocation")
#define RSDK_NO_CATEGORY(DO)    DO(none, "Unknown category")
#define RSDK_OTHER_CATEGORY(DO) DO(kfd_events, "KFD events collection")

/* The category of each kind. */
#define RSDK_BUFFER_KINDS(DO)                                                                      \
    DO(NONE, none)                                                                                 \
    DO(HSA_CORE_API, hsa_api)                                                                      \
    DO(HSA_AMD_EXT_API, hsa_api)                                                                   \
    DO(HSA_IMAGE_EXT_API, hsa_api)                                                                 \
    DO(HSA_FINALIZE_EXT_API, hsa_api)                                                              \
    DO(HIP_RUNTIME_API, hip_api)                                                                   \
    DO(HIP_COMPILER_API, hip_api)                                                                  \
    DO(MARKER_CORE_API, marker_api)                                                                \
    DO(MARKER_CORE_RANGE_API, marker_api)                                                          \
    DO(MARKER_CONTROL_API, marker_api)                                                             \
    DO(MARKER_NAME_API, marker_api)                                                                \
    DO(MEMORY_COPY, memory_copy)                                                                   \
    DO(MEMORY_ALLOCATION, memory_allocation)                                                       \
    DO(KERNEL_DISPATCH, kernel_dispatch)                                                           \
    DO(SCRATCH_MEMORY, scratch_memory)                                                             \
    DO(CORRELATION_ID_RETIREMENT, none)                                                            \
    DO(RCCL_API, rccl_api)                                                                         \
    DO(OMPT, openmp)                                                                               \
    DO(RUNTIME_INITIALIZATION, none)                                                               \
    DO(ROCDECODE_API, rocdecode_api)                                                               \
    DO(ROCJPEG_API, rocjpeg_api)                                                                   \
    DO(HIP_STREAM, hip_api)                                                                        \
    DO(HIP_RUNTIME_API_EXT, hip_api)                                                               \
    DO(HIP_COMPILER_API_EXT, hip_api)                                                              \
    DO(ROCDECODE_API_EXT, rocdecode_api)                                                           \
    DO(KFD_EVENT_PAGE_MIGRATE, kfd_events)                                                         \
    DO(KFD_EVENT_PAGE_FAULT, kfd_events)                                                           \
    DO(KFD_EVENT_QUEUE, kfd_events)                                                                \
    DO(KFD_EVENT_UNMAP_FROM_GPU, kfd_events)                                                       \
    DO(KFD_EVENT_DROPPED_EVENTS, kfd_events)                                                       \
    DO(KFD_PAGE_MIGRATE, kfd_events)                                                               \
    DO(KFD_PAGE_FAULT, kfd_events)                                                                 \
    DO(KFD_QUEUE, kfd_events)                                                                      \
    DO(HIP_GRAPH, hip_api)                                                                         \
    DO(ROCSHMEM_API, rocshmem_api)                                                                 \
    DO(ROCSHMEM_API_EXT, rocshmem_api)                                                             \
    DO(HIPFILE_API, hipfile_api)                                                                   \
    DO(HIPFILE_API_EXT, hipfile_api)                                                               \
    DO(HIP_EVENT, hip_api)

#define RSDK_CALLBACK_KINDS(DO)                                                                    \
    DO(NONE, none)                                                                                 \
    DO(HSA_CORE_API, hsa_api)                                                                      \
    DO(HSA_AMD_EXT_API, hsa_api)                                                                   \
    DO(HSA_IMAGE_EXT_API, hsa_api)                                                                 \
    DO(HSA_FINALIZE_EXT_API, hsa_api)                                                              \
    DO(HIP_RUNTIME_API, hip_api)                                                                   \
    DO(HIP_COMPILER_API, hip_api)                                                                  \
    DO(MARKER_CORE_API, marker_api)                                                                \
    DO(MARKER_CORE_RANGE_API, marker_api)                                                          \
    DO(MARKER_CONTROL_API, marker_api)                                                             \
    DO(MARKER_NAME_API, marker_api)                                                                \
    DO(CODE_OBJECT, none)                                                                          \
    DO(SCRATCH_MEMORY, scratch_memory)                                                             \
    DO(KERNEL_DISPATCH, kernel_dispatch)                                                           \
    DO(MEMORY_COPY, memory_copy)                                                                   \
    DO(MEMORY_ALLOCATION, memory_allocation)                                                       \
    DO(RCCL_API, rccl_api)                                                                         \
    DO(OMPT, openmp)                                                                               \
    DO(RUNTIME_INITIALIZATION, none)                                                               \
    DO(ROCDECODE_API, rocdecode_api)                                                               \
    DO(ROCJPEG_API, rocjpeg_api)                                                                   \
    DO(HIP_STREAM, hip_api)                                                                        \
    DO(HIP_GRAPH, hip_api)                                                                         \
    DO(ROCSHMEM_API, rocshmem_api)                                                                 \
    DO(HIPFILE_API, hipfile_api)                                                                   \
    DO(HIP_EVENT, hip_api)

#define RSDK_CATEGORY(NAME, DESCRIPTION)                                                           \
    namespace category                                                                             \
    {                                                                                              \
    struct NAME {                                                                                  \
    };                                                                                             \
    }                                                                                              \
    template <> struct perfetto_category<category::NAME> {                                         \
        static constexpr const char *name = #NAME;                                                 \
        static constexpr const char *description = DESCRIPTION;                                    \
    };

#define RSDK_KIND(PREFIX, TYPE, KIND, CATEGORY)                                                    \
    template <> struct rocprofiler_tracing_perfetto_category<TYPE, PREFIX##KIND> {                 \
        static constexpr const char *name = perfetto_category<category::CATEGORY>::name;           \
    };
#define RSDK_BUFFER_KIND(KIND, CATEGORY)                                                           \
    RSDK_KIND(ROCPROFILER_BUFFER_TRACING_, rocprofiler_buffer_tracing_kind_t, KIND, CATEGORY)
#define RSDK_CALLBACK_KIND(KIND, CATEGORY)                                                         \
    RSDK_KIND(ROCPROFILER_CALLBACK_TRACING_, rocprofiler_callback_tracing_kind_t, KIND, CATEGORY)

namespace rocprofiler
{
namespace sdk
{
/** The name and description of a category, selected by its tag in namespace category. */
template <typename Tp> struct perfetto_category;

/** The name of the category to which a kind belongs. */
template <typename KindT, size_t Idx> struct rocprofiler_tracing_perfetto_category;

RSDK_CATEGORIES(RSDK_CATEGORY)
RSDK_NO_CATEGORY(RSDK_CATEGORY)
RSDK_OTHER_CATEGORY(RSDK_CATEGORY)
RSDK_BUFFER_KINDS(RSDK_BUFFER_KIND)
RSDK_CALLBACK_KINDS(RSDK_CALLBACK_KIND)
} // namespace sdk
} // namespace rocprofiler

#define RSDK_REGISTERED(NAME, DESCRIPTION)      ::perfetto::Category(#NAME).SetDescription(DESCRIPTION)
#define RSDK_REGISTERED_NEXT(NAME, DESCRIPTION) RSDK_REGISTERED(NAME, DESCRIPTION),
PERFETTO_DEFINE_CATEGORIES(RSDK_CATEGORIES(RSDK_REGISTERED_NEXT) RSDK_NO_CATEGORY(RSDK_REGISTERED));
#undef RSDK_REGISTERED_NEXT
#undef RSDK_REGISTERED

namespace rocprofiler
{
namespace sdk
{
using perfetto_event_context_t = ::perfetto::EventContext;

/** Adds a note to an event: a text, a truth value, a number, an address, or the value as a stream
 * prints it. */
template <typename Np, typename Tp>
auto add_perfetto_annotation(perfetto_event_context_t &ctx, Np &&_name, Tp &&_val)
{
    using value_type = mpl::unqualified_identity_t<Tp>;
    static_assert(mpl::is_string_type<Np>::value, "the name of an annotation is text");

    auto *annotation = ctx.event()->add_debug_annotations();
    annotation->set_name(std::string{std::string_view{_name}});
    if constexpr (mpl::is_string_type<Tp>::value)
        annotation->set_string_value(std::string{std::string_view{_val}});
    else if constexpr (std::is_same_v<value_type, bool>)
        annotation->set_bool_value(_val);
    else if constexpr (std::is_enum_v<value_type>)
        annotation->set_int_value(static_cast<int64_t>(_val));
    else if constexpr (std::is_floating_point_v<value_type>)
        annotation->set_double_value(static_cast<double>(_val));
    else if constexpr (std::is_unsigned_v<value_type>)
        annotation->set_uint_value(_val);
    else if constexpr (std::is_integral_v<value_type>)
        annotation->set_int_value(_val);
    else if constexpr (std::is_pointer_v<value_type>)
        annotation->set_pointer_value(reinterpret_cast<uint64_t>(_val));
    else if constexpr (mpl::can_stringify<value_type>::value) {
        auto text = std::stringstream{};
        text << _val;
        annotation->set_string_value(text.str());
    } else
        static_assert(mpl::assert_false<value_type>::value, "no annotation of such values");
}

/** Returns the category of a kind, a constant text; null for a number without a kind. */
template <typename KindT, size_t... Idx>
const char *get_perfetto_category(KindT kind, std::index_sequence<Idx...>)
{
    constexpr auto names = std::array<const char *, sizeof...(Idx)>{
        rocprofiler_tracing_perfetto_category<KindT, Idx>::name...};
    const auto position = static_cast<size_t>(kind);
    return position < names.size() ? names[position] : nullptr;
}

template <typename KindT> const char *get_perfetto_category(KindT kind)
{
    if constexpr (std::is_same_v<KindT, rocprofiler_buffer_tracing_kind_t>)
        return get_perfetto_category(kind,
                                     std::make_index_sequence<ROCPROFILER_BUFFER_TRACING_LAST>{});
    else if constexpr (std::is_same_v<KindT, rocprofiler_callback_tracing_kind_t>)
        return get_perfetto_category(kind,
                                     std::make_index_sequence<ROCPROFILER_CALLBACK_TRACING_LAST>{});
    else
        static_assert(mpl::assert_false<KindT>::value, "neither a buffer nor a callback kind");
}
} // namespace sdk
} // namespace rocprofiler

#undef RSDK_CALLBACK_KIND
#undef RSDK_BUFFER_KIND
#undef RSDK_KIND
#undef RSDK_CATEGORY
#undef RSDK_CALLBACK_KINDS
#undef RSDK_BUFFER_KINDS
#undef RSDK_OTHER_CATEGORY
#undef RSDK_NO_CATEGORY
#undef RSDK_CATEGORIES
