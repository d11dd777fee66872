/* v1.c - the hsa_ven_amd_aqlprofile_* functions, which an HSA runtime offers as an extension.
 *
 * The profile's command buffer holds a header and then the commands of read, start and stop. No
 * state is kept between calls: each call computes what it needs from the profile again, and
 * compares it with the header before it uses the buffer. */
#include "aqlprofile/internal.h"

#include "base/env.h"

#include <stdlib.h>
#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

/* The header: the size of each part in bytes, in AMD's order of the parts. */
typedef struct {
    uint32_t control, read, read_again, next_read, start, stop;
} parts_t;

/* The contents of a profile: counters or a trace. */
typedef struct {
    aql_agent_t agent;
    aqlprofile_pmc_event_t *events;
    aql_plan_t plan;
    bool traces;
    aql_trace_t trace;
} job_t;

static bool concurrent(const hsa_ven_amd_aqlprofile_profile_t *profile)
{
    for (uint32_t i = 0; i < profile->parameter_count; i++)
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

static void end_job(job_t *job)
{
    aql_plan_free(&job->plan);
    free(job->events);
}

static hsa_status_t begin_trace(const hsa_ven_amd_aqlprofile_profile_t *profile, job_t *job)
{
    if (profile->event_count)
        return aql_fail(INVALID, "%s are not supported",
                        profile->event_count == UINT32_MAX ? "traces of sampled PCs"
                                                           : "streaming counters");
    job->traces = true;
    /* the parameters are converted to those of the second interface, in which a counter has a mask
     * of SIMDs */
    aqlprofile_att_parameter_t *given = calloc(profile->parameter_count + 1ul, sizeof *given);
    uint32_t count = 0, counters = 0;
    if (!given)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u parameters",
                        profile->parameter_count);
    for (uint32_t i = 0; i < profile->parameter_count; i++) {
        const hsa_ven_amd_aqlprofile_parameter_t *from = &profile->parameters[i];
        bool counter =
            from->parameter_name == HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME;
        /* further ones are ignored here */
        if (counter && counters++ >= AQL_TRACE_COUNTERS) continue;
        given[count].parameter_name = from->parameter_name;
        given[count++].value = counter ? (from->value & 0xfffffff) | 0xf0000000 : from->value;
    }
    hsa_status_t status = aql_trace_make(&job->agent, given, count, false, &job->trace);
    free(given);
    return status;
}

static hsa_status_t begin_counting(const hsa_ven_amd_aqlprofile_profile_t *profile, job_t *job)
{
    /* aql_plan_make() refuses a count beyond the limit before it reads an event */
    if (profile->events && profile->event_count && profile->event_count <= AQL_EVENTS_MAX) {
        job->events = malloc(profile->event_count * sizeof *job->events);
        if (!job->events)
            return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events",
                            profile->event_count);
        for (uint32_t i = 0; i < profile->event_count; i++)
            job->events[i] = newer(&profile->events[i]);
    }
    return aql_plan_make(&job->agent, job->events, profile->event_count, &job->plan);
}

/* Computes the contents of the profile. end_job() has to follow in any case. */
static hsa_status_t begin_job(const hsa_ven_amd_aqlprofile_profile_t *profile, job_t *job)
{
    memset(job, 0, sizeof *job);
    if (!profile) return aql_fail(INVALID, "profile is NULL");
    hsa_status_t status = aql_agent_from_hsa(profile->agent, &job->agent);
    if (status) return status;
    if (profile->parameter_count && !profile->parameters)
        return aql_fail(INVALID, "parameters is NULL, parameter_count %u",
                        profile->parameter_count);
    switch (profile->type) {
    case HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC: return begin_counting(profile, job);
    case HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE: return begin_trace(profile, job);
    default:
        return aql_fail(INVALID, "profile type %d is neither counters nor a trace", profile->type);
    }
}

