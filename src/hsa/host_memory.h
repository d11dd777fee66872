/* host_memory.h - memory of the host that a GPU can access, for packets and their results.
 *
 * It is fine-grained: the GPU executes packets from there, and the host sees the GPU's writes
 * without a copy. */
#ifndef CROCPROF_HSA_HOST_MEMORY_H
#define CROCPROF_HSA_HOST_MEMORY_H

#include <hsa/hsa.h>

/* Allocates memory with any content to which `gpu` has access; *memory becomes NULL on failure. Any
 * thread may call this while the runtime is up. Tools do not see the call, since it uses the saved
 * tables. */
hsa_status_t hsax_host_allocate(hsa_agent_t gpu, size_t bytes, void **memory);

/* Allocates memory of the GPU itself, which the host may have to access by hsa_memory_copy().
 * hsax_host_free() frees it, too. */
hsa_status_t hsax_device_allocate(hsa_agent_t gpu, size_t bytes, void **memory);

/* Frees memory of both kinds; NULL is allowed. */
void hsax_host_free(void *memory);

#endif
