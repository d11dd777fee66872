/* api_tool.c - what the counter functions answer: every documented status, and what is told of
 * counters. Runs as a tool under softgpu; prints each wrong answer and a summary.
 *
 * Environment: API_GPU is the GPU's architecture, API_ENGINES and API_CHANNELS say how many shader
 * engines and channels of L2 it has, of all its dies. */
#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/spm.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static rocprofiler_agent_id_t gpu, cpu;
static rocprofiler_context_id_t dispatches, more_dispatches, device, other_device, plain;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_counter_config_id_t waves_config;

/* ---- finding ---- */

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_t *agent = agents[i];
        *(agent->type == ROCPROFILER_AGENT_TYPE_GPU ? &gpu : &cpu) = agent->id;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

typedef struct {
    const char *name;
    rocprofiler_counter_id_t found;
    size_t count;
} search_t;

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    search_t *search = data;
    IS(agent.handle, gpu.handle);
    search->count = count;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v0_t info;
        if (rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info))
            continue;
        if (!strcmp(info.name, search->name)) search->found = counters[i];
    }
    return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND; /* must come back */
}

static rocprofiler_counter_id_t find(const char *name)
{
    search_t search = {.name = name};
    REFUSES(rocprofiler_iterate_agent_supported_counters(gpu, on_counters, &search),
            KIND_NOT_FOUND);
    if (!search.found.handle) printf("there is no counter %s\n", name);
    return search.found;
}

/* What the environment says. */
static size_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

/* ---- what is told ---- */

static rocprofiler_status_t on_dimensions(rocprofiler_counter_id_t id,
                                          const rocprofiler_counter_record_dimension_info_t *dims,
                                          size_t count, void *data)
{
    (void)id;
    size_t product = 1;
    for (size_t i = 0; i < count; i++)
        product *= dims[i].instance_size;
    *(size_t *)data = product;
    return ROCPROFILER_STATUS_ERROR;
}

static void test_info(void)
{
    rocprofiler_counter_id_t waves = find("SQ_WAVES"), hits = find("TCC_HIT"), id;
    rocprofiler_counter_info_v0_t v0;
    rocprofiler_counter_info_v1_t v1;
    ANSWERS(rocprofiler_query_counter_info(waves, ROCPROFILER_COUNTER_INFO_VERSION_0, &v0),
            SUCCESS);
    IS(strcmp(v0.name, "SQ_WAVES"), 0);
    IS(strcmp(v0.block, "SQ"), 0);
    IS(v0.is_derived, 0);
    IS(v0.is_constant, 0);
    IS(v0.id.handle, waves.handle);
    IS(*v0.description != 0, 1);
    ANSWERS(rocprofiler_query_counter_info(hits, ROCPROFILER_COUNTER_INFO_VERSION_1, &v1), SUCCESS);
    IS(v1.size, sizeof v1);
    IS(v1.dimensions_instances_count, number_of("API_CHANNELS"));
    size_t product = 1;
    for (uint64_t i = 0; i < v1.dimensions_count; i++)
        product *= v1.dimensions[i]->instance_size;
    IS(product, v1.dimensions_instances_count);
    for (uint64_t i = 0; i < v1.dimensions_instances_count; i++) {
        const rocprofiler_counter_record_dimension_instance_info_t *at = v1.dimensions_instances[i];
        ANSWERS(rocprofiler_query_record_counter_id(at->instance_id, &id), SUCCESS);
        IS(id.handle, hits.handle);
        IS(at->counter_id, hits.handle);
        IS(at->dimensions_count, v1.dimensions_count);
        for (uint64_t d = 0; d < at->dimensions_count; d++) {
            size_t position = 99;
            ANSWERS(rocprofiler_query_record_dimension_position(at->instance_id,
                                                                v1.dimensions[d]->id, &position),
                    SUCCESS);
            IS(position, at->dimensions[d]->index);
            IS(strcmp(at->dimensions[d]->dimension_name, v1.dimensions[d]->name), 0);
        }
    }
    ANSWERS(rocprofiler_iterate_counter_dimensions(hits, on_dimensions, &product), SUCCESS);
    IS(product, number_of("API_CHANNELS"));
    ANSWERS(rocprofiler_query_counter_instance_count(gpu, waves, &product), SUCCESS);
    IS(product, number_of("API_ENGINES"));
}

