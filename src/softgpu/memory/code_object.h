/* code_object.h - code objects in GPU memory: finds the one that is loaded around an address, and
 * the names of its kernels. */
#ifndef SOFTGPU_MEMORY_CODE_OBJECT_H
#define SOFTGPU_MEMORY_CODE_OBJECT_H

#include "softgpu/memory/memory.h"

#include <stddef.h>

/* The name of the kernel whose descriptor is at an address, from the symbols of its code object;
 * "kernel_at_0x..." if there is no symbol. Never shortened, since names of generated kernels may
 * differ only after hundreds of characters. The caller frees it. NULL: out of memory. */
char *sg_kernel_name(const sg_memory_t *m, uint64_t descriptor);

/* The code object that is loaded around the address: *begin is its GPU address, *bytes its size in
 * memory. NULL: there is none. */
const void *sg_code_object(const sg_memory_t *m, uint64_t va, uint64_t *begin, uint64_t *bytes);

/* Whether the address is in code of the code object at the start of the extent. [*begin, *end) is
 * the part of the extent around the address for which the answer is the same. */
bool sg_code_at(const sg_extent_t *e, uint64_t va, uint64_t *begin, uint64_t *end);

#endif
