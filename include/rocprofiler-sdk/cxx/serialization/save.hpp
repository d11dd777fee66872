/* How cereal's archives write the library's structures: as objects with a key for each member, in
 * the order that readers of rocprofv3's JSON expect. Arguments of calls are not included, since the
 * unions that hold them do not contain the operation; those of extended buffer records are queried
 * from the library. */
#pragma once

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/pc_sampling.h>

#include <rocprofiler-sdk/cxx/container/c_array.hpp>
#include <rocprofiler-sdk/cxx/name_info.hpp>
#include <rocprofiler-sdk/cxx/serialization/details/cereal.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace rocprofiler
{
namespace sdk
{
namespace serialization
{
/** An argument of the call that an extended buffer record describes; all members are text. */
struct buffer_tracing_args {
    std::string type = {};
    std::string name = {};
    std::string value = {};
};

/** Returns the arguments of an extended buffer record, in the order of the signature; none for
 * records without arguments. To be called only inside the buffer callback that got the record. */
template <typename Tp> auto get_buffer_tracing_args(Tp &data)
{
    auto add = [](rocprofiler_buffer_tracing_kind_t, rocprofiler_tracing_operation_t, uint32_t,
                  const void *const, int32_t, const char *type, const char *name, const char *value,
                  void *list) {
        static_cast<std::vector<buffer_tracing_args> *>(list)->push_back({type, name, value});
        return 0;
    };
    rocprofiler_record_header_t header = {};
    header.category = ROCPROFILER_BUFFER_CATEGORY_TRACING;
    header.kind = data.kind;
    header.payload = const_cast<void *>(static_cast<const void *>(&data));
    std::vector<buffer_tracing_args> args;
    rocprofiler_iterate_buffer_tracing_record_args(header, add, &args);
    return args;
}
} // namespace serialization
} // namespace sdk
} // namespace rocprofiler

