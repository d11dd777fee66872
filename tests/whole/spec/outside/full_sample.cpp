/* full_sample.cpp - "Full rocprofiler_configure Sample", as it is printed, with one header of ours.
 * The bodies that the document leaves out count code objects. */
#include <rocprofiler-sdk/registration.h>

#include <cstdio>
#include <vector>

namespace
{
struct rocp_tool_data
{
    uint32_t version;
    const char *runtime_version;
    uint32_t priority;
    rocprofiler_client_id_t client_id;
    rocprofiler_client_finalize_t finalizer;
    std::vector<rocprofiler_context_id_t> contexts;
};

unsigned loaded, others;

void tool_tracing_callback(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *, void *callback_data)
{
    auto *tool_data = static_cast<rocp_tool_data *>(callback_data);
    if (record.kind != ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT ||
        record.context_id.handle != tool_data->contexts.at(0).handle)
        others++;
    loaded += record.operation == ROCPROFILER_CODE_OBJECT_LOAD &&
              record.phase == ROCPROFILER_CALLBACK_PHASE_LOAD;
}

int tool_init(rocprofiler_client_finalize_t fini_func, void *tool_data_v)
{
    rocp_tool_data *tool_data = static_cast<rocp_tool_data *>(tool_data_v);

    // save the finalizer function
    tool_data->finalizer = fini_func;

    // create a context
    auto ctx = rocprofiler_context_id_t{};
    rocprofiler_create_context(&ctx);

    // save your contexts
    tool_data->contexts.emplace_back(ctx);

    // associate code object tracing with this context
    rocprofiler_configure_callback_tracing_service(
        ctx,
        ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
        nullptr,
        0,
        tool_tracing_callback,
        tool_data);

    // ... associate services with contexts ...
    rocprofiler_start_context(ctx);

    return 0;
}

void tool_fini(void *tool_data)
{
    auto *data = static_cast<rocp_tool_data *>(tool_data);
    std::fprintf(stderr, "%s: code objects %s, %u other records\n", data->client_id.name,
                 loaded ? "loaded" : "missing", others);
    delete data;
}
} // namespace

extern "C"
{
rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t                 version,
                      const char*              runtime_version,
                      uint32_t                 priority,
                      rocprofiler_client_id_t* client_id)
{
    // if not first tool to register, indicate tool doesn't want to do anything
    if(priority > 0) return nullptr;

    // (optional) provide a name for this tool to rocprofiler
    client_id->name = "ExampleTool";

    // info provided back to tool_init and tool_fini
    auto* my_tool_data = new rocp_tool_data{ version,
                                             runtime_version,
                                             priority,
                                             client_id,
                                             nullptr };

    // create configure data
    static auto cfg =
        rocprofiler_tool_configure_result_t{ sizeof(rocprofiler_tool_configure_result_t),
                                             &tool_init,
                                             &tool_fini,
                                             my_tool_data };

    return &cfg;
}
}
