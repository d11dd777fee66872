/* softgpu.h - recognises that a process ran on softgpu, and whether the times of its kernels come
 * from softgpu's model of time.
 *
 * It is apart because commands test processes that run, and databases test it in SQL. */
#ifndef CROCPROF_MODEL_SOFTGPU_H
#define CROCPROF_MODEL_SOFTGPU_H

#include <stdbool.h>
#include <string.h>

#include "base/model_time.h"

/* The library is in LD_PRELOAD of every program that softgpu runs. */
#define OUT_SOFT_GPU_LIBRARY "libsoftgpu-preload.so"

/* An SQL expression: whether the process ran on softgpu, according to the column that has its
 * environment. */
#define OUT_SOFT_GPU_SQL(environment)                                                              \
    "(iif(json_valid(" environment "), json_extract(" environment                                  \
    ", '$.LD_PRELOAD'), '') LIKE '%" OUT_SOFT_GPU_LIBRARY "%')"

/* Returns whether LD_PRELOAD, or a line of /proc/PID/maps, names the library; false for NULL. */
static inline bool out_soft_gpu_named(const char *text)
{
    return text && strstr(text, OUT_SOFT_GPU_LIBRARY);
}

/* Returns whether this is the name of an agent whose kernels have times of the model; false for
 * NULL. */
static inline bool out_model_time_named(const char *agent)
{
    return agent && strstr(agent, BASE_MODEL_TIME);
}

#endif
