/* aqlprofile.c - fuzz target: any profile, in both interfaces of AQLprofile, is served or refused
 * with a message of one line, within the buffers that it asked for, which it gives back.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. This
 * program stands in for the HSA runtime; the bytes of the input are the choices, one after the
 * other. */
#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 20, PARAMETERS_MAX = 12, BYTES_MAX = 4 << 20, PAGE = 4096, NUM_XCC = 0xa111 };

static const uint8_t *next, *end;
static const char *gpu_name;
static uint32_t xccs, engines, units, arrays;
static long live;       /* allocations that were not given back */
static uint32_t refuse; /* the allocation that fails, from 1; 0: none */
static uint32_t copies_fail;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((visibility("default"))) hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value);

static uint32_t take(uint32_t limit)
{
    uint32_t value = next < end ? *next++ : 0;
    if (limit > 256 && next < end) value |= (uint32_t)*next++ << 8;
    return value % limit;
}

/* Small numbers as often as large ones. */
static uint32_t take_word(void)
{
    return (take(65536) | take(65536) << 16) >> take(32);
}

/* Of a trace: 0 to 13, of which one is none, and 240 to 242. */
static uint32_t take_parameter(void)
{
    uint32_t name = take(17);
    return name < 14 ? name : name + 226;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    if (agent.handle != 1) return HSA_STATUS_ERROR_INVALID_AGENT;
    switch ((int)attribute) {
    case HSA_AGENT_INFO_NAME: strcpy(value, gpu_name); break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: *(uint32_t *)value = units; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *(uint32_t *)value = engines; break;
    case NUM_XCC: *(uint32_t *)value = xccs; break;
    default: *(uint32_t *)value = arrays; break;
    }
    return HSA_STATUS_SUCCESS;
}

static bool good(hsa_status_t status)
{
    const char *message = NULL;
    if (status == HSA_STATUS_SUCCESS) return true;
    hsa_ven_amd_aqlprofile_error_string(&message);
    if (!message || !message[0] || strchr(message, '\n')) abort();
    return false;
}

/* The packet leads to commands within the buffer. */
static void check_packet(const hsa_ext_amd_aql_pm4_packet_t *packet, const void *buffer,
                         uint64_t bytes)
{
    uint32_t words[4];
    memcpy(words, packet->pm4_command + 1, sizeof words);
    uint64_t address = words[1] | (uint64_t)words[2] << 32, count = words[3] & 0xfffff;
    if (!count || address < (uintptr_t)buffer || address + count * 4 > (uintptr_t)buffer + bytes)
        abort();
}

/* ---- the first interface ---- */

static hsa_status_t look(hsa_ven_amd_aqlprofile_info_type_t type,
                         hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    const hsa_ven_amd_aqlprofile_profile_t *profile = data;
    const char *first = profile->output_buffer.ptr, *ptr = info->trace_data.ptr;
    if (type == HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA &&
        (ptr < first || ptr + info->trace_data.size > first + profile->output_buffer.size))
        abort();
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_place(int position, int id, int extent, int coordinate, const char *name,
                              void *data)
{
    (void)position, (void)id, (void)name, (void)data;
    if (coordinate < 0 || coordinate >= extent) abort();
    return HSA_STATUS_SUCCESS;
}

static void use_profile(hsa_ven_amd_aqlprofile_profile_t *profile)
{
    hsa_ext_amd_aql_pm4_packet_t packet;
    hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = take(33)};
    hsa_ven_amd_aqlprofile_descriptor_t *commands = &profile->command_buffer;
    if (!good(hsa_ven_amd_aqlprofile_start(profile, &packet))) return;
    check_packet(&packet, commands->ptr, commands->size);
    if (good(hsa_ven_amd_aqlprofile_read(profile, &packet)))
        check_packet(&packet, commands->ptr, commands->size);
    if (!good(hsa_ven_amd_aqlprofile_stop(profile, &packet))) abort();
    check_packet(&packet, commands->ptr, commands->size);
    if (profile->type == HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE) /* as if the GPU had written */
        memset((char *)commands->ptr + 24, (int)take(256), engines * 32);
    good(hsa_ven_amd_aqlprofile_iterate_data(profile, look, profile));
    if (profile->event_count) info.pmc_data.event = profile->events[0];
    good(hsa_ven_amd_aqlprofile_get_info(profile, (hsa_ven_amd_aqlprofile_info_type_t)take(4),
                                         &info));
    if (profile->event_count)
        good(hsa_ven_amd_aqlprofile_iterate_event_coord(profile->agent, profile->events[0],
                                                        take(40), see_place, NULL));
}