static void test_info_errors(void)
{
    rocprofiler_counter_id_t waves = find("SQ_WAVES"), none = {0}, far = {60000};
    rocprofiler_counter_info_v0_t v0;
    search_t search = {.name = ""};
    size_t n = 7;
    REFUSES(rocprofiler_query_counter_info(none, ROCPROFILER_COUNTER_INFO_VERSION_0, &v0),
            COUNTER_NOT_FOUND);
    REFUSES(rocprofiler_query_counter_info(far, ROCPROFILER_COUNTER_INFO_VERSION_1, &v0),
            COUNTER_NOT_FOUND);
    REFUSES(rocprofiler_query_counter_info(waves, ROCPROFILER_COUNTER_INFO_VERSION_NONE, &v0),
            INCOMPATIBLE_ABI);
    REFUSES(rocprofiler_query_counter_info(waves, ROCPROFILER_COUNTER_INFO_VERSION_0, NULL),
            INVALID_ARGUMENT);
    REFUSES(rocprofiler_iterate_agent_supported_counters(cpu, on_counters, &search),
            AGENT_ARCH_NOT_SUPPORTED);
    REFUSES(rocprofiler_iterate_agent_supported_counters((rocprofiler_agent_id_t){1}, on_counters,
                                                         &search),
            AGENT_NOT_FOUND);
    REFUSES(rocprofiler_iterate_agent_supported_counters(gpu, NULL, NULL), INVALID_ARGUMENT);
    REFUSES(rocprofiler_iterate_counter_dimensions(none, on_dimensions, &n), COUNTER_NOT_FOUND);
    REFUSES(rocprofiler_iterate_counter_dimensions(waves, NULL, NULL), INVALID_ARGUMENT);
    REFUSES(rocprofiler_query_counter_instance_count(gpu, none, &n), COUNTER_NOT_FOUND);
    IS(n, 0);
    REFUSES(rocprofiler_query_record_dimension_position(1, 99, &n), DIM_NOT_FOUND);
    REFUSES(rocprofiler_query_record_dimension_position(1, 1, NULL), INVALID_ARGUMENT);
    REFUSES(rocprofiler_query_record_counter_id(1, NULL), INVALID_ARGUMENT);
}

/* ---- definitions ---- */

static void test_definitions(void)
{
    char definition[512];
    const size_t length = (size_t)snprintf(definition, sizeof definition,
                                           "rocprofiler-sdk:\n"
                                           "  counters-schema-version: 1\n"
                                           "  counters:\n"
                                           "  - name: TWICE_THE_WAVES\n"
                                           "    description: two of each\n"
                                           "    definitions:\n"
                                           "    - architectures: [%s]\n"
                                           "      expression: 2*reduce(SQ_WAVES,sum)\n",
                                           getenv("API_GPU"));
    const rocprofiler_counter_flag_t append = ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION;
    REFUSES(rocprofiler_load_counter_definition(NULL, 3, append), INVALID_ARGUMENT);
    REFUSES(rocprofiler_load_counter_definition(definition, 0, append), INVALID_ARGUMENT);
    REFUSES(rocprofiler_load_counter_definition(definition, 5, ROCPROFILER_COUNTER_FLAG_ASYNC),
            INVALID_ARGUMENT);
    REFUSES(rocprofiler_load_counter_definition("a: [", 4, append), INVALID_ARGUMENT);
    ANSWERS(rocprofiler_load_counter_definition(definition, length, append), SUCCESS);
    IS(rocprofiler_load_counter_definition(definition, length, append), ROCPROFILER_STATUS_ERROR);
    rocprofiler_counter_info_v0_t info;
    ANSWERS(rocprofiler_query_counter_info(find("TWICE_THE_WAVES"),
                                           ROCPROFILER_COUNTER_INFO_VERSION_0, &info),
            SUCCESS);
    IS(info.is_derived, 1);
    IS(strcmp(info.expression, "2*reduce(SQ_WAVES,sum)"), 0);
    IS(strcmp(info.description, "two of each"), 0);
    IS(rocprofiler_load_counter_definition(definition, length, append), ROCPROFILER_STATUS_ERROR);
}

#define CREATE(name, expression, agent, id)                                                        \
    rocprofiler_create_counter(name, strlen(name), expression, strlen(expression), NULL, 0, agent, \
                               id)

