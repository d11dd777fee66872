/* aql_profile_v2.h - packets that program performance counters and traces, second generation.
 *
 * Needs no HSA runtime: agents are described by the caller, memory comes from callbacks. Names and
 * layouts are AMD's. One handle stands for the packets of one profile and their memory; packets may
 * be submitted any number of times, one after the other, each time overwriting the results.
 *
 * Every function may be called from any thread; one handle belongs to one thread at a time. On
 * failure hsa_ven_amd_aqlprofile_error_string() tells the calling thread what was wrong. */
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

/* Where memory should be. */
typedef enum {
    AQLPROFILE_MEMORY_HINT_NONE = 0,
    AQLPROFILE_MEMORY_HINT_HOST = 1,
    AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED = 2,
    AQLPROFILE_MEMORY_HINT_DEVICE_COHERENT = 3,
    AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT = 4,
    AQLPROFILE_MEMORY_HINT_LAST = 5
} aqlprofile_memory_hint_t;

/* Who uses the memory. Command buffers: both, device non-coherent; the GPU executes from them.
 * Results of counters: both, device uncached. Trace data: device. Trace control: both, host. */
typedef union {
    uint32_t raw;
    __extension__ struct {
        uint32_t device_access : 1;
        uint32_t host_access : 1;
        uint32_t memory_hint : 6; /* aqlprofile_memory_hint_t */
        uint32_t _reserved : 24;
    };
} aqlprofile_buffer_desc_flags_t;

/* Gives `size` bytes at *ptr, page aligned, at the same address for host and GPU, or a status that
 * ends the call that asked. */
typedef hsa_status_t (*aqlprofile_memory_alloc_callback_t)(void **ptr, uint64_t size,
                                                           aqlprofile_buffer_desc_flags_t flags,
                                                           void *userdata);
typedef void (*aqlprofile_memory_dealloc_callback_t)(void *ptr, void *userdata);
/* Copies to or from memory that alloc gave. */
typedef hsa_status_t (*aqlprofile_memory_copy_t)(void *dst, const void *src, size_t size,
                                                 void *userdata);

/* Which members an agent's description has. */
typedef enum {
    AQLPROFILE_AGENT_VERSION_NONE = 0,
    AQLPROFILE_AGENT_VERSION_V0 = 1, /* aqlprofile_agent_info_t */
    AQLPROFILE_AGENT_VERSION_V1 = 2, /* aqlprofile_agent_info_v1_t */
    AQLPROFILE_AGENT_VERSION_LAST = 3
} aqlprofile_agent_version_t;

typedef struct {
    const char *agent_gfxip; /* "gfx90a"; what follows a ':' is ignored */
    uint32_t xcc_num;
    uint32_t se_num; /* shader engines of all XCCs */
    uint32_t cu_num; /* active compute units of all */
    uint32_t shader_arrays_per_se;
} aqlprofile_agent_info_t;

typedef struct {
    const char *agent_gfxip;
    uint32_t xcc_num;
    uint32_t se_num;
    uint32_t cu_num;
    uint32_t shader_arrays_per_se;
    uint32_t domain; /* PCI */
    uint32_t location_id;
} aqlprofile_agent_info_v1_t;

typedef struct {
    uint64_t handle;
} aqlprofile_agent_handle_t;

/* Registers an agent for the life of the process; equal descriptions give equal handles. The
 * description is copied. INVALID_ARGUMENT for NULL pointers, zero counts and unknown versions,
 * HSA_STATUS_ERROR_INVALID_AGENT for GPUs that are not supported. */
hsa_status_t aqlprofile_register_agent(aqlprofile_agent_handle_t *agent_id,
                                       const aqlprofile_agent_info_t *agent_info);
hsa_status_t aqlprofile_register_agent_info(aqlprofile_agent_handle_t *agent_id,
                                            const void *agent_info,
                                            aqlprofile_agent_version_t version);

/* More blocks, of newer GPUs, after those of hsa_ven_amd_aqlprofile_block_name_t. */
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

