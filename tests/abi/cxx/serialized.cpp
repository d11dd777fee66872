/* Writes structures of the library as JSON on standard output, with cereal and the C++ headers, and the
 * same again after loading those that can be loaded. serialized.py reads both. */
#include <rocprofiler-sdk/cxx/serialization.hpp>

#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>
#include <iostream>
#include <sstream>

namespace sdk = rocprofiler::sdk;

template <typename Tp> static std::string text_of(const Tp &value)
{
    std::ostringstream out;
    {
        cereal::JSONOutputArchive archive{out, cereal::JSONOutputArchive::Options::NoIndent()};
        archive(cereal::make_nvp("it", value));
    }
    return out.str();
}

/* the object, and what becomes of it after one load */
template <typename Tp> static void again(const char *name, const Tp &value)
{
    const auto text = text_of(value);
    Tp loaded = {};
    std::istringstream in{text};
    cereal::JSONInputArchive archive{in};
    archive(cereal::make_nvp("it", loaded));
    std::cout << "{\"name\":\"" << name << "\",\"first\":" << text
              << ",\"second\":" << text_of(loaded) << "}\n";
}

template <typename Tp> static void once(const char *name, const Tp &value)
{
    std::cout << "{\"name\":\"" << name << "\",\"first\":" << text_of(value) << "}\n";
}

static rocprofiler_agent_v0_t agent()
{
    static const rocprofiler_agent_mem_bank_t banks[] = {{HSA_HEAPTYPE_SYSTEM, {2}, 64, 3200, 1024}};
    static const rocprofiler_agent_cache_t caches[] = {{1, 16, 1, 64, 1, 4, 0, {9}},
                                                       {2, 8192, 2, 128, 1, 16, 0, {1}}};
    static const rocprofiler_agent_io_link_t links[] = {
        {HSA_IOLINKTYPE_PCIEXPRESS, 1, 2, 0, 1, 20, 3, 4, 5, 6, 7, {3}}};
    rocprofiler_agent_v0_t it = {};
    it.size = sizeof(it);
    it.id.handle = 0x1234567890abcdefu;
    it.type = ROCPROFILER_AGENT_TYPE_GPU;
    it.mem_banks_count = 1;
    it.caches_count = 2;
    it.io_links_count = 1;
    it.gfx_target_version = 90010;
    it.capability.ui32.DoorbellType = 2;
    it.capability.ui32.WatchPointsTotalBits = 5;
    it.fw_version.ui32.Stepping = 17;
    it.sdma_fw_version.uCodeSDMA = 9;
    it.workgroup_max_dim = {1024, 1023, 1022};
    it.mem_banks = banks;
    it.caches = caches;
    it.io_links = links;
    it.name = "gfx90a";
    it.vendor_name = "AMD";
    it.product_name = "a \"name\"";
    it.logical_node_type_id = -1;
    it.runtime_visibility.hip = 1;
    it.uuid.bytes[15] = 255;
    return it;
}

static void code_objects()
{
    rocprofiler_callback_tracing_code_object_load_data_t memory = {};
    memory.size = sizeof(memory);
    memory.uri = "memory://1#offset=0x1&size=2";
    memory.load_delta = -4096;
    memory.storage_type = ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
    memory.memory_base = 77;
    memory.memory_size = 78;
    again("load_memory", memory);
    rocprofiler_callback_tracing_code_object_load_data_t file = {};
    file.storage_type = ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE;
    file.storage_file = 5;
    again("load_file", file);
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t kernel = {};
    kernel.kernel_name = "add.kd";
    kernel.kernel_address.handle = 4096;
    kernel.arch_vgpr_count = 8;
    again("kernel", kernel);
}

static void records()
{
    rocprofiler_buffer_tracing_hip_api_record_t call = {};
    call.size = sizeof(call);
    call.kind = ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API;
    call.operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipFree;
    call.correlation_id = {3, {.value = 4}, 2};
    call.start_timestamp = 10;
    call.end_timestamp = 20;
    call.thread_id = 30;
    once("call", call);
    rocprofiler_buffer_tracing_hip_api_ext_record_t extended = {};
    extended.size = sizeof(extended);
    extended.kind = ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT;
    extended.operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc;
    extended.args.hipMalloc.size = 256;
    once("extended", extended);
    rocprofiler_buffer_tracing_kernel_dispatch_record_t dispatch = {};
    dispatch.correlation_id = {5, {.value = 6}};
    dispatch.dispatch_info.grid_size = {64, 2, 1};
    once("dispatch", dispatch);
    rocprofiler_callback_tracing_record_t event = {};
    event.context_id.handle = 1;
    event.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
    once("event", event);
    rocprofiler_pc_sampling_record_stochastic_v0_t sample = {};
    sample.flags.has_memory_counter = 1;
    sample.hw_id.workgroup_id = 99;
    sample.wave_in_group = 3;
    sample.snapshot.arb_state_issue_lds = 1;
    once("sample", sample);
}

static void counters()
{
    using position_t = rocprofiler_counter_dimension_info_t;
    using instance_t = rocprofiler_counter_record_dimension_instance_info_t;
    using dimension_t = rocprofiler_counter_record_dimension_info_t;
    static const position_t xcc = {sizeof(position_t), "DIMENSION_XCC", 1};
    static const position_t *positions[] = {&xcc, nullptr};
    static const instance_t instance = {sizeof(instance_t), 8, 7, 2, positions};
    static const instance_t *instances[] = {&instance};
    static const dimension_t dimension = {"DIMENSION_XCC", 2, 1};
    static const dimension_t *dimensions[] = {&dimension};
    rocprofiler_counter_info_v1_t info = {};
    info.id.handle = 7;
    info.name = "SQ_WAVES";
    info.block = "SQ";
    info.is_derived = 1;
    info.dimensions_count = 1;
    info.dimensions = dimensions;
    info.dimensions_instances_count = 1;
    info.dimensions_instances = instances;
    once("counter", info);
}

int main()
{
    again("agent", agent());
    code_objects();
    records();
    counters();
    sdk::buffer_name_info_t<const char *> names;
    names.emplace(ROCPROFILER_BUFFER_TRACING_NONE, "NONE");
    names.emplace(ROCPROFILER_BUFFER_TRACING_HSA_CORE_API, "HSA_CORE_API");
    names.emplace(ROCPROFILER_BUFFER_TRACING_HSA_CORE_API, 1, "hsa_shut_down");
    once("names", names);
}
