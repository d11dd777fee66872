/* misuse.c - wrong arguments of every kind, in a program that is linked to the library: each call
 * fails with a message, nothing crashes. Then what must work without HSA_TOOLS_LIB. */
#include "linked.h"

#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hsa_agent_t gpu, cpu;

static hsa_status_t sort_agent(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    (void)data;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static unsigned calls;

static hsa_status_t count(const rocprofiler_info_data_t info, void *data)
{
    (void)info;
    calls++;
    return data ? *(hsa_status_t *)data : HSA_STATUS_SUCCESS;
}

static hsa_status_t print_parameter(const rocprofiler_info_data_t info, void *data)
{
    (void)data;
    printf("    %s: %u %s\n", info.trace_parameter.trace_name, info.trace_parameter.code,
           info.trace_parameter.parameter_name);
    return HSA_STATUS_SUCCESS;
}

static void contexts(void)
{
    rocprofiler_feature_t f[2] = {{.name = "SQ_WAVES"}, {.name = "SQ_INSTS_VALU"}};
    rocprofiler_feature_t wrong = {.name = "SQ_WAVEZ"}, nameless = {.name = NULL};
    rocprofiler_feature_t kind = {.kind = ROCPROFILER_FEATURE_KIND_SPM_MOD, .name = "SQ_WAVES"};
    rocprofiler_feature_t trace = {.kind = ROCPROFILER_FEATURE_KIND_TRACE, .name = "OTHER"};
    rocprofiler_feature_t counted = {
        .kind = ROCPROFILER_FEATURE_KIND_TRACE, .name = "THREAD_TRACE", .parameter_count = 3};
    rocprofiler_feature_t event = {.counter = {"SQ", 3000}}, raw = {.name = "SQ:3000"};
    rocprofiler_feature_t block = {.name = "SQQ:4"}, instance = {.name = "TCC_HIT[99]"};
    rocprofiler_properties_t properties = {.queue_depth = 100};
    rocprofiler_t *context = NULL;
    rocprofiler_group_t group = {0};
    uint32_t number;
    hsa_agent_t agent;
    SHOW(rocprofiler_open(gpu, &wrong, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &nameless, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &kind, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &trace, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &counted, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &event, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &raw, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &block, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, &instance, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, NULL, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, f, 1, NULL, 0, NULL));
    SHOW(rocprofiler_open(gpu, f, 1, &context, 8, NULL));
    SHOW(rocprofiler_open(gpu, f, 1, &context, ROCPROFILER_MODE_CREATEQUEUE, &properties));
    SHOW(rocprofiler_open(gpu, f, 1, &context, ROCPROFILER_MODE_STANDALONE, NULL));
    SHOW(rocprofiler_open(gpu, f, 1, &context, ROCPROFILER_MODE_STANDALONE, &properties));
    SHOW(rocprofiler_open(gpu, f, 1, &context, 3, &properties));
    SHOW(rocprofiler_open(cpu, f, 1, &context, 0, NULL));
    SHOW(rocprofiler_open((hsa_agent_t){5}, f, 1, &context, 0, NULL));
    SHOW(rocprofiler_open(gpu, f, 2, &context, 0, NULL));
    SHOW(rocprofiler_start(context, 0));
    SHOW(rocprofiler_get_data(context, 0));
    SHOW(rocprofiler_get_data(context, 1));
    SHOW(rocprofiler_get_group(context, 7, &group));
    SHOW(rocprofiler_get_group(context, 0, NULL));
    SHOW(rocprofiler_group_count(context, NULL));
    SHOW(rocprofiler_group_count(NULL, &number));
    SHOW(rocprofiler_get_metrics(context));
    SHOW(rocprofiler_iterate_trace_data(context, NULL, NULL));
    SHOW(rocprofiler_reset(context, 3));
    SHOW(rocprofiler_get_agent(context, NULL));
    SHOW(rocprofiler_get_agent(context, &agent));
    SHOW(rocprofiler_close(context));
    SHOW(rocprofiler_close(context));
    SHOW(rocprofiler_close(NULL));
    SHOW(rocprofiler_group_start(NULL));
    SHOW(rocprofiler_group_get_data(&group));
}

static void sampling(void)
{
    rocprofiler_feature_t f = {.name = "SQ_WAVES"}, g = {.name = "GRBM_COUNT"};
    rocprofiler_properties_t properties = {.queue_depth = 64};
    rocprofiler_t *one = NULL, *two = NULL;
    SHOW(rocprofiler_open(gpu, &f, 1, &one, 3, &properties));
    SHOW(rocprofiler_open(gpu, &g, 1, &two, ROCPROFILER_MODE_STANDALONE, &properties));
    SHOW(rocprofiler_read(one, 0));
    SHOW(rocprofiler_stop(one, 0));
    SHOW(rocprofiler_start(one, 0));
    SHOW(rocprofiler_start(one, 0));
    SHOW(rocprofiler_start(two, 0));
    SHOW(rocprofiler_get_data(one, 0));
    SHOW(rocprofiler_reset(one, 0));
    SHOW(rocprofiler_read(one, 0));
    SHOW(rocprofiler_get_data(one, 0));
    SHOW(rocprofiler_stop(one, 0));
    printf("%llu waves\n", (unsigned long long)f.data.result_int64);
    SHOW(rocprofiler_start(two, 0));
    SHOW(rocprofiler_close(two)); /* stops it */
    SHOW(rocprofiler_start(one, 0));
    SHOW(rocprofiler_close(one));
    hsa_queue_destroy(properties.queue); /* is the program's */
}

static void pools(void)
{
    rocprofiler_feature_t f = {.name = "SQ_WAVES"};
    rocprofiler_pool_properties_t properties = {.num_entries = 0}, good = {.num_entries = 2};
    rocprofiler_pool_t *pool = NULL;
    rocprofiler_pool_entry_t entry = {0}, other;
    SHOW(rocprofiler_pool_open(gpu, &f, 1, &pool, 0, NULL));
    SHOW(rocprofiler_pool_open(gpu, &f, 1, &pool, 0, &properties));
    SHOW(rocprofiler_pool_open(gpu, &f, 1, &pool, 1, &good));
    SHOW(rocprofiler_pool_fetch(NULL, &entry));
    SHOW(rocprofiler_pool_release(&entry));
    SHOW(rocprofiler_pool_open(gpu, &f, 1, &pool, 0, &good));
    SHOW(rocprofiler_pool_fetch(pool, NULL));
    SHOW(rocprofiler_pool_fetch(pool, &entry));
    SHOW(rocprofiler_close(entry.context));
    SHOW(rocprofiler_pool_release(&entry));
    SHOW(rocprofiler_pool_release(&entry));
    SHOW(rocprofiler_pool_fetch(pool, &entry));
    SHOW(rocprofiler_pool_fetch(pool, &other));
    SHOW(rocprofiler_pool_iterate(pool, NULL, NULL));
    SHOW(rocprofiler_pool_flush(pool));
    SHOW(rocprofiler_pool_close(pool));
    SHOW(rocprofiler_pool_close(pool));
    /* rounded up to 16 bytes this needs more than 32 bits */
    rocprofiler_pool_properties_t large = {.num_entries = 2, .payload_bytes = UINT32_MAX};
    if (rocprofiler_pool_open(gpu, &f, 1, &pool, 0, &large) == HSA_STATUS_SUCCESS) {
        rocprofiler_pool_fetch(pool, &entry);
        rocprofiler_pool_fetch(pool, &other);
        const uintptr_t a = (uintptr_t)entry.payload, b = (uintptr_t)other.payload;
        printf("payloads %s\n", (a > b ? a - b : b - a) >= UINT32_MAX ? "are apart" : "overlap");
        rocprofiler_pool_release(&entry);
        rocprofiler_pool_release(&other);
        rocprofiler_pool_close(pool);
    }
}

static void information(void)
{
    uint32_t all = 0, one = 0, traces = 0, parameters = 0;
    hsa_status_t stop = HSA_STATUS_INFO_BREAK, fail = HSA_STATUS_ERROR_EXCEPTION;
    rocprofiler_info_data_t query;
    rocprofiler_info_query_t trace = {.trace_parameter = {"THREAD_TRACE"}};
    SHOW(rocprofiler_get_info(NULL, ROCPROFILER_INFO_KIND_METRIC, &all));
    SHOW(rocprofiler_get_info(NULL, ROCPROFILER_INFO_KIND_METRIC_COUNT, NULL));
    SHOW(rocprofiler_get_info(&cpu, ROCPROFILER_INFO_KIND_METRIC_COUNT, &all));
    SHOW(rocprofiler_get_info(NULL, ROCPROFILER_INFO_KIND_METRIC_COUNT, &all));
    SHOW(rocprofiler_get_info(&gpu, ROCPROFILER_INFO_KIND_METRIC_COUNT, &one));
    SHOW(rocprofiler_get_info(&gpu, ROCPROFILER_INFO_KIND_TRACE_COUNT, &traces));
    SHOW(rocprofiler_get_info(&gpu, ROCPROFILER_INFO_KIND_TRACE_PARAMETER_COUNT, &parameters));
    SHOW(rocprofiler_iterate_info(&gpu, ROCPROFILER_INFO_KIND_METRIC, count, NULL));
    printf("%s, %u trace, %u parameters\n",
           all == one && one == calls && one > 400 ? "counts agree" : "counts differ", traces,
           parameters);
    SHOW(rocprofiler_iterate_info(&gpu, ROCPROFILER_INFO_KIND_METRIC_COUNT, count, NULL));
    SHOW(rocprofiler_iterate_info(&gpu, ROCPROFILER_INFO_KIND_METRIC, NULL, NULL));
    calls = 0;
    SHOW(rocprofiler_iterate_info(&gpu, ROCPROFILER_INFO_KIND_METRIC, count, &stop));
    printf("%u call\n", calls);
    show(rocprofiler_iterate_info(&gpu, ROCPROFILER_INFO_KIND_METRIC, count, &fail), "refused");
    calls = 0;
    memset(&query, 0, sizeof query);
    query.metric.name = "SQ_WAVES";
    SHOW(rocprofiler_query_info(NULL, ROCPROFILER_INFO_KIND_METRIC, query, count, NULL));
    printf("%u match\n", calls);
    SHOW(rocprofiler_query_info(&gpu, trace, print_parameter, NULL));
}

/* The context has its features to itself: the set is empty, and what the program allocates next is
 * not written to. */
static void set_counts(void)
{
    rocprofiler_feature_t f = {.name = "GRBM_COUNT"};
    rocprofiler_properties_t properties = {.queue_depth = 64};
    char set[ROCPROFILER_FEATURE_SET_BYTES] __attribute__((aligned(16))) = {0};
    static const char zero[ROCPROFILER_FEATURE_SET_BYTES];
    unsigned char *others[8];
    rocprofiler_t *context = NULL;
    rocprofiler_group_t group;
    unsigned changed = 0;
    rocprofiler_add_feature(&f, set);
    SHOW(rocprofiler_features_set_open(gpu, set, &context, 3, &properties));
    printf("set %s\n", memcmp(set, zero, sizeof set) ? "kept" : "empty");
    for (unsigned i = 0; i < 8; i++)
        others[i] = memset(malloc(8 * sizeof f), 0x5a, 8 * sizeof f);
    rocprofiler_start(context, 0);
    rocprofiler_stop(context, 0);
    SHOW(rocprofiler_get_data(context, 0));
    rocprofiler_get_group(context, 0, &group);
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned k = 0; k < 8 * sizeof f; k++)
            changed += others[i][k] != 0x5a;
        free(others[i]);
    }
    printf("%s, %u bytes of others changed\n",
           group.features[0]->data.result_int64 ? "counted" : "nothing", changed);
    SHOW(rocprofiler_close(context));
    hsa_queue_destroy(properties.queue);
}

