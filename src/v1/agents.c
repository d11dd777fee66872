/* agents.c - the GPUs: properties for the counter engine, their counters, memory for packets.
 *
 * Agents are listed once after each start of the runtime; catalogues are made on first use. */
#include "v1/v1.h"

#include "base/env.h"
#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/host_memory.h"
#include "hsa/owner.h"

#include <stdlib.h>
#include <string.h>

enum { AGENTS_MAX = 128, CACHED_MAX = 256 };

pthread_mutex_t v1_catalogue_lock = PTHREAD_MUTEX_INITIALIZER;
static v1_agent_t agents[AGENTS_MAX];
static unsigned agent_count;

/* ---- agents ---- */

static uint32_t number(hsa_agent_t agent, unsigned what, uint32_t otherwise)
{
    uint32_t value[4] = {0};
    if (hsax.core.hsa_agent_get_info_fn(agent, (hsa_agent_info_t)what, value)) return otherwise;
    return value[0];
}

/* Queries from the AQL profile library how many events each block counts at once. */
static void query_slots(v1_agent_t *a)
{
    for (uint32_t block = 0; block < CTR_BLOCK_IDS; block++) {
        const hsa_ven_amd_aqlprofile_event_t event = {
            .block_name = (hsa_ven_amd_aqlprofile_block_name_t)block};
        const hsa_ven_amd_aqlprofile_profile_t profile = {
            .agent = a->hsa, .events = &event, .event_count = 1};
        uint32_t slots = 0;
        if (!hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS,
                                             &slots))
            a->properties.slots[block] = slots;
    }
}

static void read_properties(v1_agent_t *a)
{
    enum { NUM_XCC = 0xA111 }; /* HSA_AMD_AGENT_INFO_NUM_XCC of ROCm 6 */
    ctr_agent_t *p = &a->properties;
    hsa_agent_t h = a->hsa;
    p->cu_count = number(h, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, 1);
    const gpus_arch_t *arch = gpus_find(a->gfx); /* for facts that the runtime does not report */
    p->simd_per_cu = number(h, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, arch ? arch->simds : 0);
    p->simd_count = p->cu_count * p->simd_per_cu;
    p->num_shader_banks = number(h, HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, 1);
    p->simd_arrays_per_engine = number(h, HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE, 1);
    p->array_count = p->num_shader_banks * p->simd_arrays_per_engine;
    p->num_xcc = number(h, NUM_XCC, 1);
    if (!p->num_xcc) p->num_xcc = 1;
    if (p->array_count) p->cu_per_simd_array = p->cu_count / p->array_count;
    if (p->num_shader_banks) p->cu_per_engine = p->cu_count / p->num_shader_banks;
    p->max_waves_per_cu = number(h, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, 0);
    if (p->simd_per_cu) p->max_waves_per_simd = p->max_waves_per_cu / p->simd_per_cu;
    p->wave_front_size = number(h, HSA_AGENT_INFO_WAVEFRONT_SIZE, arch ? arch->wave : 0);
    p->max_engine_clk_fcompute = number(h, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, 0);
    p->device_id = number(h, HSA_AMD_AGENT_INFO_CHIP_ID, 0);
    p->workgroup_max_size = number(h, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, 0);
    p->grid_max_size = number(h, HSA_AGENT_INFO_GRID_MAX_SIZE, 0);
    if (arch) p->lds_size_in_kb = arch->lds_group / 1024;
    query_slots(a);
}

void v1_agents_list(void)
{
    uint32_t indices[2] = {0};
    unsigned n = hsax_agent_count();
    hsax_owner_release_all(HSAX_OWNER_V1);
    pthread_mutex_lock(&v1_lock);
    agent_count = n < AGENTS_MAX ? n : AGENTS_MAX;
    for (unsigned i = 0; i < agent_count; i++) {
        const hsax_agent_t *from = hsax_agent_at(i);
        v1_agent_t *a = &agents[i];
        /* Programs may hold texts of a catalogue, so it is kept for GPUs of the same kind. */
        *a = (v1_agent_t){.hsa = from->agent,
                          .gpu = from->gpu,
                          .index = indices[from->gpu]++,
                          .catalogue = strcmp(a->gfx, from->name) ? NULL : a->catalogue};
        memcpy(a->gfx, from->name, sizeof a->gfx);
        if (a->gpu) read_properties(a);
    }
    pthread_mutex_unlock(&v1_lock);
}

