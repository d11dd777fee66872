/* service.h - the functions of the core that a tracing service uses, in one place.
 *
 * A service reads the plan of an operation. If there is one, it keeps an sdk_operation_t from the
 * operation's begin to its end and passes callbacks and records to the core. All functions may be
 * called from any thread, and none takes a lock unless it says so. */
#ifndef CROCPROF_SDK_SERVICE_H
#define CROCPROF_SDK_SERVICE_H

#include "sdk/core/domain.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct sdk_context sdk_context_t;
typedef struct sdk_buffer sdk_buffer_t;

enum {
    SDK_CONTEXTS_MAX = 64, /* contexts of a process: one bit for each in masks */
    SDK_BUFFERS_MAX = 64,  /* buffers of a process: likewise */
    SDK_SERVICES_MAX = 16, /* contexts that can follow one operation by callback, or by buffer */
};

/* ---- Plans: which contexts follow an operation
 * ---------------------------------------------------------
 *
 * A plan is immutable and never freed. It is published when a context starts or stops. A thread
 * that has loaded a plan may use it until the operation ends, however long that takes. */

typedef struct {
    sdk_context_t *context;
    rocprofiler_callback_tracing_cb_t callback;
    void *data;
} sdk_callback_service_t;

typedef struct {
    sdk_context_t *context;
    sdk_buffer_t *buffer;
    uint32_t kind;     /* rocprofiler_buffer_tracing_kind_t */
    bool with_payload; /* an EXT kind: the record includes arguments and result */
} sdk_buffer_service_t;

typedef struct sdk_plan {
    int32_t operation;
    uint32_t callback_kind;
    uint16_t domain;
    uint16_t callback_count, buffer_count;
    bool needs_payload; /* it has callbacks, or a buffer of an EXT kind */
    bool requests;      /* a context wants to supply the external ids, see external.c */
    bool one_direct;    /* its only follower is one direct buffer, which needs no payload */
    uint32_t request_kind;
    sdk_callback_service_t *callbacks;
    sdk_buffer_service_t *buffers;
    /* The sets of contexts that identify the plan, by bit. `next` is another plan of the
     * operation. */
    uint64_t callback_contexts, buffer_contexts, ext_contexts;
    struct sdk_plan *next;
} sdk_plan_t;

extern _Atomic(const sdk_plan_t *) sdk_plans[SDK_PLAN_SLOTS];

/* Returns the plan of an operation; NULL if no running context follows it. Costs one load. */
static inline const sdk_plan_t *sdk_plan(sdk_domain_t domain, int32_t operation)
{
    return atomic_load_explicit(&sdk_plans[sdk_domains[domain].base + (uint32_t)operation],
                                memory_order_acquire);
}

/* Returns whether a running context follows some operation of the domain. Costs one load for each
 * operation. */
static inline bool sdk_domain_followed(sdk_domain_t domain)
{
    for (uint32_t i = 0; i < sdk_domains[domain].operations; i++)
        if (sdk_plan(domain, (int32_t)i)) return true;
    return false;
}

/* Returns whether any context has a service of the domain, running or not, or a tool may be
 * attached later. The answer is fixed once initialisation is over, so it is known when a runtime
 * registers: services that are not configured need no hooks. */
bool sdk_domain_configured(sdk_domain_t domain);
bool sdk_operation_configured(sdk_domain_t domain, int32_t operation);

/* The same as sdk_domain_configured(), for services with a buffer only. */
bool sdk_domain_buffered(sdk_domain_t domain);

/* Returns whether any context that exists now has a service of the domain. */
bool sdk_domain_asked_for(sdk_domain_t domain);

/* ---- Operations that have begun
 * ---------------------------------------------------------------------
 *
 * A service keeps the structure from the operation's begin to its end, on a stack or in its own
 * memory. It may pass it to another thread, with a release and acquire of its own. Correlation id,
 * external ids and thread id are those of the thread that begins the operation. */

