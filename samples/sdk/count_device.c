/* count_device.c - counters of the whole device, read while the program runs: how many waves had
 * been launched each time the program had waited for the device.
 *
 * The counters run from the start of the context, and count the kernels with which the runtime
 * itself copies too. A sample needs nobody to wait for kernels; it is
 * taken after hipDeviceSynchronize here so that its values can be foretold. */
#include "sample.h"

static const char sample_name[] = "device tool";
static rocprofiler_agent_id_t gpu; /* the first */
static rocprofiler_counter_id_t waves;
static rocprofiler_counter_config_id_t config;
static uint64_t records_of[3]; /* by the user data of their sample */

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    (void)agent, (void)data;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v0_t info;
        if (rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0,
                                           &info) == ROCPROFILER_STATUS_SUCCESS &&
            !strcmp(info.name, "SQ_WAVES"))
            waves = counters[i];
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count && !gpu.handle; i++) {
        const rocprofiler_agent_t *agent = agents[i];
        if (agent->type == ROCPROFILER_AGENT_TYPE_GPU) gpu = agent->id;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* The context starts: this is what it counts. */
static void on_start(rocprofiler_context_id_t started, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    (void)agent, (void)data;
    REQUIRE(set_config(started, config));
}

/* One record for each shader engine. */
static void take_sample(const char *after)
{
    rocprofiler_counter_record_t records[64];
    size_t count = sizeof records / sizeof *records;
    if (!REQUIRE(rocprofiler_sample_device_counting_service(
            context, (rocprofiler_user_data_t){.value = 1}, ROCPROFILER_COUNTER_FLAG_NONE, records,
            &count)))
        return;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += records[i].counter_value;
    fprintf(stderr, "%s: after %s: %zu values, %.0f waves\n", sample_name, after, count, sum);
}

static void on_hip(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
                   void *data)
{
    (void)user_data, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_EXIT) return;
    if (record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipDeviceSynchronize)
        take_sample("hipDeviceSynchronize");
    else if (record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamDestroy)
        /* without waiting: its records come into the buffer some time later */
        REQUIRE(rocprofiler_sample_device_counting_service(
            context, (rocprofiler_user_data_t){.value = 2}, ROCPROFILER_COUNTER_FLAG_ASYNC, NULL,
            NULL));
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_counter_record_t *value = headers[i]->payload;
        if (headers[i]->category != ROCPROFILER_BUFFER_CATEGORY_COUNTERS) continue;
        if (value->user_data.value < 3) records_of[value->user_data.value]++;
    }
}

static void sample_start(void)
{
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_t), NULL));
    REQUIRE(rocprofiler_iterate_agent_supported_counters(gpu, on_counters, NULL));
    REQUIRE(rocprofiler_create_counter_config(gpu, &waves, 1, &config));
    sample_buffer(on_records);
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, on_hip);
    REQUIRE(rocprofiler_configure_device_counting_service(context, buffer, gpu, on_start, NULL));
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %" PRIu64 " records of samples waited for, %" PRIu64 " of others\n",
            sample_name, records_of[1], records_of[2]);
}
