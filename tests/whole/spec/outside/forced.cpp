/* forced.cpp - a program that is its own tool, under no name that anybody could find: it forces the
 * configuration before it uses a runtime. */
#include "work.h"

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>

namespace
{
unsigned calls;
rocprofiler_context_id_t context;

void count(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *, void *)
{
    calls += record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
}

int initialize(rocprofiler_client_finalize_t, void *)
{
    rocprofiler_tracing_operation_t operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetD32;
    rocprofiler_create_context(&context);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, &operation, 1, count, nullptr);
    rocprofiler_start_context(context);
    return 0;
}

void finalize(void *)
{
    std::fprintf(stderr, "forced: %u calls\n", calls);
}

rocprofiler_tool_configure_result_t *configure(uint32_t, const char *, uint32_t priority,
                                               rocprofiler_client_id_t *client_id)
{
    static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize,
                                                         nullptr};
    client_id->name = "forced";
    std::fprintf(stderr, "forced: place %u\n", priority);
    return &result;
}
} // namespace

int main()
{
    int before = 9, after = 9;
    rocprofiler_is_initialized(&before);
    rocprofiler_status_t first = rocprofiler_force_configure(configure);
    rocprofiler_is_initialized(&after);
    rocprofiler_status_t second = rocprofiler_force_configure(configure);
    std::fprintf(stderr, "%s then %s, initialized %d then %d\n",
                 rocprofiler_get_status_name(first), rocprofiler_get_status_name(second), before,
                 after);
    bool right = work(4);
    rocprofiler_stop_context(context);
    right = work(4) && right;
    std::puts(right ? "right" : "wrong");
    return !right;
}
