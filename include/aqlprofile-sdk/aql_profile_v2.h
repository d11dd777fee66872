/* aql_profile_v2.h - packets that program performance counters and traces, second generation.
 *
 * Needs no HSA runtime: the caller describes agents, and supplies memory by callbacks. Names and
 * layouts are AMD's. A handle identifies the packets of one profile and their memory; packets may
 * be submitted any number of times, one after the other, each time overwriting the results.
 *
 * Every function may be called from any thread; a handle may be used by one thread at a time. On
 * failure hsa_ven_amd_aqlprofile_error_string() returns the cause to the calling thread. */
#ifndef AQLPROFILE_SDK_AQL_PROFILE_V2_H
#define AQLPROFILE_SDK_AQL_PROFILE_V2_H

#include <aqlprofile-sdk/hsa_ven_amd_aqlprofile.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Packets and their memory. */
typedef struct {
    uint64_t handle;
} aqlprofile_handle_t;

/* Where memory should be allocated. */
typedef enum {
    AQLPROFILE_MEMORY_HINT_NONE = 0,
    AQLPROFILE_MEMORY_HINT_HOST = 1,
    AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED = 2,
    AQLPROFILE_MEMORY_HINT_DEVICE_COHERENT = 3,
    AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT = 4,
    AQLPROFILE_MEMORY_HINT_LAST = 5
} aqlprofile_memory_hint_t;

/* Which processors use the memory, and where it should be. Command buffers: used by both, device
 * non-coherent; the GPU executes from them. Results of counters: used by both, device uncached.
 * Trace data: used by the device. Trace control: used by both, in host memory. */
typedef union {
    uint32_t raw;
    __extension__ struct {
        uint32_t device_access : 1;
        uint32_t host_access : 1;
        uint32_t memory_hint : 6; /* aqlprofile_memory_hint_t */
        uint32_t _reserved : 24;
    };
} aqlprofile_buffer_desc_flags_t;

/* Allocates `size` bytes, page aligned, at the same address for host and GPU, and sets *ptr. A
 * status other than success ends the function that called it, which returns the status. */
typedef hsa_status_t (*aqlprofile_memory_alloc_callback_t)(void **ptr, uint64_t size,
                                                           aqlprofile_buffer_desc_flags_t flags,
                                                           void *userdata);
typedef void (*aqlprofile_memory_dealloc_callback_t)(void *ptr, void *userdata);
/* Copies to or from memory that the callback above has allocated. */
typedef hsa_status_t (*aqlprofile_memory_copy_t)(void *dst, const void *src, size_t size,
                                                 void *userdata);

/* The versions of an agent's description, which differ in their members. */
typedef enum {
    AQLPROFILE_AGENT_VERSION_NONE = 0,
    AQLPROFILE_AGENT_VERSION_V0 = 1, /* aqlprofile_agent_info_t */
    AQLPROFILE_AGENT_VERSION_V1 = 2, /* aqlprofile_agent_info_v1_t */
    AQLPROFILE_AGENT_VERSION_LAST = 3
} aqlprofile_agent_version_t;

typedef struct {
    const char *agent_gfxip; /* "gfx90a"; a ':' and what follows it are ignored */
    uint32_t xcc_num;
    uint32_t se_num; /* number of shader engines, of all XCCs together */
    uint32_t cu_num; /* number of active compute units, of all XCCs together */
    uint32_t shader_arrays_per_se;
} aqlprofile_agent_info_t;

typedef struct {
    const char *agent_gfxip;
    uint32_t xcc_num;
    uint32_t se_num;
    uint32_t cu_num;
    uint32_t shader_arrays_per_se;
    uint32_t domain; /* PCI domain */
    uint32_t location_id;
} aqlprofile_agent_info_v1_t;

typedef struct {
    uint64_t handle;
} aqlprofile_agent_handle_t;

/* Registers an agent for the life of the process; equal descriptions give equal handles. The
 * description is copied. Returns INVALID_ARGUMENT for NULL pointers, zero counts and unknown
 * versions, HSA_STATUS_ERROR_INVALID_AGENT for GPUs that are not supported. */
hsa_status_t aqlprofile_register_agent(aqlprofile_agent_handle_t *agent_id,
                                       const aqlprofile_agent_info_t *agent_info);
hsa_status_t aqlprofile_register_agent_info(aqlprofile_agent_handle_t *agent_id,
                                            const void *agent_info,
                                            aqlprofile_agent_version_t version);

