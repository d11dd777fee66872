/* tool_library.cpp - "Building Tool Library": the pieces of the sections on design, initialisation
 * and finalisation, put together as they are printed. Only the ten seconds are a variable, and what
 * happens is told on stderr. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

namespace
{
// saves the data provided to rocprofiler_configure
struct ToolData
{
    uint32_t version;
    const char *runtime_version;
    uint32_t priority;
    rocprofiler_client_id_t client_id;
};

unsigned calls;

void count(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *, void *)
{
    calls += record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
}

// tool initialization function
int tool_init(rocprofiler_client_finalize_t fini_func, void *data_v)
{
    std::fprintf(stderr, "initialize: %s\n", static_cast<ToolData *>(data_v)->client_id.name);

    // create a context
    auto ctx = rocprofiler_context_id_t{};
    rocprofiler_create_context(&ctx);

    // ... associate services with context ...
    rocprofiler_tracing_operation_t memset_id = ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetD32;
    rocprofiler_configure_callback_tracing_service(
        ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, &memset_id, 1, count, nullptr);

    // function which finalizes tool after 10 seconds
    auto explicit_finalize = [](rocprofiler_client_finalize_t finalizer,
                                rocprofiler_client_id_t *client_id) {
        std::this_thread::sleep_for(
            std::chrono::milliseconds{std::atoi(std::getenv("FINALIZE_AFTER_MS"))});
        finalizer(client_id);
    };

    // start the context
    rocprofiler_start_context(ctx);

    // dispatch a background thread to explicitly finalize after 10 seconds
    if (std::getenv("FINALIZE_AFTER_MS"))
        std::thread{explicit_finalize, fini_func, static_cast<ToolData *>(data_v)->client_id}
            .detach();

    return 0;
}

// tool finalization function
void tool_fini(void *tool_data_v)
{
    auto *data = static_cast<ToolData *>(tool_data_v);
    std::fprintf(stderr, "finalize: %s, version %u = %s, place %u, %u calls\n",
                 data->client_id.name, data->version, data->runtime_version, data->priority, calls);
}
} // namespace

extern "C"
{
rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    std::fprintf(stderr, "configure: place %u\n", priority);

    // if not first tool to register, indicate tool doesn't want to do anything
    if (priority > 0) return nullptr;

    // (optional) provide a name for this tool to rocprofiler
    client_id->name = "ExampleTool";

    // (optional) create configure data
    static auto data = ToolData{version, runtime_version, priority, client_id};

    // construct configure result
    static auto cfg = rocprofiler_tool_configure_result_t{
        sizeof(rocprofiler_tool_configure_result_t), &tool_init, &tool_fini,
        static_cast<void *>(&data)};

    return &cfg;
}
}
