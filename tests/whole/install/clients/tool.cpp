/* Counts HIP calls by their names, with the C++ headers. */
#include <rocprofiler-sdk/cxx/hash.hpp>
#include <rocprofiler-sdk/cxx/name_info.hpp>
#include <rocprofiler-sdk/cxx/operators.hpp>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>

namespace
{
struct state {
    rocprofiler_context_id_t context = {};
    rocprofiler::sdk::callback_name_info names = {};
    std::mutex mutex = {};
    std::map<std::string, int> calls = {};
    std::unordered_set<rocprofiler_context_id_t> contexts = {};
};

void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *, void *data)
{
    auto *it = static_cast<state *>(data);
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
    const std::lock_guard<std::mutex> lock{it->mutex};
    it->calls[std::string{it->names.at(record.kind, record.operation)}]++;
    it->contexts.insert(record.context_id);
}

int initialize(rocprofiler_client_finalize_t, void *data)
{
    auto *it = static_cast<state *>(data);
    it->names = rocprofiler::sdk::get_callback_tracing_names();
    if (rocprofiler_create_context(&it->context) != ROCPROFILER_STATUS_SUCCESS ||
        rocprofiler_configure_callback_tracing_service(it->context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
                                                       nullptr, 0, on_call, it) != ROCPROFILER_STATUS_SUCCESS)
        return -1;
    return rocprofiler_start_context(it->context) == ROCPROFILER_STATUS_SUCCESS ? 0 : -1;
}

void finish(void *data)
{
    auto *it = static_cast<state *>(data);
    const bool own = it->contexts.size() == 1 && *it->contexts.begin() == it->context;
    std::cerr << "cxx-tool: hipMalloc " << it->calls["hipMalloc"] << ", hipFree "
              << (own ? it->calls["hipFree"] : -1) << '\n';
}
} // namespace

extern "C" rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t, const char *, uint32_t,
                                                                      rocprofiler_client_id_t *id)
{
    static auto *it = new state{};
    static auto result = rocprofiler_tool_configure_result_t{sizeof(rocprofiler_tool_configure_result_t), initialize,
                                                             finish, it};
    id->name = "cxx-tool";
    return &result;
}
