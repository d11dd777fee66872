/* tool.h - how a tool of the tests or benchmarks presents itself to the SDK.
 *
 * For tools that take part in every process and decide nothing before they are initialized; one
 * that looks at the version, its priority or its place writes rocprofiler_configure itself. */
#ifndef TESTS_TOOL_H
#define TESTS_TOOL_H

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* rocprofiler_configure of the tool `tool_name`; `finalize` may be NULL. */
#define TOOL(tool_name, initialize, finalize)                                                      \
    rocprofiler_tool_configure_result_t *rocprofiler_configure(                                    \
        uint32_t version, const char *version_text, uint32_t priority,                             \
        rocprofiler_client_id_t *id)                                                               \
    {                                                                                              \
        (void)version, (void)version_text, (void)priority;                                         \
        static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finalize,  \
                                                             NULL};                                \
        id->name = tool_name;                                                                      \
        return &result;                                                                            \
    }

#endif
