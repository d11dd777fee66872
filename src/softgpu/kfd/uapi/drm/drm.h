/* drm.h - linux/kfd_ioctl.h includes <drm/drm.h>, which Debian installs with libdrm instead of the
 * kernel's headers. This header forwards from that name to the one of libdrm. */
#include <libdrm/drm.h>
