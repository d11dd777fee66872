/* sampling.c - samples counters while kernels of the program run (section 5.5).
 *
 *     HSA_TOOLS_LIB=librocprofiler64.so.1 sampling KERNELS.co [SAMPLES]
 *
 * KERNELS.co has a kernel "wait_a_little". A thread launches it again and again; the counters are
 * read from a queue of their own. They see all kernels of the program: as HSA has loaded the
 * library, every queue's waves are counted. */
#include "sample.h"

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { GROUPS = 8, WAVES = 4 * GROUPS }; /* of 256 work-items */

static hipFunction_t kernel;
static atomic_bool enough;
static atomic_ulong launched;

static void *launch(void *unused)
{
    (void)unused;
    while (!enough) {
        if (hipModuleLaunchKernel(kernel, GROUPS, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL)) break;
        launched++;
        if (hipDeviceSynchronize()) break;
    }
    return NULL;
}

static hsa_status_t first_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *(hsa_agent_t *)data = agent;
    return HSA_STATUS_INFO_BREAK;
}

int main(int argc, char **argv)
{
    const unsigned sampling_count = argc > 2 ? (unsigned)atoi(argv[2]) : 5, feature_count = 2;
    hsa_agent_t agent = {0};
    hipModule_t module;
    pthread_t thread;
    rocprofiler_t *context = NULL;
    rocprofiler_feature_t feature[2] = {0};
    uint64_t last = 0;
    bool monotonic = true;

    if (argc < 2 || hipModuleLoad(&module, argv[1]) ||
        hipModuleGetFunction(&kernel, module, "wait_a_little")) {
        fprintf(stderr, "usage: sampling KERNELS.co [SAMPLES]\n");
        return 2;
    }
    /* Before its first launch HIP sets itself up, with work on the GPU that would be counted too.
     */
    if (hipModuleLaunchKernel(kernel, GROUPS, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL) ||
        hipDeviceSynchronize())
        return 1;
    hsa_iterate_agents(first_gpu, &agent);
    feature[0].kind = ROCPROFILER_FEATURE_KIND_METRIC;
    feature[0].name = "GPU_UTIL";
    feature[1].kind = ROCPROFILER_FEATURE_KIND_METRIC;
    feature[1].name = "SQ_WAVES";

    rocprofiler_properties_t properties = {0};
    properties.queue_depth = 128;
    if (!CHECK(rocprofiler_open(agent, feature, feature_count, &context,
                                ROCPROFILER_MODE_STANDALONE | ROCPROFILER_MODE_CREATEQUEUE |
                                    ROCPROFILER_MODE_SINGLEGROUP,
                                &properties)) ||
        !CHECK(rocprofiler_start(context, 0)))
        return 1;
    pthread_create(&thread, NULL, launch, NULL);
    for (unsigned i = 0; i < sampling_count; ++i) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if (!CHECK(rocprofiler_read(context, 0)) || !CHECK(rocprofiler_get_data(context, 0)) ||
            !CHECK(rocprofiler_get_metrics(context)))
            return 1;
        print_results(feature, feature_count);
        monotonic &= feature[1].data.result_int64 >= last;
        last = feature[1].data.result_int64;
    }
    enough = true;
    pthread_join(thread, NULL);
    if (!CHECK(rocprofiler_stop(context, 0)) || !CHECK(rocprofiler_get_data(context, 0))) return 1;
    uint64_t total = feature[1].data.result_int64, expected = launched * WAVES;
    printf("%s, total %s\n", monotonic && total >= last ? "monotonic" : "not monotonic",
           total == expected ? "right" : "wrong");
    if (total != expected) printf("%" PRIu64 " waves, %" PRIu64 " expected\n", total, expected);
    if (!CHECK(rocprofiler_close(context))) return 1;
    hsa_queue_destroy(properties.queue);
    return !(monotonic && total == expected);
}
