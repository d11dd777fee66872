/* gpu.c - installs the services that watch the GPU, waits for them and removes them.
 *
 * Implements the functions that the core declares for services (core/service.h). If no context is
 * configured for a service, nothing is put into the runtime's table. */
#include "sdk/gpu/gpu.h"

#include "base/env.h"
#include "base/log.h"
#include "hsa/code_objects.h"
#include "hsa/counted.h"
#include "hsa/collect.h"
#include "hsa/copies.h"
#include "hsa/queues.h"
#include "hsa/replay.h"
#include "hsa/runtime.h"
#include "sdk/core/service.h"
#include "sdk/counters/service.h"
#include "sdk/pc_sampling/sampling.h"
#include "sdk/thread_trace/trace.h"

/* At the end: how long after a completion to wait for the next one. */
#define PATIENCE_MS 1000

/* In a flush: how long to wait for the report of completed work. A tool that flushes while it holds
 * a lock for which its own callback waits is delayed by this time. Less than the time that
 * rocprofv3 allows for its last records. */
#define LOOK_MS 200

static bool configured(sdk_domain_t domain)
{
    return sdk_domain_configured(domain);
}

/* The runtime is shutting down. */
static void down(void)
{
    sdk_counting_hsa_down();
    hsax_replay_shut_down();
    hsax_code_objects_finish();
}

void sdk_gpu_install(void *data, uint64_t version, uint64_t instance)
{
    (void)version;
    (void)instance;
    const hsax_api_table_t *table = data;
    bool counting = sdk_counting_dispatches_configured();
    bool traces = sdk_trace_dispatches_configured();
    bool devices = sdk_counting_devices_configured() || sdk_trace_devices_configured();
    bool samples = sdk_pcs_configured();
    bool dispatches = configured(SDK_DOMAIN_KERNEL_DISPATCH) || counting || traces || samples ||
                      configured(SDK_DOMAIN_HIP_EVENT) || sdk_domain_buffered(SDK_DOMAIN_HIP_GRAPH);
    bool copies = configured(SDK_DOMAIN_MEMORY_COPY);
    bool code = configured(SDK_DOMAIN_CODE_OBJECT);
    bool allocations = configured(SDK_DOMAIN_MEMORY_ALLOCATION);
    bool scratch = configured(SDK_DOMAIN_SCRATCH_MEMORY);
    if (!dispatches && !copies && !code && !allocations && !scratch && !devices) return;
    static const hsax_api_table_t *first;
    if (first && first != table && hsax_runtime_up()) {
        base_warning("a second HSA runtime in the process: its calls are traced, but not its "
                     "kernels, copies and memory");
        return;
    }
    first = table;
    if (!hsax_runtime_start(table, down)) return;
    if (sdk_counting_replays_configured()) hsax_replay_hook(table);
    if (dispatches || code || sdk_trace_devices_configured()) sdk_code_object_hook(table);
    if (dispatches) sdk_kernel_dispatch_hook(table);
    if (devices) hsax_counted_hook(table);
    if (copies) sdk_memory_copy_hook(table);
    if (allocations) sdk_memory_allocation_hook(table);
    if (scratch) sdk_scratch_memory_hook(table);
    if (counting || devices || traces || samples) sdk_counting_hsa_up();
}

void sdk_gpu_wait(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_collect_wait(PATIENCE_MS);
}

void sdk_gpu_look(void)
{
    if (!hsax_runtime_up() || hsax_forked()) return;
    hsax_collect_look(LOOK_MS);
    sdk_pcs_flush();
}

void sdk_gpu_tell_loaded(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_code_objects_tell(true);
}

void sdk_gpu_tell_unloaded(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_code_objects_tell(false);
}

void sdk_gpu_finalize(void)
{
    if (hsax_forked()) return;
    uint64_t lost = hsax_runtime_up() ? hsax_collect_finish(PATIENCE_MS) : 0;
    if (sdk_counting_lost_count())
        base_warning("%llu dispatches that were to be counted did not finish: no values of them",
                     (unsigned long long)sdk_counting_lost_count());
    if (!hsax_runtime_up()) return;
    uint64_t missed = hsax_queues_missed() + hsax_copies_missed();
    if (lost)
        base_warning("%llu kernels or copies had not finished at the end: not recorded",
                     (unsigned long long)lost);
    if (missed)
        base_warning("%llu kernels or copies were not recorded", (unsigned long long)missed);
    hsax_code_objects_finish();
}
