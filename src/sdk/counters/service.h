/* service.h - counting as the rest of the library sees it: contexts, dispatches, the life of HSA.
 */
#ifndef CROCPROF_SDK_COUNTERS_SERVICE_H
#define CROCPROF_SDK_COUNTERS_SERVICE_H

#include "hsa/queues.h"
#include "sdk/core/service.h"

/* ---- Dispatches: dispatch.c ---- */

struct sdk_dispatch_service;
struct sdk_block;

/* The running context that counts dispatches, NULL if there is none. */
extern _Atomic(const struct sdk_dispatch_service *) sdk_dispatch_service;

static inline const struct sdk_dispatch_service *sdk_counting_dispatches(void)
{
    return atomic_load_explicit(&sdk_dispatch_service, memory_order_acquire);
}

/* Is there a context that counts dispatches, running or not? As sdk_domain_configured(). */
bool sdk_counting_dispatches_configured(void);
bool sdk_counting_devices_configured(void);
/* Is there one that has dispatches run several times? */
bool sdk_counting_replays_configured(void);

/* Asks the tool whether it wants the dispatch to be counted; if so, sets item->wrap. `operation` is
 * the dispatch's, which has begun. NULL: it is not counted. */
struct sdk_block *sdk_counting_begin(const struct sdk_dispatch_service *service, hsax_item_t *item,
                                     const rocprofiler_kernel_dispatch_info_t *info,
                                     const sdk_operation_t *operation);

/* The context's own id for a dispatch that has begun. */
uint64_t sdk_counting_external(const sdk_context_t *context, const sdk_operation_t *operation);

/* A plan that carries the correlation of dispatches that are counted only. */
extern const sdk_plan_t sdk_counting_plan;

/* It is done: values to the tool. Or it will not be. */
void sdk_counting_complete(struct sdk_block *block, uint64_t start_ns, uint64_t end_ns);
void sdk_counting_lost(struct sdk_block *block);
uint64_t sdk_counting_lost_count(void);

/* ---- HSA: service.c; what contexts call is in core/service.h ---- */

/* The runtime's table has come and can be called: contexts that were started before begin. */
void sdk_counting_hsa_up(void);
/* It shuts down; all work has been reported. */
void sdk_counting_hsa_down(void);

#endif