/* Blocks of newer GPUs, numbered after those of hsa_ven_amd_aqlprofile_block_name_t. */
typedef enum {
    AQLPROFILE_BLOCK_NAME_RESERVED_0 = 34,
    AQLPROFILE_BLOCK_NAME_RESERVED_1 = 35,
    AQLPROFILE_BLOCK_NAME_RESERVED_2 = 36,
    AQLPROFILE_BLOCK_NAME_RESERVED_3 = 37,
    AQLPROFILE_BLOCK_NAME_RESERVED_4 = 38,
    AQLPROFILE_BLOCK_NAME_RESERVED_5 = 39,
    AQLPROFILE_BLOCK_NAME_CPG = 40,
    AQLPROFILE_BLOCK_NAME_RLC = 41,
    AQLPROFILE_BLOCK_NAME_CHA = 42,
    AQLPROFILE_BLOCK_NAME_CHC = 43,
    AQLPROFILE_BLOCK_NAME_GC_CANE = 44,
    AQLPROFILE_BLOCK_NAME_GC_FFBM = 45,
    AQLPROFILE_BLOCK_NAME_GC_L2TLB = 46,
    AQLPROFILE_BLOCK_NAME_GC_UTCL1 = 47,
    AQLPROFILE_BLOCK_NAME_GC_UTCL2 = 48,
    AQLPROFILE_BLOCK_NAME_GC_VML2 = 49,
    AQLPROFILE_BLOCK_NAME_GC_VML2_SPM = 50,
    AQLPROFILE_BLOCK_NAME_GCEA_SE = 51,
    AQLPROFILE_BLOCK_NAME_GRBMH = 52,
    AQLPROFILE_BLOCK_NAME_SQG = 53,
    AQLPROFILE_BLOCK_NAME_RESERVED_6 = 54,
    AQLPROFILE_BLOCK_NAME_RESERVED_7 = 55,
    AQLPROFILE_BLOCK_NAME_RESERVED_8 = 56,
    AQLPROFILE_BLOCK_NAME_RESERVED_9 = 57,
    AQLPROFILE_BLOCKS_NUMBER = 58
} aqlprofile_block_name_t;

/* sq_flags.accum: what SQ's accumulating events accumulate. */
typedef enum {
    AQLPROFILE_ACCUMULATION_NONE = 0,
    AQLPROFILE_ACCUMULATION_LO_RES = 1, /* the level of the previous slot, every 4 clocks */
    AQLPROFILE_ACCUMULATION_HI_RES = 2, /* the level of the previous slot, every clock */
    AQLPROFILE_ACCUMULATION_LAST = 3
} aqlprofile_accumulation_type_t;

typedef union {
    uint32_t raw;
    struct {
        uint32_t accum : 3; /* aqlprofile_accumulation_type_t */
        uint32_t _reserved : 29;
    } sq_flags;
} aqlprofile_pmc_event_flags_t;

/* One counter: an event of one instance of a block. An event of a block that every shader engine
 * has is counted in all of them. With an accumulation, the integral of event_id's level over time
 * is counted instead; this takes two slots, one for the event and the next for the accumulating
 * event. */
typedef struct {
    uint32_t block_index;
    uint32_t event_id;
    aqlprofile_pmc_event_flags_t flags; /* 0 except for SQ */
    hsa_ven_amd_aqlprofile_block_name_t block_name;
} aqlprofile_pmc_event_t;

typedef struct {
    aqlprofile_agent_handle_t agent;
    const aqlprofile_pmc_event_t *events;
    uint32_t event_count;
} aqlprofile_pmc_profile_t;

/* What aqlprofile_get_pmc_info() can return, with the type of the value. */
typedef enum {
    AQLPROFILE_INFO_COMMAND_BUFFER_SIZE = 0, /* uint32_t, bytes */
    AQLPROFILE_INFO_PMC_DATA_SIZE = 1,       /* uint32_t, bytes */
    AQLPROFILE_INFO_PMC_DATA = 2,            /* not supported: use aqlprofile_pmc_iterate_data() */
    AQLPROFILE_INFO_BLOCK_COUNTERS = 4,      /* uint32_t; counters of the block of events[0] */
    AQLPROFILE_INFO_BLOCK_ID = 5, /* hsa_ven_amd_aqlprofile_id_query_t; the caller sets its name */
    AQLPROFILE_INFO_ENABLE_CMD = 6, /* not supported */
    AQLPROFILE_INFO_DISABLE_CMD = 7
} aqlprofile_pmc_info_type_t;