unsigned v1_agent_count(void)
{
    pthread_mutex_lock(&v1_lock);
    unsigned n = agent_count;
    pthread_mutex_unlock(&v1_lock);
    return n;
}

v1_agent_t *v1_agent_at(unsigned index)
{
    return &agents[index];
}

v1_agent_t *v1_agent_find(hsa_agent_t agent)
{
    unsigned n = v1_agent_count();
    for (unsigned i = 0; i < n; i++)
        if (agents[i].hsa.handle == agent.handle) return &agents[i];
    v1_error(HSA_STATUS_ERROR_INVALID_AGENT, "agent 0x%llx is not found among %u HSA agents",
             (unsigned long long)agent.handle, n);
    return NULL;
}

/* ---- counters ---- */

static void report(const ctr_error_t *error, void *user)
{
    (void)user;
    base_warning("%s", error->text);
}

/* To be called with v1_catalogue_lock held. */
static bool make_catalogue(v1_agent_t *agent)
{
    static ctr_definitions_t *definitions;
    ctr_error_t error = {0};
    if (!definitions) {
        ctr_definitions_t *fresh = ctr_definitions_create();
        const char *path = base_env("ROCP_METRICS");
        if (!fresh || ctr_definitions_add_builtin(fresh) != CTR_OK ||
            (path && ctr_definitions_add_file(fresh, CTR_FORMAT_XML, path, report, NULL, &error))) {
            ctr_definitions_destroy(fresh);
            v1_failed("no metrics: %s", error.text[0] ? error.text : "no memory");
            return false;
        }
        definitions = fresh;
    }
    if (ctr_catalogue_create(definitions, agent->gfx, CTR_GENERATION_V1, 0, report, NULL,
                             &agent->catalogue, &error) == CTR_OK)
        return true;
    agent->catalogue = NULL;
    v1_failed("no metrics for %s: %s", agent->gfx, error.text);
    return false;
}

ctr_catalogue_t *v1_catalogue(v1_agent_t *agent)
{
    if (!agent->gpu) {
        v1_error(HSA_STATUS_ERROR_INVALID_AGENT, "agent 0x%llx (%s) is no GPU",
                 (unsigned long long)agent->hsa.handle, agent->gfx);
        return NULL;
    }
    pthread_mutex_lock(&v1_catalogue_lock);
    bool ok = agent->catalogue || make_catalogue(agent);
    pthread_mutex_unlock(&v1_catalogue_lock);
    return ok ? agent->catalogue : NULL;
}

/* ---- memory ----
 *
 * Some tools open and close a context for every dispatch, and the runtime allocates slowly, so a
 * few blocks of memory are kept for later contexts. */

static struct {
    const v1_agent_t *agent;
    void *memory;
    size_t bytes;
} cached[CACHED_MAX];
static unsigned cached_count;

static void *take_cached(const v1_agent_t *agent, size_t bytes)
{
    void *memory = NULL;
    pthread_mutex_lock(&v1_lock);
    for (unsigned i = cached_count; i-- && !memory;)
        if (cached[i].bytes == bytes && cached[i].agent == agent) {
            memory = cached[i].memory;
            cached[i] = cached[--cached_count];
        }
    pthread_mutex_unlock(&v1_lock);
    return memory;
}

static void *allocate(const v1_agent_t *agent, size_t bytes)
{
    void *memory;
    hsa_status_t status = hsax_host_allocate(agent->hsa, bytes, &memory);
    if (status)
        v1_error(status, "no memory of %zu bytes for packets of GPU %u (HSA status 0x%x)", bytes,
                 agent->index, status);
    return memory;
}

void *v1_memory_get(const v1_agent_t *agent, size_t bytes)
{
    void *memory = take_cached(agent, bytes);
    if (!memory) memory = allocate(agent, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void v1_memory_put(const v1_agent_t *agent, void *memory, size_t bytes)
{
    if (!memory) return;
    pthread_mutex_lock(&v1_lock);
    bool kept = cached_count < CACHED_MAX;
    if (kept) {
        cached[cached_count].agent = agent;
        cached[cached_count].memory = memory;
        cached[cached_count++].bytes = bytes;
    }
    pthread_mutex_unlock(&v1_lock);
    if (!kept) hsax_host_free(memory);
}

void v1_memory_forget(void)
{
    pthread_mutex_lock(&v1_lock);
    cached_count = 0;
    pthread_mutex_unlock(&v1_lock);
}
