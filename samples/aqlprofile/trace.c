/* trace.c - a thread trace of one kernel: which waves ran, and every instruction of one compute
 * unit.
 *
 * usage: trace fill.hsaco [groups [bytes]]. The kernel runs 10 workgroups of 100 work items, or as
 * many as are asked for. The trace of shader engine 0 is printed token by token, in the format of
 * gfx9; of more than 16 workgroups only the numbers of waves and instructions. */
#include "gpu.h"

enum { GROUPS = 10, GROUP_SIZE = 100, GROUPS_PRINTED = 16 };

static hsa_ven_amd_aqlprofile_pfn_t aql;
static uint32_t groups = GROUPS;
static uint32_t seen[16]; /* tokens of each type */

static void check(hsa_status_t status, const char *what)
{
    const char *why = "";
    if (status == HSA_STATUS_SUCCESS) return;
    aql.hsa_ven_amd_aqlprofile_error_string(&why);
    printf("%s: %s\n", what, why);
    if (status != HSA_STATUS_ERROR_OUT_OF_RESOURCES) exit(1); /* what fitted is there */
}

static const char *const kinds[32] = {
    "smem-read", "salu-32", "vmem-read",  "vmem-write", "flat-write", "valu-32", "lds",
    "set-pc",    "gds",     "export",     "grant",      "grant",      "jump",    "no-jump",
    "flat-read", "message", "smem-write", "salu-64",    "valu-64",    "replay",  "replay",
    "replay",    "replay",  "replay",     "replay",     "fatal-halt", "26",      "27",
    "matrix",    "to-trap", "30",         "31"};

static uint64_t bits(uint64_t token, int high, int low)
{
    return token >> low & ((UINT64_C(2) << (high - low)) - 1);
}

static void print_issue(uint64_t token, uint64_t now)
{
    static const char *const codes[] = {"", "stalls", "issues", "completes"};
    for (int slot = 0; slot < 10; slot++) {
        uint64_t code = bits(token, 9 + 2 * slot, 8 + 2 * slot);
        if (code)
            printf("%6llu simd %llu wave %d %s\n", (unsigned long long)now,
                   (unsigned long long)bits(token, 6, 5), slot, codes[code]);
    }
}

static void print_token(unsigned type, uint64_t token, uint64_t now)
{
    unsigned long long at = now, simd = bits(token, 15, 14), slot = bits(token, 13, 10),
                       unit = bits(token, 9, 6);
    switch (type) {
    case 2:
        printf("%6llu register 0x%llx = 0x%llx\n", at, (unsigned long long)bits(token, 31, 16),
               (unsigned long long)bits(token, 63, 32));
        break;
    case 3:
        printf("%6llu unit %llu simd %llu wave %llu starts with %llu lanes\n", at, unit, simd, slot,
               (unsigned long long)bits(token, 28, 22));
        break;
    case 6: printf("%6llu unit %llu simd %llu wave %llu ends\n", at, unit, simd, slot); break;
    case 10:
        printf("%6llu simd %llu wave %llu %s\n", at, (unsigned long long)bits(token, 10, 9),
               (unsigned long long)bits(token, 8, 5), kinds[bits(token, 15, 11)]);
        break;
    case 13: print_issue(token, now); break;
    case 15: /* addresses differ from run to run */
        printf("%6llu dispatch register 0x%llx\n", at, (unsigned long long)bits(token, 15, 9));
        break;
    default: printf("%6llu token of type %u\n", at, type); break;
    }
}

static void print_trace(const uint8_t *data, uint32_t size)
{
    static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};
    uint64_t now = 0, base = 0;
    bool reset = false;
    for (uint32_t at = 0; at < size;) {
        uint64_t token = 0;
        unsigned type = data[at] & 15;
        if (at + lengths[type] > size) break;
        memcpy(&token, data + at, lengths[type]);
        at += lengths[type];
        if (type == 0) {
            now += 4 * bits(token, 11, 4);
            reset |= bits(token, 15, 13) == 1;
        } else if (type == 1) {
            uint64_t stamp = bits(token, 63, 16);
            if (reset && !base) base = stamp - now + 4;
            if (reset && stamp > base) now = (stamp - base) & ~UINT64_C(3);
            reset = false;
        } else {
            now += 4 * bits(token, 4, 4);
            seen[type]++;
            if (groups <= GROUPS_PRINTED) print_token(type, token, now);
        }
    }
}

static hsa_status_t take(hsa_ven_amd_aqlprofile_info_type_t type,
                         hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    (void)type, (void)data;
    printf("shader engine %u: %u bytes\n", info->sample_id, info->trace_data.size);
    print_trace(info->trace_data.ptr, info->trace_data.size);
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    uint32_t size = argc > 3 ? (uint32_t)atoi(argv[3]) : 4 << 20;
    if (argc > 2) groups = (uint32_t)atoi(argv[2]);
    if (argc < 2) {
        fprintf(stderr, "usage: %s fill.hsaco [groups [bytes]]\n", argv[0]);
        return 2;
    }
    open_gpu();
    OK(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_AQLPROFILE, 1, sizeof aql, &aql));
    const hsa_ven_amd_aqlprofile_parameter_t parameters[] = {
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET, 0},
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, 1}};
    hsa_ven_amd_aqlprofile_profile_t profile = {.agent = gpu,
                                                .type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE,
                                                .parameters = parameters,
                                                .parameter_count = 2};
    hsa_ext_amd_aql_pm4_packet_t start, stop;
    profile.output_buffer = (hsa_ven_amd_aqlprofile_descriptor_t){allocate(size), size};
    check(aql.hsa_ven_amd_aqlprofile_start(&profile, NULL), "sizes");
    profile.command_buffer.ptr = allocate(profile.command_buffer.size);
    check(aql.hsa_ven_amd_aqlprofile_start(&profile, &start), "start");
    check(aql.hsa_ven_amd_aqlprofile_stop(&profile, &stop), "stop");

    fill_arguments_t *arguments = fill_arguments(groups, GROUP_SIZE);
    hsa_kernel_dispatch_packet_t kernel = load_kernel(argv[1], "fill.kd");

    hsa_signal_store_relaxed(finished, 1);
    submit_commands(&start, (hsa_signal_t){0});
    submit_kernel(&kernel, groups, GROUP_SIZE, arguments);
    submit_commands(&stop, finished);
    wait_for(finished);
    check(aql.hsa_ven_amd_aqlprofile_iterate_data(&profile, take, NULL), "trace");
    printf("%u waves started, %u ended, %u instructions\n", seen[3], seen[6], seen[10]);
    close_gpu();
    return 0;
}
