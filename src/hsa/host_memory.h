/* host_memory.h - memory of the host that a GPU uses too: packets that count, and their results.
 *
 * Fine-grained: the GPU executes packets from there, and what it writes is seen without a copy. */
#ifndef CROCPROF_HSA_HOST_MEMORY_H
#define CROCPROF_HSA_HOST_MEMORY_H

#include <hsa/hsa.h>

/* Memory with any content that `gpu` has access to; *memory is NULL unless it succeeds. Any thread,
 * while the runtime is up. Tools do not see the call, since it uses the saved tables. */
hsa_status_t hsax_host_allocate(hsa_agent_t gpu, size_t bytes, void **memory);

/* Memory of the GPU itself, which the host may have to access by hsa_memory_copy(). It is freed by
 * hsax_host_free(), too. */
hsa_status_t hsax_device_allocate(hsa_agent_t gpu, size_t bytes, void **memory);

/* Frees memory of both kinds; NULL is allowed. */
void hsax_host_free(void *memory);

#endif
