/* gpu.h - where the installation is, and which GPU is meant: for all commands the same. */
#ifndef CROCPROF_CLI_GPU_H
#define CROCPROF_CLI_GPU_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define CLI_SOFT_GPU_LIBRARY "lib/softgpu/libsoftgpu-preload.so"

/* Root of the installation: `given`, or the folder above this program's. 0, or -1 with a line in
 * `why`. */
int cli_find_root(char root[PATH_MAX], const char *given, char *why, size_t why_bytes);

/* What "auto", "soft" or "real" (NULL: auto) means here: 1 the software GPU, 0 the real one or one
 * that is preloaded already, -1 with a line in `why`. Where auto takes the software GPU, `command`
 * says so on stderr, once. */
int cli_choose_gpu(const char *command, const char *gpu, char *why, size_t why_bytes);

/* What a program needs in LD_PRELOAD to run on the software GPU, below the root, NULL behind the
 * last. ORDER: where softgpu checks programs (SOFTGPU_CHECK) it sees their calls before others do;
 * the environment is made ready for that, too. */
const char *const *cli_soft_gpu_libraries(void);

/* True if this process runs on the software GPU. */
bool cli_on_soft_gpu(void);

#endif
