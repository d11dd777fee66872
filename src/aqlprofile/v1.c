/* v1.c - the hsa_ven_amd_aqlprofile_* functions, which an HSA runtime hands out as an extension.
 *
 * The profile's command buffer holds a header and then the commands of read, start and stop.
 * Nothing is remembered between calls: what a call needs, it works out from the profile again, and
 * compares with the header before it trusts the buffer. */
#include "aqlprofile/internal.h"

#include "base/env.h"

#include <stdlib.h>
#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

/* Bytes of each part, in the order in which they lie after the header; as AMD's library has them.
 */
typedef struct {
    uint32_t control, read, read_again, next_read, start, stop;
} parts_t;

typedef struct {
    aql_agent_t agent;
    aqlprofile_pmc_event_t *events;
    aql_plan_t plan;
} counting_t;

static bool concurrent(const hsa_ven_amd_aqlprofile_profile_t *profile)
{
    for (uint32_t i = 0; profile->parameters && i < profile->parameter_count; i++)
        if (profile->parameters[i].parameter_name ==
                HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_K_CONCURRENT &&
            profile->parameters[i].value)
            return true;
    return false;
}

static bool reads_apart(void)
{
    return base_env_bool("AQLPROFILE_READ_API", true);
}

static aqlprofile_pmc_event_t newer(const hsa_ven_amd_aqlprofile_event_t *event)
{
    return (aqlprofile_pmc_event_t){.block_index = event->block_index,
                                    .event_id = event->counter_id,
                                    .block_name = event->block_name};
}

static void end_counting(counting_t *c)
{
    aql_plan_free(&c->plan);
    free(c->events);
}

/* What the profile counts; to be ended in any case. */
static hsa_status_t begin_counting(const hsa_ven_amd_aqlprofile_profile_t *profile, counting_t *c)
{
    memset(c, 0, sizeof *c);
    if (!profile) return aql_fail(INVALID, "profile is NULL");
    hsa_status_t status = aql_agent_from_hsa(profile->agent, &c->agent);
    if (status) return status;
    if (profile->type == HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE)
        return aql_fail(INVALID, "traces are not supported");
    if (profile->type != HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC)
        return aql_fail(INVALID, "profile type %d is neither counters nor a trace", profile->type);
    if (profile->events && profile->event_count) {
        c->events = malloc(profile->event_count * sizeof *c->events);
        if (!c->events)
            return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events",
                            profile->event_count);
        for (uint32_t i = 0; i < profile->event_count; i++)
            c->events[i] = newer(&profile->events[i]);
    }
    return aql_plan_make(&c->agent, c->events, profile->event_count, &c->plan);
}

/* Writes the commands after the header, or finds their sizes alone if `words` is NULL. */
static parts_t build(const hsa_ven_amd_aqlprofile_profile_t *profile, const counting_t *c,
                     uint32_t *words, uint32_t capacity)
{
    aql_pm4_t pm4 = {words, words ? capacity : 0, sizeof(parts_t) / 4};
    uint64_t output = (uintptr_t)profile->output_buffer.ptr;
    parts_t parts = {0};
    uint32_t begin = pm4.count;
    if (reads_apart()) aql_pmc_read(&pm4, &c->agent, &c->plan, output);
    parts.read = (pm4.count - begin) * 4;
    begin = pm4.count;
    aql_pmc_start(&pm4, &c->plan, concurrent(profile));
    parts.start = (pm4.count - begin) * 4;
    begin = pm4.count;
    if (!reads_apart()) aql_pmc_read(&pm4, &c->agent, &c->plan, output);
    aql_pmc_stop(&pm4);
    parts.stop = (pm4.count - begin) * 4;
    return parts;
}

static uint32_t command_bytes(const parts_t *parts)
{
    uint32_t used =
        (uint32_t)sizeof *parts + parts->control + parts->read + parts->start + parts->stop;
    return (used + 0x1800) & ~0xfffu; /* whole pages, at least half a page of them free */
}

