/* v1_metrics.cpp - sections 3 (version, errors), 4.3 (information) and 5.1 (querying metrics). */
#include "v1_common.h"

#include <cstring>

hsa_status_t info_data_callback(const rocprofiler_info_data_t info, void *data) {
    ++*static_cast<unsigned *>(data);
    switch (info.kind) {
        case ROCPROFILER_INFO_KIND_METRIC: {
            if (std::strncmp(info.metric.name, "L1_", 3) != 0 &&
                std::strcmp(info.metric.name, "DRAM_BANDWIDTH") != 0)
                break; // those of the file are enough to print
            if (info.metric.expr != NULL) {
                fprintf(stdout, "Derived counter:  gpu-agent%d : %s : %s\n",
                    info.agent_index, info.metric.name, info.metric.description);
                fprintf(stdout, "      %s = %s\n", info.metric.name, info.metric.expr);
            } else {
                fprintf(stdout, "Basic counter:  gpu-agent%d : %s",
                    info.agent_index, info.metric.name);
                if (info.metric.instances > 1) {
                    fprintf(stdout, "[0-%u]", info.metric.instances - 1);
                }
                fprintf(stdout, " : %s\n", info.metric.description);
                fprintf(stdout, "      block %s has %u counters\n",
                    info.metric.block_name, info.metric.block_counters);
            }
            fflush(stdout);
            break;
        }
        case ROCPROFILER_INFO_KIND_TRACE:
            printf("Trace:  %s, %s\n", info.trace.name,
                   info.trace.description && info.trace.parameter_count ? "described" : "bare");
            break;
        default:
            printf("wrong info kind %u\n", info.kind);
            return HSA_STATUS_ERROR;
    }
    return HSA_STATUS_SUCCESS;
}

int main()
{
    const char *text = nullptr;
    std::printf("major %s, both names %s\n",
                rocprofiler_version_major() <= ROCPROFILER_VERSION_MAJOR ? "fits" : "is too new",
                rocprofiler_version_major() == rocprofiler_major_version() &&
                        rocprofiler_version_minor() == rocprofiler_minor_version()
                    ? "agree"
                    : "differ");
    rocprofiler_error_string(&text);
    std::printf("before: '%s'\n", text);
    hsa_status_t status = rocprofiler_close(NULL);
    rocprofiler_error_string(&text);
    std::printf("after: status %s, text %s\n", status ? "set" : "not set", *text ? "set" : "empty");
    check_status(hsa_init());

    hsa_agent_t gpu = {};
    hsa_iterate_agents(first_gpu, &gpu);
    hsa_agent_t *agent = &gpu;
    unsigned calls = 0;
    status = rocprofiler_iterate_info(
        agent,
        ROCPROFILER_INFO_KIND_METRIC,
        info_data_callback,
        &calls);
    check_status(status);

    uint32_t metrics = 0, traces = 0;
    check_status(rocprofiler_get_info(NULL, ROCPROFILER_INFO_KIND_METRIC_COUNT, &metrics));
    check_status(rocprofiler_get_info(agent, ROCPROFILER_INFO_KIND_TRACE_COUNT, &traces));
    std::printf("metrics: %s\n", metrics == calls ? "as many as counted" : "another number");

    // fields set to NULL are wildcards
    rocprofiler_info_data_t query = {};
    calls = 0;
    check_status(rocprofiler_query_info(agent, ROCPROFILER_INFO_KIND_TRACE, query,
                                        info_data_callback, &calls));
    std::printf("traces: %s\n", calls == traces ? "as many as counted" : "another number");
    query.metric.name = "L1_MISS_RATIO";
    calls = 0;
    check_status(rocprofiler_query_info(NULL, ROCPROFILER_INFO_KIND_METRIC, query,
                                        info_data_callback, &calls));
    std::printf("%u of that name\n", calls);
    hsa_shut_down();
    return 0;
}