static void test_create_counter(void)
{
    rocprofiler_counter_id_t id = {0};
    rocprofiler_counter_info_v0_t info;
    ANSWERS(CREATE("THREE_WAVES", "3*reduce(SQ_WAVES,sum)", gpu, &id), SUCCESS);
    ANSWERS(rocprofiler_query_counter_info(id, ROCPROFILER_COUNTER_INFO_VERSION_0, &info), SUCCESS);
    IS(strcmp(info.name, "THREE_WAVES"), 0);
    IS(find("THREE_WAVES").handle, id.handle);
    REFUSES(CREATE("THREE_WAVES", "SQ_WAVES", gpu, &id), INVALID_ARGUMENT);
    REFUSES(CREATE("BAD_ONE", "2*(", gpu, &id), AST_GENERATION_FAILED);
    REFUSES(CREATE("BAD_TWO", "NO_SUCH_COUNTER+1", gpu, &id), AST_GENERATION_FAILED);
    REFUSES(CREATE("", "1", gpu, &id), INVALID_ARGUMENT);
    REFUSES(CREATE("X", "SQ_WAVES", gpu, NULL), INVALID_ARGUMENT);
    REFUSES(CREATE("X", "SQ_WAVES", (rocprofiler_agent_id_t){1}, &id), AGENT_NOT_FOUND);
}

/* ---- configurations ---- */

static void test_configs(void)
{
    rocprofiler_counter_id_t waves = find("SQ_WAVES"), none = {0};
    rocprofiler_counter_id_t twice[] = {waves, waves};
    rocprofiler_counter_config_id_t config = {0}, second;
    REFUSES(rocprofiler_create_counter_config(gpu, &waves, 1, NULL), INVALID_ARGUMENT);
    REFUSES(rocprofiler_create_counter_config(gpu, NULL, 1, &config), INVALID_ARGUMENT);
    REFUSES(rocprofiler_create_counter_config((rocprofiler_agent_id_t){1}, &waves, 1, &config),
            AGENT_NOT_FOUND);
    REFUSES(rocprofiler_create_counter_config(gpu, &none, 1, &config), COUNTER_NOT_FOUND);
    REFUSES(rocprofiler_create_counter_config(cpu, &waves, 1, &config), METRIC_NOT_VALID_FOR_AGENT);
    ANSWERS(rocprofiler_create_counter_config(gpu, twice, 2, &waves_config), SUCCESS);
    second = waves_config;
    rocprofiler_counter_id_t valu = find("SQ_INSTS_VALU");
    ANSWERS(rocprofiler_create_counter_config(gpu, &valu, 1, &second), SUCCESS);
    IS(second.handle != waves_config.handle, 1);
    ANSWERS(rocprofiler_destroy_counter_config(second), SUCCESS);
    REFUSES(rocprofiler_destroy_counter_config(second), PROFILE_NOT_FOUND);
    /* a handle that was never set, as clients hand it over */
    rocprofiler_counter_config_id_t never = {.handle = 0x5555555555555555};
    ANSWERS(rocprofiler_create_counter_config(gpu, &valu, 1, &second), SUCCESS);
    ANSWERS(rocprofiler_create_counter_config(gpu, &valu, 1, &never), SUCCESS);
    IS(never.handle != 0x5555555555555555 && never.handle != second.handle, 1);
    ANSWERS(rocprofiler_destroy_counter_config(second), SUCCESS);
    ANSWERS(rocprofiler_destroy_counter_config(never), SUCCESS);
    REFUSES(rocprofiler_destroy_counter_config(config), PROFILE_NOT_FOUND);
    /* SQ counts eight events at once, TA two */
    static const char *const names[] = {"TA_TA_BUSY", "TA_BUFFER_WAVEFRONTS", "TA_FLAT_WAVEFRONTS"};
    rocprofiler_counter_id_t three[3];
    for (int i = 0; i < 3; i++)
        three[i] = find(names[i]);
    ANSWERS(rocprofiler_create_counter_config(gpu, three, 2, &config), SUCCESS);
    config.handle = 0;
    REFUSES(rocprofiler_create_counter_config(gpu, three, 3, &config), EXCEEDS_HW_LIMIT);
}

/* The library has the beta releases' names too, for who looks them up. */
static void test_beta_names(void)
{
    __typeof__(rocprofiler_create_counter_config) *create =
        dlsym(RTLD_DEFAULT, "rocprofiler_create_profile_config");
    __typeof__(rocprofiler_destroy_counter_config) *destroy =
        dlsym(RTLD_DEFAULT, "rocprofiler_destroy_profile_config");
    IS(create && destroy, 1);
    if (!create || !destroy) return;
    rocprofiler_counter_id_t waves = find("SQ_WAVES");
    rocprofiler_counter_config_id_t config = {0};
    ANSWERS(create(gpu, &waves, 1, &config), SUCCESS);
    ANSWERS(destroy(config), SUCCESS);
    REFUSES(destroy(config), PROFILE_NOT_FOUND);
}

