/* att.c - a trace through the second interface on softgpu: buffers, times, a code object's marker.
 *
 * The data buffer is not for the host to look at: this program copies it only when it is asked to.
 * What is printed does not depend on addresses or on the time. */
#include "gpu.h"

enum { GROUPS = 6, GROUP_SIZE = 64 };

static int allocations, frees;

static hsa_status_t give(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                         void *data)
{
    (void)data;
    printf("memory: hint %u%s%s\n", flags.memory_hint, flags.device_access ? ", GPU" : "",
           flags.host_access ? ", host" : "");
    allocations++;
    *ptr = allocate(size);
    return HSA_STATUS_SUCCESS;
}

static void take_back(void *ptr, void *data)
{
    (void)data;
    frees++;
    OK(hsa_amd_memory_pool_free(ptr));
}

static hsa_status_t copy(void *dst, const void *src, size_t size, void *data)
{
    (void)data;
    memcpy(dst, src, size);
    return HSA_STATUS_SUCCESS;
}

/* What says how fast the clock is; 0: the runtime does not know. Those from ROCm 6 on do. */
static uint32_t rate_marker(void)
{
    enum { TIMESTAMP_FREQUENCY = 0xa016, RATE = 6 };
    uint64_t hertz;
    if (hsa_agent_get_info(gpu, (hsa_agent_info_t)TIMESTAMP_FREQUENCY, &hertz)) return 0;
    return (uint32_t)(hertz / 1000) << 12 | RATE;
}

/* Registers written into the trace in turn, and how many tokens of each type there are. */
static hsa_status_t look(uint32_t shader, void *buffer, uint64_t size, void *data)
{
    static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};
    const uint8_t *bytes = buffer;
    uint64_t word, clock[2] = {0, 0};
    int clocks = 0, words_of_clock = 0, rates = 0, counts[16] = {0};
    const uint32_t rate = rate_marker();
    (void)data;
    memcpy(&word, bytes, 8);
    printf("shader engine %u: header 0x%llx, whole units of 32 bytes: %d\n", shader,
           (unsigned long long)word, (size - 8) % 32 == 0);
    for (uint64_t at = 8; at < size; at += lengths[bytes[at] & 15]) {
        counts[bytes[at] & 15]++;
        if ((bytes[at] & 15) != 2) continue;
        memcpy(&word, bytes + at, 8);
        uint32_t reg = word >> 16 & 0xffff, value = (uint32_t)(word >> 32);
        if (reg == 0xc342 && rate && value == rate)
            rates++;
        else if (reg == 0xc342)
            printf("  marker 0x%x\n", value);
        if (reg != 0xc343) continue;
        if (words_of_clock == 1) clock[clocks & 1] = value;
        if (words_of_clock == 2) clock[clocks++ & 1] |= (uint64_t)value << 32;
        if (words_of_clock == 0) printf("  clock %u\n", value);
        words_of_clock = (words_of_clock + 1) % 4;
    }
    printf("  the clock's rate is there if it is known: %d\n", rates == (rate != 0));
    printf("  the end's clock is later: %d\n", clock[1] > clock[0]);
    printf("  %d waves started, %d ended, %d instructions\n", counts[3], counts[6], counts[10]);
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    open_gpu();
    aqlprofile_att_parameter_t parameters[] = {
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, {.value = 0x22}},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE, {.value = 1 << 20}},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SIMD_SELECTION, {.value = 1}}};
    aqlprofile_att_profile_t profile = {gpu, parameters, 3};
    aqlprofile_handle_t handle, load, unload;
    aqlprofile_att_control_aql_packets_t packets;
    hsa_ext_amd_aql_pm4_packet_t loaded, unloaded;
    aqlprofile_att_codeobj_data_t object = {7, UINT64_C(0x123456789000), 0x2000, gpu, 0, 1};
    OK(aqlprofile_att_create_packets(&handle, &packets, profile, give, take_back, copy, NULL));
    OK(aqlprofile_att_codeobj_marker(&loaded, &load, object, give, take_back, NULL));
    object.id = UINT64_C(0x140000000);
    object.isUnload = 1;
    OK(aqlprofile_att_codeobj_marker(&unloaded, &unload, object, give, take_back, NULL));
    fill_arguments_t *arguments = fill_arguments(GROUPS, GROUP_SIZE);
    hsa_kernel_dispatch_packet_t kernel = load_kernel(argv[1], "fill.kd");

    hsa_signal_store_relaxed(finished, 1);
    submit_commands(&packets.start_packet, (hsa_signal_t){0});
    submit_commands(&loaded, (hsa_signal_t){0});
    submit_kernel(&kernel, GROUPS, GROUP_SIZE, arguments);
    submit_commands(&unloaded, (hsa_signal_t){0});
    submit_commands(&packets.stop_packet, finished);
    wait_for(finished);
    OK(aqlprofile_att_iterate_data(handle, look, NULL));
    aqlprofile_att_delete_packets(handle);
    aqlprofile_att_delete_packets(load);
    aqlprofile_att_delete_packets(unload);
    printf("all memory is given back: %d\n", allocations == frees);
    close_gpu();
    return 0;
}
