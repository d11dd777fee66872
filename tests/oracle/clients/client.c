/* client.c - librocprofiler64 used as performance libraries use it: found at run time, loaded by
 * HSA through a variable that the program sets itself, with habits of its own.
 *
 *     client sample|intercept LIBRARY KERNELS.co
 *
 * sample: contexts with queues, which the program destroys; intercept: a pool whose handler always
 * says false, features of the pool read in place of the group's, results wanted as soon as the GPU
 * was waited for, and an end without closing anything. Prints what it counted. */
#include <rocprofiler/rocprofiler.h>

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, WAVES = 4 * GROUPS, ROUNDS = 20, ENTRIES = 8, FEATURES = 2 };

#define FUNCTIONS(X)                                                                               \
    X(open)                                                                                        \
    X(close)                                                                                       \
    X(start)                                                                                       \
    X(read)                                                                                        \
    X(stop)                                                                                        \
    X(get_data)                                                                                    \
    X(get_metrics)                                                                                 \
    X(get_group)                                                                                   \
    X(group_get_data)                                                                              \
    X(pool_open)                                                                                   \
    X(pool_fetch)                                                                                  \
    X(set_queue_callbacks)                                                                         \
    X(start_queue_callbacks)                                                                       \
    X(stop_queue_callbacks)                                                                        \
    X(iterate_info)                                                                                \
    X(error_string)

/* names in parentheses: the header has macros for some of them */
#define POINTER(name) static __typeof__((rocprofiler_##name)) *name##_p;
FUNCTIONS(POINTER)

static hipFunction_t kernel;
static hsa_agent_t gpu;
static rocprofiler_feature_t *features;
static rocprofiler_pool_t *pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t told, waves;

static int failed(const char *what)
{
    const char *text = "";
    if (error_string_p) error_string_p(&text);
    printf("%s: %s\n", what, text);
    return 1;
}

static int launch(unsigned times)
{
    while (times--)
        if (hipModuleLaunchKernel(kernel, GROUPS, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL))
            return failed("launch");
    return hipDeviceSynchronize() ? failed("synchronise") : 0;
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    (void)data;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU) gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t count_metric(const rocprofiler_info_data_t info, void *data)
{
    unsigned *metrics = data;
    if (info.metric.name && info.metric.description && info.metric.instances) ++*metrics;
    return HSA_STATUS_SUCCESS;
}

static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    bool ok = library;
    if (!library) printf("%s\n", dlerror());
#define FIND(name)                                                                                 \
    if (ok) {                                                                                      \
        *(void **)&name##_p = dlsym(library, "rocprofiler_" #name);                                \
        ok = name##_p;                                                                             \
    }
    FUNCTIONS(FIND)
    return ok ? library : NULL;
}

static void want(const char *first, const char *second)
{
    features = calloc(FEATURES, sizeof *features);
    features[0].kind = features[1].kind = ROCPROFILER_FEATURE_KIND_METRIC;
    features[0].name = first;
    features[1].name = second;
}

/* ---- sampling ---- */

static int sample_once(unsigned round)
{
    rocprofiler_properties_t properties = {.queue_depth = 128};
    const uint32_t mode =
        ROCPROFILER_MODE_STANDALONE | ROCPROFILER_MODE_CREATEQUEUE | ROCPROFILER_MODE_SINGLEGROUP;
    rocprofiler_t *context = NULL;
    if (open_p(gpu, features, FEATURES, &context, mode, &properties)) return failed("open");
    if (start_p(context, 0) || launch(2)) return failed("start");
    if (read_p(context, 0) || get_data_p(context, 0) || get_metrics_p(context))
        return failed("read");
    uint64_t first = features[0].data.result_int64;
    if (launch(3) || stop_p(context, 0) || get_data_p(context, 0) || get_metrics_p(context))
        return failed("stop");
    uint64_t all = features[0].data.result_int64;
    if (close_p(context) || hsa_queue_destroy(properties.queue)) return failed("close");
    bool derived = features[1].data.kind == ROCPROFILER_DATA_KIND_DOUBLE;
    if (first == 2 * WAVES && all == 5 * WAVES && derived) return 0;
    printf("round %u: %" PRIu64 " and %" PRIu64 " waves\n", round, first, all);
    return 1;
}

