/* streams.c - prints the commands for two events of each block, and for three thread traces, of
 * each GPU, to be compared with those recorded of AMD's library (streams.py).
 *
 * Nothing is executed. Memory has made-up addresses, the same as in the records, so that addresses
 * in the commands are the same, too. What both interfaces make is compared here. */
#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1 << 20, NUM_XCC = 0xa111, FIRST_EVENT = 2 };

typedef struct {
    const char *name;
    uint32_t xccs, engines, units, arrays;
} gpu_t;

/* As the records describe them. */
static const gpu_t gpus[] = {
    {"gfx900", 1, 4, 64, 1},  {"gfx906", 1, 4, 60, 1},   {"gfx908", 1, 8, 120, 1},
    {"gfx90a", 1, 8, 104, 1}, {"gfx942", 8, 32, 304, 1}, {"gfx950", 8, 32, 256, 1},
    {"gfx1030", 1, 4, 80, 2}, {"gfx1100", 1, 6, 96, 2},  {"gfx1200", 1, 2, 32, 2},
    {"gfx1201", 1, 4, 64, 2},
};

static const gpu_t *gpu; /* of which the runtime tells */
static bool traces;
static uint32_t commands[WORDS_MAX];

__attribute__((visibility("default"))) hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value);

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    uint32_t *number = value;
    (void)agent;
    switch ((int)attribute) {
    case HSA_AGENT_INFO_NAME: strcpy(value, gpu->name); break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: *number = gpu->units; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *number = gpu->engines; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: *number = gpu->arrays; break;
    case NUM_XCC: *number = gpu->xccs; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- memory ---- */

#define FIRST  0x100000000000u /* results of counters, or a trace's control */
#define SECOND 0x100001100000u /* commands of counters, or a trace's data */
#define THIRD  0x100004100000u /* commands of a trace */

static uint64_t commands_at(void)
{
    return traces ? THIRD : SECOND;
}

static hsa_status_t allocate(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *data)
{
    const bool for_commands = flags.memory_hint == AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT;
    (void)size, (void)data;
    *ptr = (void *)(uintptr_t)(!for_commands ? FIRST : flags.host_access ? commands_at() : SECOND);
    return HSA_STATUS_SUCCESS;
}

static void release(void *ptr, void *data)
{
    (void)ptr, (void)data;
}

static hsa_status_t copy(void *to, const void *from, size_t size, void *data)
{
    (void)data;
    if ((uintptr_t)to != commands_at()) return HSA_STATUS_SUCCESS;
    if (size > sizeof commands) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    memcpy(commands, from, size);
    return HSA_STATUS_SUCCESS;
}

/* ---- output ---- */

static void print_words(const char *profile, const char *phase, const char *row,
                        const uint32_t *words, uint32_t count)
{
    printf("%s\t%s\t%s\t%s\t", gpu->name, profile, phase, row);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%08x", i ? " " : "", words[i]);
    putchar('\n');
}

/* The dwords that the packet executes, of a list that begins at `base`. */
static const uint32_t *list_of(const hsa_ext_amd_aql_pm4_packet_t *packet, uint64_t base,
                               const uint32_t *words, uint32_t *count)
{
    uint32_t p[16];
    memcpy(p, packet, sizeof p);
    *count = p[4] & 0xfffff;
    return words + ((p[2] | (uint64_t)p[3] << 32) - base) / 4;
}

static void print(const char *profile, const char *phase,
                  const hsa_ext_amd_aql_pm4_packet_t *packet)
{
    uint32_t words[16], count;
    const uint32_t *list = list_of(packet, commands_at(), commands, &count);
    memcpy(words, packet, sizeof words);
    print_words(profile, phase, "AQL", words, 16);
    print_words(profile, phase, "IB", list, count);
}

static int refused(const char *profile)
{
    const char *message = NULL;
    hsa_ven_amd_aqlprofile_error_string(&message);
    printf("%s\t%s\t-\tREFUSED\t%s\n", gpu->name, profile, message);
    return 0;
}

/* ---- the first interface ---- */

/* Whether the first interface makes of the profile what the packets of the second execute. `base`
 * is where those begin. */
static bool same(hsa_ven_amd_aqlprofile_profile_t *profile,
                 const hsa_ext_amd_aql_pm4_packet_t *second, int packets)
{
    hsa_ext_amd_aql_pm4_packet_t first[3] = {{0}};
    if (hsa_ven_amd_aqlprofile_start(profile, NULL)) return false;
    profile->command_buffer.ptr = calloc(1, profile->command_buffer.size);
    profile->output_buffer.ptr = (void *)FIRST;
    bool good = !hsa_ven_amd_aqlprofile_start(profile, &first[0]) &&
                !hsa_ven_amd_aqlprofile_stop(profile, &first[1]) &&
                (packets < 3 || !hsa_ven_amd_aqlprofile_read(profile, &first[2]));
    for (int i = 0; i < packets && good; i++) {
        uint32_t counts[2];
        const uint32_t *a = list_of(&first[i], 0, NULL, &counts[0]),
                       *b = list_of(&second[i], commands_at(), commands, &counts[1]);
        good = counts[0] == counts[1] && !memcmp(a, b, counts[0] * 4ul);
    }
    free(profile->command_buffer.ptr);
    return good;
}

/* ---- profiles ---- */

static int count(const char *name, aqlprofile_agent_handle_t agent)
{
    hsa_ven_amd_aqlprofile_id_query_t query = {.name = name};
    aqlprofile_pmc_profile_t profile = {.agent = agent};
    aqlprofile_pmc_aql_packets_t packets;
    aqlprofile_handle_t handle;
    memset(&packets, 0, sizeof packets);
    traces = false;
    if (aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_BLOCK_ID, &query)) return refused(name);
    aqlprofile_pmc_event_t events[2];
    hsa_ven_amd_aqlprofile_event_t older[2];
    for (uint32_t i = 0; i < 2; i++) {
        events[i] =
            (aqlprofile_pmc_event_t){.block_name = (hsa_ven_amd_aqlprofile_block_name_t)query.id,
                                     .block_index = query.instance_count > 1 ? i : 0,
                                     .event_id = FIRST_EVENT + i};
        older[i] = (hsa_ven_amd_aqlprofile_event_t){events[i].block_name, events[i].block_index,
                                                    events[i].event_id};
    }
    profile.events = events;
    profile.event_count = 2;
    if (aqlprofile_pmc_create_packets(&handle, &packets, profile, allocate, release, copy, NULL))
        return refused(name);
    print(name, "start", &packets.start_packet);
    print(name, "read", &packets.read_packet);
    print(name, "stop", &packets.stop_packet);
    const hsa_ext_amd_aql_pm4_packet_t second[] = {packets.start_packet, packets.stop_packet,
                                                   packets.read_packet};
    hsa_ven_amd_aqlprofile_profile_t first = {
        .type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC, .events = older, .event_count = 2};
    const bool good = same(&first, second, 3);
    if (!good)
        printf("%s\t%s\t-\tDIFFERS\tthe first interface makes something else\n", gpu->name, name);
    aqlprofile_pmc_delete_packets(handle);
    return !good;
}

