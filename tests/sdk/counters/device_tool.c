/* device_tool.c - a device sampled by one thread while its kernels run: values never fall, and what
 * was counted between the making of the first queue and the end of the first is what ran. */

#include "tools.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_counter_config_id_t config;
static pthread_t sampler;
static atomic_bool started, stop;
static atomic_long falls, refusals, samples, records;
static double base, total;

static double sample(void)
{
    rocprofiler_counter_record_t values[8];
    static _Thread_local double last[8];
    size_t count = 8;
    rocprofiler_status_t status;
    do /* the other thread samples at the same time */
        status = rocprofiler_sample_device_counting_service(
            context, (rocprofiler_user_data_t){0}, ROCPROFILER_COUNTER_FLAG_NONE, values, &count);
    while (status == ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
    if (status != ROCPROFILER_STATUS_SUCCESS || count != 8) {
        refusals++;
        return 0;
    }
    samples++;
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        falls += values[i].counter_value < last[i];
        last[i] = values[i].counter_value;
        sum += values[i].counter_value;
    }
    return sum;
}

static void *keep_sampling(void *data)
{
    double last = 0;
    (void)data;
    while (!stop) {
        double now = sample();
        falls += now < last;
        last = now;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return NULL;
}

static void on_hsa(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                   void *data)
{
    (void)user, (void)data;
    bool create = record.operation == ROCPROFILER_HSA_CORE_API_ID_hsa_queue_create;
    if (create && record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && !started) {
        base = sample();
        started = !pthread_create(&sampler, NULL, keep_sampling, NULL);
    } else if (!create && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER && !stop) {
        stop = true;
        pthread_join(sampler, NULL);
        total = sample() - base;
    }
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)data;
    records += (long)(count + drop_count);
}

static void on_start(rocprofiler_context_id_t which, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    (void)agent, (void)data;
    refusals += set_config(which, config) != ROCPROFILER_STATUS_SUCCESS;
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    const rocprofiler_tracing_operation_t operations[] = {
        ROCPROFILER_HSA_CORE_API_ID_hsa_queue_create,
        ROCPROFILER_HSA_CORE_API_ID_hsa_queue_destroy};
    found_gpus_t found;
    rocprofiler_counter_info_v1_t waves;
    if (find_gpus(&found) || find_counter(found.gpus[0], "SQ_WAVES", &waves)) return 1;
    rocprofiler_agent_id_t gpu = found.gpus[0];
    return rocprofiler_create_counter_config(gpu, &waves.id, 1, &config) ||
           rocprofiler_create_context(&context) ||
           rocprofiler_create_buffer(context, 65536, 4096, ROCPROFILER_BUFFER_POLICY_DISCARD,
                                     on_records, NULL, &buffer) ||
           rocprofiler_configure_device_counting_service(context, buffer, gpu, on_start, NULL) ||
           rocprofiler_configure_callback_tracing_service(
               context, ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, operations, 2, on_hsa, NULL) ||
           rocprofiler_start_context(context);
}

static void finalize(void *data)
{
    (void)data;
    printf("%.0f waves, %s, %ld falls, %ld refusals, records %s\n", total,
           samples > 3 ? "several samples" : "too few samples", (long)falls, (long)refusals,
           records == samples * 8 ? "all accounted for" : "missing");
    fflush(stdout);
}

TOOL("device tool", initialize, finalize)