/* The buffers are there, aligned and large enough; sets the sizes of those that are too small. */
static hsa_status_t check_buffers(hsa_ven_amd_aqlprofile_profile_t *profile, uint32_t command,
                                  uint32_t output)
{
    const struct {
        const char *name;
        hsa_ven_amd_aqlprofile_descriptor_t *buffer;
        uint32_t bytes, alignment;
    } wanted[] = {{"output_buffer", &profile->output_buffer, output, 8},
                  {"command_buffer", &profile->command_buffer, command, 4}};
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (int i = 0; i < 2; i++) {
        uint32_t size = wanted[i].buffer->size;
        if (size < wanted[i].bytes) {
            wanted[i].buffer->size = wanted[i].bytes;
            if (wanted[i].buffer->ptr)
                status = aql_fail(INVALID, "%s has %u bytes, the profile needs %u", wanted[i].name,
                                  size, wanted[i].bytes);
        }
        if (!status && (uintptr_t)wanted[i].buffer->ptr % wanted[i].alignment)
            status = aql_fail(INVALID, "%s is not aligned to %u bytes", wanted[i].name,
                              wanted[i].alignment);
    }
    return status;
}

AQL_EXPORT uint32_t hsa_ven_amd_aqlprofile_version_major(void)
{
    return HSA_AQLPROFILE_VERSION_MAJOR;
}