/* Returns the size of the results; the caller chooses the size of a trace. */
static uint32_t output_bytes(const job_t *job)
{
    return job->traces ? 0 : job->plan.results * 8;
}

/* Returns the address of a trace's aql_trace_control_t rows, which follow the header. */
static uint64_t control_address(const hsa_ven_amd_aqlprofile_profile_t *profile)
{
    return (uintptr_t)profile->command_buffer.ptr + sizeof(parts_t);
}

static hsa_status_t place_trace(const hsa_ven_amd_aqlprofile_profile_t *profile, job_t *job)
{
    if (!job->traces) return HSA_STATUS_SUCCESS;
    return aql_trace_place(&job->trace, (uintptr_t)profile->output_buffer.ptr,
                           profile->output_buffer.size, control_address(profile));
}

/* Writes the commands after the header and returns their sizes. If `words` is NULL, it writes
 * nothing. */
static parts_t build(const hsa_ven_amd_aqlprofile_profile_t *profile, const job_t *job,
                     uint32_t *words, uint32_t capacity)
{
    aql_pm4_t pm4 = aql_pm4_list(&job->agent, words, capacity);
    pm4.count = sizeof(parts_t) / 4;
    uint64_t output = (uintptr_t)profile->output_buffer.ptr;
    bool apart = reads_apart();
    parts_t parts = {0};
    if (job->traces) parts.control = job->trace.engines * (uint32_t)sizeof(aql_trace_control_t);
    pm4.count += parts.control / 4;
    uint32_t begin = pm4.count;
    if (apart && !job->traces) aql_pmc_read(&pm4, &job->agent, &job->plan, output);
    parts.read = (pm4.count - begin) * 4;
    begin = pm4.count;
    if (job->traces)
        aql_trace_begin(&pm4, &job->trace);
    else
        aql_pmc_start(&pm4, &job->agent, &job->plan, concurrent(profile));
    parts.start = (pm4.count - begin) * 4;
    begin = pm4.count;
    if (job->traces) {
        aql_trace_end(&pm4, &job->trace);
    } else {
        if (!apart) aql_pmc_read(&pm4, &job->agent, &job->plan, output);
        aql_pmc_stop(&pm4, &job->agent, &job->plan);
    }
    parts.stop = (pm4.count - begin) * 4;
    return parts;
}

static uint32_t command_bytes(const parts_t *parts)
{
    uint32_t used =
        (uint32_t)sizeof *parts + parts->control + parts->read + parts->start + parts->stop;
    return (used + 0x1800) & ~0xfffu; /* whole pages, at least half a page of them free */
}

/* Fails unless the buffers exist, are aligned and large enough; sets the needed sizes of those that
 * are too small. */
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
    job_t job;
    hsa_status_t status = begin_job(profile, &job);
    if (status) goto out;
    parts_t parts = build(profile, &job, NULL, 0);
    const uint32_t most = parts.read > parts.start ? parts.read : parts.start;
    status = aql_pm4_check(parts.stop > most ? parts.stop : most);
    if (!status) status = check_buffers(profile, command_bytes(&parts), output_bytes(&job));
    if (status || !profile->command_buffer.ptr) goto out;
    if (!profile->output_buffer.ptr || !aql_start_packet) {
        status = aql_fail(INVALID, "%s is NULL",
                          aql_start_packet ? "output_buffer.ptr" : "aql_start_packet");
        goto out;
    }
    status = place_trace(profile, &job);
    if (status) goto out;
    char *base = profile->command_buffer.ptr;
    memset(base + sizeof parts, 0, parts.control);
    build(profile, &job, profile->command_buffer.ptr, profile->command_buffer.size / 4);
    memcpy(base, &parts, sizeof parts);
    aql_pm4_packet(&job.agent, base + sizeof parts + parts.control + parts.read, parts.start,
                   aql_start_packet);
out:
    end_job(&job);
    return status;
}