/* Writes what `attribute` asks about the profile to *value. Returns INVALID_ARGUMENT for a block
 * that the agent does not have. instance_count is the number of instances that block_index can
 * select on this agent; if every shader engine has the block, in one of them. */
hsa_status_t aqlprofile_get_pmc_info(const aqlprofile_pmc_profile_t *profile,
                                     aqlprofile_pmc_info_type_t attribute, void *value);

/* Sets *result to whether the agent can count the event. */
hsa_status_t aqlprofile_validate_pmc_event(aqlprofile_agent_handle_t agent,
                                           const aqlprofile_pmc_event_t *event, bool *result);

/* Only pm4_command of the packets is written; the caller sets the other members. They are submitted
 * in this order: start, the work, read, stop. */
typedef struct {
    hsa_ext_amd_aql_pm4_packet_t start_packet;
    hsa_ext_amd_aql_pm4_packet_t stop_packet;
    hsa_ext_amd_aql_pm4_packet_t read_packet;
} aqlprofile_pmc_aql_packets_t;

/* Makes the packets that count the profile's events. The events are copied. Returns
 * INVALID_ARGUMENT if an event does not exist, or if there are more events than the block can count
 * at once; then nothing is allocated. The caller frees the handle with
 * aqlprofile_pmc_delete_packets() once no queue uses the packets. */
hsa_status_t aqlprofile_pmc_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_pmc_aql_packets_t *packets,
                                           aqlprofile_pmc_profile_t profile,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           aqlprofile_memory_copy_t memcpy_cb, void *userdata);
void aqlprofile_pmc_delete_packets(aqlprofile_handle_t handle);

/* Called with one value. counter_id identifies where the value was counted, for
 * aqlprofile_iterate_event_coord(). */
typedef hsa_status_t (*aqlprofile_pmc_data_callback_t)(aqlprofile_pmc_event_t event,
                                                       uint64_t counter_id, uint64_t counter_value,
                                                       void *userdata);

/* Calls the callback for the values that the last read packet has stored. To be called after that
 * packet has completed. The order is: by XCC, then by event in the profile's order, then by shader
 * engine. Nothing is allocated. HSA_STATUS_INFO_BREAK from the callback ends the iteration with
 * success; any other status but success ends it and is returned. */
hsa_status_t aqlprofile_pmc_iterate_data(aqlprofile_handle_t handle,
                                         aqlprofile_pmc_data_callback_t callback, void *userdata);

/* Calls the callback for the dimensions that results can have, in the order of their ids: XCD, AID,
 * SE, SA, WGP, INSTANCE. */
typedef hsa_status_t (*aqlprofile_eventname_callback_t)(int id, const char *name, void *data);
hsa_status_t aqlprofile_iterate_event_ids(aqlprofile_eventname_callback_t callback,
                                          void *user_data);

/* Calls the callback with the position at which the value counter_id of the event was counted: once
 * for each dimension that the block has, the slowest one first. coordinate is less than extent. */
typedef hsa_status_t (*aqlprofile_coordinate_callback_t)(int position, int id, int extent,
                                                         int coordinate, const char *name,
                                                         void *userdata);
hsa_status_t aqlprofile_iterate_event_coord(aqlprofile_agent_handle_t agent,
                                            aqlprofile_pmc_event_t event, uint64_t sample_id,
                                            aqlprofile_coordinate_callback_t callback,
                                            void *userdata);

/* ---- thread traces ---- */

/* Parameters in addition to those of hsa_ven_amd_aqlprofile_parameter_name_t. */
typedef enum {
    AQLPROFILE_ATT_PARAMETER_NAME_BUFFER_SIZE_HIGH = 11, /* bits 63:32 of the size in bytes */
    AQLPROFILE_ATT_PARAMETER_NAME_RT_TIMESTAMP = 12      /* a value of the enum below */
} aqlprofile_att_parameter_name_ext_t;

/* Whether the trace contains the times of its start and end; by default it does. */
typedef enum {
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DEFAULT = 0,
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_ENABLE = 1,
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DISABLE = 2
} aqlprofile_att_parameter_rt_timestamp_t;

/* A parameter of a trace; docs/aqlprofile.md lists them with their defaults and limits.
 * ATT_BUFFER_SIZE is in bytes, for all traced shader engines together. */
