/* How cereal's archives read structures of the library that save.hpp has written: agents, code
 * objects and kernels, as a reader of results needs them. Texts are allocated and never freed,
 * since the structures do not own theirs. An agent's memory banks, caches and links are not
 * read. */
#pragma once

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/fwd.h>

#include <rocprofiler-sdk/cxx/serialization/details/cereal.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

/** More than 0: each key is printed on standard error before it is read. */
#ifndef ROCPROFILER_SDK_CXX_SERIALIZATION_LOAD_DEBUG
#define ROCPROFILER_SDK_CXX_SERIALIZATION_LOAD_DEBUG 0
#endif

namespace rocprofiler
{
namespace sdk
{
namespace serialization
{
/** Prints the next key, if that is enabled. */
inline void load_trace(const char *key)
{
    if constexpr (ROCPROFILER_SDK_CXX_SERIALIZATION_LOAD_DEBUG > 0)
        fprintf(stderr, "[rocprofiler-sdk][load] %s\n", key);
    else
        (void)key;
}
} // namespace serialization
} // namespace sdk
} // namespace rocprofiler

#define RSDK_GET(KEY, VALUE)                                                                       \
    ::rocprofiler::sdk::serialization::load_trace(KEY);                                            \
    ar(make_nvp(KEY, VALUE));
#define RSDK_FIELD(MEMBER) RSDK_GET(#MEMBER, data.MEMBER)
#define RSDK_BITS(NAME, MEMBER)                                                                    \
    {                                                                                              \
        uint32_t value = 0;                                                                        \
        RSDK_GET(#NAME, value)                                                                     \
        data.MEMBER = value;                                                                       \
    }
#define RSDK_TEXT(MEMBER)                                                                          \
    {                                                                                              \
        std::string value;                                                                         \
        RSDK_GET(#MEMBER, value)                                                                   \
        data.MEMBER = strdup(value.c_str());                                                       \
    }
#define RSDK_CASE(STORAGE, MEMBER)                                                                 \
    if (data.storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_##STORAGE) {                     \
        RSDK_FIELD(MEMBER)                                                                         \
    }
#define RSDK_CASE_FILE(MEMBER)   RSDK_CASE(FILE, MEMBER)
#define RSDK_CASE_MEMORY(MEMBER) RSDK_CASE(MEMORY, MEMBER)
#define RSDK_AGENT_TAIL
#define RSDK_OBJECT(TYPE, ...)                                                                     \
    template <typename ArchiveT> void load(ArchiveT &ar, TYPE &data)                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN
#include <rocprofiler-sdk/cxx/serialization/details/objects.hpp>
ROCPROFILER_SDK_CEREAL_NAMESPACE_END

#undef RSDK_GET
#undef RSDK_FIELD
#undef RSDK_BITS
#undef RSDK_TEXT
#undef RSDK_CASE
#undef RSDK_CASE_FILE
#undef RSDK_CASE_MEMORY
#undef RSDK_AGENT_TAIL
#undef RSDK_OBJECT
