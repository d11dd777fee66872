/* counters.h - what the files of this room share: configurations, packets, services.
 *
 * From the bottom up: cold.c (the packet that empties caches), config.c (counters that are counted
 * together, and the blocks that count them), spm.c (streaming counters), dispatch.c and device.c
 * (the two services), service.c (which of them may run, and when). sdk/catalogue lists the
 * counters, src/counters computes their values, and src/aqlprofile makes the packets. */
#ifndef CROCPROF_SDK_COUNTERS_H
#define CROCPROF_SDK_COUNTERS_H

#include "sdk/catalogue/catalogue.h"
#include "sdk/core/context.h"
#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* ---- cold.c ---- */

/* Makes the packet that empties all caches of the agent, without its header. Returns false, with a
 * message, if there is no memory. */
bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet);

/* ---- config.c ---- */

/* Registers the agent with the AQL profile library; returns false if the library cannot count on
 * it. */
bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *agent, aqlprofile_agent_handle_t *handle);

typedef struct sdk_config sdk_config_t;

/* A block: packets and memory for one measurement. The configuration makes blocks and uses them
 * again and again. */
typedef struct sdk_block {
    struct sdk_block *next;
    sdk_config_t *config;
    uint64_t life; /* value of sdk_gpu_life() when the block was made */
    aqlprofile_handle_t handle;
    hsa_agent_t agent;
    /* `before`: the packet that empties caches, and the start; `after`: read and stop. */
    hsa_ext_amd_aql_pm4_packet_t before[2], after[2];
    /* The packets around the dispatch: start, the dispatch, read and stop; if the dispatch runs
     * several times, caches are emptied before each run. */
    hsax_wrap_t wrap;
    aqlprofile_spm_buffer_desc_t samples; /* of streaming counters: where the samples are */
    double *raw, *scratch, *values;
    rocprofiler_counter_record_t *records;
    /* Valid while the block measures a dispatch: */
    struct sdk_block *again; /* the block of the next run of the same dispatch */
    hsax_item_t *item;
    const struct sdk_dispatch_service *service;
    rocprofiler_dispatch_counting_service_data_t data;
    rocprofiler_user_data_t user;
    sdk_buffer_t *buffer; /* where records of a sampled agent go */
} sdk_block_t;

struct sdk_config {
    rocprofiler_counter_config_id_t id;
    const rocprofiler_agent_v0_t *agent;
    uint32_t references; /* written under the lock of config.c */
    ctr_plan_t *plan;
    const ctr_pass_t *pass;
    const ctr_counter_t **counters;
    size_t counter_count;
    uint64_t *ids; /* instance ids of the pass's values, for records */
    aqlprofile_agent_handle_t aql_agent;
    aqlprofile_pmc_event_t *events;
    uint32_t *event_of;   /* for each event, the index of the pass's event */
    uint32_t event_count; /* 0: there is nothing to program, only properties of the agent */
    /* Of streaming counters: clocks between samples; 0: there is one value, at the end. */
    uint32_t interval;
    /* Guarded by `lock`. `places` is the index among the raw values of each value that the AQL
     * profile library delivers. */
    pthread_mutex_t lock;
    uint32_t *places;
    uint32_t place_count;
    sdk_block_t *free;
    unsigned block_count;
};

/* make creates a configuration without a handle; it also has the counters of *config_id. end
 * assigns the handle, or frees the configuration if `status` is an error. */
rocprofiler_status_t sdk_config_make(rocprofiler_agent_id_t agent_id,
                                     rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                     const rocprofiler_counter_config_id_t *config_id,
                                     sdk_config_t **out);
rocprofiler_status_t sdk_config_end(sdk_config_t *config, rocprofiler_status_t status,
                                    rocprofiler_counter_config_id_t *config_id);
rocprofiler_status_t sdk_config_destroy(rocprofiler_counter_config_id_t config_id, bool streams);

/* Takes a reference to the configuration of a handle; NULL if there is none. */
sdk_config_t *sdk_config_get(rocprofiler_counter_config_id_t id);
void sdk_config_put(sdk_config_t *config);

/* Takes a block to measure with on that agent. Until it is given back, it holds a reference to the
 * configuration. NULL, with a message, if there is no memory or if too many blocks have been in use
 * for a while. */
sdk_block_t *sdk_block_take(sdk_config_t *config, hsa_agent_t agent);
/* Sets whether caches are emptied before the measurement; without this call they are not. Returns
 * false, with a message, if there is no memory. */
bool sdk_block_begins_cold(sdk_block_t *block, bool cold);
/* Gives the block back. `used`: its packets have run to the end, or were never submitted. If not
 * `used`, the block is not used again, because the GPU may still write to it. */
void sdk_block_give(sdk_block_t *block, bool used);

/* To be called after the read packet: fills in block->records, except user_data and dispatch_id.
 * Returns their number. */
size_t sdk_block_evaluate(sdk_block_t *block);

/* To be called when HSA shuts down: frees all blocks that are not in use. */
void sdk_config_hsa_down(void);
void sdk_config_forked(void);

/* ---- spm.c: blocks of configurations of streaming counters ---- */

bool sdk_spm_enabled(void);
bool sdk_spm_make_packets(const sdk_config_t *config, sdk_block_t *block,
                          hsa_ext_amd_aql_pm4_packet_t *start, hsa_ext_amd_aql_pm4_packet_t *stop);
/* From this call on samples are fetched, until the dispatch is complete or lost. */
bool sdk_spm_begin(const sdk_block_t *block);
/* To be called when the dispatch is complete: lets the next dispatch begin, and passes the samples
 * to the tool. */
void sdk_spm_complete(sdk_block_t *block);
void sdk_spm_lost(const sdk_block_t *block);
/* Start and stop sampling the whole agent; the samples go to the buffer. */
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
    /* These replace `callback` and `record` for streaming counters. */
    rocprofiler_spm_dispatch_counting_service_cb_t spm_callback;
    rocprofiler_spm_dispatch_counting_record_cb_t spm_record;
    void *record_data;
    uint32_t passes; /* how often each dispatch is run; 0 means once */
} sdk_dispatch_service_t;

/* The dispatch counting service of each context, by the context's slot; NULL: none. */
extern sdk_dispatch_service_t *sdk_dispatch_services[SDK_CONTEXTS_MAX];

extern const sdk_probe_t sdk_counting_probe;

/* ---- device.c ---- */

typedef struct sdk_device_service sdk_device_service_t;

/* The device counting service of each context, by the context's slot; NULL: none. */
extern sdk_device_service_t *sdk_device_services[SDK_CONTEXTS_MAX];

bool sdk_device_conflict(const sdk_device_service_t *a, const sdk_device_service_t *b);
/* Lets the tool choose the configurations, and returns when the agents are counting. */
rocprofiler_status_t sdk_device_start(sdk_device_service_t *service);
void sdk_device_stop(sdk_device_service_t *service);
/* To be called when HSA shuts down: none of its objects may be used afterwards. */
void sdk_device_abandon(sdk_device_service_t *service);
void sdk_device_forked(sdk_device_service_t *service);

#endif
