/* probe.c - tools for the tests of librocprofiler64; the variable PROBE names the scenario.
 *
 * Each prints what must be the same in every run. */
#include <rocprofiler/rocprofiler.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    void (*load)(rocprofiler_settings_t *settings);
    void (*unload)(void);
} scenario_t;

static const char *message(void)
{
    const char *text = "";
    rocprofiler_error_string(&text);
    return text;
}

static void set(rocprofiler_queue_callbacks_t callbacks)
{
    if (rocprofiler_set_queue_callbacks(callbacks, (void *)&callbacks)) puts(message());
}

static void print(const rocprofiler_feature_t *f)
{
    if (f->data.kind == ROCPROFILER_DATA_KIND_INT64)
        printf(" %s=%" PRIu64, f->name, f->data.result_int64);
    else if (f->data.kind == ROCPROFILER_DATA_KIND_DOUBLE)
        printf(" %s=%g", f->name, f->data.result_double);
    else
        printf(" %s has data of kind %d", f->name, f->data.kind);
}

/* ---- times: records of all dispatches ---- */

static const rocprofiler_dispatch_record_t *records[100];
static atomic_uint record_count;

static hsa_status_t keep_record(const rocprofiler_callback_data_t *data, void *user,
                                rocprofiler_group_t *group)
{
    (void)user, (void)group;
    unsigned i = record_count++;
    if (i < 100) records[i] = data->record;
    return HSA_STATUS_SUCCESS;
}

static void load_times(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    settings->timestamp_on = 1;
    set((rocprofiler_queue_callbacks_t){.dispatch = keep_record});
}