/* sq_flags.accum: what SQ's accumulating events add up. */
typedef enum {
    AQLPROFILE_ACCUMULATION_NONE = 0,
    AQLPROFILE_ACCUMULATION_LO_RES = 1, /* the level of the slot before, every 4 clocks */
    AQLPROFILE_ACCUMULATION_HI_RES = 2, /* the level of the slot before, every clock */
    AQLPROFILE_ACCUMULATION_LAST = 3
} aqlprofile_accumulation_type_t;

typedef union {
    uint32_t raw;
    struct {
        uint32_t accum : 3; /* aqlprofile_accumulation_type_t */
        uint32_t _reserved : 29;
    } sq_flags;
} aqlprofile_pmc_event_flags_t;

/* One counter: an event of one instance of a block. A block that every shader engine has is
 * counted in all of them. With an accumulation the event counts the integral of event_id's level
 * instead, which takes the event and, in the slot after it, the accumulating one. */
typedef struct {
    uint32_t block_index;
    uint32_t event_id;
    aqlprofile_pmc_event_flags_t flags; /* 0 but for SQ */
    hsa_ven_amd_aqlprofile_block_name_t block_name;
} aqlprofile_pmc_event_t;

typedef struct {
    aqlprofile_agent_handle_t agent;
    const aqlprofile_pmc_event_t *events;
    uint32_t event_count;
} aqlprofile_pmc_profile_t;

/* What aqlprofile_get_pmc_info() answers, and the type of its value. */
typedef enum {
    AQLPROFILE_INFO_COMMAND_BUFFER_SIZE = 0, /* uint32_t, bytes */
    AQLPROFILE_INFO_PMC_DATA_SIZE = 1,       /* uint32_t, bytes */
    AQLPROFILE_INFO_PMC_DATA = 2,            /* not answered: iterate instead */
    AQLPROFILE_INFO_BLOCK_COUNTERS = 4,      /* uint32_t; block of events[0] */
    AQLPROFILE_INFO_BLOCK_ID = 5,            /* hsa_ven_amd_aqlprofile_id_query_t; name given */
    AQLPROFILE_INFO_ENABLE_CMD = 6,          /* not answered */
    AQLPROFILE_INFO_DISABLE_CMD = 7
} aqlprofile_pmc_info_type_t;

/* INVALID_ARGUMENT for a block that the agent does not have. instance_count is the number of
 * instances that can be asked for with block_index on this agent, in one shader engine if the block
 * is in each. */
hsa_status_t aqlprofile_get_pmc_info(const aqlprofile_pmc_profile_t *profile,
                                     aqlprofile_pmc_info_type_t attribute, void *value);

/* Whether the agent can count the event: *result. */
hsa_status_t aqlprofile_validate_pmc_event(aqlprofile_agent_handle_t agent,
                                           const aqlprofile_pmc_event_t *event, bool *result);

/* Only pm4_command of the packets is written. Submit start, the work, read, stop. */
typedef struct {
    hsa_ext_amd_aql_pm4_packet_t start_packet;
    hsa_ext_amd_aql_pm4_packet_t stop_packet;
    hsa_ext_amd_aql_pm4_packet_t read_packet;
} aqlprofile_pmc_aql_packets_t;

/* Makes the packets that count the profile's events. The events are copied. INVALID_ARGUMENT when
 * an event does not exist or more are wanted than the block can count at once; nothing is allocated
 * then. The handle is to be given back with aqlprofile_pmc_delete_packets() once no queue uses the
 * packets. */
hsa_status_t aqlprofile_pmc_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_pmc_aql_packets_t *packets,
                                           aqlprofile_pmc_profile_t profile,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           aqlprofile_memory_copy_t memcpy_cb, void *userdata);
void aqlprofile_pmc_delete_packets(aqlprofile_handle_t handle);

/* counter_id tells where the value was counted, for aqlprofile_iterate_event_coord(). */
typedef hsa_status_t (*aqlprofile_pmc_data_callback_t)(aqlprofile_pmc_event_t event,
                                                       uint64_t counter_id, uint64_t counter_value,
                                                       void *userdata);

/* Gives the values that the last read packet stored, to be called once it has completed: for each
 * XCC the events in the profile's order, for each event its shader engines. Allocates nothing.
 * HSA_STATUS_INFO_BREAK from the callback ends the iteration well, any other status but success is
 * returned. */
