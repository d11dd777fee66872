/* again.c - HSA is shut down with contexts open, and started again: what was of the first life is
 * refused, closing it harms nothing, new contexts count.
 *
 * Linked to the library, or loaded by HSA as well. Who is linked asks the library for something
 * while HSA is down; otherwise only another GPU handle would tell of the new life. */
#include "linked.h"

#include <stdio.h>

static hsa_agent_t gpu;

int main(void)
{
    rocprofiler_feature_t f = {.name = "GRBM_COUNT"};
    rocprofiler_properties_t properties = {.queue_depth = 64};
    rocprofiler_pool_properties_t two = {.num_entries = 2};
    rocprofiler_t *idle = NULL, *running = NULL, *context = NULL;
    rocprofiler_pool_t *pool = NULL;
    rocprofiler_pool_entry_t entry;
    if (!freopen("/dev/null", "w", stderr)) return 1; /* HSA tells there of what was left */
    if (hsa_init()) return 1;
    hsa_iterate_agents(take_gpu, &gpu);
    SHOW(rocprofiler_open(gpu, &f, 1, &idle, 0, NULL));
    SHOW(rocprofiler_open(gpu, &f, 1, &running, 3, &properties));
    SHOW(rocprofiler_start(running, 0));
    SHOW(rocprofiler_pool_open(gpu, &f, 1, &pool, 0, &two));
    hsa_shut_down();

    puts("-- shut down");
    show(rocprofiler_open(gpu, &f, 1, &context, 0, NULL) == HSA_STATUS_ERROR_NOT_INITIALIZED
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR,
         "another context is refused");
    SHOW(rocprofiler_stop(running, 0));
    SHOW(rocprofiler_close(idle));

    puts("-- started again");
    if (hsa_init()) return 1;
    hsa_iterate_agents(take_gpu, &gpu);
    SHOW(rocprofiler_read(running, 0));
    SHOW(rocprofiler_get_data(running, 0));
    SHOW(rocprofiler_pool_fetch(pool, &entry));
    SHOW(rocprofiler_get_data(entry.context, 0));
    SHOW(rocprofiler_open(gpu, &f, 1, &context, 3, &properties));
    SHOW(rocprofiler_start(context, 0));
    SHOW(rocprofiler_close(running));
    SHOW(rocprofiler_pool_close(pool));
    SHOW(rocprofiler_stop(context, 0));
    SHOW(rocprofiler_get_data(context, 0));
    printf("%s\n", f.data.result_int64 ? "counted" : "nothing");
    SHOW(rocprofiler_close(context));
    hsa_shut_down();
    return 0;
}
