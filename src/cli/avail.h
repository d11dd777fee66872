/* avail.h - the counters of this machine's GPUs, sampling, and which counters fit together, as the
 * SDK reports them; and the same for any GPU, from the tables. */
#ifndef CROCPROF_CLI_AVAIL_H
#define CROCPROF_CLI_AVAIL_H

#include <stdbool.h>
#include <stddef.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "counters/counters.h"

typedef struct {
    const rocprofiler_agent_v0_t *agent;
    rocprofiler_counter_info_v1_t **counters; /* sorted by id */
    size_t count;
    rocprofiler_counter_id_t *streams; /* counters that can be sampled while kernels run */
    size_t stream_count;
    ctr_catalogue_t *classes; /* classes of softgpu's counters; NULL on other GPUs */
    /* Counters of a GPU that was named on the command line, for which no SDK is queried. NULL: the
     * GPU is the SDK's. */
    ctr_catalogue_t *own;
    const gpus_product_t *product;
    ctr_agent_t shape;
    rocprofiler_agent_v0_t *made;
} avail_gpu_t;

/* Properties that are shown, all of them numbers: X(field). */
#define AVAIL_PROPERTIES(X)                                                                        \
    X(cpu_cores_count)                                                                             \
    X(simd_count)                                                                                  \
    X(max_waves_per_simd)                                                                          \
    X(wave_front_size)                                                                             \
    X(num_xcc)                                                                                     \
    X(cu_count)                                                                                    \
    X(array_count)                                                                                 \
    X(num_shader_banks)                                                                            \
    X(simd_arrays_per_engine)                                                                      \
    X(cu_per_simd_array)                                                                           \
    X(simd_per_cu)                                                                                 \
    X(gfx_target_version)                                                                          \
    X(max_waves_per_cu)                                                                            \
    X(gpu_id)
#define AVAIL_NODE_PROPERTIES(X)                                                                   \
    X(node_id)                                                                                     \
    X(logical_node_id)                                                                             \
    X(logical_node_type_id)

typedef struct {
    avail_gpu_t *gpus; /* sorted by index */
    size_t count;
    bool soft;
} avail_t;

/* Queries the SDK. `extra` has definitions of more counters, or is NULL. Returns 0, or -1 with a
 * line in `why`, which is empty if the SDK has already logged errors of the definitions.
 * avail_free() is to be called in both cases. */
int avail_read(avail_t *a, const char *extra, char *why, size_t why_bytes);
/* The same for one product, from the tables alone. */
int avail_read_product(avail_t *a, const gpus_product_t *product, const char *extra, char *why,
                       size_t why_bytes);
void avail_free(avail_t *a);

/* Returns the GPU of that index, NULL if there is none. */
const avail_gpu_t *avail_gpu(const avail_t *a, int index);

/* Returns the counter of this name, or the instance of a counter; NULL if there is none. */
const rocprofiler_counter_info_v1_t *avail_find(avail_gpu_t *gpu, const char *name);

/* Returns the class of the counter (how softgpu obtains its value); "" on other GPUs and for
 * counters that the user has defined. */
const char *avail_class(const avail_gpu_t *gpu, const char *name);

/* Returns whether the counter can be sampled while kernels run. */
bool avail_streams(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *counter);

/* For a GPU with `own`: adds an instance of a counter; divides counters into passes, or fails if
 * more than max_passes (0: any number) are needed. */
bool avail_add_instance(avail_gpu_t *gpu, const char *name, const char *expression);
int avail_plan(const avail_gpu_t *gpu, const rocprofiler_counter_id_t *ids, size_t count,
               size_t max_passes, ctr_plan_t **plan, char *why, size_t why_bytes);

/* Returns a counter with a similar name, or NULL. */
const char *avail_similar(const avail_gpu_t *gpu, const char *name);

#endif
