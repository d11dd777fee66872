/* hsa_ven_amd_aqlprofile.h - packets that program performance counters, first generation.
 *
 * The extension of the HSA runtime under which it loads libhsa-amd-aqlprofile64.so (extension
 * 0x202, hsa_system_get_major_extension_table version 1). Names and layouts are AMD's. Runtimes
 * have a header of this name, too, older ones without the last three functions. If this header is
 * included first, the runtime's has no effect; if it is included later, it has no effect itself.
 *
 * To use it, describe the counters in a profile; call hsa_ven_amd_aqlprofile_start() with NULL
 * buffers, which sets their sizes; allocate them; let start, read and stop fill one AQL packet
 * each; submit start, the work, read and stop to a queue; and get the results by
 * hsa_ven_amd_aqlprofile_iterate_data() after the read packet has completed.
 *
 * Every function may be called from any thread; a profile may be used by one thread at a time. On
 * failure hsa_ven_amd_aqlprofile_error_string() returns the cause to the calling thread. */
#ifndef OPENSRC_HSA_RUNTIME_INC_HSA_VEN_AMD_AQLPROFILE_H_
#define OPENSRC_HSA_RUNTIME_INC_HSA_VEN_AMD_AQLPROFILE_H_

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

#define HSA_AQLPROFILE_VERSION_MAJOR         2
#define HSA_AQLPROFILE_VERSION_MINOR         0
#define hsa_ven_amd_aqlprofile_VERSION_MAJOR 1

