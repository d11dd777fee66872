/* standalone.c - a program with queues of its own that samples its kernels, and one that has a
 * context for each of them without a tool library; usage: standalone KERNELS.co sample|dispatches
 *
 * Both do what the first generation's own test programs do, call by call: sixteen queues, the
 * counters' packets on one that kernels use too, times without a place for the answer; contexts
 * without features that the handler closes, with callbacks that go on and off. */
#include "linked.h"

#include <hsa/hsa_ven_amd_aqlprofile.h>

#include <stdatomic.h>
#include <sched.h>

enum { QUEUES = 16, GROUPS = 3, WAVES = 4 * GROUPS, RUNS = 3, TURNS = 4, KERNELS = 5 };

static hsa_agent_t gpu;
static uint64_t object;

static void set_up(const char *path, hsa_queue_t **queues, unsigned count)
{
    hsa_ven_amd_aqlprofile_pfn_t aqlprofile;
    MUST(hsa_init());
    MUST(hsa_iterate_agents(take_gpu, &gpu));
    MUST(hsa_system_get_extension_table(HSA_EXTENSION_AMD_AQLPROFILE, 1, 0, &aqlprofile));
    for (unsigned i = 0; i < count; i++)
        MUST(hsa_queue_create(gpu, 128, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                              &queues[i]));
    object = load_kernel(gpu, path);
}

/* ---- sampling ---- */

static rocprofiler_feature_t features[] = {{.name = "GRBM_COUNT"},    {.name = "GRBM_GUI_ACTIVE"},
                                           {.name = "GPU_UTIL"},      {.name = "SQ_WAVES"},
                                           {.name = "SQ_INSTS_VALU"}, {.name = "VALUBusy"}};
enum { FEATURES = sizeof features / sizeof *features };

static void show_features(void)
{
    for (unsigned i = 0; i < FEATURES; i++) {
        rocprofiler_data_kind_t kind = features[i].data.kind;
        printf(" %s %s", features[i].name,
               kind == ROCPROFILER_DATA_KIND_INT64    ? "INT64"
               : kind == ROCPROFILER_DATA_KIND_DOUBLE ? "DOUBLE"
                                                      : "?");
    }
    printf(", %lu waves\n", features[3].data.result_int64);
}

static void times(rocprofiler_time_id_t id)
{
    uint64_t value, error, now;
    MUST(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    MUST(rocprofiler_get_time(id, now, &value, &error));
    MUST(rocprofiler_get_time(id, now, &value, NULL));
    MUST(rocprofiler_get_time(id, now, NULL, &error));
    MUST(rocprofiler_get_time(id, now, NULL, NULL));
}

static void sample(const char *path)
{
    hsa_queue_t *queues[QUEUES];
    rocprofiler_t *context = NULL;
    set_up(path, queues, QUEUES);
    rocprofiler_properties_t properties = {.queue = queues[0]};
    MUST(rocprofiler_open(gpu, features, FEATURES, &context, ROCPROFILER_MODE_STANDALONE,
                          &properties));
    MUST(rocprofiler_start(context, 0));
    for (unsigned i = 0; i < RUNS; i++) {
        dispatch(queues[i % QUEUES], object, GROUPS);
        MUST(rocprofiler_read(context, 0));
        MUST(rocprofiler_get_data(context, 0));
        MUST(rocprofiler_get_metrics(context));
        show_features();
    }
    MUST(rocprofiler_stop(context, 0));
    MUST(rocprofiler_close(context));
    times(ROCPROFILER_TIME_ID_CLOCK_REALTIME);
    times(ROCPROFILER_TIME_ID_CLOCK_MONOTONIC);
}

/* ---- a context for each kernel ---- */

typedef struct {
    atomic_bool valid;
    rocprofiler_group_t group;
    rocprofiler_callback_data_t data;
} entry_t;

static atomic_uint opened, right;

static bool close_entry(rocprofiler_group_t group, void *arg)
{
    entry_t *entry = arg;
    while (!entry->valid)
        sched_yield();
    const rocprofiler_dispatch_record_t *r = entry->data.record;
    right += r && r->begin < r->end && group.context == entry->group.context &&
             !strcmp(entry->data.kernel_name, "wait_a_little");
    MUST(rocprofiler_close(entry->group.context));
    free(entry);
    return false;
}

static hsa_status_t open_entry(const rocprofiler_callback_data_t *data, void *user,
                               rocprofiler_group_t *group)
{
    (void)user;
    rocprofiler_t *context = NULL;
    entry_t *entry = calloc(1, sizeof *entry);
    must(entry, "memory");
    rocprofiler_properties_t properties = {.handler = close_entry, .handler_arg = entry};
    MUST(rocprofiler_open(data->agent, NULL, 0, &context, 0, &properties));
    MUST(rocprofiler_get_group(context, 0, group));
    entry->group = *group;
    entry->data = *data;
    opened++;
    entry->valid = true;
    return HSA_STATUS_SUCCESS;
}

static void dispatches(const char *path)
{
    hsa_queue_t *queue;
    MUST(rocprofiler_set_queue_callbacks((rocprofiler_queue_callbacks_t){.dispatch = open_entry},
                                         NULL));
    set_up(path, &queue, 1);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        MUST(turn % 2 ? rocprofiler_stop_queue_callbacks() : rocprofiler_start_queue_callbacks());
        for (unsigned i = 0; i < KERNELS; i++)
            dispatch(queue, object, GROUPS);
    }
    MUST(hsa_queue_destroy(queue));
    MUST(hsa_shut_down());
    printf("%u contexts opened, %u right\n", opened, right);
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    (strcmp(argv[2], "sample") ? dispatches : sample)(argv[1]);
    return 0;
}
