/* std::hash for the library's handles, so that they may be keys of unordered containers. */
#pragma once

#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/internal_threading.h>

#include <rocprofiler-sdk/cxx/details/handles.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace rocprofiler
{
namespace sdk
{
namespace hash
{
/** A handle is its own hash: it is unique already. */
template <typename Tp> struct handle_hasher {
    size_t operator()(Tp val) const
    {
        static_assert(sizeof(Tp) == sizeof(uint64_t), "not a handle");
        return val.handle;
    }
};
} // namespace hash
} // namespace sdk
} // namespace rocprofiler

#define ROCPROFILER_SDK_CXX_HASH(TYPE)                                                             \
    template <> struct hash<TYPE> : rocprofiler::sdk::hash::handle_hasher<TYPE> {                  \
        using parent_type = rocprofiler::sdk::hash::handle_hasher<TYPE>;                           \
    };

namespace std
{
ROCPROFILER_SDK_CXX_HANDLES(ROCPROFILER_SDK_CXX_HASH)
} // namespace std

#undef ROCPROFILER_SDK_CXX_HASH