static bool near(clockid_t clock, rocprofiler_time_id_t id, uint64_t timestamp)
{
    struct timespec t;
    uint64_t value, error;
    if (rocprofiler_get_time(id, timestamp, &value, &error) || error > 100000000) return false;
    clock_gettime(clock, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return value < now + error && now - value < 60000000000u;
}

static void unload_times(void)
{
    unsigned right = 0;
    for (unsigned i = 0; i < record_count; i++) {
        const rocprofiler_dispatch_record_t *r = records[i];
        uint64_t value;
        right += r && r->dispatch && r->dispatch <= r->begin && r->begin < r->end &&
                 r->end <= r->complete &&
                 near(CLOCK_REALTIME, ROCPROFILER_TIME_ID_CLOCK_REALTIME, r->end) &&
                 near(CLOCK_MONOTONIC, ROCPROFILER_TIME_ID_CLOCK_MONOTONIC, r->end) &&
                 rocprofiler_get_time(ROCPROFILER_TIME_ID_CLOCK_REALTIME, r->end, &value) == 0;
        free((void *)(uintptr_t)r);
    }
    printf("%u records, %u right\n", record_count, right);
}

/* ---- switch: callbacks are stopped after the first dispatch and removed by themselves ---- */

static atomic_uint seen, created, destroyed;

static hsa_status_t stop_after_first(const rocprofiler_callback_data_t *data, void *user,
                                     rocprofiler_group_t *group)
{
    (void)user, (void)group;
    printf("%s: agent %u, thread is %s, record is %s\n", data->kernel_name, data->agent_index,
           data->thread_id ? "known" : "unknown", data->record ? "there" : "not there");
    if (++seen == 1) rocprofiler_stop_queue_callbacks();
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_created(hsa_queue_t *queue, void *user)
{
    (void)user;
    created += queue != NULL;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_destroyed(hsa_queue_t *queue, void *user)
{
    (void)user;
    destroyed += queue != NULL;
    return HSA_STATUS_SUCCESS;
}

static void load_switch(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    set((rocprofiler_queue_callbacks_t){stop_after_first, queue_created, queue_destroyed});
    set((rocprofiler_queue_callbacks_t){.dispatch = keep_record});
}

static void unload_switch(void)
{
    rocprofiler_start_queue_callbacks();
    rocprofiler_remove_queue_callbacks();
    printf("%u seen, queues %s\n", seen, created && destroyed <= created ? "too" : "not seen");
    if (rocprofiler_remove_queue_callbacks()) puts(message());
    if (rocprofiler_stop_queue_callbacks()) puts(message());
}

/* ---- default: nothing is said of interception, which is on ---- */

static void load_default(rocprofiler_settings_t *settings)
{
    printf("intercept_mode %u\n", settings->intercept_mode);
    set((rocprofiler_queue_callbacks_t){.dispatch = keep_record});
}

static void unload_default(void)
{
    printf("%u dispatches\n", (unsigned)record_count);
}

/* ---- groups: more counters than one run takes ---- */

static rocprofiler_feature_t many[] = {
    {.name = "TCC_REQ"},  {.name = "TCC_READ"}, {.name = "TCC_WRITE"},   {.name = "TCC_HIT_sum"},
    {.name = "TCC_MISS"}, {.name = "SQ_WAVES"}, {.name = "GROUP_WAVES"}, {.name = "TCC_REQ[3]"},
    {.name = "SQ:4"},     {.name = "SQ:0"},     {.name = "SQ"}};
enum { MANY = sizeof many / sizeof *many };
static rocprofiler_t *wide;
static uint32_t wide_groups, next_group;

static void open_wide(hsa_agent_t agent)
{
    rocprofiler_t *narrow = NULL;
    many[MANY - 1].counter.event = 4; /* SQ_WAVES once more, by block and event */
    if (rocprofiler_open(agent, many, MANY, &narrow, ROCPROFILER_MODE_SINGLEGROUP, NULL))
        puts(message());
    if (rocprofiler_open(agent, many, MANY, &wide, 0, NULL) ||
        rocprofiler_group_count(wide, &wide_groups))
        puts(message());
    printf("%s\n", wide_groups > 1 ? "several groups" : "one group");
    if (rocprofiler_get_metrics(wide)) puts(message());
}

static hsa_status_t next_of_wide(const rocprofiler_callback_data_t *data, void *user,
                                 rocprofiler_group_t *group)
{
    (void)user;
    if (!wide) open_wide(data->agent);
    if (next_group == wide_groups) return HSA_STATUS_SUCCESS;
    return rocprofiler_get_group(wide, next_group++, group);
}

static void load_groups(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    set((rocprofiler_queue_callbacks_t){.dispatch = next_of_wide});
}

static void unload_groups(void)
{
    rocprofiler_group_t group;
    for (uint32_t i = 0; i < wide_groups; i++)
        if (rocprofiler_get_data(wide, i)) puts(message());
    if (rocprofiler_get_metrics(wide)) puts(message());
    for (unsigned i = 0; i < MANY; i++)
        if (strncmp(many[i].name, "TCC", 3)) print(&many[i]);
    printf("\n");
    bool sums = many[3].data.kind == ROCPROFILER_DATA_KIND_DOUBLE &&
                many[3].data.result_double > 0 && many[7].data.kind == ROCPROFILER_DATA_KIND_INT64;
    printf("sum over instances is %s\n", sums ? "there" : "missing");
    rocprofiler_get_group(wide, 0, &group);
    printf("group 0 has %s, context %s\n", group.feature_count ? "features" : "none",
           group.context == wide ? "right" : "wrong");
    if (rocprofiler_get_group(wide, wide_groups, &group)) printf("no such group\n");
    if (rocprofiler_close(wide)) puts(message());
    if (rocprofiler_close(wide)) puts("closed once");
}

/* ---- hsa: callbacks of HSA's own doings ---- */

static atomic_uint heard[6];
static atomic_uint code, unloads;

static hsa_status_t on_hsa(rocprofiler_hsa_cb_id_t id, const rocprofiler_hsa_callback_data_t *data,
                           void *arg)
{
    if (arg != heard) puts("another argument");
    heard[id]++;
    if (id == ROCPROFILER_HSA_CB_ID_ALLOCATE) code += data->allocate.is_code;
    if (id == ROCPROFILER_HSA_CB_ID_SUBMIT) printf("submit %s\n", data->submit.kernel_name);
    if (id == ROCPROFILER_HSA_CB_ID_KSYMBOL) {
        unloads += data->ksymbol.unload;
        printf("%s %.*s\n", data->ksymbol.unload ? "unload" : "symbol",
               (int)data->ksymbol.name_length, data->ksymbol.name);
    }
    return HSA_STATUS_SUCCESS;
}

static void load_hsa(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = settings->hsa_intercepting = settings->code_obj_tracking = 1;
    settings->memcopy_tracking = 1;
    rocprofiler_hsa_callbacks_t callbacks = {on_hsa, on_hsa, on_hsa, on_hsa, on_hsa, on_hsa};
    rocprofiler_set_hsa_callbacks(callbacks, heard);
    set((rocprofiler_queue_callbacks_t){.dispatch = keep_record});
}

static void unload_hsa(void)
{
    static const char *const names[] = {"allocate", "device",  "memcopy",
                                        "submit",   "ksymbol", "codeobj"};
    for (unsigned i = 0; i < 6; i++)
        printf("%s %s\n", names[i], heard[i] ? "heard" : "not heard");
    printf("%s\n", code ? "memory of code too" : "no memory of code");
}

/* ---- count: both profilers in one process ---- */

static void load_count(rocprofiler_settings_t *settings)
{
    load_times(settings);
}

static void unload_count(void)
{
    printf("v1 saw %u dispatches\n", record_count);
}

/* ---- handlers that close, in many threads ---- */

static atomic_ulong closed, waves;

static bool close_it(rocprofiler_group_t group, void *arg)
{
    rocprofiler_feature_t *feature = arg;
    if (rocprofiler_group_get_data(&group)) puts(message());
    waves += feature->data.result_int64;
    if (rocprofiler_close(group.context)) puts(message());
    free(feature);
    closed++;
    return true;
}

static hsa_status_t open_one(const rocprofiler_callback_data_t *data, void *user,
                             rocprofiler_group_t *group)
{
    (void)user;
    rocprofiler_t *context;
    rocprofiler_feature_t *feature = calloc(1, sizeof *feature);
    if (!feature) return HSA_STATUS_ERROR;
    feature->name = "SQ_WAVES";
    rocprofiler_properties_t properties = {.handler = close_it, .handler_arg = feature};
    seen++;
    if (rocprofiler_open(data->agent, feature, 1, &context, ROCPROFILER_MODE_SINGLEGROUP,
                         &properties)) {
        puts(message());
        return HSA_STATUS_ERROR;
    }
    return rocprofiler_get_group(context, 0, group);
}

static void load_threads(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    set((rocprofiler_queue_callbacks_t){.dispatch = open_one});
}

static void load_concurrent(rocprofiler_settings_t *settings)
{
    settings->k_concurrent = 1;
    load_threads(settings);
}

static void unload_threads(void)
{
    rocprofiler_remove_queue_callbacks();
    printf("%u dispatches, %lu closed, %lu waves\n", seen, closed, waves);
}

/* ---- shared, pooled: all contexts have the same features, read under a lock of the tool ---- */

static rocprofiler_feature_t common[] = {{.name = "GRBM_COUNT"},    {.name = "GRBM_GUI_ACTIVE"},
                                         {.name = "GPU_UTIL"},      {.name = "SQ_WAVES"},
                                         {.name = "SQ_INSTS_VALU"}, {.name = "VALUBusy"}};
enum { COMMON = sizeof common / sizeof *common };
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
static rocprofiler_pool_t *pool;
static atomic_uint complete,
    one_wave; /* the program's kernels have one; a copy of HIP's has more */

static void open_common(hsa_agent_t agent, rocprofiler_properties_t *properties,
                        rocprofiler_t **context)
{
    if (rocprofiler_open(agent, common, COMMON, context, 0, properties)) puts(message());
}

static void read_common(rocprofiler_group_t *group)
{
    if (rocprofiler_group_get_data(group) || rocprofiler_get_metrics(group->context))
        puts(message());
}

static void check_common(void)
{
    unsigned known = 0;
    for (unsigned i = 0; i < COMMON; i++)
        known += common[i].data.kind == ROCPROFILER_DATA_KIND_INT64 ||
                 common[i].data.kind == ROCPROFILER_DATA_KIND_DOUBLE;
    complete += known == COMMON;
    one_wave += known == COMMON && common[3].data.result_int64 == 1;
}

/* Contexts that are opened meanwhile, as for kernels of other threads, leave the data alone. */
static bool read_shared(rocprofiler_group_t group, void *unused)
{
    (void)unused;
    rocprofiler_t *other = NULL;
    hsa_agent_t agent;
    pthread_mutex_lock(&reading);
    read_common(&group);
    rocprofiler_get_agent(group.context, &agent);
    open_common(agent, NULL, &other);
    check_common();
    pthread_mutex_unlock(&reading);
    if (rocprofiler_close(other) || rocprofiler_close(group.context)) puts(message());
    return false;
}

static hsa_status_t open_shared(const rocprofiler_callback_data_t *data, void *user,
                                rocprofiler_group_t *group)
{
    (void)user;
    rocprofiler_properties_t properties = {.handler = read_shared};
    rocprofiler_t *context = NULL;
    seen++;
    open_common(data->agent, &properties, &context);
    return rocprofiler_get_group(context, 0, group);
}

static void load_shared(rocprofiler_settings_t *settings)
{
    (void)settings;
    set((rocprofiler_queue_callbacks_t){.dispatch = open_shared});
}

static bool read_pooled(const rocprofiler_pool_entry_t *entry, void *unused)
{
    (void)unused;
    rocprofiler_group_t *group = entry->payload;
    pthread_mutex_lock(&reading);
    read_common(group);
    check_common();
    pthread_mutex_unlock(&reading);
    return false;
}

static hsa_status_t fetch_pooled(const rocprofiler_callback_data_t *data, void *user,
                                 rocprofiler_group_t *group)
{
    (void)data, (void)user;
    rocprofiler_pool_entry_t entry = {0};
    seen++;
    if (rocprofiler_pool_fetch(pool, &entry) || rocprofiler_get_group(entry.context, 0, group))
        puts(message());
    *(rocprofiler_group_t *)entry.payload = *group;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t open_pool(hsa_agent_t agent, void *data)
{
    rocprofiler_pool_properties_t properties = {
        .num_entries = 100, .payload_bytes = sizeof(rocprofiler_group_t), .handler = read_pooled};
    hsa_device_type_t type;
    (void)data;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU &&
        rocprofiler_pool_open(agent, common, COMMON, &pool, 0, &properties))
        puts(message());
    return HSA_STATUS_SUCCESS;
}

static void load_pooled(rocprofiler_settings_t *settings)
{
    settings->timestamp_on = 1;
    hsa_iterate_agents(open_pool, NULL);
    set((rocprofiler_queue_callbacks_t){.dispatch = fetch_pooled});
}

static void unload_shared(void)
{
    rocprofiler_remove_queue_callbacks();
    printf("%u dispatches, %u complete, %u of one wave\n", seen, complete, one_wave);
}

/* ---- trace: the thread trace of a kernel, together with a counter ---- */

static const rocprofiler_parameter_t engines[] = {
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, 1}};
static rocprofiler_feature_t traced[] = {{.kind = ROCPROFILER_FEATURE_KIND_TRACE,
                                          .name = "THREAD_TRACE",
                                          .parameters = engines,
                                          .parameter_count = 1},
                                         {.name = "SQ_WAVES"}};
static rocprofiler_group_t trace_group;
static unsigned trace_parts;

static hsa_status_t open_trace(const rocprofiler_callback_data_t *data, void *user,
                               rocprofiler_group_t *group)
{
    (void)user;
    rocprofiler_t *context;
    if (trace_group.context) return HSA_STATUS_SUCCESS;
    if (rocprofiler_open(data->agent, traced, 2, &context, 0, NULL)) puts(message());
    hsa_status_t status = rocprofiler_get_group(context, 0, group);
    trace_group = *group;
    return status;
}

static hsa_status_t see_part(hsa_ven_amd_aqlprofile_info_type_t type,
                             hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    (void)data;
    trace_parts += type == HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA && info->trace_data.size > 0;
    return HSA_STATUS_SUCCESS;
}

static void load_trace(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    settings->trace_size = 1 << 20;
    set((rocprofiler_queue_callbacks_t){.dispatch = open_trace});
}

static void unload_trace(void)
{
    if (rocprofiler_group_get_data(&trace_group)) puts(message());
    const rocprofiler_bytes_t *bytes = &traced[0].data.result_bytes;
    printf("%u shader engine, %s of trace\n", bytes->instance_count,
           bytes->size && bytes->ptr ? "bytes" : "nothing");
    print(&traced[1]);
    if (rocprofiler_iterate_trace_data(trace_group.context, see_part, NULL)) puts(message());
    printf("\n%u part\n", trace_parts);
    if (rocprofiler_close(trace_group.context)) puts(message());
}

/* A trace that is too long for its buffer: what fits is there, and the rest is told of. */
static void load_overflow(rocprofiler_settings_t *settings)
{
    load_trace(settings);
    settings->trace_size = 389120; /* the least */
}

/* ---- lost: kernels that fail or do not end; others are counted ---- */

static rocprofiler_feature_t lost_features[100];
static rocprofiler_t *lost_contexts[100];

static hsa_status_t open_each(const rocprofiler_callback_data_t *data, void *user,
                              rocprofiler_group_t *group)
{
    (void)user;
    unsigned i = seen++;
    if (i >= 100) return HSA_STATUS_ERROR;
    lost_features[i].name = "SQ_WAVES";
    if (rocprofiler_open(data->agent, &lost_features[i], 1, &lost_contexts[i], 0, NULL))
        puts(message());
    return rocprofiler_get_group(lost_contexts[i], 0, group);
}

static void load_lost(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    settings->timeout = 100000000;
    set((rocprofiler_queue_callbacks_t){.dispatch = open_each});
}

static void unload_lost(void)
{
    unsigned counted = 0;
    for (unsigned i = 0; i < seen; i++) {
        if (rocprofiler_get_data(lost_contexts[i], 0))
            printf("kernel %u of %u: %s\n", i + 1, seen, message());
        else
            counted += lost_features[i].data.result_int64 > 0;
        if (rocprofiler_close(lost_contexts[i])) puts(message());
    }
    printf("%u counted\n", counted);
}

/* ---- conflicts: groups that cannot be counted are refused, the kernels run on ---- */

static rocprofiler_feature_t conflict_features[3] = {
    {.name = "SQ_WAVES"}, {.name = "SQ_WAVES"}, {.name = "SQ_WAVES"}};
static rocprofiler_t *elsewhere, *sampled, *refused;

static hsa_status_t other_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_t *found = data;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU || agent.handle == found->handle) return HSA_STATUS_SUCCESS;
    *found = agent;
    return HSA_STATUS_INFO_BREAK;
}

