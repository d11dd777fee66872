/* allocations.c - memory that programs and runtimes get from HSA: how much on which type of agent,
 * and what was not given back. */
#include "sample.h"

enum { BLOCKS = 4096, AGENTS = 64 };

static const char sample_name[] = "allocations tool";
static uint64_t allocations, releases, gpu_allocations;
/* Records of several threads are not in the order of time: an address is balanced in the end. */
static struct {
    uint64_t address;
    long balance;
} blocks[BLOCKS];
static size_t block_count;
static uint64_t gpus[AGENTS];
static size_t gpu_count;

static bool on_gpu(rocprofiler_agent_id_t agent)
{
    for (size_t i = 0; i < gpu_count; i++)
        if (gpus[i] == agent.handle) return true;
    return false;
}

static void on_record(const rocprofiler_buffer_tracing_memory_allocation_record_t *record)
{
    bool allocate = record->operation == ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE ||
                    record->operation == ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE;
    if (!record->address.value) return; /* it failed */
    size_t place = 0;
    while (place < block_count && blocks[place].address != record->address.value)
        place++;
    if (place == BLOCKS) return;
    if (place == block_count) blocks[block_count++].address = record->address.value;
    blocks[place].balance += allocate ? 1 : -1;
    if (allocate) {
        allocations++;
        gpu_allocations += on_gpu(record->agent_id);
    } else {
        releases++;
    }
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++)
        on_record(headers[i]->payload);
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count && gpu_count < AGENTS; i++) {
        const rocprofiler_agent_v0_t *agent = agents[i];
        if (agent->type == ROCPROFILER_AGENT_TYPE_GPU) gpus[gpu_count++] = agent->id.handle;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static void sample_start(void)
{
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_v0_t), NULL));
    sample_buffer(on_records);
    sample_records(ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION);
}

static void sample_end(void)
{
    uint64_t unmatched = 0;
    for (size_t i = 0; i < block_count; i++)
        unmatched += blocks[i].balance < 0;
    fprintf(stderr,
            "%s: %" PRIu64 " allocations, %" PRIu64 " on GPUs, %" PRIu64 " releases, %" PRIu64
            " of them unmatched\n",
            sample_name, allocations, gpu_allocations, releases, unmatched);
}