hsa_status_t aqlprofile_pmc_iterate_data(aqlprofile_handle_t handle,
                                         aqlprofile_pmc_data_callback_t callback, void *userdata);

/* The dimensions that results can have, in the order of their ids: XCD, AID, SE, SA, WGP,
 * INSTANCE. */
typedef hsa_status_t (*aqlprofile_eventname_callback_t)(int id, const char *name, void *data);
hsa_status_t aqlprofile_iterate_event_ids(aqlprofile_eventname_callback_t callback,
                                          void *user_data);

/* Where the value counter_id of the event was counted: one call per dimension that the block has,
 * the slowest first. coordinate is below extent. */
typedef hsa_status_t (*aqlprofile_coordinate_callback_t)(int position, int id, int extent,
                                                         int coordinate, const char *name,
                                                         void *userdata);
hsa_status_t aqlprofile_iterate_event_coord(aqlprofile_agent_handle_t agent,
                                            aqlprofile_pmc_event_t event, uint64_t sample_id,
                                            aqlprofile_coordinate_callback_t callback,
                                            void *userdata);

/* ---- thread traces ---- */

/* Names besides those of hsa_ven_amd_aqlprofile_parameter_name_t. */
typedef enum {
    AQLPROFILE_ATT_PARAMETER_NAME_BUFFER_SIZE_HIGH = 11, /* bits 63:32 of the size in bytes */
    AQLPROFILE_ATT_PARAMETER_NAME_RT_TIMESTAMP = 12      /* the enum below */
} aqlprofile_att_parameter_name_ext_t;

/* Whether the trace carries the time of its start and end; by default it does. */
typedef enum {
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DEFAULT = 0,
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_ENABLE = 1,
    AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DISABLE = 2
} aqlprofile_att_parameter_rt_timestamp_t;

/* docs/aqlprofile.md has the parameters, their defaults and limits. ATT_BUFFER_SIZE is in bytes and
 * for all traced shader engines together. */
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

/* Makes the packets that trace the waves between them. Only one trace may run on an agent at a
 * time. INVALID_ARGUMENT for a parameter that is unknown or out of its limits; nothing is allocated
 * then. The handle is to be given back with aqlprofile_att_delete_packets(). */
hsa_status_t aqlprofile_att_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_att_control_aql_packets_t *packets,
                                           aqlprofile_att_profile_t profile,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           aqlprofile_memory_copy_t memcpy_cb, void *userdata);
/* Also for the handle of a marker. */
void aqlprofile_att_delete_packets(aqlprofile_handle_t handle);

/* One shader engine's trace: a word of 8 bytes that says what was traced, then the tokens. The
 * buffer is valid during the call; the returned status is not looked at. */
typedef hsa_status_t (*aqlprofile_att_data_callback_t)(uint32_t shader, void *buffer, uint64_t size,
                                                       void *callback_data);

/* Gives the trace of each traced shader engine, once the stop packet has completed.
 * OUT_OF_RESOURCES if a buffer was too small for what there was to tell: what fitted has been
 * given. EXCEPTION if the GPU could not reach a buffer. */
hsa_status_t aqlprofile_att_iterate_data(aqlprofile_handle_t handle,
                                         aqlprofile_att_data_callback_t callback, void *userdata);

/* A code object that is loaded or unloaded while a trace runs. */
typedef struct {
    uint64_t id;
    uint64_t addr; /* where it was loaded */
    uint64_t size;
    hsa_agent_t agent;
    uint32_t isUnload : 1;
    uint32_t fromStart : 1; /* was there before the trace */
} aqlprofile_att_codeobj_data_t;

/* Makes a packet that writes the code object into the running trace. */
hsa_status_t aqlprofile_att_codeobj_marker(hsa_ext_amd_aql_pm4_packet_t *packet,
                                           aqlprofile_handle_t *handle,
                                           aqlprofile_att_codeobj_data_t data,
                                           aqlprofile_memory_alloc_callback_t alloc_cb,
                                           aqlprofile_memory_dealloc_callback_t dealloc_cb,
                                           void *userdata);

/* ---- streaming counters: what they have counted, every so many clocks ---- */