static void sets(void)
{
    rocprofiler_feature_t f = {.name = "SQ_WAVES"};
    char set[ROCPROFILER_FEATURE_SET_BYTES] __attribute__((aligned(16))) = {0};
    rocprofiler_t *context = NULL;
    rocprofiler_group_t group;
    SHOW(rocprofiler_add_feature(NULL, set));
    SHOW(rocprofiler_features_set_open(gpu, NULL, &context, 0, NULL));
    SHOW(rocprofiler_add_feature(&f, set));
    f.name = "SQ_INSTS_SALU";
    SHOW(rocprofiler_add_feature(&f, set));
    SHOW(rocprofiler_features_set_open(gpu, set, &context, 0, NULL));
    SHOW(rocprofiler_get_group(context, 0, &group));
    printf("%u features: %s %s\n", group.feature_count, group.features[0]->name,
           group.features[1]->name);
    SHOW(rocprofiler_close(context));
    set_counts();
}

int main(void)
{
    rocprofiler_feature_t f = {.name = "SQ_WAVES"};
    rocprofiler_t *context;
    hsa_queue_t *queue;
    uint64_t time;
    setvbuf(stdout, NULL, _IOLBF, 0); /* warnings stand where they were given */
    printf("version %u.%u\n", rocprofiler_major_version(), rocprofiler_version_minor());
    SHOW(rocprofiler_open((hsa_agent_t){1}, &f, 1, &context, 0, NULL));
    if (hsa_init()) return 1;
    hsa_iterate_agents(sort_agent, NULL);
    contexts();
    sampling();
    pools();
    information();
    sets();
    SHOW(rocprofiler_get_time((rocprofiler_time_id_t)9, 1, &time));
    SHOW(rocprofiler_get_time(ROCPROFILER_TIME_ID_CLOCK_MONOTONIC, 1, NULL, NULL));
    /* HSA of ROCm 5 does not load what a program is linked with, HSA of ROCm 6 does. */
    bool made = rocprofiler_queue_create_profiled(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0,
                                                  &queue) == HSA_STATUS_SUCCESS;
    puts(made == (HSA_AMD_INTERFACE_VERSION_MINOR > 0)
             ? "profiled queues: as HSA loads libraries"
             : "profiled queues: refused or made in vain");
    SHOW(rocprofiler_stop_queue_callbacks());
    hsa_shut_down();
    return 0;
}