static void first_interface(void)
{
    hsa_ven_amd_aqlprofile_event_t events[EVENTS_MAX];
    hsa_ven_amd_aqlprofile_parameter_t parameters[PARAMETERS_MAX];
    hsa_ven_amd_aqlprofile_profile_t profile = {.agent = {take(8) != 7},
                                                .type =
                                                    (hsa_ven_amd_aqlprofile_event_type_t)take(3),
                                                .events = events,
                                                .parameters = parameters,
                                                .parameter_count = take(PARAMETERS_MAX)};
    if (profile.type != HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE || take(8) == 7)
        profile.event_count = take(EVENTS_MAX);
    for (uint32_t i = 0; i < profile.event_count; i++)
        events[i] = (hsa_ven_amd_aqlprofile_event_t){(hsa_ven_amd_aqlprofile_block_name_t)take(56),
                                                     take(40), take(340)};
    for (uint32_t i = 0; i < profile.parameter_count; i++)
        parameters[i] = (hsa_ven_amd_aqlprofile_parameter_t){
            (hsa_ven_amd_aqlprofile_parameter_name_t)take_parameter(), take_word()};
    if (!good(hsa_ven_amd_aqlprofile_start(&profile, NULL))) return;
    if (!profile.output_buffer.size) profile.output_buffer.size = take(1024) * PAGE;
    uint32_t less[] = {take(4) == 3 ? take(64) : 0, take(4) == 3 ? take(64) : 0};
    if (less[0] > profile.output_buffer.size) less[0] = 0;
    profile.output_buffer.size -= less[0];
    profile.command_buffer.size -= less[1];
    void *output = NULL, *commands = NULL;
    if (posix_memalign(&output, PAGE, profile.output_buffer.size + 1) ||
        posix_memalign(&commands, PAGE, profile.command_buffer.size))
        abort();
    profile.output_buffer.ptr = output;
    profile.command_buffer.ptr = commands;
    memset(output, 0, profile.output_buffer.size);
    memset(commands, 0, profile.command_buffer.size);
    use_profile(&profile);
    free(output);
    free(commands);
}

/* ---- the second interface ---- */