#define RSDK_PUT(KEY, VALUE)   ar(make_nvp(KEY, VALUE));
#define RSDK_KEY(NAME, MEMBER) RSDK_PUT(#NAME, data.MEMBER)
#define RSDK_FIELD(MEMBER)     RSDK_PUT(#MEMBER, data.MEMBER)
/* A bit-field cannot be passed by reference, so it is copied. */
#define RSDK_BITS_AS(KEY, MEMBER) RSDK_PUT(KEY, static_cast<uint32_t>(data.MEMBER))
#define RSDK_BITS(NAME, MEMBER)   RSDK_BITS_AS(#NAME, MEMBER)
#define RSDK_TEXT(MEMBER)         RSDK_PUT(#MEMBER, std::string{data.MEMBER ? data.MEMBER : ""})
/* An agent read by load.hpp has no arrays, whatever its counts are. */
#define RSDK_ARRAY(MEMBER)                                                                         \
    RSDK_PUT(#MEMBER,                                                                              \
             sdk::container::make_c_array(data.MEMBER, data.MEMBER ? data.MEMBER##_count : 0))
#define RSDK_CASE(STORAGE, MEMBER)                                                                 \
    if (data.storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_##STORAGE) RSDK_FIELD(MEMBER)
#define RSDK_CASE_FILE(MEMBER)   RSDK_CASE(FILE, MEMBER)
#define RSDK_CASE_MEMORY(MEMBER) RSDK_CASE(MEMORY, MEMBER)
#define RSDK_AGENT_TAIL                                                                            \
    RSDK_FIELD(runtime_visibility)                                                                 \
    RSDK_FIELD(uuid)                                                                               \
    RSDK_ARRAY(mem_banks)                                                                          \
    RSDK_ARRAY(caches)                                                                             \
    RSDK_ARRAY(io_links)
/* Of the runtime's queue only the id is written. */
#define RSDK_QUEUE() RSDK_PUT("queue_id", data.queue ? data.queue->id : uint64_t{0})
#define RSDK_ARGS()  RSDK_PUT("args", sdk::serialization::get_buffer_tracing_args(data))
#define RSDK_OBJECT(TYPE, ...)                                                                     \
    template <typename ArchiveT> void save(ArchiveT &ar, const TYPE &data)                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define RSDK_API_RECORD(TYPE) RSDK_OBJECT(TYPE, save_buffer_tracing_api_record(ar, data);)

ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN
namespace sdk = ::rocprofiler::sdk;

/** The members that all API records have. */
template <typename ArchiveT, typename Tp>
void save_buffer_tracing_api_record(ArchiveT &ar, const Tp &data)
{
    RSDK_FIELD(size)
    RSDK_FIELD(kind)
    RSDK_FIELD(operation)
    RSDK_FIELD(correlation_id)
    RSDK_FIELD(start_timestamp)
    RSDK_FIELD(end_timestamp)
    RSDK_FIELD(thread_id)
}

#include <rocprofiler-sdk/cxx/serialization/details/objects.hpp>

// clang-format off
RSDK_OBJECT(sdk::serialization::buffer_tracing_args, RSDK_FIELD(type) RSDK_FIELD(name)
            RSDK_FIELD(value))
RSDK_OBJECT(rocprofiler_correlation_id_t, RSDK_FIELD(internal) RSDK_KEY(external, external.value)
            RSDK_FIELD(ancestor))
RSDK_OBJECT(rocprofiler_async_correlation_id_t, RSDK_FIELD(internal) RSDK_KEY(external, external.value))
RSDK_OBJECT(hsa_queue_t, RSDK_KEY(queue_id, id))
RSDK_API_RECORD(rocprofiler_buffer_tracing_hsa_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_hip_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_marker_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_rccl_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_rocdecode_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_rocjpeg_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_rocshmem_api_record_t)
RSDK_API_RECORD(rocprofiler_buffer_tracing_hipfile_api_record_t)
RSDK_OBJECT(rocprofiler_context_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(hsa_agent_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_queue_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_stream_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_graph_exec_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_graph_node_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_counter_id_t, RSDK_FIELD(handle))
RSDK_OBJECT(rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t,
            RSDK_FIELD(size) RSDK_FIELD(host_function_id) RSDK_FIELD(kernel_id)
            RSDK_FIELD(code_object_id) RSDK_FIELD(host_function) RSDK_FIELD(modules)
            RSDK_TEXT(device_function) RSDK_FIELD(thread_limit) RSDK_FIELD(thread_ids)
            RSDK_FIELD(block_ids) RSDK_FIELD(block_dims) RSDK_FIELD(grid_dims)
            RSDK_FIELD(workgroup_size))
RSDK_OBJECT(rocprofiler_hsa_api_retval_t, RSDK_FIELD(uint64_t_retval))
RSDK_OBJECT(rocprofiler_marker_api_retval_t, RSDK_FIELD(int64_t_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_hsa_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_callback_tracing_marker_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_hip_api_retval_t, RSDK_FIELD(uint64_t_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_hip_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_callback_tracing_scratch_memory_data_t, RSDK_FIELD(size)
            RSDK_FIELD(agent_id) RSDK_FIELD(queue_id) RSDK_FIELD(flags) RSDK_FIELD(args_kind))
RSDK_OBJECT(rocprofiler_kernel_dispatch_info_t, RSDK_FIELD(size) RSDK_FIELD(agent_id)
            RSDK_FIELD(queue_id) RSDK_FIELD(kernel_id) RSDK_FIELD(dispatch_id)
            RSDK_FIELD(private_segment_size) RSDK_FIELD(group_segment_size)
            RSDK_FIELD(workgroup_size) RSDK_FIELD(grid_size))
RSDK_OBJECT(rocprofiler_callback_tracing_kernel_dispatch_data_t, RSDK_FIELD(size)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(dispatch_info))
RSDK_OBJECT(rocprofiler_callback_tracing_memory_copy_data_t, RSDK_FIELD(size)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(dst_agent_id)
            RSDK_FIELD(src_agent_id) RSDK_FIELD(bytes))
RSDK_OBJECT(rocprofiler_callback_tracing_memory_allocation_data_t, RSDK_FIELD(size)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(agent_id)
            RSDK_FIELD(address) RSDK_FIELD(allocation_size))
RSDK_OBJECT(rocprofiler_rccl_api_retval_t, RSDK_FIELD(ncclResult_t_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_rccl_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_rocdecode_api_retval_t, RSDK_FIELD(uint64_t_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_rocdecode_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_rocjpeg_api_retval_t, RSDK_FIELD(rocJpegStatus_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_rocjpeg_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_rocshmem_api_retval_t, (void)ar; (void)data;)
RSDK_OBJECT(rocprofiler_callback_tracing_rocshmem_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_hipfile_api_retval_t, RSDK_FIELD(int64_t_retval))
RSDK_OBJECT(rocprofiler_callback_tracing_hipfile_api_data_t, RSDK_FIELD(size) RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_callback_tracing_hip_graph_data_t, RSDK_FIELD(size)
            RSDK_FIELD(graph_exec_id) RSDK_FIELD(graph_exec_value))
RSDK_OBJECT(rocprofiler_callback_tracing_hip_event_data_t, RSDK_FIELD(size)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(agent_id)
            RSDK_FIELD(queue_id) RSDK_FIELD(hip_event_handle) RSDK_FIELD(source_queue_id))
RSDK_OBJECT(rocprofiler_dispatch_counting_service_data_t, RSDK_FIELD(size)
            RSDK_FIELD(correlation_id) RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp)
            RSDK_FIELD(dispatch_info))
RSDK_OBJECT(rocprofiler_dispatch_counting_service_record_t, RSDK_FIELD(size)
            RSDK_FIELD(num_records) RSDK_FIELD(correlation_id) RSDK_FIELD(start_timestamp)
            RSDK_FIELD(end_timestamp) RSDK_FIELD(dispatch_info))
RSDK_OBJECT(rocprofiler_callback_tracing_record_t, RSDK_FIELD(context_id) RSDK_FIELD(thread_id)
            RSDK_FIELD(kind) RSDK_FIELD(operation) RSDK_FIELD(correlation_id) RSDK_FIELD(phase))
RSDK_OBJECT(rocprofiler_counter_record_t, RSDK_FIELD(id) RSDK_FIELD(counter_value)
            RSDK_FIELD(dispatch_id))
RSDK_OBJECT(rocprofiler_buffer_tracing_hip_api_ext_record_t,
            save_buffer_tracing_api_record(ar, data); RSDK_ARGS() RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_buffer_tracing_rocdecode_api_ext_record_t,
            save_buffer_tracing_api_record(ar, data); RSDK_ARGS() RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_buffer_tracing_rocshmem_api_ext_record_t,
            save_buffer_tracing_api_record(ar, data); RSDK_ARGS() RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_buffer_tracing_hipfile_api_ext_record_t,
            save_buffer_tracing_api_record(ar, data); RSDK_ARGS() RSDK_FIELD(retval))
RSDK_OBJECT(rocprofiler_buffer_tracing_hip_graph_record_t, RSDK_FIELD(size) RSDK_FIELD(kind)
            RSDK_FIELD(operation) RSDK_FIELD(correlation_id) RSDK_FIELD(thread_id)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(agent_id)
            RSDK_FIELD(queue_id) RSDK_FIELD(graph_exec_id) RSDK_FIELD(kernel_dispatch_count))
RSDK_OBJECT(rocprofiler_buffer_tracing_hip_event_record_t, RSDK_FIELD(size) RSDK_FIELD(kind)
            RSDK_FIELD(operation) RSDK_FIELD(correlation_id) RSDK_FIELD(thread_id)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(agent_id)
            RSDK_FIELD(queue_id) RSDK_FIELD(hip_event_handle) RSDK_FIELD(source_queue_id))
RSDK_OBJECT(rocprofiler_buffer_tracing_kernel_dispatch_record_t, RSDK_FIELD(size) RSDK_FIELD(kind)
            RSDK_FIELD(operation) RSDK_FIELD(thread_id) RSDK_FIELD(correlation_id)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(dispatch_info))
RSDK_OBJECT(rocprofiler_buffer_tracing_memory_copy_record_t, RSDK_FIELD(size) RSDK_FIELD(kind)
            RSDK_FIELD(operation) RSDK_FIELD(thread_id) RSDK_FIELD(correlation_id)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(dst_agent_id)
            RSDK_FIELD(src_agent_id) RSDK_FIELD(bytes))
RSDK_OBJECT(rocprofiler_buffer_tracing_memory_allocation_record_t, RSDK_FIELD(size)
            RSDK_FIELD(kind) RSDK_FIELD(operation) RSDK_FIELD(thread_id)
            RSDK_FIELD(correlation_id) RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp)
            RSDK_FIELD(agent_id) RSDK_FIELD(address) RSDK_FIELD(allocation_size))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(timestamp) RSDK_FIELD(pid) RSDK_FIELD(start_address)
            RSDK_FIELD(end_address) RSDK_FIELD(src_agent) RSDK_FIELD(dst_agent)
            RSDK_FIELD(prefetch_agent) RSDK_FIELD(preferred_agent) RSDK_FIELD(error_code))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_event_page_fault_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(timestamp) RSDK_FIELD(pid) RSDK_FIELD(agent_id)
            RSDK_FIELD(address))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_event_queue_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(timestamp) RSDK_FIELD(pid) RSDK_FIELD(agent_id))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(timestamp) RSDK_FIELD(pid) RSDK_FIELD(agent_id)
            RSDK_FIELD(start_address) RSDK_FIELD(end_address))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(timestamp) RSDK_FIELD(pid) RSDK_FIELD(count))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_page_migrate_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp)
            RSDK_FIELD(pid) RSDK_FIELD(start_address) RSDK_FIELD(end_address)
            RSDK_FIELD(src_agent) RSDK_FIELD(dst_agent) RSDK_FIELD(prefetch_agent)
            RSDK_FIELD(preferred_agent) RSDK_FIELD(error_code))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_page_fault_record_t, RSDK_FIELD(size)
            RSDK_FIELD(operation) RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp)
            RSDK_FIELD(pid) RSDK_FIELD(agent_id) RSDK_FIELD(address))
