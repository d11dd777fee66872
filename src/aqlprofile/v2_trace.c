/* v2_trace.c - the aqlprofile_att_* functions: packets around a trace, its data, and markers.
 *
 * They are apart from v2.c because the memory of a trace differs from that of counters: the host
 * cannot read the data before the caller's callback has copied it. */
#include "aqlprofile/handles.h"
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

typedef struct {
    aql_object_t head;
    aql_agent_t agent;
    aql_trace_t trace;
    void *data;
    aql_trace_control_t *control;
} trace_t;

static void release(aql_object_t *head)
{
    trace_t *t = (trace_t *)head;
    aql_memory_free(&head->memory, t->control);
    aql_memory_free(&head->memory, t->data);
}

static const aql_kind_t trace_kind = {.text = "a trace",
                                      .packets = "packets",
                                      .bytes = sizeof(trace_t),
                                      .copies = true,
                                      .release = release};

static hsa_status_t allocate(trace_t *t)
{
    const aqlprofile_buffer_desc_flags_t data = {.device_access = 1,
                                                 .memory_hint =
                                                     AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT},
                                         control = {.device_access = 1,
                                                    .host_access = 1,
                                                    .memory_hint = AQLPROFILE_MEMORY_HINT_HOST};
    const aql_trace_control_t zeros[AQL_TRACE_ENGINES] = {0};
    const aql_memory_t *memory = &t->head.memory;
    void *ptr;
    uint64_t control_bytes = t->trace.engines * sizeof *zeros;
    hsa_status_t status = aql_memory_get(memory, t->trace.bytes, "the trace", data, &t->data);
    if (status) return status;
    status = aql_memory_get(memory, control_bytes, "the trace's control", control, &ptr);
    t->control = ptr;
    return status ? status : aql_memory_copy(memory, ptr, zeros, control_bytes, "control");
}

/* Where the second list of commands begins and ends, in dwords. */
typedef struct {
    uint32_t stop, end;
} lists_t;

static lists_t build(const trace_t *t, uint32_t *words, uint32_t capacity)
{
    aql_pm4_t pm4 = aql_pm4_list(&t->agent, words, capacity);
    lists_t at = {0};
    aql_trace_begin(&pm4, &t->trace);
    at.stop = pm4.count;
    aql_trace_end(&pm4, &t->trace);
    at.end = pm4.count;
    return at;
}

static hsa_status_t write_commands(trace_t *t, aqlprofile_att_control_aql_packets_t *packets)
{
    lists_t at = build(t, NULL, 0);
    uint32_t *words = malloc(at.end * 4ul);
    if (!words)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u commands", at.end);
    build(t, words, at.end);
    hsa_status_t status = aql_object_write(&t->head, words, at.end, "commands",
                                           AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT);
    free(words);
    if (status) return status;
    const uint32_t *first = t->head.commands;
    aql_pm4_packet(&t->agent, first, at.stop * 4, &packets->start_packet);
    aql_pm4_packet(&t->agent, first + at.stop, (at.end - at.stop) * 4, &packets->stop_packet);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t aqlprofile_att_create_packets(
    aqlprofile_handle_t *handle, aqlprofile_att_control_aql_packets_t *packets,
    aqlprofile_att_profile_t profile, aqlprofile_memory_alloc_callback_t alloc_cb,
    aqlprofile_memory_dealloc_callback_t dealloc_cb, aqlprofile_memory_copy_t memcpy_cb,
    void *userdata)
{
    const aql_memory_t memory = {alloc_cb, dealloc_cb, memcpy_cb, userdata};
    aql_object_t *object;
    hsa_status_t status = aql_object_begin(&trace_kind, handle, packets, &memory, &object);
    if (status) return status;
    trace_t *t = (trace_t *)object;
    status = aql_agent_from_hsa(profile.agent, &t->agent);
    if (!status)
        status =
            aql_trace_make(&t->agent, profile.parameters, profile.parameter_count, true, &t->trace);
    if (!status) status = aql_trace_place(&t->trace, 0, t->trace.bytes, 0); /* checks the size */
    if (!status) status = allocate(t);
    if (!status)
        status =
            aql_trace_place(&t->trace, (uintptr_t)t->data, t->trace.bytes, (uintptr_t)t->control);
    if (!status) status = write_commands(t, packets);
    return aql_object_end(object, status, handle);
}

/* Returns the word with which a trace of gfx9 begins: it tells a decoder which version of the
 * stream follows. Later GPUs write such a word themselves, as their first token. */
static uint64_t describe(const aql_trace_t *trace, uint32_t engine)
{
    enum { FIRST = 0x11 };
    return FIRST | (uint64_t)trace->version << 13 | (uint64_t)trace->simds << 16 |
           (uint64_t)trace->unit << 20 | (uint64_t)engine << 26;
}

AQL_EXPORT hsa_status_t aqlprofile_att_iterate_data(aqlprofile_handle_t handle,
                                                    aqlprofile_att_data_callback_t callback,
                                                    void *userdata)
{
    if (!callback) return aql_fail(INVALID, "callback is NULL");
    const trace_t *t = (const trace_t *)aql_object_get(handle, &trace_kind);
    if (!t) return INVALID;
    for (uint32_t i = 0; i < t->trace.engines; i++) {
        if (!t->trace.size[i]) continue;
        const uint64_t word = describe(&t->trace, i),
                       bytes = aql_trace_bytes(&t->trace, t->control, i);
        const size_t described = t->trace.version ? sizeof word : 0;
        /* one more byte, since an allocation of 0 bytes may be NULL */
        char *buffer = malloc(described + bytes + 1);
        if (!buffer)
            return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                            "no memory for a trace of %llu bytes", (unsigned long long)bytes);
        memcpy(buffer, &word, described);
        hsa_status_t status =
            aql_memory_copy(&t->head.memory, buffer + described,
                            (const void *)(uintptr_t)t->trace.begin[i], bytes, "a trace");
        if (!status) callback(i, buffer, described + bytes, userdata);
        free(buffer);
        if (status) return status;
    }
    return aql_trace_check(&t->trace, t->control);
}

/* ---- markers ---- */

static const aql_kind_t marker_kind = {
    .text = "a marker", .packets = "packet", .bytes = sizeof(aql_object_t)};

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
    const aql_memory_t memory = {.alloc = alloc_cb, .dealloc = dealloc_cb, .userdata = userdata};
    uint32_t words[128];
    aql_object_t *marker;
    aql_agent_t agent;
    hsa_status_t status = aql_object_begin(&marker_kind, handle, packet, &memory, &marker);
    if (status) return status;
    status = aql_agent_from_hsa(data.agent, &agent);
    if (!status) {
        aql_pm4_t pm4 = aql_pm4_list(&agent, words, sizeof words / sizeof *words);
        mark(&pm4, &data);
        status =
            aql_object_write(marker, words, pm4.count, "a marker", AQLPROFILE_MEMORY_HINT_NONE);
        if (!status) aql_pm4_packet(&agent, marker->commands, pm4.count * 4, packet);
    }
    return aql_object_end(marker, status, handle);
}

AQL_EXPORT void aqlprofile_att_delete_packets(aqlprofile_handle_t handle)
{
    aql_object_remove(handle, &trace_kind);
    aql_object_remove(handle, &marker_kind);
}
