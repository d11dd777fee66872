/* service.h - counting as the rest of the library sees it: contexts, dispatches, start and end of
 * HSA. */
#ifndef CROCPROF_SDK_COUNTERS_SERVICE_H
#define CROCPROF_SDK_COUNTERS_SERVICE_H

#include "hsa/queues.h"
#include "sdk/core/service.h"

/* ---- Dispatches: dispatch.c ---- */

struct sdk_dispatch_service;
struct sdk_block;

/* The running context's service of dispatch counting; NULL if there is none. */
extern _Atomic(const struct sdk_dispatch_service *) sdk_dispatch_service;

static inline const struct sdk_dispatch_service *sdk_counting_dispatches(void)
{
    return atomic_load_explicit(&sdk_dispatch_service, memory_order_acquire);
}

/* Is there a context that counts dispatches (or devices), running or not? See
 * sdk_domain_configured(). */
bool sdk_counting_dispatches_configured(void);
bool sdk_counting_devices_configured(void);
/* Is there a context whose dispatches are run several times? */
bool sdk_counting_replays_configured(void);

/* Asks the tool whether to count the dispatch; if so, sets item->wrap. `operation` is the
 * dispatch's and has begun. NULL: it is not counted. */
struct sdk_block *sdk_counting_begin(const struct sdk_dispatch_service *service, hsax_item_t *item,
                                     const rocprofiler_kernel_dispatch_info_t *info,
                                     const sdk_operation_t *operation);

/* The context's external id for a dispatch that has begun. */
uint64_t sdk_counting_external(const sdk_context_t *context, const sdk_operation_t *operation);

/* The plan for dispatches that nobody follows but that are counted: gives them correlation ids. */
extern const sdk_plan_t sdk_counting_plan;

/* The dispatch is complete: passes the values to the tool. Or its completion will never be seen. */
void sdk_counting_complete(struct sdk_block *block, uint64_t start_ns, uint64_t end_ns);
void sdk_counting_lost(struct sdk_block *block);
uint64_t sdk_counting_lost_count(void);

/* ---- HSA: service.c; what contexts call is in core/service.h ---- */

/* HSA has started and can be called: begins for contexts that were started before. */
void sdk_counting_hsa_up(void);
/* HSA shuts down; all work has been reported. */
void sdk_counting_hsa_down(void);

#endif
