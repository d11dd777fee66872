/* sampling.h - PC sampling: sessions of agents, and what the rest of the library tells them.
 *
 * driver.c asks the kernel driver, service.c configures, starts and stops, samples.c makes records
 * of what the runtime hands over. The runtime's part is its extension hsa_ven_amd_pc_sampling. */
#ifndef CROCPROF_SDK_PC_SAMPLING_H
#define CROCPROF_SDK_PC_SAMPLING_H

#include "hsa/code_objects.h"
#include "hsa/queues.h"
#include "sdk/core/context.h"
#include "sdk/core/service.h"

#include <rocprofiler-sdk/pc_sampling.h>
#include <rocprofiler-sdk/rocprofiler.h>

enum {
    SDK_PCS_AGENTS = 32,
    SDK_PCS_DOORBELLS = 1024, /* ids of queues in samples have 10 bits */
    SDK_PCS_WAYS = 10,        /* ways of sampling that a driver may list */
    SDK_PCS_BUFFER = 4 << 20  /* bytes that the runtime hands over at once, at most */
};

typedef struct sdk_pcs_queue sdk_pcs_queue_t;

typedef struct {
    sdk_reference_t *reference;
    uint64_t end;
} sdk_pcs_ended_t;

/* Sampled dispatches that are over, whose last samples the runtime may still have. */
typedef struct {
    sdk_pcs_ended_t *items;
    size_t count, room;
} sdk_pcs_overs_t;

/* An agent that a context samples. */
typedef struct {
    sdk_context_t *context;
    sdk_buffer_t *buffer;
    const rocprofiler_agent_v0_t *agent;
    uint64_t interval;  /* us */
    uint32_t driver_id; /* of the driver's session, which is the runtime's once it has been told */
    /* under the service's lock */
    bool made, failed;
    hsax_handle_t handle;    /* the runtime's */
    _Atomic uint64_t hsa;    /* handle of the HSA agent while it is sampled, else 0 */
    void *received;          /* SDK_PCS_BUFFER bytes, the runtime's thread's */
    pthread_mutex_t receive; /* its user */
    /* where dispatches are, under samples.c's lock */
    sdk_pcs_queue_t *queues[SDK_PCS_DOORBELLS];
    sdk_pcs_overs_t overs; /* also under it */
} sdk_pcs_session_t;

/* ---- service.c ---- */

/* Is there a context that samples, running or not? */
bool sdk_pcs_configured(void);

/* How many agents are sampled now. */
extern _Atomic uint32_t sdk_pcs_running_count;

static inline bool sdk_pcs_running(void)
{
    return atomic_load_explicit(&sdk_pcs_running_count, memory_order_relaxed);
}

sdk_pcs_session_t *sdk_pcs_session_of(hsa_agent_t agent);

/* The session that samples the agent now, NULL if none does. One load where nobody samples. */
static inline sdk_pcs_session_t *sdk_pcs_session(hsa_agent_t agent)
{
    return sdk_pcs_running() ? sdk_pcs_session_of(agent) : NULL;
}

/* Contexts have started or stopped, HSA has come up: starts and stops sessions. What a tool asks
 * for while it gets samples takes effect with the next change, or at the end. */
void sdk_pcs_update(void);

/* Has everything that was sampled become records? Then returns; false if the runtime cannot say. */
bool sdk_pcs_flush_session(sdk_pcs_session_t *session);
void sdk_pcs_flush(void);

void sdk_pcs_hsa_down(void);
void sdk_pcs_forked(void);

/* ---- samples.c ---- */

/* A dispatch of a sampled agent that has begun; and where it has been put. */
hsax_mark_t sdk_pcs_mark(sdk_pcs_session_t *session, uint64_t dispatch_id,
                         const sdk_operation_t *operation);
void sdk_pcs_placed(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);

/* The sampled dispatch of the mark is over; its id is in no further record when all samples that
 * were taken until now are records. */
void sdk_pcs_over(const hsax_mark_t *mark, sdk_reference_t *reference, uint64_t end);
/* Those that are over, taken before the runtime is asked for what it has; and when that is done. */
sdk_pcs_overs_t sdk_pcs_take_overs(sdk_pcs_session_t *session);
void sdk_pcs_retire(sdk_pcs_overs_t overs);

/* Loaded; or about to be unloaded, whose samples are made records before. */
void sdk_pcs_code_object(const hsax_code_object_t *object, bool unload);

/* The extension's callback for data, and what it gives to get them. */
typedef hsa_status_t sdk_pcs_copy_t(void *data, size_t bytes, void *to);
/* True on a thread on which it runs: a tool's callback, which may run inside it, must not wait
 * there for the runtime to be through with it. */
bool sdk_pcs_receiving(void);
void sdk_pcs_receive(void *session, size_t bytes, size_t lost, sdk_pcs_copy_t *copy, void *data);

/* HSA is down, or this is a forked child: queues and code objects are gone. */
void sdk_pcs_forget(sdk_pcs_session_t *session);
void sdk_pcs_samples_forked(void);

/* ---- driver.c: the KFD's interface ---- */

/* How the agent can be sampled; `ways` has room for SDK_PCS_WAYS. INCOMPATIBLE_KERNEL: the driver
 * is too old for that; NOT_AVAILABLE: it cannot, or there is none. */
rocprofiler_status_t sdk_pcs_driver_query(const rocprofiler_agent_v0_t *agent,
                                          rocprofiler_pc_sampling_configuration_t *ways,
                                          size_t *count);

/* A session of the driver's. NOT_AVAILABLE: others sample the agent in another way. */
rocprofiler_status_t sdk_pcs_driver_create(const rocprofiler_agent_v0_t *agent, uint64_t interval,
                                           uint32_t *id);

#endif
