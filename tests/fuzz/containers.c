/* containers.c - fuzz target: any bytes as a file in which code objects are looked for.
 *
 * What is found lies in the bytes or in what was unpacked, and is opened as a code object whose
 * kernels' instructions are read, too: by the instruction table alone, others by the disassembler
 * of LLVM, which is left out. */
#include "code/containers.h"

#include <stdlib.h>
#include <string.h>

#include "code/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KERNELS_MAX = 16 };

static bool look(void *to, const uint8_t *elf, uint64_t size)
{
    unsigned *left = to;
    dis_object_t *object;
    dis_kernel_row_t *rows;
    code_body_t body;
    size_t count;
    if (size < 64) abort();
    if (dis_object_open(elf, size, &object) != DIS_GOOD) return --*left;
    if (dis_object_kernels(object, &rows, &count)) {
        for (size_t i = 0; i < count && i < KERNELS_MAX; i++) {
            if (strcmp(dis_object_gpu(object), "gfx90a") != 0) continue;
            if (!code_body_read(&body, object, &rows[i], true)) abort();
            if (body.mix.all > rows[i].code_bytes / 4) abort();
            code_body_free(&body);
        }
        dis_kernels_free(rows, count);
    }
    dis_object_close(object);
    return --*left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[CODE_WHY_BYTES];
    unsigned left = 8;
    memset(why, 'x', sizeof(why));
    code_find(data, size, look, &left, why);
    if (strnlen(why, sizeof(why)) == sizeof(why)) abort();
    return 0;
}
