/* dispatches.c - counts every kernel, and prints the results at the end (section 5.2). A tool:
 *
 *     HSA_TOOLS_LIB=librocprofiler64.so.1 ROCP_TOOL_LIB=libsample-v1-dispatches.so \
 *     ROCP_HSA_INTERCEPT=1 ROCP_METRICS=metrics.xml program */
#include "sample.h"

#include <pthread.h>

enum { FEATURES = 2, ENTRIES = 1000 };

typedef struct {
    char *kernel;
    rocprofiler_group_t group;
    rocprofiler_feature_t features[FEATURES];
} entry_t;

static entry_t entries[ENTRIES];
static unsigned entry_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data,
                                      void *user_data, rocprofiler_group_t *group)
{
    rocprofiler_t *context;
    (void)user_data;
    pthread_mutex_lock(&lock);
    entry_t *entry = entry_count < ENTRIES ? &entries[entry_count++] : NULL;
    pthread_mutex_unlock(&lock);
    if (!entry) return HSA_STATUS_SUCCESS; /* without a group: not counted */
    entry->features[0].type = ROCPROFILER_METRIC;
    entry->features[0].name = "SQ_WAVES";
    entry->features[1].type = ROCPROFILER_METRIC;
    entry->features[1].name = "VALU_PER_WAVE";
    hsa_status_t status = rocprofiler_open(callback_data->agent, entry->features, FEATURES,
                                           &context, ROCPROFILER_MODE_SINGLEGROUP, NULL);
    if (!check(status, "rocprofiler_open")) return status;
    status = rocprofiler_get_group(context, 0, group);
    entry->kernel = strdup(callback_data->kernel_name);
    entry->group = *group;
    return status;
}

void OnLoadTool(void)
{
    CHECK(rocprofiler_add_dispatch_callback(dispatch_callback, NULL));
}

void OnUnloadTool(void)
{
    CHECK(rocprofiler_remove_dispatch_callback());
    for (unsigned i = 0; i < entry_count; i++) {
        entry_t *entry = &entries[i];
        if (!entry->group.context) continue;
        if (CHECK(rocprofiler_group_get_data(&entry->group)) &&
            CHECK(rocprofiler_get_metrics(entry->group.context))) {
            printf("kernel %s\n", entry->kernel);
            print_results(entry->features, FEATURES);
        }
        CHECK(rocprofiler_close(entry->group.context));
        free(entry->kernel);
    }
    fflush(stdout);
}