AQL_EXPORT uint32_t hsa_ven_amd_aqlprofile_version_minor(void)
{
    return HSA_AQLPROFILE_VERSION_MINOR;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_error_string(const char **str)
{
    if (!str) return INVALID;
    *str = aql_message();
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_validate_event(
    hsa_agent_t agent, const hsa_ven_amd_aqlprofile_event_t *event, bool *result)
{
    aql_agent_t known;
    if (!event || !result) return aql_fail(INVALID, "%s is NULL", !event ? "event" : "result");
    *result = false;
    hsa_status_t status = aql_agent_from_hsa(agent, &known);
    if (status) return status;
    const aqlprofile_pmc_event_t asked = newer(event);
    *result = aql_event_check(&known, &asked) == HSA_STATUS_SUCCESS;
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_start(hsa_ven_amd_aqlprofile_profile_t *profile,
                                                     hsa_ext_amd_aql_pm4_packet_t *aql_start_packet)
{
    counting_t c;
    hsa_status_t status = begin_counting(profile, &c);
    if (status) goto out;
    parts_t parts = build(profile, &c, NULL, 0);
    status = check_buffers(profile, command_bytes(&parts), c.plan.samples * 8);
    if (status || !profile->command_buffer.ptr) goto out;
    if (!profile->output_buffer.ptr || !aql_start_packet) {
        status = aql_fail(INVALID, "%s is NULL",
                          aql_start_packet ? "output_buffer.ptr" : "aql_start_packet");
        goto out;
    }
    char *base = profile->command_buffer.ptr;
    build(profile, &c, profile->command_buffer.ptr, profile->command_buffer.size / 4);
    memcpy(base, &parts, sizeof parts);
    aql_pm4_packet(base + sizeof parts + parts.control + parts.read, parts.start, aql_start_packet);
out:
    end_counting(&c);
    return status;
}

/* The sizes of the parts, if start has prepared the command buffer for this profile. */
static hsa_status_t prepared(const hsa_ven_amd_aqlprofile_profile_t *profile, const void *packet,
                             const char *packet_name, parts_t *parts)
{
    counting_t c;
    hsa_status_t status = begin_counting(profile, &c);
    if (status) goto out;
    *parts = build(profile, &c, NULL, 0);
    if (!packet || !profile->command_buffer.ptr)
        status = aql_fail(INVALID, "%s is NULL", packet ? "command_buffer.ptr" : packet_name);
    else if (profile->command_buffer.size < command_bytes(parts) ||
             memcmp(profile->command_buffer.ptr, parts, sizeof *parts))
        status =
            aql_fail(INVALID, "the command buffer has not been prepared by start for this profile");
out:
    end_counting(&c);
    return status;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_stop(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                    hsa_ext_amd_aql_pm4_packet_t *aql_stop_packet)
{
    parts_t parts;
    hsa_status_t status = prepared(profile, aql_stop_packet, "aql_stop_packet", &parts);
    if (status) return status;
    const char *commands = profile->command_buffer.ptr;
    commands += sizeof parts + parts.control + parts.read + parts.start;
    aql_pm4_packet(commands, parts.stop, aql_stop_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_read(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                    hsa_ext_amd_aql_pm4_packet_t *aql_read_packet)
{
    parts_t parts;
    hsa_status_t status = prepared(profile, aql_read_packet, "aql_read_packet", &parts);
    if (status) return status;
    if (!parts.read)
        return aql_fail(HSA_STATUS_ERROR, "AQLPROFILE_READ_API=0: the stop packet reads");
    const char *commands = profile->command_buffer.ptr;
    aql_pm4_packet(commands + sizeof parts + parts.control, parts.read, aql_read_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_legacy_get_pm4(const hsa_ext_amd_aql_pm4_packet_t *aql_packet, void *data)
{
    (void)aql_packet, (void)data;
    return aql_fail(HSA_STATUS_ERROR, "queues of gfx8, which need PM4 blocks, are not supported");
}

/* ---- results ---- */

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_iterate_data(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                    hsa_ven_amd_aqlprofile_data_callback_t callback, void *data)
{
    counting_t c;
    hsa_status_t status = begin_counting(profile, &c);
    if (status) goto out;
    const uint64_t *value = profile->output_buffer.ptr;
    if (!callback || !value)
        status = aql_fail(INVALID, "%s is NULL", callback ? "output_buffer.ptr" : "callback");
    else if (profile->output_buffer.size < c.plan.samples * 8)
        status = aql_fail(INVALID, "output_buffer has %u bytes, the profile's results have %u",
                          profile->output_buffer.size, c.plan.samples * 8);
    for (uint32_t i = 0; i < profile->event_count && !status; i++) {
        uint32_t samples = aql_block_samples(&c.agent, c.plan.slots[c.plan.of[i]].block);
        for (uint32_t sample = 0; sample < samples && !status; sample++) {
            hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = sample};
            info.pmc_data.event = profile->events[i];
            info.pmc_data.result = *value++;
            status = callback(HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info, data);
        }
    }
    if (status == HSA_STATUS_INFO_BREAK) status = HSA_STATUS_SUCCESS;
out:
    end_counting(&c);
    return status;
}

/* Takes the sample that is asked for, or adds them all up. */
static hsa_status_t take_sample(hsa_ven_amd_aqlprofile_info_type_t type,
                                hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    hsa_ven_amd_aqlprofile_info_data_t *asked = data;
    (void)type;
    if (memcmp(&info->pmc_data.event, &asked->pmc_data.event, sizeof info->pmc_data.event))
        return HSA_STATUS_SUCCESS;
    if (asked->sample_id == UINT32_MAX) {
        asked->pmc_data.result += info->pmc_data.result;
        return HSA_STATUS_SUCCESS;
    }
    if (asked->sample_id != info->sample_id) return HSA_STATUS_SUCCESS;
    asked->pmc_data.result = info->pmc_data.result;
    return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t sizes(const hsa_ven_amd_aqlprofile_profile_t *profile, bool command,
                          uint32_t *bytes)
{
    counting_t c;
    hsa_status_t status = begin_counting(profile, &c);
    if (!status) {
        parts_t parts = build(profile, &c, NULL, 0);
        *bytes = command ? command_bytes(&parts) : c.plan.samples * 8;
    }
    end_counting(&c);
    return status;
}

static hsa_status_t block_info(const hsa_ven_amd_aqlprofile_profile_t *profile,
                               hsa_ven_amd_aqlprofile_info_type_t attribute, void *value)
{
    aql_agent_t agent;
    hsa_status_t status = aql_agent_from_hsa(profile->agent, &agent);
    if (status) return status;
    if (attribute == HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS) {
        if (!profile->events || !profile->event_count)
            return aql_fail(INVALID, "the profile has no event to name the block");
        const aqlprofile_pmc_event_t event = newer(profile->events);
        status = aql_event_check(&agent, &event);
        if (!status) *(uint32_t *)value = aql_block(&agent, (uint32_t)event.block_name)->slots;
        return status;
    }
    hsa_ven_amd_aqlprofile_id_query_t *query = value;
    if (!query->name) return aql_fail(INVALID, "the block's name is NULL");
    const aql_block_t *block = aql_block_named(&agent, query->name);
    if (!block)
        return aql_fail(HSA_STATUS_ERROR, "%s has no counters in a block named %s", agent.name,
                        query->name);
    query->id = block->id;
    query->instance_count = block->instances;
    return HSA_STATUS_SUCCESS;
}

/* Commands that let a queue's waves be counted, or no longer. AMD's library sets the size in a
 * profile that its signature calls constant; programs rely on it. */
static hsa_status_t queue_command(const hsa_ven_amd_aqlprofile_profile_t *profile, bool enable,
                                  hsa_ext_amd_aql_pm4_packet_t *packet)
{
    uint32_t words[16];
    aql_pm4_t pm4 = {words, sizeof words / sizeof *words, 0};
    hsa_ven_amd_aqlprofile_descriptor_t *buffer =
        &((hsa_ven_amd_aqlprofile_profile_t *)(uintptr_t)profile)->command_buffer;
    aql_pm4_set(&pm4, AQL_COMPUTE_PERFCOUNT_ENABLE, enable);
    uint32_t bytes = pm4.count * 4;
    if (!buffer->ptr) {
        buffer->size = bytes;
        return HSA_STATUS_SUCCESS;
    }
    if (buffer->size != bytes)
        return aql_fail(HSA_STATUS_ERROR, "command_buffer has %u bytes, the command exactly %u",
                        buffer->size, bytes);
    if (!packet || (uintptr_t)buffer->ptr % 4)
        return aql_fail(INVALID,
                        packet ? "command_buffer is not aligned to 4 bytes" : "value is NULL");
    memcpy(buffer->ptr, words, bytes);
    aql_pm4_packet(buffer->ptr, bytes, packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_get_info(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                hsa_ven_amd_aqlprofile_info_type_t attribute, void *value)
{
    bool command = attribute == HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD ||
                   attribute == HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD;
    if (!profile) return aql_fail(INVALID, "profile is NULL");
    if (!value && !command) return aql_fail(INVALID, "value is NULL");
    switch (attribute) {
    case HSA_VEN_AMD_AQLPROFILE_INFO_COMMAND_BUFFER_SIZE: return sizes(profile, true, value);
    case HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA_SIZE: return sizes(profile, false, value);
    case HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA:
        ((hsa_ven_amd_aqlprofile_info_data_t *)value)->pmc_data.result = 0;
        return hsa_ven_amd_aqlprofile_iterate_data(profile, take_sample, value);
    case HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS:
    case HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID: return block_info(profile, attribute, value);
    case HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD: return queue_command(profile, true, value);
    case HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD: return queue_command(profile, false, value);
    default: return aql_fail(INVALID, "nothing is known by attribute %d", attribute);
    }
}

/* ---- dimensions ---- */

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_iterate_event_ids(hsa_ven_amd_aqlprofile_eventname_callback_t callback)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    for (int i = 0; i < AQL_DIMENSIONS && !status; i++)
        status = callback(i, aql_dimension_names[i]);
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_iterate_event_coord(
    hsa_agent_t agent, hsa_ven_amd_aqlprofile_event_t event, uint32_t sample_id,
    hsa_ven_amd_aqlprofile_coordinate_callback_t callback, void *userdata)
{
    aql_agent_t known;
    aql_coordinate_t at[AQL_DIMENSIONS];
    int count = 0;
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    hsa_status_t status = aql_agent_from_hsa(agent, &known);
    const aqlprofile_pmc_event_t asked = newer(&event);
    if (!status) status = aql_event_check(&known, &asked);
    if (status) return status;
    const aql_block_t *block = aql_block(&known, (uint32_t)event.block_name);
    uint32_t samples = aql_block_samples(&known, block);
    if (sample_id >= samples)
        return aql_fail(HSA_STATUS_ERROR_INVALID_INDEX, "%s[%u] has %u samples, there is none %u",
                        block->name, event.block_index, samples, sample_id);
    status = aql_coordinates(&known, block, (uint64_t)event.block_index * samples + sample_id, at,
                             &count);
    for (int i = 0; i < count && !status; i++)
        status = callback(i, at[i].id, at[i].extent, at[i].coordinate,
                          aql_dimension_names[at[i].id], userdata);
    return status == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}
