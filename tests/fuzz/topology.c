/* topology.c - fuzz target: any bytes as the driver's description of a GPU.
 *
 * Read as text, or as fields with any numbers of a known or unknown GPU. The agent is read, and a
 * counter of each block of its architecture is planned on it: whatever the numbers are, that works
 * or is refused with one line. */
#include "counters_common.h"
#include "folder.h"
#include "base/log.h"
#include "sdk/agent/agent.h"

#include <sys/stat.h>

enum { TEXT_MAX = 1 << 16, ARCHS_MAX = 64 };

/* The SDK keeps its agents until the process ends. A shared library of the compiler's calls this. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static const char *const fields[] = {
#define CTR_X(name) #name,
    CTR_PROPERTIES(CTR_X)
#undef CTR_X
};
enum { FIELDS = sizeof fields / sizeof *fields };

void sdk_agent_set_visibility(rocprofiler_agent_v0_t *agent, const sdk_visible_t *visible)
{
    (void)agent, (void)visible;
}

static const ctr_catalogue_t *catalogue_of(const char *name)
{
    static ctr_catalogue_t *made[ARCHS_MAX];
    static ctr_definitions_t *definitions;
    for (size_t i = 0; i < gpus_count() && i < ARCHS_MAX; i++) {
        if (strcmp(gpus_at(i)->name, name) != 0) continue;
        if (!definitions && (!(definitions = ctr_definitions_create()) ||
                             ctr_definitions_add_builtin(definitions) != CTR_OK))
            abort();
        if (!made[i])
            ctr_catalogue_create(definitions, name, CTR_GENERATION_SDK, 0, check_report, NULL,
                                 &made[i], NULL);
        return made[i];
    }
    return NULL;
}

static void use_agent(const rocprofiler_agent_v0_t *a)
{
    const ctr_catalogue_t *catalogue = catalogue_of(a->name);
    ctr_agent_t agent = {0};
    uint32_t last = UINT32_MAX;
#define COPY(name) memcpy(&agent.name, &a->name, sizeof a->name < 8 ? sizeof a->name : 8);
    CTR_PROPERTIES(COPY)
#undef COPY
    for (size_t i = 0; catalogue && i < ctr_catalogue_count(catalogue); i++) {
        const ctr_counter_t *counter = ctr_catalogue_at(catalogue, i);
        ctr_error_t error = {0};
        ctr_plan_t *plan;
        if (counter->kind == CTR_HARDWARE && counter->block_id == last) continue;
        last = counter->block_id;
        if (ctr_plan_create(catalogue, &agent, &counter, 1, 0, &plan, &error) != CTR_OK)
            check_report(&error, NULL);
        ctr_plan_destroy(plan);
    }
}

static size_t write_fields(char *text, const uint8_t *data, size_t size)
{
    const uint32_t target =
        size && *data < gpus_count() ? gpus_at(*data)->target : (uint32_t)(size ? *data : 0) << 9;
    size_t used = (size_t)sprintf(text, "simd_count 4\ngfx_target_version %u\n", target);
    for (size_t at = 1; at + 5 <= size && used < TEXT_MAX - 100; at += 5) {
        uint32_t value;
        memcpy(&value, data + at + 1, sizeof value);
        if (data[at] & 0x80) value &= 0xff; /* numbers that can be are tried often, too */
        used += (size_t)sprintf(text + used, "%s %u\n", fields[data[at] % FIELDS], value);
    }
    return used;
}

static void put(const char *name, const void *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/0/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[TEXT_MAX];
    char path[128];
    size_t count;
    base_log_level = BASE_LOG_NONE;
    if (!*folder) folder_make();
    snprintf(path, sizeof path, "%s/0", folder);
    mkdir(path, 0700);
    if (size && *data == 0xff)
        put("properties", data + 1, size - 1);
    else
        put("properties", text, write_fields(text, data, size < TEXT_MAX ? size : TEXT_MAX));
    put("gpu_id", data, size < 40 ? size : 40);
    put("name", data, size < 600 ? size : 600);
    const rocprofiler_agent_v0_t *const *agents = sdk_topology_read(folder, &count);
    for (size_t i = 0; i < count; i++)
        use_agent(agents[i]);
    folder_clear(folder);
    return 0;
}
