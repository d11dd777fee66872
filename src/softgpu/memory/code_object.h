/* code_object.h - code objects as they stand in GPU memory: which one is loaded at an address, and
 * the names of its kernels. */
#ifndef SOFTGPU_MEMORY_CODE_OBJECT_H
#define SOFTGPU_MEMORY_CODE_OBJECT_H

#include "softgpu/memory/memory.h"

#include <stddef.h>

/* The name of a kernel by the address of its descriptor, from the symbols of the code object that
 * is loaded around it; "kernel_at_0x..." if it has none. To be freed; NULL: out of memory. Whole,
 * however long: names of generated kernels differ after hundreds of characters. */
char *sg_kernel_name(const sg_memory_t *m, uint64_t descriptor);

/* The code object that is loaded around the address: where it begins, and how many bytes of it
 * there are in memory. NULL: there is none. */
const void *sg_code_object(const sg_memory_t *m, uint64_t va, uint64_t *begin, uint64_t *bytes);

/* Whether instructions of a code object that its mapping begins with are at the address; [*begin,
 * *end) is the part of the mapping around it of which the same holds. */
bool sg_code_at(const sg_extent_t *e, uint64_t va, uint64_t *begin, uint64_t *end);

#endif
