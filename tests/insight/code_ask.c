/* What a code object says of a kernel and of its instructions: code_ask FILE KERNEL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "disasm/disasm.h"

static void tell_place(dis_object_t *object, uint64_t address)
{
    dis_inlined_t list[8];
    const char *file = "";
    uint32_t line = 0;
    const size_t count = dis_object_inlined(object, address, list, 8);
    dis_object_line(object, address, &file, &line);
    printf("at %u", line);
    for (size_t i = 0; i < count; i++)
        printf(" in %s from %u", list[i].function, list[i].line);
    printf("\n");
}

int main(int argc, char **argv)
{
    static dis_kernel_t kernel;
    char name[128];
    dis_object_t *object = NULL;
    size_t size, count;
    char *data = argc == 3 ? base_file_read(argv[1], SIZE_MAX, &size) : NULL;
    if (!data || dis_object_open(data, size, &object) != DIS_GOOD) return 1;
    const dis_symbol_t *symbols = dis_object_symbols(object, &count);
    snprintf(name, sizeof(name), "%s.kd", argv[2]);
    if (!dis_object_kernel(object, name, &kernel)) return 2;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(symbols[i].name, argv[2]) != 0) continue;
        dis_object_parameters(object, symbols[i].address, &kernel);
        for (uint64_t at = 0; at < symbols[i].size; at += 4)
            tell_place(object, symbols[i].address + at);
    }
    printf("spills %u group %u lds %u scratch %u\n", kernel.vgpr_spills, kernel.group_size_max,
           kernel.group_bytes, kernel.private_bytes);
    for (size_t i = 0; i < kernel.parameter_count; i++)
        printf("parameter %s, %s, %s, %u, %u\n", kernel.parameters[i].name,
               kernel.parameters[i].type, kernel.parameters[i].kind, kernel.parameters[i].offset,
               kernel.parameters[i].size);
    dis_object_close(object);
    free(data);
    return 0;
}