RSDK_OBJECT(rocprofiler_buffer_tracing_kfd_queue_record_t, RSDK_FIELD(size) RSDK_FIELD(operation)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(pid)
            RSDK_FIELD(agent_id))
RSDK_OBJECT(rocprofiler_buffer_tracing_scratch_memory_record_t, RSDK_FIELD(size) RSDK_FIELD(kind)
            RSDK_FIELD(operation) RSDK_FIELD(agent_id) RSDK_FIELD(queue_id) RSDK_FIELD(thread_id)
            RSDK_FIELD(start_timestamp) RSDK_FIELD(end_timestamp) RSDK_FIELD(correlation_id)
            RSDK_FIELD(flags) RSDK_FIELD(allocation_size))
RSDK_OBJECT(rocprofiler_buffer_tracing_correlation_id_retirement_record_t, RSDK_FIELD(size)
            RSDK_FIELD(kind) RSDK_FIELD(timestamp) RSDK_FIELD(internal_correlation_id))
RSDK_OBJECT(rocprofiler_pc_t, RSDK_FIELD(code_object_id) RSDK_FIELD(code_object_offset))
RSDK_OBJECT(rocprofiler_pc_sampling_hw_id_v0_t, RSDK_BITS(chiplet, chiplet)
            RSDK_BITS(wave_id, wave_id) RSDK_BITS(simd_id, simd_id) RSDK_BITS(pipe_id, pipe_id)
            RSDK_BITS(cu_or_wgp_id, cu_or_wgp_id) RSDK_BITS(shader_array_id, shader_array_id)
            RSDK_BITS(shader_engine_id, shader_engine_id)
            RSDK_BITS_AS("workgroup_id ", workgroup_id) RSDK_BITS(vm_id, vm_id)
            RSDK_BITS(queue_id, queue_id) RSDK_BITS(microengine_id, microengine_id))
