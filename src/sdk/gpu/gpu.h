/* gpu.h - the services that watch the GPU, for gpu.c, which installs them.
 *
 * Each service is a client of one part of src/hsa and installs its own hooks. */
#ifndef CROCPROF_SDK_GPU_H
#define CROCPROF_SDK_GPU_H

#include "hsa/tables/tables.h"

void sdk_kernel_dispatch_hook(const hsax_api_table_t *table);
void sdk_memory_copy_hook(const hsax_api_table_t *table);
void sdk_memory_allocation_hook(const hsax_api_table_t *table);
void sdk_scratch_memory_hook(const hsax_api_table_t *table);
void sdk_code_object_hook(const hsax_api_table_t *table);

#endif
