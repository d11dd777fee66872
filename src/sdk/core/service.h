/* service.h - what a tracing service needs of the core, in one place.
 *
 * A service asks for the plan of an operation, and if there is one, carries an sdk_operation_t
 * from the operation's begin to its end and hands callbacks and records over. Everything here may
 * be called from any thread; nothing here takes a lock unless it says so. */
#ifndef CROCPROF_SDK_SERVICE_H
#define CROCPROF_SDK_SERVICE_H

#include "sdk/core/domain.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct sdk_context sdk_context_t;
typedef struct sdk_buffer sdk_buffer_t;

enum {
    SDK_CONTEXTS_MAX = 64, /* contexts of a process: one bit each in masks */
    SDK_BUFFERS_MAX = 64,  /* buffers of a process: likewise */
    SDK_SERVICES_MAX = 16, /* contexts that may follow one operation by callback, or by buffer */
};

/* ---- Plans: who wants to know of an operation ------------------------------------------------
 *
 * A plan is immutable and never freed. It is published when a context starts or stops; who has
 * loaded one may use it until the operation ends, however long that takes. */

typedef struct {
    sdk_context_t *context;
    rocprofiler_callback_tracing_cb_t callback;
    void *data;
} sdk_callback_service_t;

typedef struct {
    sdk_context_t *context;
    sdk_buffer_t *buffer;
    uint32_t kind;     /* rocprofiler_buffer_tracing_kind_t */
    bool with_payload; /* an EXT kind: the record has arguments and result */
} sdk_buffer_service_t;

typedef struct sdk_plan {
    int32_t operation;
    uint32_t callback_kind;
    uint16_t domain;
    uint16_t callback_count, buffer_count;
    bool needs_payload; /* callbacks, or a buffer of an EXT kind */
    bool requests;      /* a context wants to be asked for the external id, see external.c */
    bool one_direct;    /* nobody follows but one direct buffer, without payload */
    uint32_t request_kind;
    sdk_callback_service_t *callbacks;
    sdk_buffer_service_t *buffers;
    /* identity: which contexts, by bit; next plan of the same operation */
    uint64_t callback_contexts, buffer_contexts, ext_contexts;
    struct sdk_plan *next;
} sdk_plan_t;

extern _Atomic(const sdk_plan_t *) sdk_plans[SDK_PLAN_SLOTS];

/* The plan of an operation, NULL if no running context follows it. One load. */
static inline const sdk_plan_t *sdk_plan(sdk_domain_t domain, int32_t operation)
{
    return atomic_load_explicit(&sdk_plans[sdk_domains[domain].base + (uint32_t)operation],
                                memory_order_acquire);
}

/* True if any context has a service of the domain, running or not. Fixed once initialisation is
 * over, so it is known when a runtime registers: what nobody configured needs no hook. */
bool sdk_domain_configured(sdk_domain_t domain);
bool sdk_operation_configured(sdk_domain_t domain, int32_t operation);

/* The same of services with a buffer alone. */
bool sdk_domain_buffered(sdk_domain_t domain);

/* The same of now: false for what only a tool may ask for that has not come yet. */
bool sdk_domain_asked_for(sdk_domain_t domain);

/* ---- Operations under way ---------------------------------------------------------------------
 *
 * Carried by the service from begin to end, on a stack or in its own storage, also to another
 * thread (hand over with a release/acquire pair of your own). Correlation, external ids and thread
 * are those of the thread that begins. */

typedef struct {
    const sdk_plan_t *plan;
    uint64_t internal, ancestor, thread_id;
    rocprofiler_user_data_t user[SDK_SERVICES_MAX]; /* per callback service */
    rocprofiler_user_data_t callback_external[SDK_SERVICES_MAX];
    rocprofiler_user_data_t buffer_external[SDK_SERVICES_MAX];
} sdk_operation_t;

/* Begins: correlation id of the traced call that the thread is in, or a new one if it is in none;
 * user data zero. Contexts that want to be asked for the external id are asked. `plan` may be NULL:
 * then the operation does nothing. */
void sdk_operation_begin(sdk_operation_t *operation, const sdk_plan_t *plan);

/* Like begin, for what is told besides the calls: its correlation id is 0, nobody is asked. */
void sdk_operation_begin_apart(sdk_operation_t *operation, const sdk_plan_t *plan);

/* Like begin, with correlation, thread and the user data of contexts that both plans share taken
 * from `from`: for a second operation of the same work (COMPLETE after ENQUEUE). */
void sdk_operation_follow(sdk_operation_t *operation, const sdk_plan_t *plan,
                          const sdk_operation_t *from);

/* Calls the callbacks. Runs tool code: hold no lock. Contexts whose tool is finalised are left out.
 * The payload's first member is its size. */
void sdk_operation_callback(sdk_operation_t *operation, rocprofiler_callback_phase_t phase,
                            void *payload);

/* An operation for which there is no memory: counted as dropped in every buffer of the plan, told
 * once. Any thread. */
void sdk_operation_lost(const sdk_plan_t *plan);