typedef struct {
    hsa_ven_amd_aqlprofile_parameter_name_t parameter_name;
    __extension__ union {
        uint32_t value;
        __extension__ struct { /* of PERFCOUNTER_NAME */
            uint32_t counter_id : 28;
            uint32_t simd_mask : 4;
        };
    };
} aqlprofile_att_parameter_t;

typedef struct {
    hsa_agent_t agent;
    const aqlprofile_att_parameter_t *parameters;
    uint32_t parameter_count;
} aqlprofile_att_profile_t;

typedef struct {
    hsa_ext_amd_aql_pm4_packet_t start_packet;
    hsa_ext_amd_aql_pm4_packet_t stop_packet;
} aqlprofile_att_control_aql_packets_t;

/* Makes the packets that start and stop a trace of waves. Only one trace may run on an agent at a
 * time. Returns INVALID_ARGUMENT for a parameter that is unknown or out of its limits; then nothing
 * is allocated. The caller frees the handle with aqlprofile_att_delete_packets(). */
hsa_status_t aqlprofile_att_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_att_control_aql_packets_t *packets,
                                           aqlprofile_att_profile_t profile,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           aqlprofile_memory_copy_t memcpy_cb, void *userdata);
/* Frees the packets of a trace, or the packet of a marker. */
void aqlprofile_att_delete_packets(aqlprofile_handle_t handle);

/* Called with one shader engine's trace: a word of 8 bytes that describes the trace, then the
 * tokens. The buffer is valid during the call; the returned status is ignored. */
typedef hsa_status_t (*aqlprofile_att_data_callback_t)(uint32_t shader, void *buffer, uint64_t size,
                                                       void *callback_data);

/* Calls the callback for the trace of each traced shader engine. To be called after the stop packet
 * has completed. Returns OUT_OF_RESOURCES if a buffer was too small for its trace, whose beginning
 * has then been delivered; EXCEPTION if the GPU could not access a buffer. */
hsa_status_t aqlprofile_att_iterate_data(aqlprofile_handle_t handle,
                                         aqlprofile_att_data_callback_t callback, void *userdata);

/* A code object that is loaded or unloaded while a trace runs. */
typedef struct {
    uint64_t id;
    uint64_t addr; /* address at which it was loaded */
    uint64_t size;
    hsa_agent_t agent;
    uint32_t isUnload : 1;
    uint32_t fromStart : 1; /* it was loaded before the trace began */
} aqlprofile_att_codeobj_data_t;

/* Makes a packet that writes the code object into the running trace. */
hsa_status_t aqlprofile_att_codeobj_marker(hsa_ext_amd_aql_pm4_packet_t *packet,
                                           aqlprofile_handle_t *handle,
                                           aqlprofile_att_codeobj_data_t data,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           void *userdata);

/* ---- streaming counters: sampled at a regular interval of clocks ---- */

/* Only pm4_command of the packets is written; the caller sets the other members. Start is submitted
 * after aqlprofile_spm_start(), stop before aqlprofile_spm_stop(). */
typedef struct {
    hsa_ext_amd_aql_pm4_packet_t start_packet;
    hsa_ext_amd_aql_pm4_packet_t stop_packet;
} aqlprofile_spm_aql_packets_t;

/* What aqlprofile_spm_decode_stream_v1() needs to decode samples; valid as long as the packets. */
typedef struct {
    void *data;
    size_t size;
} aqlprofile_spm_buffer_desc_t;

typedef enum {
    AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE =
        0, /* bytes that the driver fills at a time; default 1 MiB */
    AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL, /* clocks from 32 to 65504, rounded to a multiple
                                                      of 32; default 8192 */
    AQLPROFILE_SPM_PARAMETER_TYPE_TIMEOUT, /* accepted without effect, since no call waits in the
                                              driver */
    AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_MODE, /* a value of the enum below */
    AQLPROFILE_SPM_PARAMETER_TYPE_LAST
} aqlprofile_spm_parameter_type_t;

typedef enum {
    AQLPROFILE_SPM_PARAMETER_SAMPLE_MODE_SCLK = 0, /* shader clocks */
    AQLPROFILE_SPM_PARAMETER_SAMPLE_MODE_REFCLK    /* refused */
} aqlprofile_spm_parameter_interval_mode_t;