/* The first kernel gets a context of another GPU, the second comes while its GPU is sampled. */
static hsa_status_t give_wrong(const rocprofiler_callback_data_t *data, void *user,
                               rocprofiler_group_t *group)
{
    rocprofiler_properties_t properties = {.queue_depth = 64};
    hsa_agent_t other = data->agent;
    (void)user;
    if (++seen == 1) {
        hsa_iterate_agents(other_gpu, &other);
        if (rocprofiler_open(other, &conflict_features[0], 1, &elsewhere, 0, NULL)) puts(message());
        return rocprofiler_get_group(elsewhere, 0, group);
    }
    if (rocprofiler_open(data->agent, &conflict_features[1], 1, &sampled, 3, &properties) ||
        rocprofiler_start(sampled, 0) ||
        rocprofiler_open(data->agent, &conflict_features[2], 1, &refused, 0, NULL))
        puts(message());
    return rocprofiler_get_group(refused, 0, group);
}

static void load_conflicts(rocprofiler_settings_t *settings)
{
    settings->intercept_mode = 1;
    set((rocprofiler_queue_callbacks_t){.dispatch = give_wrong});
}

static void unload_conflicts(void)
{
    if (rocprofiler_get_data(elsewhere, 0)) puts(message());
    if (rocprofiler_get_data(refused, 0)) puts(message());
    if (rocprofiler_stop(sampled, 0) || rocprofiler_get_data(sampled, 0)) puts(message());
    printf("sampled %s\n", conflict_features[1].data.result_int64 >= 16 ? "all" : "too little");
    rocprofiler_close(elsewhere);
    rocprofiler_close(refused);
    rocprofiler_close(sampled);
}

