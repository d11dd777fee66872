/* counters.h - what the files of this room share: catalogues, configurations, packets, services.
 *
 * From the bottom up: catalogue.c (which counters there are), memory.c (memory of packets),
 * config.c (what is counted together, and the blocks that count it), spm.c (those that are
 * sampled), dispatch.c and device.c (the two services), service.c (which of them may run, and
 * when). What counters mean is in src/counters, what packets look like in src/aqlprofile. */
#ifndef CROCPROF_SDK_COUNTERS_H
#define CROCPROF_SDK_COUNTERS_H

#include "counters/counters.h"
#include "hsa/queues.h"
#include "sdk/core/context.h"

#include <aqlprofile-sdk/aql_profile_v2.h>
#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* ---- catalogue.c ---- */

/* The catalogue of an agent's architecture, NULL if there is none. Takes the lock below for itself;
 * a catalogue lives as long as the process. */
ctr_catalogue_t *sdk_counters_catalogue(const rocprofiler_agent_v0_t *agent);

/* Nobody adds counters while it is held. Not for tool code. */
void sdk_counters_lock(void);
void sdk_counters_unlock(void);

/* The counter of a handle and its catalogue; NULL if there is none. With the lock held. */
const ctr_counter_t *sdk_counters_find(rocprofiler_counter_id_t id,
                                       const ctr_catalogue_t **catalogue);

void sdk_catalogue_forked(void);

/* The agent as expressions see it. */
ctr_agent_t sdk_counters_agent(const rocprofiler_agent_v0_t *agent);

/* Tells the AQL profile library of the agent; false if it cannot count there. */
bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *agent, aqlprofile_agent_handle_t *handle);
/* What it has to say of the last failure on this thread. */
const char *sdk_counters_aql_message(void);

/* Tells of the counters for which `which` holds, NULL: of all. */
rocprofiler_status_t sdk_counters_iterate(rocprofiler_agent_id_t agent_id,
                                          bool (*which)(const rocprofiler_agent_v0_t *,
                                                        const ctr_counter_t *),
                                          rocprofiler_available_counters_cb_t cb, void *user_data);

/* The HSA agent of an agent; handle 0 if HSA does not show it, or is not up. */
hsa_agent_t sdk_counters_hsa_agent(rocprofiler_agent_id_t id);

/* ---- memory.c ---- */

/* Callbacks for the AQL profile library: memory of the host that GPUs use too. userdata is a
 * pointer to the hsa_agent_t that shall have access. */
hsa_status_t sdk_counters_allocate(void **memory, uint64_t size,
                                   aqlprofile_buffer_desc_flags_t flags, void *userdata);
void sdk_counters_free(void *memory, void *userdata);
hsa_status_t sdk_counters_copy(void *to, const void *from, size_t size, void *userdata);

/* Counts the lives of HSA: memory and signals of an earlier one are gone. */
uint64_t sdk_counters_hsa_life(void);

/* The packet that empties all caches of the agent, without its header. False with a message if
 * there is no memory. */
bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet);
void sdk_counters_hsa_begins(void);
void sdk_counters_hsa_ends(void);

/* ---- config.c ---- */

typedef struct sdk_config sdk_config_t;

/* Packets and memory for one measurement. Made by the configuration, used again and again. */
typedef struct sdk_block {
    struct sdk_block *next;
    sdk_config_t *config;
    uint64_t life; /* of HSA */
    aqlprofile_handle_t handle;
    hsa_agent_t agent;
    hsa_ext_amd_aql_pm4_packet_t before[2], after[2]; /* cold, start; read, stop */
    hsax_wrap_t wrap; /* start | dispatch | read, stop; and cold before a run of several */
    aqlprofile_spm_buffer_desc_t samples; /* of streaming ones: how to read them */
    double *raw, *scratch, *values;
    rocprofiler_counter_record_t *records;
    /* of the dispatch */
    struct sdk_block *again; /* of its next run */
    hsax_item_t *item;
    const struct sdk_dispatch_service *service;
    rocprofiler_dispatch_counting_service_data_t data;
    rocprofiler_user_data_t user;
    sdk_buffer_t *buffer; /* of an agent that is sampled as a whole */
} sdk_block_t;

