/* gpu.c - the supported GPUs, their blocks, and the instances whose results a block has.
 *
 * It is apart from agent.c because these are facts about GPUs; the tables are made from share/gpus
 * and share/aqlprofile when the library is built. A further GPU is a row of architectures.tsv, and
 * rows of blocks.tsv if its blocks differ. */
#include "aqlprofile/internal.h"

#include <stdio.h>
#include <string.h>

#include "aqlprofile/blocks.inc"

enum { GPUS = sizeof gpus / sizeof *gpus };

const char *const aql_dimension_names[AQL_DIMENSIONS] = {"XCD", "AID", "SE",
                                                         "SA",  "WGP", "INSTANCE"};

/* Writes the names of all GPUs, or of those that support streaming. */
static const char *known_names(bool streaming, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < GPUS && used < size; i++)
        if (!streaming || gpus[i].streaming)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", gpus[i].name);
    return text;
}

hsa_status_t aql_gpu_named(const char *name, const aql_gpu_t **gpu)
{
    const size_t length = strcspn(name, ":"); /* gfx90a:sramecc+:xnack- */
    char known[512];
    for (size_t i = 0; i < GPUS; i++)
        if (strlen(gpus[i].name) == length && !memcmp(gpus[i].name, name, length)) {
            *gpu = &gpus[i];
            return HSA_STATUS_SUCCESS;
        }
    return aql_fail(
        HSA_STATUS_ERROR_INVALID_AGENT, "%.*s is not supported, counters are known for %s",
        (int)(length < 64 ? length : 64), name, known_names(false, known, sizeof known));
}

hsa_status_t aql_gpu_streams(const aql_gpu_t *gpu)
{
    char known[512];
    if (gpu->streaming) return HSA_STATUS_SUCCESS;
    return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                    "%s cannot stream counters, as far as is known: %s can", gpu->name,
                    known_names(true, known, sizeof known));
}

const aql_block_t *aql_block(const aql_agent_t *agent, uint32_t id)
{
    for (uint32_t i = 0; i < agent->gpu->block_count; i++)
        if (agent->gpu->blocks[i].id == id) return &agent->gpu->blocks[i];
    return NULL;
}

const aql_block_t *aql_block_named(const aql_agent_t *agent, const char *name)
{
    for (uint32_t i = 0; i < agent->gpu->block_count; i++)
        if (!strcmp(agent->gpu->blocks[i].name, name)) return &agent->gpu->blocks[i];
    return NULL;
}

/* Returns the average of the arrays, rounded up: if units are fused off, some arrays have more than
 * others. */
static uint32_t per_array(const aql_agent_t *agent, uint32_t units)
{
    const uint32_t arrays = agent->arrays * agent->engines;
    return (units + arrays - 1) / arrays;
}

aql_places_t aql_block_places(const aql_agent_t *agent, const aql_block_t *block)
{
    enum { UNITS_OF_WGP = 2 };
    aql_places_t places = {agent->xccs, 1, 1, 1};
    if (block->kind & AQL_BLOCK_AID) places.xccs = 1;
    if (block->scope >= AQL_OF_ENGINE) places.engines = agent->engines / agent->xccs;
    if (block->scope >= AQL_OF_ARRAY) places.arrays = agent->arrays;
    if (block->scope >= AQL_OF_WGP) places.wgps = per_array(agent, agent->units / UNITS_OF_WGP);
    if (!places.wgps) places.wgps = 1; /* one compute unit is half of a workgroup processor */
    return places;
}

static uint32_t samples_of_xcc(const aql_places_t *places)
{
    return places->engines * places->arrays * places->wgps;
}

uint32_t aql_block_samples(const aql_agent_t *agent, const aql_block_t *block)
{
    const aql_places_t places = aql_block_places(agent, block);
    return places.xccs * samples_of_xcc(&places);
}

uint32_t aql_block_indexes(const aql_agent_t *agent, const aql_block_t *block)
{
    /* a partition of one XCC sees the blocks outside the XCCs once */
    return block->kind & AQL_BLOCK_AID && agent->xccs == 1 ? 1 : block->instances;
}