#ifdef __cplusplus
extern "C" {
#endif

/* What a profile collects: counters, or a thread trace. */
typedef enum {
    HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC = 0,
    HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE = 1
} hsa_ven_amd_aqlprofile_event_type_t;

/* Blocks of the GPU that have counters. The instances of a block share its name. */
typedef enum {
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_CPC = 0,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_CPF = 1,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GDS = 2,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GRBM = 3,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GRBMSE = 4,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SPI = 5,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ = 6,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQCS = 7,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SRBM = 8,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SX = 9,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TA = 10,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCA = 11,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC = 12,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP = 13,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TD = 14,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCARB = 15,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCHUB = 16,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCMCBVM = 17,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCSEQ = 18,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCVML2 = 19,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCXBAR = 20,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_ATC = 21,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_ATCL2 = 22,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GCEA = 23,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_RPB = 24,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SDMA = 25,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL1A = 26,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL1C = 27,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL2A = 28,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL2C = 29,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GCR = 30,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GUS = 31,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_UMC = 32,
    HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MMEA = 33,
    HSA_VEN_AMD_AQLPROFILE_BLOCKS_NUMBER = 34
} hsa_ven_amd_aqlprofile_block_name_t;

/* One counter: an event of one instance of a block. counter_id is the value of the block's select
 * register. */
typedef struct {
    hsa_ven_amd_aqlprofile_block_name_t block_name;
    uint32_t block_index;
    uint32_t counter_id;
} hsa_ven_amd_aqlprofile_event_t;

/* Parameters of a profile; docs/aqlprofile.md describes their values. */
typedef enum {
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET = 0, /* traced compute unit, 0-15 */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_VM_ID_MASK = 1,
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_MASK = 2,         /* raw registers: these three act */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK = 3,   /* only if all of them are given */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK2 = 4,  /* and none is 0 */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK = 5,      /* traced shader engines */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SAMPLE_RATE = 6,  /* streaming counters only */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_K_CONCURRENT = 7, /* not 0: do not wait for idle */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SIMD_SELECTION = 8,
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_OCCUPANCY_MODE = 9, /* not 0: waves only */
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE = 10,
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_MASK = 240,
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_CTRL = 241,
    HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME = 242
} hsa_ven_amd_aqlprofile_parameter_name_t;

typedef struct {
    hsa_ven_amd_aqlprofile_parameter_name_t parameter_name;
    uint32_t value;
} hsa_ven_amd_aqlprofile_parameter_t;

/* A buffer that the caller owns; size in bytes. */
typedef struct {
    void *ptr;
    uint32_t size;
} hsa_ven_amd_aqlprofile_descriptor_t;

/* A profile. command_buffer must be memory that the GPU executes from and the host writes;
 * output_buffer memory that the GPU writes and the host reads, zeroed. Both are NULL in calls that
 * only return the sizes. */
typedef struct {
    hsa_agent_t agent;
    hsa_ven_amd_aqlprofile_event_type_t type;
    const hsa_ven_amd_aqlprofile_event_t *events;
    uint32_t event_count;
    const hsa_ven_amd_aqlprofile_parameter_t *parameters;
    uint32_t parameter_count;
    hsa_ven_amd_aqlprofile_descriptor_t output_buffer;
    hsa_ven_amd_aqlprofile_descriptor_t command_buffer;
} hsa_ven_amd_aqlprofile_profile_t;

/* A vendor packet that carries PM4 commands. The library writes pm4_command only; the caller sets
 * the signal, and in the header the type and the fences. */
typedef struct {
    uint16_t header;
    uint16_t pm4_command[27];
    hsa_signal_t completion_signal;
} hsa_ext_amd_aql_pm4_packet_t;

/* The number of bytes that hsa_ven_amd_aqlprofile_legacy_get_pm4() writes. */
#ifdef __cplusplus
const unsigned HSA_VEN_AMD_AQLPROFILE_LEGACY_PM4_PACKET_SIZE = 192;
#else
enum { HSA_VEN_AMD_AQLPROFILE_LEGACY_PM4_PACKET_SIZE = 192 };
#endif

/* One result. For counters, sample_id numbers the results of an event: if every shader engine has
 * the block, there is one for each. For traces it is the shader engine. */
typedef struct {
    uint32_t sample_id;
    __extension__ union {
        struct {
            hsa_ven_amd_aqlprofile_event_t event;
            uint64_t result;
        } pmc_data;
        hsa_ven_amd_aqlprofile_descriptor_t trace_data;
    };
} hsa_ven_amd_aqlprofile_info_data_t;

/* A block, by its name: id is its hsa_ven_amd_aqlprofile_block_name_t. */
typedef struct {
    const char *name;
    uint32_t id;
    uint32_t instance_count;
} hsa_ven_amd_aqlprofile_id_query_t;

/* Channel of a trace's marker. */
typedef enum {
    HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_0 = 0,
    HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_1 = 1,
    HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_2 = 2,
    HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_3 = 3
} hsa_ven_amd_aqlprofile_att_marker_channel_t;

/* What hsa_ven_amd_aqlprofile_get_info() can return, with the type of the value. */
typedef enum {
    HSA_VEN_AMD_AQLPROFILE_INFO_COMMAND_BUFFER_SIZE = 0, /* uint32_t, bytes */
    HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA_SIZE = 1,       /* uint32_t, bytes */
    HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA = 2,       /* info_data_t; the caller sets its event */
    HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA = 3,     /* info_data_t; the caller sets its sample_id */
    HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS = 4, /* uint32_t; of events[0]'s block */
    HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID = 5,       /* id_query_t; the caller sets its name */
    HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD = 6,     /* pm4_packet_t that enables the counters */
    HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD = 7     /* for compute queues, and disables them */
} hsa_ven_amd_aqlprofile_info_type_t;

/* Called once for each result, dimension or coordinate. */
typedef hsa_status_t (*hsa_ven_amd_aqlprofile_data_callback_t)(
    hsa_ven_amd_aqlprofile_info_type_t info_type, hsa_ven_amd_aqlprofile_info_data_t *info_data,
    void *callback_data);
typedef hsa_status_t (*hsa_ven_amd_aqlprofile_eventname_callback_t)(int id, const char *name);
typedef hsa_status_t (*hsa_ven_amd_aqlprofile_coordinate_callback_t)(int position, int id,
                                                                     int extent, int coordinate,
                                                                     const char *name,
                                                                     void *userdata);

/* Return the version of the library. */
uint32_t hsa_ven_amd_aqlprofile_version_major(void);
uint32_t hsa_ven_amd_aqlprofile_version_minor(void);

/* Sets *result to whether the agent can count the event. Fails only for NULL pointers and agents
 * that are not supported. */
hsa_status_t hsa_ven_amd_aqlprofile_validate_event(hsa_agent_t agent,
                                                   const hsa_ven_amd_aqlprofile_event_t *event,
                                                   bool *result);

/* Writes the commands of start, stop and read into the profile's command buffer and makes
 * aql_start_packet execute those of start. With NULL buffers it only sets the sizes of both that
 * the profile needs. Returns INVALID_ARGUMENT if an event does not exist, if there are more events
 * than the block has counters, or if a buffer is too small, whose size is then set. */
hsa_status_t hsa_ven_amd_aqlprofile_start(hsa_ven_amd_aqlprofile_profile_t *profile,
                                          hsa_ext_amd_aql_pm4_packet_t *aql_start_packet);

/* Fill the packet that stops the counters of a profile prepared by start, and the packet that
 * stores their values in the output buffer while they run; read is submitted before stop. With
 * AQLPROFILE_READ_API=0 in the environment there is no read, and stop stores the values first. */
hsa_status_t hsa_ven_amd_aqlprofile_stop(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                         hsa_ext_amd_aql_pm4_packet_t *aql_stop_packet);
hsa_status_t hsa_ven_amd_aqlprofile_read(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                         hsa_ext_amd_aql_pm4_packet_t *aql_read_packet);

/* Meant for queues of gfx8, which accept no vendor packets. No supported agent has such queues: it
 * always returns HSA_STATUS_ERROR, and data is not changed. */
hsa_status_t hsa_ven_amd_aqlprofile_legacy_get_pm4(const hsa_ext_amd_aql_pm4_packet_t *aql_packet,
                                                   void *data);

/* Returns information on the profile; the enum has the types of the values. PMC_DATA with sample_id
 * UINT32_MAX returns the sum of the event's samples; for an event or sample that the profile does
 * not have, the status is INVALID_ARGUMENT. ENABLE_CMD and DISABLE_CMD write their commands to the
 * command buffer, whose size must be exact: with a NULL buffer they set it. */
hsa_status_t hsa_ven_amd_aqlprofile_get_info(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                             hsa_ven_amd_aqlprofile_info_type_t attribute,
                                             void *value);

/* Calls the callback for every result: by event in the profile's order, then by sample.
 * HSA_STATUS_INFO_BREAK from the callback ends the iteration with success; any other status but
 * success ends it and is returned. For a trace whose buffer was too small, what it contains is
 * delivered and OUT_OF_RESOURCES returned. */
hsa_status_t hsa_ven_amd_aqlprofile_iterate_data(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                 hsa_ven_amd_aqlprofile_data_callback_t callback,
                                                 void *data);

/* Sets *str to the reason why the last failed call of this thread has failed: one line, valid until
 * the thread's next failure; empty if none has failed. */
hsa_status_t hsa_ven_amd_aqlprofile_error_string(const char **str);

/* Calls the callback for the dimensions that results can have, in the order of their ids. */
hsa_status_t
hsa_ven_amd_aqlprofile_iterate_event_ids(hsa_ven_amd_aqlprofile_eventname_callback_t callback);

/* Calls the callback with the position at which the result sample_id of the event was counted, once
 * for each dimension. */
hsa_status_t hsa_ven_amd_aqlprofile_iterate_event_coord(
    hsa_agent_t agent, hsa_ven_amd_aqlprofile_event_t event, uint32_t sample_id,
    hsa_ven_amd_aqlprofile_coordinate_callback_t callback, void *userdata);

/* Fills a packet that writes `data` into a running trace. Its commands are written to the profile's
 * command buffer, which must not be that of the running trace: use another profile. If the size of
 * that buffer is 0, it is set to the size needed. */
hsa_status_t hsa_ven_amd_aqlprofile_att_marker(hsa_ven_amd_aqlprofile_profile_t *profile,
                                               hsa_ext_amd_aql_pm4_packet_t *aql_marker_packet,
                                               uint32_t data,
                                               hsa_ven_amd_aqlprofile_att_marker_channel_t channel);

/* The table of functions that hsa_system_get_major_extension_table() returns. */
typedef struct hsa_ven_amd_aqlprofile_1_00_pfn_s {
    uint32_t (*hsa_ven_amd_aqlprofile_version_major)(void);
    uint32_t (*hsa_ven_amd_aqlprofile_version_minor)(void);
    hsa_status_t (*hsa_ven_amd_aqlprofile_error_string)(const char **str);
    hsa_status_t (*hsa_ven_amd_aqlprofile_validate_event)(
        hsa_agent_t agent, const hsa_ven_amd_aqlprofile_event_t *event, bool *result);
    hsa_status_t (*hsa_ven_amd_aqlprofile_start)(hsa_ven_amd_aqlprofile_profile_t *profile,
                                                 hsa_ext_amd_aql_pm4_packet_t *aql_start_packet);
    hsa_status_t (*hsa_ven_amd_aqlprofile_stop)(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                hsa_ext_amd_aql_pm4_packet_t *aql_stop_packet);
    hsa_status_t (*hsa_ven_amd_aqlprofile_read)(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                hsa_ext_amd_aql_pm4_packet_t *aql_read_packet);
    hsa_status_t (*hsa_ven_amd_aqlprofile_legacy_get_pm4)(
        const hsa_ext_amd_aql_pm4_packet_t *aql_packet, void *data);
    hsa_status_t (*hsa_ven_amd_aqlprofile_get_info)(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                    hsa_ven_amd_aqlprofile_info_type_t attribute,
                                                    void *value);
    hsa_status_t (*hsa_ven_amd_aqlprofile_iterate_data)(
        const hsa_ven_amd_aqlprofile_profile_t *profile,
        hsa_ven_amd_aqlprofile_data_callback_t callback, void *data);
    hsa_status_t (*hsa_ven_amd_aqlprofile_iterate_event_ids)(
        hsa_ven_amd_aqlprofile_eventname_callback_t callback);
    hsa_status_t (*hsa_ven_amd_aqlprofile_iterate_event_coord)(
        hsa_agent_t agent, hsa_ven_amd_aqlprofile_event_t event, uint32_t sample_id,
        hsa_ven_amd_aqlprofile_coordinate_callback_t callback, void *userdata);
    hsa_status_t (*hsa_ven_amd_aqlprofile_att_marker)(
        hsa_ven_amd_aqlprofile_profile_t *profile, hsa_ext_amd_aql_pm4_packet_t *aql_marker_packet,
        uint32_t data, hsa_ven_amd_aqlprofile_att_marker_channel_t channel);
} hsa_ven_amd_aqlprofile_1_00_pfn_t;

typedef hsa_ven_amd_aqlprofile_1_00_pfn_t hsa_ven_amd_aqlprofile_pfn_t;

#ifdef __cplusplus
}
#endif

#endif
