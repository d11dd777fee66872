/* counters.h - what the files of this room share: catalogues, configurations, packets, services.
 *
 * From the bottom up: catalogue.c (which counters there are), memory.c (memory of packets), cold.c
 * (the packet that empties caches), config.c (what is counted together, and the blocks that count
 * it), spm.c (streaming counters), dispatch.c and device.c (the two services), service.c (which of
 * them may run, and when). What counters mean is in src/counters, what packets look like in
 * src/aqlprofile. */
#ifndef CROCPROF_SDK_COUNTERS_H
#define CROCPROF_SDK_COUNTERS_H

#include "counters/counters.h"
#include "hsa/queues.h"
#include "sdk/core/context.h"

#include <aqlprofile-sdk/aql_profile_v2.h>
#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* ---- catalogue.c ---- */

/* The catalogue of an agent's architecture; NULL if there is none. It lives as long as the process.
 * Takes the lock below. */
ctr_catalogue_t *sdk_counters_catalogue(const rocprofiler_agent_v0_t *agent);

/* While this lock is held, nobody adds counters. Not to be held while tool code runs. */
void sdk_counters_lock(void);
void sdk_counters_unlock(void);

/* The counter with this handle, and its catalogue; NULL if there is none. With the lock held. */
const ctr_counter_t *sdk_counters_find(rocprofiler_counter_id_t id,
                                       const ctr_catalogue_t **catalogue);

void sdk_catalogue_forked(void);

/* The agent's properties as expressions use them. */
ctr_agent_t sdk_counters_agent(const rocprofiler_agent_v0_t *agent);

/* Registers the agent with the AQL profile library; false if that cannot count on it. */
bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *agent, aqlprofile_agent_handle_t *handle);
/* The AQL profile library's message about the last failure on this thread. */
const char *sdk_counters_aql_message(void);

/* Passes the counters for which `which` is true to the callback; NULL: all counters. */
rocprofiler_status_t sdk_counters_iterate(rocprofiler_agent_id_t agent_id,
                                          bool (*which)(const rocprofiler_agent_v0_t *,
                                                        const ctr_counter_t *),
                                          rocprofiler_available_counters_cb_t cb, void *user_data);

/* The HSA agent of an agent; handle 0 if HSA does not show it or is not initialised. */
hsa_agent_t sdk_counters_hsa_agent(rocprofiler_agent_id_t id);

/* ---- memory.c ---- */

/* Callbacks for the AQL profile library: memory of the host that GPUs use, too. userdata points to
 * the hsa_agent_t that gets access. */
hsa_status_t sdk_counters_allocate(void **memory, uint64_t size,
                                   aqlprofile_buffer_desc_flags_t flags, void *userdata);
void sdk_counters_free(void *memory, void *userdata);
hsa_status_t sdk_counters_copy(void *to, const void *from, size_t size, void *userdata);

/* Counts how often HSA was started: memory and signals of an earlier start are gone. */
uint64_t sdk_counters_hsa_life(void);

/* Makes the packet that empties all caches of the agent, without its header. False, with a message,
 * if there is no memory. */
bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet);
void sdk_counters_hsa_begins(void);
void sdk_counters_hsa_ends(void);

/* ---- config.c ---- */

typedef struct sdk_config sdk_config_t;

/* A block: packets and memory for one measurement. Made by the configuration and used again and
 * again. */
typedef struct sdk_block {
    struct sdk_block *next;
    sdk_config_t *config;
    uint64_t life; /* sdk_counters_hsa_life() when it was made */
    aqlprofile_handle_t handle;
    hsa_agent_t agent;
    /* Before: empty caches, start; after: read, stop. */
    hsa_ext_amd_aql_pm4_packet_t before[2], after[2];
    /* Start, the dispatch, read and stop; if there are several runs, emptying caches before
     * each. */
    hsax_wrap_t wrap;
    aqlprofile_spm_buffer_desc_t samples; /* of streaming counters: how to read samples */
    double *raw, *scratch, *values;
    rocprofiler_counter_record_t *records;
    /* While it measures a dispatch: */
    struct sdk_block *again; /* the block of the next run of the same dispatch */
    hsax_item_t *item;
    const struct sdk_dispatch_service *service;
    rocprofiler_dispatch_counting_service_data_t data;
    rocprofiler_user_data_t user;
    sdk_buffer_t *buffer; /* for an agent that is sampled as a whole */
} sdk_block_t;