/* ---- services ---- */

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t data,
                        rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user,
                        void *mine)
{
    (void)data, (void)config, (void)user, (void)mine;
}

static void on_values(rocprofiler_dispatch_counting_service_data_t data,
                      rocprofiler_counter_record_t *values, size_t count,
                      rocprofiler_user_data_t user, void *mine)
{
    (void)data, (void)values, (void)count, (void)user, (void)mine;
}

static rocprofiler_device_counting_agent_cb_t kept;

static void on_start(rocprofiler_context_id_t context, rocprofiler_agent_id_t agent,
                     rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
    IS(agent.handle, gpu.handle);
    IS(*(int *)data, 5);
    kept = set_config;
    REFUSES(set_config((rocprofiler_context_id_t){0}, waves_config), CONTEXT_INVALID);
    REFUSES(set_config(plain, waves_config), CONTEXT_INVALID);
    REFUSES(set_config(context, (rocprofiler_counter_config_id_t){0}), PROFILE_NOT_FOUND);
    ANSWERS(set_config(context, waves_config), SUCCESS);
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)count, (void)data, (void)drop_count;
}

static int five = 5;

static void test_configure(void)
{
    rocprofiler_context_id_t no_context = {0};
    rocprofiler_buffer_id_t no_buffer = {0};
    rocprofiler_context_id_t *all[] = {&dispatches, &more_dispatches, &device, &other_device,
                                       &plain};
    for (int i = 0; i < 5; i++)
        ANSWERS(rocprofiler_create_context(all[i]), SUCCESS);
    ANSWERS(rocprofiler_create_buffer(device, 4096, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer),
            SUCCESS);
#define CALLBACKS(context, first, second)                                                          \
    rocprofiler_configure_callback_dispatch_counting_service(context, first, NULL, second, NULL)
    REFUSES(CALLBACKS(no_context, on_dispatch, on_values), CONTEXT_INVALID);
    REFUSES(CALLBACKS(dispatches, NULL, on_values), INVALID_ARGUMENT);
    REFUSES(CALLBACKS(dispatches, on_dispatch, NULL), INVALID_ARGUMENT);
    ANSWERS(CALLBACKS(dispatches, on_dispatch, on_values), SUCCESS);
    REFUSES(CALLBACKS(dispatches, on_dispatch, on_values), SERVICE_ALREADY_CONFIGURED);
#define BUFFERED(context, where, callback)                                                         \
    rocprofiler_configure_buffer_dispatch_counting_service(context, where, callback, NULL)
    REFUSES(BUFFERED(no_context, buffer, on_dispatch), CONTEXT_INVALID);
    REFUSES(BUFFERED(more_dispatches, no_buffer, on_dispatch), BUFFER_NOT_FOUND);
    REFUSES(BUFFERED(more_dispatches, buffer, NULL), INVALID_ARGUMENT);
    ANSWERS(BUFFERED(more_dispatches, buffer, on_dispatch), SUCCESS);
#define DEVICE(context, where, agent, callback)                                                    \
    rocprofiler_configure_device_counting_service(context, where, agent, callback, &five)
    REFUSES(DEVICE(no_context, buffer, gpu, on_start), CONTEXT_INVALID);
    REFUSES(DEVICE(device, no_buffer, gpu, on_start), BUFFER_NOT_FOUND);
    REFUSES(DEVICE(device, buffer, cpu, on_start), AGENT_NOT_FOUND);
    REFUSES(DEVICE(device, buffer, gpu, NULL), INVALID_ARGUMENT);
    REFUSES(DEVICE(dispatches, buffer, gpu, on_start), AGENT_DISPATCH_CONFLICT);
    ANSWERS(DEVICE(device, buffer, gpu, on_start), SUCCESS);
    REFUSES(DEVICE(device, buffer, gpu, on_start), INVALID_ARGUMENT);
    REFUSES(CALLBACKS(device, on_dispatch, on_values), AGENT_DISPATCH_CONFLICT);
    ANSWERS(DEVICE(other_device, buffer, gpu, on_start), SUCCESS);
    REFUSES(rocprofiler_configure_spm_service(plain, buffer, waves_config, 1), NOT_IMPLEMENTED);
}

