/* att.c - see att.h. There are three ways of tracing, by the SDK's two services:
 *
 * one kernel at a time (dispatch service); a selected kernel and the N that follow it (device
 * service in a context of its own, started and stopped here); all that runs while the traced
 * context is active (device service in that context: --selected-regions, --att-no-intercept). */
#include "tool/att.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rocprofiler-sdk/experimental/thread_trace.h>

#include "base/file.h"
#include "base/log.h"
#include "gpus/gpus.h"
#include "tool/selects.h"
#include "tool/sink.h"
#include "trace/att.h"
#include "trace/settings.h"
#include "trace/store.h"

enum { AGENTS_MAX = 64, COUNTERS_MAX = 8, PARAMETERS_MAX = 16, NAME_MAX_BYTES = 64 };

typedef struct {
    rocprofiler_agent_id_t id;
    int index;        /* index among the GPUs */
    uint32_t units;   /* most units of a shader array; 0: not known */
    const char *unit; /* what the units are called */
} agent_t;

static struct {
    agent_t agents[AGENTS_MAX];
    size_t agent_count;
    /* A batch is a trace of several kernels. */
    rocprofiler_context_id_t batch; /* context in which batches are traced */
    uint64_t batch_kernels;         /* how many kernels a batch has after its first */
    pthread_mutex_t lock;           /* guards the next three members */
    uint64_t batch_id;              /* id of the batch's first dispatch; 0: no batch is being
                                     * traced */
    uint64_t ended;                 /* dispatches of the batch that have ended */
    uint64_t regions;               /* number of traces of the device service in the traced
                                     * context */
} att = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool tool_att_wanted(void)
{
    return trace_setting_on(TRACE_SET_ATT) || trace_setting_on(TRACE_SET_ATT_NO_INTERCEPT);
}

/* Returns whether the index is in the list, or the list is empty. */
static bool listed(const char *list, int index)
{
    char *end;
    if (!list || !*list) return true;
    for (const char *at = list; *at;) {
        if (*at == ',' || *at == ' ') {
            at++;
            continue;
        }
        const long number = strtol(at, &end, 10);
        if (end == at) return false;
        if (number == index) return true;
        at = end;
    }
    return false;
}

void tool_att_agent(const rocprofiler_agent_v0_t *agent)
{
    if (agent->type != ROCPROFILER_AGENT_TYPE_GPU || att.agent_count == AGENTS_MAX) return;
    if (!listed(trace_setting_given(TRACE_SET_ATT_GPU_INDEX), agent->logical_node_type_id)) return;
    att.agents[att.agent_count++] =
        (agent_t){.id = agent->id,
                  .index = agent->logical_node_type_id,
                  .units = gpus_units(agent->name, agent->cu_per_simd_array),
                  .unit = gpus_unit_name(agent->name)};
}

/* The words of the message are AMD's: scripts that search the output of AMD's tool for it find it
 * here, too. */
static void tell_absent(const char *list)
{
    for (const char *at = list; at && *at;) {
        char *end;
        const long number = strtol(at, &end, 10);
        bool there = false;
        if (end == at) {
            at++;
            continue;
        }
        for (size_t i = 0; i < att.agent_count && !there; i++)
            there = att.agents[i].index == number;
        if (!there) base_error("Invalid GPU Device Index: %ld", number);
        at = end;
    }
}

/* ---- files of the store ---- */

static void tell_lost(const char *path, int failure)
{
    base_error("a thread trace or the code of a kernel is lost: %s: %s", path, strerror(failure));
}

/* Writes the whole file, or leaves none. */
static void save_as(const char *path, const void *data, size_t size)
{
    base_file_limit_t limit;
    base_file_limit_begin(&limit, true);
    const int fd = base_file_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && base_file_write(fd, data, size);
    int failure = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        failure = errno;
    }
    base_file_limit_end(&limit);
    if (good) return;
    tell_lost(path, failure);
    if (fd >= 0) unlink(path);
}

static void save(const char *name, const void *data, size_t size)
{
    char path[PATH_MAX];
    if (tool_sink_path(name, path)) save_as(path, data, size);
}

