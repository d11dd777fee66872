/* disasm.c - fuzz target: any bytes as a code object of which symbols, lines and kernels are asked.
 *
 * What is found has to hold together. Instructions are left out: they are the disassembler's. Built
 * with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. */
#include "disasm/disasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOOKS = 64 };

static void look(dis_object_t *object, uint64_t address)
{
    const char *file = NULL;
    uint32_t line;
    const dis_symbol_t *symbol = dis_object_symbol_at(object, address);
    if (symbol && address < symbol->address) abort();
    if (dis_object_line(object, address, &file, &line) && !strlen(file) && !line) abort();
    dis_inlined_t list[4];
    const size_t count = dis_object_inlined(object, address, list, 4);
    for (size_t i = 0; i < count; i++)
        if (count > 4 || !list[i].function || !list[i].file) abort();
}

static void look_at_kernel(dis_object_t *object, const dis_symbol_t *symbol)
{
    static dis_kernel_t kernel;
    char name[256];
    snprintf(name, sizeof(name), "%s.kd", symbol->name);
    if (!dis_object_kernel(object, name, &kernel)) return;
    dis_object_parameters(object, symbol->address, &kernel);
    if (kernel.parameter_count > DIS_PARAMETERS_MAX) abort();
    for (size_t i = 0; i < kernel.parameter_count; i++)
        if (strlen(kernel.parameters[i].type) >= sizeof(kernel.parameters[i].type)) abort();
}

static void look_at_data(dis_object_t *object)
{
    size_t count;
    const char *file;
    uint32_t line;
    const dis_symbol_t *variables = dis_object_variables(object, &count);
    for (size_t i = 0; i < count && i < LOOKS; i++) {
        if (!*variables[i].name || (i && variables[i].address < variables[i - 1].address)) abort();
        dis_object_variable_line(object, variables[i].address, &file, &line);
    }
    const dis_range_t *gaps = dis_object_gaps(object, &count);
    for (size_t i = 0; i < count; i++)
        if (gaps[i].begin >= gaps[i].end || (i && gaps[i].begin < gaps[i - 1].end)) abort();
}

static void look_at_kernels(dis_object_t *object)
{
    dis_kernel_row_t *rows;
    uint64_t left;
    size_t count;
    if (!dis_object_kernels(object, &rows, &count)) return;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].name || !rows[i].symbol) abort();
        if (!rows[i].code_bytes) continue;
        if (!dis_object_bytes(object, rows[i].code, &left) || left < rows[i].code_bytes) abort();
    }
    dis_kernels_free(rows, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dis_object_t *object;
    size_t count;
    if (dis_object_open(data, size, &object) != DIS_GOOD) return 0;
    if (strncmp(dis_object_gpu(object), "gfx", 3) != 0) abort();
    const dis_symbol_t *symbols = dis_object_symbols(object, &count);
    for (size_t i = 0; i < count && i < LOOKS; i++) {
        if (!*symbols[i].name || (i && symbols[i].address < symbols[i - 1].address)) abort();
        look(object, symbols[i].address);
        look(object, symbols[i].address + symbols[i].size);
        look_at_kernel(object, &symbols[i]);
    }
    for (uint64_t i = 0; i < LOOKS; i++)
        look(object, i * 64);
    look_at_data(object);
    look_at_kernels(object);
    dis_object_close(object);
    return 0;
}