/* Only pm4_command of the packets is written. Start is submitted after aqlprofile_spm_start(), stop
 * before aqlprofile_spm_stop(). */
typedef struct {
    hsa_ext_amd_aql_pm4_packet_t start_packet;
    hsa_ext_amd_aql_pm4_packet_t stop_packet;
} aqlprofile_spm_aql_packets_t;

/* What decoding needs to know; lives as long as the packets. */
typedef struct {
    void *data;
    size_t size;
} aqlprofile_spm_buffer_desc_t;

typedef enum {
    AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE =
        0, /* bytes that the driver fills at a time; 1 MiB */
    AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL, /* from 32 to 65504, rounded to 32; 8192 */
    AQLPROFILE_SPM_PARAMETER_TYPE_TIMEOUT,         /* accepted; nothing waits in the driver */
    AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_MODE,     /* the enum below */
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
    hsa_agent_t hsa_agent; /* the same, for the driver */
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

/* Makes the packets that stream the profile's events. INVALID_ARGUMENT for an event that cannot be
 * streamed, for more than fit and for a wrong parameter; `flags` must be 0. */
hsa_status_t aqlprofile_spm_create_packets(aqlprofile_handle_t *handle,
                                           aqlprofile_spm_buffer_desc_t *desc,
                                           aqlprofile_spm_aql_packets_t *packets,
                                           aqlprofile_spm_profile_t profile, size_t flags);
/* Stops, if need be, and frees. */
void aqlprofile_spm_delete_packets(aqlprofile_handle_t handle);

/* Number of the XCC that samples come from. */
typedef size_t aqlprofile_spm_buffer_handle_t;

typedef enum {
    AQLPROFILE_SPM_DATA_FLAGS_DATA_LOSS = 0 /* bit: samples found no room before these */
} aqlprofile_spm_data_flags_t;

/* Samples, whole ones, good during the call, which comes from a thread of the library's. Without
 * samples (size 0) it tells of a loss alone. */
typedef void (*aqlprofile_spm_data_callback_t)(aqlprofile_spm_buffer_handle_t handle,
                                               void *spm_data, size_t size, int flags,
                                               void *userdata);

/* Takes the GPU's streaming counters for this process, which one user at a time can have, and
 * fetches samples from now on. ERROR and others of the runtime when they cannot be had,
 * NOT_INITIALIZED for a handle that is none. */
hsa_status_t aqlprofile_spm_start(aqlprofile_handle_t handle,
                                  aqlprofile_spm_data_callback_t data_cb, void *userdata);
/* Fetches what is left and gives the counters back; no callback comes any more. NOT_INITIALIZED if
 * it has not been started. */
hsa_status_t aqlprofile_spm_stop(aqlprofile_handle_t handle);

/* One counter in one sample: index is the event's in the profile, shader_engine -1 for blocks that
 * are in none. A value of all bits: the counter had come to its end, so it is not known. */
typedef void (*aqlprofile_spm_decode_callback_v1_t)(uint64_t timestamp, uint64_t value,
                                                    uint64_t index, int shader_engine,
                                                    void *userdata);
hsa_status_t aqlprofile_spm_decode_stream_v1(aqlprofile_spm_buffer_desc_t desc,
                                             aqlprofile_spm_decode_callback_v1_t decode_cb,
                                             void *data, size_t size, void *userdata);

typedef enum {
    AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE = 0, /* bytes of a sample */
    AQLPROFILE_SPM_DECODE_QUERY_NUM_XCC,
    AQLPROFILE_SPM_DECODE_QUERY_EVENT_COUNT,
    AQLPROFILE_SPM_DECODE_QUERY_COUNTER_MAP_BYTE_OFFSET,
    AQLPROFILE_SPM_DECODE_QUERY_LAST
} aqlprofile_spm_decode_query_t;
hsa_status_t aqlprofile_spm_decode_query(aqlprofile_spm_buffer_desc_t desc,
                                         aqlprofile_spm_decode_query_t query, uint64_t *param_out);

bool aqlprofile_spm_is_event_supported(aqlprofile_agent_handle_t agent,
                                       aqlprofile_pmc_event_t event);

#ifdef __cplusplus
}
#endif

#endif
