/* gpu.c - installs the hooks in HSA that services need, waits for the GPU's work, and removes the
 * hooks.
 *
 * It is apart because src/hsa prescribes the order of the hooks, whichever services need them. If
 * no context is configured for a service of the GPU, nothing is put into the runtime's table. */
#include "sdk/gpu/gpu.h"

#include "base/log.h"
#include "hsa/collect.h"
#include "hsa/copies.h"
#include "hsa/counted.h"
#include "hsa/owner.h"
#include "hsa/queues.h"
#include "hsa/replay.h"
#include "hsa/runtime.h"
#include "sdk/core/services.h"
#include "sdk/gpu/dispatch.h"

/* How long to wait, at the end, from one completion to the next. */
#define PATIENCE_MS 1000

/* In a flush: how long to wait for the report of completed work. A tool that flushes while it holds
 * a lock for which its own callback waits is delayed by this time. It is less than the time that
 * rocprofv3 allows for its last records. */
#define LOOK_MS 200

#define EACH_PART(part)                                                                            \
    SDK_EACH_SERVICE (s)                                                                           \
        for (const sdk_gpu_part_t *part = (*s)->gpu; part; part = NULL)

static unsigned all_needs(void)
{
    unsigned needs = 0;
    EACH_PART (part)
        if (part->needs) needs |= part->needs();
    return needs & SDK_GPU_DISPATCHES ? needs | SDK_GPU_CODE_OBJECTS : needs;
}

/* Calls the parts' functions in reverse order of the rows. */
static void parts_down(const sdk_service_t *const *s)
{
    if (!*s) return;
    parts_down(s + 1);
    if ((*s)->gpu && (*s)->gpu->down) (*s)->gpu->down();
}

/* Called when the runtime is shutting down. */
static void down(void)
{
    parts_down(sdk_services);
    sdk_gpu_next_life();
    hsax_owner_release_all(HSAX_OWNER_SDK);
    hsax_replay_shut_down();
    hsax_code_objects_finish();
}

static void find_probes(void)
{
    EACH_PART (part) {
        if (part->probe) sdk_probes[part->probe->place] = part->probe;
        if (part->barriers) sdk_barriers = part->barriers;
    }
}

static void install(void *data)
{
    static const hsax_api_table_t *first;
    const hsax_api_table_t *table = data;
    const unsigned needs = all_needs();
    if (!needs) return;
    if (first && first != table && hsax_runtime_up()) {
        base_warning("a second HSA runtime in the process: its calls are traced, but not its "
                     "kernels, copies and memory");
        return;
    }
    first = table;
    if (!hsax_runtime_start(table, down)) return;
    find_probes();
    /* called before the hooks of all others */
    if (needs & SDK_GPU_REPLAYS) hsax_replay_hook(table);
    EACH_PART (part)
        if (part->serves & needs) part->hook(table, needs);
    /* called after all hooks that make queues */
    if (needs & SDK_GPU_DEVICES) hsax_counted_hook(table);
    sdk_gpu_next_life();
    EACH_PART (part)
        if (part->up) part->up();
}

static void wait_for_all(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_collect_wait(PATIENCE_MS);
}

static void look(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_collect_look(LOOK_MS);
}

void sdk_gpu_code_object(const hsax_code_object_t *object, bool unload)
{
    EACH_PART (part)
        if (part->code_object) part->code_object(object, unload);
}

static void finish(void)
{
    if (hsax_forked()) return;
    uint64_t lost = hsax_runtime_up() ? hsax_collect_finish(PATIENCE_MS) : 0;
    sdk_probes_tell_lost();
    if (!hsax_runtime_up()) return;
    uint64_t missed = hsax_queues_missed() + hsax_copies_missed();
    if (lost)
        base_warning("%llu kernels or copies had not finished at the end: not recorded",
                     (unsigned long long)lost);
    if (missed)
        base_warning("%llu kernels or copies were not recorded", (unsigned long long)missed);
    hsax_code_objects_finish();
}

SDK_SERVICE(gpu) = {
    .at = {[SDK_AT_LOOK] = look, [SDK_AT_WAIT] = wait_for_all, [SDK_AT_FINISH] = finish},
    .inside = {ROCPROFILER_HSA_TABLE, install},
    .conflicts = sdk_gpu_contexts_conflict};
