/* cold.c - the packet that empties the caches of a GPU, so that every run of a dispatch begins
 * alike.
 *
 * PM4 of gfx9, the only generation whose counters are known. The commands are the same for all
 * dispatches of an agent; they are made once after each start of HSA. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/pm4.h"

#include <pthread.h>
#include <string.h>

enum { AGENTS_MAX = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t life;
    hsa_agent_t agent;
    void *commands;
} made[AGENTS_MAX];

/* Writes back and invalidates all caches, for all addresses. */
static void *make_commands(hsa_agent_t agent)
{
    uint32_t words[HSA_PM4_ACQUIRE_WORDS];
    void *commands = NULL;
    hsa_pm4_acquire(words, 0, UINT64_MAX);
    if (sdk_gpu_allocate(&commands, sizeof words, (aqlprofile_buffer_desc_flags_t){0}, &agent))
        return NULL;
    memcpy(commands, words, sizeof words);
    return commands;
}

static void *find_commands(hsa_agent_t agent)
{
    const uint64_t life = sdk_gpu_life();
    for (unsigned i = 0; i < AGENTS_MAX; i++) {
        if (made[i].life == life && made[i].agent.handle == agent.handle) return made[i].commands;
        if (made[i].life == life) continue;
        /* Memory of an earlier start of HSA has been freed with it. */
        void *commands = make_commands(agent);
        if (!commands) return NULL;
        made[i].life = life;
        made[i].agent = agent;
        return made[i].commands = commands;
    }
    return NULL;
}

bool sdk_cold_packet(hsa_agent_t agent, hsa_ext_amd_aql_pm4_packet_t *packet)
{
    pthread_mutex_lock(&lock);
    const uint64_t commands = (uintptr_t)find_commands(agent);
    pthread_mutex_unlock(&lock);
    if (!commands) {
        base_error("no memory for the packet that empties caches");
        return false;
    }
    memset(packet, 0, sizeof *packet);
    hsa_pm4_packet(commands, HSA_PM4_ACQUIRE_WORDS, 0, packet);
    return true;
}
