/* v2_trace.c - the aqlprofile_att_* functions: packets around a trace, its data, and markers.
 *
 * Apart from v2.c because a trace has other memory than counters: the host does not see the data
 * until the caller's copy has fetched it. */
#include "aqlprofile/handles.h"
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

typedef struct {
    aql_handle_t head;
    aql_trace_t trace;
    aqlprofile_memory_dealloc_callback_t dealloc;
    aqlprofile_memory_copy_t copy;
    void *userdata;
    void *commands, *data;
    aql_trace_control_t *control;
} trace_t;

static void destroy_trace(aql_handle_t *head)
{
    trace_t *t = (trace_t *)head;
    if (t->commands) t->dealloc(t->commands, t->userdata);
    if (t->control) t->dealloc(t->control, t->userdata);
    if (t->data) t->dealloc(t->data, t->userdata);
    free(t);
}

static hsa_status_t allocate(trace_t *t, aqlprofile_memory_alloc_callback_t alloc)
{
    const aqlprofile_buffer_desc_flags_t data = {.device_access = 1,
                                                 .memory_hint =
                                                     AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT},
                                         control = {.device_access = 1,
                                                    .host_access = 1,
                                                    .memory_hint = AQLPROFILE_MEMORY_HINT_HOST};
    aql_trace_control_t zeros[AQL_TRACE_ENGINES];
    void *memory;
    uint64_t control_bytes = t->trace.engines * sizeof *zeros;
    hsa_status_t status =
        aql_allocate(alloc, t->userdata, t->trace.bytes, "the trace", data, &t->data);
    if (status) return status;
    status =
        aql_allocate(alloc, t->userdata, control_bytes, "the trace's control", control, &memory);
    t->control = memory;
    if (status) return status;
    memset(zeros, 0, sizeof zeros);
    status = t->copy(t->control, zeros, control_bytes, t->userdata);
    return status ? aql_fail(status, "the caller's copy to control failed, status 0x%x", status)
                  : status;
}

