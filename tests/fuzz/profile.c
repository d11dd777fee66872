/* profile.c - fuzz target: a profile file of any bytes is read or refused with a message.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. */
#include "softgpu/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], error[512] = "";
    sg_profile_t profile;
    int fd = memfd_create("profile", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int result = sg_profile_read(path, &profile, error, sizeof(error));
    if (result != 0 && error[0] == '\0') abort();
    if (result == 0 && sg_profile_set_cus(&profile, size & 255, error, sizeof(error)) == 0 &&
        sg_profile_cus(&profile) != (size & 255))
        abort();
    close(fd);
    return 0;
}
