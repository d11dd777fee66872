/* kfd.c - whether the kernel driver tells of page faults, migrations and queue evictions.
 *
 * Nobody here reads such events yet; the answer says whether a newer driver would be needed too. */
#include "sdk/kfd/kfd.h"

#include "base/file.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* AMDKFD_IOC_GET_VERSION of linux/kfd_ioctl.h, which needs headers of libdrm besides. */
typedef struct {
    uint32_t major, minor;
} kfd_version_t;
#define KFD_GET_VERSION _IOR('K', 1, kfd_version_t)

/* The first interface whose SMI events carry what the records need: 1.10, linux/kfd_ioctl.h. */
enum { FIRST_MAJOR = 1, FIRST_MINOR = 10 };

rocprofiler_status_t sdk_kfd_status(void)
{
    int fd = base_file_open("/dev/kfd", O_RDWR, 0);
    if (fd < 0) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    kfd_version_t version = {0, 0};
    int failed = ioctl(fd, KFD_GET_VERSION, &version);
    close(fd);
    if (failed) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    bool old = version.major < FIRST_MAJOR ||
               (version.major == FIRST_MAJOR && version.minor < FIRST_MINOR);
    return old ? ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL
               : ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}
