/* internal.h - what the files of libroctracer64 share.
 *
 * state.c: what is enabled. pool.c: pools. tool.c: the tool of rocprofiler-sdk that this library
 * is, which everything comes from; hsa.c, events.c: what it tells of HSA. names.c: HIP's numbers of
 * its calls. obsolete.c: names of old. Nothing of the SDK but its public headers is used. */
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

enum { RTR_OPS = 1024 }; /* operations of a domain: HIP has about 500 calls */

/* Values of activity_record_t.kind for HIP_OPS: HIP's (OpenCL's) command types. */
enum {
    RTR_KIND_KERNEL = 0x11F0,
    RTR_KIND_DEVICE_TO_HOST = 0x11F3,
    RTR_KIND_HOST_TO_DEVICE = 0x11F4,
    RTR_KIND_DEVICE_TO_DEVICE = 0x11F5,
};

/* One operation of a domain. Written under the lock of state.c, read by anyone: callback last when
 * it is set, first when it is taken away. */
typedef struct {
    activity_rtapi_callback_t callback;
    void *arg;
    struct rtr_pool *pool;
} rtr_op_t;

typedef struct rtr_pool rtr_pool_t;

/* ---- state.c */

/* Operation of a domain that a callback or a pool may want; NULL if out of range. */
const rtr_op_t *rtr_operation(uint32_t domain, uint32_t op);

/* Sets the message of this thread, and returns status. */
roctracer_status_t rtr_error(roctracer_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The pool is about to be closed: no operation has it any more. */
void rtr_forget_pool(const rtr_pool_t *pool);

/* Has contexts run that somebody wants. Called when wishes change, and when there are contexts. */
void rtr_follow(void);

/* ---- pool.c */

/* NULL: the default pool. A pool is kept open while it is held. */
rtr_pool_t *rtr_hold(roctracer_pool_t *pool);
void rtr_release(rtr_pool_t *pool);

/* Adds a record; text, which may be NULL, is copied, and the record's last member set to the copy.
 */
void rtr_write(rtr_pool_t *pool, const activity_record_t *record, const char *text);

/* The id on top of the calling thread's stack; false if it is empty. */
bool rtr_external_id(activity_correlation_id_t *id);

/* ---- tool.c */

/* What is to be traced. */
typedef struct {
    bool calls;      /* HIP_API */
    bool hsa_calls;  /* HSA_API */
    bool events;     /* HSA_EVT */
    bool submits;    /* of it, kernels on their way to a queue */
    bool operations; /* HIP_OPS, HSA_OPS */
    bool marks;      /* ROCTX */
} rtr_wishes_t;

/* Starts and stops contexts; without effect before the SDK has initialised this tool. */
void rtr_apply(const rtr_wishes_t *wishes);

/* Name of a kernel by the SDK's id; never NULL. */
const char *rtr_kernel_name(uint64_t id);

/* Has the SDK deliver what is complete. */
void rtr_collect(void);

/* Now, on the clock of records. */
uint64_t rtr_now(void);

/* Makes what a callback gets out of the SDK's record of a call. recorded: the record's user data is
 * in use. */
typedef void (*rtr_fill_t)(void *data, const rocprofiler_callback_tracing_record_t *record,
                           rocprofiler_user_data_t *user_data, bool recorded);

/* Tells of one end of a call whoever wants to know: by callback, which gets what `fill` made at
 * `data`, and at the call's end by a record. */
void rtr_tell_call(uint32_t domain, uint32_t id,
                   const rocprofiler_callback_tracing_record_t *record,
                   rocprofiler_user_data_t *user_data, rtr_fill_t fill, void *data);

/* ---- hsa.c */

enum { RTR_HSA_KINDS = 3 };
extern const rocprofiler_callback_tracing_kind_t rtr_hsa_kinds[RTR_HSA_KINDS];
void rtr_on_hsa_call(rocprofiler_callback_tracing_record_t record,
                     rocprofiler_user_data_t *user_data, void *data);

/* Name of an operation of HSA_API, NULL if there is none; its number, -1 if there is none. */
const char *rtr_hsa_name(uint32_t id);
int rtr_hsa_id(const char *name);

/* ---- events.c */

/* The calling thread asks HSA something for this library: nobody is told of that call. */
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

/* HIP's number of an operation of the SDK, -1 if HIP has none. Any thread, no lock. */
int rtr_hip_id(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation);

/* Has the numbers at hand; false if HIP is not loaded. Calls HIP. */
bool rtr_hip_names(void);

/* Name of HIP's number, NULL if there is none. */
const char *rtr_hip_name(uint32_t id);

/* ---- generated: arguments, by the SDK's numbers of operations */

enum { RTR_HIP_ARGS_SIZE = 4096 };
typedef void (*rtr_hip_args_t)(void *args, const rocprofiler_hip_api_args_t *from, bool values);
extern const rtr_hip_args_t rtr_hip_runtime_args[], rtr_hip_compiler_args[];
extern const uint32_t rtr_hip_runtime_count, rtr_hip_compiler_count;

#endif
