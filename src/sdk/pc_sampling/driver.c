/* driver.c - what the kernel driver supports of PC sampling, and its sessions.
 *
 * The ioctl is that of AMD's own driver (kfd_ioctl.h of ROCr's thunk); kernel headers lack it. The
 * structures are those of interface 1.16. PC sampling has a version of its own, which the driver
 * answers. */
#include "sdk/pc_sampling/sampling.h"

#include "base/driver.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct {
    /* Not 0: the agent is being sampled at this interval, and only this one is possible. */
    uint64_t interval;
    uint64_t interval_min, interval_max, flags;
    uint32_t method, type;
} kfd_sample_info_t;

typedef struct {
    uint64_t infos;
    uint32_t count, operation, gpu, session, flags, version;
} kfd_sample_t;
#define KFD_PC_SAMPLE _IOWR('K', 0x85, kfd_sample_t)

enum { KFD_MAJOR = 1, KFD_MINOR = 16 };
enum { QUERY = 0, CREATE = 1 };
enum { HOST_TRAP = 1, MICROSECONDS = 0 };

/* The first version of sampling by host traps that works, as major << 16 | minor, by gfx target
 * version. */
static const struct {
    uint32_t gfx, version;
} first_versions[] = {{90010, 1}, {90402, 3}, {90500, 1 << 16 | 2}};

static int open_driver(void)
{
    base_driver_version_t version;
    int fd = base_driver_open(&version);
    if (fd < 0 || (version.major == KFD_MAJOR && version.minor >= KFD_MINOR)) return fd;
    close(fd);
    return -1;
}

static bool new_enough(const rocprofiler_agent_v0_t *agent, uint32_t version)
{
    for (size_t i = 0; i < sizeof first_versions / sizeof *first_versions; i++)
        if (first_versions[i].gfx == agent->gfx_target_version)
            return version >= first_versions[i].version;
    return true;
}

/* Picks from the driver's list the ways that this library supports: host traps. */
static size_t translate(const kfd_sample_info_t *infos, size_t count,
                        rocprofiler_pc_sampling_configuration_t *ways)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const kfd_sample_info_t *info = &infos[i];
        if (info->method != HOST_TRAP || info->type != MICROSECONDS) continue;
        ways[n++] = (rocprofiler_pc_sampling_configuration_t){
            .size = sizeof *ways,
            .method = ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
            .unit = ROCPROFILER_PC_SAMPLING_UNIT_TIME,
            .min_interval = info->interval ? info->interval : info->interval_min,
            .max_interval = info->interval ? info->interval : info->interval_max,
            .flags = info->flags,
        };
    }
    return n;
}

rocprofiler_status_t sdk_pcs_driver_query(const rocprofiler_agent_v0_t *agent,
                                          rocprofiler_pc_sampling_configuration_t *ways,
                                          size_t *count)
{
    kfd_sample_info_t infos[SDK_PCS_WAYS];
    kfd_sample_t args = {.infos = (uintptr_t)infos,
                         .count = SDK_PCS_WAYS,
                         .operation = QUERY,
                         .gpu = (uint32_t)agent->gpu_id};
    *count = 0;
    int fd = open_driver();
    if (fd < 0) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    int failed = ioctl(fd, KFD_PC_SAMPLE, &args);
    close(fd);
    if (failed) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    if (!new_enough(agent, args.version)) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL;
    if (args.count > SDK_PCS_WAYS) args.count = SDK_PCS_WAYS;
    *count = translate(infos, args.count, ways);
    return *count ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
}

rocprofiler_status_t sdk_pcs_driver_create(const rocprofiler_agent_v0_t *agent, uint64_t interval,
                                           uint32_t *id)
{
    /* Filled in as AMD's library does: the driver compares sessions of one agent byte by byte. */
    kfd_sample_info_t info = {.interval = interval, .method = HOST_TRAP, .type = MICROSECONDS};
    kfd_sample_t args = {
        .infos = (uintptr_t)&info, .count = 1, .operation = CREATE, .gpu = (uint32_t)agent->gpu_id};
    int fd = open_driver();
    if (fd < 0) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    int failed = ioctl(fd, KFD_PC_SAMPLE, &args) ? errno : 0;
    close(fd); /* the session belongs to the process, not to the descriptor */
    *id = args.session;
    if (!failed) return ROCPROFILER_STATUS_SUCCESS;
    return failed == EBUSY || failed == EEXIST ? ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE
                                               : ROCPROFILER_STATUS_ERROR;
}
