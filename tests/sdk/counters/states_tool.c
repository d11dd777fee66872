/* states_tool.c - counting in states that a tool should avoid: contexts stopped and started from
 * the callbacks they call, several threads at once, configurations of the wrong agent. On two GPUs.
 *
 * Runs as a tool under softgpu; prints each wrong answer and a summary. Everything happens in the
 * first code object's callback, when HSA is up, and in those of dispatches. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools.h"

enum { THREADS = 4, ROUNDS = 100, VALUES = 8 /* of SQ_WAVES on one GPU */ };

static found_gpus_t found;
static rocprofiler_counter_info_v1_t waves;
static rocprofiler_context_id_t device, only_second, dispatches;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_counter_config_id_t configs[2], gone;
static atomic_long read_samples, refused_samples, values_of_dispatches, launched;

static rocprofiler_status_t sample(rocprofiler_context_id_t context,
                                   rocprofiler_counter_record_t *records, size_t *count,
                                   rocprofiler_counter_flag_t flags)
{
    return rocprofiler_sample_device_counting_service(context, (rocprofiler_user_data_t){0}, flags,
                                                      records, count);
}

static int is_active(rocprofiler_context_id_t context)
{
    int active = -1;
    ANSWERS(rocprofiler_context_is_active(context, &active), SUCCESS);
    return active;
}

/* ---- what the start's callback may do ---- */

static enum { CHOOSE, STOP, STOP_AND_START, START_OTHER, SAMPLE } what;

static void on_start(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    (void)data;
    bool first = agent.handle == found.gpus[0].handle;
    ANSWERS(set_config(context, configs[!first]), SUCCESS);
    if (!first) return;
    if (what == STOP || what == STOP_AND_START) ANSWERS(rocprofiler_stop_context(context), SUCCESS);
    if (what == STOP_AND_START) ANSWERS(rocprofiler_start_context(context), SUCCESS);
    if (what == START_OTHER) REFUSES(rocprofiler_start_context(only_second), CONTEXT_CONFLICT);
    if (what == SAMPLE) {
        rocprofiler_counter_record_t records[2 * VALUES];
        size_t count = 2 * VALUES;
        REFUSES(sample(context, records, &count, ROCPROFILER_COUNTER_FLAG_NONE), CONTEXT_ERROR);
    }
}

static void on_second_start(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                            rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    (void)data;
    IS(agent.handle, found.gpus[1].handle);
    REFUSES(set_config(context, configs[0]), AGENT_MISMATCH);
    REFUSES(set_config(context, gone), PROFILE_NOT_FOUND);
    ANSWERS(set_config(context, configs[1]), SUCCESS);
}

static void test_starts(void)
{
    rocprofiler_counter_record_t records[2 * VALUES];
    for (what = CHOOSE; what <= SAMPLE; what++) {
        size_t count = 2 * VALUES;
        ANSWERS(rocprofiler_start_context(device), SUCCESS);
        IS(is_active(device), what != STOP);
        if (what == STOP) {
            REFUSES(sample(device, records, &count, ROCPROFILER_COUNTER_FLAG_NONE),
                    CONTEXT_NOT_STARTED);
            continue;
        }
        ANSWERS(sample(device, records, &count, ROCPROFILER_COUNTER_FLAG_NONE), SUCCESS);
        IS(count, 2 * VALUES);
        for (unsigned i = 0; i < 2 * VALUES; i++)
            IS(records[i].agent_id.handle, found.gpus[i / VALUES].handle);
        ANSWERS(rocprofiler_stop_context(device), SUCCESS);
    }
    ANSWERS(rocprofiler_start_context(only_second), SUCCESS);
    REFUSES(rocprofiler_start_context(device), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_stop_context(only_second), SUCCESS);
    what = CHOOSE;
}

/* ---- a full buffer's callback stops the context whose sample fills it ---- */

static atomic_int stops_from_buffer;
static atomic_bool stop_from_buffer;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)count, (void)data, (void)drop_count;
    if (!stop_from_buffer) return;
    stops_from_buffer += rocprofiler_stop_context(device) == ROCPROFILER_STATUS_SUCCESS;
}

static void test_stop_from_buffer(rocprofiler_counter_flag_t flags)
{
    ANSWERS(rocprofiler_start_context(device), SUCCESS);
    stop_from_buffer = true;
    int before = stops_from_buffer;
    for (int i = 0; i < 1000 && stops_from_buffer == before; i++)
        if (sample(device, NULL, NULL, flags) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED)
            break;
    rocprofiler_flush_buffer(buffer);
    stop_from_buffer = false;
    IS(stops_from_buffer > before, 1);
    IS(is_active(device), 0);
    ANSWERS(rocprofiler_start_context(device), SUCCESS); /* and it counts again */
    ANSWERS(sample(device, NULL, NULL, ROCPROFILER_COUNTER_FLAG_NONE), SUCCESS);
    ANSWERS(rocprofiler_stop_context(device), SUCCESS);
}

/* ---- threads ---- */

static void *sample_often(void *data)
{
    rocprofiler_counter_record_t records[2 * VALUES];
    (void)data;
    for (int i = 0; i < ROUNDS; i++) {
        size_t count = 2 * VALUES;
        rocprofiler_status_t status =
            sample(device, records, &count, ROCPROFILER_COUNTER_FLAG_NONE);
        if (status == ROCPROFILER_STATUS_SUCCESS)
            read_samples++;
        else if (status == ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR ||
                 status == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED)
            refused_samples++;
        else
            ANSWERS(status, SUCCESS);
    }
    return NULL;
}

