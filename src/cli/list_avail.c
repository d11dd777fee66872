/* list_avail.c - librocprofv3-list-avail: agents and counters for callers that cannot use C
 * structures, such as Python's ctypes: numbers, texts, and an agent as JSON.
 *
 * It is a client of the public SDK; handles are the SDK's ids. If an argument does not fit, a
 * message goes to standard error and the outputs are not changed. Texts are never freed. */
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/pc_sampling.h>

#include "base/log.h"
#include "trace/agent-fields.h"

#define API __attribute__((visibility("default")))

typedef struct {
    const rocprofiler_agent_v0_t *agent;
    rocprofiler_counter_id_t *counters;
    size_t counter_count;
    rocprofiler_pc_sampling_configuration_t *samplings;
    size_t sampling_count;
    char *text; /* JSON, made at the first query */
} agent_t;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static agent_t *agents;
static size_t agent_count;

static void *copied(const void *from, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy) memcpy(copy, from, bytes);
    return copy;
}

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t id, rocprofiler_counter_id_t *ids,
                                        size_t count, void *data)
{
    (void)id;
    agent_t *a = data;
    a->counters = copied(ids, count * sizeof *ids);
    a->counter_count = a->counters ? count : 0;
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_samplings(const rocprofiler_pc_sampling_configuration_t *configs,
                                         size_t count, void *data)
{
    agent_t *a = data;
    a->samplings = copied(configs, count * sizeof *configs);
    a->sampling_count = a->samplings ? count : 0;
    return ROCPROFILER_STATUS_SUCCESS;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const agent_t *)a)->agent->id.handle, y = ((const agent_t *)b)->agent->id.handle;
    return x < y ? -1 : x > y;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **found,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    agents = calloc(count ? count : 1, sizeof *agents);
    if (!agents) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    agent_count = count;
    for (size_t i = 0; i < count; i++)
        agents[i].agent = found[i];
    qsort(agents, count, sizeof *agents, by_id);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Reads everything. For agents without counters or sampling the lists are empty. */
