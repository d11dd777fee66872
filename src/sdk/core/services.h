/* services.h - what a service supplies to the core: a row of the library's table of services.
 *
 * The core knows no service by name. It calls the functions in the rows of sdk_services, which the
 * room above all services defines (library/services.c). A member that is NULL does nothing.
 * src/sdk/README.md describes how the rooms of src/sdk depend on each other. */
#ifndef CROCPROF_SDK_SERVICES_H
#define CROCPROF_SDK_SERVICES_H

#include "sdk/core/thread.h"

#include <rocprofiler-sdk/intercept_table.h>

/* Moments in the life of the library. Unless a comment says otherwise, functions are called without
 * a lock, and may run tool code. */
typedef enum {
    /* Tools have been initialised, or one has been attached: it is known which services their
     * contexts have. Occurs again for each tool that is attached. */
    SDK_AT_BEGIN,
    /* A context has started or stopped, and the plans are published. */
    SDK_AT_CONTEXTS,
    /* A context is about to stop: operations that have completed until now become records. The
     * service waits a bounded time. */
    SDK_AT_STOP,
    /* A tool flushes a buffer: operations that have completed become records. The service waits a
     * bounded time. */
    SDK_AT_LOOK,
    /* Contexts are stopped and tools are about to be finalised or detached: work that has begun is
     * completed and reported. The service waits a bounded time. */
    SDK_AT_WAIT,
    /* A tool detaches, and its contexts are stopped: the service reports the end of what stays
     * loaded, code objects for example. */
    SDK_AT_DETACH,
    /* All tools are about to be finalised, and contexts still run: the service makes its last
     * reports and removes its hooks. */
    SDK_AT_FINISH,
    /* All tools are finalised: the service ends its threads. */
    SDK_AT_END,
    /* In the child of a fork: the service forgets threads and work of the parent. It must not
     * wait. */
    SDK_AT_FORK,
    SDK_MOMENTS
} sdk_moment_t;

/* A table of a runtime that the service changes. */
typedef struct {
    rocprofiler_intercept_table_t table;
    void (*install)(void *table);
} sdk_table_hook_t;

typedef struct {
    void (*at[SDK_MOMENTS])(void);
    /* `inside` is called before the wrappers of API tracing are put into the table, so that these
     * call the service's functions; `around` is called afterwards, so that the service's functions
     * call the wrappers. */
    sdk_table_hook_t inside, around;
    /* True if the service cannot report the domain (sdk_domain_t), since the driver is too old. */
    bool (*refuses)(int domain);
    /* True if the context must not run at the same time as `other`, which is active. Called under
     * the contexts' lock. */
    bool (*conflicts)(const sdk_context_t *context, const sdk_context_t *other);
    /* The context has started, after SDK_AT_CONTEXTS. If the result is not SUCCESS, the context is
     * stopped again, and the services of later rows are not called. */
    rocprofiler_status_t (*started)(sdk_context_t *context);
    /* The thread ends, or did not survive a fork: the service frees the data that it keeps for the
     * thread. */
    void (*thread_ends)(sdk_thread_t *self);
    /* How the service takes part in the work of GPUs (gpu/gpu.h). */
    const struct sdk_gpu_part *gpu;
} sdk_service_t;

/* Defines a service's row: SDK_SERVICE(name) = {...}; */
#define SDK_SERVICE(name)                                                                          \
    extern const sdk_service_t sdk_##name##_service;                                               \
    const sdk_service_t sdk_##name##_service

/* All services, in the order in which they are called; NULL ends the list. */
extern const sdk_service_t *const sdk_services[];

#define SDK_EACH_SERVICE(service)                                                                  \
    for (const sdk_service_t *const *service = sdk_services; *service; service++)

void sdk_services_at(sdk_moment_t moment);
void sdk_services_thread_ends(sdk_thread_t *self);
bool sdk_services_refuse(int domain);
bool sdk_services_conflict(const sdk_context_t *context, const sdk_context_t *other);
rocprofiler_status_t sdk_services_started(sdk_context_t *context);

#endif
