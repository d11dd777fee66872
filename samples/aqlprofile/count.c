/* count.c - counts what one kernel does, without any profiler: packets on a queue of our own.
 *
 * usage: count fill.hsaco [uncounted]. ROCr loads libhsa-amd-aqlprofile64.so by its name: from
 * LD_LIBRARY_PATH, if it is not in the system's own place. The kernel runs 10 workgroups of 100
 * work items. A wave holds 64 of them, so each workgroup has one full wave and one of 36, and every
 * wave stores once. "uncounted" runs the kernel alone, for a profiler to count. */
#include "gpu.h"

enum { GROUPS = 10, GROUP_SIZE = 100 };

static const struct {
    const char *name;
    hsa_ven_amd_aqlprofile_event_t event;
} wanted[] = {
    {"waves", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ, 0, 4}},
    {"waves of 64", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ, 0, 6}},
    {"waves of less", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ, 0, 7}},
    {"work items", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ, 0, 14}},
    {"stores", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ, 0, 53}},
    {"workgroups", {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SPI, 0, 49}},
};
enum { COUNTERS = sizeof wanted / sizeof *wanted };

static hsa_ven_amd_aqlprofile_pfn_t aql;

static void check(hsa_status_t status, const char *what)
{
    const char *why = "";
    if (status == HSA_STATUS_SUCCESS) return;
    aql.hsa_ven_amd_aqlprofile_error_string(&why);
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* A counter has one result for each shader engine. */
static hsa_status_t add(hsa_ven_amd_aqlprofile_info_type_t type,
                        hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    uint64_t *sums = data;
    (void)type;
    for (int i = 0; i < COUNTERS; i++)
        if (info->pmc_data.event.block_name == wanted[i].event.block_name &&
            info->pmc_data.event.counter_id == wanted[i].event.counter_id)
            sums[i] += info->pmc_data.result;
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    bool counted = argc == 2;
    if (!counted && (argc != 3 || strcmp(argv[2], "uncounted") != 0)) {
        fprintf(stderr, "usage: %s fill.hsaco [uncounted]\n", argv[0]);
        return 2;
    }
    open_gpu();
    OK(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_AQLPROFILE, 1, sizeof aql, &aql));

    hsa_ven_amd_aqlprofile_event_t events[COUNTERS];
    for (int i = 0; i < COUNTERS; i++)
        events[i] = wanted[i].event;
    hsa_ven_amd_aqlprofile_profile_t profile = {.agent = gpu,
                                                .type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC,
                                                .events = events,
                                                .event_count = COUNTERS};
    hsa_ext_amd_aql_pm4_packet_t start, read, stop;
    check(aql.hsa_ven_amd_aqlprofile_start(&profile, NULL), "sizes");
    profile.command_buffer.ptr = allocate(profile.command_buffer.size);
    profile.output_buffer.ptr = allocate(profile.output_buffer.size);
    check(aql.hsa_ven_amd_aqlprofile_start(&profile, &start), "start");
    check(aql.hsa_ven_amd_aqlprofile_read(&profile, &read), "read");
    check(aql.hsa_ven_amd_aqlprofile_stop(&profile, &stop), "stop");

    fill_arguments_t *arguments = fill_arguments(GROUPS, GROUP_SIZE);
    hsa_kernel_dispatch_packet_t kernel = load_kernel(argv[1], "fill.kd");

    hsa_signal_store_relaxed(finished, 1);
    if (counted)
        submit_commands(&start, (hsa_signal_t){0});
    else
        kernel.completion_signal = finished;
    submit_kernel(&kernel, GROUPS, GROUP_SIZE, arguments);
    if (counted) {
        submit_commands(&read, (hsa_signal_t){0});
        submit_commands(&stop, finished);
    }
    wait_for(finished);

    for (uint32_t i = 0; i < GROUPS * GROUP_SIZE; i++)
        if (arguments->out[i] != i % GROUP_SIZE) {
            fprintf(stderr, "the kernel stored %u at %u\n", arguments->out[i], i);
            return 1;
        }
    uint64_t sums[COUNTERS] = {0};
    if (counted) check(aql.hsa_ven_amd_aqlprofile_iterate_data(&profile, add, sums), "results");
    for (int i = 0; counted && i < COUNTERS; i++)
        printf("%-14s %llu\n", wanted[i].name, (unsigned long long)sums[i]);
    close_gpu();
    return 0;
}
