/* counters.h - what the files of this room share: configurations, packets, services.
 *
 * From the bottom up: cold.c (the packet that empties caches), config.c (what is counted together,
 * and the blocks that count it), spm.c (streaming counters), dispatch.c and device.c (the two
 * services), service.c (which of them may run, and when). Which counters there are is in
 * sdk/catalogue, what they mean in src/counters, what packets look like in src/aqlprofile. */
#ifndef CROCPROF_SDK_COUNTERS_H
#define CROCPROF_SDK_COUNTERS_H

#include "sdk/catalogue/catalogue.h"
#include "sdk/core/context.h"
#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* ---- cold.c ---- */

/* Makes the packet that empties all caches of the agent, without its header. False, with a message,
 * if there is no memory. */
bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet);

/* ---- config.c ---- */

/* Registers the agent with the AQL profile library; false if that cannot count on it. */
bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *agent, aqlprofile_agent_handle_t *handle);

typedef struct sdk_config sdk_config_t;

/* A block: packets and memory for one measurement. Made by the configuration and used again and
 * again. */
typedef struct sdk_block {
    struct sdk_block *next;
    sdk_config_t *config;
    uint64_t life; /* sdk_gpu_life() when it was made */
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

/* What each context counts of dispatches, by its slot; NULL: nothing. */
extern sdk_dispatch_service_t *sdk_dispatch_services[SDK_CONTEXTS_MAX];

extern const sdk_probe_t sdk_counting_probe;

/* ---- device.c ---- */

typedef struct sdk_device_service sdk_device_service_t;

/* What each context counts of devices, by its slot; NULL: nothing. */
extern sdk_device_service_t *sdk_device_services[SDK_CONTEXTS_MAX];

bool sdk_device_conflict(const sdk_device_service_t *a, const sdk_device_service_t *b);
/* Asks the tool what to count, and returns when the agents are counting. */
rocprofiler_status_t sdk_device_start(sdk_device_service_t *service);
void sdk_device_stop(sdk_device_service_t *service);
/* HSA shuts down: none of its objects may be used afterwards. */
void sdk_device_abandon(sdk_device_service_t *service);
void sdk_device_forked(sdk_device_service_t *service);

#endif