static int trace(const char *name)
{
    static const struct {
        const char *name;
        uint32_t parameter, value;
    } kinds[] = {{"ATT", 0, 0},
                 {"ATT_occupancy", HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_OCCUPANCY_MODE, 1},
                 {"ATT_perf", HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME, 0xf0000004}};
    aqlprofile_att_parameter_t parameters[3] = {
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, .value = 1},
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE,
         .value = 0x2000000}};
    aqlprofile_att_control_aql_packets_t packets;
    aqlprofile_handle_t handle;
    uint32_t used = 2;
    memset(&packets, 0, sizeof packets);
    traces = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name) && kinds[i].parameter) {
            parameters[used].parameter_name =
                (hsa_ven_amd_aqlprofile_parameter_name_t)kinds[i].parameter;
            parameters[used++].value = kinds[i].value;
        }
    const aqlprofile_att_profile_t profile = {{1}, parameters, used};
    if (aqlprofile_att_create_packets(&handle, &packets, profile, allocate, release, copy, NULL))
        return refused(name);
    print(name, "start", &packets.start_packet);
    print(name, "stop", &packets.stop_packet);
    aqlprofile_att_delete_packets(handle);
    return 0;
}

/* Reads lines of a GPU and a profile. */
int main(void)
{
    char name[32], profile[32], last[32] = "";
    aqlprofile_agent_handle_t agent = {0};
    int failed = 0;
    while (scanf("%31s %31s", name, profile) == 2) {
        if (strcmp(name, last)) {
            gpu = NULL;
            for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
                if (!strcmp(gpus[i].name, name)) gpu = &gpus[i];
            if (!gpu) return 2;
            const aqlprofile_agent_info_t info = {gpu->name, gpu->xccs, gpu->engines, gpu->units,
                                                  gpu->arrays};
            agent.handle = 0;
            if (aqlprofile_register_agent(&agent, &info)) agent.handle = UINT64_MAX;
            strcpy(last, name);
        }
        failed |= strncmp(profile, "ATT", 3) ? count(profile, agent) : trace(profile);
    }
    return failed;
}
