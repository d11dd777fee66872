/* How name_info.hpp queries the library. Each family of kinds, callback and buffer tracing, has a
 * struct of the same four query functions; one function fills a table from such a struct. */
#pragma once

#ifndef ROCPROFILER_SDK_CXX_NAME_INFO_HPP_
#include <rocprofiler-sdk/cxx/name_info.hpp>
#endif

#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>

#include <cstdint>

namespace rocprofiler
{
namespace sdk
{
constexpr auto success_v = ROCPROFILER_STATUS_SUCCESS;

namespace details
{
/* These are functions rather than constants, because gcc 16 treats a call through a constant
 * pointer inside a lambda as a constant expression. */
#define RSDK_QUESTION(NAME, FUNCTION)                                                              \
    template <typename... Args> static rocprofiler_status_t NAME(Args... args)                     \
    {                                                                                              \
        return FUNCTION(args...);                                                                  \
    }
#define RSDK_QUESTIONS(FAMILY)                                                                     \
    struct FAMILY##_questions {                                                                    \
        using kind_type = rocprofiler_##FAMILY##_tracing_kind_t;                                   \
        RSDK_QUESTION(kinds, rocprofiler_iterate_##FAMILY##_tracing_kinds)                         \
        RSDK_QUESTION(kind_name, rocprofiler_query_##FAMILY##_tracing_kind_name)                   \
        RSDK_QUESTION(operations, rocprofiler_iterate_##FAMILY##_tracing_kind_operations)          \
        RSDK_QUESTION(operation_name, rocprofiler_query_##FAMILY##_tracing_kind_operation_name)    \
    };

RSDK_QUESTIONS(callback)
RSDK_QUESTIONS(buffer)

#undef RSDK_QUESTIONS
#undef RSDK_QUESTION

template <typename AskT, typename Tp> auto ask_names()
{
    using kind_type = typename AskT::kind_type;
    using table_type = utility::name_info<kind_type, Tp>;

    /* The lambdas have no captures, because they are passed to the library as callbacks. Kinds and
     * operations are reported in ascending order, as emplace requires. */
    auto on_kind = [](kind_type kind, void *data) {
        auto on_operation = [](kind_type of, rocprofiler_tracing_operation_t operation, void *to) {
            const char *text = nullptr;
            uint64_t length = 0;
            if (AskT::operation_name(of, operation, &text, &length) == success_v && text)
                static_cast<table_type *>(to)->emplace(of, operation, text);
            return 0;
        };
        const char *name = nullptr;
        uint64_t size = 0;
        if (AskT::kind_name(kind, &name, &size) == success_v && name) {
            static_cast<table_type *>(data)->emplace(kind, name);
            AskT::operations(kind, on_operation, data);
        }
        return 0;
    };

    table_type table;
    AskT::kinds(on_kind, &table);
    return table;
}
} // namespace details

template <typename Tp> callback_name_info_t<Tp> get_callback_tracing_names()
{
    return details::ask_names<details::callback_questions, Tp>();
}

template <typename Tp> buffer_name_info_t<Tp> get_buffer_tracing_names()
{
    return details::ask_names<details::buffer_questions, Tp>();
}
} // namespace sdk
} // namespace rocprofiler
