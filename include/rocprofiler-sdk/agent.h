/* Agents: the processors of the machine as the kernel driver describes them. */
#ifndef ROCPROFILER_SDK_AGENT_H_
#define ROCPROFILER_SDK_AGENT_H_

#include <rocprofiler-sdk/amd_detail/kfd_types.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Versions of the agent structure. */
typedef enum rocprofiler_agent_version_t {
    ROCPROFILER_AGENT_INFO_VERSION_NONE = 0,
    ROCPROFILER_AGENT_INFO_VERSION_0 = 1,
    ROCPROFILER_AGENT_INFO_VERSION_LAST = 2,
} rocprofiler_agent_version_t;

/** A cache of an agent. */
typedef struct rocprofiler_agent_cache_t {
    uint64_t processor_id_low; /**< number of the first processor that uses the cache */
    uint64_t size;             /**< KiB */
    uint32_t level;            /**< 1 for L1, and so on */
    uint32_t cache_line_size;  /**< bytes */
    uint32_t cache_lines_per_tag;
    uint32_t association; /**< number of ways */
    uint32_t latency;     /**< ns */
    HsaCacheType type;
} rocprofiler_agent_cache_t;

/** A link from an agent to another. */
typedef struct rocprofiler_agent_io_link_t {
    HSA_IOLINKTYPE type;
    uint32_t version_major;
    uint32_t version_minor;
    uint32_t node_from;                 /**< KFD topology node of the agent */
    uint32_t node_to;                   /**< KFD topology node at the other end */
    uint32_t weight;                    /**< relative cost, as in the NUMA distance table */
    uint32_t min_latency;               /**< ns */
    uint32_t max_latency;               /**< ns */
    uint32_t min_bandwidth;             /**< MB/s */
    uint32_t max_bandwidth;             /**< MB/s */
    uint32_t recommended_transfer_size; /**< bytes */
    HSA_LINKPROPERTY flags;
} rocprofiler_agent_io_link_t;

/** A memory bank of an agent. */
typedef struct rocprofiler_agent_mem_bank_t {
    HSA_HEAPTYPE heap_type;
    HSA_MEMORYPROPERTY flags;
    uint32_t width;       /**< bits of the memory bus */
    uint32_t mem_clk_max; /**< MHz */
    uint64_t size_in_bytes;
} rocprofiler_agent_mem_bank_t;

/** Which runtimes offer the agent to the program, after the *_VISIBLE_DEVICES variables. */
typedef struct rocprofiler_agent_runtime_visiblity_t {
    uint32_t hsa : 1;
    uint32_t hip : 1;
    uint32_t rccl : 1;
    uint32_t rocdecode : 1;
    uint32_t reserved : 28;
} rocprofiler_agent_runtime_visiblity_t;

/** An agent. Texts and arrays live as long as the process. */
typedef struct rocprofiler_agent_v0_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_agent_id_t id;
    rocprofiler_agent_type_t type;
    uint32_t cpu_cores_count;  /**< 0 for GPUs */
    uint32_t simd_count;       /**< SIMDs of all compute units; 0 for CPUs */
    uint32_t mem_banks_count;  /**< elements of mem_banks */
    uint32_t caches_count;     /**< elements of caches */
    uint32_t io_links_count;   /**< elements of io_links */
    uint32_t cpu_core_id_base; /**< number of the first core */
    uint32_t simd_id_base;     /**< number of the first SIMD */
    uint32_t max_waves_per_simd;
    uint32_t lds_size_in_kb;  /**< KiB per compute unit */
    uint32_t gds_size_in_kb;  /**< KiB */
    uint32_t num_gws;         /**< barriers of the global wave sync */
    uint32_t wave_front_size; /**< lanes */
    uint32_t num_xcc;
    uint32_t cu_count;
    uint32_t array_count;            /**< shader arrays */
    uint32_t num_shader_banks;       /**< shader engines */
    uint32_t simd_arrays_per_engine; /**< shader arrays per shader engine */
    uint32_t cu_per_simd_array;      /**< compute units per shader array */
    uint32_t simd_per_cu;
    uint32_t max_slots_scratch_cu; /**< waves per compute unit that can use scratch; 0: no limit */
    uint32_t gfx_target_version;   /**< 10000 * major + 100 * minor + stepping */
    uint16_t vendor_id;            /**< PCI */
    uint16_t device_id;            /**< PCI */
    uint32_t location_id;          /**< PCI bus, device and function: 8, 5 and 3 bits */
    uint32_t domain;               /**< PCI */
    uint32_t drm_render_minor;     /**< number of /dev/dri/renderD* */
    uint32_t num_sdma_engines;
    uint32_t num_sdma_xgmi_engines;
    uint32_t num_sdma_queues_per_engine;
    uint32_t num_cp_queues;           /**< compute queues */
    uint32_t max_engine_clk_ccompute; /**< MHz, of the CPU */
    uint32_t max_engine_clk_fcompute; /**< MHz, of the GPU */
    HSA_ENGINE_VERSION sdma_fw_version;
    HSA_ENGINE_ID fw_version;
    HSA_CAPABILITY capability;
    uint32_t cu_per_engine; /**< compute units per shader engine */
    uint32_t max_waves_per_cu;
    uint32_t family_id;
    uint32_t workgroup_max_size; /**< work-items */
    uint32_t grid_max_size;      /**< work-items */
    uint64_t local_mem_size;     /**< bytes */
    uint64_t hive_id;            /**< the same for GPUs that XGMI connects; 0: none */
    uint64_t gpu_id;             /**< the driver's number of the GPU */
    rocprofiler_dim3_t workgroup_max_dim;
    rocprofiler_dim3_t grid_max_dim;
    const rocprofiler_agent_mem_bank_t *mem_banks;
    const rocprofiler_agent_cache_t *caches;
    const rocprofiler_agent_io_link_t *io_links;
    const char *name; /**< architecture name, as gfx90a */
    const char *vendor_name;
    const char *product_name;
    const char *model_name;
    uint32_t node_id;             /**< KFD topology node */
    int32_t logical_node_id;      /**< position among all agents */
    int32_t logical_node_type_id; /**< position among agents of its type */
    rocprofiler_agent_runtime_visiblity_t runtime_visibility;
    rocprofiler_uuid_t uuid;
} rocprofiler_agent_v0_t;

typedef rocprofiler_agent_v0_t rocprofiler_agent_t;

/** Called with all agents at once.
 * @param version version of the structure
 * @param agents array of pointers to structures of that version, valid as long as the process
 * @param num_agents their number
 * @param user_data as given to rocprofiler_query_available_agents
 * @return becomes the result of rocprofiler_query_available_agents */
typedef rocprofiler_status_t (*rocprofiler_query_available_agents_cb_t)(
    rocprofiler_agent_version_t version, const void **agents, size_t num_agents, void *user_data);

/** Calls callback once with all agents. It needs no runtime: it may be called in
 * rocprofiler_configure and at any time later, from any thread.
 * @param version ROCPROFILER_AGENT_INFO_VERSION_0
 * @param callback called with the agents
 * @param agent_size sizeof of the structure as the caller knows it; at most the library's own
 * @param user_data passed to callback
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT callback is null
 * @retval ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI no such version, or agent_size is larger than
 * the library's structure
 * @retval ROCPROFILER_STATUS_ERROR the driver's topology cannot be read
 * @return otherwise what callback returned */
rocprofiler_status_t
rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                   rocprofiler_query_available_agents_cb_t callback,
                                   size_t agent_size, void *user_data) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
