/* chain.cpp - "Runtime intercept tables": a tool that chains itself into the tables of HIP, HSA and
 * ROCTx, and is called back for the same functions. What it finds in the tables must be the
 * library's own functions; a call passes through the tool first, then the library, then the
 * runtime. CUT=1: the tool does not pass calls of hipMemsetD32 on, so the library never sees them. */
#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#define AMD_INTERNAL_BUILD // this header then finds the others beside it
#include <hsa/hsa_api_trace.h>
#include <rocprofiler-sdk-roctx/api_trace.h>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{
thread_local int depth; // calls of the tool's own functions that have not returned
unsigned inside, alone, copies, marks, cut_off;
rocprofiler_context_id_t context;

void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *, void *)
{
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) (depth ? inside : alone)++;
}

const char *owner(void *function)
{
    Dl_info info;
    if (!dladdr(function, &info)) return "nobody";
    return std::strstr(info.dli_fname, "librocprofiler-sdk.so") ? "the library" : info.dli_fname;
}

hipError_t (*next_memset)(hipDeviceptr_t, int, size_t);
hipError_t my_memset(hipDeviceptr_t memory, int value, size_t words)
{
    if (std::getenv("CUT") && ++cut_off) return hipSuccess;
    depth++;
    hipError_t status = next_memset(memory, value, words);
    depth--;
    return status;
}

hsa_status_t (*next_agents)(hsa_status_t (*)(hsa_agent_t, void *), void *);
hsa_status_t my_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data)
{
    copies++;
    depth++;
    hsa_status_t status = next_agents(callback, data);
    depth--;
    return status;
}

void (*next_mark)(const char *);
void my_mark(const char *text)
{
    marks++;
    depth++;
    next_mark(text);
    depth--;
}

void on_table(rocprofiler_intercept_table_t type, uint64_t, uint64_t instance, void **tables,
              uint64_t count, void *user_data)
{
    const char *name = nullptr;
    rocprofiler_query_intercept_table_name(type, &name, nullptr);
    if (instance != 0 || count != 1 || user_data != &context) return;
    void *found = nullptr;
    if (type == ROCPROFILER_HIP_RUNTIME_TABLE) {
        // the size, then the functions in the order of their ids
        auto *entry = static_cast<void **>(tables[0]) + 1 +
                      ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetD32;
        found = *entry;
        std::memcpy(&next_memset, entry, sizeof found);
        *entry = reinterpret_cast<void *>(my_memset);
    } else if (type == ROCPROFILER_HSA_TABLE) {
        auto *table = static_cast<HsaApiTable *>(tables[0]);
        next_agents = table->core_->hsa_iterate_agents_fn;
        found = reinterpret_cast<void *>(next_agents);
        table->core_->hsa_iterate_agents_fn = my_agents;
    } else if (type == ROCPROFILER_MARKER_CORE_TABLE) {
        auto *table = static_cast<roctxCoreApiTable_t *>(tables[0]);
        next_mark = table->roctxMarkA_fn;
        found = reinterpret_cast<void *>(next_mark);
        table->roctxMarkA_fn = my_mark;
    } else {
        return;
    }
    std::fprintf(stderr, "%s: found a function of %s\n", name, owner(found));
}

int tool_init(rocprofiler_client_finalize_t, void *)
{
    rocprofiler_create_context(&context);
    rocprofiler_tracing_operation_t hip = ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetD32;
    rocprofiler_tracing_operation_t hsa = ROCPROFILER_HSA_CORE_API_ID_hsa_iterate_agents;
    rocprofiler_tracing_operation_t mark = ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA;
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, &hip, 1, on_call, nullptr);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, &hsa, 1, on_call, nullptr);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, &mark, 1, on_call, nullptr);
    rocprofiler_start_context(context);
    return rocprofiler_at_intercept_table_registration(
        on_table,
        ROCPROFILER_HIP_RUNTIME_TABLE | ROCPROFILER_HSA_TABLE | ROCPROFILER_MARKER_CORE_TABLE,
        &context);
}

void tool_fini(void *)
{
    std::fprintf(stderr, "%u marks, agents %s, %u cut off; traced: %s inside, %u alone\n", marks,
                 copies ? "too" : "never", cut_off,
                 inside == marks + copies + (cut_off ? 0 : 6) ? "all" : "not all", alone);
}
} // namespace

extern "C" rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t, const char *, uint32_t, rocprofiler_client_id_t *client_id)
{
    client_id->name = "chain";
    static auto cfg = rocprofiler_tool_configure_result_t{
        sizeof(rocprofiler_tool_configure_result_t), &tool_init, &tool_fini, nullptr};
    return &cfg;
}
