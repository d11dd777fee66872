/* packets.c - prints the commands for one counter of each kind of block and for a trace, to be
 * compared as a whole.
 *
 * The agent has two shader engines, so that the text stays short. Memory comes from the heap:
 * nothing is executed. */
#include "decode.h"

#include <hsa/hsa_ext_amd.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value);

/* The first interface asks the runtime for the agent. */
hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    (void)agent;
    uint32_t *number = value;
    switch ((int)attribute) {
    case HSA_AGENT_INFO_NAME: strcpy(value, "gfx90a"); break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: *number = 39; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *number = 3; break;
    case 0xa016: *(uint64_t *)value = 100000000; break; /* TIMESTAMP_FREQUENCY, of newer runtimes */
    default: *number = 1; break;
    }
    return HSA_STATUS_SUCCESS;
}

static void *results;
static uint64_t results_size;

static hsa_status_t allocate(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *userdata)
{
    (void)userdata;
    *ptr = aligned_alloc(4096, (size + 4095) & ~UINT64_C(4095));
    if (flags.memory_hint != AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED) return HSA_STATUS_SUCCESS;
    results = *ptr;
    results_size = size;
    return HSA_STATUS_SUCCESS;
}

static void release(void *ptr, void *userdata)
{
    (void)userdata;
    free(ptr);
}

static hsa_status_t copy(void *dst, const void *src, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(dst, src, size);
    return HSA_STATUS_SUCCESS;
}

static int print(aqlprofile_agent_handle_t agent, const char *title,
                 const aqlprofile_pmc_event_t *events, uint32_t count, bool with_stop)
{
    aqlprofile_handle_t handle;
    aqlprofile_pmc_aql_packets_t packets;
    hsa_status_t status = aqlprofile_pmc_create_packets(
        &handle, &packets, (aqlprofile_pmc_profile_t){agent, events, count}, allocate, release,
        copy, NULL);
    if (status) {
        printf("%s: status 0x%x\n", title, status);
        return 1;
    }
    printf("%s: start\n", title);
    bool good = decode_packet(stdout, &packets.start_packet, results, results_size);
    printf("%s: read %llu bytes\n", title, (unsigned long long)results_size);
    good &= decode_packet(stdout, &packets.read_packet, results, results_size);
    if (with_stop) {
        printf("%s: stop\n", title);
        good &= decode_packet(stdout, &packets.stop_packet, results, results_size);
    }
    aqlprofile_pmc_delete_packets(handle);
    return !good;
}

/* Two of three shader engines are traced, with a counter. */
static int print_trace(void)
{
    enum { SIZE = 1 << 20 };
    const hsa_ven_amd_aqlprofile_parameter_t parameters[] = {
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, 0xfd},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET, 5},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SIMD_SELECTION, 3},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_CTRL, 0x21},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME, 4}};
    hsa_ven_amd_aqlprofile_profile_t profile = {.type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE,
                                                .parameters = parameters,
                                                .parameter_count = 5};
    hsa_ext_amd_aql_pm4_packet_t start, stop, marker;
    char *data = aligned_alloc(4096, SIZE);
    profile.output_buffer = (hsa_ven_amd_aqlprofile_descriptor_t){data, SIZE};
    if (hsa_ven_amd_aqlprofile_start(&profile, NULL)) return 1;
    profile.command_buffer.ptr = aligned_alloc(4096, profile.command_buffer.size);
    if (hsa_ven_amd_aqlprofile_start(&profile, &start)) return 1;
    if (hsa_ven_amd_aqlprofile_stop(&profile, &stop)) return 1;
    printf("trace: start\n");
    bool good = decode_packet(stdout, &start, data, SIZE);
    printf("trace: stop\n");
    good &= decode_packet(stdout, &stop, data, SIZE);
    if (hsa_ven_amd_aqlprofile_att_marker(&profile, &marker, 77,
                                          HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_2))
        return 1;
    printf("marker\n");
    good &= decode_packet(stdout, &marker, data, SIZE);
    free(profile.command_buffer.ptr);
    free(data);
    return !good;
}

#define EVENT(block, index, id, accumulated)                                                       \
    {                                                                                              \
        .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_##block, .block_index = index,             \
        .event_id = id, .flags.raw = accumulated                                                   \
    }

static hsa_status_t allocate_trace(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                                   void *userdata)
{
    (void)userdata, (void)flags;
    *ptr = aligned_alloc(4096, (size + 4095) & ~UINT64_C(4095));
    if (size < 1 << 20) return HSA_STATUS_SUCCESS;
    results = *ptr;
    results_size = size;
    return HSA_STATUS_SUCCESS;
}

/* The second interface's, with the clock and how fast it is. */
static int print_clock(void)
{
    const aqlprofile_att_parameter_t parameters[] = {
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, .value = 1},
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE,
         .value = 1 << 20}};
    aqlprofile_handle_t handle;
    aqlprofile_att_control_aql_packets_t packets;
    if (aqlprofile_att_create_packets(&handle, &packets,
                                      (aqlprofile_att_profile_t){{1}, parameters, 2},
                                      allocate_trace, release, copy, NULL))
        return 1;
    printf("trace with the clock: start\n");
    const bool good = decode_packet(stdout, &packets.start_packet, results, results_size);
    aqlprofile_att_delete_packets(handle);
    return !good;
}

int main(void)
{
    aqlprofile_agent_handle_t agent;
    const aqlprofile_agent_info_t info = {"gfx90a:sramecc+:xnack-", 1, 2, 26, 1};
    /* SQ_WAVES in every engine; GRBM_COUNT once for the GPU */
    const aqlprofile_pmc_event_t one_instance[] = {EVENT(SQ, 0, 4, 0), EVENT(GRBM, 0, 0, 0)};
    /* two events of one vector cache, one of a channel of the second level */
    const aqlprofile_pmc_event_t instances[] = {EVENT(TCP, 3, 60, 0), EVENT(TCC, 31, 17, 0),
                                                EVENT(TCP, 3, 61, 0)};
    const aqlprofile_pmc_event_t odd[] = {EVENT(SX, 0, 5, 0), EVENT(SPI, 0, 49, 0)};
    /* SQ_LEVEL_WAVES integrated, asked for before the level; SQ_INST_LEVEL_VMEM's integral alone */
    const aqlprofile_pmc_event_t sums[] = {EVENT(SQ, 0, 5, AQLPROFILE_ACCUMULATION_HI_RES),
                                           EVENT(SQ, 0, 4, 0), EVENT(SQ, 0, 5, 0),
                                           EVENT(SQ, 0, 87, AQLPROFILE_ACCUMULATION_LO_RES)};
    if (aqlprofile_register_agent(&agent, &info)) return 2;
    return print(agent, "one instance", one_instance, 2, true) |
           print(agent, "instances", instances, 3, false) | print(agent, "odd", odd, 2, false) |
           print(agent, "sums", sums, 4, false) | print_trace() | print_clock();
}