static int sample(void)
{
    want("SQ_WAVES", "GPU_UTIL"); /* of all GPUs */
    for (unsigned i = 0; i < ROUNDS; i++)
        if (sample_once(i)) return 1;
    printf("%u times %u waves\n", ROUNDS, 5 * WAVES);
    return 0;
}

/* ---- interception ---- */

static hsa_status_t on_dispatch(const rocprofiler_callback_data_t *data, void *arg,
                                rocprofiler_group_t *group)
{
    rocprofiler_pool_entry_t entry;
    (void)data;
    (void)arg;
    if (pool_fetch_p(pool, &entry) || get_group_p(entry.context, 0, group)) return HSA_STATUS_ERROR;
    *(rocprofiler_group_t *)entry.payload = *group;
    return HSA_STATUS_SUCCESS;
}

static bool on_ready(const rocprofiler_pool_entry_t *entry, void *arg)
{
    const rocprofiler_feature_t *mine = arg;
    rocprofiler_group_t *group = entry->payload;
    pthread_mutex_lock(&lock);
    if (!group_get_data_p(group) && !get_metrics_p(group->context) &&
        mine[1].data.kind == ROCPROFILER_DATA_KIND_DOUBLE) {
        waves += mine[0].data.result_int64;
        told++;
    }
    pthread_mutex_unlock(&lock);
    return false;
}

static int intercept(void)
{
    rocprofiler_queue_callbacks_t callbacks = {.dispatch = on_dispatch};
    want("SQ_WAVES", "GPU_UTIL"); /* of all GPUs */
    rocprofiler_pool_properties_t properties = {.num_entries = ENTRIES,
                                                .payload_bytes = sizeof(rocprofiler_group_t),
                                                .handler = on_ready,
                                                .handler_arg = features};
    if (pool_open_p(gpu, features, FEATURES, &pool, 0, &properties)) return failed("pool");
    if (set_queue_callbacks_p(callbacks, NULL)) return failed("callbacks");
    for (unsigned i = 1; i <= ROUNDS; i++) {
        if (start_queue_callbacks_p() || launch(2)) return failed("start");
        pthread_mutex_lock(&lock);
        bool ok = told == 2 * i && waves == told * WAVES;
        pthread_mutex_unlock(&lock);
        if (!ok) {
            printf("round %u: %" PRIu64 " kernels, %" PRIu64 " waves\n", i, told, waves);
            return 1;
        }
        if (stop_queue_callbacks_p() || launch(1)) return failed("stop");
    }
    printf("%" PRIu64 " kernels, %" PRIu64 " waves\n", told, waves);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    bool sampling = !strcmp(argv[1], "sample");
    setenv("HSA_TOOLS_LIB", argv[2], 1);
    setenv("ROCP_HSA_INTERCEPT", sampling ? "0" : "1", 1);
    setenv("ROCP_TOOL_LIB", "", 0);
    void *library = load(argv[2]);
    hipModule_t module;
    unsigned metrics = 0;
    if (!library || hsa_init() || hsa_iterate_agents(find_gpu, NULL)) return failed("HSA");
    if (iterate_info_p(&gpu, ROCPROFILER_INFO_KIND_METRIC, count_metric, &metrics) || metrics < 400)
        return failed("metrics");
    if (hipModuleLoad(&module, argv[3]) || hipModuleGetFunction(&kernel, module, "wait_a_little") ||
        launch(1))
        return failed("HIP");
    int result = sampling ? sample() : intercept();
    hsa_shut_down();
    dlclose(library);
    free(features);
    return result;
}