RSDK_OBJECT(rocprofiler_pc_sampling_record_host_trap_v0_t, RSDK_FIELD(hw_id) RSDK_FIELD(pc)
            RSDK_FIELD(exec_mask) RSDK_FIELD(timestamp) RSDK_FIELD(dispatch_id)
            RSDK_KEY(corr_id, correlation_id) RSDK_KEY(wrkgrp_id, workgroup_id)
            RSDK_BITS(wave_in_grp, wave_in_group))
RSDK_OBJECT(rocprofiler_pc_sampling_record_stochastic_header_t,
            RSDK_BITS(has_mem_cnt, has_memory_counter))
RSDK_OBJECT(rocprofiler_pc_sampling_snapshot_v0_t, RSDK_BITS(dual_issue_valu, dual_issue_valu)
            RSDK_BITS(arb_state_issue_valu, arb_state_issue_valu)
            RSDK_BITS(arb_state_issue_matrix, arb_state_issue_matrix)
            RSDK_BITS(arb_state_issue_lds, arb_state_issue_lds)
            RSDK_BITS(arb_state_issue_lds_direct, arb_state_issue_lds_direct)
            RSDK_BITS(arb_state_issue_scalar, arb_state_issue_scalar)
            RSDK_BITS(arb_state_issue_vmem_tex, arb_state_issue_vmem_tex)
            RSDK_BITS(arb_state_issue_flat, arb_state_issue_flat)
            RSDK_BITS(arb_state_issue_exp, arb_state_issue_exp)
            RSDK_BITS(arb_state_issue_misc, arb_state_issue_misc)
            RSDK_BITS(arb_state_issue_brmsg, arb_state_issue_brmsg)
            RSDK_BITS(arb_state_stall_valu, arb_state_stall_valu)
            RSDK_BITS(arb_state_stall_matrix, arb_state_stall_matrix)
            RSDK_BITS(arb_state_stall_lds, arb_state_stall_lds)
            RSDK_BITS(arb_state_stall_lds_direct, arb_state_stall_lds_direct)
            RSDK_BITS(arb_state_stall_scalar, arb_state_stall_scalar)
            RSDK_BITS(arb_state_stall_vmem_tex, arb_state_stall_vmem_tex)
            RSDK_BITS(arb_state_stall_flat, arb_state_stall_flat)
            RSDK_BITS(arb_state_stall_exp, arb_state_stall_exp)
            RSDK_BITS(arb_state_stall_misc, arb_state_stall_misc)
            RSDK_BITS(arb_state_stall_brmsg, arb_state_stall_brmsg))
