/* sampling.h - PC sampling: sessions of agents, and the events of the library on which they depend.
 *
 * driver.c queries the kernel driver, service.c configures, starts and stops sessions, samples.c
 * makes records of the runtime's samples, and formats.c has the fields of the registers in samples.
 * The runtime takes samples through its extension hsa_ven_amd_pc_sampling. */
#ifndef CROCPROF_SDK_PC_SAMPLING_H
#define CROCPROF_SDK_PC_SAMPLING_H

#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <rocprofiler-sdk/pc_sampling.h>
#include <rocprofiler-sdk/rocprofiler.h>

enum {
    SDK_PCS_AGENTS = 32,
    SDK_PCS_DOORBELLS = 1024, /* samples have 10 bits for the id of a queue */
    SDK_PCS_WAYS = 10,        /* limit of configurations that a driver may list */
    SDK_PCS_BUFFER = 4 << 20  /* limit of bytes that the runtime delivers at once */
};

/* Fields of HW_ID, which says where a wave ran. */
typedef enum {
    SDK_PCS_WAVE,
    SDK_PCS_SIMD,
    SDK_PCS_PIPE,
    SDK_PCS_UNIT, /* compute unit, or workgroup processor */
    SDK_PCS_ARRAY,
    SDK_PCS_ENGINE,
    SDK_PCS_GROUP, /* slot of the workgroup */
    SDK_PCS_VM,
    SDK_PCS_QUEUE,
    SDK_PCS_MICROENGINE,
    SDK_PCS_PLACES
} sdk_pcs_place_t;

/* The form of samples on GPUs with gfx target versions from `first` to `last`. */
typedef struct {
    uint32_t first, last;
    /* By method: the first version of the driver's sampling that works, major << 16 | minor; 0: the
     * GPU has no such samples, or their form is not known. */
    uint32_t version[ROCPROFILER_PC_SAMPLING_METHOD_LAST];
    struct {
        uint8_t shift, bits;
    } place[SDK_PCS_PLACES];
    /* Snapshots have a bit which says that the PC is two dwords behind the beginning of its
     * instruction. */
    bool mid_instruction;
} sdk_pcs_format_t;

/* A method and its unit, with the numbers that the driver and the runtime use for them. */
typedef struct {
    rocprofiler_pc_sampling_method_t method;
    rocprofiler_pc_sampling_unit_t unit;
    uint32_t driver_method, driver_unit;
    int runtime_method, runtime_unit;
} sdk_pcs_way_t;

typedef struct sdk_pcs_queue sdk_pcs_queue_t;

typedef struct {
    sdk_reference_t *reference;
    uint64_t end;
} sdk_pcs_ended_t;

/* Sampled dispatches that are over, of which the runtime may still hold samples. */
typedef struct {
    sdk_pcs_ended_t *items;
    size_t count;
} sdk_pcs_overs_t;

/* An agent that a context samples. */
typedef struct {
    sdk_context_t *context;
    sdk_buffer_t *buffer;
    const rocprofiler_agent_v0_t *agent;
    const sdk_pcs_format_t *format;
    const sdk_pcs_way_t *way;
    uint64_t interval; /* in the way's unit */
    /* The driver's session; the runtime owns it once the runtime has made its own session from
     * it. */
    uint32_t driver_id;
    /* Guarded by the service's lock. */
    bool made, failed;
    hsax_handle_t handle;    /* the runtime's session */
    _Atomic uint64_t hsa;    /* handle of the HSA agent while it is sampled, else 0 */
    void *received;          /* SDK_PCS_BUFFER bytes, used by the runtime's thread */
    pthread_mutex_t receive; /* held while `received` is used */
    /* The dispatch at each place of the queues, by doorbell. Guarded by the lock of samples.c. */
    sdk_pcs_queue_t *queues[SDK_PCS_DOORBELLS];
    sdk_pcs_overs_t overs; /* guarded by the lock of samples.c, too */
} sdk_pcs_session_t;

/* ---- service.c ---- */

/* Returns whether any context samples, running or not. */
bool sdk_pcs_configured(void);

/* Returns when all samples taken before the call have become records; returns false if the runtime
 * cannot deliver them. */
bool sdk_pcs_flush_session(sdk_pcs_session_t *session);
void sdk_pcs_flush(void);

/* ---- samples.c ---- */

/* These are called around a dispatch of a sampled agent: begin makes a mark; placed notes the
 * packet that the dispatch has become; over keeps the reference to its correlation id, so that the
 * id retires only when all samples taken until then have become records. */
void *sdk_pcs_begin(void *session, sdk_dispatch_t *d, const sdk_operation_t *operation);
void sdk_pcs_placed(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);
void sdk_pcs_over(void *session, sdk_dispatch_t *d);
/* take_overs lists the dispatches that are over, before samples are fetched from the runtime;
 * retire releases their references afterwards. */
sdk_pcs_overs_t sdk_pcs_take_overs(sdk_pcs_session_t *session);
void sdk_pcs_retire(sdk_pcs_overs_t overs);

/* To be called when a code object has been loaded, or is about to be unloaded; before an unload the
 * samples in the code object become records. */
void sdk_pcs_code_object(const hsax_code_object_t *object, bool unload);

/* The extension's function that copies samples, which it passes to its callback
 * (sdk_pcs_receive). */
typedef hsa_status_t sdk_pcs_copy_t(void *data, size_t bytes, void *to);
/* Returns whether this thread is inside sdk_pcs_receive. A tool's callback that runs inside it must
 * not wait for the runtime's delivery to end. */
bool sdk_pcs_receiving(void);
void sdk_pcs_receive(void *session, size_t bytes, size_t lost, sdk_pcs_copy_t *copy, void *data);

/* To be called when HSA has shut down, and in a forked child: forgets queues and code objects. */
void sdk_pcs_forget(sdk_pcs_session_t *session);
void sdk_pcs_samples_forked(void);

/* ---- formats.c ---- */

/* Returns the form of the GPU's samples; NULL if they cannot be read. */
const sdk_pcs_format_t *sdk_pcs_format(const rocprofiler_agent_v0_t *agent);
/* Extracts the fields of a value of HW_ID; the chiplet is stored in another word of a sample. */
rocprofiler_pc_sampling_hw_id_v0_t sdk_pcs_place(const sdk_pcs_format_t *format, uint32_t word);

/* ---- driver.c: the kernel driver ---- */

/* Returns the way with this method and unit; NULL if no agent can be sampled in this way. */
const sdk_pcs_way_t *sdk_pcs_way(rocprofiler_pc_sampling_method_t method,
                                 rocprofiler_pc_sampling_unit_t unit);

/* Lists how the agent can be sampled; `ways` has room for SDK_PCS_WAYS. INCOMPATIBLE_KERNEL: the
 * driver is too old; NOT_AVAILABLE: the agent cannot be sampled, or there is no driver. */
rocprofiler_status_t sdk_pcs_driver_query(const rocprofiler_agent_v0_t *agent,
                                          rocprofiler_pc_sampling_configuration_t *ways,
                                          size_t *count);

/* Makes a session of the driver, for the session's agent, way and interval. NOT_AVAILABLE: another
 * process samples the agent in another way. */
rocprofiler_status_t sdk_pcs_driver_create(const sdk_pcs_session_t *session, uint32_t *id);

#endif
