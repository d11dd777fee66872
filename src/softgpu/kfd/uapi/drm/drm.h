/* drm.h - linux/kfd_ioctl.h includes <drm/drm.h>, which Debian installs with libdrm instead of the
 * kernel's headers. This forwards the one name to the other. */
#include <libdrm/drm.h>
