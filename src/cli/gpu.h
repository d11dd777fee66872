/* gpu.h - where the installation is, and which GPU to use: the same for all commands. */
#ifndef CROCPROF_CLI_GPU_H
#define CROCPROF_CLI_GPU_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/softgpu.h"

#define CLI_SOFT_GPU_LIBRARY "lib/softgpu/" OUT_SOFT_GPU_LIBRARY

/* Finds the root of the installation: `given`, or the parent of this program's folder; as a path
 * without blanks (base_plain_path). Returns 0, or -1 with a line in `why`. */
int cli_find_root(char root[PATH_MAX], const char *given, char *why, size_t why_bytes);

/* Returns whether this value of --gpu is the path of a profile of the software GPU: it has a slash.
 */
bool cli_is_profile(const char *gpu);

/* Decides what "auto", "soft", "real", a product's name or the path of a profile (NULL: auto) means
 * on this machine. Returns 1 if the software GPU must be preloaded: then this process's environment
 * is set up for the product or profile. Returns 0 for the real GPU, or one that is already
 * preloaded; -1 with a line in `why`. If auto means the software GPU, a line on stderr says so,
 * once; it begins with `command`. */
int cli_choose_gpu(const char *command, const char *gpu, char *why, size_t why_bytes);

/* Returns the libraries, below the root, that a program needs in LD_PRELOAD to run on the software
 * GPU; NULL ends the list. ORDER: if softgpu checks programs (SOFTGPU_CHECK), its library must see
 * their calls before other libraries; the environment is set up for that, too. */
const char *const *cli_soft_gpu_libraries(void);

/* Returns true if this process runs on the software GPU. */
bool cli_on_soft_gpu(void);

#endif
