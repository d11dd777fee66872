/* gpu.h - where the installation is, and which GPU to use: the same for all commands. */
#ifndef CROCPROF_CLI_GPU_H
#define CROCPROF_CLI_GPU_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/softgpu.h"

#define CLI_SOFT_GPU_LIBRARY "lib/softgpu/" OUT_SOFT_GPU_LIBRARY

/* The root of the installation: `given`, or the folder above that of this program; without blanks
 * (base_plain_path). 0, or -1 with a line in `why`. */
int cli_find_root(char root[PATH_MAX], const char *given, char *why, size_t why_bytes);

/* What "auto", "soft", "real" or a product's name (NULL: auto) means on this machine: 1: the
 * software GPU must be preloaded, which this process's environment makes the product named; 0: the
 * real one, or one that is already preloaded; -1 with a line in `why`. If auto means the software
 * GPU, `command` says so on stderr, once. */
int cli_choose_gpu(const char *command, const char *gpu, char *why, size_t why_bytes);

/* The libraries, below the root, that a program needs in LD_PRELOAD to run on the software GPU;
 * NULL is behind the last. ORDER: if softgpu checks programs (SOFTGPU_CHECK), its library must see
 * their calls before others do; the environment is prepared for that, too. */
const char *const *cli_soft_gpu_libraries(void);

/* True if this process runs on the software GPU. */
bool cli_on_soft_gpu(void);

#endif