RSDK_OBJECT(rocprofiler_pc_sampling_record_stochastic_v0_t, RSDK_FIELD(flags) RSDK_FIELD(hw_id)
            RSDK_FIELD(pc) RSDK_FIELD(exec_mask) RSDK_FIELD(timestamp) RSDK_FIELD(dispatch_id)
            RSDK_KEY(corr_id, correlation_id) RSDK_KEY(wrkgrp_id, workgroup_id)
            RSDK_KEY(wave_in_grp, wave_in_group) RSDK_BITS(wave_issued, wave_issued)
            RSDK_KEY(wave_cnt, wave_count) RSDK_FIELD(snapshot))
RSDK_OBJECT(rocprofiler_pc_sampling_configuration_t, RSDK_FIELD(method) RSDK_FIELD(unit)
            RSDK_FIELD(min_interval) RSDK_FIELD(max_interval) RSDK_FIELD(flags))
RSDK_OBJECT(rocprofiler_agent_runtime_visiblity_t, RSDK_BITS(hsa, hsa) RSDK_BITS(hip, hip)
            RSDK_BITS(rccl, rccl) RSDK_BITS(rocdecode, rocdecode))
RSDK_OBJECT(rocprofiler_uuid_t, RSDK_FIELD(bytes))
RSDK_OBJECT(rocprofiler_counter_info_v0_t, RSDK_FIELD(id) RSDK_BITS(is_constant, is_constant)
            RSDK_BITS(is_derived, is_derived) RSDK_TEXT(name) RSDK_TEXT(description)
            RSDK_TEXT(block) RSDK_TEXT(expression))
RSDK_OBJECT(rocprofiler_counter_dimension_info_t, RSDK_TEXT(dimension_name) RSDK_FIELD(index))
RSDK_OBJECT(rocprofiler_counter_record_dimension_info_t, RSDK_FIELD(id) RSDK_FIELD(instance_size)
            RSDK_TEXT(name))
RSDK_OBJECT(rocprofiler_callback_tracing_runtime_initialization_data_t, RSDK_FIELD(size)
            RSDK_FIELD(version) RSDK_FIELD(instance))
RSDK_OBJECT(rocprofiler_buffer_tracing_runtime_initialization_record_t, RSDK_FIELD(size)
            RSDK_FIELD(kind) RSDK_FIELD(operation) RSDK_FIELD(correlation_id)
            RSDK_FIELD(timestamp) RSDK_FIELD(thread_id) RSDK_FIELD(version) RSDK_FIELD(instance))
RSDK_OBJECT(rocprofiler_counter_info_v1_t, RSDK_FIELD(id) RSDK_BITS(is_constant, is_constant)
            RSDK_BITS(is_derived, is_derived) RSDK_TEXT(name) RSDK_TEXT(description)
            RSDK_TEXT(block) RSDK_TEXT(expression)
            RSDK_PUT("instances", sdk::container::make_c_array(data.dimensions_instances, data.dimensions_instances_count))
            RSDK_ARRAY(dimensions))
RSDK_OBJECT(rocprofiler_counter_record_dimension_instance_info_t, RSDK_FIELD(instance_id)
            RSDK_FIELD(counter_id) RSDK_ARRAY(dimensions))

RSDK_OBJECT(rocprofiler_callback_tracing_ompt_data_t, RSDK_FIELD(size))
RSDK_OBJECT(rocprofiler_buffer_tracing_ompt_target_t, RSDK_FIELD(kind)
            RSDK_KEY(device, device_num) RSDK_FIELD(task_id) RSDK_FIELD(target_id))
