/* hsa_rig.h - what programs in C on the real HSA runtime begin with: the agents, the GPU's memory,
 * and checks that print the line which does not hold. */
#ifndef CROCPROF_TESTS_HSA_RIG_H
#define CROCPROF_TESTS_HSA_RIG_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;
static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t vram; /* the GPU's first global pool */

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s does not hold\n", __LINE__, #condition);                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK((call) == HSA_STATUS_SUCCESS)

static hsa_status_t take_agent(hsa_agent_t agent, void *unused)
{
    hsa_device_type_t type;
    (void)unused;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *to)
{
    hsa_amd_memory_pool_t *first = to;
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && first->handle == 0) *first = pool;
    return HSA_STATUS_SUCCESS;
}

/* hsa_init, and what is static above. */
static void take_gpu(void)
{
    OK(hsa_init());
    OK(hsa_iterate_agents(take_agent, NULL));
    OK(hsa_amd_agent_iterate_memory_pools(gpu, take_pool, &vram));
}

static inline void send(hsa_queue_t *q, const void *packet, uint16_t header)
{
    uint64_t index = hsa_queue_add_write_index_screlease(q, 1);
    uint8_t *slot = (uint8_t *)q->base_address + 64 * (index % q->size);
    memcpy(slot + 4, (const uint8_t *)packet + 4, 60);
    uint32_t first = header | (uint32_t)((const uint16_t *)packet)[1] << 16;
    __atomic_store_n((uint32_t *)(void *)slot, first, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)index);
}

#endif
