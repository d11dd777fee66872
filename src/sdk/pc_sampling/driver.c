/* driver.c - queries how the kernel driver can sample PCs, and makes the driver's sessions.
 *
 * The ioctl is that of AMD's own driver (kfd_ioctl.h of ROCr's thunk); kernel headers lack it. The
 * structures are those of interface 1.16. PC sampling has a version number of its own, which the
 * driver returns. */
#include "sdk/pc_sampling/sampling.h"

#include "base/driver.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct {
    /* Not 0: the agent is being sampled at this interval, and no other is possible meanwhile. */
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

/* The driver has a method of 1 for host traps, 2 for stochastic sampling, the runtime's numbers are
 * one less; both have a unit of 0 for microseconds, 1 for clock cycles. */
static const sdk_pcs_way_t known[] = {
    {ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP, ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1, 0, 0, 0},
    {ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC, ROCPROFILER_PC_SAMPLING_UNIT_CYCLES, 2, 1, 1, 1},
};
enum { KNOWN = sizeof known / sizeof *known };

const sdk_pcs_way_t *sdk_pcs_way(rocprofiler_pc_sampling_method_t method,
                                 rocprofiler_pc_sampling_unit_t unit)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].method == method && known[i].unit == unit) return &known[i];
    return NULL;
}

static int open_driver(void)
{
    base_driver_version_t version;
    int fd = base_driver_open(&version);
    if (fd < 0 || (version.major == KFD_MAJOR && version.minor >= KFD_MINOR)) return fd;
    close(fd);
    return -1;
}

/* Returns the row of `known` for an entry in the driver's list; NULL if there is none. */
static const sdk_pcs_way_t *way_of(const kfd_sample_info_t *info)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].driver_method == info->method && known[i].driver_unit == info->type)
            return &known[i];
    return NULL;
}

/* Selects from the driver's list the ways whose samples can be read; counts those for which the
 * driver is too old. */
static size_t translate(const sdk_pcs_format_t *format, uint32_t version,
                        const kfd_sample_info_t *infos, size_t count,
                        rocprofiler_pc_sampling_configuration_t *ways, size_t *too_old)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const kfd_sample_info_t *info = &infos[i];
        const sdk_pcs_way_t *way = way_of(info);
        if (!way || !format->version[way->method]) continue;
        if (version < format->version[way->method]) {
            ++*too_old;
            continue;
        }
        ways[n++] = (rocprofiler_pc_sampling_configuration_t){
            .size = sizeof *ways,
            .method = way->method,
            .unit = way->unit,
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
    const sdk_pcs_format_t *format = sdk_pcs_format(agent);
    size_t too_old = 0;
    *count = 0;
    int fd = format ? open_driver() : -1;
    if (fd < 0) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    int failed = ioctl(fd, KFD_PC_SAMPLE, &args);
    close(fd);
    if (failed) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    if (args.count > SDK_PCS_WAYS) args.count = SDK_PCS_WAYS;
    *count = translate(format, args.version, infos, args.count, ways, &too_old);
    if (*count) return ROCPROFILER_STATUS_SUCCESS;
    return too_old ? ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL
                   : ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
}

rocprofiler_status_t sdk_pcs_driver_create(const sdk_pcs_session_t *session, uint32_t *id)
{
    /* The fields are filled in as AMD's library does, since the driver compares sessions of one
     * agent byte by byte. */
    kfd_sample_info_t info = {.interval = session->interval,
                              .method = session->way->driver_method,
                              .type = session->way->driver_unit};
    kfd_sample_t args = {.infos = (uintptr_t)&info,
                         .count = 1,
                         .operation = CREATE,
                         .gpu = (uint32_t)session->agent->gpu_id};
    int fd = open_driver();
    if (fd < 0) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    int failed = ioctl(fd, KFD_PC_SAMPLE, &args) ? errno : 0;
    close(fd); /* the session belongs to the process, not to the descriptor */
    *id = args.session;
    if (!failed) return ROCPROFILER_STATUS_SUCCESS;
    return failed == EBUSY || failed == EEXIST ? ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE
                                               : ROCPROFILER_STATUS_ERROR;
}