static void on_data(rocprofiler_agent_id_t agent, int64_t engine, void *data, size_t size,
                    rocprofiler_user_data_t user)
{
    char name[NAME_MAX_BYTES];
    uint64_t id = user.value;
    if (!id) {
        pthread_mutex_lock(&att.lock);
        id = att.batch.handle ? att.batch_id : att.regions;
        pthread_mutex_unlock(&att.lock);
    }
    snprintf(name, sizeof(name), TRACE_ATT_DATA_FORMAT, agent.handle, engine, id);
    save(name, data, size);
}

static void save_file(const char *name, int fd)
{
    struct stat st;
    char *data = fstat(fd, &st) == 0 && st.st_size > 0 ? malloc((size_t)st.st_size) : NULL;
    ssize_t n = data ? pread(fd, data, (size_t)st.st_size, 0) : -1;
    if (n == st.st_size)
        save(name, data, (size_t)n);
    else
        base_error("the code of a kernel is lost: reading it: %s", strerror(errno));
    free(data);
}

void tool_att_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *o)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof(name), TRACE_ATT_CODE_FORMAT, o->code_object_id);
    if (o->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE)
        save_file(name, o->storage_file);
    else
        save(name, (const void *)(uintptr_t)o->memory_base, o->memory_size);
}

/* Makes a hard link where that is possible: the parent's store may be removed before the child's is
 * read. */
void tool_att_inherit_code(const char *from, const char *to, uint64_t object)
{
    char name[NAME_MAX_BYTES], theirs[PATH_MAX], ours[PATH_MAX];
    size_t size;
    snprintf(name, sizeof(name), TRACE_ATT_CODE_FORMAT, object);
    if (trace_join(theirs, sizeof(theirs), from, name) != 0 ||
        trace_join(ours, sizeof(ours), to, name) != 0 || link(theirs, ours) == 0 || errno == ENOENT)
        return;
    char *data = base_file_read(theirs, SIZE_MAX, &size);
    if (data)
        save_as(ours, data, size);
    else
        tell_lost(theirs, errno);
    free(data);
}

/* ---- one kernel at a time ---- */

static rocprofiler_thread_trace_control_flags_t
on_dispatch(rocprofiler_agent_id_t agent, rocprofiler_queue_id_t queue,
            rocprofiler_async_correlation_id_t correlation, rocprofiler_kernel_id_t kernel,
            rocprofiler_dispatch_id_t dispatch, void *data, rocprofiler_user_data_t *user)
{
    (void)agent, (void)queue, (void)correlation, (void)data;
    user->value = dispatch;
    return tool_selects(kernel) ? ROCPROFILER_THREAD_TRACE_CONTROL_START_AND_STOP
                                : ROCPROFILER_THREAD_TRACE_CONTROL_NONE;
}

/* ---- several kernels at once ---- */

static bool is_traced(rocprofiler_agent_id_t agent)
{
    for (size_t i = 0; i < att.agent_count; i++)
        if (att.agents[i].id.handle == agent.handle) return true;
    return false;
}

/* Called before a kernel is launched: begins a batch if none runs and the kernel is selected. */
static void begin_one(const rocprofiler_kernel_dispatch_info_t *info)
{
    bool start = false;
    pthread_mutex_lock(&att.lock);
    if (!att.batch_id && tool_selects(info->kernel_id)) {
        att.batch_id = info->dispatch_id;
        att.ended = 0;
        start = true;
    }
    pthread_mutex_unlock(&att.lock);
    if (!start) return;
    const rocprofiler_status_t status = rocprofiler_start_context(att.batch);
    if (status == ROCPROFILER_STATUS_SUCCESS) return;
    base_error("kernels are not traced: %s", rocprofiler_get_status_string(status));
    pthread_mutex_lock(&att.lock);
    att.batch_id = 0;
    pthread_mutex_unlock(&att.lock);
}

static void end_batch(void)
{
    rocprofiler_stop_context(att.batch); /* this calls on_data(), which needs batch_id */
    pthread_mutex_lock(&att.lock);
    att.batch_id = 0;
    pthread_mutex_unlock(&att.lock);
}

