/* gpu.h - what the services of the GPU share: what they need of HSA, its start and end, code
 * objects, agents, memory of packets.
 *
 * A service of the GPU is a client of one part of src/hsa. Its row (sdk_gpu_part_t) says what is
 * needed for it, and gpu.c puts the hooks into HSA's table in the order that src/hsa requires. What
 * is around a single dispatch is in dispatch.h. */
#ifndef CROCPROF_SDK_GPU_H
#define CROCPROF_SDK_GPU_H

#include "hsa/code_objects.h"
#include "hsa/tables/tables.h"
#include "sdk/core/context.h"

#include <aqlprofile-sdk/aql_profile_v2.h>

/* What can be needed of HSA, by bit. */
enum {
    SDK_GPU_CODE_OBJECTS = 1 << 0,
    SDK_GPU_DISPATCHES = 1 << 1, /* needs code objects, too: dispatches have kernel ids */
    SDK_GPU_TURNS = 1 << 2,      /* some dispatches run alone on their agent */
    SDK_GPU_WAITS = 1 << 3,      /* a dispatch may wait for an earlier one before it is written */
    SDK_GPU_COPIES = 1 << 4,
    SDK_GPU_ALLOCATIONS = 1 << 5,
    SDK_GPU_SCRATCH = 1 << 6,
    SDK_GPU_REPLAYS = 1 << 7, /* a dispatch may run several times */
    SDK_GPU_DEVICES = 1 << 8, /* packets on queues of our own count or trace whole agents */
};

typedef struct sdk_gpu_part {
    /* What the contexts that are configured need of HSA for this service; 0: they have none. */
    unsigned (*needs)(void);
    /* The bit that the service fulfils itself: if any service needs it, `hook` is called with all
     * that is needed. */
    unsigned serves;
    void (*hook)(const hsax_api_table_t *table, unsigned needs);
    /* HSA has started, and all hooks are in: begins for contexts that are running. */
    void (*up)(void);
    /* HSA shuts down, still works, and all work has been reported. In reverse order of the rows. */
    void (*down)(void);
    /* A code object is loaded, or is about to be unloaded. */
    void (*code_object)(const hsax_code_object_t *object, bool unload);
    const struct sdk_probe *probe; /* what it does around dispatches: dispatch.h */
    const struct sdk_barriers *barriers;
} sdk_gpu_part_t;

void sdk_gpu_code_object(const hsax_code_object_t *object, bool unload);

/* ---- Agents: agents.c ---- */

/* The HSA agent of a GPU; handle 0 if HSA does not show it or is not initialised. */
hsa_agent_t sdk_gpu_agent(rocprofiler_agent_id_t id);

/* Claims the agent for this library (hsa/owner.h); false, with a message that names the owner. */
bool sdk_gpu_claim(hsa_agent_t agent);

/* What the services of a context do to the counters of a GPU, by bit. */
enum {
    SDK_USES_COUNTERS = 1 << 0,       /* counts dispatches */
    SDK_USES_STREAM = 1 << 1,         /* samples counters while a dispatch runs */
    SDK_USES_TRACE = 1 << 2,          /* traces dispatches */
    SDK_USES_TRACE_COUNTERS = 1 << 3, /* with samples of SQ's counters in the trace */
};

/* True if a service of the context makes it impossible to use the GPU in this way as well. */
bool sdk_gpu_use_conflicts(const sdk_context_t *context, unsigned uses);
/* Notes how a service that is being configured for the context will use the GPU. */
void sdk_gpu_use(const sdk_context_t *context, unsigned uses);
/* True if the two contexts cannot run at the same time. */
bool sdk_gpu_contexts_conflict(const sdk_context_t *a, const sdk_context_t *b);

/* ---- Memory of packets and their results: memory.c ---- */

/* Callbacks for the AQL profile library: memory of the host that GPUs use, too. userdata points to
 * the hsa_agent_t that gets access. */
hsa_status_t sdk_gpu_allocate(void **memory, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                              void *userdata);
void sdk_gpu_free(void *memory, void *userdata);
hsa_status_t sdk_gpu_copy(void *to, const void *from, size_t size, void *userdata);

/* The AQL profile library's message about the last failure on this thread. */
const char *sdk_gpu_aql_message(void);

/* Counts how often HSA was started or shut down: memory and signals of an earlier start are gone.
 * 0: it has not been started. */
uint64_t sdk_gpu_life(void);
void sdk_gpu_next_life(void);

#endif
