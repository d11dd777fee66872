/* kfd.c - whether the kernel driver tells of page faults, migrations and queue evictions.
 *
 * Nobody here reads such events yet; the answer says whether a newer driver would be needed too. */
#include "sdk/kfd/kfd.h"

#include "base/file.h"
#include "sdk/core/domain.h"

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

bool sdk_kfd_is_too_old(int domain)
{
    /* how many were lost needs no newer driver: there is nothing to be lost */
    if (domain < SDK_DOMAIN_KFD_EVENT_PAGE_MIGRATE || domain > SDK_DOMAIN_KFD_QUEUE ||
        domain == SDK_DOMAIN_KFD_EVENT_DROPPED_EVENTS)
        return false;
    int fd = base_file_open("/dev/kfd", O_RDWR, 0);
    if (fd < 0) return false;
    kfd_version_t version = {0, 0};
    int failed = ioctl(fd, KFD_GET_VERSION, &version);
    close(fd);
    return !failed && (version.major < FIRST_MAJOR ||
                       (version.major == FIRST_MAJOR && version.minor < FIRST_MINOR));
}
