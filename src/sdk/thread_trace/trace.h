/* trace.h - what the files of this room share: what is traced, packets, the two services.
 *
 * service.c configures and starts traces, block.c makes packets and buffers, dispatch.c traces
 * single kernels, and device.c traces an agent while a context runs. decoder.c is independent of
 * all of them. src/aqlprofile makes the contents of the packets. */
#ifndef CROCPROF_SDK_TRACE_H
#define CROCPROF_SDK_TRACE_H

#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <rocprofiler-sdk/experimental/thread_trace.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <pthread.h>

enum { SDK_TRACE_AGENTS = 32, SDK_TRACE_PARAMETERS = 24 };

struct sdk_trace_service;

/* A block: packets and a buffer for one trace, used again and again. */
typedef struct sdk_trace_block {
    struct sdk_trace_block *next;
    struct sdk_trace_unit *unit;
    uint64_t life; /* value of sdk_gpu_life() when the block was made */
    hsa_agent_t agent;
    aqlprofile_handle_t handle;
    const char *data; /* the buffer, if it is in the GPU's own memory */
    uint64_t data_size;
    hsa_ext_amd_aql_pm4_packet_t stop;
    hsa_ext_amd_aql_pm4_packet_t *before; /* start, and a marker for each code object */
    unsigned before_count;
    size_t before_room;
    hsax_wrap_t wrap;
    rocprofiler_user_data_t user; /* user data of the present trace */
} sdk_trace_block_t;

/* An agent that a context traces. */
typedef struct sdk_trace_unit {
    struct sdk_trace_service *service;
    rocprofiler_agent_id_t agent;
    aqlprofile_att_parameter_t parameters[SDK_TRACE_PARAMETERS];
    uint32_t parameter_count;
    rocprofiler_thread_trace_dispatch_callback_t dispatch;
    void *dispatch_data;
    rocprofiler_thread_trace_shader_data_callback_t shader;
    rocprofiler_user_data_t shader_data; /* user data for traces of the whole agent */
    pthread_mutex_t lock;                /* guards the next two members */
    sdk_trace_block_t *free;
    unsigned block_count;
    /* Used by device.c only: */
    pthread_mutex_t device_lock; /* guards the following members; taken before `lock` */
    hsa_queue_t *queue;
    sdk_trace_block_t *running;
    hsa_agent_t claimed;
} sdk_trace_unit_t;

typedef struct sdk_trace_service {
    sdk_context_t *context;
    bool device;
    bool serialize; /* kernels that are not traced must run alone, too */
    unsigned count;
    sdk_trace_unit_t units[SDK_TRACE_AGENTS];
} sdk_trace_service_t;

/* ---- block.c ---- */

/* Takes a block whose packets include markers for all code objects on the agent. If all blocks are
 * in use, it waits a while for one. NULL, with a message, if there is none. */
sdk_trace_block_t *sdk_trace_block_take(sdk_trace_unit_t *unit, hsa_agent_t agent);
/* Gives a block back. `used`: its packets have run to the end, or were never submitted. */
void sdk_trace_block_give(sdk_trace_block_t *block, bool used);
/* To be called after the stop packet has run: passes the trace to the tool. */
void sdk_trace_block_deliver(sdk_trace_block_t *block);
void sdk_trace_blocks_hsa_down(sdk_trace_unit_t *unit);

typedef struct {
    uint64_t id, address, size;
    hsa_agent_t agent;
} sdk_trace_object_t;

/* Returns the description of the code object for markers. */
sdk_trace_object_t sdk_trace_object(const hsax_code_object_t *object);

/* Makes the packet that writes a code object into a running trace. It is kept until HSA shuts down.
 * Returns false, with a message, if it cannot be made. */
bool sdk_trace_marker(const sdk_trace_object_t *object, bool unload, bool from_start,
                      hsa_ext_amd_aql_pm4_packet_t *packet);

/* ---- dispatch.c ---- */

extern const sdk_probe_t sdk_trace_probe;

/* ---- device.c ---- */

rocprofiler_status_t sdk_trace_device_start(sdk_trace_service_t *service);
void sdk_trace_device_stop(sdk_trace_service_t *service);
void sdk_trace_device_tell(sdk_trace_service_t *service, const sdk_trace_object_t *object,
                           bool unload);
void sdk_trace_device_abandon(sdk_trace_service_t *service);

#endif
