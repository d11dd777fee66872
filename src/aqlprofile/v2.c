/* v2.c - the aqlprofile_* functions: agents that the caller describes, memory from its callbacks.
 *
 * They are apart from v1.c because packets are objects here, with handles (handles.c). */
#include "aqlprofile/handles.h"
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

AQL_EXPORT hsa_status_t aqlprofile_register_agent_info(aqlprofile_agent_handle_t *agent_id,
                                                       const void *agent_info,
                                                       aqlprofile_agent_version_t version)
{
    /* the longer description begins like the shorter one */
    if (version != AQLPROFILE_AGENT_VERSION_V0 && version != AQLPROFILE_AGENT_VERSION_V1)
        return aql_fail(INVALID, "no agent description has version %d", version);
    return aql_agent_register(agent_info,
                              version == AQLPROFILE_AGENT_VERSION_V1 ? agent_info : NULL, agent_id);
}

AQL_EXPORT hsa_status_t aqlprofile_register_agent(aqlprofile_agent_handle_t *agent_id,
                                                  const aqlprofile_agent_info_t *agent_info)
{
    return aql_agent_register(agent_info, NULL, agent_id);
}

AQL_EXPORT hsa_status_t aqlprofile_validate_pmc_event(aqlprofile_agent_handle_t agent,
                                                      const aqlprofile_pmc_event_t *event,
                                                      bool *result)
{
    aql_agent_t known;
    if (!event || !result) return aql_fail(INVALID, "%s is NULL", !event ? "event" : "result");
    *result = false;
    hsa_status_t status = aql_agent_get(agent, &known);
    if (!status) *result = !aql_event_check(&known, event) && !aql_event_numbered(&known, event);
    return status;
}

/* ---- packets ---- */

typedef struct {
    aql_object_t head;
    aql_agent_t agent;
    aqlprofile_pmc_event_t *events;
    aql_plan_t plan;
    uint64_t *output;
} counters_t;

static void release(aql_object_t *head)
{
    counters_t *c = (counters_t *)head;
    aql_memory_free(&head->memory, c->output);
    aql_plan_free(&c->plan);
    free(c->events);
}

static const aql_kind_t counters_kind = {.text = "counters",
                                         .packets = "packets",
                                         .bytes = sizeof(counters_t),
                                         .copies = true,
                                         .release = release};

static hsa_status_t make_plan(const aql_agent_t *agent, const aqlprofile_pmc_profile_t *profile,
                              aql_plan_t *plan)
{
    hsa_status_t status = aql_plan_make(agent, profile->events, profile->event_count, plan);
    for (uint32_t i = 0; i < profile->event_count && !status; i++)
        status = aql_event_numbered(agent, &profile->events[i]);
    return status;
}

/* Where the lists of commands begin, in dwords: the first at 0, the others at `start` and
 * `stop`. */
typedef struct {
    uint32_t start, stop, end;
} lists_t;

static lists_t build(const counters_t *c, uint32_t *words, uint32_t capacity)
{
    aql_pm4_t pm4 = aql_pm4_list(&c->agent, words, capacity);
    lists_t at = {0};
    aql_pmc_read(&pm4, &c->agent, &c->plan, (uintptr_t)c->output);
    at.start = pm4.count;
    aql_pmc_start(&pm4, &c->agent, &c->plan, false);
    at.stop = pm4.count;
    aql_pmc_stop(&pm4, &c->agent, &c->plan);
    at.end = pm4.count;
    return at;
}

static hsa_status_t check_lists(const lists_t *at)
{
    hsa_status_t status = aql_pm4_check(at->start * 4);
    return status ? status : aql_pm4_check((at->stop - at->start) * 4);
}

