/* Comparison of the library's handles and small structures, so that they can be used in maps, sets
 * and algorithms. The operators are in the global namespace, as the types are. */
#pragma once

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/internal_threading.h>

#include <rocprofiler-sdk/cxx/details/handles.hpp>
#include <rocprofiler-sdk/cxx/details/mpl.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace rocprofiler
{
namespace sdk
{
namespace operators
{
/** Compares two handles for equality. */
template <typename Tp> bool equal(Tp lhs, Tp rhs)
{
    static_assert(sizeof(Tp) == sizeof(uint64_t), "not a handle");
    return lhs.handle == rhs.handle;
}

/** Orders two handles by value. */
template <typename Tp> bool less(Tp lhs, Tp rhs)
{
    static_assert(sizeof(Tp) == sizeof(uint64_t), "not a handle");
    return lhs.handle < rhs.handle;
}

namespace details
{
template <typename Tp> constexpr decltype(auto) comparable(Tp &value) noexcept
{
    using type = mpl::unqualified_identity_t<Tp>;
    if constexpr (!mpl::is_string_type<Tp>::value)
        return (value);
    else if constexpr (std::is_pointer_v<type>)
        return value ? std::string_view{value} : std::string_view{};
    else
        return std::string_view{value};
}
} // namespace details

/** Makes a tuple of references, with texts as std::string_view, so that pointers to text are
 * compared as text. */
template <typename... Tp> constexpr auto tie_sv(Tp &...vs) noexcept
{
    return std::tuple<decltype(details::comparable(vs))...>{details::comparable(vs)...};
}
} // namespace operators
} // namespace sdk
} // namespace rocprofiler

/* The other four follow from == and <. PASS is the type by which the structure is passed. */
#define ROCPROFILER_SDK_CXX_COMPARE(PASS, EQUAL, LESS)                                             \
    inline bool operator==(PASS lhs, PASS rhs)                                                     \
    {                                                                                              \
        return EQUAL;                                                                              \
    }                                                                                              \
    inline bool operator!=(PASS lhs, PASS rhs)                                                     \
    {                                                                                              \
        return !(lhs == rhs);                                                                      \
    }                                                                                              \
    inline bool operator<(PASS lhs, PASS rhs)                                                      \
    {                                                                                              \
        return LESS;                                                                               \
    }                                                                                              \
    inline bool operator>(PASS lhs, PASS rhs)                                                      \
    {                                                                                              \
        return rhs < lhs;                                                                          \
    }                                                                                              \
    inline bool operator<=(PASS lhs, PASS rhs)                                                     \
    {                                                                                              \
        return !(rhs < lhs);                                                                       \
    }                                                                                              \
    inline bool operator>=(PASS lhs, PASS rhs)                                                     \
    {                                                                                              \
        return !(lhs < rhs);                                                                       \
    }

#define ROCPROFILER_SDK_CXX_COMPARE_HANDLE(TYPE)                                                   \
    ROCPROFILER_SDK_CXX_COMPARE(TYPE, rocprofiler::sdk::operators::equal(lhs, rhs),                \
                                rocprofiler::sdk::operators::less(lhs, rhs))

#define ROCPROFILER_SDK_CXX_COMPARE_MEMBERS(PASS, MEMBERS)                                         \
    ROCPROFILER_SDK_CXX_COMPARE(PASS, MEMBERS(lhs) == MEMBERS(rhs), MEMBERS(lhs) < MEMBERS(rhs))

ROCPROFILER_SDK_CXX_HANDLES(ROCPROFILER_SDK_CXX_COMPARE_HANDLE)

ROCPROFILER_SDK_CXX_COMPARE(const rocprofiler_agent_v0_t &, lhs.id == rhs.id, lhs.id < rhs.id)

#define ROCPROFILER_SDK_CXX_MEMBERS(V) std::tie((V).major, (V).minor, (V).patch)
ROCPROFILER_SDK_CXX_COMPARE_MEMBERS(rocprofiler_version_triplet_t, ROCPROFILER_SDK_CXX_MEMBERS)
#undef ROCPROFILER_SDK_CXX_MEMBERS

/** Returns the number of elements of an extent, by which extents are ordered first. */
namespace rocprofiler
{
namespace sdk
{
namespace operators
{
namespace details
{
inline uint64_t volume(rocprofiler_dim3_t extent)
{
    return uint64_t{extent.x} * extent.y * extent.z;
}

/** Compares the dimensions at each position; null entries are equal to each other. */
template <typename InfoT> bool same_dimensions(const InfoT &lhs, const InfoT &rhs)
{
    for (uint64_t i = 0; i < lhs.dimensions_count; ++i) {
        const auto *left = lhs.dimensions[i];
        const auto *right = rhs.dimensions[i];
        if (left == right) continue;
        if (!left || !right || !(*left == *right)) return false;
    }
    return true;
}
} // namespace details
} // namespace operators
} // namespace sdk
} // namespace rocprofiler

#define ROCPROFILER_SDK_CXX_MEMBERS(V)                                                             \
    std::make_tuple(rocprofiler::sdk::operators::details::volume(V), (V).x, (V).y, (V).z)
ROCPROFILER_SDK_CXX_COMPARE_MEMBERS(rocprofiler_dim3_t, ROCPROFILER_SDK_CXX_MEMBERS)
#undef ROCPROFILER_SDK_CXX_MEMBERS

#define ROCPROFILER_SDK_CXX_MEMBERS(V)                                                             \
    rocprofiler::sdk::operators::tie_sv((V).id, (V).instance_size, (V).name)
ROCPROFILER_SDK_CXX_COMPARE_MEMBERS(const rocprofiler_counter_record_dimension_info_t &,
                                    ROCPROFILER_SDK_CXX_MEMBERS)
#undef ROCPROFILER_SDK_CXX_MEMBERS

#define ROCPROFILER_SDK_CXX_MEMBERS(V)                                                             \
    rocprofiler::sdk::operators::tie_sv((V).dimension_name, (V).index, (V).size)
ROCPROFILER_SDK_CXX_COMPARE_MEMBERS(const rocprofiler_counter_dimension_info_t &,
                                    ROCPROFILER_SDK_CXX_MEMBERS)
#undef ROCPROFILER_SDK_CXX_MEMBERS

#define ROCPROFILER_SDK_CXX_MEMBERS(V)                                                             \
    std::tie((V).instance_id, (V).counter_id, (V).dimensions_count)
ROCPROFILER_SDK_CXX_COMPARE(const rocprofiler_counter_record_dimension_instance_info_t &,
                            ROCPROFILER_SDK_CXX_MEMBERS(lhs) == ROCPROFILER_SDK_CXX_MEMBERS(rhs) &&
                                rocprofiler::sdk::operators::details::same_dimensions(lhs, rhs),
                            ROCPROFILER_SDK_CXX_MEMBERS(lhs) < ROCPROFILER_SDK_CXX_MEMBERS(rhs))
#undef ROCPROFILER_SDK_CXX_MEMBERS

#undef ROCPROFILER_SDK_CXX_COMPARE_MEMBERS
#undef ROCPROFILER_SDK_CXX_COMPARE_HANDLE
#undef ROCPROFILER_SDK_CXX_COMPARE