static hsa_status_t write_commands(trace_t *t, aqlprofile_memory_alloc_callback_t alloc,
                                   aqlprofile_att_control_aql_packets_t *packets)
{
    const aqlprofile_buffer_desc_flags_t flags = {.device_access = 1,
                                                  .host_access = 1,
                                                  .memory_hint =
                                                      AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT};
    aql_pm4_t pm4 = {0};
    aql_trace_begin(&pm4, &t->trace);
    aql_trace_end(&pm4, &t->trace);
    uint32_t count = pm4.count, stop;
    pm4 = (aql_pm4_t){.words = malloc(count * 4ul), .capacity = count};
    if (!pm4.words)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u commands", count);
    aql_trace_begin(&pm4, &t->trace);
    stop = pm4.count;
    aql_trace_end(&pm4, &t->trace);
    hsa_status_t status =
        aql_allocate(alloc, t->userdata, count * 4ull, "commands", flags, &t->commands);
    if (!status) {
        status = t->copy(t->commands, pm4.words, count * 4ul, t->userdata);
        if (status) aql_fail(status, "the caller's copy of commands failed, status 0x%x", status);
    }
    free(pm4.words);
    if (status) return status;
    const uint32_t *first = t->commands;
    aql_pm4_packet(first, stop * 4, &packets->start_packet);
    aql_pm4_packet(first + stop, (count - stop) * 4, &packets->stop_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t aqlprofile_att_create_packets(
    aqlprofile_handle_t *handle, aqlprofile_att_control_aql_packets_t *packets,
    aqlprofile_att_profile_t profile, aqlprofile_memory_alloc_callback_t alloc_cb,
    aqlprofile_memory_dealloc_callback_t dealloc_cb, aqlprofile_memory_copy_t memcpy_cb,
    void *userdata)
{
    if (!handle || !packets || !alloc_cb || !dealloc_cb || !memcpy_cb)
        return aql_fail(INVALID, "%s is NULL",
                        !handle       ? "handle"
                        : !packets    ? "packets"
                        : !alloc_cb   ? "alloc_cb"
                        : !dealloc_cb ? "dealloc_cb"
                                      : "memcpy_cb");
    trace_t *t = calloc(1, sizeof *t);
    if (!t) return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for packets");
    t->head = (aql_handle_t){AQL_HANDLE_TRACE, destroy_trace};
    t->dealloc = dealloc_cb;
    t->copy = memcpy_cb;
    t->userdata = userdata;
    aql_agent_t agent;
    hsa_status_t status = aql_agent_from_hsa(profile.agent, &agent);
    if (!status)
        status =
            aql_trace_make(&agent, profile.parameters, profile.parameter_count, true, &t->trace);
    if (!status) status = aql_trace_place(&t->trace, 0, t->trace.bytes, 0); /* the size alone */
    if (!status) status = allocate(t, alloc_cb);
    if (!status)
        status =
            aql_trace_place(&t->trace, (uintptr_t)t->data, t->trace.bytes, (uintptr_t)t->control);
    if (!status) status = write_commands(t, alloc_cb, packets);
    if (!status) status = aql_handle_add(&t->head, &handle->handle);
    if (status) destroy_trace(&t->head);
    return status;
}

/* The word before the tokens, which decoders expect of GPUs that write none themselves. */
static uint64_t describe(const aql_trace_t *trace, uint32_t engine)
{
    enum { VERSION = 0x11, MI200_OR_OLDER = 4 };
    return VERSION | MI200_OR_OLDER << 13 | (uint64_t)trace->simds << 16 |
           (uint64_t)trace->unit << 20 | (uint64_t)engine << 26;
}

AQL_EXPORT hsa_status_t aqlprofile_att_iterate_data(aqlprofile_handle_t handle,
                                                    aqlprofile_att_data_callback_t callback,
                                                    void *userdata)
{
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    const trace_t *t = (const trace_t *)aql_handle_get(handle.handle, AQL_HANDLE_TRACE);
    if (!t) return INVALID;
    for (uint32_t i = 0; i < t->trace.engines; i++) {
        if (!t->trace.size[i]) continue;
        uint64_t bytes = aql_trace_bytes(&t->trace, t->control, i), word = describe(&t->trace, i);
        char *buffer = malloc(sizeof word + bytes);
        if (!buffer)
            return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                            "no memory for a trace of %llu bytes", (unsigned long long)bytes);
        memcpy(buffer, &word, sizeof word);
        hsa_status_t status = t->copy(
            buffer + sizeof word, (const void *)(uintptr_t)t->trace.begin[i], bytes, t->userdata);
        if (!status) callback(i, buffer, sizeof word + bytes, userdata);
        free(buffer);
        if (status)
            return aql_fail(status, "the caller's copy of a trace failed, status 0x%x", status);
    }
    return aql_trace_check(&t->trace, t->control);
}

/* ---- markers ---- */

typedef struct {
    aql_handle_t head;
    aqlprofile_memory_dealloc_callback_t dealloc;
    void *userdata, *commands;
} marker_t;

static void destroy_marker(aql_handle_t *head)
{
    marker_t *m = (marker_t *)head;
    if (m->commands) m->dealloc(m->commands, m->userdata);
    free(m);
}

static void mark(aql_pm4_t *pm4, const aqlprofile_att_codeobj_data_t *data)
{
    enum { TAIL, SIZE_LOW, ADDRESS_LOW, ADDRESS_HIGH, SIZE_HIGH, ID_LOW, ID_HIGH };
    const uint32_t ids_in_tail = 1u << 30;
    uint32_t id = data->id < ids_in_tail ? (uint32_t)data->id : 0;
    if (!data->isUnload) {
        aql_trace_mark(pm4, ADDRESS_LOW, (uint32_t)data->addr);
        aql_trace_mark(pm4, ADDRESS_HIGH, (uint32_t)(data->addr >> 32));
        aql_trace_mark(pm4, SIZE_LOW, (uint32_t)data->size);
        aql_trace_mark(pm4, SIZE_HIGH, (uint32_t)(data->size >> 32));
    }
    if (!id) {
        aql_trace_mark(pm4, ID_LOW, (uint32_t)data->id);
        aql_trace_mark(pm4, ID_HIGH, (uint32_t)(data->id >> 32));
    }
    aql_trace_mark(pm4, TAIL, data->isUnload | (uint32_t)data->fromStart << 1 | id << 2);
}

AQL_EXPORT hsa_status_t aqlprofile_att_codeobj_marker(
    hsa_ext_amd_aql_pm4_packet_t *packet, aqlprofile_handle_t *handle,
    aqlprofile_att_codeobj_data_t data, aqlprofile_memory_alloc_callback_t alloc_cb,
    aqlprofile_memory_dealloc_callback_t dealloc_cb, void *userdata)
{
    const aqlprofile_buffer_desc_flags_t flags = {.device_access = 1, .host_access = 1};
    uint32_t words[128];
    aql_pm4_t pm4 = {words, sizeof words / sizeof *words, 0};
    aql_agent_t agent;
    if (!packet || !handle || !alloc_cb || !dealloc_cb)
        return aql_fail(INVALID, "%s is NULL",
                        !packet     ? "packet"
                        : !handle   ? "handle"
                        : !alloc_cb ? "alloc_cb"
                                    : "dealloc_cb");
    hsa_status_t status = aql_agent_from_hsa(data.agent, &agent);
    if (status) return status;
    marker_t *m = calloc(1, sizeof *m);
    if (!m) return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for a marker");
    *m = (marker_t){{AQL_HANDLE_MARKER, destroy_marker}, dealloc_cb, userdata, NULL};
    mark(&pm4, &data);
    status = aql_allocate(alloc_cb, userdata, pm4.count * 4ull, "a marker", flags, &m->commands);
    if (!status) {
        memcpy(m->commands, words, pm4.count * 4ul);
        aql_pm4_packet(m->commands, pm4.count * 4, packet);
        status = aql_handle_add(&m->head, &handle->handle);
    }
    if (status) destroy_marker(&m->head);
    return status;
}

AQL_EXPORT void aqlprofile_att_delete_packets(aqlprofile_handle_t handle)
{
    aql_handle_remove(handle.handle, AQL_HANDLE_TRACE);
    aql_handle_remove(handle.handle, AQL_HANDLE_MARKER);
}
