/* packets.c - prints the commands for one counter of each kind of block, to be compared as a whole.
 *
 * The agent has two shader engines, so that the text stays short. Memory comes from the heap:
 * nothing is executed. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

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

#define EVENT(block, index, id, accumulated)                                                       \
    {                                                                                              \
        .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_##block, .block_index = index,             \
        .event_id = id, .flags.raw = accumulated                                                   \
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
           print(agent, "sums", sums, 4, false);
}
