/* agent-fields.h - the numeric fields of an agent record, in one list.
 *
 * The tool library fills the values of an agent record from this list, and agent_info.csv has its
 * columns in the same order. X(column, member of rocprofiler_agent_v0_t, form): U unsigned, S
 * signed. The columns Agent_Type and Domain are texts in agent_info.csv; two entries of the list
 * mark their places. New columns go to the end of their group; a store written before a column
 * existed then reads as 0 in that column. */
#ifndef CROCPROF_TRACE_AGENT_FIELDS_H
#define CROCPROF_TRACE_AGENT_FIELDS_H

#define TRACE_AGENT_FIELDS(X)                                                                      \
    X(Node_Id, node_id, U)                                                                         \
    X(Logical_Node_Id, logical_node_id, S)                                                         \
    X(Agent_Type, type, TYPE)                                                                      \
    X(Cpu_Cores_Count, cpu_cores_count, U)                                                         \
    X(Simd_Count, simd_count, U)                                                                   \
    X(Cpu_Core_Id_Base, cpu_core_id_base, U)                                                       \
    X(Simd_Id_Base, simd_id_base, U)                                                               \
    X(Max_Waves_Per_Simd, max_waves_per_simd, U)                                                   \
    X(Lds_Size_In_Kb, lds_size_in_kb, U)                                                           \
    X(Gds_Size_In_Kb, gds_size_in_kb, U)                                                           \
    X(Num_Gws, num_gws, U)                                                                         \
    X(Wave_Front_Size, wave_front_size, U)                                                         \
    X(Num_Xcc, num_xcc, U)                                                                         \
    X(Cu_Count, cu_count, U)                                                                       \
    X(Array_Count, array_count, U)                                                                 \
    X(Num_Shader_Banks, num_shader_banks, U)                                                       \
    X(Simd_Arrays_Per_Engine, simd_arrays_per_engine, U)                                           \
    X(Cu_Per_Simd_Array, cu_per_simd_array, U)                                                     \
    X(Simd_Per_Cu, simd_per_cu, U)                                                                 \
    X(Max_Slots_Scratch_Cu, max_slots_scratch_cu, U)                                               \
    X(Gfx_Target_Version, gfx_target_version, U)                                                   \
    X(Vendor_Id, vendor_id, U)                                                                     \
    X(Device_Id, device_id, U)                                                                     \
    X(Location_Id, location_id, U)                                                                 \
    X(Domain, domain, QUOTED)                                                                      \
    X(Drm_Render_Minor, drm_render_minor, U)                                                       \
    X(Num_Sdma_Engines, num_sdma_engines, U)                                                       \
    X(Num_Sdma_Xgmi_Engines, num_sdma_xgmi_engines, U)                                             \
    X(Num_Sdma_Queues_Per_Engine, num_sdma_queues_per_engine, U)                                   \
    X(Num_Cp_Queues, num_cp_queues, U)                                                             \
    X(Max_Engine_Clk_Ccompute, max_engine_clk_ccompute, U)                                         \
    X(Max_Engine_Clk_Fcompute, max_engine_clk_fcompute, U)                                         \
    X(Sdma_Fw_Version, sdma_fw_version.Value, U)                                                   \
    X(Fw_Version, fw_version.Value, U)                                                             \
    X(Capability, capability.Value, U)                                                             \
    X(Cu_Per_Engine, cu_per_engine, U)                                                             \
    X(Max_Waves_Per_Cu, max_waves_per_cu, U)                                                       \
    X(Family_Id, family_id, U)                                                                     \
    X(Workgroup_Max_Size, workgroup_max_size, U)                                                   \
    X(Grid_Max_Size, grid_max_size, U)                                                             \
    X(Local_Mem_Size, local_mem_size, U)                                                           \
    X(Hive_Id, hive_id, U)                                                                         \
    X(Gpu_Id, gpu_id, U)                                                                           \
    X(Workgroup_Max_Dim_X, workgroup_max_dim.x, U)                                                 \
    X(Workgroup_Max_Dim_Y, workgroup_max_dim.y, U)                                                 \
    X(Workgroup_Max_Dim_Z, workgroup_max_dim.z, U)                                                 \
    X(Grid_Max_Dim_X, grid_max_dim.x, U)                                                           \
    X(Grid_Max_Dim_Y, grid_max_dim.y, U)                                                           \
    X(Grid_Max_Dim_Z, grid_max_dim.z, U)

