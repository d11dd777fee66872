/* services.h - what a service gives the core: a row of the library's table of services.
 *
 * The core knows no service by name. What it has to tell services, and what it has to ask them, it
 * tells and asks row by row: sdk_services is made by the room above all services
 * (library/services.c). A member that is NULL does nothing. How the rooms of src/sdk hang together
 * is told in src/sdk/README.md. */
#ifndef CROCPROF_SDK_SERVICES_H
#define CROCPROF_SDK_SERVICES_H

#include "sdk/core/thread.h"

#include <rocprofiler-sdk/intercept_table.h>

/* Moments in the life of the library. Unless a comment says otherwise, functions are called without
 * a lock, and may run tool code. */
typedef enum {
    /* Tools have been initialised, or one has been attached: what their contexts ask for is known.
     * Comes again for each tool that is attached. */
    SDK_AT_BEGIN,
    /* A context has started or stopped, and plans are published. */
    SDK_AT_CONTEXTS,
    /* A context is about to stop: what was seen until now becomes records. Waits a bounded time. */
    SDK_AT_STOP,
    /* A tool flushes a buffer: what is complete becomes records. Waits a bounded time. */
    SDK_AT_LOOK,
    /* Contexts are stopped and tools are about to be finalised or detached: work that has begun is
     * completed and reported. Waits a bounded time. */
    SDK_AT_WAIT,
    /* A tool detaches, and its contexts are stopped: it is told of the end of what stays. */
    SDK_AT_DETACH,
    /* All tools are about to be finalised, and contexts still run: last reports, hooks go. */
    SDK_AT_FINISH,
    /* All tools are finalised: threads end. */
    SDK_AT_END,
    /* In the child of a fork: threads and work of the parent are forgotten. Must not wait. */
    SDK_AT_FORK,
    SDK_MOMENTS
} sdk_moment_t;

/* A runtime's table that the service changes. */
typedef struct {
    rocprofiler_intercept_table_t table;
    void (*install)(void *table);
} sdk_table_hook_t;

typedef struct {
    void (*at[SDK_MOMENTS])(void);
    /* Called before the wrappers of API tracing are put into the table: the service's functions are
     * inside these. Or afterwards: then they are around these. */
    sdk_table_hook_t inside, around;
    /* True if the service cannot report the domain (sdk_domain_t), since the driver is too old. */
    bool (*refuses)(int domain);
    /* True if the context must not run at the same time as `other`, which is active. Called under
     * the contexts' lock. */
    bool (*conflicts)(const sdk_context_t *context, const sdk_context_t *other);
    /* The context has started, after SDK_AT_CONTEXTS. If the result is not SUCCESS, the context is
     * stopped again, and services of later rows are not asked. */
    rocprofiler_status_t (*started)(sdk_context_t *context);
    /* The thread ends, or did not survive a fork: frees what the service keeps for it. */
    void (*thread_ends)(sdk_thread_t *self);
    /* What the service does to the work of GPUs (gpu/gpu.h). */
    const struct sdk_gpu_part *gpu;
} sdk_service_t;

/* Defines a service's row: SDK_SERVICE(name) = {...}; */
#define SDK_SERVICE(name)                                                                          \
    extern const sdk_service_t sdk_##name##_service;                                               \
    const sdk_service_t sdk_##name##_service

/* All services, in the order in which they are called; the last is followed by NULL. */
extern const sdk_service_t *const sdk_services[];

#define SDK_EACH_SERVICE(service)                                                                  \
    for (const sdk_service_t *const *service = sdk_services; *service; service++)

void sdk_services_at(sdk_moment_t moment);
void sdk_services_thread_ends(sdk_thread_t *self);
bool sdk_services_refuse(int domain);
bool sdk_services_conflict(const sdk_context_t *context, const sdk_context_t *other);
rocprofiler_status_t sdk_services_started(sdk_context_t *context);

#endif