#define SAMPLE(context, flags, records, count)                                                     \
    rocprofiler_sample_device_counting_service(context, (rocprofiler_user_data_t){.value = 1},     \
                                               ROCPROFILER_COUNTER_FLAG_##flags, records, count)

/* `up`: HSA has started, and with it what was asked to start before. */
static void test_contexts(int up)
{
    rocprofiler_counter_record_t records[8];
    size_t n = 8, small = 7, zero = 0;
    ANSWERS(rocprofiler_start_context(dispatches), SUCCESS);
    ANSWERS(rocprofiler_start_context(dispatches), SUCCESS);
    REFUSES(rocprofiler_start_context(more_dispatches), CONTEXT_CONFLICT);
    REFUSES(rocprofiler_start_context(device), CONTEXT_CONFLICT);
    ANSWERS(rocprofiler_start_context(plain), SUCCESS);
    REFUSES(SAMPLE(plain, NONE, records, &n), CONTEXT_INVALID);
    ANSWERS(rocprofiler_stop_context(plain), SUCCESS);
    ANSWERS(rocprofiler_stop_context(dispatches), SUCCESS);
    REFUSES(SAMPLE(device, NONE, records, &n), CONTEXT_NOT_STARTED);
    REFUSES(SAMPLE((rocprofiler_context_id_t){0}, NONE, records, &n), CONTEXT_NOT_FOUND);
    ANSWERS(rocprofiler_start_context(device), SUCCESS);
    REFUSES(rocprofiler_start_context(other_device), CONTEXT_CONFLICT);
    REFUSES(rocprofiler_start_context(dispatches), CONTEXT_CONFLICT);
    REFUSES(SAMPLE(device, ASYNC, records, &n), INVALID_ARGUMENT);
    REFUSES(SAMPLE(device, NONE, records, NULL), INVALID_ARGUMENT);
    REFUSES(SAMPLE(device, APPEND_DEFINITION, NULL, NULL), INVALID_ARGUMENT);
    REFUSES(SAMPLE(device, NONE, records, &zero), OUT_OF_RESOURCES);
    if (up) {
        REFUSES(kept(device, waves_config), CONFIGURATION_LOCKED);
        ANSWERS(SAMPLE(device, NONE, records, &n), SUCCESS);
        IS(n, number_of("API_ENGINES"));
        REFUSES(SAMPLE(device, NONE, records, &small), OUT_OF_RESOURCES);
        IS(small, number_of("API_ENGINES"));
        ANSWERS(SAMPLE(device, NONE, NULL, NULL), SUCCESS);
        ANSWERS(SAMPLE(device, ASYNC, NULL, NULL), SUCCESS);
        ANSWERS(SAMPLE(device, ASYNC, NULL, NULL), SUCCESS);
        REFUSES(CALLBACKS(plain, on_dispatch, on_values), CONFIGURATION_LOCKED);
        REFUSES(BUFFERED(plain, buffer, on_dispatch), CONFIGURATION_LOCKED);
        REFUSES(DEVICE(plain, buffer, gpu, on_start), CONFIGURATION_LOCKED);
    } else {
        REFUSES(SAMPLE(device, NONE, records, &n), HSA_NOT_LOADED);
    }
    ANSWERS(rocprofiler_stop_context(device), SUCCESS);
    ANSWERS(rocprofiler_start_context(other_device), SUCCESS);
    ANSWERS(rocprofiler_stop_context(other_device), SUCCESS);
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    static int once;
    (void)user, (void)data, (void)record;
    if (!once++) test_contexts(1);
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    static rocprofiler_context_id_t context;
    ANSWERS(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_t), NULL),
            SUCCESS);
    test_definitions();
    test_info();
    test_info_errors();
    test_create_counter();
    test_configs();
    test_beta_names();
    test_configure();
    test_contexts(0);
    ANSWERS(rocprofiler_create_context(&context), SUCCESS);
    watch_code_objects(context, on_code_object);
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    rocprofiler_counter_record_t records[8];
    size_t n = 8;
    REFUSES(SAMPLE(device, NONE, records, &n), FINALIZED);
    printf("%s checks, %d failed\n", checks > 100 ? "more than 100" : "too few", failures);
    fflush(stdout);
}

TOOL("api tool", initialize, finalize)
