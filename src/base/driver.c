/* driver.c - see driver.h.
 *
 * The ioctl is that of linux/kfd_ioctl.h, which is not included because it needs headers of
 * libdrm. */
#include "base/driver.h"

#include "base/file.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#define GET_VERSION _IOR('K', 1, base_driver_version_t)

int base_driver_open(base_driver_version_t *version)
{
    *version = (base_driver_version_t){0, 0};
    int fd = base_file_open(BASE_DRIVER_DEVICE, O_RDWR, 0);
    if (fd >= 0 && ioctl(fd, GET_VERSION, version)) *version = (base_driver_version_t){0, 0};
    return fd;
}
