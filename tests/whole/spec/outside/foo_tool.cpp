/* foo_tool.cpp - a tool that chains itself into the table of foo.cpp and adds one. */
#include "foo.h"

#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/registration.h>

#include <cstdio>

namespace
{
int (*next_foo)(int);

int one_more(int value)
{
    return next_foo(value) + 1;
}

void on_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
              void **tables, uint64_t count, void *)
{
    std::fprintf(stderr, "%s version %lu, instance %lu, %lu table\n",
                 type == ROCPROFILER_RCCL_TABLE ? "table" : "another table", version, instance,
                 count);
    auto *table = static_cast<impl::dispatch_table *>(tables[0]);
    next_foo = table->foo_fn;
    table->foo_fn = one_more;
}

int tool_init(rocprofiler_client_finalize_t, void *)
{
    return rocprofiler_at_intercept_table_registration(on_table, ROCPROFILER_RCCL_TABLE, nullptr);
}
} // namespace

extern "C" rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t, const char *, uint32_t, rocprofiler_client_id_t *)
{
    static auto cfg = rocprofiler_tool_configure_result_t{
        sizeof(rocprofiler_tool_configure_result_t), &tool_init, nullptr, nullptr};
    return &cfg;
}
