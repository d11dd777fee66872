/* agent.c - agents: the GPU of each, and its number of XCCs, engines, arrays and units.
 *
 * It is apart because the two interfaces get these facts in different ways: the first queries the
 * HSA runtime, in the second the caller describes the agent. gpu.c has the facts about GPUs. */
#include "aqlprofile/internal.h"

#include "base/driver.h"

#include <hsa/hsa_ext_amd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ENGINES_MAX: SE_INDEX has 8 bits, but no GPU has more engines than this. */
enum { AGENTS_MAX = 256, ENGINES_MAX = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static aql_agent_t agents[AGENTS_MAX]; /* the registered agents; a handle is an index + 1 */
static uint32_t agent_count;

static hsa_status_t fill(aql_agent_t *agent, const char *name, uint32_t xccs, uint32_t engines,
                         uint32_t units, uint32_t arrays)
{
    const aql_gpu_t *gpu;
    hsa_status_t status = aql_gpu_named(name, &gpu);
    if (status) return status;
    if (!engines || engines > ENGINES_MAX || !units || !arrays)
        return aql_fail(
            HSA_STATUS_ERROR_INVALID_ARGUMENT,
            "an agent of %u shader engines (at most %d), %u compute units and %u shader "
            "arrays per engine cannot be",
            engines, ENGINES_MAX, units, arrays);
    if (gpu->xccs == 1 && xccs != 1)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s has 1 XCC, not %u", gpu->name, xccs);
    if (!xccs || xccs > gpu->xccs || engines % xccs)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s has 1 to %u XCCs with as many engines each, not %u with %u engines",
                        gpu->name, gpu->xccs, xccs, engines);
    memset(agent, 0, sizeof *agent);
    agent->gpu = gpu;
    agent->xccs = xccs;
    agent->engines = engines;
    agent->units = units;
    agent->arrays = arrays;
    return HSA_STATUS_SUCCESS;
}

/* Looks the function up in a library that is loaded already. The library is not loaded here, since
 * a program without it has no agents. */
static void find_function(const char *library_name, const char *name, void **function)
{
    *function = dlsym(RTLD_DEFAULT, name);
    if (*function) return;
    void *library = dlopen(library_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    *function = dlsym(library, name);
    dlclose(library);
}

void aql_runtime_function(const char *name, void **function)
{
    find_function("libhsa-runtime64.so.1", name, function);
}

void aql_thunk_function(const char *name, void **function)
{
    find_function("libhsakmt.so.1", name, function);
}

/* Reads each node's file once, since the first interface needs it at every call. */
static aql_wide_t wide_of_node(uint32_t node)
{
    static bool known[AGENTS_MAX];
    static aql_wide_t wide[AGENTS_MAX];
    if (node >= AGENTS_MAX) return (aql_wide_t){0};
    pthread_mutex_lock(&lock);
    if (!known[node]) wide[node] = aql_wide_of_node(BASE_DRIVER_NODES, node);
    known[node] = true;
    aql_wide_t found = wide[node];
    pthread_mutex_unlock(&lock);
    return found;
}

/* Returns the frequency of the agent's clock in kHz, which runtimes from ROCm 6 on report; else
 * 0. */
static uint32_t clock_of(__typeof__(hsa_agent_get_info) *get_info, hsa_agent_t handle)
{
    enum { TIMESTAMP_FREQUENCY = 0xa016, KHZ = 1000, MOST = 0xfffff };
    uint64_t hertz = 0;
    if (get_info(handle, (hsa_agent_info_t)TIMESTAMP_FREQUENCY, &hertz)) return 0;
    return hertz / KHZ <= MOST ? (uint32_t)(hertz / KHZ) : 0; /* a trace's marker has 20 bits */
}

/* Returns the number of XCCs. Runtimes that do not report it support no GPU with several. */
static uint32_t xccs_of(__typeof__(hsa_agent_get_info) *get_info, hsa_agent_t handle)
{
    enum { NUM_XCC = 0xa111 };
    uint32_t xccs = 0;
    return get_info(handle, (hsa_agent_info_t)NUM_XCC, &xccs) || !xccs ? 1 : xccs;
}

hsa_status_t aql_agent_from_hsa(hsa_agent_t handle, aql_agent_t *agent)
{
    __typeof__(hsa_agent_get_info) *get_info = NULL;
    char name[64] = "";
    uint32_t units = 0, engines = 0, arrays = 0;
    aql_runtime_function("hsa_agent_get_info", (void **)&get_info);
    if (!get_info)
        return aql_fail(HSA_STATUS_ERROR_NOT_INITIALIZED, "the HSA runtime is not loaded");
    hsa_status_t status = get_info(handle, HSA_AGENT_INFO_NAME, name);
    const struct {
        hsa_amd_agent_info_t attribute;
        uint32_t *value;
    } counts[] = {{HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &units},
                  {HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, &engines},
                  {HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE, &arrays}};
    for (size_t i = 0; !status && i < sizeof counts / sizeof *counts; i++)
        status = get_info(handle, (hsa_agent_info_t)counts[i].attribute, counts[i].value);
    if (status)
        return aql_fail(status, "the HSA runtime does not describe agent 0x%llx, status 0x%x",
                        (unsigned long long)handle.handle, status);
    name[sizeof name - 1] = 0;
    status = fill(agent, name, xccs_of(get_info, handle), engines, units, arrays);
    uint32_t node;
    if (!status && !get_info(handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, &node))
        agent->wide = wide_of_node(node);
    if (!status) agent->clock_khz = clock_of(get_info, handle);
    return status;
}

hsa_status_t aql_agent_register(const aqlprofile_agent_info_t *info,
                                const aqlprofile_agent_info_v1_t *located,
                                aqlprofile_agent_handle_t *handle)
{
    aql_agent_t agent;
    if (!handle || !info || !info->agent_gfxip)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s is NULL",
                        !handle ? "agent_id"
                        : !info ? "agent_info"
                                : "agent_gfxip");
    hsa_status_t status = fill(&agent, info->agent_gfxip, info->xcc_num, info->se_num, info->cu_num,
                               info->shader_arrays_per_se);
    if (status) return status;
    if (located) agent.wide = aql_wide_at(BASE_DRIVER_NODES, located->domain, located->location_id);
    pthread_mutex_lock(&lock);
    uint32_t at = 0;
    while (at < agent_count && memcmp(&agents[at], &agent, sizeof agent))
        at++;
    if (at == AGENTS_MAX) {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                          "%d different agents are registered, which are the most", AGENTS_MAX);
    } else {
        if (at == agent_count) agents[agent_count++] = agent;
        handle->handle = at + 1;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

hsa_status_t aql_agent_get(aqlprofile_agent_handle_t handle, aql_agent_t *agent)
{
    pthread_mutex_lock(&lock);
    bool known = handle.handle && handle.handle <= agent_count;
    if (known) *agent = agents[handle.handle - 1];
    pthread_mutex_unlock(&lock);
    return known ? HSA_STATUS_SUCCESS
                 : aql_fail(HSA_STATUS_ERROR_INVALID_AGENT, "no agent is registered as 0x%llx",
                            (unsigned long long)handle.handle);
}