/* Reads the sizes of the parts. Fails if start has not prepared the command buffer. */
static hsa_status_t prepared(const hsa_ven_amd_aqlprofile_profile_t *profile, const job_t *job,
                             parts_t *parts)
{
    *parts = build(profile, job, NULL, 0);
    if (!profile->command_buffer.ptr) return aql_fail(INVALID, "command_buffer.ptr is NULL");
    if (profile->command_buffer.size < command_bytes(parts) ||
        memcmp(profile->command_buffer.ptr, parts, sizeof *parts))
        return aql_fail(INVALID,
                        "the command buffer has not been prepared by start for this profile");
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_parts(const hsa_ven_amd_aqlprofile_profile_t *profile, const void *packet,
                               const char *packet_name, parts_t *parts, aql_agent_t *agent)
{
    job_t job;
    hsa_status_t status = begin_job(profile, &job);
    if (!status && !packet) status = aql_fail(INVALID, "%s is NULL", packet_name);
    if (!status) status = prepared(profile, &job, parts);
    *agent = job.agent;
    end_job(&job);
    return status;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_stop(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                    hsa_ext_amd_aql_pm4_packet_t *aql_stop_packet)
{
    parts_t parts;
    aql_agent_t agent;
    hsa_status_t status = find_parts(profile, aql_stop_packet, "aql_stop_packet", &parts, &agent);
    if (status) return status;
    const char *commands = profile->command_buffer.ptr;
    commands += sizeof parts + parts.control + parts.read + parts.start;
    aql_pm4_packet(&agent, commands, parts.stop, aql_stop_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_read(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                                    hsa_ext_amd_aql_pm4_packet_t *aql_read_packet)
{
    parts_t parts;
    aql_agent_t agent;
    hsa_status_t status = find_parts(profile, aql_read_packet, "aql_read_packet", &parts, &agent);
    if (status) return status;
    if (!parts.read)
        return aql_fail(HSA_STATUS_ERROR, profile->type == HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE
                                              ? "a trace is not read, the stop packet ends it"
                                              : "AQLPROFILE_READ_API=0: the stop packet reads");
    const char *commands = profile->command_buffer.ptr;
    aql_pm4_packet(&agent, commands + sizeof parts + parts.control, parts.read, aql_read_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t hsa_ven_amd_aqlprofile_att_marker(
    hsa_ven_amd_aqlprofile_profile_t *profile, hsa_ext_amd_aql_pm4_packet_t *aql_marker_packet,
    uint32_t data, hsa_ven_amd_aqlprofile_att_marker_channel_t channel)
{
    uint32_t words[16];
    aql_agent_t agent;
    if (!profile) return aql_fail(INVALID, "profile is NULL");
    if ((uint32_t)channel > HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_3)
        return aql_fail(INVALID, "a trace has channels 0 to 3, not %u", (unsigned)channel);
    hsa_status_t status = aql_agent_from_hsa(profile->agent, &agent);
    if (status) return status;
    aql_pm4_t pm4 = aql_pm4_list(&agent, words, sizeof words / sizeof *words);
    aql_trace_mark(&pm4, (uint32_t)channel, data);
    uint32_t bytes = pm4.count * 4, size = profile->command_buffer.size;
    if (size < bytes) profile->command_buffer.size = bytes;
    if (!profile->command_buffer.ptr) return HSA_STATUS_SUCCESS;
    if (size < bytes)
        return aql_fail(INVALID, "command_buffer has %u bytes, a marker needs %u", size, bytes);
    if (!aql_marker_packet || (uintptr_t)profile->command_buffer.ptr % 4)
        return aql_fail(INVALID, aql_marker_packet ? "command_buffer is not aligned to 4 bytes"
                                                   : "aql_marker_packet is NULL");
    memcpy(profile->command_buffer.ptr, words, bytes);
    aql_pm4_packet(&agent, profile->command_buffer.ptr, bytes, aql_marker_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_legacy_get_pm4(const hsa_ext_amd_aql_pm4_packet_t *aql_packet, void *data)
{
    (void)aql_packet, (void)data;
    return aql_fail(HSA_STATUS_ERROR, "queues of gfx8, which need PM4 blocks, are not supported");
}

/* ---- results ---- */

typedef struct {
    const hsa_ven_amd_aqlprofile_profile_t *profile;
    hsa_ven_amd_aqlprofile_data_callback_t callback;
    void *data;
} giver_t;

static hsa_status_t give_count(uint32_t event, uint32_t sample, uint64_t at, uint64_t value,
                               void *data)
{
    const giver_t *giver = data;
    hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = sample};
    (void)at;
    info.pmc_data.event = giver->profile->events[event];
    info.pmc_data.result = value;
    return giver->callback(HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info, giver->data);
}

static hsa_status_t give_counts(const hsa_ven_amd_aqlprofile_profile_t *profile, const job_t *job,
                                hsa_ven_amd_aqlprofile_data_callback_t callback, void *data)
{
    giver_t giver = {profile, callback, data};
    if (profile->output_buffer.size < output_bytes(job))
        return aql_fail(INVALID, "output_buffer has %u bytes, the profile's results have %u",
                        profile->output_buffer.size, output_bytes(job));
    return aql_plan_results(&job->agent, &job->plan, profile->output_buffer.ptr, give_count,
                            &giver);
}

static hsa_status_t give_trace(const hsa_ven_amd_aqlprofile_profile_t *profile, job_t *job,
                               hsa_ven_amd_aqlprofile_data_callback_t callback, void *data)
{
    hsa_status_t status = place_trace(profile, job);
    if (status) return status;
    const aql_trace_control_t *control = (const void *)(uintptr_t)control_address(profile);
    for (uint32_t i = 0; i < job->trace.engines && !status; i++) {
        if (!job->trace.size[i]) continue;
        hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = i};
        info.trace_data.ptr = (void *)(uintptr_t)job->trace.begin[i];
        info.trace_data.size = (uint32_t)aql_trace_bytes(&job->trace, control, i);
        status = callback(HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA, &info, data);
    }
    return status ? status : aql_trace_check(&job->trace, control);
}

AQL_EXPORT hsa_status_t
hsa_ven_amd_aqlprofile_iterate_data(const hsa_ven_amd_aqlprofile_profile_t *profile,
                                    hsa_ven_amd_aqlprofile_data_callback_t callback, void *data)
{
    job_t job;
    parts_t parts;
    hsa_status_t status = begin_job(profile, &job);
    if (status) goto out;
    if (!callback || !profile->output_buffer.ptr)
        status = aql_fail(INVALID, "%s is NULL", callback ? "output_buffer.ptr" : "callback");
    else if (!job.traces)
        status = give_counts(profile, &job, callback, data);
    else if (!(status = prepared(profile, &job, &parts)))
        status = give_trace(profile, &job, callback, data);
    if (status == HSA_STATUS_INFO_BREAK) status = HSA_STATUS_SUCCESS;
out:
    end_job(&job);
    return status;
}

typedef struct {
    hsa_ven_amd_aqlprofile_info_data_t *asked;
    bool found;
} wanted_t;

/* Takes the requested sample, or sums all samples of an event. */
static hsa_status_t take_sample(hsa_ven_amd_aqlprofile_info_type_t type,
                                hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    wanted_t *wanted = data;
    hsa_ven_amd_aqlprofile_info_data_t *asked = wanted->asked;
    bool trace = type == HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA;
    if (!trace &&
        memcmp(&info->pmc_data.event, &asked->pmc_data.event, sizeof info->pmc_data.event))
        return HSA_STATUS_SUCCESS;
    bool sum = !trace && asked->sample_id == UINT32_MAX;
    if (!sum && asked->sample_id != info->sample_id) return HSA_STATUS_SUCCESS;
    wanted->found = true;
    if (sum) {
        asked->pmc_data.result += info->pmc_data.result;
        return HSA_STATUS_SUCCESS;
    }
    if (trace) {
        asked->trace_data = info->trace_data;
        return HSA_STATUS_SUCCESS; /* the iteration goes on, since errors of the trace are reported
                                    * at the end */
    }
    asked->pmc_data.result = info->pmc_data.result;
    return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t one_result(const hsa_ven_amd_aqlprofile_profile_t *profile,
                               hsa_ven_amd_aqlprofile_info_type_t attribute,
                               hsa_ven_amd_aqlprofile_info_data_t *value)
{
    bool trace = attribute == HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA;
    if (trace != (profile->type == HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE))
        return aql_fail(INVALID, "the profile is none of %s", trace ? "a trace" : "counters");
    if (trace)
        value->trace_data = (hsa_ven_amd_aqlprofile_descriptor_t){NULL, 0};
    else
        value->pmc_data.result = 0;
    wanted_t wanted = {.asked = value};
    hsa_status_t status = hsa_ven_amd_aqlprofile_iterate_data(profile, take_sample, &wanted);
    if (status || wanted.found) return status;
    const hsa_ven_amd_aqlprofile_event_t *event = &value->pmc_data.event;
    if (trace) return aql_fail(INVALID, "shader engine %u is not traced", value->sample_id);
    if (value->sample_id == UINT32_MAX)
        return aql_fail(INVALID, "the profile has no event %u of block %u, instance %u",
                        event->counter_id, (unsigned)event->block_name, event->block_index);
    return aql_fail(INVALID, "the profile has no sample %u of event %u of block %u, instance %u",
                    value->sample_id, event->counter_id, (unsigned)event->block_name,
                    event->block_index);
}

static hsa_status_t sizes(const hsa_ven_amd_aqlprofile_profile_t *profile, bool command,
                          uint32_t *bytes)
{
    job_t job;
    hsa_status_t status = begin_job(profile, &job);
    if (!status) {
        parts_t parts = build(profile, &job, NULL, 0);
        *bytes = command ? command_bytes(&parts) : output_bytes(&job);
    }
    end_job(&job);
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
        if (!status)
            *(uint32_t *)value =
                aql_block_slots(&agent, aql_block(&agent, (uint32_t)event.block_name));
        return status;
    }
    hsa_ven_amd_aqlprofile_id_query_t *query = value;
    if (!query->name) return aql_fail(INVALID, "the block's name is NULL");
    const aql_block_t *block = aql_block_named(&agent, query->name);
    if (!block)
        return aql_fail(HSA_STATUS_ERROR, "%s has no counters in a block named %s", agent.gpu->name,
                        query->name);
    query->id = block->id;
    query->instance_count = aql_block_indexes(&agent, block);
    return HSA_STATUS_SUCCESS;
}

/* Makes the command that enables or disables the counting of a queue's waves. As in AMD's library,
 * this sets the size in the profile, although that is const: programs rely on it. */
static hsa_status_t queue_command(const hsa_ven_amd_aqlprofile_profile_t *profile, bool enable,
                                  hsa_ext_amd_aql_pm4_packet_t *packet)
{
    uint32_t words[16];
    aql_agent_t agent;
    hsa_status_t status = aql_agent_from_hsa(profile->agent, &agent);
    if (status) return status;
    aql_pm4_t pm4 = aql_pm4_list(&agent, words, sizeof words / sizeof *words);
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
    aql_pm4_packet(&agent, buffer->ptr, bytes, packet);
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
    case HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA: return one_result(profile, attribute, value);
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
    const uint32_t xccs = aql_block_places(&known, block).xccs, of_xcc = samples / xccs;
    const uint64_t instances = aql_block_instances(&known, block);
    uint64_t instance = sample_id / of_xcc * instances + event.block_index;
    /* no place has this number */
    if (event.block_index >= instances && xccs > 1) instance = xccs * instances;
    return aql_coordinates(&known, block, instance * of_xcc + sample_id % of_xcc, callback,
                           userdata);
}