struct sdk_config {
    rocprofiler_counter_config_id_t id;
    const rocprofiler_agent_v0_t *agent;
    uint32_t references; /* under the lock of config.c */
    ctr_plan_t *plan;
    const ctr_pass_t *pass;
    const ctr_counter_t **counters;
    size_t counter_count;
    uint64_t *ids; /* of the pass's values, as records have them */
    aqlprofile_agent_handle_t aql_agent;
    aqlprofile_pmc_event_t *events;
    uint32_t *event_of;   /* of each, the pass's event */
    uint32_t event_count; /* 0: nothing to program, agent properties only */
    uint32_t interval;    /* streaming counters: clocks between samples; 0: counted to the end */
    /* Where the values that the AQL profile library gives belong among the raw ones. */
    pthread_mutex_t lock; /* the rest */
    uint32_t *places;
    uint32_t place_count;
    sdk_block_t *free;
    unsigned block_count;
};

/* Makes a configuration that nobody knows yet, with the counters of *config_id too; and gives it
 * its handle, or frees it if it is not well. */
rocprofiler_status_t sdk_config_make(rocprofiler_agent_id_t agent_id,
                                     rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                     const rocprofiler_counter_config_id_t *config_id,
                                     sdk_config_t **out);
rocprofiler_status_t sdk_config_end(sdk_config_t *config, rocprofiler_status_t status,
                                    rocprofiler_counter_config_id_t *config_id);
rocprofiler_status_t sdk_config_destroy(rocprofiler_counter_config_id_t config_id, bool streams);

/* A reference to the configuration of a handle, NULL if there is none. */
sdk_config_t *sdk_config_get(rocprofiler_counter_config_id_t id);
void sdk_config_put(sdk_config_t *config);

/* A block to measure with on that agent, which refers to the configuration until it is given back.
 * NULL with a message if there is no memory, or if too many are in use for a while. */
sdk_block_t *sdk_block_take(sdk_config_t *config, hsa_agent_t agent);
/* Do caches begin empty? Not, if nobody says so. False with a message if there is no memory. */
bool sdk_block_begins_cold(sdk_block_t *block, bool cold);
/* Gives it back. `used`: its packets have run to the end, or were never submitted. Otherwise it
 * is not used again, since the GPU may write to it yet. */
void sdk_block_give(sdk_block_t *block, bool used);

/* After the read packet: computes block->records, all but user_data and dispatch_id. How many. */
size_t sdk_block_evaluate(sdk_block_t *block);

/* HSA goes down: frees all blocks that are not in use. */
void sdk_config_hsa_down(void);
void sdk_config_forked(void);

/* ---- spm.c: blocks of configurations with an interval ---- */

bool sdk_spm_enabled(void);
bool sdk_spm_make_packets(const sdk_config_t *config, sdk_block_t *block,
                          hsa_ext_amd_aql_pm4_packet_t *start, hsa_ext_amd_aql_pm4_packet_t *stop);
/* Samples are fetched from now on, until the dispatch is complete or lost. */
bool sdk_spm_begin(const sdk_block_t *block);
/* Ends the dispatch's turn and tells the tool. */
void sdk_spm_complete(sdk_block_t *block);
void sdk_spm_lost(const sdk_block_t *block);
/* Samples of the whole agent go to the buffer. */
bool sdk_spm_device_start(sdk_block_t *block, sdk_buffer_t *buffer);
void sdk_spm_device_stop(const sdk_block_t *block);
rocprofiler_spm_dispatch_counting_service_data_t
sdk_spm_data(const rocprofiler_dispatch_counting_service_data_t *data);
void sdk_spm_hsa_down(void);
void sdk_spm_forked(void);

/* ---- dispatch.c ---- */

typedef struct sdk_dispatch_service {
    sdk_context_t *context;
    rocprofiler_dispatch_counting_service_cb_t callback;
    void *data;
    sdk_buffer_t *buffer; /* or, if NULL: */
    rocprofiler_dispatch_counting_record_cb_t record;
    /* of streaming counters, in place of callback and record */
    rocprofiler_spm_dispatch_counting_service_cb_t spm_callback;
    rocprofiler_spm_dispatch_counting_record_cb_t spm_record;
    void *record_data;
    uint32_t passes; /* runs of each dispatch; 0 is 1 */
} sdk_dispatch_service_t;

/* ---- service.c ---- */

bool sdk_counting_active(const sdk_context_t *context);

/* A claim of hsa/owner.h; false with a message that names who has the agent. */
bool sdk_counters_claim(hsa_agent_t agent);

/* ---- device.c ---- */

typedef struct sdk_device_service sdk_device_service_t;

bool sdk_device_conflict(const sdk_device_service_t *a, const sdk_device_service_t *b);
/* Start asks the tool and returns when the agents count. */
rocprofiler_status_t sdk_device_start(sdk_device_service_t *service);
void sdk_device_stop(sdk_device_service_t *service);
/* HSA goes down: nothing of it may be touched any more. */
void sdk_device_abandon(sdk_device_service_t *service);
void sdk_device_forked(sdk_device_service_t *service);

#endif
