/* gpu.h - what the services of the GPU share: which parts of HSA they need, HSA's start and end,
 * code objects, agents, memory of packets.
 *
 * A service of the GPU is a client of one part of src/hsa. Its row (sdk_gpu_part_t) says which
 * hooks it needs, and gpu.c puts them into HSA's table in the order that src/hsa requires. The
 * packets around a single dispatch are described in dispatch.h. */
#ifndef CROCPROF_SDK_GPU_H
#define CROCPROF_SDK_GPU_H

#include "hsa/code_objects.h"
#include "hsa/tables/tables.h"
#include "sdk/core/context.h"

#include <aqlprofile-sdk/aql_profile_v2.h>

/* Parts of src/hsa that a service can need, by bit. */
enum {
    SDK_GPU_CODE_OBJECTS = 1 << 0,
    SDK_GPU_DISPATCHES = 1 << 1, /* implies code objects: dispatches have kernel ids */
    SDK_GPU_TURNS = 1 << 2,      /* some dispatches run alone on their agent */
    SDK_GPU_WAITS = 1 << 3,      /* a dispatch may wait for an earlier one before its packet is
                                  * written */
    SDK_GPU_COPIES = 1 << 4,
    SDK_GPU_ALLOCATIONS = 1 << 5,
    SDK_GPU_SCRATCH = 1 << 6,
    SDK_GPU_REPLAYS = 1 << 7, /* a dispatch may run several times */
    SDK_GPU_DEVICES = 1 << 8, /* packets on queues of this library count or trace whole agents */
};

typedef struct sdk_gpu_part {
    /* Returns the parts of HSA that the configured contexts need for this service; 0 if they do not
     * have the service. */
    unsigned (*needs)(void);
    /* The part that this service installs itself: if any service needs it, `hook` is called with
     * all parts that are needed. */
    unsigned serves;
    void (*hook)(const hsax_api_table_t *table, unsigned needs);
    /* HSA has started, and all hooks are installed: the service begins for contexts that are
     * running. */
    void (*up)(void);
    /* HSA shuts down: it still works, and all work has been reported. Called in reverse order of
     * the rows. */
    void (*down)(void);
    /* A code object has been loaded, or is about to be unloaded. */
    void (*code_object)(const hsax_code_object_t *object, bool unload);
    const struct sdk_probe *probe; /* what the service does around dispatches, see dispatch.h */
    const struct sdk_barriers *barriers;
} sdk_gpu_part_t;

void sdk_gpu_code_object(const hsax_code_object_t *object, bool unload);

/* ---- Agents: agents.c ---- */

/* Returns the HSA agent of a GPU; its handle is 0 if HSA does not show the GPU or is not
 * initialised. */
hsa_agent_t sdk_gpu_agent(rocprofiler_agent_id_t id);

/* Claims the agent for this library (hsa/owner.h). Returns false, with a message that names the
 * owner, if another library has claimed it. */
bool sdk_gpu_claim(hsa_agent_t agent);

/* How the services of a context use the counters of a GPU, by bit. */
enum {
    SDK_USES_COUNTERS = 1 << 0,       /* counts dispatches */
    SDK_USES_STREAM = 1 << 1,         /* samples counters while a dispatch runs */
    SDK_USES_TRACE = 1 << 2,          /* traces dispatches */
    SDK_USES_TRACE_COUNTERS = 1 << 3, /* traces dispatches with samples of SQ's counters in the
                                       * trace */
};

/* Returns whether a service of the context makes it impossible to use the GPU in this way as
 * well. */
bool sdk_gpu_use_conflicts(const sdk_context_t *context, unsigned uses);
/* Notes how a service that is being configured for the context will use the GPU. */
void sdk_gpu_use(const sdk_context_t *context, unsigned uses);
/* Returns whether the two contexts cannot run at the same time. */
bool sdk_gpu_contexts_conflict(const sdk_context_t *a, const sdk_context_t *b);

/* ---- Memory of packets and their results: memory.c ---- */

/* Callbacks for the AQL profile library: they allocate and copy memory of the host that GPUs can
 * access, too. userdata points to the hsa_agent_t that gets access. */
hsa_status_t sdk_gpu_allocate(void **memory, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                              void *userdata);
void sdk_gpu_free(void *memory, void *userdata);
hsa_status_t sdk_gpu_copy(void *to, const void *from, size_t size, void *userdata);

/* Returns the AQL profile library's message about the last failure on this thread. */
const char *sdk_gpu_aql_message(void);

/* Returns a number that changes whenever HSA is started or shut down: memory and signals made under
 * another number are gone. 0: HSA has not been started. */
uint64_t sdk_gpu_life(void);
void sdk_gpu_next_life(void);

#endif
