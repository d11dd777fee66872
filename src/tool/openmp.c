/* openmp.c - see openmp.h. */
#include "tool/openmp.h"

#include <stdint.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "trace/settings.h"

#define BIT(name) (UINT64_C(1) << ROCPROFILER_OMPT_ID_##name)

static const struct {
    const char *name;
    uint64_t operations;
} groups[] = {
    {"all", 0},
    {"thread", BIT(thread_begin) | BIT(thread_end)},
    {"parallel", BIT(parallel_begin) | BIT(parallel_end) | BIT(work) | BIT(masked) | BIT(dispatch)},
    {"task", BIT(task_create) | BIT(task_schedule) | BIT(implicit_task) | BIT(dependences) |
                 BIT(task_dependence) | BIT(cancel)},
    {"sync", BIT(sync_region) | BIT(sync_region_wait) | BIT(reduction) | BIT(flush)},
    {"mutex", BIT(lock_init) | BIT(lock_destroy) | BIT(mutex_acquire) | BIT(mutex_acquired) |
                  BIT(mutex_released) | BIT(nest_lock)},
    {"target", BIT(target_emi) | BIT(target_data_op_emi) | BIT(target_submit_emi)},
    {"device", BIT(device_initialize) | BIT(device_finalize) | BIT(device_load)},
    {"error", BIT(error)},
};

enum { GROUPS = sizeof(groups) / sizeof(*groups) };

/* Returns the group that the word names, or -1. */
static int group_of(const char *word, size_t bytes)
{
    for (int i = 0; i < GROUPS; i++)
        if (strlen(groups[i].name) == bytes && strncmp(groups[i].name, word, bytes) == 0) return i;
    return -1;
}

size_t tool_openmp_operations(rocprofiler_tracing_operation_t *operations)
{
    const char *list = base_env(trace_settings[TRACE_SET_OMPT_TRACE].also);
    uint64_t wanted = 0;
    size_t count = 0;
    for (size_t bytes; list && *list; list += bytes + (list[bytes] == ',')) {
        bytes = strcspn(list, ",");
        int group = group_of(list, bytes);
        if (group == 0) return 0;
        if (group < 0)
            base_warning("%s: '%.*s' is no group", trace_settings[TRACE_SET_OMPT_TRACE].also,
                         (int)bytes, list);
        else
            wanted |= groups[group].operations;
    }
    for (int i = 0; i < ROCPROFILER_OMPT_ID_LAST; i++)
        if (wanted >> i & 1) operations[count++] = (rocprofiler_tracing_operation_t)i;
    return count;
}

/* OpenMP runtimes look this function up with a symbol version of their own. Only an unversioned
 * symbol matches any version, and the SDK's symbol has one. */
ROCPROFILER_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                             const char *runtime_version);
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
    return rocprofiler_ompt_start_tool(omp_version, runtime_version);
}
