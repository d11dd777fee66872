/* v1.h - what the files of librocprofiler64 share.
 *
 * The library is a facade: src/counters defines and plans counters, AQLprofile builds packets,
 * src/hsa times dispatches. One lock, v1_lock, guards all state that is declared here; no tool code
 * runs while it is held. */
#ifndef CROCPROF_V1_V1_H
#define CROCPROF_V1_V1_H

#include "counters/counters.h"
#include "hsa/code_objects.h"
#include "hsa/queues.h"

#include <rocprofiler/rocprofiler.h>

#include <pthread.h>
#include <time.h>

extern pthread_mutex_t v1_lock;
extern pthread_cond_t v1_changed; /* signalled when any state below changes */

/* ---- errors.c ---- */

/* Sets the thread's message and returns `status`. */
hsa_status_t v1_error(hsa_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define v1_failed(...)    v1_error(HSA_STATUS_ERROR, __VA_ARGS__)
#define v1_invalid(...)   v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
#define v1_no_memory(...) v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, __VA_ARGS__)

/* Returns the error for an argument that is NULL and must not be. */
hsa_status_t v1_null(const char *function, const char *argument);

/* ---- runtime.c: the HSA runtime and the tool ---- */

extern rocprofiler_settings_t v1_settings;

/* Makes `hsax` usable if it is not; returns an error, with a message, if HSA is not initialised. */
hsa_status_t v1_runtime(void);

/* Returns true if the runtime has passed its table to this library, so that queues can be
 * intercepted. */
bool v1_hooked(void);

/* Returns how often HSA has been started; 0 while it is shut down. Memory, signals and queues that
 * were made after one start are gone after the next. */
unsigned v1_life(void);

/* Sets *what. If the HSA runtime has not started yet, makes the runtime load this library when it
 * starts, by HSA_TOOLS_LIB. */
void v1_ask_for_table(bool *what);

/* Set if the program has set such callbacks before HSA starts. */
extern bool v1_wants_dispatches, v1_wants_hsa;

/* Returns the absolute CLOCK_MONOTONIC time at which a wait of v1_wait() ends, from the settings'
 * timeout; UINT64_MAX: never. */
uint64_t v1_deadline(void);

/* Waits on v1_changed with v1_lock held; returns false when the time is over, or at once in a
 * forked child, where nothing changes any more. */
bool v1_wait(uint64_t deadline);

/* ---- agents.c ---- */

typedef struct {
    hsa_agent_t hsa;
    uint32_t index; /* index among the agents of its type */
    bool gpu;
    char gfx[64];
    ctr_agent_t properties;
    ctr_catalogue_t *catalogue; /* NULL until it is needed */
    void *counting;             /* the group that was started in STANDALONE mode, or NULL */
    uint32_t flying;            /* number of groups that kernels have */
    /* for concurrent kernels: the events that are counted all the time; event_count 0: none */
    hsa_queue_t *queue;
    hsa_ven_amd_aqlprofile_event_t *events;
    uint32_t event_count;
} v1_agent_t;

/* Lists the agents; called once after each start of the runtime. */
void v1_agents_list(void);

unsigned v1_agent_count(void);
v1_agent_t *v1_agent_at(unsigned index);
/* Returns the agent; NULL, with a message, if there is none. */
v1_agent_t *v1_agent_find(hsa_agent_t agent);

/* Returns the agent's counters; NULL with a message on failure. Creating plans and looking up
 * instances in it needs v1_catalogue_lock. */
ctr_catalogue_t *v1_catalogue(v1_agent_t *agent);
extern pthread_mutex_t v1_catalogue_lock;

/* Returns zeroed memory that the host and the agent's command processor share; NULL with a message
 * on failure. */
void *v1_memory_get(const v1_agent_t *agent, size_t bytes);
void v1_memory_put(const v1_agent_t *agent, void *memory, size_t bytes);
/* To be called after a start of the runtime: forgets memory from before, which is gone. */
void v1_memory_forget(void);

/* ---- context.c, data.c ---- */

typedef struct v1_context v1_context_t;

typedef enum {
    V1_IDLE,
    V1_RUNNING, /* started in STANDALONE mode */
    V1_FLYING,  /* a kernel uses it */
    V1_READY,
    V1_LOST /* the kernel will not complete */
} v1_state_t;

typedef struct {
    hsa_ven_amd_aqlprofile_profile_t profile;
    hsa_ext_amd_aql_pm4_packet_t start, read, stop;
    bool has_read;
    void *memory;
    size_t bytes;
} v1_packets_t;

/* An input of derived metrics that is none of the program's features: it becomes a feature of the
 * group. */
typedef struct {
    rocprofiler_feature_t feature;
    const ctr_event_t *event;
    uint32_t instance;
} v1_input_t;

typedef struct {
    v1_context_t *context;
    uint32_t index;
    v1_state_t state;
    bool has_data;
    bool claimed;                     /* the group has claimed its GPU (hsa/owner.h) */
    rocprofiler_feature_t **features; /* first the program's, then the inputs */
    uint32_t feature_count;
    v1_input_t *inputs;
    uint32_t input_count;
    const ctr_pass_t *pass;                       /* NULL: no counters */
    hsa_ven_amd_aqlprofile_event_t *events;       /* events of the profile */
    struct v1_slot *slots;                        /* the counter of each event */
    double *raw, *raw_earlier, *scratch, *values; /* values of the pass, in one block of memory */
    v1_packets_t counters, trace;                 /* `memory` NULL: there are no such packets */
    v1_packets_t earlier; /* for concurrent kernels: packets that read the values before the
                           * kernel */
    hsa_signal_t done;    /* decremented after the last packet */
    hsa_ext_amd_aql_pm4_packet_t before[2], after[3];
    hsax_wrap_t wrap; /* `before` and `after` of a kernel */
} v1_group_t;

struct v1_context {
    v1_context_t *next; /* next open context with the same hash */
    v1_agent_t *agent;
    unsigned life;                   /* value of v1_life() when it was opened */
    rocprofiler_feature_t *features; /* the program's */
    uint32_t feature_count;
    bool owns_features;             /* the context owns them and their names */
    rocprofiler_feature_t *copy_to; /* in a pool: the program's features, which get the data, too */
    const ctr_counter_t **counters; /* counter of each feature; NULL for traces */
    rocprofiler_feature_t *trace;   /* the trace feature, or NULL */
    ctr_plan_t *plan;
    v1_group_t *groups;
    uint32_t group_count;
    uint32_t mode;
    hsa_queue_t *queue; /* queue of the program */
    rocprofiler_handler_t handler;
    void *handler_arg;
    struct v1_entry *entry; /* entry of the pool that contains it, or NULL */
};

/* As rocprofiler_open(); with `own` the context copies the features. */
hsa_status_t v1_context_open(const char *function, hsa_agent_t agent,
                             rocprofiler_feature_t *features, uint32_t count, bool own,
                             v1_context_t **context, uint32_t mode,
                             rocprofiler_properties_t *properties);

/* Return the context or group if it is open, else NULL with a message. */
v1_context_t *v1_context_find(const char *function, const rocprofiler_t *context);
v1_group_t *v1_group_find(const char *function, const rocprofiler_t *context, uint32_t index);
rocprofiler_group_t v1_group_info(v1_group_t *group);

/* Makes the packets of a group; returns an error with a message on failure. */
hsa_status_t v1_packets_build(v1_group_t *group);
void v1_packets_free(v1_group_t *group);

/* Returns the counter's value in the group's data; NULL if the group does not count it. */
const ctr_result_t *v1_group_result(const v1_group_t *group, const ctr_counter_t *counter);

/* Takes a group for a kernel on an agent. Returns false, with a message, if another kernel has the
 * group, if it belongs to another GPU, or if it cannot be counted together with the counters that
 * are counted there now. */
bool v1_group_fly(v1_group_t *group, const v1_agent_t *agent);
/* To be called when the group's kernel is done, or lost: wakes threads that wait for it, and calls
 * handlers. */
void v1_group_land(v1_group_t *group, bool lost);

/* ---- pool.c ---- */

/* Notes that a kernel uses a context of the entry; each call must be followed by
 * v1_entry_ready(). */
void v1_entry_flies(struct v1_entry *entry);

/* Calls the pool's handler for an entry whose kernel is done. */
void v1_entry_ready(struct v1_entry *entry, bool lost);

/* ---- dispatch.c, kernels.c, hsa_callbacks.c ---- */

/* Put their hooks into the runtime's table. */
void v1_dispatch_hook(const hsax_api_table_t *table, bool intercept);

/* Returns whether HSA has loaded this library, so that every queue of the program is created
 * through it. */
bool v1_dispatch_hooked(void);
void v1_kernels_hook(const hsax_api_table_t *table);
void v1_hsa_callbacks_hook(const hsax_api_table_t *table);

/* To be called at the end of the tool or the process: warns of kernels that were not seen or
 * counted, and of the `unfinished` ones that still run. */
void v1_dispatch_finish(uint64_t unfinished);

/* Returns the demangled name of a kernel object, valid as long as the process; never NULL. */
const char *v1_kernel_name(uint64_t kernel_object);

/* Call the tool's HSA callbacks, if they are set and enabled. */
void v1_report_code_object(const hsax_code_object_t *object, bool unload);
void v1_report_kernel(const hsax_kernel_t *kernel, bool unload);
void v1_report_submit(const hsa_queue_t *queue, const v1_agent_t *agent, const void *packet,
                      const char *kernel_name);

#endif
