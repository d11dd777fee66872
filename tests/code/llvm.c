/* llvm.c - both disassemblers say the same of a code object's instructions: llvm FILE. Status 77:
 * one of them is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "disasm/internal.h"

enum { TEXT = 160 };

int main(int argc, char **argv)
{
    dis_object_t *one, *two;
    dis_kernel_row_t *rows;
    size_t size, count, same = 0;
    char *data = argc == 2 ? base_file_read(argv[1], SIZE_MAX, &size) : NULL;
    if (!data || dis_object_open(data, size, &one) != DIS_GOOD ||
        dis_object_open(data, size, &two) != DIS_GOOD || !dis_object_kernels(one, &rows, &count))
        return 1;
    if (!dis_available() || !dis_llvm_begin(two)) return 77;
    for (size_t k = 0; k < count; k++)
        for (uint64_t at = 0, bytes; at < rows[k].code_bytes; at += bytes, same++) {
            char texts[2][TEXT] = {"", ""};
            uint64_t other = 0;
            const size_t a = dis_object_text(one, rows[k].code + at, texts[0], TEXT, &bytes);
            const size_t b = dis_object_text(two, rows[k].code + at, texts[1], TEXT, &other);
            if (!a || a != b || bytes != other || strcmp(texts[0], texts[1]) != 0) {
                printf("%zu: '%s', '%s'\n", same, texts[0], texts[1]);
                return 1;
            }
        }
    printf("%zu instructions\n", same);
    dis_kernels_free(rows, count);
    dis_object_close(one);
    dis_object_close(two);
    free(data);
    return !same;
}
