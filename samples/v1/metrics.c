/* metrics.c - prints all metrics of all GPUs (section 5.1). A program linked to the library.
 *
 *     metrics              all of them
 *     metrics BLOCK        those of a block, by a query */
#include "sample.h"

static hsa_status_t info_data_callback(const rocprofiler_info_data_t info, void *data)
{
    (void)data;
    switch (info.kind) {
    case ROCPROFILER_INFO_KIND_METRIC:
        if (info.metric.expr != NULL) {
            printf("Derived counter:  gpu-agent%u : %s : %s\n", info.agent_index, info.metric.name,
                   info.metric.description);
            printf("      %s = %s\n", info.metric.name, info.metric.expr);
        } else {
            printf("Basic counter:  gpu-agent%u : %s", info.agent_index, info.metric.name);
            if (info.metric.instances > 1) printf("[0-%u]", info.metric.instances - 1);
            printf(" : %s\n", info.metric.description);
            printf("      block %s has %u counters\n", info.metric.block_name,
                   info.metric.block_counters);
        }
        break;
    default: printf("wrong info kind %d\n", info.kind); return HSA_STATUS_ERROR;
    }
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    bool ok;
    if (hsa_init()) return 1;
    if (argc == 2) {
        rocprofiler_info_data_t query;
        memset(&query, 0, sizeof query);
        query.metric.block_name = argv[1];
        ok = CHECK(rocprofiler_query_info(NULL, ROCPROFILER_INFO_KIND_METRIC, query,
                                          info_data_callback, NULL));
    } else {
        ok = CHECK(
            rocprofiler_iterate_info(NULL, ROCPROFILER_INFO_KIND_METRIC, info_data_callback, NULL));
    }
    hsa_shut_down();
    return !ok;
}