static hsa_status_t write_commands(counters_t *c, aqlprofile_pmc_aql_packets_t *packets)
{
    const aqlprofile_buffer_desc_flags_t flags = {.device_access = 1,
                                                  .host_access = 1,
                                                  .memory_hint =
                                                      AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED};
    void *memory;
    hsa_status_t status =
        aql_memory_get(&c->head.memory, c->plan.results * 8ull, "results", flags, &memory);
    c->output = memory;
    if (status) return status;
    lists_t at = build(c, NULL, 0);
    status = check_lists(&at);
    if (status) return status;
    uint32_t *words = malloc(at.end * 4ul);
    if (!words)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u commands", at.end);
    build(c, words, at.end);
    status = aql_object_write(&c->head, words, at.end, "commands",
                              AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT);
    free(words);
    if (status) return status;
    const uint32_t *first = c->head.commands;
    aql_pm4_packet(&c->agent, first, at.start * 4, &packets->read_packet);
    aql_pm4_packet(&c->agent, first + at.start, (at.stop - at.start) * 4, &packets->start_packet);
    aql_pm4_packet(&c->agent, first + at.stop, (at.end - at.stop) * 4, &packets->stop_packet);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t keep_events(counters_t *c, const aqlprofile_pmc_profile_t *profile)
{
    size_t bytes = profile->event_count * sizeof *c->events;
    c->events = malloc(bytes);
    if (!c->events)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events",
                        profile->event_count);
    memcpy(c->events, profile->events, bytes);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t aqlprofile_pmc_create_packets(
    aqlprofile_handle_t *handle, aqlprofile_pmc_aql_packets_t *packets,
    aqlprofile_pmc_profile_t profile, aqlprofile_memory_alloc_callback_t alloc_cb,
    aqlprofile_memory_dealloc_callback_t dealloc_cb, aqlprofile_memory_copy_t memcpy_cb,
    void *userdata)
{
    const aql_memory_t memory = {alloc_cb, dealloc_cb, memcpy_cb, userdata};
    aql_object_t *object;
    hsa_status_t status = aql_object_begin(&counters_kind, handle, packets, &memory, &object);
    if (status) return status;
    counters_t *c = (counters_t *)object;
    status = aql_agent_get(profile.agent, &c->agent);
    if (!status) status = make_plan(&c->agent, &profile, &c->plan);
    if (!status) status = keep_events(c, &profile);
    if (!status) status = write_commands(c, packets);
    return aql_object_end(object, status, handle);
}

AQL_EXPORT void aqlprofile_pmc_delete_packets(aqlprofile_handle_t handle)
{
    aql_object_remove(handle, &counters_kind);
}

typedef struct {
    const counters_t *counters;
    aqlprofile_pmc_data_callback_t callback;
    void *userdata;
} giver_t;

static hsa_status_t give_count(uint32_t event, uint32_t sample, uint64_t at, uint64_t value,
                               void *data)
{
    const giver_t *giver = data;
    (void)sample;
    return giver->callback(giver->counters->events[event], at, value, giver->userdata);
}

AQL_EXPORT hsa_status_t aqlprofile_pmc_iterate_data(aqlprofile_handle_t handle,
                                                    aqlprofile_pmc_data_callback_t callback,
                                                    void *userdata)
{
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    const counters_t *c = (const counters_t *)aql_object_get(handle, &counters_kind);
    if (!c) return INVALID;
    giver_t giver = {c, callback, userdata};
    hsa_status_t status = aql_plan_results(&c->agent, &c->plan, c->output, give_count, &giver);
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

/* ---- queries ---- */

static hsa_status_t sizes(const aqlprofile_pmc_profile_t *profile, const aql_agent_t *agent,
                          bool command, uint32_t *bytes)
{
    counters_t c = {.agent = *agent};
    hsa_status_t status = make_plan(agent, profile, &c.plan);
    const lists_t at = status ? (lists_t){0} : build(&c, NULL, 0);
    if (!status) status = check_lists(&at);
    if (!status) *bytes = command ? at.end * 4 : c.plan.results * 8;
    aql_plan_free(&c.plan);
    return status;
}

AQL_EXPORT hsa_status_t aqlprofile_get_pmc_info(const aqlprofile_pmc_profile_t *profile,
                                                aqlprofile_pmc_info_type_t attribute, void *value)
{
    aql_agent_t agent;
    if (!profile || !value) return aql_fail(INVALID, "%s is NULL", !profile ? "profile" : "value");
    hsa_status_t status = aql_agent_get(profile->agent, &agent);
    if (status) return status;
    switch (attribute) {
    case AQLPROFILE_INFO_COMMAND_BUFFER_SIZE: return sizes(profile, &agent, true, value);
    case AQLPROFILE_INFO_PMC_DATA_SIZE: return sizes(profile, &agent, false, value);
    case AQLPROFILE_INFO_BLOCK_COUNTERS:
        if (!profile->events || !profile->event_count)
            return aql_fail(INVALID, "the profile has no event to name the block");
        status = aql_event_check(&agent, profile->events);
        if (!status)
            *(uint32_t *)value =
                aql_block_slots(&agent, aql_block(&agent, (uint32_t)profile->events->block_name));
        return status;
    case AQLPROFILE_INFO_BLOCK_ID: {
        hsa_ven_amd_aqlprofile_id_query_t *query = value;
        if (!query->name) return aql_fail(INVALID, "the block's name is NULL");
        const aql_block_t *block = aql_block_named(&agent, query->name);
        if (!block)
            return aql_fail(INVALID, "%s has no counters in a block named %s", agent.gpu->name,
                            query->name);
        query->id = block->id;
        query->instance_count = aql_block_instances(&agent, block);
        return HSA_STATUS_SUCCESS;
    }
    default: return aql_fail(INVALID, "attribute %d is not answered", attribute);
    }
}

AQL_EXPORT hsa_status_t aqlprofile_iterate_event_ids(aqlprofile_eventname_callback_t callback,
                                                     void *user_data)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    for (int i = 0; i < AQL_DIMENSIONS && !status; i++)
        status = callback(i, aql_dimension_names[i], user_data);
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

AQL_EXPORT hsa_status_t aqlprofile_iterate_event_coord(aqlprofile_agent_handle_t agent,
                                                       aqlprofile_pmc_event_t event,
                                                       uint64_t sample_id,
                                                       aqlprofile_coordinate_callback_t callback,
                                                       void *userdata)
{
    aql_agent_t known;
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    hsa_status_t status = aql_agent_get(agent, &known);
    if (status) return status;
    const aql_block_t *block = aql_block(&known, (uint32_t)event.block_name);
    if (!block)
        return aql_fail(INVALID, "%s has no counters in block %u", known.gpu->name,
                        (unsigned)event.block_name);
    return aql_coordinates(&known, block, sample_id, callback, userdata);
}