static void end_one(const rocprofiler_kernel_dispatch_info_t *info)
{
    pthread_mutex_lock(&att.lock);
    const bool counts = att.batch_id && info->dispatch_id >= att.batch_id;
    const bool last = counts && ++att.ended == att.batch_kernels + 1;
    pthread_mutex_unlock(&att.lock);
    if (last) end_batch();
}

static void on_kernel(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                      void *data)
{
    const rocprofiler_callback_tracing_kernel_dispatch_data_t *d = record.payload;
    (void)user, (void)data;
    if (!is_traced(d->dispatch_info.agent_id)) return;
    if (record.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE &&
        record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
        begin_one(&d->dispatch_info);
    else if (record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE)
        end_one(&d->dispatch_info);
}

void tool_att_stop(void)
{
    pthread_mutex_lock(&att.lock);
    const bool runs = att.batch_id;
    pthread_mutex_unlock(&att.lock);
    if (runs) end_batch();
}

/* ---- regions ---- */

static void on_region(rocprofiler_agent_id_t agent, int64_t engine, void *data, size_t size,
                      rocprofiler_user_data_t user)
{
    /* the data of a region arrives after its end, in the order of agents and engines; if the order
     * starts again, the data is the next region's */
    static int64_t last_engine = INT64_MAX;
    static uint64_t last_agent;
    pthread_mutex_lock(&att.lock);
    if (agent.handle < last_agent || (agent.handle == last_agent && engine <= last_engine) ||
        !att.regions)
        att.regions++;
    last_agent = agent.handle;
    last_engine = engine;
    pthread_mutex_unlock(&att.lock);
    on_data(agent, engine, data, size, user);
}

/* ---- configuration ---- */

typedef struct {
    rocprofiler_thread_trace_parameter_t items[PARAMETERS_MAX];
    size_t count;
} parameters_t;

static void add(parameters_t *p, uint32_t type, uint64_t value)
{
    p->items[p->count++] = (rocprofiler_thread_trace_parameter_t){
        .type = (rocprofiler_thread_trace_parameter_type_t)type, .value = value};
}

typedef struct {
    const char *name;
    size_t length;
    rocprofiler_counter_id_t id;
} search_t;

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    search_t *s = data;
    (void)agent;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v0_t info;
        if (rocprofiler_query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0,
                                           &info) == ROCPROFILER_STATUS_SUCCESS &&
            !strncasecmp(info.name, s->name, s->length) && !info.name[s->length])
            s->id = counters[i];
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Reads NAME or NAME:simds, with the SIMDs as a hexadecimal mask. */
static bool add_counter(parameters_t *p, const agent_t *agent, const char *word, size_t length)
{
    const char *colon = memchr(word, ':', length);
    search_t search = {.name = word, .length = colon ? (size_t)(colon - word) : length};
    rocprofiler_iterate_agent_supported_counters(agent->id, on_counters, &search);
    if (!search.id.handle) {
        base_error("GPU %d has no counter %.*s to be sampled", agent->index, (int)search.length,
                   word);
        return false;
    }
    const unsigned long simds = colon ? strtoul(colon + 1, NULL, 16) : 0;
    p->items[p->count++] = (rocprofiler_thread_trace_parameter_t){
        .type = ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER,
        .counter_id = search.id,
        .simd_mask = simds & 15};
    return true;
}

static bool add_counters(parameters_t *p, const agent_t *agent)
{
    const char *list = trace_setting_given(TRACE_SET_ATT_PERFCOUNTERS), *separators = " ,\n";
    const uint64_t period = trace_setting_number(TRACE_SET_ATT_PERFCOUNTER_CTRL);
    size_t count = 0;
    if (!list || !period) return true; /* both are given or none, which rocprofv3 has checked */
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTERS_CTRL, period);
    for (const char *at = list + strspn(list, separators); *at;) {
        const size_t length = strcspn(at, separators);
        if (++count > COUNTERS_MAX) {
            base_error("a trace samples %d counters at most", COUNTERS_MAX);
            return false;
        }
        if (!add_counter(p, agent, at, length)) return false;
        at += length;
        at += strspn(at, separators);
    }
    return true;
}

