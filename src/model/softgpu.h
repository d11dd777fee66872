/* softgpu.h - how a process and what it has left tell that its GPU is softgpu, and whose time its
 * kernels have.
 *
 * Apart because commands ask it of processes that run, and databases answer it in SQL. */
#ifndef CROCPROF_MODEL_SOFTGPU_H
#define CROCPROF_MODEL_SOFTGPU_H

#include <stdbool.h>
#include <string.h>

/* The library is in LD_PRELOAD of every program that softgpu runs. */
#define OUT_SOFT_GPU_LIBRARY "libsoftgpu-preload.so"

/* SQL: whether the process ran on softgpu, from what a database's column has of its environment. */
#define OUT_SOFT_GPU_SQL(environment)                                                              \
    "(iif(json_valid(" environment "), json_extract(" environment                                  \
    ", '$.LD_PRELOAD'), '') LIKE '%" OUT_SOFT_GPU_LIBRARY "%')"

/* The end of the name of softgpu's agent if its kernels have the time of a model; softgpu writes it
 * in kfd/topology.c. */
#define OUT_MODEL_TIME " (model time)"

/* Whether LD_PRELOAD, or a line of /proc/PID/maps, names the library; NULL does not. */
static inline bool out_soft_gpu_named(const char *text)
{
    return text && strstr(text, OUT_SOFT_GPU_LIBRARY);
}

/* Whether this is the name of an agent whose kernels have the time of a model; NULL is not. */
static inline bool out_model_time_named(const char *agent)
{
    return agent && strstr(agent, OUT_MODEL_TIME);
}

#endif