struct sdk_config {
    rocprofiler_counter_config_id_t id;
    const rocprofiler_agent_v0_t *agent;
    uint32_t references; /* under the lock of config.c */
    ctr_plan_t *plan;
    const ctr_pass_t *pass;
    const ctr_counter_t **counters;
    size_t counter_count;
    uint64_t *ids; /* instance ids of the pass's values, for records */
    aqlprofile_agent_handle_t aql_agent;
    aqlprofile_pmc_event_t *events;
    uint32_t *event_of;   /* for each event, the index of the pass's event */
    uint32_t event_count; /* 0: nothing to program, only properties of the agent */
    /* Of streaming counters: clocks between samples; 0: counted to the end. */
    uint32_t interval;
    /* Under `lock`. `places`: the index among the raw values of each value that the AQL profile
     * library gives. */
    pthread_mutex_t lock;
    uint32_t *places;
    uint32_t place_count;
    sdk_block_t *free;
    unsigned block_count;
};

/* make creates a configuration without a handle; it also has the counters of *config_id. end gives
 * it a handle, or frees it if `status` is an error. */
rocprofiler_status_t sdk_config_make(rocprofiler_agent_id_t agent_id,
                                     rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                     const rocprofiler_counter_config_id_t *config_id,
                                     sdk_config_t **out);
rocprofiler_status_t sdk_config_end(sdk_config_t *config, rocprofiler_status_t status,
                                    rocprofiler_counter_config_id_t *config_id);
rocprofiler_status_t sdk_config_destroy(rocprofiler_counter_config_id_t config_id, bool streams);

/* A reference to the configuration of a handle; NULL if there is none. */
sdk_config_t *sdk_config_get(rocprofiler_counter_config_id_t id);
void sdk_config_put(sdk_config_t *config);

/* A block to measure with on that agent; it holds a reference to the configuration until it is
 * given back. NULL, with a message, if there is no memory or too many have been in use for a
 * while. */
sdk_block_t *sdk_block_take(sdk_config_t *config, hsa_agent_t agent);
/* Sets whether caches are emptied before the measurement (not if never called). False, with a
 * message, if there is no memory. */
bool sdk_block_begins_cold(sdk_block_t *block, bool cold);
/* Gives the block back. `used`: its packets have run to the end, or were never submitted. If not,
 * the block is not used again, because the GPU may still write to it. */
void sdk_block_give(sdk_block_t *block, bool used);

/* After the read packet: fills in block->records, except user_data and dispatch_id. Returns how
 * many. */
size_t sdk_block_evaluate(sdk_block_t *block);

/* HSA shuts down: frees all blocks that are not in use. */
void sdk_config_hsa_down(void);
void sdk_config_forked(void);

/* ---- spm.c: blocks of configurations of streaming counters ---- */

bool sdk_spm_enabled(void);
bool sdk_spm_make_packets(const sdk_config_t *config, sdk_block_t *block,
                          hsa_ext_amd_aql_pm4_packet_t *start, hsa_ext_amd_aql_pm4_packet_t *stop);
/* From now on samples are fetched, until the dispatch is complete or lost. */
bool sdk_spm_begin(const sdk_block_t *block);
/* The dispatch is complete: lets the next one begin, and passes the samples to the tool. */
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
    sdk_buffer_t *buffer; /* if NULL, records go to `record` */
    rocprofiler_dispatch_counting_record_cb_t record;
    /* For streaming counters, in place of callback and record. */
    rocprofiler_spm_dispatch_counting_service_cb_t spm_callback;
    rocprofiler_spm_dispatch_counting_record_cb_t spm_record;
    void *record_data;
    uint32_t passes; /* how often each dispatch is run; 0 is 1 */
} sdk_dispatch_service_t;

/* ---- service.c ---- */

bool sdk_counting_active(const sdk_context_t *context);

/* Claims the agent for this library (hsa/owner.h); false, with a message that names the owner. */
bool sdk_counters_claim(hsa_agent_t agent);

/* ---- device.c ---- */

typedef struct sdk_device_service sdk_device_service_t;

bool sdk_device_conflict(const sdk_device_service_t *a, const sdk_device_service_t *b);
/* Asks the tool what to count, and returns when the agents are counting. */
rocprofiler_status_t sdk_device_start(sdk_device_service_t *service);
void sdk_device_stop(sdk_device_service_t *service);
/* HSA shuts down: none of its objects may be used afterwards. */
void sdk_device_abandon(sdk_device_service_t *service);
void sdk_device_forked(sdk_device_service_t *service);

#endif
