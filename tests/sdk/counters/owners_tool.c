/* owners_tool.c - two profiler libraries want to count on a GPU: the second is refused until the
 * first is done, whichever is first. Runs as a tool under softgpu; prints each wrong answer and a
 * summary. */
#include <stdlib.h>

#include "owners.h"
#include "tools.h"

static rocprofiler_context_id_t dispatches, device;
static rocprofiler_counter_config_id_t config;
static atomic_long counted;

static int is_active(rocprofiler_context_id_t context)
{
    int active = -1;
    ANSWERS(rocprofiler_context_is_active(context, &active), SUCCESS);
    return active;
}

static void refused_older(void)
{
    IS(older_start(), false);
    IS(strstr(older_message(), "librocprofiler-sdk counts on GPU 0") != NULL, true);
}

static void test_owners(void)
{
    rocprofiler_context_id_t *all[] = {&dispatches, &device};
    IS(older_open(), true);
    for (int i = 0; i < 2; i++) {
        IS(older_start(), true);
        REFUSES(rocprofiler_start_context(*all[i]), CONTEXT_CONFLICT);
        IS(is_active(*all[i]), 0);
        IS(older_stop(), true);
        ANSWERS(rocprofiler_start_context(*all[i]), SUCCESS);
        refused_older();
        ANSWERS(rocprofiler_stop_context(*all[i]), SUCCESS);
    }
    IS(older_start(), true);
    IS(older_stop(), true);
    IS(older_close(), true);
    ANSWERS(rocprofiler_start_context(dispatches), SUCCESS);
}

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t data,
                        rocprofiler_counter_config_id_t *chosen, rocprofiler_user_data_t *user,
                        void *mine)
{
    (void)data, (void)user, (void)mine;
    *chosen = config;
}

static void on_values(rocprofiler_dispatch_counting_service_data_t data,
                      rocprofiler_counter_record_t *values, size_t count,
                      rocprofiler_user_data_t user, void *mine)
{
    (void)data, (void)values, (void)count, (void)user, (void)mine;
    counted++;
}

static void on_start(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    (void)agent, (void)data;
    ANSWERS(set_config(context, config), SUCCESS);
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)count, (void)data, (void)drop_count;
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    static atomic_int once;
    (void)user, (void)data, (void)record;
    if (!once++) test_owners();
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    static rocprofiler_context_id_t context;
    rocprofiler_buffer_id_t buffer;
    rocprofiler_counter_info_v1_t waves;
    found_gpus_t found;
    ANSWERS(find_gpus(&found), SUCCESS);
    ANSWERS(find_counter(found.gpus[0], "SQ_WAVES", &waves), SUCCESS);
    ANSWERS(rocprofiler_create_counter_config(found.gpus[0], &waves.id, 1, &config), SUCCESS);
    rocprofiler_context_id_t *all[] = {&dispatches, &device, &context};
    for (int i = 0; i < 3; i++)
        ANSWERS(rocprofiler_create_context(all[i]), SUCCESS);
    ANSWERS(rocprofiler_create_buffer(device, 4096, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer),
            SUCCESS);
    ANSWERS(rocprofiler_configure_device_counting_service(device, buffer, found.gpus[0], on_start,
                                                          NULL),
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
    printf("%s checks, %d failed, %ld counted\n", checks > 25 ? "more than 25" : "too few",
           (int)failures, (long)counted);
    fflush(stdout);
}

TOOL("owners tool", initialize, finalize)