/* ---- */

static const struct {
    const char *name;
    scenario_t scenario;
} scenarios[] = {
    {"default", {load_default, unload_default}},
    {"times", {load_times, unload_times}},
    {"switch", {load_switch, unload_switch}},
    {"groups", {load_groups, unload_groups}},
    {"hsa", {load_hsa, unload_hsa}},
    {"count", {load_count, unload_count}},
    {"threads", {load_threads, unload_threads}},
    {"concurrent", {load_concurrent, unload_threads}},
    {"shared", {load_shared, unload_shared}},
    {"pooled", {load_pooled, unload_shared}},
    {"trace", {load_trace, unload_trace}},
    {"overflow", {load_overflow, unload_trace}},
    {"lost", {load_lost, unload_lost}},
    {"conflicts", {load_conflicts, unload_conflicts}},
};

static const scenario_t *scenario(void)
{
    const char *name = getenv("PROBE");
    for (unsigned i = 0; name && i < sizeof scenarios / sizeof *scenarios; i++)
        if (!strcmp(scenarios[i].name, name)) return &scenarios[i].scenario;
    return NULL;
}

void OnLoadToolProp(rocprofiler_settings_t *settings)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (scenario()) scenario()->load(settings);
}

void OnUnloadTool(void)
{
    if (scenario()) scenario()->unload();
    fflush(stdout);
}