uint32_t aql_block_instances(const aql_agent_t *agent, const aql_block_t *block)
{
    const uint32_t instances = aql_block_indexes(agent, block);
    if (!(block->kind & AQL_BLOCK_CU)) return instances;
    /* There is one instance for each compute unit of an array, and one more, as in AMD's library,
     * so that instances have the same numbers. */
    const uint32_t units = per_array(agent, agent->units) + 1;
    return units < instances ? units : instances;
}

hsa_status_t aql_event_numbered(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event)
{
    const aql_block_t *block = aql_block(agent, (uint32_t)event->block_name);
    const uint32_t instances = block ? aql_block_instances(agent, block) : UINT32_MAX;
    if (agent->xccs == 1 || event->block_index < instances) return HSA_STATUS_SUCCESS;
    return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                    "%s[%u]: the block has %u instances on this %s", block->name,
                    event->block_index, instances, agent->gpu->name);
}

hsa_status_t aql_coordinates(const aql_agent_t *agent, const aql_block_t *block, uint64_t at,
                             aqlprofile_coordinate_callback_t callback, void *userdata)
{
    const aql_places_t places = aql_block_places(agent, block);
    const uint32_t instances = aql_block_instances(agent, block), of_xcc = samples_of_xcc(&places),
                   outside = block->kind & AQL_BLOCK_AID && agent->xccs > 1 ? instances : 1;
    const bool of_wgp = block->scope >= AQL_OF_WGP;
    /* from the outermost to the innermost; ids as in aql_dimension_names */
    const struct {
        int id;
        bool told;
        uint32_t extent;
    } dimensions[] = {
        {AQL_XCD, places.xccs > 1, places.xccs},
        {AQL_AID, outside > 1, outside},
        {AQL_INSTANCE, !of_wgp || instances > 1, outside > 1 ? 1 : instances},
        {AQL_SE, block->scope >= AQL_OF_ENGINE, places.engines},
        {AQL_SA, block->scope >= AQL_OF_ARRAY, places.arrays},
        {AQL_WGP, of_wgp, places.wgps},
    };
    enum { COUNT = sizeof dimensions / sizeof *dimensions };
    uint64_t below = (uint64_t)places.xccs * instances * of_xcc;
    if (at >= below)
        return aql_fail(HSA_STATUS_ERROR_INVALID_INDEX,
                        "%s on this agent has %u instances x %u results, there is no result %llu",
                        block->name, instances, places.xccs * of_xcc, (unsigned long long)at);
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (int i = 0, position = 0; i < COUNT && !status; i++) {
        below /= dimensions[i].extent;
        if (!dimensions[i].told) continue;
        status = callback(position++, dimensions[i].id, (int)dimensions[i].extent,
                          (int)(at / below % dimensions[i].extent),
                          aql_dimension_names[dimensions[i].id], userdata);
    }
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

hsa_status_t aql_event_check(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event)
{
    const char *gpu = agent->gpu->name;
    const aql_block_t *block = aql_block(agent, (uint32_t)event->block_name);
    if (!block)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s has no counters in block %u", gpu,
                        (unsigned)event->block_name);
    const uint32_t indexes = aql_block_indexes(agent, block);
    if (event->block_index >= indexes)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s[%u]: the block has %u instance%s on %s", block->name,
                        event->block_index, indexes, indexes == 1 ? "" : "s", gpu);
    if (event->event_id > block->max_event)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s event %u: the block's highest event is %u on %s", block->name,
                        event->event_id, block->max_event, gpu);
    if (event->flags.raw &&
        (!(block->kind & AQL_BLOCK_SQ) || event->flags.raw >= AQLPROFILE_ACCUMULATION_LAST ||
         !agent->gpu->accumulate))
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s event %u: flags 0x%x are none of this block on %s", block->name,
                        event->event_id, event->flags.raw, gpu);
    return HSA_STATUS_SUCCESS;
}