typedef struct {
    aqlprofile_spm_parameter_type_t type;
    uint64_t value;
} aqlprofile_spm_parameter_t;

typedef struct {
    aqlprofile_agent_handle_t aql_agent;
    hsa_agent_t hsa_agent; /* the same agent, for the driver */
    const aqlprofile_pmc_event_t *events;
    size_t event_count;
    aqlprofile_spm_parameter_t *parameters;
    size_t parameter_count;
    size_t reserved;
    aqlprofile_memory_alloc_callback_t alloc_cb;
    aqlprofile_memory_dealloc_callback_t dealloc_cb;
    aqlprofile_memory_copy_t memcpy_cb;
    void *userdata;
} aqlprofile_spm_profile_t;

/* Makes the packets that start and stop the sampling of the profile's events. Returns
 * INVALID_ARGUMENT for an event that cannot be sampled, for more events than fit, and for an
 * invalid parameter; `flags` must be 0. */
hsa_status_t aqlprofile_spm_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_spm_buffer_desc_t *desc,
                                           aqlprofile_spm_aql_packets_t *packets,
                                           aqlprofile_spm_profile_t profile, size_t flags);
/* Frees the packets, after stopping the counters if that has not been done. */
void aqlprofile_spm_delete_packets(aqlprofile_handle_t handle);

/* The number of the XCC from which samples come. */
typedef size_t aqlprofile_spm_buffer_handle_t;

typedef enum {
    AQLPROFILE_SPM_DATA_FLAGS_DATA_LOSS = 0 /* bit number: samples were lost before these */
} aqlprofile_spm_data_flags_t;

/* Called by a thread of the library with complete samples, valid during the call. A call without
 * samples (size 0) only reports a loss. */
typedef void (*aqlprofile_spm_data_callback_t)(aqlprofile_spm_buffer_handle_t handle,
                                               void *spm_data, size_t size, int flags,
                                               void *userdata);

/* Acquires the GPU's streaming counters, which one user can have at a time, and begins to fetch
 * samples. Returns ERROR or another status of the runtime if the counters cannot be acquired;
 * NOT_INITIALIZED for an invalid handle. */
hsa_status_t aqlprofile_spm_start(aqlprofile_handle_t handle,
                                  aqlprofile_spm_data_callback_t data_cb, void *userdata);
/* Fetches the remaining samples and releases the counters; after that no callback is called.
 * Returns NOT_INITIALIZED if the counters have not been started. */
hsa_status_t aqlprofile_spm_stop(aqlprofile_handle_t handle);

/* Called with the value of one counter in one sample. index is the position of the event in the
 * profile; shader_engine is -1 for blocks outside of shader engines. A value with all bits set
 * means that the counter had saturated, so that the value is unknown. */
typedef void (*aqlprofile_spm_decode_callback_v1_t)(uint64_t timestamp, uint64_t value,
                                                    uint64_t index, int shader_engine,
                                                    void *userdata);
/* Decodes complete samples in `data`, in order, on the calling thread. Returns INVALID_ARGUMENT if
 * desc is invalid, a pointer is NULL, or size is not a multiple of a sample's size. */
hsa_status_t aqlprofile_spm_decode_stream_v1(aqlprofile_spm_buffer_desc_t desc,
                                             aqlprofile_spm_decode_callback_v1_t decode_cb,
                                             void *data, size_t size, void *userdata);

/* What aqlprofile_spm_decode_query() can return. */
typedef enum {
    AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE = 0, /* bytes of a sample */
    AQLPROFILE_SPM_DECODE_QUERY_NUM_XCC,
    AQLPROFILE_SPM_DECODE_QUERY_EVENT_COUNT,
    AQLPROFILE_SPM_DECODE_QUERY_COUNTER_MAP_BYTE_OFFSET,
    AQLPROFILE_SPM_DECODE_QUERY_LAST
} aqlprofile_spm_decode_query_t;
/* Returns a property of the samples that desc describes. INVALID_ARGUMENT if an argument is. */
hsa_status_t aqlprofile_spm_decode_query(aqlprofile_spm_buffer_desc_t desc,
                                         aqlprofile_spm_decode_query_t query, uint64_t *param_out);

/* Returns whether the event can be sampled on the agent; false for an unknown agent. */
bool aqlprofile_spm_is_event_supported(aqlprofile_agent_handle_t agent,
                                       aqlprofile_pmc_event_t event);

#ifdef __cplusplus
}
#endif

#endif