enum {
#define X(column, member, form) TRACE_AGENT_##column,
    TRACE_AGENT_FIELDS(X)
#undef X
        TRACE_AGENT_FIELD_COUNT
};

/* The texts that follow the values in an agent record, in the order of the record; they are the
 * last columns of agent_info.csv. */
#define TRACE_AGENT_TEXTS(X)                                                                       \
    X(Name, name)                                                                                  \
    X(Vendor_Name, vendor_name)                                                                    \
    X(Product_Name, product_name)                                                                  \
    X(Model_Name, model_name)

enum { TRACE_AGENT_TEXT_COUNT = 4 };

/* An agent can have several memory banks, caches, links and visible devices: its parts. These lists
 * have the columns of each kind of part: X(key, member, form); the form FLAGS is a word of bits. */
#define TRACE_AGENT_BANK_FIELDS(X)                                                                 \
    X(heap_type, heap_type, U)                                                                     \
    X(flags, flags.MemoryProperty, FLAGS)                                                          \
    X(width, width, U)                                                                             \
    X(mem_clk_max, mem_clk_max, U)                                                                 \
    X(size_in_bytes, size_in_bytes, U)

#define TRACE_AGENT_CACHE_FIELDS(X)                                                                \
    X(processor_id_low, processor_id_low, U)                                                       \
    X(size, size, U)                                                                               \
    X(level, level, U)                                                                             \
    X(cache_line_size, cache_line_size, U)                                                         \
    X(cache_lines_per_tag, cache_lines_per_tag, U)                                                 \
    X(association, association, U)                                                                 \
    X(latency, latency, U)                                                                         \
    X(type, type.Value, FLAGS)

#define TRACE_AGENT_LINK_FIELDS(X)                                                                 \
    X(type, type, U)                                                                               \
    X(version_major, version_major, U)                                                             \
    X(version_minor, version_minor, U)                                                             \
    X(node_from, node_from, U)                                                                     \
    X(node_to, node_to, U)                                                                         \
    X(weight, weight, U)                                                                           \
    X(min_latency, min_latency, U)                                                                 \
    X(max_latency, max_latency, U)                                                                 \
    X(min_bandwidth, min_bandwidth, U)                                                             \
    X(max_bandwidth, max_bandwidth, U)                                                             \
    X(recommended_transfer_size, recommended_transfer_size, U)                                     \
    X(flags, flags.LinkProperty, FLAGS)

#define TRACE_AGENT_VISIBLE_FIELDS(X)                                                              \
    X(hsa, hsa, U)                                                                                 \
    X(hip, hip, U)                                                                                 \
    X(rccl, rccl, U)                                                                               \
    X(rocdecode, rocdecode, U)

/* X(part, number of the parts of this kind in an agent `a`, pointer to the first of them) */
#define TRACE_AGENT_PARTS_LIST(X)                                                                  \
    X(BANK, a->mem_banks_count, a->mem_banks)                                                      \
    X(CACHE, a->caches_count, a->caches)                                                           \
    X(LINK, a->io_links_count, a->io_links)                                                        \
    X(VISIBLE, 1, &a->runtime_visibility)                                                          \
    X(UUID, sizeof(a->uuid.bytes), a->uuid.bytes)

enum {
#define X(part, count, first) TRACE_AGENT_PART_##part,
    TRACE_AGENT_PARTS_LIST(X)
#undef X
        TRACE_AGENT_PART_COUNT
};

#endif