static void read_all(void)
{
    rocprofiler_status_t status = rocprofiler_query_available_agents(
        ROCPROFILER_AGENT_INFO_VERSION_0, on_agents, sizeof(rocprofiler_agent_v0_t), NULL);
    if (status != ROCPROFILER_STATUS_SUCCESS) base_warning("agents: status %d", status);
    for (size_t i = 0; i < agent_count; i++) {
        if (agents[i].agent->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        rocprofiler_iterate_agent_supported_counters(agents[i].agent->id, on_counters, &agents[i]);
        rocprofiler_query_pc_sampling_agent_configurations(agents[i].agent->id, on_samplings,
                                                           &agents[i]);
    }
}

static agent_t *find_agent(const char *function, uint64_t handle)
{
    pthread_once(&once, read_all);
    for (size_t i = 0; i < agent_count; i++)
        if (agents[i].agent->id.handle == handle) return &agents[i];
    base_warning("%s: no agent has the handle %llu", function, (unsigned long long)handle);
    return NULL;
}

static bool find_counter(const char *function, uint64_t handle, rocprofiler_counter_info_v1_t *info)
{
    *info = (rocprofiler_counter_info_v1_t){.size = sizeof *info};
    rocprofiler_status_t status = rocprofiler_query_counter_info(
        (rocprofiler_counter_id_t){handle}, ROCPROFILER_COUNTER_INFO_VERSION_1, info);
    if (status != ROCPROFILER_STATUS_SUCCESS)
        base_warning("%s: no counter has the handle %llu", function, (unsigned long long)handle);
    return status == ROCPROFILER_STATUS_SUCCESS;
}

/* Returns true if the caller has given room for exactly as many elements as there are. */
static bool fits(const char *function, size_t given, size_t count)
{
    if (given != count)
        base_warning("%s: room for %zu where there are %zu", function, given, count);
    return given == count;
}

API size_t get_number_of_agents(void);
API size_t get_number_of_agents(void)
{
    pthread_once(&once, read_all);
    return agent_count;
}

API void agent_handles(uint64_t *handles, size_t count);
API void agent_handles(uint64_t *handles, size_t count)
{
    if (!handles || !fits(__func__, count, get_number_of_agents())) return;
    for (size_t i = 0; i < count; i++)
        handles[i] = agents[i].agent->id.handle;
}

/* Puts a member into an object by its path; in "a.b", b is a member of the object a. */
static void put(json_t *to, const char *path, json_int_t value)
{
    const char *dot = strchr(path, '.');
    if (!dot) {
        json_object_set_new(to, path, json_integer(value));
        return;
    }
    char group[64];
    size_t length = (size_t)(dot - path);
    if (length >= sizeof group) return;
    memcpy(group, path, length);
    group[length] = 0;
    json_t *part = json_object_get(to, group);
    if (!part) {
        part = json_object();
        json_object_set_new(to, group, part);
    }
    put(part, dot + 1, value);
}

#define BIT(to, word, bit) put(to, #bit, (json_int_t)(word).bit)

static json_t *capability_of(const rocprofiler_agent_v0_t *a)
{
    json_t *to = json_object();
    __typeof__(a->capability.ui32) word = a->capability.ui32;
    BIT(to, word, HotPluggable);
    BIT(to, word, HSAMMUPresent);
    BIT(to, word, SharedWithGraphics);
    BIT(to, word, QueueSizePowerOfTwo);
    BIT(to, word, QueueSize32bit);
    BIT(to, word, QueueIdleEvent);
    BIT(to, word, VALimit);
    BIT(to, word, WatchPointsSupported);
    BIT(to, word, WatchPointsTotalBits);
    BIT(to, word, DoorbellType);
    BIT(to, word, AQLQueueDoubleMap);
    BIT(to, word, DebugTrapSupported);
    BIT(to, word, WaveLaunchTrapOverrideSupported);
    BIT(to, word, WaveLaunchModeSupported);
    BIT(to, word, PreciseMemoryOperationsSupported);
    BIT(to, word, DEPRECATED_SRAM_EDCSupport);
    BIT(to, word, Mem_EDCSupport);
    BIT(to, word, RASEventNotify);
    BIT(to, word, ASICRevision);
    BIT(to, word, SRAM_EDCSupport);
    BIT(to, word, SVMAPISupported);
    BIT(to, word, CoherentHostAccess);
    BIT(to, word, DebugSupportedFirmware);
    return to;
}

static json_t *versions_of(const rocprofiler_agent_v0_t *a, bool sdma)
{
    json_t *to = json_object();
    if (sdma) {
        BIT(to, a->sdma_fw_version, uCodeSDMA);
        BIT(to, a->sdma_fw_version, uCodeRes);
        return to;
    }
    BIT(to, a->fw_version.ui32, uCode);
    BIT(to, a->fw_version.ui32, Major);
    BIT(to, a->fw_version.ui32, Minor);
    BIT(to, a->fw_version.ui32, Stepping);
    return to;
}

/* Put the members of an element; bit-fields are handled below. */
#define U(to, key, value)     put(to, #key, (json_int_t)(value))
#define FLAGS(to, key, value) (void)0
#define X(key, member, form)  form(to, key, it->member);

static json_t *bank_of(const rocprofiler_agent_mem_bank_t *it)
{
    json_t *to = json_object(), *flags = json_object();
    TRACE_AGENT_BANK_FIELDS(X)
    BIT(flags, it->flags.ui32, HotPluggable);
    BIT(flags, it->flags.ui32, NonVolatile);
    json_object_set_new(to, "flags", flags);
    return to;
}

static json_t *cache_of(const rocprofiler_agent_cache_t *it)
{
    json_t *to = json_object(), *type = json_object();
    TRACE_AGENT_CACHE_FIELDS(X)
    BIT(type, it->type.ui32, Data);
    BIT(type, it->type.ui32, Instruction);
    BIT(type, it->type.ui32, CPU);
    BIT(type, it->type.ui32, HSACU);
    json_object_set_new(to, "type", type);
    return to;
}

static json_t *link_of(const rocprofiler_agent_io_link_t *it)
{
    json_t *to = json_object(), *flags = json_object();
    TRACE_AGENT_LINK_FIELDS(X)
    BIT(flags, it->flags.ui32, Override);
    BIT(flags, it->flags.ui32, NonCoherent);
    BIT(flags, it->flags.ui32, NoAtomics32bit);
    BIT(flags, it->flags.ui32, NoAtomics64bit);
    BIT(flags, it->flags.ui32, NoPeerToPeerDMA);
    json_object_set_new(to, "flags", flags);
    return to;
}

static json_t *visibility_of(const rocprofiler_agent_runtime_visiblity_t *it)
{
    json_t *to = json_object();
    TRACE_AGENT_VISIBLE_FIELDS(X)
    return to;
}
#undef X
#undef FLAGS
#undef U

#define ARRAY(to, key, function)                                                                   \
    do {                                                                                           \
        json_t *array = json_array();                                                              \
        for (uint32_t i = 0; i < a->key##_count; i++)                                              \
            json_array_append_new(array, function(&a->key[i]));                                    \
        json_object_set_new(to, #key, array);                                                      \
    } while (0)

static char *text_of(const rocprofiler_agent_v0_t *a)
{
    json_t *to = json_object();
    put(to, "size", (json_int_t)a->size);
    json_object_set_new(to, "id", json_pack("{s:I}", "handle", (json_int_t)a->id.handle));
#define X(column, member, form) put(to, #member, (json_int_t)a->member);
    TRACE_AGENT_FIELDS(X)
#undef X
    /* bit-fields are objects */
    put(to, "mem_banks_count", a->mem_banks_count);
    put(to, "caches_count", a->caches_count);
    put(to, "io_links_count", a->io_links_count);
    json_object_set_new(to, "sdma_fw_version", versions_of(a, true));
    json_object_set_new(to, "fw_version", versions_of(a, false));
    json_object_set_new(to, "capability", capability_of(a));
#define X(column, member) json_object_set_new(to, #member, json_string(a->member ? a->member : ""));
    TRACE_AGENT_TEXTS(X)
#undef X
    json_object_set_new(to, "runtime_visibility", visibility_of(&a->runtime_visibility));
    json_t *bytes = json_array();
    for (size_t i = 0; i < sizeof a->uuid.bytes; i++)
        json_array_append_new(bytes, json_integer(a->uuid.bytes[i]));
    json_object_set_new(to, "uuid", json_pack("{s:o}", "bytes", bytes));
    ARRAY(to, mem_banks, bank_of);
    ARRAY(to, caches, cache_of);
    ARRAY(to, io_links, link_of);
    put(to, "logical_node_type_id", a->logical_node_type_id);
    put(to, "gpu_index", a->type == ROCPROFILER_AGENT_TYPE_GPU ? a->logical_node_type_id : -1);
    char *text = json_dumps(to, JSON_COMPACT);
    json_decref(to);
    return text;
}

API void agent_info(uint64_t handle, const char **text);
API void agent_info(uint64_t handle, const char **text)
{
    agent_t *a = find_agent(__func__, handle);
    if (!a || !text) return;
    pthread_mutex_lock(&text_lock);
    if (!a->text) a->text = text_of(a->agent);
    if (a->text) *text = a->text;
    pthread_mutex_unlock(&text_lock);
}

API size_t get_number_of_agent_counters(uint64_t handle);
API size_t get_number_of_agent_counters(uint64_t handle)
{
    const agent_t *a = find_agent(__func__, handle);
    return a ? a->counter_count : 0;
}

API void agent_counter_handles(uint64_t *handles, uint64_t agent, size_t count);
API void agent_counter_handles(uint64_t *handles, uint64_t agent, size_t count)
{
    const agent_t *a = find_agent(__func__, agent);
    if (!a || !handles || !fits(__func__, count, a->counter_count)) return;
    for (size_t i = 0; i < count; i++)
        handles[i] = a->counters[i].handle;
}

API void counter_info(uint64_t handle, const char **name, const char **description,
                      uint8_t *is_derived, uint8_t *is_hw_constant);
API void counter_info(uint64_t handle, const char **name, const char **description,
                      uint8_t *is_derived, uint8_t *is_hw_constant)
{
    rocprofiler_counter_info_v1_t info;
    if (!find_counter(__func__, handle, &info)) return;
    if (name) *name = info.name;
    if (description) *description = info.description;
    if (is_derived) *is_derived = info.is_derived;
    if (is_hw_constant) *is_hw_constant = info.is_constant;
}

API void counter_block(uint64_t handle, const char **block);
API void counter_block(uint64_t handle, const char **block)
{
    rocprofiler_counter_info_v1_t info;
    if (find_counter(__func__, handle, &info) && block) *block = info.block;
}

API void counter_expression(uint64_t handle, const char **expression);
API void counter_expression(uint64_t handle, const char **expression)
{
    rocprofiler_counter_info_v1_t info;
    if (find_counter(__func__, handle, &info) && expression) *expression = info.expression;
}

API size_t get_number_of_dimensions(uint64_t handle);
API size_t get_number_of_dimensions(uint64_t handle)
{
    rocprofiler_counter_info_v1_t info;
    return find_counter(__func__, handle, &info) ? info.dimensions_count : 0;
}

API void counter_dimension_ids(uint64_t handle, uint64_t *ids, size_t count);
API void counter_dimension_ids(uint64_t handle, uint64_t *ids, size_t count)
{
    rocprofiler_counter_info_v1_t info;
    if (!find_counter(__func__, handle, &info) || !ids ||
        !fits(__func__, count, info.dimensions_count))
        return;
    for (size_t i = 0; i < count; i++)
        ids[i] = info.dimensions[i]->id;
}

API void counter_dimension(uint64_t handle, uint64_t id, const char **name, uint64_t *instances);
API void counter_dimension(uint64_t handle, uint64_t id, const char **name, uint64_t *instances)
{
    rocprofiler_counter_info_v1_t info;
    if (!find_counter(__func__, handle, &info)) return;
    for (uint64_t i = 0; i < info.dimensions_count; i++) {
        if (info.dimensions[i]->id != id) continue;
        if (name) *name = info.dimensions[i]->name;
        if (instances) *instances = info.dimensions[i]->instance_size;
    }
}

API size_t get_number_of_pc_sample_configs(uint64_t handle);
API size_t get_number_of_pc_sample_configs(uint64_t handle)
{
    const agent_t *a = find_agent(__func__, handle);
    return a ? a->sampling_count : 0;
}

API void pc_sample_config(uint64_t handle, uint64_t index, uint64_t *method, uint64_t *unit,
                          uint64_t *min_interval, uint64_t *max_interval, uint64_t *flags);
API void pc_sample_config(uint64_t handle, uint64_t index, uint64_t *method, uint64_t *unit,
                          uint64_t *min_interval, uint64_t *max_interval, uint64_t *flags)
{
    const agent_t *a = find_agent(__func__, handle);
    if (!a) return;
    if (index >= a->sampling_count) {
        base_warning("%s: index %llu of %zu", __func__, (unsigned long long)index,
                     a->sampling_count);
        return;
    }
    const rocprofiler_pc_sampling_configuration_t *config = &a->samplings[index];
    if (method) *method = config->method;
    if (unit) *unit = config->unit;
    if (min_interval) *min_interval = config->min_interval;
    if (max_interval) *max_interval = config->max_interval;
    if (flags) *flags = config->flags;
}

API bool is_counter_set(const uint64_t *handles, uint64_t agent, size_t count);
API bool is_counter_set(const uint64_t *handles, uint64_t agent, size_t count)
{
    const agent_t *a = find_agent(__func__, agent);
    rocprofiler_counter_id_t *ids = a && handles ? calloc(count ? count : 1, sizeof *ids) : NULL;
    if (!ids) return false;
    for (size_t i = 0; i < count; i++)
        ids[i].handle = handles[i];
    rocprofiler_counter_config_id_t config = {0};
    rocprofiler_status_t status =
        rocprofiler_create_counter_config(a->agent->id, ids, count, &config);
    if (status == ROCPROFILER_STATUS_SUCCESS) rocprofiler_destroy_counter_config(config);
    free(ids);
    return status == ROCPROFILER_STATUS_SUCCESS;
}