typedef struct {
    const sdk_plan_t *plan;
    uint64_t internal, ancestor, thread_id;
    rocprofiler_user_data_t user[SDK_SERVICES_MAX]; /* for each callback service */
    rocprofiler_user_data_t callback_external[SDK_SERVICES_MAX];
    rocprofiler_user_data_t buffer_external[SDK_SERVICES_MAX];
} sdk_operation_t;

/* Begins an operation. It gets the correlation id of the traced call that the thread is in, or a
 * new one outside of calls; user data is zero. Contexts that supply external ids are asked for
 * theirs. `plan` may be NULL: then the operation does nothing. */
void sdk_operation_begin(sdk_operation_t *operation, const sdk_plan_t *plan);

/* The same for operations that do not belong to a call: the correlation id is 0, no context is
 * asked. */
void sdk_operation_begin_apart(sdk_operation_t *operation, const sdk_plan_t *plan);

/* The same for a second operation of the same work (COMPLETE after ENQUEUE): correlation id and
 * thread, and the user data of contexts in both plans, are copied from `from`. */
void sdk_operation_follow(sdk_operation_t *operation, const sdk_plan_t *plan,
                          const sdk_operation_t *from);

/* Calls the callbacks, which is tool code: the caller must hold no lock. Contexts whose tool is
 * finalised are skipped. The payload's first member is its size. */
void sdk_operation_callback(sdk_operation_t *operation, rocprofiler_callback_phase_t phase,
                            void *payload);

/* To be called if there is no memory for an operation: it is counted as dropped in every buffer of
 * the plan, and logged once. May be called from any thread. */
void sdk_operation_lost(const sdk_plan_t *plan);

/* Writes the record to every buffer of the plan. `record` is complete except for its kind (at
 * offset 8, set here) and *external (which lies in the record, set here for each buffer). With a
 * buffer of policy LOSSLESS this may run tool code (delivery): the caller must hold no lock. */
void sdk_operation_record(const sdk_operation_t *operation, void *record, size_t size,
                          rocprofiler_user_data_t *external);

/* ---- The end of correlation ids: retirement.c ---------------------------------------------------
 *
 * A service whose work outlasts the call takes a reference to the id after the operation's begin,
 * on the same thread. It releases the reference on any thread, when the work's last record is
 * written. `end` is the end time in that record, 0 if there was none: the time of retirement is
 * made later than `end`, because the GPU's clock may be slightly ahead. A reference costs one load
 * if no context follows retirement. */

typedef struct sdk_reference sdk_reference_t;

/* Returns the argument for sdk_retirement_release(); NULL if there is nothing to release. */
sdk_reference_t *sdk_retirement_hold(const sdk_operation_t *operation);
void sdk_retirement_release(sdk_reference_t *reference, uint64_t end);

/* ---- Correlation ids, threads, time -------------------------------------------------------------
 */

/* Returns a new internal id: unique in the process, never 0. */
uint64_t sdk_correlation_new(void);

/* Kernel thread id of the caller. */
uint64_t sdk_thread_id(void);

/* Returns the time in ns of CLOCK_BOOTTIME, by the clock that is used for records. */
uint64_t sdk_now(void);

/* Converts a raw stamp of sdk_clock_raw() (core/clock.h) to ns of CLOCK_BOOTTIME. */
uint64_t sdk_clock_ns(uint64_t raw);

/* ---- Records of other kinds --------------------------------------------------------------------
 *
 * Copies one record of any category to one buffer. Returns false if it is dropped and counted. */
bool sdk_buffer_emit(sdk_buffer_t *buffer, uint32_t category, uint32_t kind, const void *record,
                     size_t size);

/* ---- The state of the library ---- */

/* Returns true if a tool may be attached while the program runs: then all hooks are installed when
 * a runtime starts. */
bool sdk_attachable(void);

/* True from the moment finalisation of all tools begins, and in the child of a fork. */
bool sdk_finalizing(void);

/* The same, and also while a single tool is being finalised. */
bool sdk_finalization_begun(void);

#endif