static hsa_status_t give(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                         void *data)
{
    void *memory;
    (void)flags, (void)data;
    if (size > BYTES_MAX || (refuse && !--refuse)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (posix_memalign(&memory, PAGE, size)) abort();
    memset(memory, 0, size);
    live++;
    *ptr = memory;
    return HSA_STATUS_SUCCESS;
}

static void take_back(void *ptr, void *data)
{
    (void)data;
    live--;
    free(ptr);
}

static hsa_status_t copy(void *to, const void *from, size_t size, void *data)
{
    (void)data;
    if (copies_fail && !--copies_fail) return HSA_STATUS_ERROR;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_count(aqlprofile_pmc_event_t event, uint64_t id, uint64_t value, void *data)
{
    aqlprofile_agent_handle_t *agent = data;
    (void)value;
    /* instances beyond the agent's have no place */
    good(aqlprofile_iterate_event_coord(*agent, event, id, see_place, NULL));
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_trace(uint32_t engine, void *buffer, uint64_t size, void *data)
{
    (void)data;
    /* gfx9 has a word in front */
    if (engine >= engines || (size < 8 && !strncmp(gpu_name, "gfx9", 4)) || !buffer) abort();
    return HSA_STATUS_SUCCESS;
}

static void count(void)
{
    const aqlprofile_agent_info_t info = {gpu_name, xccs, engines, units, arrays};
    aqlprofile_agent_handle_t agent = {0};
    aqlprofile_pmc_event_t events[EVENTS_MAX];
    aqlprofile_pmc_profile_t profile = {.events = events, .event_count = take(EVENTS_MAX)};
    aqlprofile_pmc_aql_packets_t packets;
    aqlprofile_handle_t handle;
    if (!good(aqlprofile_register_agent(&agent, &info))) return;
    profile.agent = agent;
    for (uint32_t i = 0; i < profile.event_count; i++) {
        events[i] =
            (aqlprofile_pmc_event_t){.block_name = (hsa_ven_amd_aqlprofile_block_name_t)take(56),
                                     .block_index = take(40),
                                     .event_id = take(340)};
        if (take(4) == 3) events[i].flags.raw = take(4);
    }
    if (!good(
            aqlprofile_pmc_create_packets(&handle, &packets, profile, give, take_back, copy, NULL)))
        return;
    good(aqlprofile_pmc_iterate_data(handle, see_count, &agent));
    aqlprofile_pmc_delete_packets(handle);
    if (good(aqlprofile_pmc_iterate_data(handle, see_count, &agent))) abort();
}

static void trace(void)
{
    aqlprofile_att_parameter_t parameters[PARAMETERS_MAX];
    aqlprofile_att_profile_t profile = {{1}, parameters, take(PARAMETERS_MAX)};
    aqlprofile_att_control_aql_packets_t packets;
    aqlprofile_att_codeobj_data_t object = {
        .id = take_word(), .addr = take_word(), .size = take_word(), .agent = {1}};
    hsa_ext_amd_aql_pm4_packet_t packet;
    aqlprofile_handle_t handle;
    for (uint32_t i = 0; i < profile.parameter_count; i++) {
        parameters[i].parameter_name = (hsa_ven_amd_aqlprofile_parameter_name_t)take_parameter();
        parameters[i].value = take_word();
    }
    object.isUnload = take(2) & 1;
    object.fromStart = take(2) & 1;
    if (good(aqlprofile_att_create_packets(&handle, &packets, profile, give, take_back, copy,
                                           NULL))) {
        good(aqlprofile_att_iterate_data(handle, see_trace, NULL));
        aqlprofile_att_delete_packets(handle);
    }
    if (good(aqlprofile_att_codeobj_marker(&packet, &handle, object, give, take_back, NULL)))
        aqlprofile_att_delete_packets(handle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"gfx90a",  "gfx942:xnack-", "gfx1030", "gfx1100", "gfx1201",
                                        "gfx900",  "gfx906",        "gfx908",  "gfx950",  "gfx1151",
                                        "gfx1200", "gfx803",        "gfx1102", "gfx1036", ""};
    next = data;
    end = data + size;
    gpu_name = names[take(sizeof names / sizeof *names)];
    xccs = (const uint32_t[]){1, 1, 8, 2, 0, 3}[take(6)];
    /* few, since agents are registered for good */
    static const uint32_t shapes[][3] = {{8, 104, 1}, {1, 8, 2},  {32, 220, 1},
                                         {2, 1, 3},   {33, 1, 1}, {4, 0, 1}};
    const uint32_t *shape = shapes[take(sizeof shapes / sizeof *shapes)];
    engines = shape[0];
    units = shape[1];
    arrays = shape[2];
    refuse = take(8) == 7 ? 1 + take(4) : 0;
    copies_fail = take(8) == 7 ? 1 + take(4) : 0;
    switch (take(3)) {
    case 0: first_interface(); break;
    case 1: count(); break;
    default: trace(); break;
    }
    if (live) abort();
    return 0;
}
