/* handler.c - counts every kernel, and prints when its data is ready (section 5.3). A tool, used as
 * dispatches.c is. */
#include "sample.h"

typedef struct {
    char *kernel;
    rocprofiler_feature_t feature;
} entry_t;

static void completion_callback(profiler_group_t group, void *arg)
{
    entry_t *entry = arg;
    if (CHECK(rocprofiler_group_get_data(&group)) &&
        CHECK(rocprofiler_get_metrics(group.context))) {
        printf("kernel %s\n", entry->kernel);
        print_results(&entry->feature, 1);
        fflush(stdout);
    }
    CHECK(rocprofiler_close(group.context));
    free(entry->kernel);
    free(entry);
}

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data,
                                      void *user_data, rocprofiler_group_t *group)
{
    (void)user_data;
    rocprofiler_t *context;
    entry_t *entry = calloc(1, sizeof *entry);
    if (!entry) return HSA_STATUS_ERROR;
    entry->kernel = strdup(callback_data->kernel_name);
    entry->feature.kind = ROCPROFILER_FEATURE_KIND_METRIC;
    entry->feature.name = "SQ_WAVES";
    rocprofiler_properties_t properties = {0};
    properties.callback = completion_callback;
    properties.callback_arg = entry;
    hsa_status_t status = rocprofiler_open(callback_data->agent, &entry->feature, 1, &context,
                                           ROCPROFILER_MODE_SINGLEGROUP, &properties);
    if (!check(status, "rocprofiler_open")) return status;
    return rocprofiler_get_group(context, 0, group);
}

void OnLoadTool(void)
{
    CHECK(rocprofiler_add_dispatch_callback(dispatch_callback, NULL));
}

void OnUnloadTool(void)
{
    CHECK(rocprofiler_remove_dispatch_callback());
}