/* Writes the record to every buffer of the plan. `record` is complete except for its kind (at
 * offset 8, set here) and *external (which lies in the record, set here for each buffer). With
 * a buffer of policy LOSSLESS this may run tool code (delivery): hold no lock. */
void sdk_operation_record(const sdk_operation_t *operation, void *record, size_t size,
                          rocprofiler_user_data_t *external);

/* ---- The end of correlation ids: retirement.c ---------------------------------------------------
 *
 * A service whose work outlasts the call holds the id from its begin, on the same thread, and lets
 * go of it, anywhere, when its last record is written. `end` is that record's, 0 if there was none:
 * retirement is later, though the work's clock may be a little ahead. One load where nobody follows
 * that. */

typedef struct sdk_reference sdk_reference_t;

/* What to give to sdk_retirement_release, NULL if there is nothing to be released. */
sdk_reference_t *sdk_retirement_hold(const sdk_operation_t *operation);
void sdk_retirement_release(sdk_reference_t *reference, uint64_t end);

/* ---- Correlation ids, threads, time ------------------------------------------------------------
 */

/* Internal id of the innermost traced call that the thread is in, 0 if none. */
uint64_t sdk_correlation_current(void);

/* A new internal id: unique in the process, never 0. */
uint64_t sdk_correlation_new(void);

/* Kernel thread id of the caller. */
uint64_t sdk_thread_id(void);

/* ns of CLOCK_BOOTTIME, from the clock that stamps the records. */
uint64_t sdk_now(void);

/* Converts what sdk_clock_raw() gave (core/clock.h) to ns of CLOCK_BOOTTIME. */
uint64_t sdk_clock_ns(uint64_t raw);

/* ---- Records of other kinds --------------------------------------------------------------------
 *
 * One record of any category into one buffer, copied. False: dropped and counted. */
bool sdk_buffer_emit(sdk_buffer_t *buffer, uint32_t category, uint32_t kind, const void *record,
                     size_t size);

/* ---- Hooks that services define
 * ------------------------------------------------------------------
 *
 * Weak: a library built without the service works without it. */

/* The HSA table has come, the core has not changed it yet: save it, map agents, put in what queue
 * interception, copies and code objects need. `table` is an HsaApiTable. The wrappers of API
 * tracing are put on top of whatever stands in the table afterwards. */
void sdk_gpu_install(void *table, uint64_t version, uint64_t instance) __attribute__((weak));

/* The hip_compiler table has come (host kernel symbols). Same rules. */
void sdk_gpu_install_hip_compiler(void *table, uint64_t version, uint64_t instance)
    __attribute__((weak));

/* A context has started or stopped; plans are published. Under no lock. */
void sdk_gpu_contexts_changed(void) __attribute__((weak));

/* Counters: may the context not run beside the other, which is active? Under the contexts' lock. */
bool sdk_counting_conflict(const sdk_context_t *context, const sdk_context_t *other)
    __attribute__((weak));

/* Counters: the context has started, plans are published. Not SUCCESS: it is stopped again. Under
 * no lock; may run tool code. */
rocprofiler_status_t sdk_counting_context_started(sdk_context_t *context) __attribute__((weak));

/* Waits, for a bounded time, until kernels and copies that were begun have been reported. Called
 * before a tool is finalised and from rocprofiler_stop_context's finalisation path. */
void sdk_gpu_wait(void) __attribute__((weak));

/* Waits, for a bounded time, until kernels and copies that have completed have been reported. */
void sdk_gpu_look(void) __attribute__((weak));

/* A tool comes or goes while the program runs: tells those who follow code objects of all that are
 * loaded and that they have not been told of, or of the unload of all they know. */
void sdk_gpu_tell_loaded(void) __attribute__((weak));
void sdk_gpu_tell_unloaded(void) __attribute__((weak));

/* The library ends, contexts still run: report the unload of code objects, take hooks down. */
void sdk_gpu_finalize(void) __attribute__((weak));

/* In the child of a fork: forget threads and work of the parent. No library call may wait. */
void sdk_gpu_forked(void) __attribute__((weak));

/* ---- The driver's events: kfd/ ---- */

/* True if the domain is one of the driver's events and the driver that is there cannot tell of
 * them. Without a driver there are none, as there are no calls of a library that is not loaded. */
bool sdk_kfd_is_too_old(int domain) __attribute__((weak));

/* Begins to read them if a context has asked for any. Again: reads what is asked for now. */
void sdk_kfd_start(void) __attribute__((weak));

/* Waits, for a bounded time, until what the driver has told has become records. Under no lock. */
void sdk_kfd_look(void) __attribute__((weak));

void sdk_kfd_stop(void) __attribute__((weak));

/* In the child of a fork, which has no such reader. */
void sdk_kfd_forked(void) __attribute__((weak));

/* True if a tool may come while the program runs: then every hook is put in when a runtime starts.
 */
bool sdk_attachable(void);

/* True from the moment finalisation of all tools begins, and in the child of a fork. */
bool sdk_finalizing(void);

/* The same, and while one tool ends before the others. */
bool sdk_finalization_begun(void);

#endif
