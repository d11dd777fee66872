/* fake_counters.c - see fake_counters.h. A table, and the SDK's functions over it. */
#include "fake_counters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/experimental/counters.h>

enum { COUNTERS = 5, CONFIGS = 16, SQ_SLOTS = 2, GPU = 11 };

static const struct {
    const char *name, *description, *block, *expression;
    unsigned instances;
} counters[COUNTERS] = {
    {"SQ_WAVES", "waves", "SQ", "", 4},
    {"SQ_INSTS_VALU", "vector instructions", "SQ", "", 4},
    {"SQ_INSTS_SALU", "scalar instructions", "SQ", "", 4},
    {"GRBM_COUNT", "clocks", "GRBM", "", 1},
    {"Half", "half a clock", "", "GRBM_COUNT/2", 1},
};

static struct {
    struct {
        unsigned ids[COUNTERS], count;
    } configs[CONFIGS];
    unsigned config_count;
    bool extra;
    rocprofiler_dispatch_counting_service_cb_t ask;
    rocprofiler_dispatch_counting_record_cb_t tell;
} fake;

void fake_count(const rocprofiler_buffer_tracing_kernel_dispatch_record_t *d)
{
    rocprofiler_counter_config_id_t config = {0};
    rocprofiler_user_data_t user = {0};
    rocprofiler_dispatch_counting_service_data_t data = {
        .size = sizeof(data),
        .correlation_id = {.internal = d->correlation_id.internal,
                           .external = d->correlation_id.external},
        .dispatch_info = d->dispatch_info};
    rocprofiler_counter_record_t records[COUNTERS * 4];
    size_t count = 0;
    if (!fake.ask) return;
    fake.ask(data, &config, &user, NULL);
    if (!config.handle) return;
    data.start_timestamp = d->start_timestamp;
    data.end_timestamp = d->end_timestamp;
    for (unsigned i = 0; i < fake.configs[config.handle - 1].count; i++) {
        unsigned id = fake.configs[config.handle - 1].ids[i];
        for (unsigned j = 0; j < counters[id - 1].instances; j++)
            records[count++] = (rocprofiler_counter_record_t){
                .id = (uint64_t)id << 48 | j,
                .counter_value = (double)(1000 * d->dispatch_info.dispatch_id + 100 * id + j),
                .dispatch_id = d->dispatch_info.dispatch_id,
                .agent_id = {GPU}};
    }
    fake.tell(data, records, count, user, NULL);
}

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                         rocprofiler_counter_id_t *counter)
{
    counter->handle = id >> 48;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t id,
                                                    rocprofiler_counter_info_version_id_t version,
                                                    void *info)
{
    static rocprofiler_counter_record_dimension_info_t dimensions[COUNTERS];
    static const rocprofiler_counter_record_dimension_info_t *pointers[COUNTERS];
    uint64_t i = id.handle - 1;
    bool derived = counters[i].expression[0];
    if (version == ROCPROFILER_COUNTER_INFO_VERSION_0) {
        *(rocprofiler_counter_info_v0_t *)info =
            (rocprofiler_counter_info_v0_t){.id = id,
                                            .name = counters[i].name,
                                            .description = counters[i].description,
                                            .block = counters[i].block,
                                            .expression = counters[i].expression,
                                            .is_derived = derived};
        return ROCPROFILER_STATUS_SUCCESS;
    }
    dimensions[i] = (rocprofiler_counter_record_dimension_info_t){
        .name = "DIMENSION_INSTANCE", .instance_size = counters[i].instances, .id = 6};
    pointers[i] = &dimensions[i];
    *(rocprofiler_counter_info_v1_t *)info =
        (rocprofiler_counter_info_v1_t){.size = sizeof(rocprofiler_counter_info_v1_t),
                                        .id = id,
                                        .name = counters[i].name,
                                        .description = counters[i].description,
                                        .block = counters[i].block,
                                        .expression = counters[i].expression,
                                        .is_derived = derived,
                                        .dimensions_count = 1,
                                        .dimensions = &pointers[i]};
    return ROCPROFILER_STATUS_SUCCESS;
}

/* "Half" stands for what the tool may define. */
rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent, rocprofiler_available_counters_cb_t callback, void *data)
{
    rocprofiler_counter_id_t ids[COUNTERS];
    if (getenv("FAKE_GPU")) return ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
    for (unsigned i = 0; i < COUNTERS; i++)
        ids[i].handle = i + 1;
    return callback(agent, ids, fake.extra ? COUNTERS : COUNTERS - 1, data);
}

/* Nor do these counters have instances. */
rocprofiler_status_t rocprofiler_create_counter(const char *name, size_t name_len, const char *expr,
                                                size_t expr_len, const char *description,
                                                size_t description_len,
                                                rocprofiler_agent_id_t agent,
                                                rocprofiler_counter_id_t *counter_id)
{
    (void)name, (void)name_len, (void)expr, (void)expr_len, (void)description;
    (void)description_len, (void)agent, (void)counter_id;
    return ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED;
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent,
                                                       rocprofiler_counter_id_t *ids, size_t count,
                                                       rocprofiler_counter_config_id_t *config)
{
    unsigned sq = 0;
    (void)agent;
    for (size_t i = 0; i < count; i++)
        sq += strcmp(counters[ids[i].handle - 1].block, "SQ") == 0;
    if (sq > SQ_SLOTS) {
        fprintf(stderr, "fake: SQ: %u wanted, %u available\n", sq, SQ_SLOTS);
        return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
    }
    for (size_t i = 0; i < count; i++)
        fake.configs[fake.config_count].ids[i] = (unsigned)ids[i].handle;
    fake.configs[fake.config_count].count = (unsigned)count;
    config->handle = ++fake.config_count;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config)
{
    (void)config;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context, rocprofiler_dispatch_counting_service_cb_t ask,
    void *ask_data, rocprofiler_dispatch_counting_record_cb_t tell, void *tell_data)
{
    (void)context, (void)ask_data, (void)tell_data;
    fake.ask = ask;
    fake.tell = tell;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_load_counter_definition(const char *yaml, size_t size,
                                                         rocprofiler_counter_flag_t flags)
{
    (void)size;
    fake.extra = flags == ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION && strstr(yaml, "Half");
    return ROCPROFILER_STATUS_SUCCESS;
}

/* None of these counters can be sampled. */
rocprofiler_status_t rocprofiler_spm_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent, rocprofiler_available_counters_cb_t callback, void *data)
{
    rocprofiler_counter_id_t none;
    return callback(agent, &none, 0, data);
}

rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
    rocprofiler_agent_id_t agent, rocprofiler_available_pc_sampling_configurations_cb_t callback,
    void *data)
{
    (void)agent, (void)callback, (void)data;
    return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
}
