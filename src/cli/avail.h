/* avail.h - what the SDK says of this machine's GPUs: counters, sampling, and which counters fit
 * together; and what the tables say of any GPU. */
#ifndef CROCPROF_CLI_AVAIL_H
#define CROCPROF_CLI_AVAIL_H

#include <stdbool.h>
#include <stddef.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "counters/counters.h"

typedef struct {
    const rocprofiler_agent_v0_t *agent;
    rocprofiler_counter_info_v1_t **counters; /* in the order of their ids */
    size_t count;
    rocprofiler_counter_id_t *streams; /* counters that can be sampled while kernels run */
    size_t stream_count;
    ctr_catalogue_t *classes; /* classes of softgpu's counters; NULL on other GPUs */
    /* Of a GPU that was asked for by its name, about which no SDK is asked. NULL: the SDK's. */
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
    avail_gpu_t *gpus; /* in the order of their indices */
    size_t count;
    bool soft;
} avail_t;

/* Asks the SDK. `extra`: definitions of more counters, or NULL. 0, or -1 with a line in `why`; the
 * line is empty if the SDK has already logged what is wrong with the definitions. Free with
 * avail_free in both cases. */
int avail_read(avail_t *a, const char *extra, char *why, size_t why_bytes);
/* The same of one product, from the tables alone. */
int avail_read_product(avail_t *a, const gpus_product_t *product, const char *extra, char *why,
                       size_t why_bytes);
void avail_free(avail_t *a);

/* The GPU of that index, NULL if there is none. */
const avail_gpu_t *avail_gpu(const avail_t *a, int index);

/* The counter of this name, or the instance of a counter; NULL if there is none. */
const rocprofiler_counter_info_v1_t *avail_find(avail_gpu_t *gpu, const char *name);

/* The class of the counter (how softgpu obtains its value); "" on other GPUs and for counters that
 * the user has defined. */
const char *avail_class(const avail_gpu_t *gpu, const char *name);

/* Whether the counter can be sampled while kernels run. */
bool avail_streams(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *counter);

/* Of a GPU with `own`: adds an instance of a counter; divides counters into passes, or fails if
 * more than max_passes (0: any number) are needed. */
bool avail_add_instance(avail_gpu_t *gpu, const char *name, const char *expression);
int avail_plan(const avail_gpu_t *gpu, const rocprofiler_counter_id_t *ids, size_t count,
               size_t max_passes, ctr_plan_t **plan, char *why, size_t why_bytes);

/* A counter with a similar name, or NULL. */
const char *avail_similar(const avail_gpu_t *gpu, const char *name);

#endif
