/* cold.c - the packet that empties the caches of a GPU down to L2, so that every run of a dispatch
 * finds them alike.
 *
 * There is no packet for the MALL (Infinity Cache), the cache of memory behind the L2s: a run finds
 * there what runs before it have used, so that its reads may take less time than the first one's.
 *
 * The commands are the same for all dispatches of an agent; they are made once after each start of
 * HSA. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/pm4.h"
#include "sdk/agent/agent.h"

#include <pthread.h>
#include <string.h>

enum { AGENTS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t life;
    hsa_agent_t agent;
    void *commands;
    uint32_t words;
} made[AGENTS_MAX];

static bool is_gfx10_or_later(hsa_agent_t agent)
{
    /* gfx_target_version has two digits each for minor version and stepping */
    enum { GFX10 = 100000 };
    const rocprofiler_agent_v0_t *known = sdk_agent_find(sdk_agent_of_hsa(agent));
    return known && known->gfx_target_version >= GFX10;
}

/* Makes commands that write back and invalidate all caches down to L2, for all addresses. */
static void *make_commands(hsa_agent_t agent, uint32_t *count)
{
    uint32_t words[HSA_PM4_ACQUIRE_WORDS_GFX10] = {0};
    void *commands = NULL;
    *count = HSA_PM4_ACQUIRE_WORDS;
    if (is_gfx10_or_later(agent)) {
        *count = HSA_PM4_ACQUIRE_WORDS_GFX10;
        hsa_pm4_acquire_all_gfx10(words);
    } else {
        hsa_pm4_acquire(words, 0, UINT64_MAX);
    }
    if (sdk_gpu_allocate(&commands, sizeof words, (aqlprofile_buffer_desc_flags_t){0}, &agent))
        return NULL;
    memcpy(commands, words, sizeof words);
    return commands;
}

static void *find_commands(hsa_agent_t agent, uint32_t *count)
{
    const uint64_t life = sdk_gpu_life();
    for (unsigned i = 0; i < AGENTS_MAX; i++) {
        if (made[i].life == life && made[i].agent.handle == agent.handle) {
            *count = made[i].words;
            return made[i].commands;
        }
        if (made[i].life == life) continue;
        /* Commands made before an earlier shutdown of HSA were freed by that shutdown. */
        void *commands = make_commands(agent, count);
        if (!commands) return NULL;
        made[i].words = *count;
        made[i].life = life;
        made[i].agent = agent;
        return made[i].commands = commands;
    }
    return NULL;
}

bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet)
{
    uint32_t words = 0;
    pthread_mutex_lock(&lock);
    const uint64_t commands = (uintptr_t)find_commands(agent, &words);
    pthread_mutex_unlock(&lock);
    if (!commands) {
        base_error("no memory for the packet that empties caches");
        return false;
    }
    memset(packet, 0, sizeof *packet);
    hsa_pm4_packet(commands, words, 0, packet);
    return true;
}
