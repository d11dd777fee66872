/* code_object.c - fuzz target: a kernel's name is looked for in a code object of any bytes.
 *
 * The first two bytes choose the descriptor's address, the rest is the image, which ends where its
 * mapping does: reading behind it is an error that the sanitizer sees. */
#include "softgpu/memory/memory.h"
#include "softgpu/device/observe.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define IMAGE_VA UINT64_C(0x7f0000000000)

enum { PAGE = 4096, HEAD = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD) return 0;
    size_t bytes = (size - HEAD + PAGE - 1) / PAGE * PAGE;
    uint8_t *image = bytes ? aligned_alloc(PAGE, bytes) : NULL;
    sg_memory_t *memory = sg_memory_create();
    if (!memory || (bytes && !image)) abort();
    if (bytes) {
        memset(image, 0, bytes);
        memcpy(image, data + HEAD, size - HEAD);
        if (sg_memory_map(memory, IMAGE_VA, bytes, image, SG_MEM_WRITABLE) != 0) abort();
    }
    char *name = sg_kernel_name(memory, IMAGE_VA + data[0] + data[1] * 256u);
    if (!name || !*name) abort();
    free(name);
    sg_memory_destroy(memory);
    free(image);
    return 0;
}