static void *make_configs(void *data)
{
    char name[32];
    int number = *(int *)data;
    for (int i = 0; i < ROUNDS; i++) {
        rocprofiler_counter_id_t made, pair[2] = {waves.id};
        rocprofiler_counter_config_id_t config = {0};
        rocprofiler_counter_info_v1_t info;
        int length = snprintf(name, sizeof name, "THREAD_%d_ROUND_%d", number, i);
        ANSWERS(rocprofiler_create_counter(name, (size_t)length, "2*SQ_WAVES", 10, NULL, 0,
                                           found.gpus[0], &made),
                SUCCESS);
        pair[1] = made;
        ANSWERS(rocprofiler_create_counter_config(found.gpus[i % 2], pair, 2, &config), SUCCESS);
        ANSWERS(find_counter(found.gpus[1], name, &info), SUCCESS);
        IS(info.id.handle, made.handle);
        ANSWERS(rocprofiler_destroy_counter_config(config), SUCCESS);
        REFUSES(rocprofiler_destroy_counter_config(config), PROFILE_NOT_FOUND);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[2 * THREADS];
    int numbers[THREADS];
    ANSWERS(rocprofiler_start_context(device), SUCCESS);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        IS(pthread_create(&threads[i], NULL, sample_often, NULL), 0);
        IS(pthread_create(&threads[THREADS + i], NULL, make_configs, &numbers[i]), 0);
    }
    for (int i = 0; i < 10; i++) {
        ANSWERS(rocprofiler_stop_context(device), SUCCESS);
        ANSWERS(rocprofiler_start_context(device), SUCCESS);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    /* on a busy machine all of theirs may have come while it was stopped */
    ANSWERS(sample(device, NULL, NULL, ROCPROFILER_COUNTER_FLAG_NONE), SUCCESS);
    ANSWERS(rocprofiler_stop_context(device), SUCCESS);
    IS(read_samples + refused_samples, THREADS * ROUNDS);
}

/* ---- dispatches: every second answer is wrong; the program does not notice ---- */

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t data,
                        rocprofiler_counter_config_id_t *chosen, rocprofiler_user_data_t *user,
                        void *mine)
{
    (void)user, (void)mine;
    long number = launched++;
    bool first = data.dispatch_info.agent_id.handle == found.gpus[0].handle;
    *chosen = number % 2 ? configs[!first] : number % 4 ? configs[first] : gone;
}

static void on_values(rocprofiler_dispatch_counting_service_data_t data,
                      rocprofiler_counter_record_t *values, size_t count,
                      rocprofiler_user_data_t user, void *mine)
{
    (void)user, (void)mine;
    for (size_t i = 0; i < count; i++)
        IS(values[i].agent_id.handle, data.dispatch_info.agent_id.handle);
    IS(count, VALUES);
    values_of_dispatches++;
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    static atomic_int once;
    (void)user, (void)data, (void)record;
    if (once++) return;
    test_starts();
    test_stop_from_buffer(ROCPROFILER_COUNTER_FLAG_NONE);
    test_stop_from_buffer(ROCPROFILER_COUNTER_FLAG_ASYNC);
    test_threads();
    ANSWERS(rocprofiler_start_context(dispatches), SUCCESS);
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    static rocprofiler_context_id_t context;
    ANSWERS(find_gpus(&found), SUCCESS);
    IS(found.count, 2);
    ANSWERS(find_counter(found.gpus[0], "SQ_WAVES", &waves), SUCCESS);
    for (int i = 0; i < 2; i++)
        ANSWERS(rocprofiler_create_counter_config(found.gpus[i], &waves.id, 1, &configs[i]),
                SUCCESS);
    ANSWERS(rocprofiler_create_counter_config(found.gpus[0], &waves.id, 1, &gone), SUCCESS);
    ANSWERS(rocprofiler_destroy_counter_config(gone), SUCCESS);
    rocprofiler_context_id_t *all[] = {&device, &only_second, &dispatches, &context};
    for (int i = 0; i < 4; i++)
        ANSWERS(rocprofiler_create_context(all[i]), SUCCESS);
    ANSWERS(rocprofiler_create_buffer(device, 4096, 2048, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer),
            SUCCESS);
    for (int i = 0; i < 2; i++)
        ANSWERS(rocprofiler_configure_device_counting_service(device, buffer, found.gpus[i],
                                                              on_start, NULL),
                SUCCESS);
    ANSWERS(rocprofiler_configure_device_counting_service(only_second, buffer, found.gpus[1],
                                                          on_second_start, NULL),
            SUCCESS);
    ANSWERS(rocprofiler_configure_callback_dispatch_counting_service(dispatches, on_dispatch, NULL,
                                                                     on_values, NULL),
            SUCCESS);
    watch_code_objects(context, on_code_object);
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    IS(values_of_dispatches, launched / 2);
    printf("%s checks, %ld dispatches, %d failed\n", checks > 1000 ? "more than 1000" : "too few",
           (long)launched, (int)failures);
    fflush(stdout);
}

TOOL("states tool", initialize, finalize)