/* Warns about a unit that the GPU lacks: it would run no wave, and the trace would be empty without
 * a reason. The AQL profile library refuses engines that the GPU lacks when it makes the
 * packets. */
static void warn_of_target(const agent_t *agent, uint64_t unit)
{
    if (agent->units && unit >= agent->units)
        base_warning("GPU %d has no %s %d: a shader array of it has %u, counted from 0; "
                     "the trace will hold no instructions (--att-target-cu)",
                     agent->index, agent->unit, (int)unit, agent->units);
}

static bool fill(parameters_t *p, const agent_t *agent)
{
    const bool only = agent->units == 1 && !trace_setting_given(TRACE_SET_ATT_TARGET_CU);
    const uint64_t unit = only ? 0 : trace_setting_number(TRACE_SET_ATT_TARGET_CU);
    warn_of_target(agent, unit);
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU, unit);
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_SHADER_ENGINE_MASK,
        trace_setting_number(TRACE_SET_ATT_SHADER_ENGINE_MASK));
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE,
        trace_setting_number(TRACE_SET_ATT_BUFFER_SIZE));
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_SIMD_SELECT,
        trace_setting_number(TRACE_SET_ATT_SIMD_SELECT));
    add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_SERIALIZE_ALL,
        trace_setting_on(TRACE_SET_ATT_SERIALIZE_ALL));
    if (trace_setting_on(TRACE_SET_ATT_NO_DETAIL))
        add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_NO_DETAIL, 1);
    if (trace_setting_on(TRACE_SET_ATT_PERFCOUNTER_TARGET_ONLY))
        add(p, ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER_EXCLUDE_MASK,
            /* masks the unit out in both arrays of an engine */
            UINT32_MAX & ~(UINT64_C(0x10001) << unit));
    return add_counters(p, agent);
}

typedef enum { KERNELS, BATCHES, REGIONS } way_t;

static way_t chosen(void)
{
    if (trace_setting_on(TRACE_SET_ATT_NO_INTERCEPT) ||
        trace_setting_on(TRACE_SET_SELECTED_REGIONS))
        return REGIONS;
    att.batch_kernels = trace_setting_number(TRACE_SET_ATT_CONSECUTIVE_KERNELS);
    return att.batch_kernels ? BATCHES : KERNELS;
}

static rocprofiler_status_t add_service(rocprofiler_context_id_t context, const agent_t *agent,
                                        parameters_t *p, way_t way)
{
    const rocprofiler_user_data_t none = {0};
    if (way == KERNELS)
        return rocprofiler_configure_dispatch_thread_trace_service(
            context, agent->id, p->items, p->count, on_dispatch, on_data, NULL);
    return rocprofiler_configure_device_thread_trace_service(
        context, agent->id, p->items, p->count, way == REGIONS ? on_region : on_data, none);
}

bool tool_att_configure(rocprofiler_context_id_t traced)
{
    char why[512];
    bool any = false;
    const way_t way = chosen();
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    if (!tool_selects_read(why, sizeof(why))) {
        base_error("nothing is traced: %s", why);
        return false;
    }
    if (way == BATCHES) {
        status = rocprofiler_create_context(&att.batch);
        if (status == ROCPROFILER_STATUS_SUCCESS)
            status = rocprofiler_configure_callback_tracing_service(
                traced, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0, on_kernel, NULL);
    }
    tell_absent(trace_setting_given(TRACE_SET_ATT_GPU_INDEX));
    for (size_t i = 0; i < att.agent_count && status == ROCPROFILER_STATUS_SUCCESS; i++) {
        parameters_t p = {.count = 0};
        if (!fill(&p, &att.agents[i])) continue;
        status = add_service(way == BATCHES ? att.batch : traced, &att.agents[i], &p, way);
        any |= status == ROCPROFILER_STATUS_SUCCESS;
    }
    if (status != ROCPROFILER_STATUS_SUCCESS)
        base_error("nothing is traced: %s", rocprofiler_get_status_string(status));
    else if (!any)
        base_error("nothing is traced: %s",
                   att.agent_count ? "the counters that are to be sampled" : "no GPU is chosen");
    return any && status == ROCPROFILER_STATUS_SUCCESS;
}
