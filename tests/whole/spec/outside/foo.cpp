/* foo.cpp - a runtime that is designed as the sample is, as it is printed. In between it hands its
 * table over; it goes by the name of a runtime that has no wrappers here, so that any table will do. */
#include "foo.h"

#include <rocprofiler-register/rocprofiler-register.h>

#include <cstdio>

ROCPROFILER_REGISTER_DEFINE_IMPORT(rccl, ROCPROFILER_REGISTER_COMPUTE_VERSION_3(2, 1, 0))

namespace impl
{
int
foo(int val)
{
    // real implementation
    return (2 * val);
}
}

namespace impl
{
// invoked once: populates the dispatch_table with function pointers to implementation
dispatch_table*&
construct_dispatch_table()
{
    static dispatch_table* tbl = new dispatch_table{};
    tbl->foo_fn                = impl::foo;

    // in between above and below, rocprofiler-sdk gets passed the pointer
    // to the dispatch table and has the opportunity to wrap the function
    // pointers for interception
    void *tables[] = {tbl};
    rocprofiler_register_library_indentifier_t id = {};
    auto code = rocprofiler_register_library_api_table(
        "rccl", &ROCPROFILER_REGISTER_IMPORT_FUNC(rccl),
        ROCPROFILER_REGISTER_COMPUTE_VERSION_3(2, 1, 0), tables, 1, &id);
    std::printf("register: %d\n", code);

    return tbl;
}

// constructs dispatch table and stores it in static variable
dispatch_table*
get_dispatch_table()
{
    static dispatch_table*& tbl = construct_dispatch_table();
    return tbl;
}
}  // namespace impl

extern "C"
{
// implementation of public C API function
int
foo(int val)
{
    return impl::get_dispatch_table()->foo_fn(val);
}
}

int main()
{
    std::printf("foo(21) = %d\n", foo(21));
    std::printf("foo(22) = %d\n", foo(22));
    return 0;
}