RSDK_OBJECT(rocprofiler_buffer_tracing_ompt_target_data_op_t, RSDK_FIELD(host_op_id)
            RSDK_FIELD(optype) RSDK_FIELD(src_device_num) RSDK_FIELD(dst_device_num)
            RSDK_FIELD(bytes))
RSDK_OBJECT(rocprofiler_buffer_tracing_ompt_target_kernel_t, RSDK_FIELD(host_op_id)
            RSDK_FIELD(device_num) RSDK_FIELD(requested_num_teams))
#define RSDK_WHEN(OPERATION, MEMBER)                                                               \
    if (data.operation == ROCPROFILER_OMPT_ID_##OPERATION) RSDK_FIELD(MEMBER)
RSDK_OBJECT(rocprofiler_buffer_tracing_ompt_record_t, save_buffer_tracing_api_record(ar, data);
            RSDK_WHEN(target_emi, target) RSDK_WHEN(target_data_op_emi, target_data_op)
            RSDK_WHEN(target_submit_emi, target_kernel))
#undef RSDK_WHEN

#ifdef ROCPROFILER_HSA_HAS_TOOL_EVENTS
RSDK_OBJECT(hsa_amd_event_scratch_alloc_start_t, RSDK_QUEUE() RSDK_FIELD(dispatch_id))
RSDK_OBJECT(hsa_amd_event_scratch_alloc_end_t, RSDK_QUEUE() RSDK_FIELD(dispatch_id)
            RSDK_FIELD(size) RSDK_FIELD(num_slots) RSDK_FIELD(flags))
RSDK_OBJECT(hsa_amd_event_scratch_free_start_t, RSDK_QUEUE())
RSDK_OBJECT(hsa_amd_event_scratch_free_end_t, RSDK_QUEUE() RSDK_FIELD(flags))
RSDK_OBJECT(hsa_amd_event_scratch_async_reclaim_start_t, RSDK_QUEUE())
RSDK_OBJECT(hsa_amd_event_scratch_async_reclaim_end_t, RSDK_QUEUE() RSDK_FIELD(flags))
#endif
// clang-format on

/** Writes the table as an array of its kinds. */
template <typename ArchiveT, typename EnumT, typename ValueT>
void save(ArchiveT &ar, const ::rocprofiler::sdk::utility::name_info<EnumT, ValueT> &data)
{
    ar(make_size_tag(static_cast<size_type>(data.size())));
    for (const auto &entry : data)
        ar(entry);
}

template <typename ArchiveT, typename EnumT, typename ValueT>
void save(ArchiveT &ar, const ::rocprofiler::sdk::utility::name_info_impl<EnumT, ValueT> &data)
{
    auto text = [](const auto &name) {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(name)>>)
            return std::string{name ? name : ""};
        else
            return std::string{name};
    };
    std::vector<std::string> operations;
    operations.reserve(data.operations.size());
    for (const auto &operation : data.operations)
        operations.push_back(text(operation));
    RSDK_PUT("kind", text(data.name))
    RSDK_PUT("operations", operations)
}

template <typename ArchiveT, typename Tp>
void save(ArchiveT &ar, const ::rocprofiler::sdk::container::c_array<Tp> &data)
{
    ar(make_size_tag(static_cast<size_type>(data.size())));
    for (const auto &element : data)
        ar(element);
}

/** Writes what the pointers point to; null pointers are left out. */
template <typename ArchiveT, typename Tp>
void save(ArchiveT &ar, const ::rocprofiler::sdk::container::c_array<Tp *> &data)
{
    size_type count = 0;
    for (const auto *element : data)
        count += element ? 1 : 0;
    ar(make_size_tag(count));
    for (const auto *element : data) {
        if (element) ar(*element);
    }
}
ROCPROFILER_SDK_CEREAL_NAMESPACE_END

#undef RSDK_PUT
#undef RSDK_KEY
#undef RSDK_FIELD
#undef RSDK_BITS_AS
#undef RSDK_BITS
#undef RSDK_TEXT
#undef RSDK_ARRAY
#undef RSDK_CASE
#undef RSDK_CASE_FILE
#undef RSDK_CASE_MEMORY
#undef RSDK_AGENT_TAIL
#undef RSDK_QUEUE
#undef RSDK_ARGS
#undef RSDK_OBJECT
#undef RSDK_API_RECORD
