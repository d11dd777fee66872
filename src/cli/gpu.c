/* gpu.c - see gpu.h. It chooses the GPU and reports why; the callers preload it. */
#include "cli/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/driver.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/log.h"
#include "gpus/gpus.h"

int cli_find_root(char root[PATH_MAX], const char *given, char *why, size_t why_bytes)
{
    if (!given) return base_installation(root, why, why_bytes) ? 0 : -1;
    if (!realpath(given, root)) {
        snprintf(why, why_bytes, "--rocm-root: %s: %s", given, strerror(errno));
        return -1;
    }
    base_plain_path(root);
    return 0;
}

bool cli_on_soft_gpu(void)
{
    return out_soft_gpu_named(getenv("LD_PRELOAD"));
}

bool cli_is_profile(const char *gpu)
{
    return strchr(gpu, '/');
}

/* Makes the software GPU the one of the profile. The variable has an absolute path, since the
 * program may change its folder. softgpu reads the file, and reports what is wrong in it. */
static int take_profile(const char *path, char *why, size_t why_bytes)
{
    char *whole = base_file_whole_path(path);
    struct stat s;
    int error = whole && stat(whole, &s) == 0 && access(whole, R_OK) == 0 ? 0 : errno;
    if (!error && S_ISDIR(s.st_mode)) error = EISDIR;
    if (!error && setenv("SOFTGPU_GPU", whole, 1) != 0) error = errno;
    free(whole);
    unsetenv("SOFTGPU_PROFILE");
    if (!error) return 1;
    snprintf(why, why_bytes, "--gpu: the profile %s: %s", path, strerror(error));
    return -1;
}

int cli_choose_gpu(const char *command, const char *gpu, char *why, size_t why_bytes)
{
    static bool told;
    if (!gpu) gpu = "auto";
    if (strcmp(gpu, "soft") == 0) return 1;
    if (cli_is_profile(gpu)) return take_profile(gpu, why, why_bytes);
    if (gpus_product(gpu)) { /* softgpu refuses products for which it has no profile */
        setenv("SOFTGPU_GPU", gpus_product(gpu)->name, 1);
        unsetenv("SOFTGPU_PROFILE");
        return 1;
    }
    /* on the software GPU, /dev/kfd seems to exist */
    if (cli_on_soft_gpu()) return 0;
    bool there = access(BASE_DRIVER_DEVICE, F_OK) == 0;
    if (strcmp(gpu, "auto") == 0) {
        if (!there && !told && base_log_level >= BASE_LOG_WARNING)
            fprintf(stderr,
                    "%s: no " BASE_DRIVER_DEVICE ": using the software GPU (--gpu real refuses)\n",
                    command);
        told = true;
        return !there;
    }
    if (!there) {
        snprintf(why, why_bytes,
                 "--gpu real: there is no " BASE_DRIVER_DEVICE
                 ": load the amdgpu driver, or use --gpu soft");
        return -1;
    }
    if (access(BASE_DRIVER_DEVICE, R_OK | W_OK) == 0) return 0;
    snprintf(why, why_bytes,
             "--gpu real: " BASE_DRIVER_DEVICE ": %s: join the group that owns it (render)",
             strerror(errno));
    return -1;
}

const char *const *cli_soft_gpu_libraries(void)
{
    static const char *const all[] = {"lib/softgpu/libsoftgpu-check.so", CLI_SOFT_GPU_LIBRARY,
                                      NULL};
    const char *check = getenv("SOFTGPU_CHECK");
    if (!check || !*check || strcmp(check, "0") == 0) return all + 1;
    /* makes each allocation a mapping of its own */
    setenv("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1", 1);
    return all;
}
