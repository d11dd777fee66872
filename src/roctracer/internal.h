/* internal.h - what the files of libroctracer64 share.
 *
 * state.c has what is enabled, pool.c the pools of records. tool.c makes this library a tool of
 * rocprofiler-sdk, from which all of its data comes; hsa.c and events.c are the tool's handlers for
 * HSA. names.c has the numbers that HIP gives its calls, obsolete.c functions for old programs.
 * Only public headers of the SDK are used. */
#ifndef CROCPROF_ROCTRACER_INTERNAL_H
#define CROCPROF_ROCTRACER_INTERNAL_H

#include <rocprofiler-sdk/rocprofiler.h>
#include <roctracer/roctracer.h>
#include <roctracer/roctracer_ext.h>
#include <roctracer/roctracer_hsa.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RTR_API __attribute__((visibility("default")))

enum { RTR_OPS = 1024 }; /* number of operations of a domain: HIP has about 500 calls */

/* Values of activity_record_t.kind for HIP_OPS: the command types of HIP, which are OpenCL's. */
enum {
    RTR_KIND_KERNEL = 0x11F0,
    RTR_KIND_DEVICE_TO_HOST = 0x11F3,
    RTR_KIND_HOST_TO_DEVICE = 0x11F4,
    RTR_KIND_DEVICE_TO_DEVICE = 0x11F5,
};

/* A callback and its argument: one object, so that a handler reads both at once. It is never
 * changed and never freed, since a handler may hold it for any time. */
typedef struct rtr_hook {
    activity_rtapi_callback_t callback;
    void *arg;
    const struct rtr_hook *next; /* list of all hooks in state.c */
} rtr_hook_t;

/* One operation of a domain. Written under the lock of state.c, read without a lock. */
typedef struct {
    const rtr_hook_t *hook; /* NULL: no callback is set */
    struct rtr_pool *pool;
} rtr_op_t;

static inline const rtr_hook_t *rtr_hook(const rtr_op_t *op)
{
    return __atomic_load_n(&op->hook, __ATOMIC_ACQUIRE);
}

typedef struct rtr_pool rtr_pool_t;

/* ---- state.c */

/* Returns the operation's callback and pool; NULL if out of range. */
const rtr_op_t *rtr_operation(uint32_t domain, uint32_t op);

/* Sets this thread's error message, and returns `status`. */
roctracer_status_t rtr_error(roctracer_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Removes the pool from all operations; called before it is closed. */
void rtr_forget_pool(const rtr_pool_t *pool);

/* Starts and stops contexts so that those run whose data is needed. To be called when a callback or
 * a pool changes, and when the contexts have been made. */
void rtr_follow(void);

/* ---- pool.c */

/* Keeps the pool in memory until it is released. NULL stands for the default pool; returns NULL if
 * the pool is not open. */
rtr_pool_t *rtr_hold(roctracer_pool_t *pool);
void rtr_release(rtr_pool_t *pool);

/* Adds a record. `text`, which may be NULL, is copied and the record's last member points to the
 * copy. Calls the pool's callback if the buffer is full. */
void rtr_write(rtr_pool_t *pool, const activity_record_t *record, const char *text);

/* Returns the id on top of the calling thread's stack; false if the stack is empty. */
bool rtr_external_id(activity_correlation_id_t *id);

/* ---- tool.c */

/* The domains that are to be traced. */
typedef struct {
    bool calls;      /* HIP_API */
    bool hsa_calls;  /* HSA_API */
    bool events;     /* HSA_EVT */
    bool submits;    /* the events of HSA_EVT for kernels that are submitted to a queue */
    bool operations; /* HIP_OPS, HSA_OPS */
    bool marks;      /* ROCTX */
} rtr_wishes_t;

/* Starts and stops contexts; has no effect before the SDK has initialised this tool. */
void rtr_apply(const rtr_wishes_t *wishes);

/* Returns the name of a kernel by the SDK's id; never NULL. */
const char *rtr_kernel_name(uint64_t id);

/* Makes the SDK deliver all finished records. */
void rtr_collect(void);

/* Makes the data of a callback from the SDK's record of a call. `recorded`: the call is also
 * written to a pool, and user_data holds the time at which it began. */
typedef void (*rtr_fill_t)(void *data, const rocprofiler_callback_tracing_record_t *record,
                           rocprofiler_user_data_t *user_data, bool recorded);

/* Reports the beginning or end of a call to the operation's callback, which gets the data that
 * `fill` has written; at the end it also writes a record to the operation's pool. */
void rtr_tell_call(uint32_t domain, uint32_t id,
                   const rocprofiler_callback_tracing_record_t *record,
                   rocprofiler_user_data_t *user_data, rtr_fill_t fill, void *data);

/* ---- hsa.c */

enum { RTR_HSA_KINDS = 3 };
extern const rocprofiler_callback_tracing_kind_t rtr_hsa_kinds[RTR_HSA_KINDS];
void rtr_on_hsa_call(rocprofiler_callback_tracing_record_t record,
                     rocprofiler_user_data_t *user_data, void *data);

/* Return the name of an operation of HSA_API, NULL if there is none; and the number of a name, -1
 * if there is none. */
const char *rtr_hsa_name(uint32_t id);
int rtr_hsa_id(const char *name);

/* ---- events.c */

/* Returns true while the calling thread calls HSA on behalf of this library: such a call is not
 * reported. */
bool rtr_asking(void);

void rtr_events_agent(const rocprofiler_agent_v0_t *agent);
void rtr_events_call(const rocprofiler_callback_tracing_record_t *record);
void rtr_on_submit(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
                   void *data);
void rtr_events_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel,
    bool unload);
void rtr_events_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object,
                            bool unload);

/* ---- names.c */

/* Returns the number that HIP gives to an operation of the SDK; -1 if HIP has no such call. Any
 * thread may call this; it takes no lock. */
int rtr_hip_id(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation);

/* Queries HIP's numbers, unless that was done before; returns false if HIP is not loaded. Calls
 * HIP. */
bool rtr_hip_names(void);

/* ---- generated: convert arguments; arrays are indexed by the SDK's numbers of operations ---- */

enum { RTR_HIP_ARGS_SIZE = 4096 };
typedef void (*rtr_hip_args_t)(void *args, const rocprofiler_hip_api_args_t *from, bool values);
extern const rtr_hip_args_t rtr_hip_runtime_args[], rtr_hip_compiler_args[];
extern const uint32_t rtr_hip_runtime_count, rtr_hip_compiler_count;

#endif
