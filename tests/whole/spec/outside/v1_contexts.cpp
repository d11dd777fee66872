/* v1_contexts.cpp - sections 4.4 and 4.5: several groups, each collected in a run of its own, over a
 * queue that the program made; then metrics of all, by both forms of each call. */
#include "v1_common.h"
#include "work.h"

#include <ctime>

int main()
{
    hsa_agent_t agent = {};
    rocprofiler_t *context = NULL, *refused = NULL;
    rocprofiler_feature_t features[6] = {};
    static const char *const names[] = {"TCC_REQ",  "TCC_READ",      "TCC_WRITE",
                                        "TCC_MISS", "TCC_NORMAL_EVICT", "SQ_WAVES"};
    if (!fill_once()) return 1;
    hsa_iterate_agents(first_gpu, &agent);
    for (int i = 0; i < 6; i++) {
        features[i].type = ROCPROFILER_METRIC;
        features[i].name = names[i];
    }
    rocprofiler_properties_t properties = {};
    check_status(hsa_queue_create(agent, 128, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0,
                                  &properties.queue));
    std::printf("SINGLEGROUP %s\n",
                rocprofiler_open(agent, features, 6, &refused,
                                 ROCPROFILER_MODE_STANDALONE | ROCPROFILER_MODE_SINGLEGROUP,
                                 &properties)
                    ? "fails"
                    : "succeeds");
    check_status(rocprofiler_open(agent, features, 6, &context, ROCPROFILER_MODE_STANDALONE,
                                  &properties));
    uint32_t count = 0;
    check_status(rocprofiler_group_count(context, &count));
    std::printf("%u groups\n", count);
    for (uint32_t i = 0; i < count; i++) {
        rocprofiler_group_t group;
        check_status(rocprofiler_get_group(context, i, &group));
        std::printf("group %u of the context: %s, metrics before: %s\n", group.index,
                    group.context == context ? "yes" : "no",
                    rocprofiler_get_metrics(context) ? "refused" : "there");
        if (i == 0) {
            check_status(rocprofiler_start(context)); // the group's index may be left out in C++
            if (!fill_once()) return 1;
            check_status(rocprofiler_read(context));
            check_status(rocprofiler_get_data(context));
            check_status(rocprofiler_stop(context));
            check_status(rocprofiler_get_data(context));
        } else {
            check_status(rocprofiler_group_start(&group));
            if (!fill_once()) return 1;
            check_status(rocprofiler_group_read(&group));
            check_status(rocprofiler_group_get_data(&group));
            check_status(rocprofiler_group_stop(&group));
            check_status(rocprofiler_group_get_data(&group));
        }
    }
    check_status(rocprofiler_get_metrics(context));
    bool all = true;
    for (int i = 0; i < 6; i++) all = all && features[i].data.kind == ROCPROFILER_DATA_KIND_INT64;
    std::printf("data %s, %s\n", all ? "complete" : "missing",
                features[1].data.result_int64 + features[2].data.result_int64 <=
                        features[0].data.result_int64
                    ? "consistent"
                    : "inconsistent");
    print_results(features + 5, 1);
    check_status(rocprofiler_close(context));
    check_status(hsa_queue_destroy(properties.queue));

    // a profiling time, which is that of CLOCK_BOOTTIME in ns, on the monotonic clock
    timespec boot, monotonic;
    uint64_t value = 0;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    check_status(rocprofiler_get_time(ROCPROFILER_TIME_ID_CLOCK_MONOTONIC,
                                      uint64_t(boot.tv_sec) * 1000000000u + uint64_t(boot.tv_nsec),
                                      &value));
    double late = double(value) - (double(monotonic.tv_sec) * 1e9 + double(monotonic.tv_nsec));
    std::printf("time %s\n", late > -1e7 && late < 1e7 ? "right" : "wrong");
    return 0;
}
